//! `staggered`: staggered projections, normals with friction fixed and friction with normals fixed
//! in turn.
//!
//! The contact problem is split in two convex ones (G.36). Stage one sweeps over normals, joints
//! and bounds with the friction impulses as they are, stage two over friction, joints and bounds
//! with the normal impulses, and so the friction bounds, as they are. Each stage is given a fixed
//! number of inner sweeps.
//!
//! Budget per sweep: `inner` passes of each stage, 2 · inner · (joints and bounds) + inner ·
//! (contacts) row updates. Nearest sibling: `pgs` with rows = "normals-first", which interleaves
//! the two manifold by manifold.
//!
//! Fixed points of both stages are solutions of every law: an inner sweep that moves nothing
//! satisfies each of its rows. The alternation is no contraction in general and may cycle, however
//! exact the stages are; there is no proof for F2–F5. Departures: the stages are solved inexactly,
//! by sweeps, where the paper solves quadratic programs; joints and bounds are in both stages; a
//! convex cone (F6) is projected whole, with friction. Theory: docs/theory/25-sweeps.md. Source:
//! \[Kaufman2008\].

use delassus_core::{
    Changes, Checked, Law, Method, Operator, ParameterError, Parameters, Prepared, Problem,
    Progress, SolveError, SolverDescriptor, StateCoverage, interrupt,
};

use crate::laws::RowRule;
use crate::order::{BlockPart, Schedule, visit};
use crate::packed::{PackedRows, read_packed};
use crate::sweep::{PreparedSweeps, SWEEP};

/// Inner sweeps per stage when none are given \[-\]: the anchored chain of five loses half its
/// error in them.
const DEFAULT_INNER: u64 = 5;

/// Parameters of [`Staggered`].
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct StaggeredParameters {
    /// Inner sweeps of each of the two stages.
    #[parameter(default = DEFAULT_INNER, unit = "-", range = "[1, 10000]")]
    pub inner: u64,
}

/// Staggered projections (G.36).
pub type Staggered = Checked<StaggeredParameters>;

impl Method for StaggeredParameters {
    type Parameters = Self;
    type Prepared = Stages;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "staggered",
        aliases: &["staggered-projections"],
        name: "Staggered projections",
        summary: "All normals with friction fixed, then all friction with normals fixed, by inner sweeps; may cycle.",
        citations: &["Kaufman2008"],
        theory: &["G.2", "G.3", "G.4", "G.5", "G.36"],
        cost: "2km",
        ..SWEEP
    };

    fn new(parameters: Self) -> Result<Self, ParameterError> {
        Ok(parameters)
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        Stages::memory(problem)
    }

    fn prepare(&mut self, problem: &Problem, impulses: Vec<f64>) -> Result<Stages, SolveError> {
        Stages::new(self.inner, problem, impulses)
    }

    fn prepare_into(
        &mut self,
        stages: &mut Stages,
        problem: &Problem,
        impulses: &[f64],
    ) -> Result<bool, SolveError> {
        let (inner, swept) = (self.inner, &mut stages.swept);
        swept.prepare_into(problem, impulses, |_, memory| {
            schedule(problem, inner, memory)
        })?;
        stages.rows = rows_of_both(problem);
        Ok(true)
    }
}

/// A visit of a block of a matrix takes at least as long as so many multiplications \[-\]
/// ([`interrupt::afford`]).
const PER_BLOCK: usize = 4;

/// A prepared problem with its two stages.
#[derive(Debug, Clone)]
pub struct Stages {
    swept: PreparedSweeps<RowRule>,
    inner: u64,
    /// Rows that both stages together update once.
    rows: u64,
}

impl Stages {
    fn packed(&self) -> &PackedRows {
        self.swept.packed()
    }

    fn memory(problem: &Problem) -> u64 {
        let visits = 2 * size_of::<u32>() * problem.blocks().len();
        PreparedSweeps::<RowRule>::memory(problem) + visits as u64
    }

    fn new(inner: u64, problem: &Problem, impulses: Vec<f64>) -> Result<Self, SolveError> {
        let schedule = schedule(problem, inner, Schedule::default());
        let swept = PreparedSweeps::new(RowRule::new(1.0), schedule, problem, impulses)?;
        let rows = rows_of_both(problem);
        Ok(Self { swept, inner, rows })
    }
}

/// True for blocks without friction, which both stages solve.
fn is_common(law: &Law) -> bool {
    law.contact_points() == 0
}

/// The visits of both stages; reuses the memory of earlier ones.
fn schedule(problem: &Problem, inner: u64, memory: Schedule) -> Schedule {
    memory.stages(inner, |first, second| {
        for (visits, part) in [(first, BlockPart::Normals), (second, BlockPart::Friction)] {
            // fewer than 2²⁹ blocks: nothing is cut off
            let blocks = (0u32..).zip(problem.blocks());
            visits.extend(blocks.map(|(index, block)| match is_common(&block.law) {
                true => visit(index, BlockPart::Normals),
                false => visit(index, part),
            }));
        }
    })
}

/// Rows that one pass of each stage updates together.
fn rows_of_both(problem: &Problem) -> u64 {
    let blocks = problem.blocks().iter().enumerate();
    let rows = blocks.map(|(index, block)| {
        problem.active_dim(index) * if is_common(&block.law) { 2 } else { 1 }
    });
    rows.sum::<usize>() as u64
}

impl Prepared for Stages {
    fn update(&mut self, problem: &Problem, changed: Changes) -> Result<bool, SolveError> {
        self.rows = rows_of_both(problem);
        self.swept.update(problem, changed)
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        // small blocks wait longer for memory than their numbers take
        let entries = match problem.operator() {
            Operator::Matrix(matrix) => {
                let matrix = &matrix.delassus;
                matrix
                    .stored_values()
                    .max(PER_BLOCK * matrix.stored_blocks())
            }
            Operator::Bodies(_) => 0,
        };
        let passes = 2 * self.inner;
        let mut done = 0;
        while done < sweeps {
            // only a whole unit leaves impulses of both stages
            match interrupt::afford(passes as f64 * entries as f64) {
                Err(_) if done > 0 => break,
                outcome => outcome?,
            }
            (0..passes).for_each(|_| self.swept.sweep_once());
            done += 1;
        }
        Ok(Progress {
            sweeps: done,
            row_updates: u64::from(done) * self.inner * self.rows,
            finished: false,
        })
    }

    read_packed!(packed);

    /// Impulses and velocities: a sweep ends where it began, before the first stage.
    fn fingerprint(&self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        self.swept.packed().push_state(out);
        Ok(Some(StateCoverage::Complete))
    }
}
