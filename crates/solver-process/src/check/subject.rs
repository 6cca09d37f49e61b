//! A peer under test, and how an answer is compared with what was planted.

use delassus_core::parameter::Map;
use delassus_core::registry::Solvers;
use delassus_core::{
    Entry, Friction, ImpulseSolver, PeerAnswer, Problem, ProblemError, SolveError, Start,
};

use super::planted::{MU, Planted};
use super::verdict::CheckVerdict;
use crate::frame::PeerMessage;
use crate::hello::DeclaredSolver;
use crate::pool;
use crate::program::PeerProgram;

/// Tolerance that a peer is asked for, in its unit.
pub(super) const TOLERANCE: f64 = 1e-11;
/// Time of one solve at most \[s\].
pub(super) const SECONDS: f64 = 20.0;

/// Limit of iterations of a case \[-\].
const MOST: u32 = 100_000;
/// Difference of impulses that passes, relative to the largest, in f64 and in f32 \[-\].
const CLOSE: [f64; 2] = [1e-6, 2e-4];

/// Laws of friction of the cases, with their names.
pub(super) const FRICTIONS: [(&str, Friction); 3] = [
    ("coulomb", Friction::Coulomb { mu: MU }),
    ("disc", Friction::Disc { mu: MU }),
    ("convex-cone", Friction::ConvexCone { mu: MU }),
];

/// A peer under test.
pub(super) struct Subject {
    pub(super) program: PeerProgram,
    pub(super) solver: DeclaredSolver,
    pub(super) entry: Entry<Solvers>,
    /// The parameters of every case.
    pub(super) given: Map,
}

/// What a solve left.
pub(super) struct FinishedSolve {
    pub(super) impulses: Vec<f64>,
    pub(super) answer: Option<PeerAnswer>,
}

impl Subject {
    /// Solves until the peer ends by itself; the verdict if it does not.
    pub(super) fn solve(
        &self,
        problem: &Problem,
        start: Start<'_>,
    ) -> Result<FinishedSolve, CheckVerdict> {
        self.solve_with(&self.given, problem, start, MOST)
    }

    /// The same with other parameters and another limit of iterations.
    pub(super) fn solve_with(
        &self,
        given: &Map,
        problem: &Problem,
        start: Start<'_>,
        most: u32,
    ) -> Result<FinishedSolve, CheckVerdict> {
        let built = self.entry.build(given);
        let mut solver = built.map_err(|error| CheckVerdict::Fails(error.to_string()))?;
        // a peer may find out what a problem is only when it reads it
        let verdict = |error: SolveError| match error {
            SolveError::Unsupported(refusal) => CheckVerdict::DoesNotApply(refusal.to_string()),
            error => CheckVerdict::Fails(error.to_string()),
        };
        solver.prepare(problem, start).map_err(verdict)?;
        solver.iterate(problem, most).map_err(verdict)?;
        let mut impulses = vec![0.0; problem.rows()];
        solver.read_impulses(&mut impulses).map_err(verdict)?;
        Ok(FinishedSolve {
            impulses,
            answer: solver.facts().peer.and_then(|peer| peer.answer),
        })
    }

    /// Why a case does not apply, if it does not.
    pub(super) fn refuses(&self, problem: &Problem) -> Option<CheckVerdict> {
        match self.entry.build(&self.given) {
            Ok(solver) => {
                let refusal = solver.check(problem).err()?;
                Some(CheckVerdict::DoesNotApply(refusal.to_string()))
            }
            Err(error) => Some(CheckVerdict::Fails(error.to_string())),
        }
    }

    /// Solves from zero and compares with the planted impulses.
    pub(super) fn judge(&self, made: Result<Planted, ProblemError>) -> CheckVerdict {
        let planted = match made {
            Ok(planted) => planted,
            Err(error) => return CheckVerdict::Fails(error.to_string()),
        };
        if let Some(refusal) = self.refuses(&planted.problem) {
            return refusal;
        }
        match self.solve(&planted.problem, Start::Cold) {
            Ok(ended) => self.compare(&planted.impulses, &ended),
            Err(verdict) => verdict,
        }
    }

    pub(super) fn compare(&self, expected: &[f64], ended: &FinishedSolve) -> CheckVerdict {
        let largest = expected.iter().fold(1.0_f64, |max, x| max.max(x.abs()));
        let off = expected.iter().zip(&ended.impulses);
        let off = off.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / largest;
        let claimed = ended.answer.as_ref().map(|answer| answer.claimed);
        let claimed = claimed.map_or_else(String::new, |c| format!("; it claims {c}"));
        let seen = format!("impulses off by {off:.1e}{claimed}");
        match off <= CLOSE[usize::from(self.solver.precision == "f32")] {
            true => CheckVerdict::Passes(seen),
            false => CheckVerdict::Fails(seen),
        }
    }

    pub(super) fn declares(&self, law: &str) -> bool {
        let words = self.solver.laws.get(law);
        words.is_some_and(|words| words == "exact")
    }

    /// Judges a problem with the first of these laws that is declared exact.
    pub(super) fn under(
        &self,
        laws: &[(&str, Friction)],
        made: impl Fn(Friction) -> Result<Planted, ProblemError>,
    ) -> CheckVerdict {
        match laws.iter().find(|(name, _)| self.declares(name)) {
            Some((_, law)) => self.judge(made(*law)),
            None => {
                let names: Vec<&str> = laws.iter().map(|(name, _)| *name).collect();
                let names = names.join(", ");
                CheckVerdict::DoesNotApply(format!("none of {names} is declared exact"))
            }
        }
    }

    /// Sends messages as they are.
    pub(super) fn send(
        &self,
        requests: Vec<PeerMessage>,
        seconds: f64,
    ) -> Result<Vec<PeerMessage>, String> {
        let mut peer = pool::take(&self.program)?;
        let mut answers = Vec::new();
        for request in requests {
            answers.push(peer.ask(request, 1 << 20, seconds)?);
        }
        pool::give(&self.program, peer);
        Ok(answers)
    }
}
