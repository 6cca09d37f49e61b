//! A joint of a world: a constraint, how stiff it is, and how much force it may use.

use delassus_core::{Choice, Softness};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::constraint::{ForceKind, RowUnit, Track};
use crate::constraints::AnyConstraint;
use crate::error::FieldError;

/// What the frequency of a joint is that of, where several rows are soft by frequency or by scales.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum SoftnessCoupling {
    /// Each row, as if it were alone: R = diag(K)/c (S.14).
    #[default]
    Rows,
    /// All rows of one softness together, whatever couples them: R = K/c (S.16).
    Block,
}

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
    /// How soft the angular rows are, where that differs from `softness`: then a spring of their
    /// own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular_softness: Option<Softness>,
    /// What the frequency of several rows is that of.
    #[serde(default, skip_serializing_if = "SoftnessCoupling::is_rows")]
    pub coupling: SoftnessCoupling,
    /// Largest force of each row \[N | N·m\]; the impulse of a step h is at most h times this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_force: Option<f64>,
    /// Largest torque of each angular row, where that differs from `max_force` \[N·m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_torque: Option<f64>,
    /// Impulses of the last substep, one per row \[N·s | N·m·s\]: warm start, and reaction forces.
    #[serde(skip)]
    pub(crate) impulses: Vec<f64>,
    /// Where its angles were at the end of the last substep, to count turns (L.16) \[rad | -\].
    #[serde(skip)]
    pub(crate) track: Track,
}

impl SoftnessCoupling {
    /// True for the default.
    fn is_rows(&self) -> bool {
        *self == Self::Rows
    }
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
            angular_softness: None,
            coupling: SoftnessCoupling::Rows,
            max_force: None,
            max_torque: None,
            impulses: Vec::new(),
            track: Track::new(),
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

    /// The same joint with another softness of its angular rows.
    #[must_use]
    pub fn soft_turns(mut self, softness: Softness) -> Self {
        self.angular_softness = Some(softness);
        self
    }

    /// The same joint with the frequency of all rows of one softness together.
    #[must_use]
    pub fn coupled(mut self) -> Self {
        self.coupling = SoftnessCoupling::Block;
        self
    }

    /// The same joint with a limit of its own for the torque of an angular row \[N·m\].
    #[must_use]
    pub fn limited_turns(mut self, max_torque: f64) -> Self {
        self.max_torque = Some(max_torque);
        self
    }

    /// The softness of the rows with this unit.
    pub fn softness_of(&self, unit: RowUnit) -> Softness {
        match unit {
            RowUnit::Length => self.softness,
            RowUnit::Angle => self.angular_softness.unwrap_or(self.softness),
        }
    }

    /// The largest force or torque of a row with this unit, infinite without a limit \[N | N·m\].
    pub fn limit_of(&self, unit: RowUnit) -> f64 {
        let limit = match unit {
            RowUnit::Length => self.max_force,
            RowUnit::Angle => self.max_torque.or(self.max_force),
        };
        limit.unwrap_or(f64::INFINITY)
    }

    /// True if no row is soft.
    pub fn is_rigid(&self) -> bool {
        let mut units = self.constraint.descriptor().units.iter();
        units.all(|unit| self.softness_of(*unit).is_rigid())
    }

    /// True if its linear and angular rows have different limits, so that they are two blocks.
    pub fn is_split(&self) -> bool {
        let units = self.constraint.descriptor().units;
        let has = |unit| units.contains(&unit);
        has(RowUnit::Length)
            && has(RowUnit::Angle)
            && self.limit_of(RowUnit::Length) != self.limit_of(RowUnit::Angle)
    }

    /// True if a row with this unit shares its softness with one of the other unit.
    pub(crate) fn shares_spring(&self, a: RowUnit, b: RowUnit) -> bool {
        a == b || self.angular_softness.is_none()
    }

    /// True if its rows share compliance (S.16).
    pub fn has_coupled_compliance(&self) -> bool {
        let units = self.constraint.descriptor().units;
        let follows = |softness: Softness| softness.relative_compliance(1.0).is_some();
        let several = |unit| {
            let of = units
                .iter()
                .filter(|other| self.shares_spring(unit, **other));
            of.count() > 1 && follows(self.softness_of(unit))
        };
        let limit = self.constraint.descriptor().force == ForceKind::Limit;
        self.coupling == SoftnessCoupling::Block && !limit && units.iter().any(|u| several(*u))
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
        let soft = [
            ("softness", Some(self.softness)),
            ("angular_softness", self.angular_softness),
        ];
        for (field, softness) in soft {
            softness.unwrap_or_default().validate().map_err(|error| {
                let path = format!("{field}.{}", error.parameter);
                FieldError::new(path, error.value, error.expected)
            })?;
        }
        let limits = [
            ("max_force", self.max_force),
            ("max_torque", self.max_torque),
        ];
        for (field, limit) in limits {
            FieldError::non_negative(field, limit.unwrap_or(0.0))?;
        }
        if self.is_split() && self.has_coupled_compliance() && self.angular_softness.is_none() {
            let expected = "the limit of the linear rows, whose spring they share: give angular_softness, or coupling = \"rows\"";
            return Err(FieldError::new(
                "max_torque",
                self.limit_of(RowUnit::Angle),
                expected,
            ));
        }
        Ok(())
    }
}
