//! A net of balls: loops of joints, which no ordering of the rows solves in one sweep.

use delassus_core::parameter::require;
use delassus_core::{ParameterError, Parameters};
use delassus_dynamics::{Body, BodyKind, FieldError, Shape, World, WorldParts};
use nalgebra::Vector3;

use crate::rig::{Spring, ball, body_limit, falling};
use crate::scene::{Scene, SceneDescriptor};

/// n x n balls in the x-y plane, ball joints halfway to the right and to the lower neighbour; 2 n (n - 1) joints,
/// less those between two fixed balls.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct JointGrid {
    /// Number of balls along an edge.
    #[parameter(default = 10, unit = "-", range = ">= 2")]
    pub n: usize,
    /// Number of fixed balls in the middle of the top row. At most n.
    #[parameter(default = 7, unit = "-")]
    pub fixed: usize,
    /// Distance of neighbours.
    #[parameter(default = 1.0, unit = "m", range = "> 0")]
    pub spacing: f64,
    /// Radius of a ball.
    #[parameter(default = 0.4, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Density.
    #[parameter(default = 1.0, unit = "kg/m³", range = "> 0")]
    pub density: f64,
    /// Factor on gravity.
    #[parameter(default = 2.0, unit = "-")]
    pub gravity_scale: f64,
    /// Softness of the joints.
    #[parameter(flatten)]
    pub spring: Spring,
    /// Gravity.
    #[parameter(default = 10.0, unit = "m/s²")]
    pub gravity: f64,
}

impl JointGrid {
    fn check(&self) -> Result<(), ParameterError> {
        body_limit("n", self.n, self.n.checked_mul(self.n))?;
        let expected = "there are only n balls in the top row";
        require(self.fixed <= self.n, "fixed", self.fixed, expected)
    }
}

impl Scene for JointGrid {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "joint-grid",
        summary: "net of n x n balls with ball joints, hung from a few fixed balls in the middle of the top row",
        citations: &["Catto2024"],
    };

    fn build(&self) -> Result<World, FieldError> {
        let radius = self.radius;
        let inertia = Shape::Sphere { radius }.inertia(self.density)?;
        let first_fixed = (self.n - self.fixed) / 2;
        let fixed = first_fixed..first_fixed + self.fixed;
        let mut parts = falling(self.gravity);
        for row in 0..self.n {
            for column in 0..self.n {
                let (x, y) = (column as f64, 0.0 - row as f64);
                let mut body = Body::dynamic(inertia, self.spacing * Vector3::new(x, y, 0.0));
                body.gravity_scale = self.gravity_scale;
                if row == 0 && fixed.contains(&column) {
                    body.kind = BodyKind::Static;
                }
                parts.body(body.named(format!("ball {row} {column}")));
            }
        }
        for row in 0..self.n {
            for column in 0..self.n {
                let body = row * self.n + column;
                if column + 1 < self.n {
                    self.tie(&mut parts, [body, body + 1]);
                }
                if row + 1 < self.n {
                    self.tie(&mut parts, [body, body + self.n]);
                }
            }
        }
        parts.build()
    }
}

impl JointGrid {
    /// Ties two neighbours halfway, unless nothing moves either.
    fn tie(&self, parts: &mut WorldParts, bodies: [usize; 2]) {
        let [a, b] = bodies.map(|body| &parts.bodies[body]);
        if !a.is_dynamic() && !b.is_dynamic() {
            return;
        }
        let middle = 0.5 * (a.position.to_vector() + b.position.to_vector());
        let joint = ball(parts, bodies, &middle);
        parts.joint(joint.soft(self.spring.softness()));
    }
}
