//! Law 11: a state that comes back is a proof.

use std::collections::BTreeMap;

use delassus_core::{ImpulseSolver, SolveError, Start, StateCoverage};

use crate::laws::applicable;
use crate::{Case, Make, Verdict, attempt};

/// Law 11: where the state of a solver comes back within `sweeps`, its impulses repeat themselves
/// from there on, bit for bit; reading the state changes nothing, and without an answer nothing is
/// appended.
pub fn recurrence(make: Make<'_>, case: &Case, sweeps: u32) -> Verdict {
    attempt!(applicable(make, case));
    let mut run = Run {
        solver: make(),
        case,
        impulses: vec![vec![0.0; case.problem.rows()]],
    };
    attempt!(run.law(sweeps))
}

struct Run<'c> {
    solver: Box<dyn ImpulseSolver>,
    case: &'c Case,
    /// After every sweep.
    impulses: Vec<Vec<f64>>,
}

impl Run<'_> {
    fn law(&mut self, sweeps: u32) -> Result<Verdict, SolveError> {
        let problem = &self.case.problem;
        self.solver.prepare(problem, Start::Cold)?;
        self.solver.read_impulses(&mut self.impulses[0])?;
        // the sweep after which each state was first seen
        let mut seen: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
        let mut last = Vec::new();
        let mut rest = 0;
        for sweep in 0..=sweeps as usize {
            let (mut state, mut again) = (Vec::new(), Vec::new());
            let coverage = self.solver.fingerprint(&mut state)?;
            if (coverage, &state) != (self.solver.fingerprint(&mut again)?, &again) {
                return Ok(Verdict::Violated("two looks at one state differ".into()));
            }
            let Some(coverage) = coverage else {
                return Ok(if state.is_empty() {
                    Verdict::NotApplicable("tells nothing of its state".into())
                } else {
                    Verdict::Violated("appends a state without saying what it is worth".into())
                });
            };
            let period = match coverage {
                StateCoverage::Complete => seen.insert(state, sweep).map(|before| sweep - before),
                StateCoverage::FixedPoint(needed) => {
                    rest = if sweep > 0 && state == last {
                        rest + 1
                    } else {
                        0
                    };
                    last = state;
                    (rest >= needed.max(1)).then_some(1)
                }
            };
            if let Some(period) = period {
                return self.repeats(period);
            }
            self.sweep()?;
        }
        Ok(Verdict::NotApplicable("no state came back".into()))
    }

    fn sweep(&mut self) -> Result<(), SolveError> {
        self.solver.iterate(&self.case.problem, 1)?;
        let mut impulses = vec![0.0; self.case.problem.rows()];
        self.solver.read_impulses(&mut impulses)?;
        self.impulses.push(impulses);
        Ok(())
    }

    /// Three periods more, and more than any solver takes between two renewals of its velocities.
    fn repeats(&mut self, period: usize) -> Result<Verdict, SolveError> {
        let from = self.impulses.len() - 1;
        for _ in 0..3 * period + 100 {
            self.sweep()?;
        }
        for at in from..self.impulses.len() {
            let bits = |sweep: usize| self.impulses[sweep].iter().map(|x| x.to_bits());
            if !bits(at).eq(bits(at - period)) {
                return Ok(Verdict::Violated(format!(
                    "its state came back after {period} sweeps, at sweep {from}, but not its impulses of sweep {at}"
                )));
            }
        }
        Ok(Verdict::Holds)
    }
}
