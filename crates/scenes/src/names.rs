//! Bodies of a scene file by name.

use std::cell::Cell;
use std::collections::BTreeMap;

use delassus_core::suggest::{did_you_mean, nearest};
use serde::Deserialize;

/// Name of the body that is fixed at the origin, unless the file has a body of that name.
const WORLD: &str = "world";
/// Most names that a message lists \[-\].
const SHOWN: usize = 10;

/// A body as a file names it.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum BodyName {
    /// Its number, counted from 0.
    Number(usize),
    /// Its name.
    Name(String),
}

/// The names of the bodies of a file, with their numbers.
#[derive(Debug, Default)]
pub(crate) struct BodyNames {
    numbers: BTreeMap<String, Vec<usize>>,
    count: usize,
    /// True once [`WORLD`] was looked up, which is the name of no body of the file.
    world: Cell<bool>,
}

impl BodyNames {
    /// Adds the next body.
    pub(crate) fn add(&mut self, name: &str) {
        if !name.is_empty() {
            let numbers = self.numbers.entry(name.to_owned()).or_default();
            numbers.push(self.count);
        }
        self.count += 1;
    }

    /// The number of the body of this name; the world comes after all others.
    pub(crate) fn find(&self, name: &str) -> Result<usize, String> {
        match self.numbers.get(name).map(Vec::as_slice) {
            Some([number]) => Ok(*number),
            Some(several) => Err(format!(
                "{} bodies are named {name:?}; give them different names, or write the number of one: {several:?}",
                several.len()
            )),
            None if name == WORLD => {
                self.world.set(true);
                Ok(self.count)
            }
            None => {
                let known = self.numbers.keys().map(String::as_str);
                let close = nearest(name, known.chain([WORLD]));
                Err(format!(
                    "no body is named {name:?}{}{}",
                    did_you_mean(close.as_deref()),
                    self.listed(close.is_some())
                ))
            }
        }
    }

    /// The first names in the order of the file, as the end of a message; `is_sentence` if what is
    /// before it ends a sentence.
    fn listed(&self, is_sentence: bool) -> String {
        let mut names: Vec<(&[usize], &str)> = self
            .numbers
            .iter()
            .map(|(name, numbers)| (numbers.as_slice(), name.as_str()))
            .collect();
        names.sort_unstable();
        let shown: Vec<String> = names
            .iter()
            .take(SHOWN)
            .map(|(_, name)| format!("{name:?}"))
            .collect();
        let all = match names.len() {
            0 => return "; no body of the file has a name: name = \"…\"".to_owned(),
            many if many > SHOWN => format!("{} and {} more", shown.join(", "), many - SHOWN),
            _ => shown.join(", "),
        };
        match is_sentence {
            true => format!(" There are {all}"),
            false => format!("; there are {all}"),
        }
    }

    /// The number of a body.
    pub(crate) fn number(&self, body: &BodyName) -> Result<usize, String> {
        match body {
            BodyName::Number(number) => Ok(*number),
            BodyName::Name(name) => self.find(name),
        }
    }

    /// The name of the world, if it was looked up.
    pub(crate) fn world(&self) -> Option<&'static str> {
        self.world.get().then_some(WORLD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_body_and_the_world_is_the_last() {
        let mut names = BodyNames::default();
        for name in ["hip", "", "link", "link"] {
            names.add(name);
        }
        assert_eq!(names.find("hip"), Ok(0));
        assert_eq!(names.world(), None);
        assert_eq!(names.find("world"), Ok(4));
        assert_eq!(names.world(), Some("world"));
        let several = names.find("link").unwrap_err();
        assert!(
            several.contains("2 bodies") && several.contains("[2, 3]"),
            "{several}"
        );
        let near = names.find("hipp").unwrap_err();
        assert!(
            near.ends_with("\"hip\"? There are \"hip\", \"link\""),
            "{near}"
        );
        let none = names.find("zzz").unwrap_err();
        assert!(
            none.ends_with("\"zzz\"; there are \"hip\", \"link\""),
            "{none}"
        );
        (0..10).for_each(|link| names.add(&format!("l{link}")));
        assert!(
            names
                .find("zzz")
                .unwrap_err()
                .ends_with("\"l7\" and 2 more")
        );
        names.add("world");
        assert_eq!(names.find("world"), Ok(14));
    }
}
