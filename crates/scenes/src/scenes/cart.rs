//! A cart on four wheels.

use delassus_core::Parameters;
use delassus_dynamics::{Collider, Cuboid, Cylinder, FieldError, World, rotation};
use nalgebra::Vector3;

use crate::rig::{Spring, hinge};
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, resting};

/// A heavy chassis on four light wheels with hinges, on the ground: Box2D's Cart, with two wheels
/// on either side. The size of the chassis is our own; at 78 g a wheel is 1273 times as light as
/// the chassis.
///
/// The source steps it with 12 substeps, contacts of 240 Hz and damping ratio 10, and joints of 240
/// Hz without damping.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct Cart {
    /// Halves of the edges of the chassis.
    #[parameter(default = [0.5, 0.1, 0.25], unit = "m", range = "> 0")]
    pub half: [f64; 3],
    /// Density of the chassis.
    #[parameter(default = 1000.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Radius of a wheel. It is half of that thick.
    #[parameter(default = 0.1, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Density of the wheels.
    #[parameter(default = 50.0, unit = "kg/m³", range = "> 0")]
    pub wheel_density: f64,
    /// Velocity of the cart at the start, which rolls.
    #[parameter(default = 0.0, unit = "m/s")]
    pub speed: f64,
    /// Softness of the hinges.
    #[parameter(flatten)]
    pub spring: Spring,
    /// Surfaces and gravity.
    #[parameter(flatten, default = CommonParameters { gravity: 22.0, ..CommonParameters::default() })]
    pub setting: CommonParameters,
}

impl Scene for Cart {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "cart",
        summary: "a heavy cart on four light wheels",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let half = Vector3::from(self.half);
        let velocity = Vector3::new(self.speed, 0.0, 0.0);
        let spin = Vector3::new(0.0, 0.0, -self.speed / self.radius);
        // the axles are in the plane of the lower face
        let chassis = resting(Vector3::new(0.0, self.radius + half.y, 0.0));
        let chassis = chassis.moving(velocity, Vector3::zeros()).named("chassis");
        let chassis = site.add(chassis, Cuboid { half }, self.density);
        let shape = Cylinder {
            half_length: 0.25 * self.radius,
            radius: self.radius,
        };
        let turn = rotation::about(&Vector3::x(), std::f64::consts::FRAC_PI_2);
        for (x, z) in [(-0.8, -1.0), (0.8, -1.0), (-0.8, 1.0), (0.8, 1.0)] {
            let aside = z * (half.z + self.radius);
            let hub = Vector3::new(x * half.x, self.radius, aside);
            let name = format!("wheel {}", site.parts.bodies.len() - 2);
            let wheel = resting(hub).moving(velocity, spin).named(name);
            let wheel = site.parts.body(wheel);
            let tyre = Collider::new(wheel, shape).dense(self.wheel_density);
            site.cover(tyre.turned(turn));
            let joint = hinge(&site.parts, [chassis, wheel], &hub, &Vector3::z());
            site.parts
                .joint(joint.named("axle").soft(self.spring.softness()));
        }
        site.build()
    }
}
