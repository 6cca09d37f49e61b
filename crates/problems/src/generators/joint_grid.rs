//! A hanging net of bodies with ball joints.

use delassus_core::{
    Choice, Law, MassProperties, ParameterError, Parameters, ProblemBuilder, ProblemError,
};
use nalgebra::Vector3;

use super::chain::joint_row;
use super::limit::row_limit;
use super::softness::{Softness, Step, diagonal};
use super::{Generated, Generator, GeneratorDescriptor, Size};
use crate::named::Reference;

/// Which bodies of the top row are fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum FixedBodies {
    /// All of them.
    TopRow,
    /// The seven in the middle, or all if there are fewer.
    Middle,
    /// The first and the last.
    Corners,
    /// None: the net falls.
    None,
}

/// n × n spheres in a vertical plane, each tied by ball joints to its right and its lower neighbour.
///
/// 2 n (n − 1) joints of 3 rows, less those between two fixed bodies, which nothing can move.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct JointGrid {
    /// Number of bodies along an edge.
    #[parameter(default = 10, unit = "-", range = ">= 2")]
    pub n: usize,
    /// Fixed bodies of the top row.
    #[parameter(default = FixedBodies::Middle)]
    pub fixed: FixedBodies,
    /// Mass of a body.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Mass of a body of the bottom row over that of one of the top row, geometric in between.
    #[parameter(default = 1.0, unit = "-", range = "> 0")]
    pub mass_ratio: f64,
    /// Distance of neighbours. The radius of the spheres is 0.4 of it.
    #[parameter(default = 1.0, unit = "m", range = "> 0")]
    pub spacing: f64,
    /// Softness of every row.
    #[parameter(flatten)]
    pub softness: Softness,
    /// Gravity and time step.
    #[parameter(flatten)]
    pub step: Step,
}

impl JointGrid {
    fn check(&self) -> Result<(), ParameterError> {
        let square = self.n.checked_mul(self.n);
        row_limit("n", self.n, square.and_then(|s| s.checked_mul(6)))
    }
}

impl Generator for JointGrid {
    const DESCRIPTOR: GeneratorDescriptor = GeneratorDescriptor {
        id: "joint-grid",
        summary: "n x n spheres hanging in a net of ball joints to right and lower neighbours",
        reference: "rigid with fixed = \"top-row\" (the columns hang) or \"none\" (free fall)",
    };

    fn size(&self) -> Size {
        let bodies = self.n * self.n;
        Size::new(bodies, 2 * bodies, 6 * bodies)
    }

    fn build(&self) -> Result<Generated, ProblemError> {
        let mut builder = ProblemBuilder::new();
        builder.step(self.step.dt, self.step.gravity);
        let mut bodies = Vec::with_capacity(self.n * self.n);
        for row in 0..self.n {
            let mass = self.mass_of(row);
            let moment = 0.4 * mass * (0.4 * self.spacing) * (0.4 * self.spacing);
            let movable = MassProperties::aligned(mass, Vector3::repeat(moment));
            let falling = [0.0, -self.step.gravity * self.step.dt, 0.0, 0.0, 0.0, 0.0];
            for column in 0..self.n {
                let (body, velocity) = if row == 0 && self.is_fixed(column) {
                    (MassProperties::immovable(), [0.0; 6])
                } else {
                    (movable, falling)
                };
                builder.body(body, velocity);
                bodies.push(body);
            }
        }
        let hanging = self.hanging();
        let mut impulses = Vec::new();
        for row in 0..self.n {
            for column in 0..self.n {
                let body = row * self.n + column;
                let half = 0.5 * self.spacing;
                if column + 1 < self.n {
                    let arm = Vector3::new(half, 0.0, 0.0);
                    if self.joint(&mut builder, &bodies, [body, body + 1], arm) {
                        impulses.extend([0.0; 3]);
                    }
                }
                if row + 1 < self.n {
                    let arm = Vector3::new(0.0, -half, 0.0);
                    if self.joint(&mut builder, &bodies, [body, body + self.n], arm) {
                        impulses.extend([0.0, hanging[row], 0.0]);
                    }
                }
            }
        }
        let problem = builder.build()?;
        let known = matches!(self.fixed, FixedBodies::TopRow | FixedBodies::None)
            && self.softness.is_rigid();
        let reference = known.then(|| Reference {
            impulses,
            provenance: "closed form: hanging columns, or free fall".to_owned(),
            residual: None,
        });
        Ok(Generated { problem, reference })
    }
}

impl JointGrid {
    fn mass_of(&self, row: usize) -> f64 {
        let last = self.n - 1;
        match row {
            0 => self.mass,
            _ if row == last => self.mass * self.mass_ratio,
            _ => self.mass * libm::pow(self.mass_ratio, row as f64 / last as f64),
        }
    }

    fn is_fixed(&self, column: usize) -> bool {
        match self.fixed {
            FixedBodies::TopRow => true,
            FixedBodies::Middle => (self.n / 2).abs_diff(column) <= 3,
            FixedBodies::Corners => column == 0 || column + 1 == self.n,
            FixedBodies::None => false,
        }
    }

    /// Impulse of the weight of a column below each row \[N·s\]; zero in free fall.
    fn hanging(&self) -> Vec<f64> {
        let mut hanging = vec![0.0; self.n];
        if self.fixed == FixedBodies::TopRow {
            for row in (1..self.n).rev() {
                let weight = self.mass_of(row) * self.step.gravity * self.step.dt;
                hanging[row - 1] = hanging[row] + weight;
            }
        }
        hanging
    }

    /// Ties two neighbours at the point between them, unless both are fixed.
    fn joint(
        &self,
        builder: &mut ProblemBuilder,
        bodies: &[MassProperties],
        pair: [usize; 2],
        arm: Vector3<f64>,
    ) -> bool {
        let touched = [&bodies[pair[0]], &bodies[pair[1]]];
        if touched.iter().all(|body| body.is_immovable()) {
            return false;
        }
        let rows =
            [Vector3::x(), Vector3::y(), Vector3::z()].map(|axis| joint_row(&axis, [arm, -arm]));
        let (softness, dt) = (self.softness, self.step.dt);
        let compliance = rows.map(|row| softness.compliance_of(diagonal(&row, &touched), dt));
        builder.block(Law::Equality, &pair, &rows);
        builder.compliance(&compliance);
        true
    }
}
