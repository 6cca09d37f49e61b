//! The iterate of Newton's method, and one step of it.

use delassus_core::{SolveError, StateCoverage, interrupt};

use super::contradiction::Contradiction;
use super::maps::Entry;
use super::model::{Group, Model};
use super::reduction::{GIVEN, Reduction};
use super::relaxation;
use super::settings::NewtonSettings;
use super::system::LinearSystem;
use crate::linear;

/// Passes of refinement against the Jacobian without its regularization.
const REFINEMENTS: usize = 2;
/// A residual of this part of the numbers that it is computed from is rounding \[-\].
pub(super) const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Sweeps without progress after which a method that has reached rounding stops.
const PATIENCE_AT_END: u32 = 8;
/// Residual below which [`PATIENCE_AT_END`] counts, of the problem's scale \[-\].
const NEAR_END: f64 = 1e-12;
/// Progress: the best residual falls by this factor at least.
const PROGRESS: f64 = 0.9;
/// Active sets that are remembered, to see a cycle.
const SETS: usize = 16;
/// Merits that the non-monotone search looks back on \[Grippo1986\].
pub(super) const MEMORY: usize = 4;
/// Sweeps without progress after which projected Gauss–Seidel leads elsewhere.
pub(super) const RESTART: u32 = 30;

/// Where the iteration stands, and its workspace; y and w in √J.
#[derive(Debug)]
pub(crate) struct Iterate {
    pub(crate) y: Vec<f64>,
    /// Sy + c.
    pub(super) w: Vec<f64>,
    pub(super) f: Vec<f64>,
    /// Newton step and S times it.
    pub(super) step: Vec<f64>,
    pub(super) moved: Vec<f64>,
    pub(super) trial: [Vec<f64>; 2],
    /// Centre of the proximal term.
    pub(super) centre: Vec<f64>,
    pub(super) best: Vec<f64>,
    pub(super) entries: Vec<Entry>,
    pub(super) reduction: Reduction,
    pub(crate) system: LinearSystem,
    pub(crate) contradiction: Contradiction,
    pub(super) alpha: f64,
    pub(super) best_residual: f64,
    /// The best residual when progress was last seen.
    pub(super) noted: f64,
    /// Merits that a non-monotone search compares with.
    pub(super) history: [f64; MEMORY],
    /// Fingerprints of the last active sets, the newest first.
    pub(super) sets: [u64; SETS],
    /// 1 once the start has been judged.
    pub(super) started: u32,
    /// Gauss–Seidel sweeps to come.
    pub(super) relaxing: u32,
    /// How many of them the next unit of work makes: twice as many as the last.
    pub(super) pace: u32,
    /// How many of a unit of work are done, where a limit has ended it.
    swept: u32,
    /// Restarts so far.
    pub(super) restarts: u32,
    /// Sweeps without progress at which the next one begins.
    pub(super) restart_at: u32,
    /// Steps since the centre moved.
    pub(super) inner: u32,
    /// Sweeps since progress was last seen.
    pub(super) waited: u32,
    pub(super) searching: bool,
    pub(super) improved: bool,
    /// Sweeps beyond one per unit of work that have not been reported.
    pub(super) passes: u64,
    pub(crate) finished: bool,
    pub(crate) failed: Option<SolveError>,
}

impl Iterate {
    pub(crate) fn new(model: &Model, impulses: &[f64], settings: &NewtonSettings) -> Self {
        let n = model.size();
        let zeros = || vec![0.0; n];
        let mut y = zeros();
        model.scale(impulses, &mut y);
        // an interval has one entry, a disc of a patch two rows of two and of one per normal, a
        // cone as many per row as it has rows
        let widest = model.groups.iter().map(Group::len).max().unwrap_or(0);
        let entries = widest.max(3) * n + 3 * model.terms.len();
        Self {
            centre: y.clone(),
            y,
            w: zeros(),
            f: zeros(),
            step: zeros(),
            moved: zeros(),
            trial: [zeros(), zeros()],
            best: zeros(),
            entries: Vec::with_capacity(entries),
            reduction: Reduction::new(n),
            system: LinearSystem::new(n),
            contradiction: Contradiction::new(n),
            alpha: settings.proximal,
            best_residual: f64::INFINITY,
            noted: f64::INFINITY,
            history: [0.0; MEMORY],
            sets: [0; SETS],
            started: 0,
            relaxing: settings.start_sweeps,
            pace: 1,
            swept: 0,
            restarts: 0,
            restart_at: RESTART,
            inner: 0,
            waited: 0,
            searching: settings.line_search,
            improved: false,
            passes: 0,
            finished: n == 0,
            failed: None,
        }
    }

    pub(crate) fn sweep(
        &mut self,
        model: &Model,
        settings: &NewtonSettings,
    ) -> Result<(), SolveError> {
        if self.started == 0 {
            // the start counts too: a solution must not get worse
            interrupt::afford(product(model))?;
            self.record_residual(model, settings);
        }
        if self.finished {
            return Ok(());
        }
        self.started = 1;
        if self.relaxing > 0 {
            return self.relax(model, settings);
        }
        if self.direction(model, settings)? {
            self.contradiction.check(model, &self.step, &self.moved)?;
            let cycling = !self.searching && self.is_cycling();
            if settings.fall_back && (cycling || self.is_lost(model)) {
                self.increase_proximal_term(settings);
            } else {
                self.advance(model, settings);
            }
        } else {
            self.increase_proximal_term(settings);
        }
        self.record_residual(model, settings);
        if settings.fall_back && self.waited >= self.restart_at {
            self.restart();
        } else {
            self.move_centre(model, settings);
        }
        Ok(())
    }

    /// The Gauss–Seidel sweeps of a unit of work. If a limit ends them, the next call makes the
    /// rest.
    fn relax(&mut self, model: &Model, settings: &NewtonSettings) -> Result<(), SolveError> {
        let sweeps = self.pace.min(self.relaxing);
        while self.swept < sweeps {
            interrupt::afford(product(model))?;
            relaxation::sweep(model, settings, &mut self.y);
            self.swept += 1;
        }
        interrupt::afford(product(model))?;
        self.swept = 0;
        self.relaxing -= sweeps;
        self.pace *= 2;
        self.passes += u64::from(sweeps) - 1;
        self.record_residual(model, settings);
        self.centre.copy_from_slice(&self.y);
        Ok(())
    }

    /// Writes the impulses of the best iterate, if it is a new one.
    pub(crate) fn write_improved(&mut self, model: &Model, impulses: &mut [f64]) {
        if self.improved {
            self.improved = false;
            model.unscale(&self.best, impulses);
        }
    }

    /// True if the best residual is rounding.
    pub(crate) fn is_exact(&self, model: &Model) -> bool {
        let size = linear::norm(&model.c) + linear::norm(&self.best);
        self.best_residual <= ROUNDING * size
    }

    /// Appends everything that decides the sweeps to come.
    pub(crate) fn push_state(&self, impulses: &[f64], out: &mut Vec<u64>) {
        StateCoverage::push(out, impulses.iter().copied());
        let vectors = [&self.y, &self.centre, &self.best];
        StateCoverage::push(out, vectors.into_iter().flatten().copied());
        StateCoverage::push(out, self.history);
        StateCoverage::push(out, [self.alpha, self.best_residual, self.noted]);
        out.extend([self.started, self.inner, self.waited].map(u64::from));
        out.extend([self.relaxing, self.restarts, self.restart_at, self.pace].map(u64::from));
        out.extend(self.sets);
        out.extend([self.finished, self.searching].map(u64::from));
        if self.swept > 0 {
            out.push(u64::from(self.swept));
        }
    }

    /// Evaluates w and F of the problem itself at y and keeps the best iterate.
    pub(crate) fn record_residual(&mut self, model: &Model, settings: &NewtonSettings) {
        model.velocity(&self.y, &mut self.w);
        let map = settings.map;
        map.evaluate(model, &self.y, &self.w, &mut self.f, None);
        let residual = linear::norm(&self.f);
        if residual < self.best_residual {
            self.best_residual = residual;
            self.best.copy_from_slice(&self.y);
            self.improved = true;
        }
        let size = linear::norm(&model.c) + linear::norm(&self.best);
        self.waited += 1;
        if self.best_residual < PROGRESS * self.noted {
            self.noted = self.best_residual;
            self.waited = 0;
            self.restart_at = self.relaxing + RESTART;
        }
        let near = self.best_residual <= NEAR_END * size;
        let patience = if near {
            PATIENCE_AT_END
        } else {
            settings.patience
        };
        self.finished = self.is_exact(model) || self.waited >= patience;
    }

    /// The Newton step of the regularized problem into `step`, S times it into `moved`; false if it
    /// is no vector.
    fn direction(&mut self, model: &Model, settings: &NewtonSettings) -> Result<bool, SolveError> {
        let alpha = self.alpha;
        interrupt::afford(product(model))?;
        model.velocity(&self.y, &mut self.w);
        for i in 0..self.w.len() {
            self.w[i] += alpha * (self.y[i] - self.centre[i]);
        }
        let (map, entries) = (settings.map, Some(&mut self.entries));
        map.evaluate(model, &self.y, &self.w, &mut self.f, entries);
        self.reduction.find(&self.entries);
        for (i, d) in self.step.iter_mut().enumerate() {
            let given = self.reduction.place[i] == GIVEN;
            *d = if given { -self.f[i] } else { 0.0 };
        }
        let kept = self.reduction.kept.len() as f64;
        interrupt::afford_factor(kept * kept * kept / 3.0)?;
        self.assemble(model, settings.epsilon)?;
        interrupt::afford_factor(kept * kept * kept / 3.0)?;
        self.system.factor();
        for _ in 0..=REFINEMENTS {
            interrupt::afford(product(model) + kept * kept)?;
            model.multiply(&self.step, &mut self.moved);
            self.correct();
        }
        // nothing ends what follows: the iterate and its residual belong together
        interrupt::afford(2.0 * product(model))?;
        model.multiply(&self.step, &mut self.moved);
        Ok(self.moved.iter().all(|v| v.is_finite()))
    }

    /// Takes the rest of the equations out of the step; `moved` is S times it.
    fn correct(&mut self) {
        let Reduction { kept, place } = &self.reduction;
        let [rest, right] = &mut self.trial;
        for (r, f) in rest.iter_mut().zip(&self.f) {
            *r = -f;
        }
        for e in &self.entries {
            let w = self.moved[e.column] + self.alpha * self.step[e.column];
            rest[e.row] -= e.p * self.step[e.column] + e.q * w;
        }
        for (right, unknown) in right.iter_mut().zip(kept) {
            *right = rest[*unknown];
        }
        self.system.solve(right);
        for (step, place) in self.step.iter_mut().zip(place) {
            if *place != GIVEN {
                *step += right[*place];
            }
        }
    }

    /// P + Q(S + (α + ε)I) of the unknowns that are not given.
    fn assemble(&mut self, model: &Model, epsilon: f64) -> Result<(), SolveError> {
        let Reduction { kept, place } = &self.reduction;
        self.system.clear(kept.len())?;
        let shift = self.alpha + epsilon;
        interrupt::for_each(self.entries.len(), model.size(), |at| {
            let e = &self.entries[at];
            if place[e.row] == GIVEN {
                return;
            }
            let target = self.system.row_mut(place[e.row]);
            if e.q != 0.0 {
                let row = model.row(e.column);
                for column in model.runs.of_row(e.column).iter().cloned().flatten() {
                    if place[column] != GIVEN {
                        target[place[column]] += e.q * row[column];
                    }
                }
            }
            if place[e.column] != GIVEN {
                target[place[e.column]] += e.p + e.q * shift;
            }
        })
    }
}

/// Multiplications of a product with S \[-\].
fn product(model: &Model) -> f64 {
    (model.size() * model.size()) as f64
}
