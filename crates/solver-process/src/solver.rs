//! A peer behind the solver trait.

mod requests;

use std::collections::BTreeMap;
use std::sync::Arc;

use delassus_core::parameter::Map;
use delassus_core::{
    Choice, Claim, Fidelity, ImpulseSolver, LawKind, PeerAnswer, PeerFacts, PeerIdentity, Problem,
    Progress, SolveError, SolverDescriptor, SolverFacts, Start, Support, Unsupported, WorkUnit,
    interrupt,
};
use delassus_problems::{NamedProblem, snapshot_bytes};
use sha2::{Digest, Sha256};

use crate::child::Peer;
use crate::hello::{DeclaredSolver, Hello, support};
use crate::pool;
use crate::program::PeerProgram;

/// Time beyond its limit that a peer has to answer \[s\].
const GRACE: f64 = 5.0;

/// What a user sets.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SolverSettings {
    /// Tolerance of the peer, in its unit.
    pub(crate) tolerance: f64,
    /// Time of one solve \[s\].
    pub(crate) seconds: f64,
    /// Parameters of the peer.
    pub(crate) parameters: Map,
}

/// A solver in a process of its own.
///
/// Where the peer cannot go on from where it stopped, each call of `iterate` asks it to solve from
/// the start again, with a higher limit of iterations: a ladder.
#[derive(Debug)]
pub struct ProcessSolver {
    descriptor: SolverDescriptor,
    program: Arc<PeerProgram>,
    identity: PeerIdentity,
    solver: String,
    laws: BTreeMap<LawKind, Support>,
    chunks: bool,
    takes_compliance: bool,
    settings: SolverSettings,
    peer: Option<Peer>,
    task: Option<PeerTask>,
}

/// A problem that a peer has or will get.
#[derive(Debug)]
struct PeerTask {
    bytes: Vec<u8>,
    digest: [u8; 32],
    /// True if the running process has it.
    sent: bool,
    /// `None` for a cold start.
    start: Option<Vec<f64>>,
    impulses: Vec<f64>,
    /// Iterations done \[-\].
    done: u64,
    finished: bool,
    /// Where the solve ended by itself: iterations, and the limit that they were asked with.
    end: Option<(u64, u64)>,
    /// Time of the peer so far \[s\].
    seconds: f64,
    answer: Option<PeerAnswer>,
}

impl ProcessSolver {
    pub(crate) fn new(
        descriptor: SolverDescriptor,
        program: Arc<PeerProgram>,
        hello: Arc<Hello>,
        declared: &DeclaredSolver,
        settings: SolverSettings,
    ) -> Self {
        let laws = declared
            .laws
            .iter()
            .filter_map(|(law, words)| Some((LawKind::from_name(law).ok()?, support(words))));
        Self {
            descriptor,
            program,
            identity: PeerIdentity {
                peer: hello.peer.clone(),
                version: hello.version.clone(),
                hash: hello.hash.clone(),
            },
            solver: declared.name.clone(),
            laws: laws.collect(),
            chunks: declared.chunks,
            takes_compliance: declared.compliance != "none",
            settings,
            peer: None,
            task: None,
        }
    }

    /// The declared laws of the blocks, without the forms that they share.
    fn check_kinds(&self, problem: &Problem) -> Result<Fidelity, Unsupported> {
        let mut reasons = Vec::new();
        for (index, block) in problem.blocks().iter().enumerate() {
            let law = block.law.kind();
            match self.laws.get(&law) {
                Some(Support::Exact) => {}
                Some(Support::Approximate(reason)) if reasons.contains(reason) => {}
                Some(Support::Approximate(reason)) => reasons.push(*reason),
                None => {
                    return Err(Unsupported::Law {
                        solver: self.descriptor.id,
                        block: index,
                        law,
                    });
                }
            }
        }
        Ok(match reasons.is_empty() {
            true => Fidelity::Exact,
            false => Fidelity::Approximate(reasons),
        })
    }

    fn task(&mut self, problem: &Problem) -> Result<&mut PeerTask, SolveError> {
        let task = self.task.as_mut().ok_or(SolveError::NotPrepared)?;
        SolveError::check_length("the problem", problem.rows(), task.impulses.len())?;
        Ok(task)
    }
}

/// Gives a process that answers back to those that wait.
impl Drop for ProcessSolver {
    fn drop(&mut self) {
        if let Some(peer) = self.peer.take() {
            pool::give(&self.program, peer);
        }
    }
}

impl ImpulseSolver for ProcessSolver {
    fn descriptor(&self) -> &SolverDescriptor {
        &self.descriptor
    }

    fn check(&self, problem: &Problem) -> Result<Fidelity, Unsupported> {
        self.descriptor.check(problem)?;
        let soft = problem.compliance().iter().position(|r| *r > 0.0);
        if let (false, Some(row)) = (self.takes_compliance, soft) {
            return Err(Unsupported::Process {
                solver: self.descriptor.id,
                reason: format!("row {row} has compliance, which it does not support"),
            });
        }
        self.check_kinds(problem)
    }

    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        interrupt::check()?;
        self.check(problem)?;
        let mut impulses = vec![0.0; problem.rows()];
        start.write(&mut impulses)?;
        let given = matches!(start, Start::Warm(_)).then(|| impulses.clone());
        let named = NamedProblem::new("problem", problem.clone(), "frozen");
        let bytes = snapshot_bytes(&named);
        let digest: [u8; 32] = Sha256::digest(&bytes).into();
        let same = self.task.take().filter(|task| task.digest == digest);
        let sent = same.as_ref().is_some_and(|task| task.sent);
        let same = same.filter(|task| task.start == given);
        self.task = Some(PeerTask {
            bytes,
            digest,
            sent,
            start: given,
            impulses,
            done: 0,
            // nothing is left to find; a step in free flight starts no program
            finished: problem.rows() == 0,
            end: same.and_then(|task| task.end),
            seconds: 0.0,
            answer: None,
        });
        if problem.rows() == 0 {
            return Ok(());
        }
        self.send_problem()
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        let task = self.task(problem)?;
        if task.finished || sweeps == 0 {
            return Ok(Progress {
                finished: task.finished,
                ..Progress::default()
            });
        }
        let done = task.done;
        let is_direct = self.descriptor.work_unit == WorkUnit::Solve;
        let goes_on = self.chunks && done > 0;
        let wanted = done + u64::from(sweeps);
        let limit = match goes_on && !is_direct {
            true => u64::from(sweeps),
            false => self.limit_from_start(wanted),
        };
        if !goes_on {
            self.send_problem()?;
        }
        let (frame, seconds) = self.request(limit, goes_on)?;
        let (answer, impulses) = self.read(&frame, seconds + GRACE)?;
        let limited = interrupt::left() <= 0.0 || seconds < self.settings.seconds;
        if answer.claimed == Claim::Time && limited {
            return Err(SolveError::Interrupted);
        }
        let Some(impulses) = impulses else {
            return Err(self.gave_up(&answer));
        };
        pool::answered(&self.program);
        let finished = is_direct || answer.claimed != Claim::Limit;
        let rows = impulses.len() as u64;
        let task = self.task(problem)?;
        let total = match finished {
            _ if is_direct => done + 1,
            // some count one more than their limit, some none
            true => answer.iterations.clamp(done + 1, wanted),
            false => wanted,
        };
        if finished && !goes_on && !is_direct {
            task.end = Some((total, limit));
        }
        task.seconds = match goes_on {
            true => task.seconds + answer.seconds,
            false => answer.seconds,
        };
        task.answer = Some(PeerAnswer {
            seconds: task.seconds,
            ..answer
        });
        task.impulses = impulses;
        task.done = total;
        task.finished = finished;
        Ok(Progress {
            sweeps: u32::try_from(total - done).unwrap_or(sweeps),
            row_updates: (total - done).saturating_mul(rows),
            finished,
        })
    }

    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        let task = self.task.as_ref().ok_or(SolveError::NotPrepared)?;
        SolveError::check_length("the slice of impulses", out.len(), task.impulses.len())?;
        out.copy_from_slice(&task.impulses);
        Ok(())
    }

    fn facts(&self) -> SolverFacts {
        SolverFacts {
            peer: Some(PeerFacts {
                identity: self.identity.clone(),
                restarts: self.descriptor.restarts,
                answer: self.task.as_ref().and_then(|task| task.answer.clone()),
            }),
            ..SolverFacts::default()
        }
    }
}
