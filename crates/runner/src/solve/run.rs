//! One cell: the solver built, the problem judged, every failure a status.

use delassus_core::{Start, Status};

use super::reference::KnownAnswer;
use super::{Solves, StartKind};
use crate::driver;
use crate::judge::Judge;
use crate::matrix::cell::{MatrixCell, Workbench};
use crate::record::{Outcome, Payload};

impl Solves {
    /// Runs one cell; the impulses are those that the record has the hash of \[N·s\].
    pub(crate) fn run(
        &self,
        cell: &MatrixCell,
        workbench: &Workbench<'_>,
    ) -> (Outcome, Option<Vec<f64>>) {
        let failed = |reason: String| (Outcome::without_samples(Status::Failed, reason), None);
        let problem = &self.problems[cell.subject];
        let content = match &problem.content {
            Ok(content) => &content.problem,
            Err(reason) => {
                let outcome = Outcome::without_samples(Status::Unsupported, reason.clone());
                return (outcome, None);
            }
        };
        let mut solver = match workbench.solver(cell.method) {
            Ok(solver) => solver,
            Err(error) => return failed(error.to_string()),
        };
        let mut judge = match Judge::new(content, &self.metrics, &problem.criteria) {
            Ok(judge) => judge,
            Err(error) => return failed(error.to_string()),
        };
        let reference = problem
            .reference
            .get_or_init(|| self.reference(problem, workbench));
        if let KnownAnswer::Known { impulses, source } = reference {
            judge = judge.with_references(impulses.iter().map(Vec::as_slice), source);
        }
        if let Some(orders) = self.orders {
            judge = judge.with_orders(orders);
        }
        let ones;
        let start = match problem.start {
            StartKind::Cold => Start::Cold,
            StartKind::Ones => {
                ones = vec![1.0; content.rows()];
                Start::Warm(&ones)
            }
            StartKind::Stored | StartKind::Warm => match problem.stored() {
                Some(impulses) => Start::Warm(impulses),
                None => return failed("the problem comes without stored impulses".to_owned()),
            },
        };
        let (options, cancel) = (&problem.options, workbench.cancel);
        let (mut outcome, impulses) =
            driver::drive(solver.as_mut(), content, start, &mut judge, options, cancel);
        if let (KnownAnswer::Unknown(reason), Payload::Solve(solve)) =
            (reference, &mut outcome.payload)
        {
            solve.reference = Some(format!("no reference: {reason}"));
        }
        let kept = !outcome.impulse_hash.is_empty();
        (outcome, kept.then_some(impulses))
    }
}
