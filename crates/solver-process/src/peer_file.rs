//! `peer.toml`: how a peer is started, and what to say where it is not there.

use std::path::{Path, PathBuf};

use delassus_core::MemoryLimit;
use delassus_core::file_kind::read_at_most;
use delassus_core::suggest::nearest;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Name of the file in the folder of a peer.
pub const PEER_FILE: &str = "peer.toml";
/// Name of the file of an engine (docs/engines.md), which may stand next to that of a peer.
pub const ENGINE_FILE: &str = "engine.toml";
/// Variable with folders of peers, separated as in PATH.
pub const PEERS: &str = "DELASSUS_PEERS";
/// Variable with the virtual environment that peers in Python are installed in.
pub const VENV: &str = "DELASSUS_PEERS_VENV";
/// Stands in a command for the interpreter.
const PYTHON: &str = "{python}";
/// Stands in an install line for the virtual environment that all peers share.
const ENVIRONMENT: &str = "{venv}";
/// Stands in an install line for the folder of the peer.
const FOLDER: &str = "{folder}";
/// Longest file that is read \[B\].
const MOST: u64 = 1 << 20;
/// Folder of peers in the source of this program.
const SOURCES: &str = "crates/peers";

/// A peer as its file describes it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PeerFile {
    /// Name of the peer and of its folder.
    pub name: String,
    /// Name and version for people.
    pub title: String,
    /// What it is, on one line.
    pub summary: String,
    /// Licence of what it calls.
    pub licence: String,
    /// Its page.
    pub homepage: Option<String>,
    /// A line for a shell that installs it, with `{venv}` and `{folder}` for where it goes. What
    /// [`Self::install_command`] makes of it is printed and never run.
    install: String,
    /// Words of its command.
    pub command: Vec<String>,
    /// Interpreters in the order in which they are tried.
    #[serde(default = "interpreters")]
    pub python: Vec<String>,
    /// Time until its hello \[s\].
    #[serde(default = "minute")]
    pub hello_s: f64,
    /// Address space of its process, as "16 GiB".
    #[serde(default = "space")]
    pub address_space: String,
    /// Names of its solvers; none of an engine.
    #[serde(default)]
    pub solvers: Vec<String>,
    /// Parameters that specs may set where the peer is not there, with their defaults.
    #[serde(default)]
    pub parameters: Map<String, Value>,
    /// Its folder.
    #[serde(skip)]
    pub folder: PathBuf,
}

fn interpreters() -> Vec<String> {
    ["venv", ".venv/bin/python", "../.venv/bin/python", "python3"]
        .map(str::to_owned)
        .to_vec()
}

fn minute() -> f64 {
    60.0
}

fn space() -> String {
    "16 GiB".to_owned()
}

impl PeerFile {
    /// Reads the file of the peer in `folder`.
    ///
    /// # Errors
    /// The file and what is wrong with it.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let file = Self::read_as(folder, PEER_FILE)?;
        match file.solvers.is_empty() {
            true => Err(format!(
                "{}: solvers is empty",
                folder.join(PEER_FILE).display()
            )),
            false => Ok(file),
        }
    }

    /// Reads a file of this form under another name, [`ENGINE_FILE`].
    ///
    /// # Errors
    /// The file and what is wrong with it.
    pub fn read_as(folder: &Path, name: &str) -> Result<Self, String> {
        let path = folder.join(name);
        let shown = path.display();
        let bytes = read_at_most(&path, MOST).map_err(|error| format!("{shown}: {error}"))?;
        if bytes.len() as u64 > MOST {
            return Err(format!("{shown}: longer than {MOST} bytes"));
        }
        let text = String::from_utf8(bytes).map_err(|error| format!("{shown}: {error}"))?;
        let file = toml::from_str::<Self>(&text).map_err(|error| format!("{shown}: {error}"))?;
        let name = folder.file_name().map(|name| name.to_string_lossy());
        let wrong = if name.as_deref() != Some(file.name.as_str()) {
            "name must be that of the folder"
        } else if file.command.is_empty() {
            "command is empty"
        } else if !(file.hello_s > 0.0 && file.hello_s <= 3600.0) {
            "hello_s must lie in (0, 3600]"
        } else if file.address_space.parse::<MemoryLimit>().is_err() {
            "address_space must be an amount of memory, as \"16 GiB\""
        } else {
            let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
            return Ok(Self { folder, ..file });
        };
        Err(format!("{shown}: {wrong}"))
    }

    /// The line for a shell that installs the peer where [`Self::words`] looks for it, from the
    /// current folder.
    pub fn install_command(&self) -> String {
        let shared = || self.folder.parent().map(|peers| peers.join(".venv"));
        let given = std::env::var_os(VENV).map(PathBuf::from);
        let environment = given.or_else(shared).unwrap_or_default();
        let line = self.install.replace(ENVIRONMENT, &in_shell(&environment));
        line.replace(FOLDER, &in_shell(&self.folder))
    }

    /// The end of a message that says how to get it.
    pub fn install_line(&self) -> String {
        format!("; to install it: {}", self.install_command())
    }

    /// The error about a solver that the file does not list.
    pub(crate) fn misspelt(&self, solver: &str) -> Option<String> {
        let listed = self.solvers.iter().any(|own| own == solver);
        let names = self.solvers.iter().map(String::as_str);
        (!listed).then(|| no_solver(&self.name, solver, names))
    }

    /// The words of the command, the program first.
    ///
    /// # Errors
    /// The interpreters that were looked for.
    pub fn words(&self) -> Result<Vec<String>, String> {
        let mut words = self.command.clone();
        if words[0] == PYTHON {
            let found = self.python.iter().find_map(|entry| self.interpreter(entry));
            words[0] = found.ok_or_else(|| {
                format!(
                    "none of its interpreters is there: {}",
                    self.python.join(", ")
                )
            })?;
        } else if words[0].contains('/') {
            words[0] = self.folder.join(&words[0]).to_string_lossy().into_owned();
        }
        Ok(words)
    }

    /// The path of an interpreter that exists.
    fn interpreter(&self, entry: &str) -> Option<String> {
        let path = match entry {
            // the process starts in the folder of the peer
            "venv" => std::path::absolute(std::env::var_os(VENV)?)
                .ok()?
                .join("bin/python"),
            _ if entry.contains('/') => self.folder.join(entry),
            _ => {
                let path = std::env::var_os("PATH")?;
                let mut folders = std::env::split_paths(&path).map(|folder| folder.join(entry));
                folders.find(|path| path.is_file())?
            }
        };
        path.is_file().then(|| path.to_string_lossy().into_owned())
    }
}

/// Folders with peers: those of [`PEERS`], then `crates/peers` in the current folder and in those
/// above the program.
pub fn roots() -> Vec<PathBuf> {
    let given = std::env::var_os(PEERS);
    let given = given.iter().flat_map(|paths| std::env::split_paths(paths));
    let program = std::env::current_exe().unwrap_or_default();
    let above = program.ancestors().skip(1).map(Path::to_owned);
    let own = std::env::current_dir().into_iter().chain(above);
    let own = own.map(|folder| folder.join(SOURCES));
    let mut roots: Vec<PathBuf> = Vec::new();
    for root in given.chain(own) {
        if root.is_dir() && !roots.contains(&root) {
            roots.push(root);
        }
    }
    roots
}

/// True if something in `folder` has the name `file`: who reads it says what is no file.
fn is_there(folder: &Path, file: &str) -> bool {
    std::fs::symlink_metadata(folder.join(file)).is_ok()
}

/// The folder of the peer or engine of this name, which has the file `file`.
///
/// # Errors
/// Where it was looked for.
pub fn folder(name: &str, file: &str) -> Result<PathBuf, String> {
    let roots = roots();
    let mut folders = roots.iter().map(|root| root.join(name));
    folders
        .find(|folder| is_there(folder, file))
        .ok_or_else(|| {
            let list = match file {
                ENGINE_FILE => "engines",
                _ => "peers",
            };
            match roots.is_empty() {
                true => no_folder(),
                false => format!(
                    "no {name}/{file} in {}; `delassus list {list}` names those that are there",
                    shown(&roots)
                ),
            }
        })
}

/// Why there is no peer at all: where folders of peers were looked for, and how to get one.
pub fn no_folder() -> String {
    let get = format!(
        "peers come with the source of Delassus: work in its folder, or set {PEERS} to its {SOURCES}"
    );
    let given = std::env::var_os(PEERS).unwrap_or_default();
    let given = std::env::split_paths(&given);
    let given: Vec<PathBuf> = given.filter(|path| path != Path::new("")).collect();
    let variable = match given.is_empty() {
        true => "is not set".to_owned(),
        false => format!("names {}, which is no folder", shown(&given)),
    };
    format!(
        "no folder of peers is here: {PEERS} {variable}, and there is no {SOURCES} in the current folder \
         or above the program; {get} (docs/peers.md)"
    )
}

/// The error about a solver that a peer does not have.
pub(crate) fn no_solver<'a>(
    peer: &str,
    solver: &str,
    known: impl Iterator<Item = &'a str>,
) -> String {
    let known: Vec<&str> = known.collect();
    let all = known.join(", ");
    match nearest(solver, known.iter().copied()) {
        Some(close) => {
            format!("{peer} has no solver {solver:?}; did you mean {close:?}? It has {all}")
        }
        None => format!("{peer} has no solver {solver:?}; it has {all}"),
    }
}

/// Paths for a message.
fn shown(paths: &[PathBuf]) -> String {
    let paths: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
    paths.join(", ")
}

/// A path as a word of a shell: from the current folder where it lies in that.
fn in_shell(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let inside = path.strip_prefix(&here);
    let inside = inside.ok().filter(|inside| *inside != Path::new(""));
    let text = inside.unwrap_or(path).to_string_lossy().into_owned();
    let plain = |c: char| c.is_alphanumeric() || "/._-+@".contains(c);
    match text.chars().all(plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// Names of the folders of peers or engines that have the file `file`, in order.
pub(crate) fn names(file: &str) -> Vec<String> {
    let listed = listed(file, |folder| PeerFile::read_as(folder, file));
    listed.into_iter().map(|(name, _)| name).collect()
}

/// A peer or an engine by name; a file that cannot be read says why.
pub type ListedFile = (String, Result<PeerFile, String>);

/// Every peer, by name.
pub fn all() -> Vec<ListedFile> {
    listed(PEER_FILE, PeerFile::read)
}

/// Every engine, by name.
pub fn engines() -> Vec<ListedFile> {
    listed(ENGINE_FILE, |folder| PeerFile::read_as(folder, ENGINE_FILE))
}

fn listed(file: &str, read: impl Fn(&Path) -> Result<PeerFile, String>) -> Vec<ListedFile> {
    let mut found: Vec<(String, Result<PeerFile, String>)> = Vec::new();
    for root in roots() {
        let entries = std::fs::read_dir(&root).into_iter().flatten().flatten();
        for folder in entries.map(|entry| entry.path()) {
            let name = folder.file_name().unwrap_or_default();
            let name = name.to_string_lossy().into_owned();
            let known = found.iter().any(|(other, _)| *other == name);
            if !known && is_there(&folder, file) {
                found.push((name, read(&folder)));
            }
        }
    }
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found
}
