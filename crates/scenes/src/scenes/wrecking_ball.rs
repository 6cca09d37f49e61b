//! A ball on a chain that swings into a wall.

use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{Body, Capsule, Cuboid, FieldError, Sphere, World, rotation};
use nalgebra::Vector3;

use crate::rig::{ball, body_limit};
use crate::scene::{Scene, SceneDescriptor};
use crate::site::{CommonParameters, Site, count, density_of, resting};

/// A ball on a chain of capsules, released from an angle, and a wall of cubes that it touches at
/// its lowest point. The numbers are our own.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct WreckingBall {
    /// Number of links.
    #[parameter(default = 8, unit = "-", range = ">= 1")]
    pub n: usize,
    /// Length of a link between its joints.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub length: f64,
    /// Mass of a link.
    #[parameter(default = 5.0, unit = "kg", range = "> 0")]
    pub link_mass: f64,
    /// Radius of the ball.
    #[parameter(default = 0.5, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Mass of the ball.
    #[parameter(default = 500.0, unit = "kg", range = "> 0")]
    pub ball_mass: f64,
    /// Angle of the chain from the downward vertical, away from the wall.
    #[parameter(default = 1.2, unit = "rad", range = ">= 0")]
    pub angle: f64,
    /// Number of boxes of the wall along z.
    #[parameter(default = 5, unit = "-", range = ">= 1")]
    pub columns: usize,
    /// Number of layers of the wall.
    #[parameter(default = 5, unit = "-", range = ">= 1")]
    pub rows: usize,
    /// Half of an edge of a box.
    #[parameter(default = 0.25, unit = "m", range = "> 0")]
    pub half: f64,
    /// Density of the boxes.
    #[parameter(default = 100.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Surfaces and gravity.
    #[parameter(flatten)]
    pub setting: CommonParameters,
}

impl WreckingBall {
    fn check(&self) -> Result<(), ParameterError> {
        body_limit("n", self.n, count(&[self.n], 3))?;
        body_limit("rows", self.rows, count(&[self.rows], self.n + 3))?;
        let all = count(&[self.rows, self.columns], self.n + 3);
        body_limit("columns", self.columns, all)
    }

    /// The wall, whose near face is the plane x = 0.
    fn wall(&self, site: &mut Site) {
        let size = 2.0 * self.half;
        for row in 0..self.rows {
            for column in 0..self.columns {
                let z = (column as f64 - 0.5 * (self.columns - 1) as f64) * size;
                let at = Vector3::new(self.half, self.half + row as f64 * size, z);
                let name = format!("box {row}.{column}");
                site.place(name, at, Cuboid::cube(self.half), self.density);
            }
        }
    }
}

impl Scene for WreckingBall {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "wrecking-ball",
        summary: "a ball on a chain that swings into a wall",
        citations: &[],
    };

    fn build(&self) -> Result<World, FieldError> {
        let mut site = Site::on_ground(&self.setting);
        let (sine, cosine) = libm::sincos(self.angle);
        let down = Vector3::new(-sine, -cosine, 0.0);
        let chain = self.n as f64 * self.length;
        // at its lowest point the ball is a quarter of its radius above the ground, and touches the
        // wall
        let hook = Vector3::new(-self.radius, chain + 2.25 * self.radius, 0.0);
        let turn = rotation::about(&Vector3::z(), -self.angle);
        let thin = 0.1 * self.length;
        let link = Capsule::new(0.5 * self.length - thin, thin);
        let density = density_of(link, self.link_mass);
        let mut upper = site.parts.body(Body::fixed(hook).named("hook"));
        for k in 0..self.n {
            let joint = hook + k as f64 * self.length * down;
            let body = resting(joint + 0.5 * self.length * down).turned(turn);
            let body = site.add(body.named(format!("link {k}")), link, density);
            let joint = ball(&site.parts, [upper, body], &joint);
            site.parts.joint(joint);
            upper = body;
        }
        let joint = hook + chain * down;
        let shape = Sphere::new(self.radius);
        let density = density_of(shape, self.ball_mass);
        let heavy = site.place("ball", joint + self.radius * down, shape, density);
        let joint = ball(&site.parts, [upper, heavy], &joint);
        site.parts.joint(joint);
        self.wall(&mut site);
        site.build()
    }
}
