//! How a world finds its contacts, and which laws they may have.

use delassus_collide::{Combining, ContactQuery, PolyhedronMethod};
use delassus_core::{Choice, ContactLaw, ContactNumber};
use serde::{Deserialize, Serialize};

use crate::error::FieldError;

/// How a world finds its contacts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContactSettings {
    /// Friction law of the contacts found.
    #[serde(deserialize_with = "ContactLaw::deserialize_of_world")]
    pub law: ContactLaw,
    /// Surfaces closer than this are in contact: an open contact may close within the step and no
    /// more \[m\].
    pub margin: f64,
    /// How boxes and hulls find where they touch each other.
    pub polyhedra: PolyhedronMethod,
    /// By how much a manifold prefers the features of the frame before, as a share of its size
    /// \[-\]; 0 lets them flip.
    pub persistence: f64,
    /// A pair that has moved less than this since its manifold was made keeps it, with separations
    /// that follow the bodies \[m\]: turns count at the rim of the smaller collider. While all
    /// pairs do, velocity-level schemes keep their rows, too. 0 looks at every pair in every frame.
    pub recycle: f64,
    /// How the surfaces of two colliders act together.
    pub combining: Combining,
    /// Along which axes friction is solved.
    pub tangents: TangentMode,
    /// Surfaces that move faster than this against each other have kinetic friction \[m/s\].
    pub stiction_speed: f64,
    /// Pairs of bodies that do not touch, besides those that a joint connects.
    pub apart: Vec<[usize; 2]>,
}

/// Along which axes the friction of a contact that was found is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum TangentMode {
    /// Those of the frame before, which turn with body A.
    #[default]
    Kept,
    /// Along and across the sliding velocity of the start of the frame, kept where nothing slides.
    Sliding,
}

impl Default for ContactSettings {
    fn default() -> Self {
        let ContactQuery {
            margin,
            polyhedra,
            persistence,
        } = ContactQuery::default();
        Self {
            law: ContactLaw::default(),
            margin,
            polyhedra,
            persistence,
            recycle: 0.0,
            combining: Combining::default(),
            tangents: TangentMode::default(),
            stiction_speed: 1e-3,
            apart: Vec::new(),
        }
    }
}

impl ContactSettings {
    /// Checks every field; `bodies` is the number of bodies that there are.
    pub(crate) fn validate(&self, bodies: usize) -> Result<(), FieldError> {
        FieldError::positive("margin", self.margin)?;
        FieldError::non_negative("persistence", self.persistence)?;
        FieldError::non_negative("stiction_speed", self.stiction_speed)?;
        FieldError::non_negative("recycle", self.recycle)?;
        if self.law == ContactLaw::FixedBox {
            return Err(fixed_box(self.law));
        }
        for (index, pair) in self.apart.iter().enumerate() {
            if let Some(body) = pair.iter().find(|body| **body >= bodies) {
                let expected = format!("the world has {bodies} bodies, numbered from 0");
                return Err(FieldError::new(format!("apart[{index}]"), body, &expected));
            }
        }
        Ok(())
    }
}

/// The refusal of a law that needs the time step.
pub(crate) fn fixed_box(law: ContactLaw) -> FieldError {
    let expected = "its limit needs the time step, which a world does not have; use \"pyramid\", or a frozen problem";
    FieldError::new("law", law, expected)
}

/// Refuses resistances to rolling and spinning \[m\] with a law that does not have them.
pub(crate) fn check_resistances(
    law: ContactLaw,
    rolling: f64,
    spinning: f64,
) -> Result<(), FieldError> {
    let Some(reason) = law.refusal(ContactNumber::Resistance, ContactLaw::OF_WORLDS) else {
        return Ok(());
    };
    for (path, value) in [
        ("rolling_friction", rolling),
        ("spinning_friction", spinning),
    ] {
        if value != 0.0 {
            return Err(FieldError::new(path, value, &reason));
        }
    }
    Ok(())
}

/// Pairs of colliders that came into contact, or left it, at the start of a frame.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContactEvents {
    /// Those that were not in contact in the frame before.
    pub begun: Vec<[u32; 2]>,
    /// Those that are not in contact any more.
    pub ended: Vec<[u32; 2]>,
}

impl ContactEvents {
    /// Notes the contact of two colliders if it begins or ends.
    pub(crate) fn note(&mut self, colliders: [u32; 2], was_in_contact: bool, is_in_contact: bool) {
        match (was_in_contact, is_in_contact) {
            (false, true) => self.begun.push(colliders),
            (true, false) => self.ended.push(colliders),
            _ => {}
        }
    }
}
