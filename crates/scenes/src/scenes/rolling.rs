//! A ball, a cylinder or a hoop on an incline.

use std::f64::consts::FRAC_PI_2;

use delassus_core::{Choice, Parameters};
use delassus_dynamics::{
    Body, Collider, Cylinder, FieldError, Inertia, Shape, ShapeGeometry, Sphere, World, rotation,
};
use nalgebra::Vector3;

use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site};

/// What rolls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum Roller {
    /// A solid sphere: I = 2/5 m r².
    Sphere,
    /// A solid cylinder about its axis: I = 1/2 m r².
    Cylinder,
    /// A hoop: I = m r². Its shape is that of a cylinder, its inertia that of a thin tube.
    Hoop,
}

/// A round body on a plane; the axes are those of the incline, down the slope is +x, and gravity
/// leans.
///
/// From rest it rolls with 5/7, 2/3 or 1/2 of g sin(slope) while tan(slope) <= 3.5, 3 or 2 times
/// the friction. On level ground a sphere that starts to slide at `speed` rolls with 5/7 of it
/// after 2 speed/(7 friction g).
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct Rolling {
    /// What rolls.
    #[parameter(default = Roller::Sphere)]
    pub roller: Roller,
    /// Angle of the incline.
    #[parameter(default = 0.3, unit = "rad")]
    pub slope: f64,
    /// Radius.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Length of the cylinder or hoop.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub length: f64,
    /// Mass.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Velocity down the slope at the start.
    #[parameter(default = 0.0, unit = "m/s")]
    pub speed: f64,
    /// Angular velocity at the start, positive as the body rolls down.
    #[parameter(default = 0.0, unit = "rad/s")]
    pub spin: f64,
    /// Lever of rolling resistance.
    #[parameter(default = 0.0, unit = "m", range = ">= 0")]
    pub rolling: f64,
    /// Surfaces and gravity.
    #[parameter(flatten, default = CommonParameters { gravity: 9.81, ..CommonParameters::rough(0.5) })]
    pub setting: CommonParameters,
}

impl Rolling {
    /// The shape and the inertia of a body whose axis is z.
    fn body(&self) -> Result<(Shape, Inertia), FieldError> {
        let (mass, radius, half_length) = (self.mass, self.radius, 0.5 * self.length);
        let tube = Cylinder {
            half_length,
            radius,
        };
        match self.roller {
            Roller::Sphere => {
                let ball = Sphere::new(radius);
                Ok((ball.into(), ball.solid(mass)?))
            }
            Roller::Cylinder => {
                // the axis of the shape is y
                let moments = tube.solid(mass)?.moments.xzy();
                Ok((tube.into(), Inertia::new(mass, moments)))
            }
            Roller::Hoop => {
                let along = mass * radius * radius;
                let across = 0.5 * along + mass * half_length * half_length / 3.0;
                let moments = Vector3::new(across, across, along);
                Ok((tube.into(), Inertia::new(mass, moments)))
            }
        }
    }
}

impl Scene for Rolling {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "rolling",
        summary: "a ball, a cylinder or a hoop on an incline",
        citations: &[],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_incline(&self.setting, self.slope);
        site.surface.rolling_friction = self.rolling;
        let (shape, inertia) = self.body()?;
        let spin = Vector3::new(0.0, 0.0, -self.spin);
        let body = Body::dynamic(inertia, Vector3::new(0.0, self.radius, 0.0));
        let body = body.moving(Vector3::new(self.speed, 0.0, 0.0), spin);
        let body = site.parts.body(body.named("roller"));
        let turn = rotation::about(&Vector3::x(), FRAC_PI_2);
        site.cover(Collider::new(body, shape).turned(turn));
        site.build()
    }
}
