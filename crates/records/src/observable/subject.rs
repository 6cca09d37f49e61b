//! What an observable is of: a body or a joint, by number or by name.

use std::fmt;

use delassus_core::intern;

/// A body or a joint, as specs name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// Its number, counted from 0.
    Number(usize),
    /// Its name in the scene.
    Name(&'static str),
}

impl Subject {
    /// Reads a number of digits alone, since a sign would parse, or a name, which has a letter.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Some(number) = number(text) {
            return Some(Self::Number(number));
        }
        let is_foreign = |c: char| c.is_control() || "[],".contains(c);
        let is_name =
            text.contains(char::is_alphabetic) && text.trim() == text && !text.contains(is_foreign);
        is_name.then(|| Self::Name(intern::text(text)))
    }

    /// A number with its noun, or the name.
    pub(super) fn words(self, noun: &str) -> String {
        match self {
            Self::Number(number) => format!("{noun} {number}"),
            Self::Name(name) => name.to_owned(),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Name(name) => f.write_str(name),
        }
    }
}

/// A number of digits alone: a sign would parse.
pub(super) fn number(text: &str) -> Option<usize> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}
