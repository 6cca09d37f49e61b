//! Bodies of several shapes that fall on the ground.

use std::f64::consts::{FRAC_PI_2, PI};

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{Capsule, Collider, Cuboid, FieldError, Sphere, World, rotation};
use delassus_systems::SeededRng;
use nalgebra::Vector3;

use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, layers_limit, resting};

/// n × n × layers compounds, dumb-bells, crosses and hammers in turn, in random attitudes: the
/// compounds of Box2D's benchmark (20 × 150 bodies of two triangles), with shapes of our own.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct CompoundRain {
    /// Number of bodies along x and along z.
    #[parameter(default = 3, unit = "-", range = ">= 1")]
    pub n: usize,
    /// Number of layers.
    #[parameter(default = 4, unit = "-", range = ">= 1")]
    pub layers: usize,
    /// Radius of the sphere around a body.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Density.
    #[parameter(default = 1000.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Seed of the attitudes.
    #[parameter(default = 1)]
    pub seed: u64,
    /// Surfaces and gravity.
    #[parameter(flatten, default = CommonParameters::rough(0.5))]
    pub setting: CommonParameters,
}

impl CompoundRain {
    fn check(&self) -> Result<(), ParameterError> {
        layers_limit(self.n, self.layers, 1)
    }

    /// The shapes of body `k`, within the radius.
    fn shapes(&self, body: usize, k: usize) -> Vec<Collider> {
        let r = self.radius;
        let y = Vector3::y();
        let bar = Capsule::new(0.6 * r, 0.15 * r);
        match k % 3 {
            0 => vec![
                Collider::new(body, bar),
                Collider::new(body, Sphere::new(0.35 * r)).at(0.6 * r * y),
                Collider::new(body, Sphere::new(0.35 * r)).at(-0.6 * r * y),
            ],
            1 => {
                let arm = Cuboid::new(0.9 * r, 0.2 * r, 0.2 * r);
                let turn = |axis: Vector3<f64>| rotation::about(&axis, FRAC_PI_2);
                vec![
                    Collider::new(body, arm),
                    Collider::new(body, arm).turned(turn(Vector3::z())),
                    Collider::new(body, arm).turned(turn(Vector3::y())),
                ]
            }
            _ => vec![
                Collider::new(body, bar),
                Collider::new(body, Cuboid::new(0.5 * r, 0.2 * r, 0.2 * r)).at(0.6 * r * y),
            ],
        }
    }
}

impl Scene for CompoundRain {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "compound-rain",
        summary: "bodies of several shapes that fall on the ground",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let mut random = SeededRng::new(self.seed);
        let pitch = 2.05 * self.radius;
        let place = |index: usize| (index as f64 - 0.5 * (self.n - 1) as f64) * pitch;
        for index in 0..self.n * self.n * self.layers {
            let (column, row) = (index % self.n, index / self.n % self.n);
            let layer = index / (self.n * self.n);
            let y = (layer as f64 + 0.6) * pitch;
            let turn = rotation::about(&random.direction(), random.uniform(-PI, PI));
            let body = resting(Vector3::new(place(column), y, place(row))).turned(turn);
            let body = site.parts.body(body.named(format!("body {index}")));
            for collider in self.shapes(body, index) {
                site.cover(collider.dense(self.density));
            }
        }
        site.build()
    }
}
