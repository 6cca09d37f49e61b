//! One swinging body: period, drift and energy have closed forms or published digits.

use delassus_core::parameter::{finite, non_negative, positive, require};
use delassus_core::{ParameterError, parameters};
use delassus_dynamics::{Body, FieldError, Inertia, Signal, World, rotation};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::registry::{Scene, SceneDescriptor};
use crate::rig::{ball, check_softness, falling, hinge, rod, rod_inertia, softness};

/// What holds a pendulum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PendulumJoint {
    /// A point mass on a massless rod: one distance row.
    Distance,
    /// A uniform rod on a ball joint: three rows.
    Ball,
    /// A uniform rod on a hinge: five rows.
    Hinge,
}

parameters! {
    /// A pendulum released from an angle in the x-y plane, about a pivot at the origin.
    Pendulum {
        /// Length, from the pivot to the point mass or to the end of the rod \[m\]; > 0.
        length: f64 = 1.0,
        /// Mass \[kg\]; > 0.
        mass: f64 = 1.0,
        /// Angle from the downward vertical at the start, towards +x \[rad\].
        angle: f64 = std::f64::consts::FRAC_PI_2,
        /// Angular velocity at the start, anticlockwise \[rad/s\].
        speed: f64 = 0.0,
        /// "distance" (point mass on a massless rod), "ball" or "hinge" (uniform rod).
        joint: PendulumJoint = PendulumJoint::Distance,
        /// Radius of the uniform rod \[m\]; > 0.
        radius: f64 = 0.05,
        /// Amplitude of a sine by which the length of a massless rod changes \[m\]; >= 0 and < length.
        amplitude: f64 = 0.0,
        /// Frequency of that sine \[Hz\]; >= 0.
        pump_hertz: f64 = 0.0,
        /// Frequency of the joint as if it were alone \[Hz\]; >= 0, 0 is rigid.
        hertz: f64 = 0.0,
        /// Damping ratio that goes with hertz \[-\]; >= 0.
        damping_ratio: f64 = 1.0,
        /// Gravity \[m/s²\]; >= 0.
        gravity: f64 = 9.81,
    }
}

impl Scene for Pendulum {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "pendulum",
        summary: "point mass on a massless rod, or uniform rod on a ball joint or hinge, released from an angle",
        parameters: Self::PARAMETERS,
        citations: &[],
    };

    fn validate(&self) -> Result<(), ParameterError> {
        positive("length", self.length)?;
        positive("mass", self.mass)?;
        finite("angle", self.angle)?;
        finite("speed", self.speed)?;
        positive("radius", self.radius)?;
        let pumped = self.joint == PendulumJoint::Distance || self.amplitude == 0.0;
        let expected = "only the massless rod (joint = \"distance\") changes its length; use 0";
        require(pumped, "amplitude", self.amplitude, expected)?;
        let fits = (0.0..self.length).contains(&self.amplitude);
        let expected = "it must be >= 0 and below the length";
        require(fits, "amplitude", self.amplitude, expected)?;
        non_negative("pump_hertz", self.pump_hertz)?;
        check_softness(self.hertz, self.damping_ratio)?;
        non_negative("gravity", self.gravity)
    }

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
        let softness = softness(self.hertz, self.damping_ratio);
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
