//! Balls on strings that hand an impact on.

use delassus_core::parameter::require;
use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::constraints::Distance;
use delassus_dynamics::{Body, FieldError, Joint, Signal, Sphere, World};
use nalgebra::Vector3;

use crate::rig::body_limit;
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, count, density_of};

/// n balls in a row, each on two strings that keep it in the plane of the row; the first `raised`
/// of them start on the side.
///
/// With a gap of 0 the balls touch, and Newton's law of restitution alone does not say which of
/// them move on; with any gap the impacts are one after the other and as many balls leave as
/// arrive. The numbers are our own.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct NewtonsCradle {
    /// Number of balls.
    #[parameter(default = 5, unit = "-", range = ">= 1")]
    pub n: usize,
    /// Number of balls that start on the side.
    #[parameter(default = 1, unit = "-")]
    pub raised: usize,
    /// Angle of the strings of these balls.
    #[parameter(default = 0.5, unit = "rad", range = "[0, 1)")]
    pub angle: f64,
    /// Radius of a ball.
    #[parameter(default = 0.1, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Distance of the surfaces of neighbours at rest.
    #[parameter(default = 0.0, unit = "m", range = ">= 0")]
    pub gap: f64,
    /// Height of the hooks above the balls.
    #[parameter(default = 1.0, unit = "m", range = "> 0")]
    pub length: f64,
    /// Mass of a ball.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Surfaces and gravity.
    #[parameter(flatten, default = CommonParameters { restitution: 1.0, gravity: 9.81, ..CommonParameters::rough(0.0) })]
    pub setting: CommonParameters,
}

impl NewtonsCradle {
    fn check(&self) -> Result<(), ParameterError> {
        let expected = "no more balls can be raised than there are";
        require(self.raised <= self.n, "raised", self.raised, expected)?;
        body_limit("n", self.n, count(&[self.n], 1))
    }
}

impl Scene for NewtonsCradle {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "newtons-cradle",
        summary: "balls on strings that hand an impact on",
        citations: &[],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::new(&self.setting);
        let frame = site
            .parts
            .body(Body::fixed(Vector3::zeros()).named("frame"));
        let shape = Sphere::new(self.radius);
        let density = density_of(shape, self.mass);
        // the strings of a ball are at a right angle
        let spread = self.length;
        let (sine, cosine) = libm::sincos(self.angle);
        for k in 0..self.n {
            let hook = Vector3::new(k as f64 * (2.0 * self.radius + self.gap), 0.0, 0.0);
            let down = if k < self.raised {
                Vector3::new(-sine, -cosine, 0.0)
            } else {
                -Vector3::y()
            };
            let ball = site.place(
                format!("ball {k}"),
                hook + self.length * down,
                shape,
                density,
            );
            for side in [-1.0, 1.0] {
                let string = Distance {
                    bodies: [frame, ball],
                    anchors: [hook + side * spread * Vector3::z(), Vector3::zeros()],
                    length: Signal::Constant(libm::hypot(self.length, spread)),
                };
                site.parts
                    .joint(Joint::new(string).named(format!("string {k}")));
            }
        }
        site.build()
    }
}
