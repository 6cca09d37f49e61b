//! `delassus new`: the folder of a paper, with a spec, a solver of one's own and a page.

use std::env;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use delassus_records::disk;
use serde_json::json;

use super::args::NewVerb;
use super::failure::Failure;
use super::output::{Output, printable};
use crate::registry::Registry;
use crate::store::write_atomic;

mod workspace;

/// The name that stands in the files for that of the paper.
const PLACEHOLDER: &str = "my-paper";
/// The files, by their places in the folder.
const FILES: [(&str, &str); 5] = [
    (
        "Cargo.toml",
        include_str!("../../templates/new/Cargo.toml.txt"),
    ),
    ("README.md", include_str!("../../templates/new/README.md")),
    (
        "experiment.toml",
        include_str!("../../templates/new/experiment.toml"),
    ),
    ("src/main.rs", include_str!("../../templates/new/main.rs")),
    (".gitignore", "/target\n/results\n/.cargo/config.toml\n"),
];
/// What the folder of Delassus holds, and no other.
const OWN: &str = "crates/lab/Cargo.toml";
/// Versions of everything that is built, so that the program of tomorrow is that of today.
const LOCK: &str = "Cargo.lock";

/// Settings of cargo on this machine.
const SETTINGS: &str = ".cargo/config.toml";

/// Where the package finds Delassus.
enum Source {
    /// A folder.
    Folder(PathBuf),
    /// A repository.
    Address(String),
}

/// Runs the verb.
pub(crate) fn run(verb: &NewVerb, registry: &Registry, output: &mut Output) -> Result<(), Failure> {
    let folder = &verb.folder;
    let name = checked_name(folder, registry)?;
    let shown = printable(&folder.to_string_lossy());
    if fs::symlink_metadata(folder).is_ok() {
        return Err(Failure::request(format!(
            "{shown}: is there already; take another name"
        )));
    }
    let source = source(verb.delassus.as_deref())?;
    let WrittenPackage { files, member_of } = write(folder, &name, &source)?;
    let next = [
        format!("cd {shown}"),
        "cargo run --release -- run .".to_owned(),
    ];
    if verb.json {
        return output.json(&json!({
            "schema": "new/1",
            "folder": folder.to_string_lossy(),
            "name": name,
            "files": files,
            "member_of": member_of.map(|path| path.to_string_lossy().into_owned()),
            "next": next,
        }));
    }
    for file in files {
        output.line(&format!("{shown}/{file}"))?;
    }
    if let Some(path) = member_of {
        let path = printable(&path.to_string_lossy());
        output.line(&format!("{path}: {name} is a member of this workspace"))?;
    }
    output.line("")?;
    output.line("next")?;
    next.iter()
        .try_for_each(|line| output.line(&format!("  {line}")))
}

/// The files of a package, and the manifest of the workspace that it has joined.
struct WrittenPackage {
    files: Vec<&'static str>,
    member_of: Option<PathBuf>,
}

fn write(folder: &Path, name: &str, source: &Source) -> Result<WrittenPackage, Failure> {
    let root = match source {
        Source::Folder(root) => Some(root.as_path()),
        Source::Address(_) => None,
    };
    // directly inside a checkout, the package shares everything that is compiled there
    let around = root.filter(|root| lies_in(folder, root));
    let joined = around.and_then(|root| Some((root, workspace::with_member(root, name)?)));
    let end = match joined {
        Some(_) => String::new(),
        None => workspace::own(root),
    };
    let mut files = Vec::new();
    for (file, text) in FILES {
        let text = text.replace(PLACEHOLDER, name);
        let mut text = with_source(&text, source, folder);
        if file == workspace::MANIFEST {
            text += &end;
        }
        put(&folder.join(file), text.as_bytes())?;
        files.push(file);
    }
    if joined.is_none()
        && let Some(root) = root
    {
        if let Ok(lock) = disk::read_named(&root.join(LOCK)) {
            put(&folder.join(LOCK), &lock)?;
            files.push(LOCK);
        }
        let target = as_cargo_writes(&seen_from(folder, root).join("target"));
        let settings = workspace::shared_target(&target);
        put(&folder.join(SETTINGS), settings.as_bytes())?;
        files.push(SETTINGS);
    }
    let mut member_of = None;
    if let Some((root, manifest)) = joined {
        // last: a workspace whose member is not there yet builds nothing
        let path = root.join(workspace::MANIFEST);
        put(&path, manifest.as_bytes())?;
        member_of = Some(path);
    }
    Ok(WrittenPackage { files, member_of })
}

/// The name of the folder, which is that of the package and of the solver.
fn checked_name(folder: &Path, registry: &Registry) -> Result<String, Failure> {
    let name = folder
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let refuse = |reason: &str| {
        Failure::request(format!(
            "{}: {reason}; lower-case letters, digits and -, beginning with a letter, as in my-paper",
            printable(&folder.to_string_lossy())
        ))
    };
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let begins = name.starts_with(|c: char| c.is_ascii_lowercase());
    if !begins || name.ends_with('-') || name.len() > 60 || !name.chars().all(plain) {
        return Err(refuse("is no name of a package"));
    }
    // names that cargo refuses, or that would be another package of the build
    let taken = [
        "test",
        "core",
        "std",
        "alloc",
        "main",
        "delassus",
        "build",
        "deps",
        "examples",
        "incremental",
        "target",
        "results",
    ];
    if taken.contains(&name) || name.starts_with("delassus-") || RUST.contains(&name) {
        return Err(refuse("is a name that something else has"));
    }
    if registry.find(name).is_ok() {
        return Err(refuse("is the name of a solver that there is"));
    }
    Ok(name.to_owned())
}

/// Words of the language, which no package may have.
const RUST: [&str; 51] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Where Delassus is: as given, or the checkout around this folder or this program, or the one that
/// this program was built from, if it is still there.
fn source(given: Option<&str>) -> Result<Source, Failure> {
    if let Some(given) = given {
        if given.contains("://") || given.starts_with("git@") {
            return Ok(Source::Address(given.to_owned()));
        }
        let root = Path::new(given);
        return match root.join(OWN).is_file() {
            true => Ok(Source::Folder(root.to_owned())),
            false => Err(Failure::request(format!(
                "--delassus {}: holds no {OWN}; name a checkout of Delassus, or the address of its repository",
                printable(given)
            ))),
        };
    }
    checkout().map(Source::Folder).ok_or_else(|| {
        Failure::request(
            "where is Delassus? Run this in a checkout of it, or name one, or its repository, with --delassus",
        )
    })
}

/// The checkout around this folder or this program, or the one that this program was built from, if
/// it is still there.
pub(crate) fn checkout() -> Option<PathBuf> {
    let built = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let places = [
        env::current_dir().ok(),
        env::current_exe().ok(),
        Some(built),
    ];
    let mut folders = places.iter().flatten().flat_map(|place| place.ancestors());
    let found = folders.find(|folder| folder.join(OWN).is_file());
    found.map(Path::to_owned)
}

/// The text with the place of Delassus as the package writes it.
fn with_source(text: &str, source: &Source, folder: &Path) -> String {
    let of = |part: &str| match source {
        Source::Address(address) => format!("git = {}", workspace::quoted(address)),
        Source::Folder(root) => {
            let path = seen_from(folder, root).join("crates").join(part);
            format!("path = {}", workspace::quoted(&as_cargo_writes(&path)))
        }
    };
    text.replace("SOURCE_CORE", &of("core"))
        .replace("SOURCE_LAB", &of("lab"))
}

/// A path as cargo writes it on every system.
fn as_cargo_writes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// The path without links; the empty path is the current folder.
fn real(path: &Path) -> io::Result<PathBuf> {
    match path.as_os_str().is_empty() {
        true => Path::new(".").canonicalize(),
        false => path.canonicalize(),
    }
}

/// Whether `folder`, which need not exist, lies directly inside `root`.
fn lies_in(folder: &Path, root: &Path) -> bool {
    let parent = folder.parent().unwrap_or(Path::new(""));
    match (real(parent), real(root)) {
        (Ok(parent), Ok(root)) => parent == root,
        _ => false,
    }
}

/// `root` as seen from `folder`, which need not exist: by `..` where it lies inside, otherwise the
/// whole path.
fn seen_from(folder: &Path, root: &Path) -> PathBuf {
    let parent = folder.parent().unwrap_or(Path::new(""));
    // the nearest folder that exists; the empty path is the current folder
    let is_there = |path: &&Path| path.as_os_str().is_empty() || path.exists();
    let there = parent.ancestors().find(is_there).unwrap_or(Path::new(""));
    let made = parent.strip_prefix(there).unwrap_or(Path::new(""));
    let (Ok(from), Ok(root)) = (real(there), real(root)) else {
        return root.to_owned();
    };
    let from = from.join(made);
    match from.strip_prefix(&root) {
        Ok(inside) => {
            let up = inside
                .components()
                .filter(|part| matches!(part, Component::Normal(_)))
                .count();
            (0..=up).map(|_| "..").collect()
        }
        Err(_) => root,
    }
}

fn put(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let written: io::Result<()> = write_atomic(path, bytes);
    written.map_err(|error| Failure::unwritten(path, &error))
}
