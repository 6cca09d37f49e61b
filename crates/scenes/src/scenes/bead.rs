//! A bead on a bent wire: a curved constraint, which a velocity constraint alone leaves.

use delassus_core::parameter::{finite, non_negative, positive};
use delassus_core::{ParameterError, parameters};
use delassus_dynamics::constraints::{Bead as BeadJoint, Curve};
use delassus_dynamics::{Body, Constraint, FieldError, Inertia, Joint, World};
use nalgebra::Vector3;

use crate::registry::{Scene, SceneDescriptor};
use crate::rig::{check_softness, falling, softness};

parameters! {
    /// A point mass on a plane curve about the origin, locked to the x-y plane, in motion along the curve.
    Bead {
        /// The curve: { "circle": { "radius" } }, "ellipse", "parabola", "sine" or "line"; sizes \[m\].
        curve: Curve = Curve::Circle { radius: 1.0 },
        /// Where the bead starts: its angle from +x on a circle or ellipse \[rad\], x otherwise, the distance on a line \[m\].
        start: f64 = 0.0,
        /// Speed along the curve at the start, to the left of its normal \[m/s\].
        speed: f64 = 1.0,
        /// Mass \[kg\]; > 0.
        mass: f64 = 1.0,
        /// Frequency of the joint as if it were alone \[Hz\]; >= 0, 0 is rigid.
        hertz: f64 = 0.0,
        /// Damping ratio that goes with hertz \[-\]; >= 0.
        damping_ratio: f64 = 1.0,
        /// Gravity \[m/s²\]; >= 0.
        gravity: f64 = 0.0,
    }
}

impl Scene for Bead {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "bead",
        summary: "bead on a circle, a parabola or another plane curve",
        parameters: Self::PARAMETERS,
        citations: &["Catto2009"],
    };

    fn validate(&self) -> Result<(), ParameterError> {
        finite("start", self.start)?;
        finite("speed", self.speed)?;
        positive("mass", self.mass)?;
        check_softness(self.hertz, self.damping_ratio)?;
        non_negative("gravity", self.gravity)
    }

    fn build(&self) -> Result<World, FieldError> {
        let wire = BeadJoint {
            bodies: [0, 1],
            anchors: [Vector3::zeros(); 2],
            curve: self.curve,
        };
        // a size that makes no curve gives no place either: name the size
        wire.validate()?;
        let [x, y] = self.place();
        let (_, [across_x, across_y]) = self.curve.distance(x, y);
        let across = Vector3::new(-across_y, across_x, 0.0);
        // the gradient of the distance has length 1 on the curve
        let velocity = self.speed * across / across.norm().max(f64::MIN_POSITIVE);
        let mut bead = Body::dynamic(Inertia::point(self.mass), Vector3::new(x, y, 0.0));
        bead.lock_translation[2] = true;
        let mut parts = falling(self.gravity);
        parts.body(Body::fixed(Vector3::zeros()).named("frame"));
        parts.body(bead.moving(velocity, Vector3::zeros()).named("bead"));
        let softness = softness(self.hertz, self.damping_ratio);
        parts.joint(Joint::new(wire).named("wire").soft(softness));
        parts.build()
    }
}

impl Bead {
    /// The point of the curve at `start` \[m\].
    fn place(&self) -> [f64; 2] {
        let (sine, cosine) = libm::sincos(self.start);
        match self.curve {
            Curve::Circle { radius } => [radius * cosine, radius * sine],
            Curve::Ellipse { radii: [a, b] } => [a * cosine, b * sine],
            Curve::Parabola { curvature } => {
                [self.start, 0.5 * curvature * self.start * self.start]
            }
            Curve::Sine {
                amplitude,
                wavelength,
            } => {
                let phase = std::f64::consts::TAU * self.start / wavelength;
                [self.start, amplitude * libm::sin(phase)]
            }
            Curve::Line { normal: [nx, ny] } => [-ny * self.start, nx * self.start],
        }
    }
}
