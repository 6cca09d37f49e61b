//! What a limit on the time changes: if it ends a solve, what `pgs` has reached on a second thread
//! is one more candidate (U.45). Lanes read the clock only to skip a matrix that no longer fits.

use delassus_core::{DEPENDS_ON_TIME, Progress, SolveError, interrupt};

use crate::combination::{Combination, closed};
use crate::judge::Judge;

impl Combination {
    /// Begins a call; true if it has a limit.
    pub(crate) fn begin_call(&mut self) -> bool {
        let is_limited = interrupt::left().is_finite();
        if is_limited {
            self.second.begin_call();
        }
        is_limited
    }

    /// Ends a call that has a limit. If the limit ends the solve, the better iterate is kept.
    pub(crate) fn end_call(
        &mut self,
        judge: &mut Judge<'_>,
        outcome: &Result<Progress, SolveError>,
    ) {
        let is_failed = !matches!(outcome, Ok(_) | Err(SolveError::Interrupted));
        if self.second.is_over() {
            self.take_second(judge);
        } else if is_failed || self.exhausted {
            self.second.stop();
        }
        self.second.end_call();
    }

    /// Stops the second thread, and keeps its impulses if they are better than those of the lanes.
    fn take_second(&mut self, judge: &mut Judge<'_>) {
        let Some(swept) = self.second.stop() else {
            return;
        };
        if self.residual.is_nan() {
            self.residual = judge.residual(&self.best);
        }
        let (lanes, residual) = (self.residual, judge.residual(&swept.impulses));
        let is_better = residual < lanes;
        let returned = if is_better {
            "the former"
        } else {
            "the latter"
        };
        self.decide(format!(
            "the limit ends the solve: pgs on a second thread, {} sweeps: natural map \
             {residual:.1e}, the lanes {lanes:.1e}; {returned} is returned {DEPENDS_ON_TIME}",
            swept.sweeps
        ));
        if is_better {
            self.residual = residual;
            self.best = swept.impulses;
            self.closed = closed(&self.best, self.facts.rows);
        }
    }
}
