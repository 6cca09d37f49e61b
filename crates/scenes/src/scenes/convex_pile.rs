//! A pile of random convex hulls.

use delassus_core::parameter::require;
use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{FieldError, World};
use delassus_systems::SeededRng;
use nalgebra::Vector3;

use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, layers_limit, resting, rock};

/// n × n × layers hulls of random points on a sphere, which fall on the ground: Box3D's
/// convex_pile, 8 × 8 × 80 hulls of 32 points on a sphere of 2 m. The points are drawn by our own
/// generator.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct ConvexPile {
    /// Number of hulls along x and along z.
    #[parameter(default = 3, unit = "-", range = ">= 1")]
    pub n: usize,
    /// Number of layers.
    #[parameter(default = 6, unit = "-", range = ">= 1")]
    pub layers: usize,
    /// Number of points of a hull.
    #[parameter(default = 32, unit = "-", range = ">= 1")]
    pub points: usize,
    /// Radius of the sphere of the points.
    #[parameter(default = 2.0, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Density.
    #[parameter(default = 1000.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Seed of the points.
    #[parameter(default = 42)]
    pub seed: u64,
    /// Surfaces and gravity.
    #[parameter(flatten)]
    pub setting: CommonParameters,
}

impl ConvexPile {
    fn check(&self) -> Result<(), ParameterError> {
        let fits = (4..=1000).contains(&self.points);
        require(fits, "points", self.points, "a hull has 4 to 1000 points")?;
        layers_limit(self.n, self.layers, 1)
    }
}

impl Scene for ConvexPile {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "convex-pile",
        summary: "a pile of random convex hulls",
        citations: &["Catto2026"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let mut random = SeededRng::new(self.seed);
        let pitch = 2.05 * self.radius;
        let place = |index: usize| (index as f64 - 0.5 * (self.n - 1) as f64) * pitch;
        for layer in 0..self.layers {
            for row in 0..self.n {
                for column in 0..self.n {
                    let y = (layer as f64 + 0.5) * pitch;
                    let body = resting(Vector3::new(place(column), y, place(row)));
                    let name = format!("hull {}", site.parts.bodies.len() - 1);
                    let hull = rock(&mut random, self.points, self.radius);
                    site.add(body.named(name), hull, self.density);
                }
            }
        }
        site.build()
    }
}
