//! The program that a name stands for: `engine:NAME` or `engine-cmd:WORDS…`.

use delassus_core::{Category, ENGINE, ENGINE_COMMAND as COMMAND, EntryError, ProcessFault};
use delassus_dynamics::Schemes;
use delassus_solver_process::{ENGINE_FILE, PeerFile, PeerProgram, is_name, peer_folder, words};

/// The name of an engine, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EngineName {
    /// `engine:NAME`.
    Engine(String),
    /// `engine-cmd:WORDS…`.
    Command(Vec<String>),
}

/// The error of a name.
pub(crate) fn refused(id: &str, fault: ProcessFault) -> EntryError {
    EntryError::Process {
        kind: Schemes::NAME,
        id: id.to_owned(),
        fault,
    }
}

impl EngineName {
    /// Takes a name apart.
    ///
    /// # Errors
    /// How to write it.
    pub fn parse(name: &str) -> Result<Self, EntryError> {
        let refuse = |what: &str| Err(refused(name, ProcessFault::Name(what.to_owned())));
        let trimmed = name.trim();
        if let Some(engine) = trimmed.strip_prefix(ENGINE) {
            return match is_name(engine) {
                true => Ok(Self::Engine(engine.to_owned())),
                false => refuse("write engine:NAME, as engine:mujoco"),
            };
        }
        let Some(rest) = trimmed.strip_prefix(COMMAND) else {
            return refuse("write engine:NAME or engine-cmd:COMMAND");
        };
        match words(rest) {
            Err(fault) => refuse(&fault),
            Ok(words) if words.is_empty() => {
                refuse("write engine-cmd: and a command, as engine-cmd:python3 my_engine.py")
            }
            Ok(words) => Ok(Self::Command(words)),
        }
    }

    /// The file of an engine, where it has one.
    ///
    /// # Errors
    /// Where it was looked for, or what is wrong with it.
    pub fn file(&self) -> Result<Option<PeerFile>, String> {
        match self {
            Self::Engine(name) => {
                PeerFile::read_as(&peer_folder(name, ENGINE_FILE)?, ENGINE_FILE).map(Some)
            }
            Self::Command(_) => Ok(None),
        }
    }

    /// The program, whose file is `file`.
    ///
    /// # Errors
    /// No interpreter for it.
    pub fn program(&self, file: Option<&PeerFile>) -> Result<PeerProgram, String> {
        let (program, name) = match (self, file) {
            (Self::Command(words), _) => (
                PeerProgram::of_words(words.clone()),
                format!("{COMMAND}{}", words.join(" ")),
            ),
            (Self::Engine(name), Some(file)) => {
                (PeerProgram::of_file(file)?, format!("{ENGINE}{name}"))
            }
            (Self::Engine(name), None) => return Err(format!("{name} has no file")),
        };
        Ok(PeerProgram { name, ..program })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        let engine = EngineName::parse(" engine:ode ").unwrap();
        assert_eq!(engine, EngineName::Engine("ode".to_owned()));
        let command = EngineName::parse("engine-cmd:python3 'my engine.py'").unwrap();
        let words = vec!["python3".to_owned(), "my engine.py".to_owned()];
        assert_eq!(command, EngineName::Command(words));
        for wrong in [
            "engine:",
            "engine:../ode",
            "engine:ode/quick",
            "engine-cmd:",
            "engine-cmd:'a",
            "xpbd",
        ] {
            let error = EngineName::parse(wrong).unwrap_err().to_string();
            assert!(
                error.starts_with("scheme ") && error.contains(wrong),
                "{error}"
            );
        }
    }
}
