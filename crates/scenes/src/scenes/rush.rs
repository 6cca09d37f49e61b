//! Spheres that all rush to one point.

use delassus_core::{ParameterError, Parameters, Softness};
use delassus_dynamics::constraints::Rope;
use delassus_dynamics::{Body, FieldError, Joint, Signal, Sphere, World};
use nalgebra::Vector3;

use crate::rig::body_limit;
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, count, density_of, resting};

/// Stiffness of a rope per force \[1/m\]: the force is constant from a millimetre beyond its
/// length.
const STIFFNESS: f64 = 1000.0;

/// Spheres on a spiral, drawn to its centre by a constant force each: Solver2D's Rush, 400 circles
/// of 0.5 m and 78.54 kg with 1000 N.
///
/// Worlds have no force fields: each sphere hangs on a rope of a tenth of its radius to the centre,
/// a stiff spring whose force is limited, so that it pulls with that force at any distance. Chords
/// of the spiral are at least as long as a diameter, so that nothing overlaps; in the source arcs
/// are.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct Rush {
    /// Number of spheres.
    #[parameter(default = 60, unit = "-", range = ">= 1")]
    pub n: usize,
    /// Radius of a sphere.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Mass of a sphere.
    #[parameter(default = 78.54, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Force on a sphere.
    #[parameter(default = 1000.0, unit = "N", range = "> 0")]
    pub force: f64,
    /// True for spheres that stay in the plane of the spiral, as in the planar source.
    #[parameter(default = true)]
    pub planar: bool,
    /// Surfaces and gravity.
    #[parameter(flatten, default = CommonParameters::weightless(0.2))]
    pub setting: CommonParameters,
}

impl Rush {
    fn check(&self) -> Result<(), ParameterError> {
        body_limit("n", self.n, count(&[self.n], 1))
    }

    /// The rope of a sphere.
    fn rope(&self, bodies: [usize; 2]) -> Joint {
        let rope = Rope {
            bodies,
            anchors: [Vector3::zeros(); 2],
            length: Signal::Constant(0.1 * self.radius),
        };
        let spring = Softness::Spring {
            stiffness: STIFFNESS * self.force,
            damping: 0.0,
        };
        Joint::new(rope).soft(spring).limited(self.force)
    }
}

impl Scene for Rush {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "rush",
        summary: "spheres that a constant force draws to one point",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::new(&self.setting);
        let centre = site
            .parts
            .body(Body::fixed(Vector3::zeros()).named("centre"));
        let shape = Sphere::new(self.radius);
        let density = density_of(shape, self.mass);
        // distances in the source: 5 m for spheres of 0.5 m, and 5 cm more for each
        let (mut distance, mut angle) = (10.0 * self.radius, 0.0);
        for k in 0..self.n {
            let (sine, cosine) = libm::sincos(angle);
            let body = resting(distance * Vector3::new(cosine, sine, 0.0));
            let body = if self.planar { body.planar() } else { body };
            let ball = site.add(body.named(format!("ball {k}")), shape, density);
            site.parts.joint(self.rope([centre, ball]));
            angle += 2.0 * libm::asin(self.radius / distance);
            distance += 0.1 * self.radius;
        }
        site.build()
    }
}
