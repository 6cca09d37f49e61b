//! Two free bodies welded in a wrong relative pose: what a soft or stabilised weld does with an error.

use delassus_core::parameter::{finite, positive};
use delassus_core::{ParameterError, parameters};
use delassus_dynamics::constraints::Weld;
use delassus_dynamics::{Body, FieldError, Joint, Shape, World, rotation};
use nalgebra::{UnitQuaternion, Vector3};

use crate::registry::{Scene, SceneDescriptor};
use crate::rig::{check_softness, falling, softness};

parameters! {
    /// Two boxes at rest without gravity. The weld wants them side by side along x with equal orientation; the second
    /// starts elsewhere.
    ///
    /// The pair must reach its pose while centre of mass, momentum and angular momentum stay as they are.
    WeldPair {
        /// Masses of the two boxes \[kg\]; > 0.
        masses: [f64; 2] = [1.0, 1.0],
        /// Half edges of the boxes \[m\]; > 0.
        half: [f64; 3] = [0.5, 0.25, 0.25],
        /// Displacement of the second box from its place \[m\].
        offset: [f64; 3] = [0.2, 0.5, -0.3],
        /// Rotation vector of the second box from its orientation \[rad\]; shorter than π.
        twist: [f64; 3] = [0.4, -0.3, 0.8],
        /// Frequency of the weld's rows as if each were alone \[Hz\]; >= 0, 0 is rigid.
        hertz: f64 = 0.0,
        /// Damping ratio that goes with hertz \[-\]; >= 0.
        damping_ratio: f64 = 1.0,
    }
}

impl Scene for WeldPair {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "weld-pair",
        summary: "two free boxes with a weld, released from a wrong relative pose",
        parameters: Self::PARAMETERS,
        citations: &["Coumans2006"],
    };

    fn validate(&self) -> Result<(), ParameterError> {
        for mass in self.masses {
            positive("masses", mass)?;
        }
        for half in self.half {
            positive("half", half)?;
        }
        for offset in self.offset {
            finite("offset", offset)?;
        }
        for twist in self.twist {
            finite("twist", twist)?;
        }
        let angle = Vector3::from(self.twist).norm();
        let expected =
            "the rotation vector must be shorter than pi: the weld turns the shorter way";
        delassus_core::parameter::require(angle < std::f64::consts::PI, "twist", angle, expected)?;
        check_softness(self.hertz, self.damping_ratio)
    }

    fn build(&self) -> Result<World, FieldError> {
        let half = Vector3::from(self.half);
        let shape = Shape::Box { half };
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
