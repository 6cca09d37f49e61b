//! Every solver, wrapper, scene, constraint and generator that is written is also registered.

use std::path::{Path, PathBuf};

use crate::workspace::{files, read, root};

/// What is registered by naming its type, and how many there are at least \[-\].
const KINDS: &[(&[&str], usize)] = &[
    // iterations, plans, equations and numbers are what methods of one shape differ in
    (
        &[
            "Solver",
            "Method",
            "Iteration",
            "SweepPlan",
            "Equations",
            "JacobiScalar",
        ],
        27,
    ),
    (&["Scene"], 19),
    (&["Constraint"], 24),
    (&["Generator"], 8),
    (&["Wrapper"], 4),
];

/// What visits every system of boxes, and where.
const OF_BOXES: &[(&str, &str)] = &[
    ("BoxProblem", "crates/problems/src/generators.rs"),
    ("BoxWorld", "crates/scenes/src/scenes.rs"),
];

/// Types that are a solver, or a method, for every type of a kind.
const LAYERS: &[&str] = &[
    "Checked",
    "DescentMethod",
    "JacobiMethod",
    "NewtonMethod",
    "SweepMethod",
];

/// A file without its tests.
struct Source {
    path: PathBuf,
    text: String,
}

/// The files of a crate, without what is compiled for tests alone.
fn sources(folder: &str) -> Vec<Source> {
    let is_test = |path: &Path| {
        let path = path.strip_prefix(root()).unwrap_or(path);
        path.iter()
            .any(|part| part == "tests" || part == "tests.rs")
    };
    let paths = files(&[folder], &[".rs"]).into_iter();
    let own = paths.filter(|path| !is_test(path));
    own.map(|path| {
        let text = read(&path);
        let tests = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
        let text = text[..tests].to_owned();
        Source { path, text }
    })
    .collect()
}

/// The text after the generics that it may begin with.
fn after_generics(text: &str) -> &str {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return if at == 0 { text } else { &text[at + 1..] };
        }
    }
    text
}

/// The last part of a path of modules, without generics.
fn name(path: &str) -> &str {
    let plain = path.trim().split(['<', ' ']).next().unwrap_or_default();
    plain.rsplit("::").next().unwrap_or_default()
}

/// The types for which a file implements one of the traits.
fn implementors(text: &str, traits: &[&str]) -> Vec<String> {
    let starts = text.match_indices("impl").map(|(at, _)| at);
    let items = starts.filter(|at| text[..*at].chars().next_back().is_none_or(|c| c == '\n'));
    let headers = items.filter_map(|at| text[at + 4..].split('{').next());
    let found = headers.filter_map(|header| {
        let header = header.split_whitespace().collect::<Vec<_>>().join(" ");
        let (of, ty) = after_generics(&header).split_once(" for ")?;
        traits.contains(&name(of)).then(|| name(ty).to_owned())
    });
    found.collect()
}

/// The solver of a method in a file, or the type itself.
fn registered_as<'a>(text: &'a str, ty: &'a str) -> &'a str {
    let method = LAYERS
        .iter()
        .map(|layer| format!(" = Checked<{layer}<{ty}>>;"));
    let ends: Vec<String> = method.chain([format!(" = Checked<{ty}>;")]).collect();
    let alias = text
        .lines()
        .find_map(|line| ends.iter().find_map(|end| line.strip_suffix(end.as_str())));
    alias.map_or(ty, |alias| alias.rsplit(' ').next().unwrap_or(alias))
}

/// True if one of the texts shows the type to a visitor, makes an entry of it, or names it to a
/// macro that lists constraints or scenes.
fn is_visited(texts: &[&str], ty: &str) -> bool {
    let calls = ["visit::", "entry::", "WrapperEntry::of::"]
        .map(|call| [format!("{call}<{ty}>()"), format!("{call}<{ty}<")]);
    let listed = [format!("::{ty},"), format!("[{ty}<")];
    texts.iter().any(|text| {
        let mut lists = ["\nany_constraint! {", "\nscenes! {"].into_iter();
        let is_listed = |list: &str| {
            let list = text.split_once(list);
            list.is_some_and(|(_, list)| listed.iter().any(|ty| list.contains(ty)))
        };
        calls.as_flattened().iter().any(|call| text.contains(call)) || lists.any(is_listed)
    })
}

/// Implementations that their crate does not visit, and how many there are.
fn unvisited(sources: &[Source], traits: &[&str]) -> (Vec<String>, usize) {
    let texts: Vec<&str> = sources.iter().map(|source| &source.text[..]).collect();
    let mut missing = Vec::new();
    let mut count = 0;
    for Source { path, text } in sources {
        // the outer layers are a solver for every method, and a method for every iteration or plan
        let types = implementors(text, traits).into_iter();
        for ty in types.filter(|ty| !LAYERS.contains(&ty.as_str())) {
            count += 1;
            if !is_visited(&texts, registered_as(text, &ty)) {
                missing.push(format!("{}: {ty} is not visited", path.display()));
            }
        }
    }
    (missing, count)
}

#[test]
fn what_is_written_is_registered() {
    let crates = std::fs::read_dir(root().join("crates")).expect("the crates folder");
    let crates: Vec<String> = crates
        .map(|entry| {
            let folder = entry.expect("an entry").file_name();
            format!("crates/{}/src", folder.to_string_lossy())
        })
        // the folder of other projects is no crate
        .filter(|sources| root().join(sources).is_dir())
        .collect();
    let crates: Vec<Vec<Source>> = crates.iter().map(|folder| sources(folder)).collect();
    for (traits, least) in KINDS {
        let found = crates.iter().map(|sources| unvisited(sources, traits));
        let (missing, counts): (Vec<_>, Vec<_>) = found.unzip();
        assert_eq!(missing.concat(), Vec::<String>::new());
        let count: usize = counts.iter().sum();
        assert!(count >= *least, "only {count} of {traits:?} were found");
    }
}

#[test]
fn systems_of_boxes_are_problems_and_scenes() {
    let sources = sources("crates/systems/src");
    let systems: Vec<String> = sources
        .iter()
        .flat_map(|source| implementors(&source.text, &["BoxSystem"]))
        .collect();
    assert!(systems.len() >= 4, "only {systems:?} were found");
    for (wrapper, list) in OF_BOXES {
        let list = read(&root().join(list));
        for system in &systems {
            let entry = format!("{wrapper}<{system}>");
            assert!(list.contains(&entry), "{system} is no {wrapper}");
        }
    }
}

#[test]
fn what_is_not_visited_is_named() {
    let source = |path: &str, text: &str| Source {
        path: path.into(),
        text: text.to_owned(),
    };
    let sources = [
        source(
            "lib.rs",
            "fn visit() {\n    visitor.visit::<Pgs>();\n    visitor.visit::<Sor>();\n    visitor.visit::<Spg>();\n}\n",
        ),
        source("pgs.rs", "impl delassus_core::Solver for Pgs {}\n"),
        source(
            "lost.rs",
            "impl<T: Into<f64>>\n    Solver for Lost<T>\nwhere\n    T: Copy,\n{}\n",
        ),
        source(
            "sor.rs",
            "pub type Sor = Checked<SorMethod>;\nimpl Method for SorMethod {}\n",
        ),
        source(
            "spg.rs",
            "pub type Spg = Checked<DescentMethod<Spectral>>;\nimpl Iteration for Spectral {}\n",
        ),
        source("rest.rs", "impl Scene for Other {}\nimpl Lost {}\n"),
    ];
    let (missing, count) = unvisited(&sources, &["Solver", "Method", "Iteration"]);
    assert_eq!(count, 4);
    assert_eq!(missing, ["lost.rs: Lost is not visited"]);
}
