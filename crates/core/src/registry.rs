//! Registries of things that are built by name from parameters: solvers, schemes, scenes,
//! generators.

mod entry;
mod error;

use crate::descriptor::SolverDescriptor;
use crate::solver::{ImpulseSolver, Solver};
use crate::suggest::Hint;

pub use entry::{Category, Described, Entry};
pub use error::{CompositionFault, EntryError, ProcessFault};

/// Returns the entry whose identifier or alias is `name`.
///
/// # Errors
/// [`EntryError::UnknownId`] with the closest name.
pub fn find<'e, K: Category>(
    entries: &'e [Entry<K>],
    name: &str,
) -> Result<&'e Entry<K>, EntryError> {
    let found = entries.iter().find(|entry| entry.is_named(name));
    found.ok_or_else(|| EntryError::UnknownId {
        kind: K::NAME,
        id: name.to_owned(),
        hint: Hint::new(name, names(entries)),
    })
}

/// Every identifier and alias.
pub fn names<K: Category>(entries: &[Entry<K>]) -> impl Iterator<Item = &'static str> + '_ {
    entries.iter().flat_map(|entry| {
        let descriptor = &entry.descriptor;
        std::iter::once(descriptor.id()).chain(descriptor.aliases().iter().copied())
    })
}

/// The category of solvers.
#[derive(Debug)]
pub enum Solvers {}

impl Category for Solvers {
    const NAME: &'static str = "solver";
    type Descriptor = SolverDescriptor;
    type Argument = ();
    type Product = Box<dyn ImpulseSolver>;
    type Error = EntryError;
}

impl Described for SolverDescriptor {
    fn id(&self) -> &'static str {
        self.id
    }

    fn aliases(&self) -> &'static [&'static str] {
        self.aliases
    }
}

impl Entry<Solvers> {
    /// The entry of a solver.
    pub fn of_solver<S: Solver>() -> Self {
        Self::new(
            S::DESCRIPTOR,
            &S::Parameters::default(),
            |parameters, ()| {
                let solver = S::new(parameters);
                let solver = solver.map_err(|e| EntryError::of::<Solvers>(S::DESCRIPTOR.id, e))?;
                Ok(Box::new(solver))
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter::{Map, Value};
    use serde_json::json;

    #[derive(Debug, Clone, PartialEq, crate::Parameters)]
    struct Numbers {
        /// How many.
        #[parameter(default = 2, unit = "-", range = "[1, 9]")]
        count: u32,
        /// Where they begin.
        #[parameter(unit = "m")]
        start: f64,
    }

    #[derive(Debug, Clone)]
    struct Name(&'static str);

    impl Described for Name {
        fn id(&self) -> &'static str {
            self.0
        }

        fn aliases(&self) -> &'static [&'static str] {
            &["list"]
        }
    }

    #[derive(Debug)]
    enum Lists {}

    impl Category for Lists {
        const NAME: &'static str = "list";
        type Descriptor = Name;
        type Argument = f64;
        type Product = Vec<f64>;
        type Error = EntryError;
    }

    fn entries() -> Vec<Entry<Lists>> {
        let preset = Numbers {
            start: 1.0,
            ..Numbers::default()
        };
        vec![Entry::new(
            Name("numbers"),
            &preset,
            |own: Numbers, step| {
                let count = 0..own.count;
                Ok(count.map(|i| own.start + step * f64::from(i)).collect())
            },
        )]
    }

    #[test]
    fn entries_build_from_their_own_defaults() {
        let entries = entries();
        let entry = find(&entries, "list").unwrap();
        assert_eq!(entry.build_with(&Map::new(), 0.5), Ok(vec![1.0, 1.5]));
        let given = json!({ "count": 1 });
        let given = given.as_object().unwrap();
        assert_eq!(entry.build_with(given, 0.5), Ok(vec![1.0]));
        assert_eq!(
            json!(entry.complete(given)),
            json!({ "count": 1, "start": 1.0 })
        );
        assert_eq!(entry.parameters.len(), 2);
    }

    #[test]
    fn types_are_checked_without_building() {
        let entries = entries();
        let check = |key: &str, value: Value| {
            let checked = entries[0].check_type(key, &value);
            checked.map_err(|error| error.to_string())
        };
        assert_eq!(check("count", json!(4)), Ok(()));
        // the range is not a matter of the type, and another check finds unknown names
        assert_eq!(check("count", json!(0)), Ok(()));
        assert_eq!(check("cuont", json!("x")), Ok(()));
        let text = "list numbers: start: invalid type: string \"here\", expected a number";
        assert_eq!(check("start", json!("here")), Err(text.to_owned()));
        for (value, what) in [
            (json!(2.5), "floating point 2.5"),
            (json!(-1), "integer -1"),
            (json!(true), "boolean true"),
        ] {
            let message = check("count", value).expect_err("no count");
            assert!(
                message.contains(&format!(": {what}, expected ")),
                "{message}"
            );
        }
    }

    #[test]
    fn wrong_requests_say_what_was_meant() {
        let entries = entries();
        let unknown = find(&entries, "nubmers").err().unwrap();
        assert_eq!(
            unknown.to_string(),
            "unknown list \"nubmers\"; did you mean \"numbers\"?"
        );
        let refused = |given: Value| {
            entries[0]
                .build_with(given.as_object().unwrap(), 1.0)
                .unwrap_err()
        };
        for (given, text) in [
            (
                json!({ "cuont": 1 }),
                "list numbers has no parameter \"cuont\"; did you mean \"count\"?",
            ),
            (
                json!({ "count": 0 }),
                "list numbers: count = 0 is out of range: it must lie in [1, 9]",
            ),
            (
                json!({ "start": "here" }),
                "list numbers: start: invalid type: string \"here\", expected a number",
            ),
        ] {
            let error = refused(given);
            assert_eq!(error.to_string(), text);
            assert!(error.parameter().is_some());
        }
    }
}
