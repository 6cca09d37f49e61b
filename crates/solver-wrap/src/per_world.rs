//! `per-world`: a solver of its own for every world of the problem, over any number of threads.
//!
//! Worlds are what no impulse couples: blocks that share movable bodies, directly or through
//! others. Each is a problem of its own with a copy of S (U.12), in the order of their first
//! blocks, and a thread takes one world after the other. No number of a world depends on another
//! world or on the thread that made it, so the bits are those of each world alone, with every
//! number of threads.
//!
//! Budget per work unit: that of S over all worlds, in one task per world.
//!
//! # Limitations
//! - The worlds are copied: as much memory again as the problem has.
//! - A problem that is given by its matrix is one world.
//! - An update of numbers takes the problem apart anew.
//!
//! Theory: docs/theory/26-wrappers.md (U.12). What does not touch is simulated by itself as
//! *islands* in \[Smith2006\].

use std::sync::Arc;

use delassus_core::parameter::require;
use delassus_core::{
    Fidelity, ImpulseSolver, Island, ParameterError, Parameters, PeerFacts, Problem, Progress,
    SolveError, SolverDescriptor, SolverFacts, SolverUpdate, Start, StateCoverage, Traffic,
    Unsupported, WorkUnit, counted, interrupt,
};
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::descriptor::WrapperDescriptor;
use crate::{Inner, Wrapper};

/// Parameters of [`PerWorld`].
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct PerWorldParameters {
    /// Threads; 0 is one for every processor that the system shows. They change no bit of the
    /// answer.
    #[parameter(default = 1, unit = "-")]
    pub threads: usize,
}

impl PerWorldParameters {
    fn check(&self) -> Result<(), ParameterError> {
        let fits = self.threads <= 256;
        require(fits, "threads", self.threads, "it must lie in [0, 256]")
    }

    /// The pool; `None` for the thread of the caller.
    fn pool(&self) -> Result<Option<ThreadPool>, ParameterError> {
        if self.threads == 1 {
            return Ok(None);
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads);
        let pool = pool.build().map_err(|_| ParameterError {
            parameter: "threads",
            value: self.threads.to_string(),
            expected: "a number that the system can start",
        })?;
        Ok(Some(pool))
    }
}

/// A solver for every world (U.12).
#[allow(missing_debug_implementations, reason = "S shows nothing of itself")]
pub struct PerWorld {
    inner: Inner,
    descriptor: SolverDescriptor,
    pool: Option<ThreadPool>,
    prepared: Option<Prepared>,
    /// Factorizations of solvers of worlds that are gone.
    retired: Option<u64>,
}

struct Prepared {
    tasks: Vec<Task>,
    /// Time of the last work unit, under a limit \[s\].
    unit: f64,
    rows: usize,
    blocks: usize,
}

/// A world with its solver, and what came of the last call.
struct Task {
    world: Island,
    solver: Box<dyn ImpulseSolver>,
    /// Impulses or velocities on their way.
    own: Vec<f64>,
    outcome: Result<Progress, SolveError>,
}

impl PerWorld {
    /// Takes the solvers of up to so many worlds out; nothing is prepared afterwards. The
    /// factorizations of the others stay counted.
    fn take_solvers(&mut self, worlds: usize) -> Vec<Box<dyn ImpulseSolver>> {
        let old = self.prepared.take().map_or(Vec::new(), |old| old.tasks);
        let mut solvers: Vec<_> = old.into_iter().map(|task| task.solver).collect();
        for solver in solvers.drain(worlds.min(solvers.len())..) {
            self.retired = counted(self.retired, solver.facts().factorizations);
        }
        solvers
    }

    /// One solver per world; those of an earlier problem are used again.
    fn tasks(&mut self, worlds: Vec<Island>) -> Result<Vec<Task>, SolveError> {
        let mut solvers = self.take_solvers(worlds.len()).into_iter();
        let tasks = worlds.into_iter().map(|world| {
            let solver = match solvers.next() {
                Some(solver) => solver,
                None => (self.inner.another)().map_err(|_| SolveError::Infeasible {
                    reason: "a further solver for a world could not be built",
                })?,
            };
            Ok(Task {
                own: Vec::with_capacity(world.problem.rows()),
                outcome: Ok(Progress::default()),
                world,
                solver,
            })
        });
        tasks.collect()
    }

    /// Runs `work` in every world and adds up what was done; the error of the first world that has
    /// one.
    fn each(
        &mut self,
        work: impl Fn(&mut Task) -> Result<Progress, SolveError> + Sync,
    ) -> Result<Progress, SolveError> {
        let prepared = self.prepared.as_mut().ok_or(SolveError::NotPrepared)?;
        let limit = interrupt::limit();
        let run = |task: &mut Task| {
            task.outcome = match &limit {
                Some(left) => interrupt::within(Arc::clone(left), || work(task)),
                None => work(task),
            };
        };
        match &self.pool {
            Some(pool) => pool.install(|| prepared.tasks.par_iter_mut().for_each(run)),
            None => prepared.tasks.iter_mut().for_each(run),
        }
        let mut all = Progress {
            finished: true,
            ..Progress::default()
        };
        for task in &prepared.tasks {
            let done = task.outcome.clone().map_err(|error| task.whole(error))?;
            all.sweeps = all.sweeps.max(done.sweeps);
            all.row_updates += done.row_updates;
            all.finished &= done.finished;
        }
        Ok(all)
    }

    fn fits(&self, problem: &Problem) -> Result<(), SolveError> {
        let prepared = self.prepared.as_ref().ok_or(SolveError::NotPrepared)?;
        SolveError::check_length("problem", problem.rows(), prepared.rows)?;
        SolveError::check_length("blocks", problem.blocks().len(), prepared.blocks)
    }

    /// Lets every world begin from its part of impulses.
    fn begin(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        let worlds = problem.islands()?;
        let tasks = self.tasks(worlds)?;
        self.prepared = Some(Prepared {
            unit: 0.0,
            tasks,
            rows: problem.rows(),
            blocks: problem.blocks().len(),
        });
        let outcome = self.each(|task| {
            let problem = &task.world.problem;
            match start {
                Start::Cold => task.solver.prepare(problem, Start::Cold)?,
                Start::Warm(all) => {
                    task.world.gather(all, &mut task.own);
                    task.solver.prepare(problem, Start::Warm(&task.own))?;
                }
            }
            Ok(Progress::default())
        });
        if outcome.is_err() {
            self.take_solvers(0);
        }
        outcome.map(|_| ())
    }
}

impl Task {
    /// The error with the row of the whole problem.
    fn whole(&self, error: SolveError) -> SolveError {
        match error {
            SolveError::NonFinite { row } => SolveError::NonFinite {
                row: self.world.row(row),
            },
            SolveError::WarmStart { row } => SolveError::WarmStart {
                row: self.world.row(row),
            },
            other => other,
        }
    }
}

impl Wrapper for PerWorld {
    type Parameters = PerWorldParameters;

    const DESCRIPTOR: WrapperDescriptor = WrapperDescriptor {
        id: "per-world",
        name: "A solver per world",
        summary: "Splits the problem into worlds, groups of bodies that no impulse couples, and solves each with its own S, on any number of threads.",
        citations: &["Smith2006"],
        theory: &["U.12"],
        cost: "S",
        laws: "those of S",
        needs_map: false,
    };

    fn new(
        inner: Inner,
        descriptor: SolverDescriptor,
        parameters: PerWorldParameters,
    ) -> Result<Self, ParameterError> {
        Ok(Self {
            pool: parameters.pool()?,
            inner,
            descriptor,
            prepared: None,
            retired: None,
        })
    }
}

impl ImpulseSolver for PerWorld {
    fn descriptor(&self) -> &SolverDescriptor {
        &self.descriptor
    }

    fn check(&self, problem: &Problem) -> Result<Fidelity, Unsupported> {
        self.inner.solver.check(problem)
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        // the worlds
        let own = problem.memory();
        self.inner.solver.footprint(problem).saturating_add(own)
    }

    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        let mut checked = self.check(problem).map_err(SolveError::from).map(|_| ());
        if let (Ok(()), Start::Warm(impulses)) = (&checked, start) {
            checked = SolveError::check_length("warm start", impulses.len(), problem.rows());
        }
        if checked.is_err() {
            self.take_solvers(0);
            return checked;
        }
        self.begin(problem, start)
    }

    fn update(&mut self, problem: &Problem, update: SolverUpdate<'_>) -> Result<(), SolveError> {
        self.fits(problem)?;
        match update {
            SolverUpdate::Impulses(impulses) => {
                SolveError::check_length("warm start", impulses.len(), problem.rows())?;
            }
            SolverUpdate::Numbers(_) => {
                let worlds = problem.islands()?;
                let prepared = self.prepared.as_mut().ok_or(SolveError::NotPrepared)?;
                SolveError::check_length("worlds", worlds.len(), prepared.tasks.len())?;
                for (task, world) in prepared.tasks.iter_mut().zip(worlds) {
                    task.world = world;
                }
            }
        }
        self.each(|task| {
            let mut own = update;
            if let SolverUpdate::Impulses(all) = update {
                task.world.gather(all, &mut task.own);
                own = SolverUpdate::Impulses(&task.own);
            }
            task.solver.update(&task.world.problem, own)?;
            Ok(Progress::default())
        })?;
        Ok(())
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        self.fits(problem)?;
        // all worlds make the same sweeps: the limit is asked between parts, not inside a world
        let mut unit = self.prepared.as_ref().map_or(0.0, |prepared| prepared.unit);
        let alike = self.descriptor.work_unit != WorkUnit::Stage;
        let kept = alike.then_some(&mut unit);
        let done = interrupt::in_parts(sweeps, kept, |part| {
            interrupt::without(|| self.each(|task| task.solver.iterate(&task.world.problem, part)))
        });
        if let Some(prepared) = &mut self.prepared {
            prepared.unit = unit;
        }
        done
    }

    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        let prepared = self.prepared.as_ref().ok_or(SolveError::NotPrepared)?;
        SolveError::check_length("impulses", out.len(), prepared.rows)?;
        self.each(|task| {
            task.own.resize(task.world.problem.rows(), 0.0);
            task.solver.read_impulses(&mut task.own)?;
            Ok(Progress::default())
        })?;
        for task in self.prepared.iter().flat_map(|all| &all.tasks) {
            task.world.scatter(&task.own, out);
        }
        Ok(())
    }

    fn read_velocities(&mut self, problem: &Problem, out: &mut [f64]) -> Result<(), SolveError> {
        self.fits(problem)?;
        let bodies = problem.bodies().ok_or(SolveError::NoBodies)?;
        SolveError::check_length("velocities", out.len(), 6 * bodies.len())?;
        // bodies that no block touches
        out.copy_from_slice(&bodies.free_velocity);
        self.each(|task| {
            let bodies = task.world.problem.bodies().ok_or(SolveError::NoBodies)?;
            task.own.resize(6 * bodies.len(), 0.0);
            let problem = &task.world.problem;
            task.solver.read_velocities(problem, &mut task.own)?;
            Ok(Progress::default())
        })?;
        for task in self.prepared.iter().flat_map(|all| &all.tasks) {
            task.world.scatter_velocities(&task.own, out);
        }
        Ok(())
    }

    fn fingerprint(&mut self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        let prepared = self.prepared.as_mut().ok_or(SolveError::NotPrepared)?;
        let length = out.len();
        let mut all = StateCoverage::Complete;
        for task in &mut prepared.tasks {
            all = match (all, task.solver.fingerprint(out)?) {
                (StateCoverage::Complete, Some(other)) => other,
                (StateCoverage::FixedPoint(a), Some(StateCoverage::FixedPoint(b))) => {
                    StateCoverage::FixedPoint(a.max(b))
                }
                (resting, Some(StateCoverage::Complete)) => resting,
                (_, None) => {
                    out.truncate(length);
                    return Ok(None);
                }
            };
        }
        Ok(Some(all))
    }

    /// Those of all S together. Solutions of single worlds are none of the problem.
    fn facts(&self) -> SolverFacts {
        let inner = self.inner.solver.facts();
        let mut all = SolverFacts {
            traffic: self.prepared.as_ref().map(|_| Traffic::default()),
            factorizations: self.retired,
            device: inner.device,
            peer: inner.peer.map(PeerFacts::without_answer),
            ..SolverFacts::default()
        };
        for task in self.prepared.iter().flat_map(|all| &all.tasks) {
            let own = task.solver.facts();
            all.traffic = all.traffic.zip(own.traffic).map(|(sum, one)| sum + one);
            all.dispatches = counted(all.dispatches, own.dispatches);
            all.factorizations = counted(all.factorizations, own.factorizations);
            for line in own.decisions {
                if !all.decisions.contains(&line) {
                    all.decisions.push(line);
                }
            }
        }
        all
    }
}
