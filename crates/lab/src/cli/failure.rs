//! How the program ends when it does not simply finish.

use std::process::ExitCode;

use super::talk::talk;

/// Everything that ends a verb early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The request was wrong: exit code 2. What, where, what to do.
    Request(String),
    /// Nothing was asked for: the help, and exit code 2.
    Help(String),
    /// Something failed while it ran: exit code 1.
    Run(String),
    /// Another process has the results folder: exit code 3.
    Busy(String),
    /// The user pressed Ctrl-C: exit code 130.
    Interrupted(String),
    /// Whoever read standard output has gone away: exit code 0, without a word.
    ClosedPipe,
}

impl Failure {
    pub(crate) fn request(message: impl Into<String>) -> Self {
        Self::Request(message.into())
    }

    pub(crate) fn run(message: impl Into<String>) -> Self {
        Self::Run(message.into())
    }

    /// Says what happened on standard error and gives the exit code.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            Self::Request(message) => {
                talk(&format!("error: {message}"));
                ExitCode::from(2)
            }
            Self::Help(text) => {
                talk(text.trim_end());
                ExitCode::from(2)
            }
            Self::Run(message) => {
                talk(&format!("error: {message}"));
                ExitCode::from(1)
            }
            Self::Busy(message) => {
                talk(&format!("error: {message}"));
                ExitCode::from(3)
            }
            Self::Interrupted(message) => {
                talk(&message);
                ExitCode::from(130)
            }
            Self::ClosedPipe => ExitCode::SUCCESS,
        }
    }
}

/// `; did you mean "NAME"?`, or nothing.
pub(crate) fn suggestion(nearest: Option<String>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean {name:?}?"))
}
