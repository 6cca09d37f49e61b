//! The cells of an experiment over time: scenes × schemes × solvers.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use delassus_core::ParameterError;
use delassus_dynamics::{Scheme, SchemeError, World};
use delassus_scenes::{SceneEntry as KnownScene, SceneError, read, scenes};
use serde_json::{Map, Value, json};

use super::{Cell, Task, names};
use crate::key;
use crate::record::{ProblemFacts, ProblemLabel, SchemeLabel, SolverLabel};
use crate::registry::Registry;
use crate::simulate::{Leg, SetupError, build_scheme, find_scheme};
use crate::spec::{
    self, Axis, Choice, SceneEntry, SceneSource, SchemeEntry, Simulate, Spec, SpecError,
    TrajectoryPlan,
};
use crate::suggest::nearest;
use crate::view::DT;

/// One scene of the matrix.
#[derive(Debug)]
pub struct MatrixScene {
    /// Name and origin.
    pub label: ProblemLabel,
    /// The world at the start.
    pub world: World,
    /// What tables print about it.
    pub facts: ProblemFacts,
    /// Hash of everything in the world.
    pub digest: String,
}

/// One configured scheme of the matrix.
#[derive(Debug)]
pub struct MatrixScheme {
    /// Name, unique in the experiment.
    pub label: String,
    /// Identifier of the preset or scheme.
    pub id: String,
    /// Complete parameters.
    pub parameters: Map<String, Value>,
    /// The frames of a run.
    pub legs: Vec<Leg>,
    /// Indices of the solvers that it runs with; `None` stands for no solver.
    solvers: Vec<Option<usize>>,
    /// The entry in the text.
    span: Range<usize>,
}

impl MatrixScheme {
    /// What records say about the scheme together with one of `solvers` solvers.
    pub(super) fn label_with(&self, solver: &SolverLabel, solvers: usize) -> SchemeLabel {
        let method = if solver.label.is_empty() || solvers == 1 {
            self.label.clone()
        } else {
            format!("{}, {}", self.label, solver.label)
        };
        SchemeLabel {
            label: self.label.clone(),
            method,
            id: self.id.clone(),
            parameters: self.parameters.clone(),
            dt: self.legs.first().map_or(0.0, |leg| leg.dt),
        }
    }

    /// Builds the scheme with a solver of the matrix.
    ///
    /// # Errors
    /// A parameter out of its range, of the scheme or of the solver.
    pub(crate) fn build(
        &self,
        solver: Option<&SolverLabel>,
        registry: &Registry,
    ) -> Result<Box<dyn Scheme>, SetupError> {
        let entry = find_scheme(&self.id)?;
        let solver = match solver {
            Some(label) => Some((registry.find(&label.id)?, &label.parameters)),
            None => None,
        };
        build_scheme(&entry, &self.parameters, solver)
    }
}

/// Upper bound of the number of cells, from the spec alone.
pub(super) fn count(spec: &Spec, plan: &TrajectoryPlan) -> u128 {
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

type Expanded = (Vec<MatrixScene>, Vec<MatrixScheme>, Vec<Cell>);

/// Makes every scene, builds every scheme, and asks each about each.
pub(super) fn expand(
    spec: &Spec,
    plan: &TrajectoryPlan,
    solvers: &[SolverLabel],
    registry: &Registry,
) -> Result<Expanded, SpecError> {
    let scenes = expand_scenes(spec, plan)?;
    let schemes = expand_schemes(spec, plan, solvers)?;
    let mut cells = Vec::new();
    for (s, scene) in scenes.iter().enumerate() {
        for (m, scheme) in schemes.iter().enumerate() {
            for solver in &scheme.solvers {
                let label = solver.map(|index| &solvers[index]);
                let built = scheme.build(label, registry);
                let built =
                    built.map_err(|error| spec.error(scheme.span.clone(), error.to_string()))?;
                // a check that panics is not a refusal: its cell runs, and fails with the message
                let check = AssertUnwindSafe(|| built.check(&scene.world));
                let refusal = catch_unwind(check).ok().and_then(Result::err);
                cells.push(Cell {
                    task: Task::Simulate {
                        scene: s,
                        scheme: m,
                        solver: *solver,
                    },
                    key: cell_key(&plan.simulate, scene, scheme, label, solvers.len()),
                    skip: refusal.map(|refusal| refusal.to_string()),
                });
            }
        }
    }
    Ok((scenes, schemes, cells))
}

/// Everything that determines a record. Figures, tables and comments of the spec do not.
fn cell_key(
    simulate: &Simulate,
    scene: &MatrixScene,
    scheme: &MatrixScheme,
    solver: Option<&SolverLabel>,
    solvers: usize,
) -> String {
    let none = SolverLabel::default();
    let solver = solver.unwrap_or(&none);
    let legs = scheme.legs.iter().map(|leg| json!([leg.dt, leg.frames]));
    key::of_json(&json!({
        "schema": key::SCHEMA,
        "build": key::build_id(),
        "scene": { "label": scene.label, "digest": scene.digest },
        "scheme": scheme.label_with(solver, solvers),
        "solver": solver,
        "legs": legs.collect::<Vec<_>>(),
        "every": simulate.every,
        "observables": simulate.observables,
        "repetitions": simulate.repetitions,
    }))
}

fn expand_scenes(spec: &Spec, plan: &TrajectoryPlan) -> Result<Vec<MatrixScene>, SpecError> {
    let known = scenes();
    let mut made = Vec::new();
    let mut spans = Vec::new();
    for entry in &plan.scenes {
        let labelled = match &entry.source {
            SceneSource::Named { id, axes } => {
                let found = known.iter().find(|scene| scene.descriptor.id == id);
                let scene = found.ok_or_else(|| {
                    spec.error(entry.span.clone(), format!("unknown scene {id:?}"))
                })?;
                from_list(spec, entry, scene, axes)?
            }
            SceneSource::File(path) => {
                let world = read(path);
                let world =
                    world.map_err(|error| spec.error(entry.span.clone(), error.to_string()))?;
                let text = |part: Option<&std::ffi::OsStr>| {
                    part.unwrap_or_default().to_string_lossy().into_owned()
                };
                let file = Value::from(text(path.file_name()));
                let label = ProblemLabel {
                    name: entry.name.clone().unwrap_or_else(|| text(path.file_stem())),
                    source: "file".to_owned(),
                    parameters: Map::from_iter([("file".to_owned(), file)]),
                };
                vec![(label, world)]
            }
        };
        for (label, world) in labelled {
            made.push(scene(label, world));
            spans.push(entry.span.clone());
        }
    }
    let pairs = made.iter().map(|s| s.label.name.as_str()).zip(spans);
    names::unique(spec, "scene", "name", pairs)?;
    Ok(made)
}

fn scene(label: ProblemLabel, world: World) -> MatrixScene {
    let points = |manifold: &delassus_dynamics::Manifold| manifold.points.len();
    let contacts: usize = world.manifolds().iter().map(points).sum();
    let facts = ProblemFacts {
        rows: world.joint_errors().len() + 3 * contacts,
        blocks: world.joints().len() + contacts,
        contacts,
        bodies: Some(world.bodies().len()),
        asymmetry: None,
        energy_scale: 0.0,
    };
    let parts = serde_json::to_string(&world.clone().into_parts());
    MatrixScene {
        label,
        facts,
        // a world has a form as a file, or it could not have been made from parameters
        digest: key::of_text(&parts.unwrap_or_default()),
        world,
    }
}

fn from_list(
    spec: &Spec,
    entry: &SceneEntry,
    scene: &KnownScene,
    axes: &[Axis],
) -> Result<Vec<(ProblemLabel, World)>, SpecError> {
    let id = scene.descriptor.id;
    let points = spec::points(axes).into_iter().map(|point| {
        let world = scene.build(&point.parameters);
        let world = world.map_err(|error| refused(spec, entry, scene, axes, &point, &error))?;
        let mut parameters = scene.defaults.clone();
        parameters.extend(point.parameters.clone());
        let label = ProblemLabel {
            name: names::of_point(id, entry.name.as_deref(), &point),
            source: id.to_owned(),
            parameters,
        };
        Ok((label, world))
    });
    points.collect()
}

/// Blames the value that the scene refuses, if one alone is to blame.
fn refused(
    spec: &Spec,
    entry: &SceneEntry,
    scene: &KnownScene,
    axes: &[Axis],
    point: &Choice,
    error: &SceneError,
) -> SpecError {
    let named = match error {
        SceneError::Parameter { source, .. } => Some(source.parameter.to_owned()),
        SceneError::Parameters { .. } => {
            let mut keys = point.parameters.iter();
            let culprit = keys.find(|(key, value)| {
                let single = Map::from_iter([((*key).clone(), (*value).clone())]);
                matches!(scene.build(&single), Err(SceneError::Parameters { .. }))
            });
            culprit.map(|(key, _)| key.clone())
        }
        _ => None,
    };
    let place = named.and_then(|name| point.place(axes, &name));
    spec.error(
        place.unwrap_or_else(|| entry.span.clone()),
        error.to_string(),
    )
}

fn expand_schemes(
    spec: &Spec,
    plan: &TrajectoryPlan,
    solvers: &[SolverLabel],
) -> Result<Vec<MatrixScheme>, SpecError> {
    let mut schemes = Vec::new();
    for entry in &plan.schemes {
        let found = find_scheme(&entry.id);
        let found = found.map_err(|error| spec.error(entry.span.clone(), error.to_string()))?;
        let chosen = if found.descriptor.uses_solver {
            choose(spec, entry, solvers)?
        } else {
            vec![None]
        };
        for point in spec::points(&entry.axes) {
            let mut own = point.parameters.clone();
            let dt = own.remove(DT).and_then(|dt| dt.as_f64());
            validate(spec, entry, &point, &own)?;
            let mut parameters = found.defaults.clone();
            parameters.extend(own);
            schemes.push(MatrixScheme {
                label: names::of_point(&entry.id, entry.label.as_deref(), &point),
                id: entry.id.clone(),
                parameters,
                legs: legs(&plan.simulate, dt.unwrap_or(plan.simulate.dt)),
                solvers: chosen.clone(),
                span: entry.span.clone(),
            });
        }
    }
    let pairs = schemes.iter().map(|s| (s.label.as_str(), s.span.clone()));
    names::unique(spec, "scheme", "label", pairs)?;
    Ok(schemes)
}

/// Builds the scheme once with a solver that is always there, and blames the value that it refuses.
fn validate(
    spec: &Spec,
    entry: &SchemeEntry,
    point: &Choice,
    parameters: &Map<String, Value>,
) -> Result<(), SpecError> {
    let build = |parameters: &Map<String, Value>| {
        let found = find_scheme(&entry.id)?;
        let standard = Registry::standard();
        let empty = Map::new();
        let solver = standard.find("pgs")?;
        let solver = found.descriptor.uses_solver.then_some((solver, &empty));
        build_scheme(&found, parameters, solver)
    };
    let Err(error) = build(parameters) else {
        return Ok(());
    };
    let named = match &error {
        SetupError::Scheme(SchemeError::Parameter(ParameterError { parameter, .. })) => {
            Some((*parameter).to_owned())
        }
        _ => {
            let mut keys = parameters.iter();
            let culprit = keys.find(|(key, value)| {
                build(&Map::from_iter([((*key).clone(), (*value).clone())])).is_err()
            });
            culprit.map(|(key, _)| key.clone())
        }
    };
    let place = named.and_then(|name| point.place(&entry.axes, &name));
    Err(spec.error(
        place.unwrap_or_else(|| entry.span.clone()),
        error.to_string(),
    ))
}

/// The solvers that an entry names by label or identifier; all if it names none.
fn choose(
    spec: &Spec,
    entry: &SchemeEntry,
    solvers: &[SolverLabel],
) -> Result<Vec<Option<usize>>, SpecError> {
    if solvers.is_empty() {
        let message = format!("{} needs a solver: add [[solver]]", entry.id);
        return Err(spec.error(entry.span.clone(), message));
    }
    if entry.solvers.is_empty() {
        return Ok((0..solvers.len()).map(Some).collect());
    }
    let mut chosen: Vec<usize> = Vec::new();
    for (name, span) in &entry.solvers {
        let fits = |solver: &SolverLabel| solver.label == *name || solver.id == *name;
        let found: Vec<usize> = (0..solvers.len()).filter(|i| fits(&solvers[*i])).collect();
        if found.is_empty() {
            let names = solvers
                .iter()
                .flat_map(|s| [s.label.as_str(), s.id.as_str()]);
            let message = match nearest(name, names) {
                Some(found) => format!("no solver is named {name:?}; did you mean {found:?}?"),
                None => format!("no solver of this spec is named {name:?}"),
            };
            return Err(spec.error(span.clone(), message));
        }
        chosen.extend(found);
    }
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen.into_iter().map(Some).collect())
}

/// The frames of a run: pieces of constant length between the changes, each with at least one frame.
fn legs(simulate: &Simulate, dt: f64) -> Vec<Leg> {
    let ends = simulate.changes.iter().map(|change| change.at);
    let factors = simulate.changes.iter().map(|change| change.factor);
    let mut begun = 0.0;
    let pieces = ends
        .chain([simulate.seconds])
        .zip([1.0].into_iter().chain(factors));
    let pieces = pieces.map(|(end, factor)| {
        let dt = dt * factor;
        let frames = ((end - begun) / dt).round().max(1.0);
        begun = end;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the spec's bound on frames fits"
        )]
        let frames = frames as u32;
        Leg { dt, frames }
    });
    pieces.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::DtChange;

    #[test]
    fn frames_change_their_length_where_the_spec_says() {
        let simulate = Simulate {
            dt: 0.01,
            seconds: 3.0,
            changes: vec![
                DtChange {
                    at: 1.0,
                    factor: 0.5,
                },
                DtChange {
                    at: 2.0,
                    factor: 2.0,
                },
            ],
            every: 1,
            observables: Vec::new(),
            repetitions: 1,
        };
        let pairs = |dt| -> Vec<(f64, u32)> {
            let legs = legs(&simulate, dt);
            legs.into_iter().map(|leg| (leg.dt, leg.frames)).collect()
        };
        assert_eq!(pairs(0.01), [(0.01, 100), (0.005, 200), (0.02, 50)]);
        // a frame longer than its piece still takes place
        assert_eq!(pairs(4.0), [(4.0, 1), (2.0, 1), (8.0, 1)]);
    }
}
