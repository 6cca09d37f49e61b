//! Conjugate gradients for symmetric Newton systems (Z.16).

use delassus_core::Choice;

use super::assembly::Places;
use super::elements::Elements;
use super::factor::{self, Block, Triangles, backward, forward};
use super::multigrid::Multigrid;
use super::{add_scaled, dot, norm};
use crate::rows::Rows;
use crate::sets::{Sets, Slopes};

/// How a symmetric Newton system is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum Linear {
    /// Sparse Cholesky factors.
    #[default]
    Factor,
    /// Preconditioned conjugate gradients.
    Cg,
}

/// What stands for the inverse of a Newton matrix in conjugate gradients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum Preconditioner {
    /// The diagonal blocks of 6 × 6, inverted.
    BlockJacobi,
    /// A V-cycle over aggregates of bodies.
    #[default]
    Multigrid,
}

/// What smooths the levels of a multigrid cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum Smoother {
    /// Cholesky on the pattern of the matrix, exact on trees of bodies.
    #[default]
    IncompleteCholesky,
    /// Block Gauss–Seidel, forwards and backwards.
    GaussSeidel,
}

/// What a caller chooses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LinearSettings {
    pub(crate) linear: Linear,
    pub(crate) preconditioner: Preconditioner,
    pub(crate) smoother: Smoother,
    /// Residual that ends conjugate gradients, of the right-hand side \[-\].
    pub(crate) tolerance: f64,
}

/// Iterations per unknown after which the step of the moment is taken.
const ITERATIONS: usize = 4;
/// Iterations that small systems may take.
const LEAST: usize = 200;

#[derive(Debug)]
enum Inverse {
    Blocks(Vec<Block>),
    Cycle(Multigrid),
}

/// Matrix, preconditioner and vectors.
#[derive(Debug)]
pub(crate) struct Krylov {
    elements: Elements,
    places: Places,
    inverse: Inverse,
    tolerance: f64,
    residual: Vec<[f64; 6]>,
    scaled: Vec<[f64; 6]>,
    direction: Vec<[f64; 6]>,
    image: Vec<[f64; 6]>,
    /// Iterations of the last system.
    pub(crate) iterations: u32,
    /// Set-ups of a multigrid cycle so far \[-\]; inverses of blocks are none.
    pub(crate) factored: u64,
}

impl Krylov {
    /// Patterns and levels, once for a problem.
    pub(crate) fn new(rows: &Rows, sets: &Sets, settings: LinearSettings) -> Self {
        let elements = Elements::of_rows(rows);
        let count = elements.pattern.len();
        let zeros = || vec![[0.0; 6]; count];
        let gauss_seidel = settings.smoother == Smoother::GaussSeidel;
        let inverse = match settings.preconditioner {
            Preconditioner::BlockJacobi => Inverse::Blocks(vec![[0.0; 36]; count]),
            Preconditioner::Multigrid => {
                let weights = elements.weights(rows);
                Inverse::Cycle(Multigrid::new(&elements.pattern, &weights, gauss_seidel))
            }
        };
        Self {
            places: Places::new(rows, sets, |bodies, (a, b)| elements.find(bodies, a, b)),
            elements,
            inverse,
            tolerance: settings.tolerance,
            residual: zeros(),
            scaled: zeros(),
            direction: zeros(),
            image: zeros(),
            iterations: 0,
            factored: 0,
        }
    }

    /// Takes the matrix of symmetric slopes; false if it is not positive definite.
    pub(crate) fn factorize(&mut self, rows: &Rows, sets: &Sets, slopes: &Slopes) -> bool {
        let elements = &mut self.elements;
        elements.reset();
        let triangles = Triangles {
            lower: &mut elements.blocks,
            upper: None,
        };
        self.places.add(rows, sets, slopes, triangles);
        elements.assemble();
        match &mut self.inverse {
            Inverse::Blocks(roots) => {
                roots.copy_from_slice(&elements.diagonal);
                roots.iter_mut().all(factor::cholesky)
            }
            Inverse::Cycle(multigrid) => {
                self.factored += 1;
                multigrid.factorize(elements)
            }
        }
    }

    /// x ← H⁻¹x, from zero; false if a number is none.
    pub(crate) fn solve(&mut self, x: &mut [[f64; 6]]) -> bool {
        self.residual.copy_from_slice(x);
        x.fill([0.0; 6]);
        self.iterations = 0;
        let end = self.tolerance * norm(&self.residual);
        let limit = (ITERATIONS * 6 * x.len()).max(LEAST);
        let mut last = 0.0;
        for iteration in 0..limit {
            if norm(&self.residual) <= end {
                return true;
            }
            self.scaled.copy_from_slice(&self.residual);
            self.inverse.apply(&mut self.scaled);
            let product = dot(&self.residual, &self.scaled);
            if iteration == 0 {
                self.direction.copy_from_slice(&self.scaled);
            } else {
                let ratio = product / last;
                for (direction, scaled) in self.direction.iter_mut().zip(&self.scaled) {
                    for axis in 0..6 {
                        direction[axis] = scaled[axis] + ratio * direction[axis];
                    }
                }
            }
            last = product;
            self.image.fill([0.0; 6]);
            self.elements.subtract(&self.direction, &mut self.image);
            let curvature = -dot(&self.direction, &self.image);
            if curvature.is_nan() || curvature <= 0.0 {
                // rounding: what has been found is a descent direction
                return curvature <= 0.0 && iteration > 0;
            }
            let length = product / curvature;
            add_scaled(length, &self.direction, x);
            add_scaled(length, &self.image, &mut self.residual);
            self.iterations += 1;
        }
        true
    }
}

impl Inverse {
    /// x ← Bx.
    fn apply(&mut self, x: &mut [[f64; 6]]) {
        match self {
            Self::Blocks(roots) => {
                for (root, x) in roots.iter().zip(x) {
                    forward(root, x);
                    backward(root, x);
                }
            }
            Self::Cycle(multigrid) => multigrid.apply(x),
        }
    }
}

#[cfg(test)]
mod tests;
