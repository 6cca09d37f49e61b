//! Prints the tree of a file; with a second file, writes it there.

use delassus_hdf5::{ArrayData, Attribute, Group, Node, read, write};

fn main() {
    let mut files = std::env::args().skip(1);
    let Some(file) = files.next() else {
        println!("usage: tree FILE [COPY]");
        return;
    };
    let bytes = std::fs::read(&file).unwrap_or_default();
    match read(&bytes) {
        Ok(root) => {
            print(&root, 0);
            if let Some(copy) = files.next() {
                match write(&root) {
                    Ok(bytes) => println!("written: {:?}", std::fs::write(copy, bytes)),
                    Err(error) => println!("not written: {error}"),
                }
            }
        }
        Err(error) => println!("{file}: {error}"),
    }
}

fn print(group: &Group<'_>, depth: usize) {
    let indent = "  ".repeat(depth);
    attributes(&group.attributes, &indent);
    for child in &group.children {
        match &child.node {
            Node::Group(group) => {
                println!("{indent}{}/", child.name);
                print(group, depth + 1);
            }
            Node::Dataset(dataset) => {
                let array = &dataset.array;
                println!("{indent}{} {:?}: {}", child.name, array.shape, array.kind);
                if let ArrayData::Unsupported(feature) = array.content {
                    println!("{indent}  not read: {feature}");
                }
                attributes(&dataset.attributes, &indent);
            }
            Node::Other { .. } => println!("{indent}{} (another object)", child.name),
        }
    }
}

fn attributes(attributes: &[Attribute<'_>], indent: &str) {
    for attribute in attributes {
        let array = &attribute.array;
        println!(
            "{indent}@{} {:?}: {}",
            attribute.name, array.shape, array.kind
        );
    }
}
