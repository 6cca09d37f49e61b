//! One swinging body: period, drift and energy have closed forms or published digits.

use delassus_core::parameter::require;
use delassus_core::{Choice, ParameterError, Parameters};
use delassus_dynamics::{Body, FieldError, Inertia, Signal, World, rotation};
use nalgebra::Vector3;

use crate::rig::{Spring, ball, falling, hinge, rod, rod_inertia};
use crate::scene::{Scene, SceneDescriptor};

/// What holds a pendulum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum PendulumJoint {
    /// A point mass on a massless rod: one distance row.
    Distance,
    /// A uniform rod on a ball joint: three rows.
    Ball,
    /// A uniform rod on a hinge: five rows.
    Hinge,
}

/// A pendulum released from an angle in the x-y plane, about a pivot at the origin.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct Pendulum {
    /// Length, from the pivot to the point mass or to the end of the rod.
    #[parameter(default = 1.0, unit = "m", range = "> 0")]
    pub length: f64,
    /// Mass.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Angle from the downward vertical at the start, towards +x.
    #[parameter(default = std::f64::consts::FRAC_PI_2, unit = "rad")]
    pub angle: f64,
    /// Angular velocity at the start, anticlockwise.
    #[parameter(default = 0.0, unit = "rad/s")]
    pub speed: f64,
    /// What holds the pendulum.
    #[parameter(default = PendulumJoint::Distance)]
    pub joint: PendulumJoint,
    /// Radius of the uniform rod.
    #[parameter(default = 0.05, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Amplitude of a sine by which the length of a massless rod changes. Below the length.
    #[parameter(default = 0.0, unit = "m", range = ">= 0")]
    pub amplitude: f64,
    /// Frequency of that sine.
    #[parameter(default = 0.0, unit = "Hz", range = ">= 0")]
    pub pump_hertz: f64,
    /// Softness of the joints.
    #[parameter(flatten)]
    pub spring: Spring,
    /// Gravity.
    #[parameter(default = 9.81, unit = "m/s²", range = ">= 0")]
    pub gravity: f64,
}

impl Pendulum {
    fn check(&self) -> Result<(), ParameterError> {
        let pumped = self.joint == PendulumJoint::Distance || self.amplitude == 0.0;
        let expected = "only the massless rod (joint = \"distance\") changes its length; use 0";
        require(pumped, "amplitude", self.amplitude, expected)?;
        let fits = self.amplitude < self.length;
        let expected = "it must be below the length";
        require(fits, "amplitude", self.amplitude, expected)
    }
}

impl Scene for Pendulum {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "pendulum",
        summary: "point mass on a massless rod, or uniform rod on a ball joint or hinge, released from an angle",
        citations: &[],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut parts = falling(self.gravity);
        let pivot = parts.body(Body::fixed(Vector3::zeros()).named("pivot"));
        let turn = rotation::about(&Vector3::z(), self.angle);
        let down = turn * Vector3::new(0.0, -1.0, 0.0);
        let spin = Vector3::new(0.0, 0.0, self.speed);
        let (inertia, distance) = match self.joint {
            PendulumJoint::Distance => (Inertia::point(self.mass), self.length),
            PendulumJoint::Ball | PendulumJoint::Hinge => {
                let inertia = rod_inertia(self.length, self.radius, self.mass)?;
                (inertia, 0.5 * self.length)
            }
        };
        let centre = distance * down;
        let bob = Body::dynamic(inertia, centre).turned(turn).named("bob");
        // a point mass has no orientation, and so no spin
        let own_spin = if self.joint == PendulumJoint::Distance {
            Vector3::zeros()
        } else {
            spin
        };
        let bob = parts.body(bob.moving(spin.cross(&centre), own_spin));
        let bodies = [pivot, bob];
        let joint = match self.joint {
            PendulumJoint::Distance => rod(bodies, self.target()),
            PendulumJoint::Ball => ball(&parts, bodies, &Vector3::zeros()),
            PendulumJoint::Hinge => hinge(&parts, bodies, &Vector3::zeros(), &Vector3::z()),
        };
        let softness = self.spring.softness();
        parts.joint(joint.named("pivot").soft(softness));
        parts.build()
    }
}

impl Pendulum {
    /// Length of the massless rod over time.
    fn target(&self) -> Signal {
        if self.amplitude == 0.0 {
            return Signal::Constant(self.length);
        }
        Signal::Sine {
            mean: self.length,
            amplitude: self.amplitude,
            hertz: self.pump_hertz,
            phase: 0.0,
        }
    }
}
