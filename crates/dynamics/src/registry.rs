//! The schemes by name: the presets of the velocity-level scheme, that scheme itself, and the
//! others.

use delassus_core::{Category, Described, Entry, EntryError, ImpulseSolver, registry};

use crate::avbd::Avbd;
use crate::error::SchemeError;
use crate::penalty::Penalty;
use crate::scheme::{PositionScheme, Scheme, SchemeDescriptor};
use crate::velocity::{Preset, VelocityParameters, VelocityScheme, presets};
use crate::xpbd::Xpbd;

/// The schemes, which are built with a solver if they use one.
#[derive(Debug)]
pub enum Schemes {}

impl Category for Schemes {
    const NAME: &'static str = "scheme";
    type Descriptor = SchemeDescriptor;
    type Argument = Option<Box<dyn ImpulseSolver>>;
    type Product = Box<dyn Scheme>;
    type Error = SchemeError;
}

impl Described for SchemeDescriptor {
    fn id(&self) -> &'static str {
        self.id
    }

    fn aliases(&self) -> &'static [&'static str] {
        self.aliases
    }
}

/// One scheme or preset that can be built from parameters.
pub type SchemeEntry = Entry<Schemes>;

/// Every scheme, presets first, in the order of the documentation.
pub fn schemes() -> Vec<SchemeEntry> {
    let mut list: Vec<SchemeEntry> = presets().iter().map(preset).collect();
    let defaults = VelocityParameters::default();
    list.push(velocity(VelocityScheme::DESCRIPTOR, &defaults));
    list.push(entry::<Xpbd>());
    list.push(entry::<Avbd>());
    list.push(entry::<Penalty>());
    list
}

/// The scheme with the identifier or alias `id`.
///
/// # Errors
/// [`EntryError::UnknownId`] with the closest name.
pub fn scheme(id: &str) -> Result<SchemeEntry, EntryError> {
    registry::find(&schemes(), id).cloned()
}

fn preset(preset: &Preset) -> SchemeEntry {
    let descriptor = SchemeDescriptor {
        id: preset.id,
        aliases: preset.aliases,
        summary: preset.summary,
        citations: preset.citations,
        preset_of: Some(VelocityScheme::DESCRIPTOR.id),
        ..VelocityScheme::DESCRIPTOR
    };
    velocity(descriptor, &(preset.parameters)())
}

fn velocity(descriptor: SchemeDescriptor, defaults: &VelocityParameters) -> SchemeEntry {
    let scheme = descriptor.id;
    SchemeEntry::new(descriptor, defaults, move |parameters, solver| {
        let expected = "needs a solver";
        let solver = solver.ok_or(SchemeError::SolverChoice { scheme, expected })?;
        Ok(Box::new(VelocityScheme::new(parameters, solver)?))
    })
}

/// The entry of a scheme that solves by itself: what another crate adds to those of this one.
pub fn entry<S: PositionScheme>() -> SchemeEntry {
    let defaults = S::Parameters::default();
    SchemeEntry::new(S::DESCRIPTOR, &defaults, |parameters, solver| {
        if solver.is_some() {
            return Err(SchemeError::SolverChoice {
                scheme: S::DESCRIPTOR.id,
                expected: "solves by itself: name no solver",
            });
        }
        Ok(Box::new(S::new(parameters)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use delassus_core::parameter::Map;

    #[test]
    fn every_scheme_documents_its_parameters_under_one_name() {
        let list = schemes();
        for (index, entry) in list.iter().enumerate() {
            let documented: Vec<&str> = entry.parameters.iter().map(|p| p.name).collect();
            let keys: Vec<&str> = entry.defaults.keys().map(String::as_str).collect();
            let own = entry.descriptor;
            assert_eq!(documented, keys, "{}", own.id);
            for name in own.aliases.iter().chain([&own.id]) {
                let others = list.iter().enumerate().filter(|(other, _)| *other != index);
                let taken = others.filter(|(_, e)| e.is_named(name));
                assert_eq!(taken.count(), 0, "{name}");
            }
        }
    }

    #[test]
    fn wrong_requests_are_typed_errors() {
        let entry = scheme("soft-step").unwrap();
        let refused = entry.build_with(&Map::new(), None).err().unwrap();
        assert!(
            matches!(refused, SchemeError::SolverChoice { .. }),
            "{refused}"
        );
        assert!(scheme("soft-stepp").is_err());
    }
}
