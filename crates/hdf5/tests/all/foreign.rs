//! Files of the C library, made by `files/make.py` in its oldest and its newest style.

use delassus_hdf5::{
    Array, ArrayData, ByteOrder, Dataset, Group, Node, ReadError, Type, ValueError, read, write,
};

pub(crate) const OLD: &[u8] = include_bytes!("../files/old.hdf5");
pub(crate) const NEW: &[u8] = include_bytes!("../files/new.hdf5");

fn each(check: impl Fn(&Group<'_>)) {
    for bytes in [OLD, NEW] {
        check(&read(bytes).unwrap());
    }
}

fn array<'g, 'a>(root: &'g Group<'a>, path: &str) -> &'g Array<'a> {
    &root.dataset(path).unwrap().array
}

#[test]
fn numbers_of_every_type_are_read() {
    each(|root| {
        let ints = |path: &str| array(root, path).to_i32s();
        let reals = |path: &str| array(root, path).to_f64s().unwrap();
        assert_eq!(ints("plain/integers"), Ok(vec![1, -2, 3]));
        assert_eq!(ints("plain/big_integers"), Ok(vec![1, -2, 3]));
        assert_eq!(array(root, "plain/long").kind, Type::I64);
        assert!(matches!(
            ints("plain/long"),
            Err(ValueError::Range { index: 2, .. })
        ));
        let expected = [0.1, -0.0, f64::INFINITY, 5e-324];
        let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&reals("plain/reals")), bits(&expected));
        assert_eq!(array(root, "plain/reals").shape, [2, 2]);
        assert_eq!(reals("plain/big_reals"), [0.1, -2.5]);
        assert_eq!(reals("plain/single"), [0.5, -2.5]);
        assert_eq!(reals("plain/scalar"), [7.5]);
        assert!(array(root, "plain/scalar").shape.is_empty());
        assert!(reals("plain/empty").is_empty());
        let big = Type::Float {
            bytes: 8,
            order: ByteOrder::Big,
        };
        assert_eq!(array(root, "plain/big_reals").kind, big);
    });
}

#[test]
fn storage_is_read_or_named() {
    for (bytes, style) in [(OLD, "old"), (NEW, "new")] {
        let root = read(bytes).unwrap();
        let unsupported = |path: &str| match array(&root, path).bytes() {
            Err(ValueError::Unsupported { offset, feature }) => {
                assert!(offset > 0);
                feature
            }
            other => panic!("{path}: {other:?}"),
        };
        assert_eq!(
            array(&root, "stored/compact").to_f64s(),
            Ok(vec![1.0, 2.0, 3.0])
        );
        assert_eq!(array(&root, "stored/unwritten").to_f64s(), Ok(vec![0.0; 4]));
        assert!(unsupported("stored/packed").contains("compressed"));
        assert!(unsupported("stored/filled").contains("filled"));
        if style == "old" {
            let numbers = array(&root, "stored/chunked").to_f64s().unwrap();
            let expected: Vec<f64> = (0..35).map(f64::from).collect();
            assert_eq!(numbers, expected);
        } else {
            assert!(unsupported("stored/chunked").contains("index"));
        }
        for path in ["odd/compound", "odd/complex"] {
            assert!(unsupported(path).contains("type"));
        }
        assert!(matches!(root.get("odd/type"), Some(Node::Other { .. })));
        assert_eq!(root.get("links/soft"), None);
    }
}

#[test]
fn texts_and_facts_are_read() {
    each(|root| {
        let text = |path: &str| array(root, path).to_text().unwrap().to_vec();
        assert_eq!(text("texts/fixed"), b"Box_stacks \xa8");
        assert_eq!(text("texts/variable"), "variable µ".as_bytes());
        assert_eq!(text("texts/none"), b"");
        let texts = root.group("texts").unwrap();
        assert_eq!(
            texts.attributes[0].array.to_text(),
            Ok(&b"an attribute"[..])
        );
        let facts = &root.group("facts").unwrap().attributes;
        let fact = |name: &str| &facts.iter().find(|fact| fact.name == name).unwrap().array;
        assert_eq!(fact("truth").kind, Type::Boolean);
        assert_eq!(fact("truth").bytes(), Ok(&[1][..]));
        assert_eq!(fact("lie").bytes(), Ok(&[0][..]));
        assert_eq!(fact("count").to_i32(), Ok(-7));
        assert_eq!(fact("list").to_i32s(), Ok(vec![1, 2]));
        assert!(fact("real").to_f64s().unwrap()[0].is_nan());
    });
}

#[test]
fn many_objects_of_a_group_are_read() {
    let old = read(OLD).unwrap();
    for k in 0..20 {
        assert_eq!(array(&old, &format!("many/item {k:02}")).to_i32(), Ok(k));
    }
    let new = read(NEW).unwrap();
    for k in 0..8 {
        assert_eq!(array(&new, &format!("many/item {k:02}")).to_i32(), Ok(k));
    }
}

#[test]
fn what_is_written_again_is_read_again() {
    for bytes in [OLD, NEW] {
        let mut root = read(bytes).unwrap();
        keep_plain(&mut root);
        let copy = write(&root).unwrap();
        let copy = read(&copy).unwrap();
        assert_eq!(flat(&copy, ""), flat(&root, ""));
    }
}

/// Leaves out what is not written.
fn keep_plain(group: &mut Group<'_>) {
    let plain = |array: &Array<'_>| {
        let fixed = array.kind.size().is_some_and(|size| size > 0);
        fixed && matches!(array.content, ArrayData::Bytes(_))
    };
    group.attributes.retain(|attribute| plain(&attribute.array));
    group.children.retain_mut(|child| match &mut child.node {
        Node::Group(group) => {
            keep_plain(group);
            true
        }
        Node::Dataset(dataset) => plain(&dataset.array),
        Node::Other { .. } => false,
    });
}

/// Every array by its path, sorted, without where it lies.
fn flat(group: &Group<'_>, path: &str) -> Vec<String> {
    let line = |path: String, array: &Array<'_>| {
        format!(
            "{path} {:?} {} {:?}",
            array.shape, array.kind, array.content
        )
    };
    let attributes = group.attributes.iter();
    let mut lines: Vec<String> = attributes
        .map(|a| line(format!("{path}@{}", a.name), &a.array))
        .collect();
    for child in &group.children {
        let path = format!("{path}/{}", child.name);
        match &child.node {
            Node::Group(group) => lines.extend(flat(group, &path)),
            Node::Dataset(dataset) => {
                let Dataset { array, attributes } = &**dataset;
                lines.push(line(path, array));
                assert!(attributes.is_empty());
            }
            Node::Other { .. } => {}
        }
    }
    lines.sort();
    lines
}

#[test]
fn another_kind_of_file_is_refused() {
    for bytes in [&b""[..], b"\x89PNG\r\n\x1a\n", &OLD[1..]] {
        assert_eq!(read(bytes), Err(ReadError::Signature));
    }
}

#[test]
fn every_beginning_of_a_file_is_refused_or_read() {
    for bytes in [OLD, NEW] {
        for length in (0..bytes.len()).step_by(7) {
            if let Err(error) = read(&bytes[..length]) {
                assert!(error.to_string().contains("byte "));
            }
        }
        assert!(matches!(
            read(&bytes[..200]),
            Err(ReadError::Truncated { .. })
        ));
    }
}
