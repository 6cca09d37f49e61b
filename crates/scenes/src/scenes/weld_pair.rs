//! Two free bodies welded in a wrong relative pose: what a soft or stabilised weld does with an
//! error.

use delassus_core::parameter::require;
use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::constraints::Weld;
use delassus_dynamics::{Body, Cuboid, FieldError, Joint, ShapeGeometry, World, rotation};
use nalgebra::{UnitQuaternion, Vector3};

use crate::rig::{falling, softness};
use crate::scene::{Scene, SceneDescriptor};

/// Two boxes at rest without gravity. The weld wants them side by side along x with equal
/// orientation; the second starts elsewhere.
///
/// The pair must reach its pose while centre of mass, momentum and angular momentum stay as they
/// are.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct WeldPair {
    /// Masses of the two boxes.
    #[parameter(default = [1.0, 1.0], unit = "kg", range = "> 0")]
    pub masses: [f64; 2],
    /// Half edges of the boxes.
    #[parameter(default = [0.5, 0.25, 0.25], unit = "m", range = "> 0")]
    pub half: [f64; 3],
    /// Displacement of the second box from its place.
    #[parameter(default = [0.2, 0.5, -0.3], unit = "m")]
    pub offset: [f64; 3],
    /// Rotation vector of the second box from its orientation. Shorter than π.
    #[parameter(default = [0.4, -0.3, 0.8], unit = "rad")]
    pub twist: [f64; 3],
    /// Frequency of the weld's rows as if each were alone. 0 is rigid.
    #[parameter(default = 0.0, unit = "Hz", range = ">= 0")]
    pub hertz: f64,
    /// Damping ratio that goes with hertz.
    #[parameter(default = 1.0, unit = "-", range = ">= 0")]
    pub damping_ratio: f64,
}

impl WeldPair {
    fn check(&self) -> Result<(), ParameterError> {
        let angle = Vector3::from(self.twist).norm();
        let expected =
            "the rotation vector must be shorter than pi: the weld turns the shorter way";
        require(angle < std::f64::consts::PI, "twist", angle, expected)
    }
}

impl Scene for WeldPair {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "weld-pair",
        summary: "two free boxes with a weld, released from a wrong relative pose",
        citations: &["Coumans2006"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let half = Vector3::from(self.half);
        let shape = Cuboid { half };
        let face = Vector3::new(half.x, 0.0, 0.0);
        let turn = rotation::exp(&Vector3::from(self.twist));
        let left = Vector3::new(-half.x, 0.0, 0.0);
        let first = Body::dynamic(shape.solid(self.masses[0])?, left).named("first");
        let second = Body::dynamic(
            shape.solid(self.masses[1])?,
            face + Vector3::from(self.offset),
        );
        let mut parts = falling(0.0);
        let bodies = [
            parts.body(first),
            parts.body(second.turned(turn).named("second")),
        ];
        let weld = Joint::new(Weld {
            bodies,
            anchors: [face, left],
            orientation: UnitQuaternion::identity(),
        });
        let softness = softness(self.hertz, self.damping_ratio);
        parts.joint(weld.named("weld").soft(softness));
        parts.build()
    }
}
