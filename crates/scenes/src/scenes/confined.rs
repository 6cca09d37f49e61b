//! Spheres pressed together in a room that is too small for them at first.

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{Body, FieldError, Sphere, World};
use nalgebra::Vector3;

use crate::drum::Drum;
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, layers_limit};

/// n × n × layers spheres that overlap, in a closed room: Solver2D's Confined, which has 25 × 25
/// circles of 0.5 m at a distance of 0.72 m in a frame of 20 m.
///
/// The room grows with n and is as deep as the layers are; one layer is the planar source. The
/// circles of a layer cover π/4 · n²/(0.8 n)² = 1.23 times the area of the room: the spheres cannot
/// come apart.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct Confined {
    /// Number of spheres along x and along y.
    #[parameter(default = 8, unit = "-", range = ">= 1")]
    pub n: usize,
    /// Number of layers along z.
    #[parameter(default = 1, unit = "-", range = ">= 1")]
    pub layers: usize,
    /// Radius.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Distance of the centres, over a diameter.
    #[parameter(default = 0.72, unit = "-", range = "> 0")]
    pub spacing: f64,
    /// Width of the room for every sphere of a row, over a diameter.
    #[parameter(default = 0.8, unit = "-", range = "> 0")]
    pub room: f64,
    /// Density.
    #[parameter(default = 1.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Surfaces and gravity.
    #[parameter(flatten, default = CommonParameters::weightless(0.6))]
    pub setting: CommonParameters,
}

impl Confined {
    fn check(&self) -> Result<(), ParameterError> {
        layers_limit(self.n, self.layers, 1)
    }
}

impl Scene for Confined {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "confined",
        summary: "spheres in a room that is too small for them",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::new(&self.setting);
        let size = 2.0 * self.radius;
        let room = site.parts.body(Body::fixed(Vector3::zeros()).named("room"));
        // one layer fits between the walls, more are as close as the rows
        let depth = 1.0 + (self.layers - 1) as f64 * self.spacing;
        let drum = Drum {
            sides: 4,
            radius: 0.5 * self.n as f64 * self.room * size,
            half_depth: 0.5 * depth * size,
            wall: size,
            rib: 0.0,
            density: 1000.0,
        };
        drum.close(&mut site, room);
        let place = |index: usize, of: usize| (index as f64 - 0.5 * (of - 1) as f64) * self.spacing;
        for layer in 0..self.layers {
            for row in 0..self.n {
                for column in 0..self.n {
                    let (x, y) = (place(column, self.n), place(row, self.n));
                    let at = size * Vector3::new(x, y, place(layer, self.layers));
                    let name = format!("ball {}", site.parts.bodies.len() - 1);
                    site.place(name, at, Sphere::new(self.radius), self.density);
                }
            }
        }
        site.build()
    }
}
