//! Registries of things that are built by name from parameters: solvers, schemes, scenes,
//! generators.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use crate::choice::{Choice, UnknownName};
use crate::contact_law::{ContactLaw, ContactNumber};
use crate::descriptor::SolverDescriptor;
use crate::error::ParameterError;
use crate::parameter::{Map, ParameterDoc, Parameters, ParametersError, Value};
use crate::solver::{ImpulseSolver, Solver};
use crate::suggest::Hint;

/// The names of an entry; the descriptors of all kinds have them.
pub trait Described {
    /// Identifier, as in specs.
    fn id(&self) -> &'static str;

    /// Other names of the same method in the literature.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }
}

/// A kind of entry that a registry lists and builds.
pub trait Category: 'static {
    /// Name of the kind, as "solver".
    const NAME: &'static str;
    /// Declared properties of an entry.
    type Descriptor: Described + Clone + fmt::Debug;
    /// Argument of building, in addition to the parameters.
    type Argument;
    /// What is built.
    type Product;
    /// Error if building fails.
    type Error: From<EntryError>;
}

type Make<K> = dyn Fn(&Map, <K as Category>::Argument) -> Result<<K as Category>::Product, <K as Category>::Error>
    + Send
    + Sync;

/// One thing that can be built from parameters.
pub struct Entry<K: Category> {
    /// Declared properties of the entry.
    pub descriptor: K::Descriptor,
    /// Descriptions of the parameters, in the order of [`Self::defaults`].
    pub parameters: Vec<ParameterDoc>,
    /// Its parameters with their defaults.
    pub defaults: Map,
    /// True if the entry may have parameters that are not listed, because they belong to a program
    /// that is missing or must not be started. Such an entry cannot be built.
    pub open: bool,
    make: Arc<Make<K>>,
    /// Reads the value of one parameter; `None` where that is left to building.
    read: fn(&str, &Value) -> Option<Result<(), String>>,
}

impl<K: Category> Entry<K> {
    /// Creates an entry that checks the parameters and then builds with `make`.
    pub fn new<P: Parameters>(
        descriptor: K::Descriptor,
        defaults: &P,
        make: impl Fn(P, K::Argument) -> Result<K::Product, K::Error> + Send + Sync + 'static,
    ) -> Self {
        let id = descriptor.id();
        Self {
            descriptor,
            parameters: P::docs(),
            defaults: defaults.to_map(),
            open: false,
            make: Arc::new(move |map, argument| {
                let parameters = P::from_map(map);
                make(
                    parameters.map_err(|e| EntryError::of::<K>(id, e))?,
                    argument,
                )
            }),
            read: |key, value| P::default().set(key, value),
        }
    }

    /// Creates an entry whose parameters are known at run time only. `make` reads and checks the
    /// parameters.
    pub fn composed(
        descriptor: K::Descriptor,
        parameters: Vec<ParameterDoc>,
        defaults: Map,
        make: impl Fn(&Map, K::Argument) -> Result<K::Product, K::Error> + Send + Sync + 'static,
    ) -> Self {
        Self {
            descriptor,
            parameters,
            defaults,
            open: false,
            make: Arc::new(make),
            read: |_, _| None,
        }
    }

    /// Builds the product. Parameters that are not given have the defaults of the entry.
    ///
    /// # Errors
    /// An unknown parameter, a value of the wrong type or out of range, or an error of building
    /// itself.
    pub fn build_with(&self, given: &Map, argument: K::Argument) -> Result<K::Product, K::Error> {
        for (key, value) in given {
            self.check_name(key, value)?;
        }
        (self.make)(&self.complete(given), argument)
    }

    /// Returns the defaults, overridden by the given parameters. The result identifies a configured
    /// method or scene.
    pub fn complete(&self, given: &Map) -> Map {
        let mut complete = self.defaults.clone();
        complete.extend(given.iter().map(|(k, v)| (k.clone(), v.clone())));
        complete
    }

    /// Checks the type of a value, or its name if the parameter has names; not its range.
    ///
    /// # Errors
    /// The error of building with this value.
    pub fn check_type(&self, key: &str, value: &Value) -> Result<(), EntryError> {
        self.check_name(key, value)?;
        match (self.read)(key, value) {
            Some(Err(reason)) => Err(EntryError::of::<K>(
                self.descriptor.id(),
                ParametersError::Value {
                    parameter: key.to_owned(),
                    reason,
                },
            )),
            Some(Ok(())) | None => Ok(()),
        }
    }

    /// Checks a text that no type of the parameter has, so that the error lists the names that the
    /// entry has: they may be fewer than those of the type.
    fn check_name(&self, key: &str, value: &Value) -> Result<(), EntryError> {
        let doc = self.parameters.iter().find(|doc| doc.name == key);
        let (Some(doc), Some(text)) = (doc, value.as_str()) else {
            return Ok(());
        };
        if doc.choices.is_empty() || !matches!((self.read)(key, value), Some(Err(_))) {
            return Ok(());
        }
        let reason = UnknownName::new(text, doc.choices).to_string();
        Err(EntryError::of::<K>(
            self.descriptor.id(),
            ParametersError::Value {
                parameter: key.to_owned(),
                reason,
            },
        ))
    }

    /// True if `name` is the identifier or an alias.
    pub fn is_named(&self, name: &str) -> bool {
        self.descriptor.id() == name || self.descriptor.aliases().contains(&name)
    }
}

impl<K: Category<Argument = ()>> Entry<K> {
    /// Builds the product. Parameters that are not given have the defaults of the entry.
    ///
    /// # Errors
    /// Those of [`Self::build_with`].
    pub fn build(&self, given: &Map) -> Result<K::Product, K::Error> {
        self.build_with(given, ())
    }

    /// Builds the product from what a user wrote, without the defaults.
    ///
    /// # Errors
    /// Those of [`Self::build_with`], and a coefficient of friction beside a law of contacts
    /// without friction, which nothing would read.
    pub fn build_given(&self, given: &Map) -> Result<K::Product, K::Error> {
        let refused = self.refuse_unread(given);
        refused.map_err(|error| EntryError::of::<K>(self.descriptor.id(), error))?;
        self.build(given)
    }

    fn refuse_unread(&self, given: &Map) -> Result<(), ParametersError> {
        let Some((reason, keys)) = self.unread_friction(given) else {
            return Ok(());
        };
        let unread = keys.into_iter().next().unwrap_or_default();
        let value = given.get(&unread).cloned().unwrap_or_default();
        Err(ParametersError::Value {
            parameter: unread,
            reason: format!("{value} is not read: {reason}"),
        })
    }
}

impl<K: Category> Entry<K> {
    /// The coefficients of friction among the given parameters that their law of contacts does not
    /// read, with the reason; `None` where it reads them all. A coefficient of zero is right with
    /// any law.
    pub fn unread_friction(&self, given: &Map) -> Option<(String, Vec<String>)> {
        let mut docs = self.parameters.iter().filter(|doc| doc.name == "law");
        // a scene has fewer laws than a generator
        let laws = docs
            .find(|doc| !doc.choices.is_empty() && ContactLaw::CHOICES.starts_with(doc.choices))?;
        let value = given.get("law").or_else(|| self.defaults.get("law"));
        let law = ContactLaw::named(value?.as_str()?).ok()?;
        let reason = law.refusal(ContactNumber::Friction, laws.choices)?;
        let given = FRICTION.iter().filter_map(|key| given.get_key_value(*key));
        let unread = given.filter(|(_, value)| value.as_f64() != Some(0.0));
        let keys: Vec<String> = unread.map(|(key, _)| key.clone()).collect();
        (!keys.is_empty()).then_some((reason, keys))
    }
}

/// What scenes and generators with a law of contacts call its coefficients of friction.
const FRICTION: [&str; 4] = [
    "friction",
    "friction_least",
    "friction_most",
    "ground_friction",
];

impl<K: Category> Clone for Entry<K> {
    fn clone(&self) -> Self {
        Self {
            descriptor: self.descriptor.clone(),
            parameters: self.parameters.clone(),
            defaults: self.defaults.clone(),
            open: self.open,
            make: Arc::clone(&self.make),
            read: self.read,
        }
    }
}

impl<K: Category> fmt::Debug for Entry<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(K::NAME)
            .field("descriptor", &self.descriptor)
            .field("defaults", &self.defaults)
            .finish_non_exhaustive()
    }
}

/// The entry with this identifier or alias.
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

/// Why a name and parameters do not build anything.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum EntryError {
    /// There is no entry with this identifier or alias.
    #[error("unknown {kind} {id:?}{hint}")]
    UnknownId {
        /// Kind of entry.
        kind: &'static str,
        /// The name given.
        id: String,
        /// The closest name, or all valid names.
        hint: Hint,
    },
    /// The entry exists, but this program was built without it.
    #[error("{kind} {id} is not in this build; build with `--features {feature}`")]
    NotBuilt {
        /// Kind of entry.
        kind: &'static str,
        /// The name given.
        id: String,
        /// The feature that has it.
        feature: &'static str,
    },
    /// A name with parentheses, or the name of a wrapper, that is not a valid solver.
    #[error("solver {id:?}: {fault}")]
    Composition {
        /// The name given.
        id: String,
        /// What is wrong with it.
        fault: CompositionFault,
    },
    /// A solver or an engine in a separate process cannot be started.
    #[error("{kind} {id:?}: {fault}")]
    Process {
        /// Kind of entry.
        kind: &'static str,
        /// The name given.
        id: String,
        /// Why not.
        fault: ProcessFault,
    },
    /// The entry has no such parameter.
    #[error("{kind} {id} has no parameter {parameter:?}{hint}")]
    UnknownParameter {
        /// Kind of entry.
        kind: &'static str,
        /// Identifier of the entry.
        id: &'static str,
        /// The name given.
        parameter: String,
        /// The closest name, or all valid names.
        hint: Hint,
    },
    /// A parameter has the wrong type or an invalid value.
    #[error("{kind} {id}: {reason}")]
    Parameter {
        /// Kind of entry.
        kind: &'static str,
        /// Identifier of the entry.
        id: &'static str,
        /// The parameter.
        parameter: String,
        /// What is wrong with the value, including the name of the parameter.
        reason: String,
    },
    /// An environment variable that replaces a parameter has an invalid value.
    #[error("the environment variable {variable} is {value:?}; {kind} {id} needs {expected}")]
    Environment {
        /// Kind of entry.
        kind: &'static str,
        /// Identifier of the entry.
        id: &'static str,
        /// The variable.
        variable: &'static str,
        /// Value of the variable.
        value: String,
        /// Values that are allowed.
        expected: &'static str,
    },
}

/// What is wrong with the name of a solver that wraps solvers: `WRAPPER(SOLVER)`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CompositionFault {
    /// Parentheses that do not match.
    #[error("its parentheses do not match; write WRAPPER(SOLVER), as best-so-far(pgs)")]
    Parentheses,
    /// Text after the last parenthesis.
    #[error("{0:?} follows the last parenthesis; leave it out")]
    Rest(String),
    /// Too many nested wrappers.
    #[error("more than {limit} nested names")]
    Deep {
        /// Largest number of nested names.
        limit: usize,
    },
    /// A name is missing between two parentheses, or before a parenthesis.
    #[error("a name is missing; write WRAPPER(SOLVER), as best-so-far(pgs)")]
    Empty,
    /// A wrapper without a solver.
    #[error("{wrapper} wraps a solver; write {wrapper}(SOLVER), as {wrapper}(pgs)")]
    NoInner {
        /// The wrapper.
        wrapper: &'static str,
    },
    /// A solver that is not a wrapper, but contains another solver.
    #[error("{solver} is not a wrapper and contains no other solver; wrappers are {wrappers}")]
    NoWrapper {
        /// The solver.
        solver: &'static str,
        /// All wrappers.
        wrappers: String,
    },
    /// There is no wrapper with this name.
    #[error("unknown wrapper {name:?}{hint}")]
    UnknownWrapper {
        /// The name given.
        name: String,
        /// The closest name, or all valid names.
        hint: Hint,
    },
    /// The same wrapper occurs twice, so that the names of its parameters would clash.
    #[error("{wrapper} occurs twice; name it once")]
    Twice {
        /// The wrapper.
        wrapper: &'static str,
    },
}

/// Why a solver or an engine in a separate process cannot be started.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProcessFault {
    /// The name is not that of a program.
    #[error("{0}")]
    Name(String),
    /// This command does not start programs that a spec or a results folder names.
    #[error("this command starts no program that a spec or a folder names; `run` and `solve` do")]
    Held,
    /// The program is not on this machine, or does not answer.
    #[error("{0}")]
    Absent(String),
    /// The command that the user names does not start, or ends without a valid hello.
    #[error("{0}; run the command in a shell, in this folder, to see what is wrong with it")]
    Broken(String),
}

/// What the names of the program's environment variables begin with; those of parameters are in
/// small letters.
const VARIABLES: &str = "DELASSUS_";

impl EntryError {
    /// Creates the error for invalid parameters of the entry `id`.
    pub fn of<K: Category>(id: &'static str, error: impl Into<ParametersError>) -> Self {
        let kind = K::NAME;
        let error = error.into();
        let reason = error.to_string();
        match error {
            ParametersError::Unknown { parameter, hint } => Self::UnknownParameter {
                kind,
                id,
                parameter,
                hint,
            },
            ParametersError::Value { parameter, .. } => Self::Parameter {
                kind,
                id,
                parameter,
                reason,
            },
            ParametersError::Range(ParameterError {
                parameter: variable,
                value,
                expected,
            }) if variable.starts_with(VARIABLES) => Self::Environment {
                kind,
                id,
                variable,
                value,
                expected,
            },
            ParametersError::Range(error) => Self::Parameter {
                kind,
                id,
                parameter: error.parameter.to_owned(),
                reason,
            },
        }
    }

    /// Returns the parameter that caused the error, if any.
    pub fn parameter(&self) -> Option<&str> {
        match self {
            Self::UnknownParameter { parameter, .. } | Self::Parameter { parameter, .. } => {
                Some(parameter)
            }
            Self::UnknownId { .. }
            | Self::NotBuilt { .. }
            | Self::Process { .. }
            | Self::Composition { .. }
            | Self::Environment { .. } => None,
        }
    }
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
        assert!(check("count", json!(2.5)).is_err() && check("count", json!(-1)).is_err());
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
