//! `raisim`: block Gauss–Seidel whose sliding contacts are found by bisection of angles. Also
//! `raisim-bisection`.
//!
//! A contact opens or sticks as under Coulomb's law. One that slides takes, of the impulses on the
//! cone's edge that leave no normal velocity, the one that leaves the least kinetic energy (G.34,
//! G.35), found by halving angles; then it moves by the fraction α of the way. Joints and bounds
//! are visited row by row.
//!
//! What its fixed points solve: Signorini's condition and the cone exactly; the direction of
//! sliding is that of Coulomb's law only where normal and tangents are not coupled (W_nt = 0) or
//! there is one tangent. Elsewhere λ_t is not opposite to the slip, and the descriptor says so.
//!
//! Budget per sweep: one pass over all rows, and some sixty evaluations of a slope per sliding
//! contact. Nearest sibling: `block-gs`, whose sliding contacts obey maximal dissipation.
//!
//! Departures: α stays what it is, where the paper lets it fall from sweep to sweep; halving of a
//! right angle to rounding, in place of a stopping tolerance. A contact whose W is not positive
//! definite is stepped as by `pgs`. Theory: docs/theory/25-sweeps.md. Source: \[Hwangbo2018\].

use delassus_core::{
    Checked, LawForm, ParameterError, Parameters, Problem, SetShape, SolveError, SolverDescriptor,
    Support, interrupt,
};

use crate::block_gs::{ContactBlock, update_contact};
use crate::laws::{BUILDING, RowRule, own_block};
use crate::local::OwnMatrix;
use crate::local::bisection::BisectionContact;
use crate::order::Schedule;
use crate::parameters::SweepOrder;
use crate::sweep::{Rule, prepared_sweeps};
use crate::sweep_method::{SweepMethod, SweepPlan};
use crate::view::BlockView;

/// Parameters of [`Raisim`].
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct RaisimParameters {
    /// Fraction α of the way to the local solution that a contact is moved.
    #[parameter(default = 1.0, unit = "-", range = "(0, 1]")]
    pub alpha: f64,
    /// Order of the blocks in a sweep.
    #[parameter(flatten)]
    pub sweep: SweepOrder,
}

/// Per-contact bisection (G.34, G.35).
pub type Raisim = Checked<SweepMethod<RaisimParameters>>;

/// What its sliding contacts solve in place of maximal dissipation.
const LEAST_ENERGY: &str =
    "slides where the least kinetic energy is left, which is against the slip only where W_nt = 0";

impl SweepPlan for RaisimParameters {
    type Parameters = Self;
    type Rule = BisectionRule;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "raisim",
        aliases: &["raisim-bisection"],
        name: "Per-contact bisection",
        summary: "Contacts one by one, sliding ones by bisection for the least energy; block-gs with another law of sliding.",
        citations: &["Hwangbo2018"],
        theory: &["G.2", "G.23", "G.34", "G.35"],
        cost: "m",
        forms: &[
            (LawForm::Free, Support::Exact),
            (LawForm::Interval, Support::Exact),
            (LawForm::Normal, Support::Exact),
            (LawForm::Ball, Support::Approximate(LEAST_ENERGY)),
            (LawForm::CoulombCone, Support::Approximate(LEAST_ENERGY)),
        ],
        ..SolverDescriptor::COMPLETE
    };

    fn new(parameters: Self) -> Result<Self, ParameterError> {
        Ok(parameters)
    }

    fn rule(&self) -> BisectionRule {
        BisectionRule {
            alpha: self.alpha,
            rows: RowRule::new(1.0),
            contacts: Vec::new(),
            own: Vec::new(),
        }
    }

    fn schedule(&mut self, _: &mut BisectionRule, problem: &Problem, memory: Schedule) -> Schedule {
        self.sweep.schedule(problem, memory)
    }
}

/// Contacts by bisection, all else by rows.
#[derive(Debug, Clone)]
pub struct BisectionRule {
    alpha: f64,
    rows: RowRule,
    /// One per block; none where rows are stepped.
    contacts: Vec<Option<ContactBlock<BisectionContact>>>,
    /// Memory for a diagonal block.
    own: Vec<f64>,
}

prepared_sweeps!(BisectionRule);

impl Rule for BisectionRule {
    fn build(&mut self, problem: &Problem) -> Result<(), SolveError> {
        self.rows.build(problem)?;
        self.contacts.clear();
        let (own, blocks) = (&mut self.own, problem.blocks());
        interrupt::for_each(blocks.len(), BUILDING, |index| {
            let block = &blocks[index];
            let factor = block.law.single_factor(block.dim);
            let disc = factor.filter(|factor| factor.shape == SetShape::Ball);
            self.contacts.push(disc.map(|disc| {
                own_block(problem, index, own);
                let own = OwnMatrix::new(own, block.dim);
                let solver = BisectionContact::new(&own, disc.radius.coefficient());
                ContactBlock { own, solver }
            }));
        })
    }

    fn memory(problem: &Problem) -> u64 {
        let contact = size_of::<Option<ContactBlock<BisectionContact>>>();
        RowRule::memory(problem) + (contact * problem.blocks().len()) as u64
    }

    #[inline(always)]
    fn update<V: BlockView>(&mut self, block: usize, active: usize, view: &mut V) {
        let solved = match &self.contacts[block] {
            Some(contact) if active == contact.own.dim => update_contact(view, contact, self.alpha),
            _ => false,
        };
        if !solved {
            self.rows.update(block, active, view);
        }
    }
}
