//! A bead on a bent wire: a curved constraint, which a velocity constraint alone leaves.

use delassus_core::Parameters;
use delassus_dynamics::constraints::{Bead as BeadJoint, Curve};
use delassus_dynamics::{Body, Constraint, FieldError, Inertia, Joint, World};
use nalgebra::Vector3;

use crate::rig::{Spring, falling};
use crate::scene::{Scene, SceneDescriptor};

/// A point mass on a plane curve about the origin, locked to the x-y plane, in motion along the
/// curve.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct BeadScene {
    /// The curve: { "circle": { "radius" } }, "ellipse", "parabola", "sine" or "line"; sizes \[m\].
    #[parameter(default = Curve::Circle { radius: 1.0 })]
    pub curve: Curve,
    /// Where the bead starts. Its angle from +x on a circle or ellipse \[rad\], x otherwise, the
    /// distance on a line \[m\].
    #[parameter(default = 0.0, unit = "m | rad")]
    pub start: f64,
    /// Speed along the curve at the start, to the left of its normal.
    #[parameter(default = 1.0, unit = "m/s")]
    pub speed: f64,
    /// Mass.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Softness of the joints.
    #[parameter(flatten)]
    pub spring: Spring,
    /// Gravity.
    #[parameter(default = 0.0, unit = "m/s²", range = ">= 0")]
    pub gravity: f64,
}

impl Scene for BeadScene {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "bead",
        summary: "bead on a circle, a parabola or another plane curve",
        citations: &["Catto2009"],
    };

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
        let softness = self.spring.softness();
        parts.joint(Joint::new(wire).named("wire").soft(softness));
        parts.build()
    }
}

impl BeadScene {
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
