//! Rocks in a yard, stirred by a cylinder.

use delassus_core::parameter::require;
use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{Body, BodyKind, Collider, Cuboid, Cylinder, FieldError, World};
use delassus_systems::SeededRng;
use nalgebra::Vector3;

use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, layers_limit, resting, rock};

/// n × n × layers random hulls in a walled yard, in which a kinematic cylinder runs in a circle:
/// Box3D's junkyard, 21 × 21 × 24 rocks of 1.5 m, a cylinder of 4 m and an orbit of 35 m at 6°/s.
///
/// The yard, the cylinder and its orbit grow with n. The rocks start above the cylinder.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct Junkyard {
    /// Number of rocks along x and along z.
    #[parameter(default = 4, unit = "-", range = ">= 1")]
    pub n: usize,
    /// Number of layers of rocks.
    #[parameter(default = 3, unit = "-", range = ">= 1")]
    pub layers: usize,
    /// Radius of the sphere around a rock.
    #[parameter(default = 1.5, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Number of points of a rock.
    #[parameter(default = 12, unit = "-", range = ">= 1")]
    pub points: usize,
    /// Angular velocity of the orbit.
    #[parameter(default = 6.0, unit = "°/s")]
    pub spin: f64,
    /// Density.
    #[parameter(default = 1000.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Seed of the rocks.
    #[parameter(default = 1)]
    pub seed: u64,
    /// Surfaces and gravity.
    #[parameter(flatten)]
    pub setting: CommonParameters,
}

impl Junkyard {
    fn check(&self) -> Result<(), ParameterError> {
        let fits = (4..=1000).contains(&self.points);
        require(fits, "points", self.points, "a rock has 4 to 1000 points")?;
        layers_limit(self.n, self.layers, 2)
    }

    /// Walls of the yard around a room of twice `half` and the cylinder on its orbit; returns the
    /// top of the cylinder \[m\].
    fn yard(&self, site: &mut Site, half: f64) -> f64 {
        let (tall, wall) = (2.0 * half, self.radius);
        for side in [-1.0, 1.0] {
            let reach = half + wall;
            let across = Cuboid::new(wall, tall, reach + wall);
            let along = Cuboid::new(reach + wall, tall, wall);
            let at = [
                Vector3::new(side * reach, tall, 0.0),
                Vector3::new(0.0, tall, side * reach),
            ];
            site.cover(Collider::new(0, across).at(at[0]));
            site.cover(Collider::new(0, along).at(at[1]));
        }
        let radius = 0.12 * half;
        let spin = Vector3::new(0.0, self.spin.to_radians(), 0.0);
        let pusher = Body {
            kind: BodyKind::Kinematic,
            ..Body::fixed(Vector3::zeros()).moving(Vector3::zeros(), spin)
        };
        let pusher = site.parts.body(pusher.named("pusher"));
        let at = Vector3::new(0.75 * half, 2.0 * radius, 0.0);
        site.cover(
            Collider::new(
                pusher,
                Cylinder {
                    half_length: 2.0 * radius,
                    radius,
                },
            )
            .at(at),
        );
        4.0 * radius
    }
}

impl Scene for Junkyard {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "junkyard",
        summary: "rocks in a yard, stirred by a cylinder",
        citations: &["Catto2026"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let pitch = 2.05 * self.radius;
        let half = 0.5 * pitch * (self.n + 1) as f64;
        let top = self.yard(&mut site, half);
        let mut random = SeededRng::new(self.seed);
        let place = |index: usize| (index as f64 - 0.5 * (self.n - 1) as f64) * pitch;
        for layer in 0..self.layers {
            for row in 0..self.n {
                for column in 0..self.n {
                    let y = top + (layer as f64 + 0.5) * pitch;
                    let body = resting(Vector3::new(place(column), y, place(row)));
                    let hull = rock(&mut random, self.points, self.radius);
                    let name = format!("rock {}", site.parts.bodies.len() - 2);
                    site.add(body.named(name), hull, self.density);
                }
            }
        }
        site.build()
    }
}
