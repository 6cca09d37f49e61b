//! `manifold-gs`: Gauss–Seidel with the normals of a manifold solved together, by total
//! enumeration. The block solver of Box2D 2.
//!
//! A visit of a manifold (consecutive contacts of the same bodies, or a patch) steps its friction
//! rows one by one, bounded by the normals of the visit before (G.2–G.5), and then replaces its two
//! to four normal impulses by the solution of their small complementarity problem (G.27): the one
//! subset of closed points that fits. Four points of a face are redundant; the term ε D makes the
//! problem definite without moving its fixed points, and picks the impulses nearest to those
//! before.
//!
//! Budget per sweep: one pass over all rows, and up to 2ᵏ systems of at most k ≤ 4 equations per
//! manifold of k points. Nearest siblings: `block-gs` solves each contact exactly, normal and
//! friction together; `pgs` solves rows.
//!
//! Departures: Box2D drops a point where two are nearly redundant (condition above 1000) and has no
//! ε; its manifolds have two points. Limitations: manifolds of more than four points, convex cones
//! and joints are visited row by row; the convergence is that of `pgs`, with the coupling inside a
//! manifold taken out. Theory: docs/theory/03-gauss-seidel.md. Source: \[Catto2020\],
//! b2_contact_solver.cpp; \[Murty1974\] for the enumeration.

mod enumerate;

use delassus_core::{
    Checked, LawForm, ParameterError, Parameters, Problem, SolveError, SolverDescriptor, interrupt,
};

use crate::laws::{BUILDING, RowRule, own_block};
use crate::order::{BlockPart, Schedule, manifolds, visit};
use crate::sweep::{Rule, SWEEP, prepared_sweeps};
use crate::sweep_method::{SweepMethod, SweepPlan};
use crate::view::BlockView;
use enumerate::{MAX_NORMALS, SmallLcp};

/// Parameters of [`ManifoldGs`]: none.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct ManifoldGsParameters {}

/// Gauss–Seidel with manifolds (G.27).
pub type ManifoldGs = Checked<SweepMethod<ManifoldGsParameters>>;

impl SweepPlan for ManifoldGsParameters {
    type Parameters = Self;
    type Rule = ManifoldRule;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "manifold-gs",
        aliases: &["block-solver", "total-enumeration"],
        name: "Manifold Gauss-Seidel",
        summary: "Friction row by row, then all normals of a manifold together by total enumeration, as Box2D 2 does; pgs solves them one by one.",
        citations: &["Catto2020", "Murty1974"],
        theory: &["G.2", "G.3", "G.5", "G.27"],
        cost: "m",
        ..SWEEP
    };

    fn new(parameters: Self) -> Result<Self, ParameterError> {
        Ok(parameters)
    }

    fn rule(&self) -> ManifoldRule {
        ManifoldRule::new()
    }

    fn schedule(
        &mut self,
        rule: &mut ManifoldRule,
        problem: &Problem,
        memory: Schedule,
    ) -> Schedule {
        memory.fixed(|visits| rule.find(problem, visits))
    }
}

/// Friction by rows, normals by manifolds.
#[derive(Debug, Clone)]
pub struct ManifoldRule {
    rows: RowRule,
    /// The manifold of every block; none for blocks that go row by row.
    manifold_of: Vec<Option<u32>>,
    manifolds: Vec<Manifold>,
    /// The manifold under way.
    now: Option<u32>,
    solved: bool,
    /// Its normals that are solved for, among all of it.
    seen: Vec<usize>,
    problem: SmallLcp,
    /// Memory for manifolds and for a diagonal block.
    spare: Vec<Manifold>,
    own: Vec<f64>,
}

/// The normals of a manifold.
#[derive(Debug, Clone, Default)]
struct Manifold {
    /// Block and row in it, in ascending order; at most four.
    seats: Vec<[u32; 2]>,
    /// A + R between them, row-major \[1/kg\].
    matrix: Vec<f64>,
}

impl ManifoldRule {
    fn new() -> Self {
        Self {
            rows: RowRule::new(1.0),
            manifold_of: Vec::new(),
            manifolds: Vec::new(),
            now: None,
            solved: false,
            seen: Vec::with_capacity(MAX_NORMALS),
            problem: SmallLcp::default(),
            spare: Vec::new(),
            own: Vec::new(),
        }
    }

    /// Finds the manifolds, and writes the visits of a sweep.
    fn find(&mut self, problem: &Problem, visits: &mut Vec<u32>) {
        self.manifold_of.clear();
        self.manifold_of.resize(problem.blocks().len(), None);
        self.spare.append(&mut self.manifolds);
        (self.now, self.solved) = (None, false);
        for members in manifolds(problem) {
            let Manifold { mut seats, matrix } = self.spare.pop().unwrap_or_default();
            find_seats(problem, members.clone(), &mut seats);
            let together = (2..=MAX_NORMALS).contains(&seats.len());
            let mut push = |part| visits.extend(members.clone().map(|member| visit(member, part)));
            push(BlockPart::Friction);
            if !together {
                push(BlockPart::Normals);
                self.spare.push(Manifold { seats, matrix });
                continue;
            }
            push(BlockPart::Gather);
            push(BlockPart::Scatter);
            // fewer than 2³² blocks, so nothing is cut off
            let index = u32::try_from(self.manifolds.len()).unwrap_or(u32::MAX);
            for member in members {
                self.manifold_of[member as usize] = Some(index);
            }
            self.manifolds.push(Manifold { seats, matrix });
        }
    }

    /// Gathers w and λ of the normals of a block.
    fn gather<V: BlockView>(&mut self, block: usize, view: &V) {
        let Some(index) = self.manifold_of[block] else {
            return;
        };
        if self.now != Some(index) || self.solved {
            (self.now, self.solved) = (Some(index), false);
            self.seen.clear();
            self.problem.clear();
        }
        let seats = &self.manifolds[index as usize].seats;
        for (seat, [_, row]) in of_block(seats, block) {
            self.seen.push(seat);
            let row = row as usize;
            self.problem.push(view.velocity(row), view.impulse(row));
        }
    }

    /// Gives the normals of a block their new impulses; the first block of a manifold solves for
    /// all of them.
    fn scatter<V: BlockView>(&mut self, block: usize, view: &mut V) {
        let Some(index) = self.manifold_of[block] else {
            return;
        };
        let manifold = &self.manifolds[index as usize];
        if !self.solved {
            self.solved = true;
            self.problem
                .solve(&manifold.matrix, manifold.seats.len(), &self.seen);
        }
        for (seat, [_, row]) in of_block(&manifold.seats, block) {
            if let Some(place) = self.seen.iter().position(|seen| *seen == seat) {
                view.set_impulse(row as usize, self.problem.solution()[place]);
            }
        }
    }
}

prepared_sweeps!(ManifoldRule);

impl Rule for ManifoldRule {
    const HAS_PARTS: bool = true;

    fn build(&mut self, problem: &Problem) -> Result<(), SolveError> {
        self.rows.build(problem)?;
        interrupt::for_each(self.manifolds.len(), MAX_NORMALS * BUILDING, |index| {
            self.manifolds[index].fill(problem, &mut self.own);
        })
    }

    fn memory(problem: &Problem) -> u64 {
        // per normal: its seat, its rows of the matrix and its visits
        let normals = problem.blocks().iter().map(|b| b.law.normals(b.dim));
        let each = size_of::<Manifold>() + 8 + MAX_NORMALS * size_of::<f64>() + 16;
        RowRule::memory(problem) + (normals.sum::<usize>() * each) as u64
    }

    fn update<V: BlockView>(&mut self, block: usize, active: usize, view: &mut V) {
        self.rows.update(block, active, view);
    }

    #[inline(always)]
    fn update_part<V: BlockView>(
        &mut self,
        block: usize,
        part: BlockPart,
        active: usize,
        view: &mut V,
    ) {
        match part {
            BlockPart::Normals | BlockPart::Friction | BlockPart::Backwards => {
                self.rows.update_part(block, part, active, view);
            }
            BlockPart::Gather => self.gather(block, view),
            BlockPart::Scatter => self.scatter(block, view),
        }
    }
}

impl Manifold {
    /// A + R between the normals.
    fn fill(&mut self, problem: &Problem, own: &mut Vec<f64>) {
        let n = self.seats.len();
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        for i in 0..n {
            let [block, row] = self.seats[i].map(|x| x as usize);
            own_block(problem, block, own);
            let dim = problem.blocks()[block].dim;
            for j in 0..n {
                let [other, column] = self.seats[j].map(|x| x as usize);
                self.matrix[i * n + j] = if other == block {
                    own[row * dim + column]
                } else {
                    coupling(problem, [block, row], [other, column])
                };
            }
        }
    }
}

/// J_i M⁻¹ J_jᵀ of two rows of blocks with the same bodies \[1/kg\].
fn coupling(problem: &Problem, [block, row]: [usize; 2], [other, column]: [usize; 2]) -> f64 {
    let Some(bodies) = problem.bodies() else {
        return 0.0;
    };
    let entries = bodies.row(block, row).iter().zip(bodies.row(other, column));
    let pairs = entries.zip(bodies.bodies_of(block));
    let share = |((a, b), body): ((&[f64; 6], &[f64; 6]), &u32)| -> f64 {
        let moved = bodies.mass[*body as usize].apply_inverse(b);
        a.iter().zip(moved).map(|(x, y)| x * y).sum()
    };
    pairs.map(share).sum()
}

/// The seats of a block, with their numbers.
fn of_block(seats: &[[u32; 2]], block: usize) -> impl Iterator<Item = (usize, [u32; 2])> + '_ {
    let own = move |(_, seat): &(usize, [u32; 2])| seat[0] as usize == block;
    seats.iter().copied().enumerate().filter(own)
}

/// The normal rows of some blocks that can be solved apart from their friction.
fn find_seats(problem: &Problem, blocks: std::ops::Range<u32>, seats: &mut Vec<[u32; 2]>) {
    seats.clear();
    for index in blocks {
        let block = &problem.blocks()[index as usize];
        // in a convex cone the normal row is not apart from the others
        if block.law.form() != LawForm::Cone {
            // few rows: nothing is cut off
            let normals = u32::try_from(block.law.contact_points()).unwrap_or(u32::MAX);
            seats.extend((0..normals).map(|row| [index, row]));
        }
    }
}
