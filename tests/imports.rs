//! Files of a crate do not import each other in circles. An import of what a module re-exports is
//! an import of the file that defines it, and a re-export alone is none.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::workspace::{files, read, root};

/// The path of a module or item in its crate, root first.
type Module = Vec<String>;

/// What a file takes from others.
struct Imports {
    /// The paths that its code names.
    paths: Vec<Module>,
    /// What its `use` declarations bring into scope, by name.
    names: BTreeMap<String, Module>,
}

#[test]
fn files_do_not_import_each_other_in_circles() {
    let entries = std::fs::read_dir(root().join("crates")).expect("the crates folder");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into()
        })
        .collect();
    names.sort();
    let mut wrong = Vec::new();
    for name in names.iter().filter(|name| *name != "peers") {
        let arrows = arrows(&imports(name));
        let found: Vec<String> = arrows
            .keys()
            .filter(|module| reached(&arrows, module).contains(*module))
            .map(|module| module.join("::"))
            .collect();
        if !found.is_empty() {
            wrong.push(format!("{name}: circles of imports: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Everything that a module imports, directly or through others.
fn reached<'i>(
    arrows: &'i BTreeMap<Module, BTreeSet<Module>>,
    module: &'i Module,
) -> BTreeSet<&'i Module> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&Module> = vec![module];
    while let Some(next) = open.pop() {
        for used in &arrows[next] {
            if reached.insert(used) {
                open.push(used);
            }
        }
    }
    reached
}

/// The files that each file of a crate takes something from.
fn arrows(imports: &BTreeMap<Module, Imports>) -> BTreeMap<Module, BTreeSet<Module>> {
    let of = |(module, own): (&Module, &Imports)| {
        let files = own.paths.iter().filter_map(|path| definer(imports, path));
        (
            module.clone(),
            files.filter(|file| file != module).collect(),
        )
    };
    imports.iter().map(of).collect()
}

/// The file that defines what a path names; `None` if another crate does.
fn definer(imports: &BTreeMap<Module, Imports>, path: &[String]) -> Option<Module> {
    let mut path = path.to_vec();
    // a chain of re-exports is short
    for _ in 0..20 {
        let is_file = |length: &usize| imports.contains_key(&path[..*length]);
        let length = (0..=path.len()).rev().find(is_file)?;
        if path.first().is_some_and(|first| first == OTHER) {
            return None;
        }
        let file = path[..length].to_vec();
        let named = path
            .get(length)
            .and_then(|name| imports[&file].names.get(name));
        match named {
            Some(target) if *target != path[..=length] => {
                path = [target.as_slice(), &path[length + 1..]].concat();
            }
            _ => return Some(file),
        }
    }
    None
}

/// The first name of a path into another crate.
const OTHER: &str = "other crate";

/// What each file of a crate takes from others.
fn imports(name: &str) -> BTreeMap<Module, Imports> {
    let folder = root().join("crates").join(name).join("src");
    let below = format!("crates/{name}/src");
    let paths = files(&[&below], &[".rs"]).into_iter();
    let mut texts: BTreeMap<Module, String> = paths
        .filter(|path| !path.ends_with("main.rs"))
        .map(|path| (module(&folder, &path), code(&read(&path))))
        .collect();
    // a file of tests may use what it likes
    let tests: Vec<Module> = texts.iter().flat_map(|(m, text)| tests(m, text)).collect();
    texts.retain(|module, _| !tests.iter().any(|test| module.starts_with(test)));
    let own = |(module, text): (&Module, &String)| {
        let children = texts.keys().filter(|file| {
            let parent = file.split_last().map(|(_, parent)| parent);
            parent == Some(module.as_slice())
        });
        let children: Vec<&str> = children
            .filter_map(|file| file.last())
            .map(|n| n.as_str())
            .collect();
        (module.clone(), of_text(text, module, &children))
    };
    texts.iter().map(own).collect()
}

/// What the file of a module with these children takes from others.
fn of_text(text: &str, module: &Module, children: &[&str]) -> Imports {
    let (mut paths, mut names) = (Vec::new(), BTreeMap::new());
    let mut rest = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let (shared, after) = visibility(line.trim_start());
        let Some(declared) = after.strip_prefix("use ") else {
            rest.extend([line, "\n"]);
            continue;
        };
        let mut declared = declared.to_owned();
        while !declared.contains(';') {
            let Some(line) = lines.next() else { break };
            declared.extend(["\n", line]);
        }
        let mut found = Vec::new();
        match start(&declared, module, children) {
            Some((base, rest)) => {
                tree(&base, rest, &mut found);
                if !shared {
                    paths.extend(found.iter().map(|(path, _)| path.clone()));
                }
            }
            None => {
                tree(&vec![OTHER.to_owned()], &declared, &mut found);
            }
        }
        names.extend(found.into_iter().map(|(path, name)| (name, path)));
    }
    let mut found = Vec::new();
    for (at, _) in rest.match_indices("::") {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let first = rest[..at].rfind(|c| !is_name(c)).map_or(0, |last| last + 1);
        let before = rest[..first].chars().next_back();
        // `a::super::b` is read from its first word on, `$crate::` where the macro is used
        if before.is_none_or(|c| !":$.\"".contains(c))
            && let Some((base, rest)) = start(&rest[first..], module, children)
        {
            tree(&base, rest, &mut found);
        }
    }
    paths.extend(found.into_iter().map(|(path, _)| path));
    Imports { paths, names }
}

/// True and the rest of the line if it begins with `pub`.
fn visibility(line: &str) -> (bool, &str) {
    let Some(rest) = line.strip_prefix("pub") else {
        return (false, line);
    };
    let rest = match rest.strip_prefix('(') {
        Some(rest) => rest.split_once(')').map_or(rest, |(_, rest)| rest),
        None => rest,
    };
    (true, rest.trim_start())
}

/// Where a path of the crate begins, and what follows; `None` if it begins elsewhere.
fn start<'t>(text: &'t str, module: &Module, children: &[&str]) -> Option<(Module, &'t str)> {
    if let Some(rest) = text.strip_prefix("crate::") {
        return Some((Vec::new(), rest));
    }
    let mut base = module.clone();
    let mut rest = text.strip_prefix("self::").unwrap_or(text);
    while let Some(up) = rest.strip_prefix("super::") {
        base.pop();
        rest = up;
    }
    let name = text.split("::").next().unwrap_or_default();
    (rest.len() < text.len() || children.contains(&name)).then_some((base, rest))
}

/// The module that a file holds.
fn module(folder: &Path, path: &Path) -> Module {
    let inner = path.strip_prefix(folder).expect("a file of the crate");
    let inner = inner.with_extension("");
    let mut names: Module = inner.iter().map(|n| n.to_string_lossy().into()).collect();
    if names.last().is_some_and(|n| n == "mod") || names == ["lib"] {
        names.pop();
    }
    names
}

/// The text without comments and without the module of tests at its end.
fn code(text: &str) -> String {
    let lines = text.lines().map(|l| l.split("//").next().unwrap_or(""));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    let end = text.match_indices("#[cfg(test)]").find(|(at, _)| {
        let next = text[*at..].lines().find(|line| !line.starts_with("#["));
        next.is_some_and(|line| line.starts_with("mod ") && line.ends_with('{'))
    });
    text[..end.map_or(text.len(), |(at, _)| at)].to_owned()
}

/// The files that a module declares for tests only.
fn tests(module: &Module, text: &str) -> Vec<Module> {
    let mut lines = text.lines().skip_while(|line| *line != "#[cfg(test)]");
    let mut found = Vec::new();
    while lines.next().is_some() {
        let line = lines
            .next()
            .unwrap_or_default()
            .trim_start_matches("pub(crate) ");
        if let Some(name) = line.strip_prefix("mod ").and_then(|l| l.strip_suffix(';')) {
            found.push([module.clone(), vec![name.to_owned()]].concat());
        }
        while lines
            .clone()
            .next()
            .is_some_and(|line| line != "#[cfg(test)]")
        {
            lines.next();
        }
    }
    found
}

/// Reads a path or a group of paths below `base`, each with the name that it brings into scope, and
/// returns what follows.
fn tree<'t>(base: &Module, text: &'t str, found: &mut Vec<(Module, String)>) -> &'t str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = rest.trim_start_matches([',', ' ', '\n']);
            if let Some(after) = rest.strip_prefix('}') {
                return after;
            }
            let after = tree(base, rest, found);
            if after.len() == rest.len() {
                return rest;
            }
            rest = after;
        }
    }
    let letter = |c: char| c.is_alphanumeric() || c == '_' || c == '*';
    let end = text.find(|c| !letter(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let mut path = base.clone();
    if name != "self" && !name.is_empty() {
        path.push(name.to_owned());
    }
    if let Some(rest) = rest.strip_prefix("::")
        && rest.starts_with(|c: char| letter(c) || c == '{')
    {
        return tree(&path, rest, found);
    }
    let (name, rest) = match rest.strip_prefix(" as ") {
        Some(alias) => alias.split_at(alias.find(|c| !letter(c)).unwrap_or(alias.len())),
        None => (path.last().map_or("", String::as_str), rest),
    };
    found.push((path.clone(), name.to_owned()));
    rest
}

#[test]
fn names_are_followed_to_the_files_that_define_them() {
    let file = |path: &str, text: &str, children: &[&str]| {
        let module: Module = path
            .split("::")
            .filter(|n| !n.is_empty())
            .map(str::to_owned)
            .collect();
        let own = of_text(text, &module, children);
        (module, own)
    };
    let all = BTreeMap::from([
        file(
            "",
            "mod a;\npub use a::{B, inner::C as D};\nuse std::fmt;\n",
            &["a"],
        ),
        file(
            "a",
            "mod inner;\nuse crate::D;\nfn f() { inner::g(); }\n",
            &["inner"],
        ),
        file(
            "a::inner",
            "use super::{f, Vec as List};\nuse crate::fmt;\n",
            &[],
        ),
    ]);
    let found = arrows(&all);
    let names = |module: &str| -> Vec<String> {
        let module: Module = module
            .split("::")
            .filter(|n| !n.is_empty())
            .map(str::to_owned)
            .collect();
        found[&module].iter().map(|file| file.join("::")).collect()
    };
    // a re-export is no import
    assert_eq!(names(""), Vec::<String>::new());
    assert_eq!(names("a"), ["a::inner"]);
    assert_eq!(names("a::inner"), ["a"]);
    assert!(reached(&found, &vec!["a".to_owned()]).contains(&vec!["a".to_owned()]));
}
