//! The heavy symmetric top: steady precession has a closed form.

use delassus_core::parameter::require;
use delassus_core::{Choice, ParameterError, Parameters};
use delassus_dynamics::{Body, FieldError, Inertia, World, rotation};
use nalgebra::Vector3;

use crate::rig::{ball, falling};
use crate::scene::{Scene, SceneDescriptor};

/// How a top starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum TopStart {
    /// With the slow steady precession.
    Slow,
    /// With the fast steady precession.
    Fast,
    /// Spinning about its axis only: it nods.
    Released,
}

/// A symmetric top that spins about its own axis (the body's y) on a ball joint at the origin.
///
/// The moment across the axis is given about the tip; the body has it about its centre of mass,
/// mass x distance² less (parallel-axis theorem). A scheme has to treat the gyroscopic torque.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct SpinningTop {
    /// Mass.
    #[parameter(default = 0.5, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Distance from the tip to the centre of mass.
    #[parameter(default = 0.1, unit = "m", range = "> 0")]
    pub distance: f64,
    /// Moment of inertia about an axis through the tip, across the axis of the top. Above mass
    /// distance².
    #[parameter(default = 0.006, unit = "kg·m²", range = "> 0")]
    pub moment_across: f64,
    /// Moment of inertia about the axis of the top.
    #[parameter(default = 0.001, unit = "kg·m²", range = "> 0")]
    pub moment_along: f64,
    /// Component of the angular velocity along the axis of the top.
    #[parameter(default = 150.0, unit = "rad/s")]
    pub spin: f64,
    /// Angle of the axis from the upward vertical, towards +x.
    #[parameter(default = std::f64::consts::FRAC_PI_3, unit = "rad")]
    pub tilt: f64,
    /// How the top starts.
    #[parameter(default = TopStart::Slow)]
    pub start: TopStart,
    /// Gravity.
    #[parameter(default = 9.81, unit = "m/s²", range = ">= 0")]
    pub gravity: f64,
}

impl SpinningTop {
    fn check(&self) -> Result<(), ParameterError> {
        let least = self.mass * self.distance * self.distance;
        let expected = "about the tip it is above mass * distance^2 (parallel-axis theorem)";
        let fits = self.moment_across > least;
        require(fits, "moment_across", self.moment_across, expected)?;
        let expected = "this top is too slow, or too upright or level, for a steady precession of this kind; use start = \"released\"";
        require(self.precession().is_some(), "spin", self.spin, expected)
    }
}

impl Scene for SpinningTop {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "spinning-top",
        summary: "heavy symmetric top on its tip, in steady precession or released",
        citations: &["Landau1976"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let across = self.moment_across - self.mass * self.distance * self.distance;
        let moments = Vector3::new(across, self.moment_along, across);
        let turn = rotation::about(&Vector3::z(), -self.tilt);
        let axis = turn * Vector3::y();
        // the axis turns about the vertical; along the axis only the spin counts
        let precession = self.precession().unwrap_or(0.0) * Vector3::y();
        let spin = precession + (self.spin - precession.dot(&axis)) * axis;
        let centre = self.distance * axis;
        let top = Body::dynamic(Inertia::new(self.mass, moments), centre).turned(turn);
        let top = top.moving(spin.cross(&centre), spin).named("top");
        let mut parts = falling(self.gravity);
        let ground = parts.body(Body::fixed(Vector3::zeros()).named("ground"));
        let top = parts.body(top);
        let joint = ball(&parts, [ground, top], &Vector3::zeros());
        parts.joint(joint.named("tip"));
        parts.build()
    }
}

impl SpinningTop {
    /// Rate about the vertical at the start \[rad/s\]: a root of I₁ cos θ Ω² − I₃ ω₃ Ω + m g l = 0.
    fn precession(&self) -> Option<f64> {
        let momentum = self.moment_along * self.spin;
        let weight = self.mass * self.gravity * self.distance;
        let stiffness = self.moment_across * libm::cos(self.tilt);
        let discriminant = momentum * momentum - 4.0 * stiffness * weight;
        // the root that does not cancel, and the other one from their product
        let sum = momentum + discriminant.sqrt().copysign(momentum);
        let rate = match self.start {
            TopStart::Released => 0.0,
            TopStart::Slow => 2.0 * weight / sum,
            TopStart::Fast => 0.5 * sum / stiffness,
        };
        rate.is_finite().then_some(rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precession_has_the_published_roots() {
        // oracle O33
        let slow = SpinningTop::default();
        assert!((slow.precession().unwrap() - 3.517449).abs() < 5e-7);
        let fast = SpinningTop {
            start: TopStart::Fast,
            ..slow.clone()
        };
        assert!((fast.precession().unwrap() - 46.482551).abs() < 5e-7);
        let below = SpinningTop { spin: 10.0, ..slow };
        assert_eq!(below.validate().unwrap_err().parameter, "spin");
    }

    #[test]
    fn the_tip_is_at_rest() {
        let world = SpinningTop::default().make().unwrap();
        let top = &world.bodies()[1];
        let tip = top.velocity - top.spin.cross(&top.position.to_vector());
        assert!(tip.norm() < 1e-14);
        let axis = top.orientation * Vector3::y();
        assert!((top.spin.dot(&axis) - 150.0).abs() < 1e-12);
    }
}
