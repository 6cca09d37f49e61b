//! One cell: the solver built, the problem judged, every failure a status.

use std::borrow::Cow;

use delassus_core::{ImpulseSolver, Problem, Start, Status};

use super::problem::KnownAnswer;
use super::reference::NO_REFERENCE;
use super::{MatrixProblem, Solves, StartKind};
use crate::driver::{self, SolveControl, SolveTask};
use crate::judge::{Judge, WorldsJudge};
use crate::matrix::cell::{Finish, MatrixCell, Turns, Workbench, build};
use crate::record::{Outcome, Payload, SolverLabel};
use crate::registry::Registry;

/// A cell between its passes.
struct Solving<'s> {
    problem: &'s MatrixProblem,
    content: &'s Problem,
    /// The impulses that passes start from; `None` for a cold start.
    start: Option<Cow<'s, [f64]>>,
    solver: Box<dyn ImpulseSolver>,
    judge: Judge<'s>,
    workbench: Workbench<'s>,
    outcome: Outcome,
    impulses: Vec<f64>,
    /// True if the traced pass has left its own times: no other pass fits into the limit.
    whole: bool,
}

impl Solves {
    /// Timed passes of the cells of a problem \[-\].
    pub(crate) fn rounds(&self, cell: &MatrixCell) -> u64 {
        u64::from(self.problems[cell.subject].options.repetitions)
    }

    /// Solves one cell without timing it.
    ///
    /// # Errors
    /// The outcome of a cell that has nothing to time.
    pub(crate) fn begin<'s>(
        &'s self,
        cell: &MatrixCell,
        workbench: &Workbench<'s>,
    ) -> Result<Box<dyn Turns + 's>, Box<Outcome>> {
        let failed = |reason: String| Box::new(Outcome::without_samples(Status::Failed, reason));
        let problem = &self.problems[cell.subject];
        let content = problem.content.as_ref().map_err(|reason| {
            Box::new(Outcome::without_samples(
                Status::Unsupported,
                reason.clone(),
            ))
        })?;
        let content = &content.problem;
        let solver = workbench.solver(cell.method);
        let mut solver = solver.map_err(|error| failed(error.to_string()))?;
        let judge = Judge::new(content, &self.metrics, &problem.criteria);
        let mut judge = judge.map_err(|error| failed(error.to_string()))?;
        let reference = problem
            .reference
            .get_or_init(|| self.reference(problem, workbench));
        if let KnownAnswer::Known { impulses, source } = reference {
            judge = judge.with_references(impulses.iter().map(Vec::as_slice), source);
        }
        if let Some(orders) = self.orders {
            judge = judge.with_orders(orders);
        }
        if !problem.worlds.is_empty() {
            let tolerance = problem.options.stop.tolerance;
            let worlds = WorldsJudge::new(content, problem.worlds.len(), tolerance);
            judge = judge.with_worlds(worlds.map_err(|error| failed(error.to_string()))?);
        }
        let start = start(problem, content).map_err(failed)?;
        let task = task(solver.as_mut(), content, start.as_deref());
        let control = control(problem, workbench);
        let (mut outcome, impulses) = driver::judged(task, &mut judge, control);
        add_worlds(problem, &mut judge, &impulses, &mut outcome);
        if let (KnownAnswer::Unknown(reason), Payload::Solve(solve)) =
            (reference, &mut outcome.payload)
        {
            solve.reference = Some(format!("{NO_REFERENCE}{reason}"));
        }
        let whole = driver::repetitions(&outcome, &problem.options) == 0;
        Ok(Box::new(Solving {
            problem,
            content,
            start,
            solver,
            judge,
            workbench: *workbench,
            outcome,
            impulses,
            whole,
        }))
    }

    /// The decisions of a solver that is prepared for the problem of a cell and has not begun;
    /// `None` where it cannot be prepared.
    pub(crate) fn first_decisions(
        &self,
        cell: &MatrixCell,
        label: &SolverLabel,
        registry: &Registry,
    ) -> Option<Vec<String>> {
        let problem = &self.problems[cell.subject];
        let content = &problem.content.as_ref().ok()?.problem;
        let mut solver = build(label, registry).ok()?;
        let start = start(problem, content).ok()?;
        let start = start.as_deref().map_or(Start::Cold, Start::Warm);
        solver.prepare(content, start).ok()?;
        Some(driver::facts(solver.as_ref()).decisions)
    }
}

/// The impulses that solves start from; `None` for a cold start.
fn start<'s>(
    problem: &'s MatrixProblem,
    content: &Problem,
) -> Result<Option<Cow<'s, [f64]>>, String> {
    match problem.start {
        StartKind::Cold => Ok(None),
        StartKind::Ones => Ok(Some(Cow::Owned(vec![1.0; content.rows()]))),
        StartKind::Stored | StartKind::Warm | StartKind::Captured => match problem.stored() {
            Some(impulses) => Ok(Some(Cow::Borrowed(impulses))),
            None => Err("the problem comes without stored impulses".to_owned()),
        },
    }
}

/// Adds how each world ended, if the problem is worlds of one structure.
fn add_worlds(
    problem: &MatrixProblem,
    judge: &mut Judge<'_>,
    impulses: &[f64],
    outcome: &mut Outcome,
) {
    let ended = !outcome.impulse_hash.is_empty();
    if let (true, Some(worlds), Payload::Solve(solve)) =
        (ended, judge.worlds(), &mut outcome.payload)
    {
        solve.worlds = worlds.ends(outcome.status, impulses, &problem.worlds);
    }
}

fn task<'a>(
    solver: &'a mut dyn ImpulseSolver,
    problem: &'a Problem,
    start: Option<&'a [f64]>,
) -> SolveTask<'a> {
    SolveTask {
        solver,
        problem,
        start: start.map_or(Start::Cold, Start::Warm),
    }
}

fn control<'a>(problem: &'a MatrixProblem, workbench: &Workbench<'a>) -> SolveControl<'a> {
    SolveControl {
        options: &problem.options,
        cancel: workbench.cancel,
    }
}

impl Turns for Solving<'_> {
    fn pass(&mut self) {
        if self.whole {
            return;
        }
        let mut task = task(self.solver.as_mut(), self.content, self.start.as_deref());
        let cancel = self.workbench.cancel;
        driver::timed_pass(&mut task, cancel, &self.impulses, &mut self.outcome);
    }

    fn finish(self: Box<Self>) -> Finish {
        let mut own = *self;
        driver::spread(
            &mut task(own.solver.as_mut(), own.content, own.start.as_deref()),
            &mut own.judge,
            control(own.problem, &own.workbench),
            &own.impulses,
            &mut own.outcome,
        );
        let kept = !own.outcome.impulse_hash.is_empty();
        Finish {
            impulses: kept.then_some(own.impulses),
            outcome: own.outcome,
        }
    }
}
