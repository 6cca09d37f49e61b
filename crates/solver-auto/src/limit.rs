//! What a limit on the time changes: if it ends a solve, what `pgs` has reached on a second thread
//! is one more candidate (U.45). Sequences read the clock only to skip a matrix that no longer
//! fits.

use delassus_core::{Progress, SolveError, interrupt};

use crate::combination::{Combination, closed};
use crate::judge::Judge;
use crate::lines::Decision;

/// What the sweeps on the second thread are called.
const SECOND: &str = "pgs on a second thread";

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

    /// Stops the second thread, and keeps its impulses if they are better than those of the
    /// sequences.
    fn take_second(&mut self, judge: &mut Judge<'_>) {
        let Some(swept) = self.second.stop() else {
            return;
        };
        if self.residual.is_nan() {
            self.residual = judge.residual(&self.best);
        }
        let (sequences, residual) = (self.residual, judge.residual(&swept.impulses));
        let is_better = residual < sequences;
        let returned = if is_better {
            "its impulses are returned"
        } else {
            "theirs are returned"
        };
        let decision = Decision {
            who: SECOND.to_owned(),
            what: format!(
                "stops after {} sweeps at natural map {residual:.1e}",
                swept.sweeps
            ),
            why: format!(
                "the limit ends the solve, and the other methods have {sequences:.1e}: {returned}"
            ),
        };
        self.decide(&decision.of_limit());
        if is_better {
            self.finder = SECOND;
            self.residual = residual;
            self.best = swept.impulses;
            self.closed = closed(&self.best, self.facts.rows);
        }
    }
}
