//! The program that a name stands for: `cmd:WORDS…`, `py:MODULE:NAME` or `peer:NAME/SOLVER`.

use std::path::PathBuf;
use std::sync::OnceLock;

use delassus_core::registry::Solvers;
use delassus_core::{Category, EntryError, MemoryLimit, ProcessFault};

use crate::hello::is_name;
use crate::peer_file::{self, PEER_FILE, PeerFile};
use crate::words::words;

/// What the name of a solver begins with that is a command line.
pub const COMMAND: &str = "cmd:";
/// What the name of a solver begins with that is a class or function of Python.
pub const PYTHON: &str = "py:";
/// What the name of a solver begins with that is one of a peer with a [`PeerFile`].
pub const PEER: &str = "peer:";

/// Time until the hello of a command \[s\].
const HELLO: f64 = 60.0;
/// Address space of the process of a command \[B\].
const SPACE: u64 = 16 << 30;

/// The interpreter of solvers in Python, where this program lies in one.
static INTERPRETER: OnceLock<String> = OnceLock::new();

/// Says once per process which interpreter has the package `delassus`; later calls change nothing.
/// Without a call it is `python3`.
pub fn set_interpreter(program: impl Into<String>) {
    INTERPRETER.get_or_init(|| program.into());
}

/// A program that may be started.
#[derive(Debug, Clone, PartialEq)]
pub struct PeerProgram {
    /// What it is named in messages, and what tells it from others: `peer:NAME`, or the command.
    pub name: String,
    /// The words of its command, the program first.
    pub words: Vec<String>,
    /// Where it runs; `None` for the current folder.
    pub folder: Option<PathBuf>,
    /// Time until its hello \[s\].
    pub hello_seconds: f64,
    /// Address space of its process \[B\].
    pub address_space: u64,
}

/// The name of a solver in a process, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProcessName {
    /// `peer:NAME/SOLVER`.
    Peer {
        /// The peer.
        peer: String,
        /// Its solver.
        solver: String,
    },
    /// `cmd:WORDS… [#SOLVER]`.
    Command {
        /// The words.
        words: Vec<String>,
        /// The solver, where it is named.
        solver: Option<String>,
    },
    /// `py:MODULE:NAME`, a solver that the Python package `delassus` runs.
    Python {
        /// `MODULE:NAME`.
        object: String,
    },
}

/// True if `name` is that of a solver in a process.
pub fn is_process(name: &str) -> bool {
    let name = name.trim_start();
    [COMMAND, PYTHON, PEER]
        .iter()
        .any(|begin| name.starts_with(begin))
}

/// True for `MODULE:NAME`, both with dots between words of letters, digits and `_`.
fn is_object(text: &str) -> bool {
    let word = |word: &str| {
        let begins = |c: char| c.is_alphabetic() || c == '_';
        word.starts_with(begins) && word.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let path = |path: &str| path.split('.').all(word);
    text.split_once(':')
        .is_some_and(|(module, name)| path(module) && path(name))
}

/// How to write the name of a solver of a peer; `rest` follows [`PEER`].
fn with_solver(rest: &str) -> String {
    let folder = is_name(rest).then(|| peer_file::folder(rest, PEER_FILE).ok());
    let file = folder.flatten().map(|folder| PeerFile::read(&folder));
    match file {
        Some(Ok(file)) => format!(
            "write {PEER}{rest}/SOLVER, as {PEER}{rest}/{}; it has {}",
            file.solvers[0],
            file.solvers.join(", ")
        ),
        _ => "write peer:NAME/SOLVER, as peer:pin/admm".to_owned(),
    }
}

/// The error of a name.
pub(crate) fn refused(id: &str, fault: ProcessFault) -> EntryError {
    EntryError::Process {
        kind: Solvers::NAME,
        id: id.to_owned(),
        fault,
    }
}

impl ProcessName {
    /// Takes a name apart.
    ///
    /// # Errors
    /// How to write it.
    pub fn parse(name: &str) -> Result<Self, EntryError> {
        let refuse = |what: &str| Err(refused(name, ProcessFault::Name(what.to_owned())));
        let trimmed = name.trim();
        if let Some(rest) = trimmed.strip_prefix(PEER) {
            return match rest.split_once('/') {
                Some((peer, solver)) if is_name(peer) && is_name(solver) => Ok(Self::Peer {
                    peer: peer.to_owned(),
                    solver: solver.to_owned(),
                }),
                _ => refuse(&with_solver(rest)),
            };
        }
        if let Some(object) = trimmed.strip_prefix(PYTHON) {
            return match is_object(object) {
                true => Ok(Self::Python {
                    object: object.to_owned(),
                }),
                false => refuse("write py:MODULE:CLASS, as py:my_solver:Mine"),
            };
        }
        let Some(rest) = trimmed.strip_prefix(COMMAND) else {
            return refuse("write peer:NAME/SOLVER, py:MODULE:CLASS or cmd:COMMAND");
        };
        let mut words = match words(rest) {
            Ok(words) => words,
            Err(fault) => return refuse(&fault),
        };
        let solver = words.last().and_then(|word| word.strip_prefix('#'));
        let solver = solver.filter(|name| is_name(name)).map(str::to_owned);
        if solver.is_some() {
            words.pop();
        }
        if words.is_empty() {
            return refuse("write cmd: and a command, as cmd:python3 my_solver.py");
        }
        Ok(Self::Command { words, solver })
    }

    /// The solver that it names.
    pub fn solver(&self) -> Option<&str> {
        match self {
            Self::Peer { solver, .. } => Some(solver),
            Self::Command { solver, .. } => solver.as_deref(),
            Self::Python { .. } => None,
        }
    }

    /// The program that it names, with its file for a peer.
    ///
    /// # Errors
    /// Why there is none.
    pub fn program(&self) -> Result<(PeerProgram, Option<PeerFile>), String> {
        match self {
            Self::Peer { peer, .. } => {
                let file = PeerFile::read(&peer_file::folder(peer, PEER_FILE)?)?;
                Ok((PeerProgram::of_file(&file)?, Some(file)))
            }
            Self::Command { words, .. } => Ok((PeerProgram::of_words(words.clone()), None)),
            Self::Python { object } => Ok((PeerProgram::of_python(object), None)),
        }
    }
}

impl PeerProgram {
    /// The program of a command.
    pub fn of_words(words: Vec<String>) -> Self {
        Self {
            name: format!("{COMMAND}{}", words.join(" ")),
            words,
            folder: None,
            hello_seconds: HELLO,
            address_space: SPACE,
        }
    }

    /// The interpreter with a solver in Python.
    fn of_python(object: &str) -> Self {
        let interpreter = INTERPRETER.get().map_or("python3", String::as_str);
        let words = [interpreter, "-m", "delassus.peer", object];
        Self {
            name: format!("{PYTHON}{object}"),
            ..Self::of_words(words.map(str::to_owned).to_vec())
        }
    }

    /// The program of a peer.
    ///
    /// # Errors
    /// No interpreter for it.
    pub fn of_file(file: &PeerFile) -> Result<Self, String> {
        let space = file.address_space.parse::<MemoryLimit>();
        Ok(Self {
            name: format!("{PEER}{}", file.name),
            words: file.words()?,
            folder: Some(file.folder.clone()),
            hello_seconds: file.hello_s,
            address_space: space.map_or(SPACE, MemoryLimit::bytes),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        let peer = ProcessName::parse(" peer:pin/admm ").unwrap();
        assert_eq!(peer.solver(), Some("admm"));
        let command = ProcessName::parse("cmd:python3 'my solver.py' #fast").unwrap();
        let words = vec!["python3".to_owned(), "my solver.py".to_owned()];
        let solver = Some("fast".to_owned());
        assert_eq!(command, ProcessName::Command { words, solver });
        let plain = ProcessName::parse("cmd:a b#c").unwrap();
        assert_eq!(plain.solver(), None);
        for wrong in [
            "peer:pin",
            "peer:../x/y",
            "peer:/",
            "cmd:",
            "cmd: #x",
            "cmd:'a",
            "py:mine",
            "py:mine:",
            "py:a b:C",
            "py:a:C;d",
            "pgs",
        ] {
            let error = ProcessName::parse(wrong).unwrap_err().to_string();
            assert!(error.contains(wrong), "{error}");
        }
        assert!(is_process("cmd:x") && is_process(" peer:a/b") && !is_process("pgs"));
        let (python, _) = ProcessName::parse("py:own.gs:Mine")
            .unwrap()
            .program()
            .unwrap();
        assert_eq!(
            python.words,
            ["python3", "-m", "delassus.peer", "own.gs:Mine"]
        );
        assert_eq!(python.name, "py:own.gs:Mine");
    }
}
