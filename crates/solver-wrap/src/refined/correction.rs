//! The problem of a correction: the same operator, bounds shifted by the iterate, its velocities as
//! bias (U.9).

use delassus_core::{
    Activity, Block, BodyRows, CoupledCompliance, Law, LawForm, Operator, Problem, ProblemParts,
    Radius, SetShape, SolveError, Unsupported,
};

/// What the rows of a problem become; the bounds are those of λ.
#[derive(Debug, Clone)]
pub(super) struct Correction {
    /// Lower and upper bound of every row \[N·s\].
    bounds: Vec<(f64, f64)>,
}

/// The bounds of the rows of a block, if they do not depend on impulses.
fn bounds(block: &Block) -> Option<Vec<(f64, f64)>> {
    let mut rows = Vec::with_capacity(block.dim);
    for factor in block.law.factors(block.dim) {
        let (SetShape::Interval { lower, upper }, Radius::Fixed(radius)) =
            (factor.shape, factor.radius)
        else {
            return None;
        };
        let both = (lower * radius, upper * radius);
        rows.resize(rows.len() + factor.len, both);
    }
    Some(rows)
}

impl Correction {
    /// Refuses what has no such problem.
    pub(super) fn check(solver: &'static str, problem: &Problem) -> Result<(), Unsupported> {
        let blocks = problem.blocks().iter().enumerate();
        for (block, entry) in blocks {
            if bounds(entry).is_none() {
                let law = entry.law.kind();
                return Err(Unsupported::Law { solver, block, law });
            }
        }
        if problem.bodies().is_none() {
            return Err(Unsupported::Bodies { solver });
        }
        match problem.coupled_compliance().iter().next() {
            Some((block, _)) => Err(Unsupported::CoupledCompliance { solver, block }),
            None => Ok(()),
        }
    }

    /// The bounds of a problem that passes [`Self::check`].
    pub(super) fn new(problem: &Problem) -> Self {
        let blocks = problem.blocks().iter();
        let rows = blocks.flat_map(|block| bounds(block).unwrap_or_default());
        Self {
            bounds: rows.collect(),
        }
    }

    /// The problem of the correction of `impulses`: blocks of one row, but for equalities.
    ///
    /// # Errors
    /// A velocity of the iterate, or a bound, that is no number.
    pub(super) fn about(&self, problem: &Problem, impulses: &[f64]) -> Result<Problem, SolveError> {
        let bodies = problem.bodies().ok_or(SolveError::NoBodies)?;
        let mut velocity = vec![0.0; problem.rows()];
        problem.shifted_velocity(impulses, &mut velocity);
        let mut rows = BodyRows {
            mass: bodies.mass.clone(),
            // w has it
            free_velocity: vec![0.0; bodies.free_velocity.len()],
            jacobian: bodies.jacobian.clone(),
            ..BodyRows::default()
        };
        let (mut blocks, mut activity) = (Vec::new(), Vec::new());
        for (index, block) in problem.blocks().iter().enumerate() {
            let touched = bodies.bodies_of(index);
            let (whole, dim) = match block.law.form() {
                LawForm::Free => (1, block.dim),
                _ => (block.dim, 1),
            };
            for piece in 0..whole {
                let row = block.first_row + piece;
                let solved = piece < problem.active_dim(index);
                activity.push(if solved {
                    Activity::Solve
                } else {
                    Activity::Hold
                });
                rows.block_bodies.extend_from_slice(touched);
                rows.first_body.push(rows.block_bodies.len());
                let last = rows.first_entry.last().copied().unwrap_or(0);
                rows.first_entry.push(last + dim * touched.len());
                blocks.push(Block {
                    first_row: row,
                    dim,
                    law: self.law(&block.law, row, impulses[row]),
                    feature: row as u64,
                });
            }
        }
        let parts = ProblemParts {
            operator: Operator::Bodies(rows),
            blocks,
            bias: velocity,
            compliance: problem.compliance().to_vec(),
            coupled_compliance: CoupledCompliance::new(),
            activity,
            step: None,
        };
        Ok(Problem::new(parts)?)
    }

    fn law(&self, law: &Law, row: usize, impulse: f64) -> Law {
        let (lower, upper) = self.bounds[row];
        match law.form() {
            LawForm::Free => Law::Equality,
            _ => Law::bounds(lower - impulse, upper - impulse),
        }
    }

    /// base + δ within the bounds, in place of δ; a row that is not corrected keeps its bits.
    pub(super) fn add(&self, base: &[f64], correction: &mut [f64]) {
        for ((x, base), (lower, upper)) in correction.iter_mut().zip(base).zip(&self.bounds) {
            *x = if *x == 0.0 {
                *base
            } else {
                (base + *x).max(*lower).min(*upper)
            };
        }
    }
}
