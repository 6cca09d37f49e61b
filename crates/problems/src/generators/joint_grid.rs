//! A hanging net of bodies with ball joints.

use delassus_core::{
    Law, MassProperties, ParameterError, Parameters, ProblemBuilder, ProblemError,
};
use delassus_systems::{FixedBodies, JointGrid, NetSink};
use nalgebra::Vector3;

use super::chain::joint_row;
use super::limit::row_limit;
use super::softness::{SoftnessParameters, diagonal};
use super::{Generated, Generator, GeneratorDescriptor, Size};
use crate::named::KnownSolution;

/// One step of a net of balls.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct JointGridProblem {
    /// The net.
    #[parameter(flatten)]
    pub grid: JointGrid,
    /// Softness of every row.
    #[parameter(flatten)]
    pub softness: SoftnessParameters,
    /// Time step.
    #[parameter(default = 1.0 / 60.0, unit = "s", range = "> 0")]
    pub dt: f64,
}

impl From<JointGrid> for JointGridProblem {
    fn from(grid: JointGrid) -> Self {
        Self {
            grid,
            ..Self::default()
        }
    }
}

impl JointGridProblem {
    fn check(&self) -> Result<(), ParameterError> {
        let n = self.grid.n;
        let square = n.checked_mul(n);
        row_limit("n", n, square.and_then(|s| s.checked_mul(6)))
    }

    /// Impulse of the weight of a column below each row \[N·s\]; zero in free fall.
    fn hanging(&self) -> Vec<f64> {
        let mut hanging = vec![0.0; self.grid.n];
        if self.grid.fixed == FixedBodies::TopRow {
            for row in (1..self.grid.n).rev() {
                let weight = self.grid.mass_of(row) * self.grid.gravity * self.dt;
                hanging[row - 1] = hanging[row] + weight;
            }
        }
        hanging
    }
}

impl Generator for JointGridProblem {
    const DESCRIPTOR: GeneratorDescriptor = GeneratorDescriptor {
        id: "joint-grid",
        summary: "n x n spheres hanging in a net of ball joints to right and lower neighbours",
        reference: "rigid with fixed = \"top-row\" (the columns hang) or \"none\" (free fall)",
    };

    fn size(&self) -> Size {
        let bodies = self.grid.n * self.grid.n;
        Size::new(bodies, 2 * bodies, 6 * bodies)
    }

    fn build(&self) -> Result<Generated, ProblemError> {
        let mut builder = ProblemBuilder::new();
        builder.step(self.dt, self.grid.gravity);
        let mut frozen = Frozen {
            own: self,
            hanging: self.hanging(),
            bodies: Vec::with_capacity(self.grid.n * self.grid.n),
            impulses: Vec::new(),
            builder,
        };
        self.grid.lay(&mut frozen);
        let impulses = frozen.impulses;
        let problem = frozen.builder.build()?;
        let known = matches!(self.grid.fixed, FixedBodies::TopRow | FixedBodies::None)
            && self.softness.is_rigid();
        let provenance = "closed form: hanging columns, or free fall";
        let reference = known.then(|| KnownSolution::new(impulses, provenance));
        Ok(Generated { problem, reference })
    }
}

/// Freezes a net ball by ball, joint by joint.
struct Frozen<'a> {
    own: &'a JointGridProblem,
    hanging: Vec<f64>,
    bodies: Vec<MassProperties>,
    /// Closed form of the impulses \[N·s\].
    impulses: Vec<f64>,
    builder: ProblemBuilder,
}

impl NetSink for Frozen<'_> {
    fn place(&mut self, row: usize, _: usize, fixed: bool) {
        let grid = &self.own.grid;
        let (body, velocity) = if fixed {
            (MassProperties::immovable(), [0.0; 6])
        } else {
            let mass = grid.mass_of(row);
            let moment = 0.4 * mass * grid.radius * grid.radius;
            let falling = [0.0, -grid.gravity * self.own.dt, 0.0, 0.0, 0.0, 0.0];
            let movable = MassProperties::aligned(mass, Vector3::repeat(moment));
            (movable, falling)
        };
        self.builder.body(body, velocity);
        self.bodies.push(body);
    }

    /// Ties two neighbours at the point between them.
    fn tie(&mut self, row: usize, pair: [usize; 2], down: bool) {
        let half = 0.5 * self.own.grid.spacing;
        let (arm, impulse) = if down {
            (Vector3::new(0.0, -half, 0.0), self.hanging[row])
        } else {
            (Vector3::new(half, 0.0, 0.0), 0.0)
        };
        let touched = [&self.bodies[pair[0]], &self.bodies[pair[1]]];
        let rows =
            [Vector3::x(), Vector3::y(), Vector3::z()].map(|axis| joint_row(&axis, [arm, -arm]));
        let (softness, dt) = (self.own.softness, self.own.dt);
        let compliance = rows.map(|row| softness.compliance_of(diagonal(&row, &touched), dt));
        self.builder.block(Law::Equality, &pair, &rows);
        self.builder.compliance(&compliance);
        self.impulses.extend([0.0, impulse, 0.0]);
    }
}
