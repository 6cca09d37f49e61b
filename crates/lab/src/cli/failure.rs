//! How the program ends when it does not simply finish.

use std::fmt::Display;
use std::path::Path;

use delassus_core::{EntryError, ProcessFault};

use super::diagnostic::{print_diagnostic, printable};
use super::interrupt;

/// Everything that ends a verb early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The request was wrong: exit code 2. What, where, what to do.
    Request(String),
    /// Nothing was asked for: the help, and exit code 2.
    Help(String),
    /// Something failed while it ran: exit code 1.
    Run(String),
    /// Another process has the results folder, or a file of it cannot be written: exit code 3.
    Store(String),
    /// This machine lacks what was asked for: exit code 4.
    Missing(String),
    /// A number is not what a spec asserts: exit code 5.
    Gate(String),
    /// Something is not as it was recorded: exit code 6.
    Mismatch(String),
    /// Data are as recorded, and another version drew tables or figures otherwise: exit code 7.
    Redrawn(String),
    /// The user pressed Ctrl-C, or a signal came: exit code 128 and its number.
    Interrupted(String),
    /// Whoever read standard output has gone away: exit code 0, without a word.
    ClosedPipe,
}

impl Failure {
    pub(crate) fn request(message: impl Into<String>) -> Self {
        Self::Request(message.into())
    }

    /// An entry of the registry that cannot be had: a program that is not on this machine has an
    /// exit code of its own.
    pub(crate) fn of_entry(error: &EntryError) -> Self {
        let text = printable(&error.to_string());
        match error {
            EntryError::Process {
                fault: ProcessFault::Absent(_),
                ..
            } => Self::Missing(text),
            _ => Self::Request(text),
        }
    }

    pub(crate) fn run(message: impl Into<String>) -> Self {
        Self::Run(message.into())
    }

    /// A file that cannot be written, whatever it is for: the disk is full, the folder is not the
    /// user's.
    pub(crate) fn unwritten(path: &Path, error: &dyn Display) -> Self {
        let shown = printable(&path.to_string_lossy());
        Self::Store(format!("cannot write {shown}: {error}"))
    }

    /// Says what happened on standard error and gives the exit code.
    pub(crate) fn report(self) -> u8 {
        if interrupt::is_ending() {
            return interrupt::exit_code();
        }
        let (code, text) = match self {
            Self::Request(message) => (2, format!("error: {message}")),
            Self::Help(text) => (2, text.trim_end().to_owned()),
            Self::Run(message) => (1, format!("error: {message}")),
            Self::Store(message) => (3, format!("error: {message}")),
            Self::Missing(message) => (4, format!("error: {message}")),
            Self::Gate(message) => (5, format!("error: {message}")),
            Self::Mismatch(message) => (6, format!("error: {message}")),
            Self::Redrawn(message) => (7, message),
            Self::Interrupted(message) => (interrupt::exit_code(), message),
            Self::ClosedPipe => return 0,
        };
        print_diagnostic(&text);
        code
    }
}
