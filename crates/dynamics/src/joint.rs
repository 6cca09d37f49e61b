//! A joint of a world: a constraint, how stiff it is, and how much force it may use.

use delassus_core::Softness;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::constraints::AnyConstraint;
use crate::error::FieldError;

/// A constraint in a world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// Name in reports \[-\]; need not be unique.
    #[serde(default)]
    pub name: String,
    /// The constraint.
    pub constraint: AnyConstraint,
    /// How soft it is: physics, not stabilisation, which is the scheme's.
    #[serde(default)]
    pub softness: Softness,
    /// Largest force of each row \[N | N·m\]; the impulse of a step h is at most h times this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_force: Option<f64>,
    /// Impulses of the last substep, one per row \[N·s | N·m·s\]: warm start, and reaction forces.
    #[serde(skip)]
    pub(crate) impulses: Vec<f64>,
}

/// Force and torque of a joint on one of its bodies, world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reaction {
    /// Force \[N\].
    pub force: Vector3<f64>,
    /// Torque about the body's centre of mass \[N·m\].
    pub torque: Vector3<f64>,
}

impl Joint {
    /// A rigid joint without a force limit.
    pub fn new(constraint: impl Into<AnyConstraint>) -> Self {
        Self {
            name: String::new(),
            constraint: constraint.into(),
            softness: Softness::Rigid,
            max_force: None,
            impulses: Vec::new(),
        }
    }

    /// The same joint under a name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The same joint with another softness.
    #[must_use]
    pub fn soft(mut self, softness: Softness) -> Self {
        self.softness = softness;
        self
    }

    /// The same joint with a force limit per row \[N | N·m\].
    #[must_use]
    pub fn limited(mut self, max_force: f64) -> Self {
        self.max_force = Some(max_force);
        self
    }

    /// Impulses of the last substep, one per row \[N·s | N·m·s\]; empty before the first step.
    pub fn impulses(&self) -> &[f64] {
        &self.impulses
    }

    pub(crate) fn validate(&self, bodies: usize) -> Result<(), FieldError> {
        let touched = self.constraint.bodies();
        for (index, body) in touched.iter().enumerate() {
            let path = format!("constraint.bodies[{index}]");
            if *body >= bodies {
                let expected = format!("the world has {bodies} bodies, numbered from 0");
                return Err(FieldError::new(path, body, &expected));
            }
            if touched[..index].contains(body) {
                let expected = "a joint ties different bodies; this one names a body twice";
                return Err(FieldError::new(path, body, expected));
            }
        }
        self.constraint
            .validate()
            .map_err(|error| error.within("constraint"))?;
        self.softness.validate().map_err(|error| {
            FieldError::new(
                format!("softness.{}", error.parameter),
                error.value,
                error.expected,
            )
        })?;
        match self.max_force {
            Some(force) => FieldError::non_negative("max_force", force),
            None => Ok(()),
        }
    }
}
