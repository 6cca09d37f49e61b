//! Parameters of solvers, schemes, scenes and generators, and the names that they may have as
//! values.

use delassus_core::registry::Described;
use delassus_core::{Category, Entry};
use delassus_problems::generators::generators;
use delassus_scenes::scenes;

use crate::registry::{Registry, schemes};

/// Owners that a page names.
const MOST_OWNERS: usize = 6;

/// A parameter, or a value of one, with everything that has it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) name: &'static str,
    /// The parameter that the value is one of; `None` for a parameter itself.
    pub(super) value_of: Option<&'static str>,
    /// What it is, with unit, range and values.
    pub(super) meaning: String,
    /// What has the parameter: kind and identifier.
    pub(super) owners: Vec<String>,
}

impl Word {
    /// The kind of word, as a heading has it.
    pub(super) fn kind(&self) -> String {
        match self.value_of {
            Some(parameter) => format!("value of the parameter {parameter}"),
            None => "parameter".to_owned(),
        }
    }

    /// What has the parameter, the first few by name.
    pub(super) fn had_by(&self) -> String {
        let shown = self.owners.iter().take(MOST_OWNERS);
        let mut names: Vec<String> = shown.cloned().collect();
        if self.owners.len() > MOST_OWNERS {
            names.push(format!("{} more", self.owners.len() - MOST_OWNERS));
        }
        names.join(", ")
    }
}

/// Every parameter and every named value, in the order of the lists; equal ones are one.
fn all(registry: &Registry) -> Vec<Word> {
    let mut words = Vec::new();
    add(&mut words, &schemes());
    add(&mut words, registry.entries());
    add(&mut words, &scenes());
    add(&mut words, &generators());
    words
}

fn add<K: Category>(words: &mut Vec<Word>, entries: &[Entry<K>]) {
    for entry in entries {
        let owner = format!("{} {}", K::NAME, entry.descriptor.id());
        for doc in &entry.parameters {
            put(words, &owner, doc.name, None, doc.to_string());
            for choice in doc.choices {
                let meaning = choice.text.to_owned();
                put(words, &owner, choice.name, Some(doc.name), meaning);
            }
        }
    }
}

fn put(
    words: &mut Vec<Word>,
    owner: &str,
    name: &'static str,
    value_of: Option<&'static str>,
    meaning: String,
) {
    let same = |word: &&mut Word| {
        word.name == name && word.value_of == value_of && word.meaning == meaning
    };
    match words.iter_mut().find(same) {
        Some(word) => word.owners.push(owner.to_owned()),
        None => words.push(Word {
            name,
            value_of,
            meaning,
            owners: vec![owner.to_owned()],
        }),
    }
}

/// The parameters and values of this name.
pub(super) fn find(name: &str, registry: &Registry) -> Vec<Word> {
    // the part of a wrapper stands in front of its parameters
    let is_named = |word: &Word| word.name == name || word.name.rsplit('.').next() == Some(name);
    all(registry).into_iter().filter(is_named).collect()
}

/// Their names.
pub(super) fn names(registry: &Registry) -> Vec<&'static str> {
    let mut names: Vec<&str> = all(registry).iter().map(|word| word.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_parameters_are_found_with_what_has_them() {
        let registry = Registry::standard();
        let halve = find("halve", &registry);
        assert_eq!(halve.len(), 1, "{halve:?}");
        assert_eq!(halve[0].value_of, Some("on_unsolved"));
        assert!(halve[0].meaning.contains("two steps of half the length"));
        assert!(halve[0].owners.contains(&"scheme soft-step".to_owned()));
        let policy = find("on_unsolved", &registry);
        assert!(policy.iter().all(|word| word.value_of.is_none()) && !policy.is_empty());
        assert!(
            policy[0].had_by().ends_with(" more"),
            "{}",
            policy[0].had_by()
        );
        assert!(find("no_such_parameter", &registry).is_empty());
        assert!(names(&registry).contains(&"max_halvings"));
    }
}
