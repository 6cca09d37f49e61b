//! Files of a crate do not import each other in circles, apart from a module and what lies below
//! it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::workspace::{files, read, root};

/// The name of a module in its crate, root first.
type Module = Vec<String>;

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
    for name in names.iter().filter(|name| *name != "peers") {
        let imports = imports(name);
        let found: Vec<String> = imports
            .keys()
            .filter(|module| reached(&imports, module).contains(*module))
            .map(|module| module.join("::"))
            .collect();
        assert!(found.is_empty(), "circles of imports in {name}: {found:?}");
    }
}

/// Everything that a module imports, directly or through others.
fn reached<'i>(
    imports: &'i BTreeMap<Module, BTreeSet<Module>>,
    module: &'i Module,
) -> BTreeSet<&'i Module> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&Module> = vec![module];
    while let Some(next) = open.pop() {
        for used in &imports[next] {
            if reached.insert(used) {
                open.push(used);
            }
        }
    }
    reached
}

/// What each file of a crate imports of the others, apart from modules above and below it.
fn imports(name: &str) -> BTreeMap<Module, BTreeSet<Module>> {
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
    let known: BTreeSet<&Module> = texts.keys().collect();
    let own = |(module, text): (&Module, &String)| {
        let others = paths_in(text, module).into_iter();
        let others = others.filter_map(|path| {
            let file = (0..=path.len()).rev().map(|n| path[..n].to_vec());
            let file = file.into_iter().find(|file| known.contains(file))?;
            let family = file.starts_with(module) || module.starts_with(&file);
            (!family).then_some(file)
        });
        (module.clone(), others.collect())
    };
    texts.iter().map(own).collect()
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

/// Every path that begins with `crate` or `super`, from the root of the crate.
fn paths_in(text: &str, module: &Module) -> Vec<Module> {
    let mut found = Vec::new();
    for start in ["crate::", "super::"] {
        for (at, _) in text.match_indices(start) {
            let before = text[..at].chars().next_back();
            // `super::super::` is read from its first word on, `$crate::` where the macro is used
            if before.is_some_and(|c| c.is_alphanumeric() || "_:$".contains(c)) {
                continue;
            }
            let mut rest = &text[at..];
            let mut base = if start == "crate::" {
                rest = &rest[start.len()..];
                Vec::new()
            } else {
                module.clone()
            };
            while let Some(up) = rest.strip_prefix("super::") {
                base.pop();
                rest = up;
            }
            tree(&base, rest, &mut found);
        }
    }
    found
}

/// Reads a path or a group of paths below `base` and returns what follows.
fn tree<'t>(base: &Module, text: &'t str, found: &mut Vec<Module>) -> &'t str {
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
    found.push(path);
    match rest.strip_prefix(" as ") {
        Some(alias) => alias.trim_start_matches(letter),
        None => rest,
    }
}
