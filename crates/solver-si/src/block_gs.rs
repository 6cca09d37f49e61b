//! `block-gs`: block Gauss–Seidel, one contact or joint at a time, solved exactly. Also known as
//! NSGS.
//!
//! A visit of a contact forms q, its velocity without its own impulses, and replaces the impulses
//! by the solution of its local problem W r + q = w under its law (G.7–G.15, G.26): open, stick, or
//! slip through one root. Equality blocks are solved by the inverse of W. Bounded rows,
//! frictionless and rolling contacts and the normals of patches are visited row by row.
//!
//! Budget per sweep: one pass over all rows, and a local solve per contact (about as dear as its
//! rows). Nearest sibling: `pgs`, which steps row by row with one scalar per row or pair of
//! tangents.
//!
//! Limitations:
//! - F3 and F5 have no convergence proof: sweeps may end in a cycle, which an ω below one often
//!   breaks.
//! - The local problem of F3 and F5 may have several solutions: the first of open, stick, slip is
//!   taken. Where W is not positive definite it may have none: then one step of `pgs` is made,
//!   which has the same fixed points.
//! - An equality block whose W is singular to 1e-12, or that has more than 1000 rows, is visited
//!   row by row.
//! - A patch is not one block: its normals go row by row, its two tangents together and exactly,
//!   then its twist.
//! - Redundant contacts converge slowly, as in `pgs`.
//!
//! Theory: docs/theory/03-gauss-seidel.md. Source: \[Jourdan1998\]; a slip quartic as in
//! \[Bonnefon2011\], solved here before squaring (G.10).

mod patch;

use delassus_core::{
    Block, Checked, Factor, Law, LawForm, ParameterError, Parameters, Problem, SetShape,
    SolveError, SolverDescriptor, interrupt,
};

use crate::laws::{BUILDING, RowRule, own_block};
use crate::local::boxes::BoxContact;
use crate::local::convex::ConvexContact;
use crate::local::coulomb::CoulombContact;
use crate::local::facets::FacetContact;
use crate::local::{LocalSolver, OwnMatrix};
use crate::order::Schedule;
use crate::parameters::SweepOrder;
use crate::small::invert;
use crate::sweep::{Rule, SWEEP, prepared_sweeps};
use crate::sweep_method::{SweepMethod, SweepPlan};
use crate::view::BlockView;
use patch::PatchLocal;

/// Parameters of [`BlockGs`].
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct BlockGsParameters {
    /// Relaxation factor. 1 takes the local solution, less damps cycles.
    #[parameter(default = 1.0, unit = "-", range = "(0, 2)")]
    pub omega: f64,
    /// Order of the blocks in a sweep.
    #[parameter(flatten)]
    pub sweep: SweepOrder,
}

/// Block Gauss–Seidel with exact local solves (G.7–G.15).
pub type BlockGs = Checked<SweepMethod<BlockGsParameters>>;

impl SweepPlan for BlockGsParameters {
    type Parameters = Self;
    type Rule = BlockRule;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "block-gs",
        aliases: &["nsgs"],
        name: "Block Gauss-Seidel",
        summary: "One contact or joint at a time, solved exactly; pgs with blocks instead of rows.",
        citations: &["Jourdan1998", "Bonnefon2011"],
        theory: &[
            "G.7", "G.8", "G.9", "G.10", "G.11", "G.12", "G.13", "G.14", "G.15", "G.26",
        ],
        cost: "m",
        ..SWEEP
    };

    fn new(parameters: Self) -> Result<Self, ParameterError> {
        Ok(parameters)
    }

    fn rule(&self) -> BlockRule {
        BlockRule::new(self.omega)
    }

    fn schedule(&mut self, _: &mut BlockRule, problem: &Problem, memory: Schedule) -> Schedule {
        self.sweep.schedule(problem, memory)
    }
}

/// Rows of an equality block that is solved by its inverse at most \[-\]: 8 MB, and a second to
/// invert.
const MAX_DIRECT: usize = 1000;

/// Solves blocks exactly; falls back on the rows.
#[derive(Debug, Clone)]
pub struct BlockRule {
    omega: f64,
    /// Partly held blocks, laws without coupling, local problems without a solution.
    rows: RowRule,
    locals: Vec<Local>,
    /// Inverses of the equality blocks.
    inverses: Vec<f64>,
    /// Increments of the equality block under update.
    increments: Vec<f64>,
    /// Patches, of which the first so many are those of the problem.
    patches: Vec<PatchLocal>,
    patch_count: usize,
    /// Memory for a diagonal block.
    own: Vec<f64>,
}

/// How a block is solved.
#[derive(Debug, Clone)]
enum Local {
    Rows,
    /// First entry of the inverse.
    Direct(usize),
    Box(ContactBlock<BoxContact>),
    Coulomb(ContactBlock<CoulombContact>),
    Convex(ContactBlock<ConvexContact>),
    Facets(ContactBlock<FacetContact>),
    /// Index into the patches.
    Patch(usize),
}

/// A contact: W for q, and its local solver.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ContactBlock<S> {
    pub(crate) own: OwnMatrix,
    pub(crate) solver: S,
}

impl BlockRule {
    fn new(omega: f64) -> Self {
        Self {
            omega,
            rows: RowRule::new(omega),
            locals: Vec::new(),
            inverses: Vec::new(),
            increments: Vec::new(),
            own: Vec::new(),
            patches: Vec::new(),
            patch_count: 0,
        }
    }

    fn local(&mut self, law: &Law, own: &mut [f64], dim: usize) -> Local {
        match law.form() {
            LawForm::Free => {
                if !invert(own, dim) {
                    return Local::Rows;
                }
                let first = self.inverses.len();
                self.inverses.extend_from_slice(own);
                Local::Direct(first)
            }
            LawForm::SharedFriction => {
                let index = self.patch_count;
                self.patch_count += 1;
                match self.patches.get_mut(index) {
                    Some(kept) => kept.renew(law, own),
                    None => self.patches.push(PatchLocal::new(law, own)),
                }
                Local::Patch(index)
            }
            _ => match law.single_factor(dim) {
                Some(factor) => of_contact(&factor, own, dim),
                None => Local::Rows,
            },
        }
    }
}

/// A contact point with friction, solved by the shape of its factor.
fn of_contact(factor: &Factor<'_>, own: &[f64], dim: usize) -> Local {
    let own = OwnMatrix::new(own, dim);
    let (limit, mu) = (factor.radius.fixed(), factor.radius.coefficient());
    match factor.shape {
        SetShape::Interval { .. } => Local::Box(ContactBlock {
            own,
            solver: BoxContact::new(&own, limit, mu),
        }),
        SetShape::Ball => Local::Coulomb(ContactBlock {
            own,
            solver: CoulombContact::new(&own, mu),
        }),
        // the fixed part of the radius of a cone is its slope
        SetShape::Cone => Local::Convex(ContactBlock {
            own,
            solver: ConvexContact::new(&own, limit),
        }),
        SetShape::Polygon(polygon) => Local::Facets(ContactBlock {
            own,
            solver: FacetContact::new(&own, mu, polygon),
        }),
    }
}

/// True if the rule looks at the whole diagonal block.
fn is_dense(block: &Block) -> bool {
    match block.law.form() {
        LawForm::Free => block.dim <= MAX_DIRECT,
        LawForm::Cone => block.dim <= 3,
        // row by row
        LawForm::Interval | LawForm::Normal | LawForm::SeveralFrictions => false,
        _ => true,
    }
}

prepared_sweeps!(BlockRule);

impl Rule for BlockRule {
    fn memory(problem: &Problem) -> u64 {
        let inverses = problem.square_memory(|b| b.law.form() == LawForm::Free && is_dense(b));
        // the block at hand and a copy; what a contact needs of its own is a few hundred bytes
        let work = problem.largest_square_memory(is_dense);
        inverses + 2 * work + RowRule::memory(problem) + 400 * problem.blocks().len() as u64
    }

    fn build(&mut self, problem: &Problem) -> Result<(), SolveError> {
        self.rows.build(problem)?;
        self.inverses.clear();
        self.patch_count = 0;
        let mut own = std::mem::take(&mut self.own);
        let mut locals = std::mem::take(&mut self.locals);
        locals.clear();
        locals.reserve(problem.blocks().len());
        let mut largest = 0;
        let blocks = problem.blocks();
        let outcome = interrupt::for_each(blocks.len(), 2 * BUILDING, |index| {
            let block = &blocks[index];
            if !is_dense(block) {
                locals.push(Local::Rows);
                return;
            }
            own_block(problem, index, &mut own);
            locals.push(self.local(&block.law, &mut own, block.dim));
            if block.law.form() == LawForm::Free {
                largest = block.dim.max(largest);
            }
        });
        (self.locals, self.own) = (locals, own);
        self.increments.clear();
        self.increments.resize(largest, 0.0);
        outcome
    }

    #[inline(always)]
    fn update<V: BlockView>(&mut self, block: usize, active: usize, view: &mut V) {
        let omega = self.omega;
        let solved = match &self.locals[block] {
            Local::Coulomb(contact) if active == contact.own.dim => {
                update_contact(view, contact, omega)
            }
            Local::Convex(contact) if active == contact.own.dim => {
                update_contact(view, contact, omega)
            }
            Local::Box(contact) if active == contact.own.dim => {
                update_contact(view, contact, omega)
            }
            Local::Facets(contact) if active == contact.own.dim => {
                update_contact(view, contact, omega)
            }
            Local::Patch(index) if active > self.patches[*index].levers.len() => {
                self.patches[*index].update(view, omega)
            }
            Local::Direct(first) => {
                let inverse = &self.inverses[*first..*first + active * active];
                update_equality(view, inverse, &mut self.increments[..active], omega);
                true
            }
            _ => false,
        };
        if !solved {
            self.rows.update(block, active, view);
        }
    }
}

/// λ ← λ − ω W⁻¹ w.
#[inline(always)]
fn update_equality<V: BlockView>(
    view: &mut V,
    inverse: &[f64],
    increments: &mut [f64],
    omega: f64,
) {
    let dim = increments.len();
    increments.fill(0.0);
    for column in 0..dim {
        let velocity = view.velocity(column);
        for (row, increment) in increments.iter_mut().enumerate() {
            *increment -= inverse[row * dim + column] * velocity;
        }
    }
    for (row, increment) in increments.iter().enumerate() {
        view.set_impulse(row, view.impulse(row) + omega * increment);
    }
}

/// Moves the impulses of a contact to its local solution (G.23); false if there is none.
#[inline(always)]
pub(crate) fn update_contact<V: BlockView, S: LocalSolver>(
    view: &mut V,
    contact: &ContactBlock<S>,
    omega: f64,
) -> bool {
    let dim = contact.own.dim;
    let (mut q, mut old) = ([0.0; 3], [0.0; 3]);
    for row in 0..dim {
        old[row] = view.impulse(row);
        q[row] = view.velocity_without_own(row, &contact.own.w[row][..dim]);
    }
    let Some(mut impulses) = contact.solver.solve(q, old) else {
        return false;
    };
    if omega != 1.0 {
        for row in 0..dim {
            impulses[row] = old[row] + omega * (impulses[row] - old[row]);
        }
        impulses = contact.solver.project(impulses);
    }
    for row in 0..dim {
        view.set_impulse(row, impulses[row]);
    }
    true
}
