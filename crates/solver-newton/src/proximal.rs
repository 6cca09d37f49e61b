//! The proximal-point method around Newton's method, and what keeps it going (Z.9)–(Z.12), (Z.20).
//!
//! It begins with convex problems in the velocities, whose small proximal term makes them nearly
//! the problem itself: piles at rest are solved there. What that does not solve within a few steps
//! gets Newton's method on the natural map.

use delassus_core::{BodyRows, Problem, StateCoverage};

use crate::cones::Cones;
use crate::linear;
use crate::linear::krylov::LinearSettings;
use crate::phase::{Phase, Transition};
use crate::primal::Primal;
use crate::search;

/// A residual of this part of the numbers that it is computed from is rounding \[-\].
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Progress: the best residual falls by this factor at least.
const PROGRESS: f64 = 0.9;
/// Residual of the size of the problem below which [`PATIENCE_AT_END`] counts \[-\].
const NEAR_END: f64 = 1e-14;
/// Sweeps without progress near rounding after which nothing is expected any more.
const PATIENCE_AT_END: u32 = 8;
/// Smallest and largest proximal parameter \[-\].
pub(crate) const SIGMA_RANGE: (f64, f64) = (1e-10, 10.0);
/// Steps that a regularized problem is given before its proximal parameter rises.
const INNER: u32 = 12;
/// The inner problem is solved when its residual is this part of the outer one \[-\].
const INNER_ACCURACY: f64 = 0.1;
/// Sweeps without progress after which the method restarts elsewhere.
pub(crate) const RESTART: u32 = 30;
/// Active sets that are remembered, to see a cycle.
const SETS: usize = 16;
/// Steps of the convex start with one centre.
const CONVEX_INNER: u32 = 6;
/// A convex problem that lowers the residual by less than this is the last one \[-\].
const SLOW: f64 = 0.1;

/// What a caller chooses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Settings {
    /// First proximal parameter of Newton's method on the natural map \[-\].
    pub(crate) proximal: f64,
    /// Proximal parameter of the convex start \[-\].
    pub(crate) start: f64,
    /// True if there is a convex start.
    pub(crate) convex_start: bool,
    /// Sweeps of Gauss–Seidel after it.
    pub(crate) start_sweeps: u32,
    /// Sweeps without progress before the method gives up.
    pub(crate) patience: u32,
    /// How the systems of the convex start are solved.
    pub(crate) linear: LinearSettings,
}

/// Where the method stands.
#[derive(Debug)]
pub(crate) struct Proximal {
    pub(crate) primal: Primal,
    pub(crate) settings: Settings,
    pub(crate) phase: Phase,
    pub(crate) cones: Cones,
    /// The impulses returned, and their residual \[√J\].
    pub(crate) best: Vec<f64>,
    pub(crate) best_residual: f64,
    /// The best residual when progress was last seen \[√J\].
    residual_at_progress: f64,
    /// The residual when the centre of the convex start moved last \[√J\].
    previous_outer: f64,
    pub(crate) sigma: f64,
    pub(crate) history: search::History,
    /// Fingerprints of the last active sets, the newest first.
    sets: [u64; SETS],
    pub(crate) searching: bool,
    pub(crate) finished: bool,
    /// Steps since the centre moved.
    pub(crate) inner: u32,
    /// Sweeps since progress was last seen.
    pub(crate) steps_without_progress: u32,
    pub(crate) restarts: u32,
    pub(crate) restart_at: u32,
}

/// A Newton step on a convex problem.
pub(crate) struct ConvexStep {
    /// False if no step lowers its function.
    pub(crate) moved: bool,
    /// True if it is solved.
    pub(crate) solved: bool,
    /// Residual of the problem itself \[√J\].
    pub(crate) outer: f64,
}

impl Proximal {
    pub(crate) fn new(
        problem: &Problem,
        bodies: &BodyRows,
        impulses: Vec<f64>,
        settings: Settings,
    ) -> Self {
        let primal = Primal::new(problem, bodies, &impulses, settings.linear, false);
        Self {
            finished: problem.active_rows() == 0,
            primal,
            settings,
            phase: Phase::Start,
            cones: Cones::new(impulses.len()),
            best: impulses,
            best_residual: f64::INFINITY,
            residual_at_progress: f64::INFINITY,
            previous_outer: f64::INFINITY,
            sigma: settings.start,
            history: search::History::default(),
            sets: [0; SETS],
            searching: false,
            inner: 0,
            steps_without_progress: 0,
            restarts: 0,
            restart_at: RESTART,
        }
    }

    /// Takes another b, and begins anew from the best impulses.
    pub(crate) fn refresh(&mut self, problem: &Problem) {
        self.primal.take_velocities(problem, &self.best);
        self.phase = Phase::Start;
        self.best_residual = f64::INFINITY;
        self.residual_at_progress = f64::INFINITY;
        self.previous_outer = f64::INFINITY;
        self.sigma = self.settings.start;
        self.history.forget();
        self.sets = [0; SETS];
        self.searching = false;
        self.finished = problem.active_rows() == 0;
        (self.inner, self.steps_without_progress, self.restarts) = (0, 0, 0);
        self.restart_at = RESTART;
        self.cones.forget();
    }

    /// Judges the impulses that the solve starts from: a solution must not get worse.
    pub(crate) fn start(&mut self) -> Transition {
        self.phase = Phase::Convex;
        self.primal.clear_step();
        let residual = self.primal.natural_at(0.0, 0.0);
        self.record_residual(residual);
        if !self.settings.convex_start {
            return Transition::LeaveStart;
        }
        self.primal.sets.convex = true;
        Transition::NextConvex
    }

    pub(crate) fn convex_step(&mut self) -> Transition {
        let step = self.newton_step();
        if !step.moved || !step.solved {
            return match step.moved && self.inner < CONVEX_INNER {
                true => Transition::Stay,
                false => Transition::LeaveStart,
            };
        }
        let slow = step.outer > SLOW * self.previous_outer;
        self.previous_outer = step.outer;
        if slow {
            return Transition::LeaveStart;
        }
        self.sigma = (0.1 * self.sigma).max(SIGMA_RANGE.0);
        Transition::NextConvex
    }

    /// A step on the convex problem at hand.
    pub(crate) fn newton_step(&mut self) -> ConvexStep {
        self.primal.evaluate();
        let moved = self.primal.direction() && search::minimize(&mut self.primal);
        self.inner += 1;
        let outer = self.primal.natural_map();
        self.record_residual(outer);
        let inner = linear::norm(&self.primal.residual);
        ConvexStep {
            moved,
            solved: self.is_solved(inner, outer),
            outer,
        }
    }

    /// True if the residual of a regularized problem is small compared with that of the problem
    /// itself.
    fn is_solved(&self, inner: f64, outer: f64) -> bool {
        let rounding = ROUNDING * self.primal.size();
        inner <= (INNER_ACCURACY * outer).max(rounding)
    }

    pub(crate) fn natural_step(&mut self) -> Transition {
        let found = self.primal.natural_direction(self.sigma);
        let cycling = found && !self.searching && self.is_cycling();
        let (sigma, searching) = (self.sigma, self.searching);
        let history = &mut self.history;
        let moved =
            found && !cycling && search::advance(&mut self.primal, sigma, searching, history);
        if !moved {
            self.increase_proximal_term();
        }
        self.inner += 1;
        let inner = self.primal.natural_at(self.sigma, 0.0);
        let outer = self.primal.natural_at(0.0, 0.0);
        self.record_residual(outer);
        if self.steps_without_progress >= self.restart_at {
            match self.cones.trying {
                true => Transition::ResumeLoop,
                false => Transition::Restart,
            }
        } else if self.is_solved(inner, outer) {
            Transition::NextNatural
        } else if self.inner >= INNER {
            Transition::IncreaseTerm
        } else {
            Transition::Stay
        }
    }

    /// Keeps λ if it is the best so far.
    pub(crate) fn record_residual(&mut self, residual: f64) {
        if residual < self.best_residual {
            self.best_residual = residual;
            self.best.copy_from_slice(&self.primal.impulses);
        }
        self.steps_without_progress += 1;
        if self.best_residual < PROGRESS * self.residual_at_progress {
            self.residual_at_progress = self.best_residual;
            self.steps_without_progress = 0;
            self.restart_at = RESTART;
        }
        let size = self.primal.size();
        let near = self.best_residual <= NEAR_END * size;
        let patience = if near {
            PATIENCE_AT_END
        } else {
            self.settings.patience
        };
        let solved = self.best_residual <= ROUNDING * size;
        self.finished = solved || self.steps_without_progress >= patience;
    }

    /// Notes the active set of this step; true if it has been there before, and another one since.
    fn is_cycling(&mut self) -> bool {
        let set = self.primal.fingerprint();
        let last = self.sets[0];
        let repeated = set != last && self.sets.contains(&set);
        if set != last {
            self.sets.rotate_right(1);
            self.sets[0] = set;
        }
        repeated
    }

    /// Residual of the returned impulses \[√J\].
    pub(crate) fn residual(&self) -> f64 {
        self.best_residual
    }

    /// Proximal parameter of the current step \[-\].
    pub(crate) fn sigma(&self) -> f64 {
        self.sigma
    }

    /// Appends everything that decides the sweeps to come.
    pub(crate) fn push_state(&self, out: &mut Vec<u64>) {
        self.primal.push_state(out);
        StateCoverage::push(out, self.best.iter().copied());
        let residuals = [self.best_residual, self.residual_at_progress];
        StateCoverage::push(out, residuals);
        StateCoverage::push(out, [self.sigma, self.previous_outer]);
        self.history.push_state(out);
        out.extend(self.sets);
        let relaxing = match self.phase {
            Phase::Start => u32::MAX - 2,
            Phase::Convex => u32::MAX,
            Phase::Loop => u32::MAX - 1,
            Phase::Relax(left) => left,
            Phase::Natural => 0,
        };
        let waited = [self.steps_without_progress, self.restart_at];
        out.extend(waited.map(u64::from));
        out.extend([self.inner, self.restarts].map(u64::from));
        self.cones.push_state(out);
        out.push(u64::from(relaxing));
        out.extend([self.finished, self.searching].map(u64::from));
    }
}
