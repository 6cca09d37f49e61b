//! A hanging net of balls: loops of joints, which no ordering of the rows solves in one sweep.

use delassus_core::{Choice, Parameters};

use crate::masses::MassOrder;

/// Which balls of the top row are fixed.
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

/// n × n balls in the x-y plane, each tied by ball joints to its right and its lower neighbour.
///
/// 2 n (n − 1) joints of 3 rows, less those between two fixed balls, which nothing can move.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct JointGrid {
    /// Number of balls along an edge.
    #[parameter(default = 10, unit = "-", range = ">= 2")]
    pub n: usize,
    /// Fixed balls of the top row.
    #[parameter(default = FixedBodies::Middle)]
    pub fixed: FixedBodies,
    /// Mass of a ball.
    #[parameter(default = 1.0, unit = "kg", range = "> 0")]
    pub mass: f64,
    /// Mass of a ball of the bottom row over that of one of the top row, geometric in between.
    #[parameter(default = 1.0, unit = "-", range = "> 0")]
    pub mass_ratio: f64,
    /// Distance of neighbours.
    #[parameter(default = 1.0, unit = "m", range = "> 0")]
    pub spacing: f64,
    /// Radius of a ball.
    #[parameter(default = 0.4, unit = "m", range = "> 0")]
    pub radius: f64,
    /// Gravity.
    #[parameter(default = 9.81, unit = "m/s²", range = ">= 0")]
    pub gravity: f64,
}

/// What takes a net; balls are numbered by rows from the top.
pub trait NetSink {
    /// Adds the ball in this row and column.
    fn place(&mut self, row: usize, column: usize, fixed: bool);

    /// Ties ball `first`, which is in row `row`, to `second`, its right or, if `down`, its lower
    /// neighbour.
    fn tie(&mut self, row: usize, pair: [usize; 2], down: bool);
}

impl JointGrid {
    /// Mass of a ball of row `row` \[kg\].
    pub fn mass_of(&self, row: usize) -> f64 {
        MassOrder::Geometric.mass(row, self.n, self.mass, self.mass_ratio)
    }

    fn is_fixed(&self, row: usize, column: usize) -> bool {
        let held = match self.fixed {
            FixedBodies::TopRow => true,
            FixedBodies::Middle => (self.n / 2).abs_diff(column) <= 3,
            FixedBodies::Corners => column == 0 || column + 1 == self.n,
            FixedBodies::None => false,
        };
        row == 0 && held
    }

    /// Lays all balls, then all joints.
    pub fn lay(&self, sink: &mut impl NetSink) {
        for row in 0..self.n {
            for column in 0..self.n {
                sink.place(row, column, self.is_fixed(row, column));
            }
        }
        for row in 0..self.n {
            for column in 0..self.n {
                let ball = row * self.n + column;
                let held = self.is_fixed(row, column) && self.is_fixed(row, column + 1);
                if column + 1 < self.n && !held {
                    sink.tie(row, [ball, ball + 1], false);
                }
                if row + 1 < self.n {
                    sink.tie(row, [ball, ball + self.n], true);
                }
            }
        }
    }
}
