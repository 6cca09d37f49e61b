//! A wrapper in a registry: its parameters next to those of the solver inside, and how both are
//! built.

use delassus_core::parameter::Map;
use delassus_core::registry::Solvers;
use delassus_core::suggest::Hint;
use delassus_core::{Category, Entry, EntryError, ImpulseSolver, ParameterDoc, Parameters, intern};

use crate::descriptor::WrapperDescriptor;
use crate::{Inner, Wrapper};

/// A wrapper without a solver inside: what a registry lists.
#[derive(Debug, Clone)]
pub struct WrapperEntry {
    /// What it declares about itself.
    pub descriptor: WrapperDescriptor,
    /// What its parameters are, as `WRAPPER.NAME`.
    pub parameters: Vec<ParameterDoc>,
    /// Its parameters with their defaults, by the same names.
    pub defaults: Map,
    around: fn(&Self, &Entry<Solvers>) -> Entry<Solvers>,
}

impl WrapperEntry {
    /// The entry of a wrapper.
    pub fn of<W: Wrapper>() -> Self {
        let id = W::DESCRIPTOR.id;
        let docs = W::Parameters::docs().into_iter();
        let defaults = W::Parameters::default().to_map().into_iter();
        Self {
            descriptor: W::DESCRIPTOR,
            parameters: docs
                .map(|doc| ParameterDoc {
                    name: intern::text(&format!("{id}.{}", doc.name)),
                    ..doc
                })
                .collect(),
            defaults: defaults
                .map(|(key, v)| (format!("{id}.{key}"), v))
                .collect(),
            around: compose::<W>,
        }
    }

    /// The solver that wraps the one of `inner`.
    pub fn around(&self, inner: &Entry<Solvers>) -> Entry<Solvers> {
        (self.around)(self, inner)
    }
}

fn compose<W: Wrapper>(wrapper: &WrapperEntry, inner: &Entry<Solvers>) -> Entry<Solvers> {
    let own = W::DESCRIPTOR.around(&inner.descriptor);
    let descriptor = W::declare(&inner.descriptor, own);
    let mut parameters = inner.parameters.clone();
    parameters.extend(&wrapper.parameters);
    let mut defaults = inner.defaults.clone();
    defaults.extend(wrapper.defaults.clone());
    let names: Vec<&'static str> = parameters.iter().map(|doc| doc.name).collect();
    let inner = inner.clone();
    let make = move |given: &Map, (): ()| {
        known(descriptor.id, &names, given)?;
        let (own, rest) = split(W::DESCRIPTOR.id, given);
        let parameters = W::Parameters::from_map(&own)
            .map_err(|error| own_error::<W>(EntryError::of::<Solvers>(descriptor.id, error)))?;
        let solver = inner.build(&rest)?;
        let again = inner.clone();
        let inner = Inner {
            solver,
            another: Box::new(move || again.build(&rest)),
        };
        let made = W::new(inner, descriptor, parameters)
            .map_err(|error| own_error::<W>(EntryError::of::<Solvers>(descriptor.id, error)))?;
        Ok(Box::new(made) as Box<dyn ImpulseSolver>)
    };
    Entry::<Solvers>::composed(descriptor, parameters, defaults, make)
}

/// Refuses a name that none of the solvers inside each other has; one without its wrapper is meant
/// with it.
fn known(id: &'static str, names: &[&'static str], given: &Map) -> Result<(), EntryError> {
    let strange = given.keys().find(|key| !names.contains(&key.as_str()));
    let Some(key) = strange else {
        return Ok(());
    };
    let mut hint = Hint::new(key, names.iter().copied());
    let of_a_wrapper = names.iter().find(|name| {
        let plain = name.rsplit_once('.').map(|(_, plain)| plain);
        plain == Some(key)
    });
    if let Some(meant) = of_a_wrapper {
        hint.nearest = Some((*meant).to_owned());
    }
    Err(EntryError::UnknownParameter {
        kind: Solvers::NAME,
        id,
        parameter: key.clone(),
        hint,
    })
}

/// The parameters of the wrapper by their plain names, and those of the solver inside.
fn split(wrapper: &str, given: &Map) -> (Map, Map) {
    let (mut own, mut rest) = (Map::new(), Map::new());
    for (key, value) in given {
        let plain = key.split_once('.').filter(|(id, _)| *id == wrapper);
        match plain {
            Some((_, plain)) => own.insert(plain.to_owned(), value.clone()),
            None => rest.insert(key.clone(), value.clone()),
        };
    }
    (own, rest)
}

/// The error with the name of the parameter as the user writes it.
fn own_error<W: Wrapper>(error: EntryError) -> EntryError {
    let wrapper = W::DESCRIPTOR.id;
    match error {
        EntryError::Parameter {
            kind,
            id,
            parameter,
            reason,
        } => EntryError::Parameter {
            kind,
            id,
            parameter: format!("{wrapper}.{parameter}"),
            // it begins with the name
            reason: format!("{wrapper}.{reason}"),
        },
        other => other,
    }
}
