//! One method on one problem: run, judged, refined.

use std::sync::atomic::{AtomicBool, Ordering};

use delassus_core::{ImpulseSolver, Problem, SolveError, Start};
use delassus_metrics::Evaluator;
use delassus_registry::Registry;

use crate::method::{MethodFamily, REFINERS, ReferenceMethod, solver_for};
use crate::options::ReferenceOptions;
use crate::polygon::polygonal;

/// Sweeps between two looks at the residual at most \[-\].
const LONGEST_CHUNK: u32 = 256;
/// Sweeps of a refinement \[-\].
const REFINING: u64 = 64;
/// Refinement goes on to rounding \[-\].
const ROUNDING: f64 = 1e-16;
/// Shares by which the impulses of an answer are moved before another method starts from them and
/// must return to it \[-\] (F.5).
const MOVED: [f64; 2] = [1e-4, 1e-6];
/// Natural map of such a start over the tolerance at least \[-\] (F.5).
const AWAY: f64 = 100.0;
/// A refinement begins where the residual is below this \[-\]: Newton steps converge from near by
/// only.
const NEAR: f64 = 1e-2;
/// A run without progress for this share of its sweeps, and not fewer than the next number, has
/// stalled \[-\].
const STALLED_SHARE: u64 = 2;
const STALLED_SWEEPS: u64 = 256;

/// What came of one method.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// Registry identifier.
    pub method: &'static str,
    /// What it is built on.
    pub family: MethodFamily,
    /// Its answers, several only where a method looks for all; or why it has none.
    pub outcome: Result<Vec<AttemptAnswer>, String>,
    /// True if the answers are all that there are.
    pub complete: bool,
    /// True if the method says that there is no solution.
    pub infeasible: bool,
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct AttemptAnswer {
    /// λ, one per row \[N·s\].
    pub impulses: Vec<f64>,
    /// Natural map where the method ended \[-\] (M.5).
    pub found: f64,
    /// Natural map after refinement \[-\] (M.5).
    pub residual: f64,
    /// What refined it, if something did.
    pub refined_by: Option<&'static str>,
}

/// What every attempt on a problem shares.
pub(crate) struct AttemptContext<'p> {
    pub(crate) problem: &'p Problem,
    pub(crate) evaluator: Evaluator<'p>,
    pub(crate) registry: &'p Registry,
    pub(crate) options: ReferenceOptions,
    pub(crate) cancel: &'p AtomicBool,
}

/// An iterate with its natural map.
struct Judged {
    impulses: Vec<f64>,
    residual: f64,
}

impl AttemptContext<'_> {
    /// Runs `method` from zero and refines what it finds.
    pub(crate) fn attempt(&mut self, method: ReferenceMethod) -> Attempt {
        let mut attempt = Attempt {
            method: method.id,
            family: method.family,
            outcome: Err(String::new()),
            complete: false,
            infeasible: false,
        };
        let polygonal = method.polygons.then(|| polygonal(self.problem)).flatten();
        let problem = polygonal.as_ref().unwrap_or(self.problem);
        let mut solver = match solver_for(self.registry, method.id, problem) {
            Ok(solver) => solver,
            Err(reason) => {
                attempt.outcome = Err(reason);
                return attempt;
            }
        };
        let goal = self.options.goal();
        let best = self.run(solver.as_mut(), problem, Start::Cold, goal, u64::MAX);
        let answers = match best {
            Err(error) => {
                attempt.infeasible = polygonal.is_none() && proves_infeasible(&error);
                attempt.outcome = Err(error.to_string());
                return attempt;
            }
            Ok(best) => match solver.facts().solutions {
                None => vec![best],
                Some(found) => {
                    attempt.complete = found.complete;
                    attempt.infeasible = found.complete && found.list.is_empty();
                    let all = found.list.into_iter().map(|one| one.impulses);
                    all.filter_map(|impulses| self.judged(impulses)).collect()
                }
            },
        };
        let family = method.family;
        attempt.outcome = Ok(answers
            .into_iter()
            .map(|answer| self.refine(answer, family))
            .collect());
        attempt
    }

    /// Iterates until nothing is gained any more, and keeps the best iterate. `problem` may be
    /// another one than that which judges.
    fn run(
        &mut self,
        solver: &mut dyn ImpulseSolver,
        problem: &Problem,
        start: Start<'_>,
        goal: f64,
        max_sweeps: u64,
    ) -> Result<Judged, SolveError> {
        solver.prepare(problem, start)?;
        let rows = problem.rows() as u64;
        let mut current = vec![0.0; problem.rows()];
        solver.read_impulses(&mut current)?;
        let mut best = Judged {
            residual: self.natural_map(&current),
            impulses: current.clone(),
        };
        let (mut sweeps, mut updates, mut best_at, mut chunk) = (0, 0, 0, 1u32);
        let max_updates = self.options.max_row_updates;
        while sweeps < max_sweeps && updates < max_updates {
            let progress = solver.iterate(problem, chunk)?;
            sweeps += u64::from(progress.sweeps);
            updates += progress.row_updates.max(u64::from(progress.sweeps) * rows);
            solver.read_impulses(&mut current)?;
            let residual = self.natural_map(&current);
            if residual < best.residual {
                best.residual = residual;
                best.impulses.copy_from_slice(&current);
                best_at = sweeps;
            }
            let idle = sweeps - best_at;
            let stalled = idle >= STALLED_SWEEPS && idle * STALLED_SHARE >= sweeps;
            let over = progress.finished || progress.sweeps == 0 || stalled;
            let done = best.residual <= goal;
            if over || done || self.cancel.load(Ordering::Relaxed) {
                break;
            }
            chunk = (2 * chunk).min(LONGEST_CHUNK);
        }
        Ok(best)
    }

    /// Goes on from an answer by Newton steps, or sweeps where no Newton method treats the problem.
    ///
    /// A refinement that leaves the neighbourhood of the answer is another solution and is dropped
    /// (F.3).
    fn refine(&mut self, answer: Judged, family: MethodFamily) -> AttemptAnswer {
        let found = answer.residual;
        let mut reached = AttemptAnswer {
            impulses: answer.impulses,
            found,
            residual: found,
            refined_by: None,
        };
        let near = found <= NEAR && family != MethodFamily::Enumeration;
        for id in REFINERS {
            if reached.residual <= self.options.goal() && reached.refined_by.is_some() || !near {
                break;
            }
            let Ok(mut solver) = solver_for(self.registry, id, self.problem) else {
                continue;
            };
            let start = reached.impulses.clone();
            let warm = Start::Warm(&start);
            let better = self.run(solver.as_mut(), self.problem, warm, ROUNDING, REFINING);
            let Ok(better) = better else {
                continue;
            };
            let moved = self.evaluator.agreement(&better.impulses, &start);
            if better.residual < reached.residual && moved.is_ok_and(|m| m <= found.sqrt()) {
                reached.impulses = better.impulses;
                reached.residual = better.residual;
                reached.refined_by = Some(id);
            }
        }
        reached
    }

    /// True if `method`, started a little off the answer, comes back to its velocities (F.5).
    pub(crate) fn returns(&mut self, method: ReferenceMethod, answer: &[f64]) -> bool {
        MOVED
            .iter()
            .any(|share| self.returns_from(method, answer, *share))
    }

    fn returns_from(&mut self, method: ReferenceMethod, answer: &[f64], share: f64) -> bool {
        let Ok(mut solver) = solver_for(self.registry, method.id, self.problem) else {
            return false;
        };
        let start: Vec<f64> = (0_u32..)
            .zip(answer)
            // a fixed pattern without a period that a grid of contacts could share
            .map(|(row, x)| match row.wrapping_mul(0x9E37_79B1) >> 31 {
                0 => x * (1.0 + share),
                _ => x * (1.0 - share),
            })
            .collect();
        let (goal, tolerance) = (self.options.goal(), self.options.tolerance);
        // a start that satisfies the laws already would prove nothing by staying
        if self.natural_map(&start) < AWAY * tolerance {
            return false;
        }
        let warm = Start::Warm(&start);
        let found = self.run(solver.as_mut(), self.problem, warm, goal, u64::MAX);
        let Ok(found) = found else {
            return false;
        };
        let refined = self.refine(found, method.family);
        let distance = self.evaluator.agreement(&refined.impulses, answer);
        refined.residual <= tolerance && distance.is_ok_and(|distance| distance <= tolerance)
    }

    fn judged(&mut self, impulses: Vec<f64>) -> Option<Judged> {
        let residual = self.natural_map(&impulses);
        let judged = Judged { impulses, residual };
        residual.is_finite().then_some(judged)
    }

    /// The natural map in the form that is larger (M.39); infinite where it cannot be evaluated.
    fn natural_map(&mut self, impulses: &[f64]) -> f64 {
        let residual = self.evaluator.deciding_natural_map(impulses);
        residual.unwrap_or(f64::INFINITY)
    }
}

/// True if an error is a proof that there is no solution.
fn proves_infeasible(error: &SolveError) -> bool {
    match error {
        SolveError::Infeasible { .. } => true,
        SolveError::Ray(ray) => ray.is_proof(),
        _ => false,
    }
}
