//! A human of eleven bodies, with limits and friction in its joints.

mod human;

use std::f64::consts::PI;

use delassus_core::{Choice, Parameters};
use delassus_dynamics::constraints::{AngleLimit, ConeLimit, TwistLimit};
use delassus_dynamics::{Body, Collider, FieldError, Joint, Material, World, WorldParts, rotation};
use nalgebra::Vector3;

use crate::rig::{Spring, ball, falling, hinge, motor};
use crate::scene::{Scene, SceneDescriptor};
use human::{BONES, Bone};

/// Bodies of a human.
pub(super) const BODIES: usize = BONES.len();

/// Friction of a foot over that of the rest \[-\]: 0.1 and 0.4 in the source.
const FOOT: f64 = 0.25;

/// What a ragdoll hangs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum Hold {
    /// Nothing: it falls.
    Nothing,
    /// The top of its head.
    Head,
    /// Its left hand.
    Hand,
}

/// A human of 1.61 m upright at rest, with its soles at height 0 and limbs bent as little as their
/// limits allow.
///
/// The bones are those of Solver2D's human, with left and right limbs apart. Knees and elbows are
/// hinges with angle limits; the other joints are ball joints, whose planar range is the section of
/// a cone, with a limit on the twist. The friction acts about the lateral axis, as in the source.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct Ragdoll {
    /// Factor on all lengths and on the friction.
    #[parameter(default = 1.0, unit = "-", range = "> 0")]
    pub scale: f64,
    /// Density.
    #[parameter(default = 1000.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// What the ragdoll hangs on.
    #[parameter(default = Hold::Hand)]
    pub hold: Hold,
    /// True gives the joints their limits. False, with a friction torque of 0, leaves a tree of
    /// joints.
    #[parameter(default = true)]
    pub limits: bool,
    /// Largest twist of a ball joint to either side.
    #[parameter(default = 0.15, unit = "π rad", range = "(0, 1)")]
    pub twist: f64,
    /// Friction torque of the hip joints. 0 is none. Other joints have a share of it.
    #[parameter(default = 5.0, unit = "N·m", range = ">= 0")]
    pub friction_torque: f64,
    /// Decay rate of the angular velocities.
    #[parameter(default = 0.0, unit = "1/s", range = ">= 0")]
    pub damping: f64,
    /// Softness of the joints.
    #[parameter(flatten)]
    pub spring: Spring,
    /// Gravity.
    #[parameter(default = 10.0, unit = "m/s²", range = ">= 0")]
    pub gravity: f64,
}

impl Scene for Ragdoll {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "ragdoll",
        summary: "human of eleven bodies with cone, twist and angle limits and friction in its joints",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut parts = falling(self.gravity);
        self.stand(&mut parts)?;
        self.hang(&mut parts);
        parts.build()
    }
}

impl Ragdoll {
    /// Adds a human with its soles at the origin; returns its first body.
    pub(super) fn stand(&self, parts: &mut WorldParts) -> Result<usize, FieldError> {
        let first = parts.bodies.len();
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
                self.join(parts, [first + parent, first + index], bone);
            }
        }
        Ok(first)
    }

    /// Colliders of the human whose first body is `first`; those of one group do not touch each
    /// other.
    pub(super) fn dress(
        &self,
        parts: &mut WorldParts,
        first: usize,
        group: u32,
        surface: Material,
    ) -> Result<(), FieldError> {
        for (index, bone) in BONES.iter().enumerate() {
            let (_, centre) = bone.solid(self.density, self.scale)?;
            let shift = bone.middle(self.scale) - centre;
            for (part, capsule) in bone.capsules(self.scale).enumerate() {
                // the second capsule of a shank is its foot, which slides more easily
                let foot = bone.name.starts_with("lower") && part == 1;
                let friction = if foot { FOOT } else { 1.0 } * surface.friction;
                let collider = Collider::new(first + index, capsule.shape).dense(self.density);
                let mut collider = collider.at(capsule.middle + shift).turned(capsule.turn);
                collider.material = Material {
                    friction,
                    ..surface
                };
                collider.filter.group = group;
                parts.collider(collider);
            }
        }
        Ok(())
    }

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
        let softness = self.spring.softness();
        parts.joint(joint.named(bone.name).soft(softness));
        if self.limits {
            for limit in self.ranges(bodies, bone) {
                parts.joint(limit.named(format!("{} limit", bone.name)));
            }
        }
        if self.friction_torque > 0.0 {
            let torque = self.friction_torque * self.scale * bone.friction;
            let friction = motor(parts, bodies, &z, 0.0, torque);
            parts.joint(friction.named(format!("{} friction", bone.name)));
        }
    }

    /// Limits about the upright pose, in which all bones have the axes of the world.
    fn ranges(&self, bodies: [usize; 2], bone: &Bone) -> Vec<Joint> {
        let [lower, upper] = bone.range.map(|bound| PI * bound);
        if bone.hinge {
            let axes = [Vector3::z(); 2];
            return vec![Joint::new(AngleLimit {
                bodies,
                axes,
                lower,
                upper,
                reference: 0.0,
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
            reference: 0.0,
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
        parts.joint(joint.named("hold").soft(self.spring.softness()));
    }
}
