//! An entry of a registry: a solver, scheme, scene or generator that is built by its name.

use std::fmt;
use std::sync::Arc;

use super::error::EntryError;
use crate::choice::{Choice, UnknownName};
use crate::contact_law::{ContactLaw, ContactNumber};
use crate::error::ParameterError;
use crate::parameter::{Map, ParameterDoc, Parameters, ParametersError, Value};

/// The names of an entry. The descriptor of every category implements this trait.
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
    /// Argument that building an entry needs in addition to the parameters.
    type Argument;
    /// Type of what an entry builds.
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
    /// Reads the value of one parameter; `None` if the function that builds the entry reads the
    /// parameters.
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
    /// An unknown parameter, a value of the wrong type or out of range, or the error of the entry.
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
    /// The error that building the entry with this value gives.
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

    /// If the value of a parameter with named choices is invalid, returns an error that lists the
    /// names which this entry allows. They may be fewer than those of the type.
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

    /// Builds the product from the parameters that a user has set.
    ///
    /// # Errors
    /// Those of [`Self::build_with`], and a nonzero coefficient of friction that the given contact
    /// law does not use.
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
    /// Returns the reason, and the names of the given coefficients of friction that the contact law
    /// does not use. `None` if the law uses all of them. A coefficient of zero is valid with any
    /// law.
    pub fn unread_friction(&self, given: &Map) -> Option<(String, Vec<String>)> {
        let mut docs = self.parameters.iter().filter(|doc| doc.name == "law");
        // a scene has fewer laws than a generator
        let laws = docs
            .find(|doc| !doc.choices.is_empty() && ContactLaw::CHOICES.starts_with(doc.choices))?;
        let value = given.get("law").or_else(|| self.defaults.get("law"));
        let law = ContactLaw::from_name(value?.as_str()?).ok()?;
        let reason = law.refusal(ContactNumber::Friction, laws.choices)?;
        let given = FRICTION.iter().filter_map(|key| given.get_key_value(*key));
        let unread = given.filter(|(_, value)| value.as_f64() != Some(0.0));
        let keys: Vec<String> = unread.map(|(key, _)| key.clone()).collect();
        (!keys.is_empty()).then_some((reason, keys))
    }
}

/// Names that scenes and generators with a contact law use for coefficients of friction.
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

/// Prefix of the environment variables of the program. A variable for a parameter continues in
/// lower case.
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
}
