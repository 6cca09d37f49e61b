//! The nearest valid name, for typing errors, and lists of names.

use std::fmt;

/// Returns the candidate closest to `name`, if it is so close that `name` is probably a misspelling
/// of it.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let scored = candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate));
    scored
        .filter(|(score, _)| *score > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate.to_owned())
}

/// `; did you mean "name"?`, or nothing.
pub fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean {name:?}?"))
}

/// The end of an error message about an unknown name: the closest valid name, or all valid names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The closest valid name.
    pub nearest: Option<String>,
    /// Every valid name, if they are few enough for a line; otherwise empty.
    pub known: Vec<String>,
}

/// Most names that an error lists \[-\].
const FEW: usize = 24;

impl Hint {
    /// Creates the hint for `name`; `known` are the valid names.
    pub fn new<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        Self::among(name, &known.into_iter().collect::<Vec<_>>())
    }

    fn among(name: &str, known: &[&str]) -> Self {
        let few = if known.len() > FEW { &[] } else { known };
        Self {
            nearest: nearest(name, known.iter().copied()),
            known: few.iter().map(|name| (*name).to_owned()).collect(),
        }
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.nearest {
            Some(name) => f.write_str(&did_you_mean(Some(name))),
            None if self.known.is_empty() => Ok(()),
            None => write!(f, "; there are {}", self.known.join(", ")),
        }
    }
}

/// Names for a message: `a, b, c`.
pub fn list<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let mut once: Vec<&str> = Vec::new();
    for name in names {
        if !once.contains(&name) {
            once.push(name);
        }
    }
    once.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_transposition_and_refuses_nonsense() {
        let names = ["pgs", "psor", "block-gs", "dantzig"];
        assert_eq!(nearest("blok-gs", names), Some("block-gs".to_owned()));
        assert_eq!(nearest("dantzing", names), Some("dantzig".to_owned()));
        assert_eq!(nearest("xyzzy", names), None);
        let hint = |name| Hint::new(name, names).to_string();
        assert_eq!(hint("psorr"), "; did you mean \"psor\"?");
        assert_eq!(hint("xyzzy"), "; there are pgs, psor, block-gs, dantzig");
    }
}
