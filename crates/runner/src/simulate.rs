//! Scenes that are stepped: scenes × schemes × solvers.

mod again;
mod budget;
pub(crate) mod calibrate;
pub(crate) mod frames;
pub(crate) mod plan;
mod replay;
mod replay_recording;
mod run;
mod scenes;
mod schemes;
mod section;
mod threshold;

use delassus_dynamics::{Scheme, SchemeError};
use delassus_records::guard::caught;
use delassus_replay::Limits;
use serde_json::json;

use crate::key::{self, Program};
use crate::matrix::cell::{MatrixCell, refused_key};
use crate::matrix::names;
use crate::matrix::solvers::ConfiguredSolvers;
use crate::motion::{Leg, Observable, has};
use crate::record::{FrameBudget, OBSERVED, SchemeLabel, SolverLabel, THRESHOLD};
use crate::registry::Registry;
use crate::spec::{self, Spec, SpecError};
use crate::view::named;

pub use plan::{ReplayPlan, SceneFamily, SceneSource, SchemeFamily, SimulationPlan};
pub use replay_recording::{frame_state, scene_geometry};
pub use scenes::MatrixScene;
pub(crate) use scenes::{errors, file_errors};
pub use schemes::MatrixScheme;
pub(crate) use schemes::errors as scheme_errors;
pub use section::{DtChange, Simulate};
pub use threshold::{Threshold, VariedScene};

/// The scenes of an experiment with what steps them.
#[derive(Debug)]
pub struct Simulations {
    /// The scenes, in order.
    pub scenes: Vec<MatrixScene>,
    /// The configured schemes, in order.
    pub schemes: Vec<MatrixScheme>,
    /// Every scheme with each of its solvers.
    pub methods: Vec<SchemeWithSolver>,
    /// What is read off at every sample, where a scene has it.
    observables: Vec<String>,
    /// Untraced passes per cell \[-\].
    repetitions: u32,
    /// What a frame may cost, where that chooses the substeps.
    budget: Option<FrameBudget>,
}

/// A scheme with its solver.
#[derive(Debug)]
pub struct SchemeWithSolver {
    /// Index of the scheme.
    pub scheme: usize,
    /// Index of the solver; `None` for a scheme that solves by itself.
    pub solver: Option<usize>,
    /// What records say about the scheme.
    pub label: SchemeLabel,
}

/// Upper bound of the number of cells, from the spec alone.
pub(crate) fn count(spec: &Spec, plan: &SimulationPlan) -> u128 {
    let scenes = plan.scenes.iter().map(|entry| match &entry.source {
        SceneSource::Named { axes, .. } => spec::size(axes),
        SceneSource::File(_) => 1,
    });
    let schemes = plan.schemes.iter().map(|entry| spec::size(&entry.axes));
    let solvers = spec.solvers.iter().map(|entry| spec::size(&entry.axes));
    let [scenes, schemes, solvers] = [
        scenes.fold(0, u128::saturating_add),
        schemes.fold(0, u128::saturating_add),
        solvers.fold(0, u128::saturating_add).max(1),
    ];
    scenes.saturating_mul(schemes).saturating_mul(solvers)
}

/// Rows up to which a scheme is asked about a scene before anything runs \[-\]: to answer, it
/// assembles the problem. What it refuses of larger scenes shows when their cells run.
const CHECKED_ROWS: usize = 50_000;

/// Makes every scene, builds every scheme, and asks each about each.
pub(crate) fn expand(
    spec: &Spec,
    plan: &SimulationPlan,
    solvers: &ConfiguredSolvers,
    registry: &Registry,
) -> Result<(Simulations, Vec<MatrixCell>), SpecError> {
    // errors of both are shown together
    let (scenes, schemes) = match (
        scenes::expand_scenes(spec, plan),
        schemes::expand(spec, plan, &solvers.labels, registry),
    ) {
        (Ok(scenes), Ok(schemes)) => (scenes, schemes),
        (scenes, schemes) => {
            let errors = scenes.err().into_iter().chain(schemes.err());
            let found = SpecError::of_all(errors.collect());
            return Err(found.unwrap_or_else(|| SpecError::of_file(&spec.file, "cannot be read")));
        }
    };
    let wanted = plan.schemes.iter().flat_map(|entry| &entry.scenes);
    names::check_scenes(spec, wanted, scenes.iter().map(|s| s.label.name.as_str()))?;
    let simulate = &plan.simulate;
    let worlds = scenes.iter().map(|scene| &scene.world);
    names::check_observables(spec, &simulate.observables, worlds)?;
    let methods = methods(&schemes, &solvers.labels);
    let mut cells = Vec::new();
    for (subject, scene) in scenes.iter().enumerate() {
        let asked = observables(&simulate.observables, scene, &scenes);
        for (index, method) in methods.iter().enumerate() {
            let scheme = &schemes[method.scheme];
            if !named(&scene.label.name, &scheme.scenes) {
                continue;
            }
            let simulated = SimulatedCell {
                scene,
                observables: &asked,
                scheme,
                method,
                solver: method.solver.map(|index| &solvers.labels[index]),
                repetitions: simulate.repetitions,
                budget: simulate.budget,
                replay: None,
            };
            let cell = simulated.plan(spec, plan, solvers, registry)?;
            cells.push(MatrixCell {
                subject,
                method: index,
                ..cell
            });
        }
    }
    let trajectories = Simulations {
        scenes,
        schemes,
        methods,
        observables: simulate.observables.clone(),
        repetitions: simulate.repetitions,
        budget: simulate.budget,
    };
    Ok((trajectories, cells))
}

/// Why a scheme does not step a scene, where it says so before anything runs. A check that panics
/// is not a refusal: its cell runs, and fails with the message.
fn refusal(scheme: &dyn Scheme, scene: &MatrixScene) -> Option<String> {
    if scene.facts.rows > CHECKED_ROWS {
        return None;
    }
    let checked = caught(|| scheme.check(&scene.world)).ok()?;
    checked.err().map(|error| error.to_string())
}

/// Every scheme with each of its solvers.
fn methods(schemes: &[MatrixScheme], solvers: &[SolverLabel]) -> Vec<SchemeWithSolver> {
    let methods = schemes.iter().enumerate().flat_map(|(index, scheme)| {
        scheme.solvers.iter().map(move |solver| SchemeWithSolver {
            scheme: index,
            solver: *solver,
            label: scheme.label_with(solver.map(|i| &solvers[i]), solvers.len()),
        })
    });
    methods.collect()
}

/// What a run of a scene measures: bodies and joints that it lacks are left out, unless no scene
/// has them. Then its cells say so.
fn observables<'s>(
    asked: &'s [String],
    scene: &MatrixScene,
    scenes: &[MatrixScene],
) -> Vec<&'s str> {
    let has = |name: &str, scene: &MatrixScene| {
        Observable::parse(name).is_ok_and(|observable| has(&scene.world, &observable))
    };
    let wanted = |name: &&str| has(name, scene) || !scenes.iter().any(|other| has(name, other));
    let names = asked.iter().map(String::as_str);
    names.filter(wanted).collect()
}

/// Everything that determines the record of a cell, but for the program. Figures, tables and
/// comments of the spec do not.
struct SimulatedCell<'a> {
    scene: &'a MatrixScene,
    observables: &'a [&'a str],
    scheme: &'a MatrixScheme,
    method: &'a SchemeWithSolver,
    solver: Option<&'a SolverLabel>,
    repetitions: u32,
    budget: Option<FrameBudget>,
    replay: Option<Limits>,
}

impl SimulatedCell<'_> {
    /// The cell of the matrix, with its key, its replay and the reason to skip it; the caller sets
    /// the indices of scene and method.
    fn plan(
        mut self,
        spec: &Spec,
        plan: &SimulationPlan,
        solvers: &ConfiguredSolvers,
        registry: &Registry,
    ) -> Result<MatrixCell, SpecError> {
        let Self { scene, scheme, .. } = self;
        let solver = self.method.solver;
        let absent = || solver.and_then(|index| solvers.built[index].as_ref().err());
        let refusal = match scheme.lacks.as_ref().or_else(absent) {
            Some(reason) => Some(reason.clone()),
            None => {
                let built = scheme.build(self.solver, registry);
                let refused =
                    |error: SchemeError| spec.error(scheme.span.clone(), error.to_string());
                refusal(built.map_err(refused)?.as_ref(), scene)
            }
        };
        let fits = spec
            .memory()
            .admit("stepping the scene", scene.world.step_memory());
        let too_large = fits.err().map(|error| error.to_string());
        let replay = plan.replay.as_ref().and_then(|replay| {
            let solver = self.solver.map(|label| label.label.as_str());
            replay.of(&scene.label.name, &scheme.label, solver, &scheme.legs)
        });
        // a search has no motion of its own
        self.replay = replay.filter(|_| scene.varied.is_none());
        let key = self.key(Program::here());
        Ok(MatrixCell {
            subject: 0,
            method: 0,
            key: refused_key(key, too_large.as_deref()),
            skip: too_large.or(refusal),
            replay: self.replay,
        })
    }

    /// The key of the record of `program`.
    fn key(&self, program: Program<'_>) -> String {
        let Self { scene, scheme, .. } = self;
        let none = SolverLabel::default();
        let legs = scheme.legs.iter().map(|leg| json!([leg.dt, leg.frames]));
        let mut all = json!({
            "schema": program.schema,
            "build": program.build,
            "scene": { "label": scene.label, "digest": scene.digest },
            "scheme": self.method.label,
            "solver": self.solver.unwrap_or(&none),
            "legs": legs.collect::<Vec<_>>(),
            "every": scheme.every,
            "observables": self.observables,
            "repetitions": self.repetitions,
        });
        if let Some(varied) = &scene.varied {
            all["threshold"] = varied.threshold.key();
        }
        if let Some(budget) = self.budget {
            all["budget"] = json!(budget);
        }
        if let Some(replay) = self.replay {
            all["replay"] = json!([replay.every, replay.contacts, replay.bytes, replay.held]);
        }
        key::of_json(&all)
    }
}

impl Simulations {
    /// The key of a cell in `program`.
    pub(crate) fn key(
        &self,
        cell: &MatrixCell,
        solvers: &[SolverLabel],
        program: Program<'_>,
    ) -> String {
        let (scene, method) = (&self.scenes[cell.subject], &self.methods[cell.method]);
        let asked = observables(&self.observables, scene, &self.scenes);
        let simulated = SimulatedCell {
            scene,
            observables: &asked,
            scheme: &self.schemes[method.scheme],
            method,
            solver: method.solver.map(|index| &solvers[index]),
            repetitions: self.repetitions,
            budget: self.budget,
            replay: cell.replay,
        };
        simulated.key(program)
    }

    /// Columns of the samples of a cell.
    pub(crate) fn columns(&self, cell: &MatrixCell) -> Vec<String> {
        let scene = &self.scenes[cell.subject];
        let columns: Vec<&str> = match &scene.varied {
            Some(_) => THRESHOLD.into_iter().chain([OBSERVED]).collect(),
            None => observables(&self.observables, scene, &self.scenes),
        };
        let id = |name: &str| match Observable::parse(name) {
            Ok(observable) => observable.id(),
            // the columns of a search
            Err(_) => name.to_owned(),
        };
        columns.into_iter().map(id).collect()
    }

    /// Frames of a run of a cell \[-\]; `None` where a threshold is looked for, in several runs.
    pub(crate) fn frames(&self, cell: &MatrixCell) -> Option<u64> {
        let scheme = &self.schemes[self.methods[cell.method].scheme];
        let frames = scheme.legs.iter().map(|leg| u64::from(leg.frames)).sum();
        self.scenes[cell.subject].varied.is_none().then_some(frames)
    }

    /// The frames of a run of a cell, and how many of them lie between two samples \[-\].
    pub(crate) fn sampling(&self, cell: &MatrixCell) -> (&[Leg], u32) {
        let scheme = &self.schemes[self.methods[cell.method].scheme];
        (&scheme.legs, scheme.every)
    }

    /// What a frame may cost, where that chooses the substeps.
    pub(crate) fn budget(&self) -> Option<FrameBudget> {
        self.budget
    }

    /// The scheme of a method, if it is an engine in a process of its own.
    pub(crate) fn engine(&self, method: usize) -> Option<&MatrixScheme> {
        let scheme = &self.schemes[self.methods[method].scheme];
        scheme.is_engine().then_some(scheme)
    }

    /// Why this machine does not have the engine of a method.
    pub(crate) fn absent_engine(&self, method: usize) -> Option<&str> {
        self.engine(method)?.lacks.as_deref()
    }

    /// Takes the engine of a record of a method where that is the engine of the spec, with another
    /// program; what differs.
    pub(crate) fn take_engine(&mut self, method: usize, said: &SchemeLabel) -> Option<String> {
        let reason = self
            .engine(method)?
            .other_engine(&self.methods[method].label, said)?;
        self.methods[method].label = said.clone();
        Some(reason)
    }

    /// Timed passes of a cell \[-\].
    pub(crate) fn repetitions(&self) -> u32 {
        self.repetitions
    }

    /// Names of the scenes that no scheme of the spec steps: they have no cell.
    pub(crate) fn unstepped(&self, cells: &[MatrixCell]) -> Vec<String> {
        let mut stepped = vec![false; self.scenes.len()];
        for cell in cells {
            stepped[cell.subject] = true;
        }
        let scenes = self.scenes.iter().zip(stepped);
        let left = scenes.filter(|(_, stepped)| !stepped);
        left.map(|(scene, _)| scene.label.name.clone()).collect()
    }
}
