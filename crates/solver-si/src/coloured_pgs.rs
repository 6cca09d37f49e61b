//! `coloured-pgs`: scalar projected Gauss–Seidel in the order of a colouring, f64.
//!
//! The arithmetic is that of `pgs` (G.1–G.5), block for block; only the order differs: colour by
//! colour, in which no two units touch a common body (W.1), the overflow last. `wide-pgs` visits
//! the blocks in the same order, so what `pgs` and `coloured-pgs` differ in is the order, and what
//! `coloured-pgs` and `wide-pgs` differ in is the precision.
//!
//! Budget per sweep: one pass over all rows, which lie in the order of the colours; bodies,
//! impulses and laws do not. Nearest siblings: `pgs` visits the problem's order; `wide-pgs` solves
//! a colour in lanes of f32.
//!
//! Limitations: those of `pgs`; information travels one colour per body and sweep along a chain, as
//! in red–black orderings, so an ordered structure that `pgs` sweeps from its support upwards takes
//! more sweeps here. Theory: docs/theory/14-wide.md. Source: \[Catto2006\], \[Harada2011\],
//! \[Welsh1967\].

use delassus_core::{Checked, Operator, ParameterError, Problem, SolverDescriptor};

use crate::laws::RowRule;
use crate::order::Schedule;
use crate::sweep::SWEEP;
use crate::sweep_method::{SweepMethod, SweepPlan};
use delassus_structure::{Colouring, ColouringCounts, Colours, Groups, Units};

/// Multiplications that colouring a coupling takes as long as \[-\].
const COLOURING: f64 = 120.0;

/// Scalar projected Gauss–Seidel, colour by colour (W.1).
pub type ColouredPgs = Checked<SweepMethod<ColouredPgsPlan>>;

/// The plan of [`ColouredPgs`].
#[derive(Debug, Clone)]
pub struct ColouredPgsPlan {
    colouring: Colouring,
    units: Units,
    /// Memory for the groups of a problem and for the order of its units.
    groups: Groups,
    order: Vec<u32>,
}

impl ColouredPgsPlan {
    /// What the last `prepare` coloured.
    pub fn colouring(&self) -> ColouringCounts {
        self.colouring.counts()
    }
}

impl SweepPlan for ColouredPgsPlan {
    type Parameters = Colours;
    type Rule = RowRule;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "coloured-pgs",
        aliases: &["colored-pgs"],
        name: "Coloured projected Gauss-Seidel",
        summary: "pgs in the order of a graph colouring, f64: what wide-pgs does, without its rounding.",
        citations: &["Catto2006", "Harada2011", "Welsh1967"],
        theory: &["G.1", "G.2", "G.3", "G.4", "G.5", "G.24", "G.25", "W.1"],
        cost: "m",
        ..SWEEP
    };

    fn new(parameters: Colours) -> Result<Self, ParameterError> {
        Ok(Self {
            colouring: Colouring::new(parameters.colours),
            units: Units::default(),
            groups: Groups::new(0),
            order: Vec::new(),
        })
    }

    fn rule(&self) -> RowRule {
        RowRule::new(1.0)
    }

    /// A matrix has a node per coupling.
    fn scheduling(problem: &Problem) -> f64 {
        match problem.operator() {
            Operator::Bodies(_) => 0.0,
            Operator::Matrix(matrix) => COLOURING * matrix.delassus.stored_blocks() as f64,
        }
    }

    /// The blocks in the order of their colours.
    fn schedule(&mut self, _: &mut RowRule, problem: &Problem, memory: Schedule) -> Schedule {
        self.units.update(problem, &mut self.groups);
        self.colouring.update_in(&mut self.groups);
        self.colouring.order_in(&mut self.order);
        let (units, order) = (&self.units, self.order.iter());
        memory.fixed(|visits| visits.extend(order.flat_map(|unit| units.blocks(*unit as usize))))
    }
}
