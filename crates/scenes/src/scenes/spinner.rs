//! Mixed bodies and a rotor in a drum.

use std::f64::consts::PI;

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{Body, Capsule, Cuboid, FieldError, Shape, Sphere, World, rotation};
use nalgebra::Vector3;

use crate::drum::Drum;
use crate::rig::{body_limit, hinge, motor};
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, count, resting};

/// Distance of bodies at the start \[m\].
const PITCH: f64 = 1.2;

/// Layers of bodies along the axis.
const LAYERS: usize = 4;

/// Capsules, spheres and cubes above a motor-driven rotor in a fixed drum of 24 sides about z:
/// Box2D's spinner, 6076 bodies of a density of 0.25 and a rotor of 40 m at 5 rad/s.
///
/// The drum is four bodies deep; its radius, 3 m + 0.6 m √n, makes room for them above the rotor.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct Spinner {
    /// Number of bodies besides the rotor.
    #[parameter(default = 60, unit = "-", range = ">= 1")]
    pub n: usize,
    /// Angular velocity that the rotor is driven to.
    #[parameter(default = 5.0, unit = "rad/s")]
    pub spin: f64,
    /// Largest torque of the motor.
    #[parameter(default = 40_000.0, unit = "N·m", range = ">= 0")]
    pub torque: f64,
    /// Density.
    #[parameter(default = 0.25, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Surfaces and gravity.
    #[parameter(flatten, default = CommonParameters { restitution: 0.1, ..CommonParameters::rough(0.1) })]
    pub setting: CommonParameters,
}

impl Spinner {
    fn check(&self) -> Result<(), ParameterError> {
        body_limit("n", self.n, count(&[self.n], 2))
    }

    fn radius(&self) -> f64 {
        3.0 + 0.6 * (self.n as f64).sqrt()
    }

    /// Places of the bodies, row by row from just above the rotor \[m\].
    fn places(&self) -> impl Iterator<Item = Vector3<f64>> {
        let radius = self.radius() - 0.5 * PITCH;
        let rows = (0_u32..).map(|row| 1.2 + f64::from(row) * PITCH);
        // rows of the upper half of the circle
        let rows = rows.take_while(move |y| *y < radius);
        rows.flat_map(move |y| {
            let half = (radius * radius - y * y).sqrt();
            let fits = |count: &u32| f64::from(count + 1) * PITCH <= 2.0 * half;
            let columns = (0_u32..).take_while(fits).count();
            let start = -0.5 * PITCH * columns.saturating_sub(1) as f64;
            (0..columns * LAYERS).map(move |index| {
                let (column, layer) = (index / LAYERS, index % LAYERS);
                let z = (layer as f64 - 0.5 * (LAYERS - 1) as f64) * PITCH;
                Vector3::new(start + column as f64 * PITCH, y, z)
            })
        })
    }
}

impl Scene for Spinner {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "spinner",
        summary: "mixed bodies and a rotor with a motor in a drum",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::new(&self.setting);
        let drum = site.parts.body(Body::fixed(Vector3::zeros()).named("drum"));
        let radius = self.radius();
        let half_depth = 0.5 * PITCH * LAYERS as f64;
        let walls = Drum {
            sides: 24,

            radius,
            half_depth,
            wall: 1.0,
            rib: 0.0,
            density: 1000.0,
        };
        walls.close(&mut site, drum);
        let blade = Cuboid::new(0.4, 0.5 * radius, 0.9 * half_depth);
        let turn = rotation::about(&Vector3::z(), 0.5 * PI);
        let rotor = resting(Vector3::zeros()).turned(turn).named("rotor");
        let rotor = site.add(rotor, blade, self.density);
        let (axis, bodies) = (Vector3::z(), [drum, rotor]);
        let joint = hinge(&site.parts, bodies, &Vector3::zeros(), &axis);
        site.parts.joint(joint.named("axle"));
        let drive = motor(&site.parts, bodies, &axis, self.spin, self.torque);
        site.parts.joint(drive.named("motor"));
        let shapes: [Shape; 3] = [
            Capsule::new(0.25, 0.25).into(),
            Sphere::new(0.35).into(),
            Cuboid::cube(0.35).into(),
        ];
        for (k, at) in self.places().take(self.n).enumerate() {
            let shape = shapes[k % shapes.len()].clone();
            site.place(format!("body {k}"), at, shape, self.density);
        }
        site.build()
    }
}
