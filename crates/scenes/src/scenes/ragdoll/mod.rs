//! A human of eleven bodies, with limits and friction in its joints.

mod human;

use std::f64::consts::PI;

use delassus_core::parameter::{non_negative, positive, require};
use delassus_core::{ParameterError, parameters};
use delassus_dynamics::constraints::{AngleLimit, ConeLimit, TwistLimit};
use delassus_dynamics::{Body, FieldError, Joint, World, WorldParts, rotation};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::registry::{Scene, SceneDescriptor};
use crate::rig::{ball, check_softness, falling, hinge, motor, softness};
use human::{BONES, Bone};

/// What a ragdoll hangs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hold {
    /// Nothing: it falls.
    Nothing,
    /// The top of its head.
    Head,
    /// Its left hand.
    Hand,
}

parameters! {
    /// A human of 1.61 m upright at rest, with its soles at height 0 and limbs bent as little as their limits allow.
    ///
    /// The bones are those of Solver2D's human, with left and right limbs apart. Knees and elbows are hinges with
    /// angle limits; the other joints are ball joints, whose planar range is the section of a cone, with a limit on
    /// the twist. The friction acts about the lateral axis, as in the source.
    Ragdoll {
        /// Factor on all lengths and on the friction \[-\]; > 0.
        scale: f64 = 1.0,
        /// Density \[kg/m³\]; > 0.
        density: f64 = 1000.0,
        /// "nothing", "head" or "hand" (the left one): a ball joint with the world.
        hold: Hold = Hold::Hand,
        /// Largest twist of a ball joint to either side \[π rad\]; in (0, 1).
        twist: f64 = 0.15,
        /// Friction torque of the hip joints \[N·m\]; >= 0, 0 is none. Other joints have a share of it.
        friction_torque: f64 = 5.0,
        /// Decay rate of the angular velocities \[1/s\]; >= 0.
        damping: f64 = 0.0,
        /// Frequency of the joints as if each row were alone \[Hz\]; >= 0, 0 is rigid.
        hertz: f64 = 0.0,
        /// Damping ratio that goes with hertz \[-\]; >= 0.
        damping_ratio: f64 = 1.0,
        /// Gravity \[m/s²\]; >= 0.
        gravity: f64 = 10.0,
    }
}

impl Scene for Ragdoll {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "ragdoll",
        summary: "human of eleven bodies with cone, twist and angle limits and friction in its joints",
        parameters: Self::PARAMETERS,
        citations: &["Catto2024"],
    };

    fn validate(&self) -> Result<(), ParameterError> {
        positive("scale", self.scale)?;
        positive("density", self.density)?;
        let fits = self.twist > 0.0 && self.twist < 1.0;
        require(fits, "twist", self.twist, "it must lie in (0, 1)")?;
        non_negative("friction_torque", self.friction_torque)?;
        non_negative("damping", self.damping)?;
        check_softness(self.hertz, self.damping_ratio)?;
        non_negative("gravity", self.gravity)
    }

    fn build(&self) -> Result<World, FieldError> {
        let mut parts = falling(self.gravity);
        for bone in &BONES {
            let (inertia, centre) = bone.solid(self.density, self.scale)?;
            let pivot = self.pivot(bone);
            let turn = rotation::about(&Vector3::z(), bone.start());
            let body = Body::dynamic(inertia, pivot + turn * (centre - pivot));
            let body = Body {
                angular_damping: self.damping,
                ..body.turned(turn).named(bone.name)
            };
            parts.body(body);
        }
        for (index, bone) in BONES.iter().enumerate() {
            if let Some(parent) = bone.parent {
                self.join(&mut parts, [parent, index], bone);
            }
        }
        self.hang(&mut parts);
        parts.build()
    }
}

impl Ragdoll {
    /// Joint of an upright bone with its parent \[m\].
    fn pivot(&self, bone: &Bone) -> Vector3<f64> {
        self.scale * Vector3::new(0.0, bone.pivot, -bone.side)
    }

    fn join(&self, parts: &mut WorldParts, bodies: [usize; 2], bone: &Bone) {
        let (pivot, z) = (self.pivot(bone), Vector3::z());
        let joint = if bone.hinge {
            hinge(parts, bodies, &pivot, &z)
        } else {
            ball(parts, bodies, &pivot)
        };
        let softness = softness(self.hertz, self.damping_ratio);
        parts.joint(joint.named(bone.name).soft(softness));
        for limit in self.limits(bodies, bone) {
            parts.joint(limit.named(format!("{} limit", bone.name)));
        }
        if self.friction_torque > 0.0 {
            let torque = self.friction_torque * self.scale * bone.friction;
            let friction = motor(parts, bodies, &z, 0.0, torque);
            parts.joint(friction.named(format!("{} friction", bone.name)));
        }
    }

    /// Limits about the upright pose, in which all bones have the axes of the world.
    fn limits(&self, bodies: [usize; 2], bone: &Bone) -> Vec<Joint> {
        let [lower, upper] = bone.range.map(|bound| PI * bound);
        if bone.hinge {
            let axes = [Vector3::z(); 2];
            return vec![Joint::new(AngleLimit {
                bodies,
                axes,
                lower,
                upper,
            })];
        }
        // the cone whose section with the plane of symmetry is the planar range
        let middle = rotation::about(&Vector3::z(), 0.5 * (lower + upper));
        let axes = [middle * Vector3::y(), Vector3::y()];
        let cone = ConeLimit {
            bodies,
            axes,
            limit: 0.5 * (upper - lower),
        };
        let twist = TwistLimit {
            bodies,
            axes,
            lower: -PI * self.twist,
            upper: PI * self.twist,
        };
        vec![Joint::new(cone), Joint::new(twist)]
    }

    /// Ties the held point to the world.
    fn hang(&self, parts: &mut WorldParts) {
        let (name, from, to) = match self.hold {
            Hold::Nothing => return,
            Hold::Head => ("head", 1.5, 0.1125),
            Hold::Hand => ("lower left arm", 0.975, -0.155),
        };
        let Some(body) = BONES.iter().position(|bone| bone.name == name) else {
            return;
        };
        let bone = &BONES[body];
        let pivot = self.pivot(bone);
        let end = self.scale * Vector3::new(0.0, from + to, -bone.side);
        let turn = rotation::about(&Vector3::z(), bone.start());
        let point = pivot + turn * (end - pivot);
        let hook = parts.body(Body::fixed(point).named("hook"));
        let joint = ball(parts, [hook, body], &point);
        parts.joint(
            joint
                .named("hold")
                .soft(softness(self.hertz, self.damping_ratio)),
        );
    }
}
