//! The proximal-point method around Newton's method, and what keeps it going (Z.9)–(Z.12), (Z.20).
//!
//! It begins with convex problems in the velocities, whose small proximal term makes them nearly
//! the problem itself: piles at rest are solved there. What that does not solve within a few steps
//! gets Newton's method on the natural map.

use delassus_core::{BodyRows, Problem, StateCoverage};

use crate::cones::Cones;
use crate::linear;
use crate::linear::krylov::LinearSettings;
use crate::primal::Primal;
use crate::search;

/// A residual of this part of the numbers that it is computed from is rounding \[-\].
pub(crate) const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Progress: the best residual falls by this factor at least.
const PROGRESS: f64 = 0.9;
/// Residual of the size of the problem below which [`PATIENCE_AT_END`] counts \[-\].
const NEAR_END: f64 = 1e-14;
/// Sweeps without progress near rounding after which nothing is expected any more.
const PATIENCE_AT_END: u32 = 8;
/// Smallest and largest proximal parameter \[-\].
const SIGMA_RANGE: (f64, f64) = (1e-10, 10.0);
/// Steps that a regularized problem is given before its proximal parameter rises.
const INNER: u32 = 12;
/// The inner problem is solved when its residual is this part of the outer one \[-\].
pub(crate) const INNER_ACCURACY: f64 = 0.1;
/// Sweeps without progress after which Gauss–Seidel leads elsewhere.
pub(crate) const RESTART: u32 = 30;
/// Gauss–Seidel sweeps of the first restart; each later one has twice as many.
const RESTART_SWEEPS: u32 = 20;
/// Proximal parameters of restarts, in turn \[-\].
const RESTART_SIGMAS: [f64; 4] = [1e-1, 1e-3, 1e-2, 1e-4];
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

/// What the next sweep does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// A step of the convex start.
    Convex,
    /// A step of the loop of De Saxcé.
    Loop,
    /// A sweep of Gauss–Seidel, so many to come.
    Relax(u32),
    /// A step on the natural map.
    Natural,
}

/// Where the method stands.
#[derive(Debug)]
pub(crate) struct Proximal {
    pub(crate) primal: Primal,
    pub(crate) settings: Settings,
    pub(crate) phase: Phase,
    pub(crate) cones: Cones,
    /// The impulses handed out, and their residual \[√J\].
    pub(crate) best: Vec<f64>,
    pub(crate) best_residual: f64,
    /// The best residual when progress was last seen, and when the centre of the convex start moved
    /// last.
    pub(crate) noted: f64,
    last: f64,
    pub(crate) sigma: f64,
    history: search::History,
    /// Fingerprints of the last active sets, the newest first.
    sets: [u64; SETS],
    started: bool,
    pub(crate) searching: bool,
    pub(crate) finished: bool,
    /// Steps since the centre moved.
    pub(crate) inner: u32,
    /// Sweeps since progress was last seen.
    pub(crate) waited: u32,
    restarts: u32,
    pub(crate) restart_at: u32,
}

impl Proximal {
    pub(crate) fn new(
        problem: &Problem,
        bodies: &BodyRows,
        impulses: Vec<f64>,
        settings: Settings,
    ) -> Self {
        let primal = Primal::new(problem, bodies, &impulses, (settings.linear, false));
        Self {
            finished: problem.active_rows() == 0,
            primal,
            settings,
            phase: Phase::Convex,
            cones: Cones::new(impulses.len()),
            best: impulses,
            best_residual: f64::INFINITY,
            noted: f64::INFINITY,
            last: f64::INFINITY,
            sigma: settings.start,
            history: search::History::default(),
            sets: [0; SETS],
            started: false,
            searching: false,
            inner: 0,
            waited: 0,
            restarts: 0,
            restart_at: RESTART,
        }
    }

    /// Takes another b, and begins anew from the best impulses.
    pub(crate) fn refresh(&mut self, problem: &Problem) {
        self.primal.take_velocities(problem, &self.best);
        self.phase = Phase::Convex;
        (self.best_residual, self.noted) = (f64::INFINITY, f64::INFINITY);
        self.last = f64::INFINITY;
        self.sigma = self.settings.start;
        self.history.forget();
        self.sets = [0; SETS];
        (self.started, self.searching) = (false, false);
        self.finished = problem.active_rows() == 0;
        (self.inner, self.waited, self.restarts) = (0, 0, 0);
        self.restart_at = RESTART;
        self.cones.forget();
    }

    /// One Newton step, or one pass of Gauss–Seidel.
    pub(crate) fn sweep(&mut self) {
        if !self.started {
            self.start();
        }
        if self.finished {
            return;
        }
        match self.phase {
            Phase::Convex => self.convex_step(),
            Phase::Loop => self.loop_step(),
            Phase::Relax(left) => {
                self.primal.relax();
                self.phase = Phase::Relax(left - 1);
                if left <= 1 {
                    self.begin_natural(self.sigma);
                }
            }
            Phase::Natural => self.natural_step(),
        }
    }

    /// Judges the impulses that the solve starts from: a solution must not get worse.
    fn start(&mut self) {
        self.started = true;
        self.primal.stay();
        let residual = self.primal.natural_at(0.0, 0.0);
        self.judge(residual);
        self.primal.sets.convex = true;
        if self.settings.convex_start {
            self.primal.centre.copy_from_slice(&self.primal.impulses);
            self.primal.regularize(self.sigma);
        } else {
            self.leave_convex();
        }
    }

    fn convex_step(&mut self) {
        self.primal.evaluate();
        let moved = self.primal.direction() && search::minimize(&mut self.primal);
        self.inner += 1;
        let outer = self.primal.natural_map();
        self.judge(outer);
        let inner = linear::norm(&self.primal.residual);
        let rounding = ROUNDING * self.primal.size();
        if moved && inner <= (INNER_ACCURACY * outer).max(rounding) {
            let slow = outer > SLOW * self.last;
            self.last = outer;
            if slow {
                self.leave_convex();
                return;
            }
            self.sigma = (0.1 * self.sigma).max(SIGMA_RANGE.0);
            self.primal.centre.copy_from_slice(&self.primal.impulses);
            self.primal.regularize(self.sigma);
            self.inner = 0;
        } else if !moved || self.inner >= CONVEX_INNER {
            self.leave_convex();
        }
    }

    /// The convex start has done what it can.
    fn leave_convex(&mut self) {
        self.primal.sets.convex = false;
        self.primal.impulses.copy_from_slice(&self.best);
        self.primal.follow();
        self.sigma = self.settings.proximal;
        self.phase = match self.settings.start_sweeps {
            0 => Phase::Natural,
            sweeps => Phase::Relax(sweeps),
        };
        if self.phase == Phase::Natural {
            self.begin_natural(self.sigma);
        }
    }

    pub(crate) fn begin_natural(&mut self, sigma: f64) {
        self.phase = Phase::Natural;
        self.sigma = sigma;
        self.primal.follow();
        self.primal.stay();
        let residual = self.primal.natural_at(0.0, 0.0);
        self.judge(residual);
        self.recentre();
    }

    pub(crate) fn recentre(&mut self) {
        self.primal.centre.copy_from_slice(&self.primal.impulses);
        self.inner = 0;
        self.history.forget();
    }

    fn natural_step(&mut self) {
        let found = self.primal.natural_direction(self.sigma);
        let cycling = found && !self.searching && self.is_cycling();
        let (sigma, searching) = (self.sigma, self.searching);
        let history = &mut self.history;
        let moved =
            found && !cycling && search::advance(&mut self.primal, sigma, searching, history);
        if !moved {
            self.strengthen();
        }
        self.inner += 1;
        let inner = self.primal.natural_at(self.sigma, 0.0);
        let outer = self.primal.natural_at(0.0, 0.0);
        self.judge(outer);
        let rounding = ROUNDING * self.primal.size();
        if self.cones.trying && self.gives_up_trying() {
            self.resume_loop();
        } else if self.waited >= self.restart_at {
            self.elsewhere();
        } else if inner <= (INNER_ACCURACY * outer).max(rounding) {
            let factor = if self.inner <= 4 { 0.1 } else { 0.5 };
            self.sigma = (factor * self.sigma).max(SIGMA_RANGE.0);
            self.recentre();
        } else if self.inner >= INNER {
            self.strengthen();
        }
    }

    /// Keeps λ if it is the best so far.
    pub(crate) fn judge(&mut self, residual: f64) {
        if residual < self.best_residual {
            self.best_residual = residual;
            self.best.copy_from_slice(&self.primal.impulses);
        }
        self.waited += 1;
        if self.best_residual < PROGRESS * self.noted {
            self.noted = self.best_residual;
            self.waited = 0;
            self.restart_at = RESTART;
        }
        let size = self.primal.size();
        let near = self.best_residual <= NEAR_END * size;
        let patience = if near {
            PATIENCE_AT_END
        } else {
            self.settings.patience
        };
        self.finished = self.best_residual <= ROUNDING * size || self.waited >= patience;
    }

    /// Newton's method failed: a stronger proximal term, from the best impulses if it has strayed.
    fn strengthen(&mut self) {
        self.searching = true;
        self.sigma = (10.0 * self.sigma).max(1e-6).min(SIGMA_RANGE.1);
        self.primal.stay();
        if self.primal.natural_at(0.0, 0.0) > 10.0 * self.best_residual {
            self.primal.impulses.copy_from_slice(&self.best);
            self.primal.follow();
        }
        self.recentre();
    }

    /// The loop of De Saxcé where nothing gets better; where it is of no use, sweeps that lead
    /// away, then another proximal parameter.
    pub(crate) fn elsewhere(&mut self) {
        if self.settings.convex_start && self.cones.is_due() {
            self.begin_loop();
            return;
        }
        self.sigma = RESTART_SIGMAS[self.restarts as usize % RESTART_SIGMAS.len()];
        let sweeps = RESTART_SWEEPS << self.restarts.min(6);
        self.phase = Phase::Relax(sweeps);
        self.restarts += 1;
        self.restart_at = self.waited + RESTART;
        self.searching = true;
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

    /// Residual of what is handed out \[√J\].
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
        let numbers = [self.sigma, self.best_residual, self.noted, self.last];
        StateCoverage::push(out, numbers);
        self.history.push_state(out);
        out.extend(self.sets);
        let relaxing = match self.phase {
            Phase::Convex => u32::MAX,
            Phase::Loop => u32::MAX - 1,
            Phase::Relax(left) => left,
            Phase::Natural => 0,
        };
        let counts = [self.inner, self.waited, self.restarts, self.restart_at];
        out.extend(counts.map(u64::from));
        self.cones.push_state(out);
        out.push(u64::from(relaxing));
        out.extend([self.started, self.finished, self.searching].map(u64::from));
    }
}
