//! A net of balls: loops of joints, which no ordering of the rows solves in one sweep.

use delassus_core::parameter::{at_least, finite, positive, require};
use delassus_core::{ParameterError, parameters};
use delassus_dynamics::{Body, BodyKind, FieldError, Shape, World, WorldParts};
use nalgebra::Vector3;

use crate::registry::{Scene, SceneDescriptor};
use crate::rig::{ball, body_limit, check_softness, falling, softness};

parameters! {
    /// n x n balls in the x-y plane, ball joints halfway to the right and to the lower neighbour; 2 n (n - 1) joints,
    /// less those between two fixed balls.
    JointGrid {
        /// Number of balls along an edge \[-\]; >= 2.
        n: usize = 10,
        /// Number of fixed balls in the middle of the top row \[-\]; <= n.
        fixed: usize = 7,
        /// Distance of neighbours \[m\]; > 0.
        spacing: f64 = 1.0,
        /// Radius of a ball \[m\]; > 0.
        radius: f64 = 0.4,
        /// Density \[kg/m³\]; > 0.
        density: f64 = 1.0,
        /// Factor on gravity \[-\].
        gravity_scale: f64 = 2.0,
        /// Frequency of every joint as if it were alone \[Hz\]; >= 0, 0 is rigid.
        hertz: f64 = 0.0,
        /// Damping ratio that goes with hertz \[-\]; >= 0.
        damping_ratio: f64 = 1.0,
        /// Gravity \[m/s²\]; finite.
        gravity: f64 = 10.0,
    }
}

impl Scene for JointGrid {
    const DESCRIPTOR: SceneDescriptor = SceneDescriptor {
        id: "joint-grid",
        summary: "net of n x n balls with ball joints, hung from a few fixed balls in the middle of the top row",
        parameters: Self::PARAMETERS,
        citations: &["Catto2024"],
    };

    fn validate(&self) -> Result<(), ParameterError> {
        at_least("n", self.n, 2, "a net has at least two balls along an edge")?;
        body_limit("n", self.n, self.n.checked_mul(self.n))?;
        let expected = "there are only n balls in the top row";
        require(self.fixed <= self.n, "fixed", self.fixed, expected)?;
        positive("spacing", self.spacing)?;
        positive("radius", self.radius)?;
        positive("density", self.density)?;
        finite("gravity_scale", self.gravity_scale)?;
        check_softness(self.hertz, self.damping_ratio)?;
        finite("gravity", self.gravity)
    }

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
        parts.joint(joint.soft(softness(self.hertz, self.damping_ratio)));
    }
}
