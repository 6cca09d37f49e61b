//! What the surfaces of colliders are like, and how two of them act together.

use delassus_core::{Choice, FieldError, Softness};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// The surface of a collider.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Material {
    /// Coefficient of friction \[-\]; ≥ 0. Of rest, where `kinetic_friction` is given.
    pub friction: f64,
    /// Coefficient of friction of surfaces that slide \[-\]; ≥ 0. That of rest without it.
    pub kinetic_friction: Option<f64>,
    /// Coefficient of restitution \[-\], in \[0, 1\].
    pub restitution: f64,
    /// Lever of rolling resistance: the largest rolling torque over the normal force \[m\]; ≥ 0.
    pub rolling_friction: f64,
    /// Lever of spinning resistance: the largest torque about the normal over the normal force
    /// \[m\]; ≥ 0.
    pub spinning_friction: f64,
    /// Velocity of the surface relative to the body, as of a conveyor belt, in the axes of the body
    /// \[m/s\].
    pub surface_velocity: Vector3<f64>,
    /// How soft it is, for each contact point: physics, not the stabilisation of a scheme. A soft
    /// surface bounces by its damping and has no restitution.
    #[serde(skip_serializing_if = "Softness::is_rigid")]
    pub softness: Softness,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            friction: 0.6,
            kinetic_friction: None,
            restitution: 0.0,
            rolling_friction: 0.0,
            spinning_friction: 0.0,
            surface_velocity: Vector3::zeros(),
            softness: Softness::Rigid,
        }
    }
}

impl Material {
    /// True if its friction is the same however it moves against another surface.
    pub fn is_plain(&self) -> bool {
        self.kinetic_friction.is_none() && self.surface_velocity == Vector3::zeros()
    }
}

/// How the coefficients of two surfaces make one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum CombineRule {
    /// √(a b): zero if one of them is smooth.
    Geometric,
    /// (a + b)/2.
    Mean,
    /// The smaller one.
    Minimum,
    /// The larger one.
    Maximum,
    /// a b.
    Product,
}

impl CombineRule {
    /// The coefficient of two surfaces together.
    pub fn combine(self, a: f64, b: f64) -> f64 {
        match self {
            // roots first: the product of two small numbers may underflow
            Self::Geometric => a.sqrt() * b.sqrt(),
            Self::Mean => 0.5 * (a + b),
            Self::Minimum => a.min(b),
            Self::Maximum => a.max(b),
            Self::Product => a * b,
        }
    }
}

/// The rules of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Combining {
    /// Of friction, static and kinetic.
    pub friction: CombineRule,
    /// Of restitution.
    pub restitution: CombineRule,
    /// Of rolling and spinning friction.
    pub rolling: CombineRule,
}

impl Default for Combining {
    /// Those of Box2D and its relatives.
    fn default() -> Self {
        Self {
            friction: CombineRule::Geometric,
            restitution: CombineRule::Maximum,
            rolling: CombineRule::Maximum,
        }
    }
}

/// Two surfaces together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Combined {
    /// Coefficient of friction at rest \[-\].
    pub friction: f64,
    /// Coefficient of friction of surfaces that slide \[-\].
    pub kinetic_friction: f64,
    /// Coefficient of restitution \[-\].
    pub restitution: f64,
    /// Lever of rolling resistance \[m\].
    pub rolling_friction: f64,
    /// Lever of spinning resistance \[m\].
    pub spinning_friction: f64,
    /// Both surfaces in series; rigid where they are given in different forms, which a world
    /// refuses.
    pub softness: Softness,
}

impl Combining {
    /// Two surfaces together.
    pub fn combine(&self, a: &Material, b: &Material) -> Combined {
        let kinetic = |m: &Material| m.kinetic_friction.unwrap_or(m.friction);
        let softness = a.softness.in_series(b.softness).unwrap_or_default();
        // what is soft bounces by its damping
        let bounces = softness.is_rigid();
        let restitution = self.restitution.combine(a.restitution, b.restitution);
        Combined {
            softness,
            friction: self.friction.combine(a.friction, b.friction),
            kinetic_friction: self.friction.combine(kinetic(a), kinetic(b)),
            restitution: if bounces { restitution } else { 0.0 },
            rolling_friction: self.rolling.combine(a.rolling_friction, b.rolling_friction),
            spinning_friction: self
                .rolling
                .combine(a.spinning_friction, b.spinning_friction),
        }
    }
}

impl Material {
    /// A surface that has friction and nothing else.
    pub fn rough(friction: f64) -> Self {
        Self {
            friction,
            ..Self::default()
        }
    }

    /// Checks every field.
    ///
    /// # Errors
    /// The first field out of its range.
    pub fn validate(&self) -> Result<(), FieldError> {
        FieldError::coefficient("friction", self.friction)?;
        if let Some(kinetic) = self.kinetic_friction {
            FieldError::coefficient("kinetic_friction", kinetic)?;
        }
        FieldError::coefficient("rolling_friction", self.rolling_friction)?;
        FieldError::coefficient("spinning_friction", self.spinning_friction)?;
        FieldError::finite_vector("surface_velocity", &self.surface_velocity)?;
        check_softness(&self.softness, self.restitution)?;
        if (0.0..=1.0).contains(&self.restitution) {
            return Ok(());
        }
        let expected = "a coefficient of restitution lies in [0, 1]";
        Err(FieldError::new("restitution", self.restitution, expected))
    }
}

/// Refuses a softness out of its range, and one with restitution.
///
/// # Errors
/// The field, below that of the softness.
pub fn check_softness(softness: &Softness, restitution: f64) -> Result<(), FieldError> {
    softness.validate().map_err(|error| {
        let path = format!("softness.{}", error.parameter);
        FieldError::new(path, error.value, error.expected)
    })?;
    if softness.is_rigid() || restitution == 0.0 {
        return Ok(());
    }
    let expected = "0 where it is soft: a spring bounces by its damping";
    Err(FieldError::new("restitution", restitution, expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_symmetric_and_keeps_equal_surfaces() {
        for rule in CombineRule::ALL {
            assert_eq!(rule.combine(0.3, 0.8), rule.combine(0.8, 0.3), "{rule:?}");
            let same = rule.combine(0.25, 0.25);
            let expected = if *rule == CombineRule::Product {
                0.0625
            } else {
                0.25
            };
            assert_eq!(same, expected, "{rule:?}");
        }
        assert_eq!(CombineRule::Geometric.combine(0.0, 5.0), 0.0);
        assert!(CombineRule::Geometric.combine(1e-200, 1e-200) > 0.0);
    }

    #[test]
    fn ranges_are_checked() {
        let path = |m: Material| m.validate().unwrap_err().path;
        assert_eq!(path(Material::rough(-0.1)), "friction");
        assert_eq!(path(Material::rough(f64::NAN)), "friction");
        let bouncy = Material {
            restitution: 1.5,
            ..Material::default()
        };
        assert_eq!(path(bouncy), "restitution");
        assert!(Material::default().validate().is_ok());
        let spring = |stiffness| Softness::Spring {
            stiffness,
            damping: 0.0,
        };
        let soft = |stiffness, restitution| Material {
            softness: spring(stiffness),
            restitution,
            ..Material::default()
        };
        assert_eq!(path(soft(-1.0, 0.0)), "softness.stiffness");
        assert_eq!(path(soft(1.0, 0.5)), "restitution");
        assert!(soft(1.0, 0.0).validate().is_ok());
        // two soft surfaces in series; on a soft one nothing bounces
        let rules = Combining::default();
        let together = rules.combine(&soft(2.0, 0.0), &soft(2.0, 0.0));
        assert_eq!(together.softness, spring(1.0));
        let rigid = Material {
            restitution: 0.5,
            ..Material::default()
        };
        let together = rules.combine(&soft(2.0, 0.0), &rigid);
        assert_eq!(
            (together.softness, together.restitution),
            (spring(2.0), 0.0)
        );
    }
}
