//! The problem of a correction: the same operator, bounds shifted by the iterate, its velocities as
//! bias (U.9).

use delassus_core::{
    Activity, Block, BodyRows, CoupledCompliance, Friction, Law, Operator, Problem, ProblemParts,
    SolveError, Unsupported,
};

/// What the rows of a problem become; the bounds are those of λ.
#[derive(Debug, Clone)]
pub(super) struct Correction {
    /// Lower and upper bound of every row \[N·s\].
    bounds: Vec<(f64, f64)>,
}

/// The bounds of a local row, if they are numbers.
fn bounds(law: &Law, local: usize) -> Option<(f64, f64)> {
    const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);
    match law {
        Law::Equality => Some(FREE),
        Law::Bounds { lower, upper } => Some((*lower, *upper)),
        Law::Contact(friction @ (Friction::Frictionless | Friction::FixedBox { .. })) => {
            Some(match local {
                0 => (0.0, f64::INFINITY),
                _ => (-friction.limit(), friction.limit()),
            })
        }
        Law::Contact(_) | Law::Patch(_) | Law::Rolling(_) | Law::Scaled(_) => None,
    }
}

impl Correction {
    /// Refuses what has no such problem.
    pub(super) fn check(solver: &'static str, problem: &Problem) -> Result<(), Unsupported> {
        let blocks = problem.blocks().iter().enumerate();
        for (block, Block { law, .. }) in blocks {
            if bounds(law, 0).is_none() {
                let law = law.kind();
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
        let rows = blocks.flat_map(|block| {
            (0..block.dim).map(|row| bounds(&block.law, row).unwrap_or((0.0, 0.0)))
        });
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
            let (whole, dim) = match block.law {
                Law::Equality => (1, block.dim),
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
        match law {
            Law::Equality => Law::Equality,
            _ => Law::Bounds {
                lower: lower - impulse,
                upper: upper - impulse,
            },
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
