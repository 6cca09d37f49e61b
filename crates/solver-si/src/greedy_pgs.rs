//! `greedy-pgs`: projected Gauss–Seidel that updates the block which is furthest off. Also known as
//! Gauss–Southwell.
//!
//! Every block has a score, the largest |d_i| √(A_ii + R_ii) of the steps d_i that its rows would
//! make now, the root of twice the energy that a row takes out (G.33). The largest score is updated
//! next; then the scores of the block and of all that share a movable body with it (a column, on a
//! matrix) are computed anew. A tournament keeps the largest; the first of equal ones wins.
//!
//! Budget per sweep: as many row updates as rows are solved for. Row updates do not count the
//! looks: each update is followed by one product J v per row of each neighbour, half the price of a
//! row update, so that a sweep costs some five to twenty of `pgs`. Nearest siblings: `random-pgs`
//! draws; `pgs` takes turns.
//!
//! Departures: blocks of several rows are chosen by their furthest row and swept row by row.
//! Limitations: pays where the trouble is local; a pile or chain whose error is smooth gains little
//! and pays for the looks. Theory: docs/theory/25-sweeps.md. Source: \[Southwell1940\],
//! \[Nutini2015\].

mod neighbours;
mod tournament;

use delassus_core::{
    Changes, Checked, Method, Operator, ParameterError, Parameters, Prepared, Problem, Progress,
    SolveError, SolverDescriptor, StateCoverage, interrupt,
};

use crate::coupling::pairs_at_bodies;
use crate::laws::RowRule;
use crate::packed::{PackedRows, read_packed};
use crate::sweep::{Rule, SWEEP, update_block};
use crate::view::{BlockView, FrozenView, Visit};
use neighbours::Neighbours;
use tournament::Tournament;

/// Parameters of [`GreedyPgs`]: none.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct GreedyPgsParameters {}

/// Greedy projected Gauss–Seidel (G.33).
pub type GreedyPgs = Checked<GreedyPgsParameters>;

impl Method for GreedyPgsParameters {
    type Parameters = Self;
    type Prepared = GreedySweeps;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "greedy-pgs",
        aliases: &["gauss-southwell"],
        name: "Greedy projected Gauss-Seidel",
        summary: "The block with the largest scaled step first; fewer row updates than pgs where errors are local, but each also recomputes the steps of its neighbours.",
        citations: &["Southwell1940", "Nutini2015"],
        theory: &["G.2", "G.3", "G.4", "G.5", "G.33"],
        cost: "m",
        ..SWEEP
    };

    fn new(parameters: Self) -> Result<Self, ParameterError> {
        Ok(parameters)
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        PackedRows::memory(problem) + RowRule::memory(problem) + Neighbours::memory(problem)
    }

    fn prepare(
        &mut self,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<GreedySweeps, SolveError> {
        let mut rule = RowRule::new(1.0);
        rule.build(problem)?;
        let mut chosen = GreedySweeps {
            packed: PackedRows::new(problem, impulses)?,
            rule,
            neighbours: Neighbours::default(),
            tournament: Tournament::default(),
            around: Vec::new(),
            trial: Trial::default(),
        };
        chosen.begin(problem);
        Ok(chosen)
    }

    fn prepare_into(
        &mut self,
        chosen: &mut GreedySweeps,
        problem: &Problem,
        impulses: &[f64],
    ) -> Result<bool, SolveError> {
        chosen.rule.build(problem)?;
        chosen.packed.prepare_into(problem, impulses, &[])?;
        chosen.begin(problem);
        Ok(true)
    }
}

/// A prepared problem with the scores of its blocks.
#[derive(Debug, Clone)]
pub struct GreedySweeps {
    packed: PackedRows,
    rule: RowRule,
    neighbours: Neighbours,
    tournament: Tournament,
    /// Blocks whose scores are computed anew.
    around: Vec<u32>,
    trial: Trial,
}

/// Workspace of one block: what its rows would do.
#[derive(Debug, Clone, Default)]
struct Trial {
    impulses: Vec<f64>,
    velocities: Vec<f64>,
    effective_masses: Vec<f64>,
}

impl Trial {
    /// Makes room for the rows of a block.
    fn resize(&mut self, rows: usize) {
        self.impulses.resize(rows, 0.0);
        self.velocities.resize(rows, 0.0);
        self.effective_masses.resize(rows, 0.0);
    }
}

impl GreedySweeps {
    fn packed(&self) -> &PackedRows {
        &self.packed
    }

    /// Neighbours and scores of a problem that is packed.
    fn begin(&mut self, problem: &Problem) {
        let blocks = problem.blocks().len();
        let largest = problem.blocks().iter().map(|b| b.dim).max();
        self.neighbours.find(problem);
        self.tournament.begin(blocks);
        self.around.clear();
        self.around.reserve(blocks);
        self.trial.resize(largest.unwrap_or(0));
        self.score_all();
    }

    fn score_all(&mut self) {
        for block in 0..self.packed.active.len() {
            self.score(block);
        }
    }

    /// The largest |d_i| √(A_ii + R_ii) of a block; zero where nothing is solved for.
    fn score(&mut self, block: usize) {
        let active = self.packed.active[block];
        let mut score = 0.0;
        if active > 0 {
            self.packed.visit_any(
                block,
                Look {
                    rule: &mut self.rule,
                    block,
                    active,
                    trial: &mut self.trial,
                    score: &mut score,
                },
            );
        }
        self.tournament.set(block, score);
    }

    /// Updates the block that is furthest off; returns the number of its rows, zero at rest.
    fn update(&mut self) -> usize {
        let block = self.tournament.best();
        if self.packed.active.is_empty() || self.tournament.score(block) == 0.0 {
            return 0;
        }
        let active = update_block(&mut self.packed, &mut self.rule, block);
        let mut around = std::mem::take(&mut self.around);
        self.neighbours.of(block, &mut around);
        for block in &around {
            self.score(*block as usize);
        }
        self.around = around;
        active
    }
}

/// Computes what the rows of a block would do, and changes nothing.
struct Look<'a> {
    rule: &'a mut RowRule,
    block: usize,
    active: usize,
    trial: &'a mut Trial,
    score: &'a mut f64,
}

impl Visit for Look<'_> {
    #[inline(always)]
    fn visit<V: BlockView>(self, view: &mut V) {
        let Trial {
            impulses,
            velocities,
            effective_masses,
        } = self.trial;
        let rows = self.active;
        for row in 0..rows {
            impulses[row] = view.impulse(row);
            velocities[row] = view.velocity(row);
            effective_masses[row] = view.effective_mass(row);
        }
        let mut frozen = FrozenView {
            velocities,
            effective_masses,
            impulses,
        };
        self.rule.update(self.block, self.active, &mut frozen);
        let mut most = 0.0f64;
        for row in 0..rows {
            let step = (impulses[row] - view.impulse(row)).abs();
            let score = step / effective_masses[row].sqrt();
            // max would drop what is no number
            if score.is_nan() || score > most {
                most = score;
            }
        }
        *self.score = most;
    }
}

/// Multiplications that finding a coupled block takes as long as \[-\].
const FINDING: f64 = 3.0;

/// Multiplications that scoring a block on bodies takes as long as \[-\].
const SCORING: f64 = 250.0;

/// Multiplications that a sweep takes as long as: each update is followed by looks at all blocks
/// that it moves.
fn sweep_multiplications(problem: &Problem) -> f64 {
    let blocks = problem.blocks().len() as f64;
    let matrix = match problem.operator() {
        Operator::Bodies(bodies) => return SCORING * pairs_at_bodies(problem, bodies) as f64,
        Operator::Matrix(matrix) => &matrix.delassus,
    };
    let (coupled, rows) = (matrix.stored_blocks() as f64, problem.rows() as f64);
    // as many updates as blocks, with as many looks as a block is coupled to on average
    let (looks, dim) = (coupled, rows / blocks);
    looks * coupled / blocks * (dim * dim + FINDING)
}

impl Prepared for GreedySweeps {
    fn update(&mut self, problem: &Problem, changed: Changes) -> Result<bool, SolveError> {
        if changed.compliance {
            self.rule.build(problem)?;
        }
        self.packed.take_over(problem)?;
        self.score_all();
        Ok(true)
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        if sweeps > 0 && interrupt::limit().is_some() {
            interrupt::afford(sweep_multiplications(problem))?;
        }
        let mut progress = Progress::of_sweeps(sweeps, 0);
        for _ in 0..sweeps {
            let mut rows = 0;
            while rows < self.packed.active_rows {
                let updated = self.update();
                if updated == 0 {
                    break;
                }
                rows += updated;
            }
            progress.row_updates += rows as u64;
        }
        Ok(progress)
    }

    read_packed!(packed);

    /// Impulses and velocities, which the scores follow from.
    fn fingerprint(&self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        self.packed.push_state(out);
        Ok(Some(StateCoverage::Complete))
    }
}
