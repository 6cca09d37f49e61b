//! The scenes of a matrix.

use delassus_dynamics::{Manifold, World};
use delassus_scenes::{SceneEntry, SceneError, read, scenes};
use serde_json::{Map, Value};

use crate::document::laws;
use crate::document::text::all;
use crate::key;
use crate::matrix::names;
use crate::record::{ProblemFacts, ProblemLabel};
use crate::spec::{GridAxis, GridPoint, Spec, SpecError};

use super::plan::{SceneFamily, SceneSource, SimulationPlan};
use super::threshold::{Threshold, VariedScene};

/// Stands for the identifier of a scene that was read.
const FILE: &str = "file";

/// One scene of the matrix.
#[derive(Debug)]
pub struct MatrixScene {
    /// Name and origin.
    pub label: ProblemLabel,
    /// The world at the start.
    pub world: World,
    /// What tables print about it.
    pub facts: ProblemFacts,
    /// The parameter whose threshold is looked for, in place of one run.
    pub varied: Option<VariedScene>,
    /// Hash of everything in the world of a file; empty for a scene that follows from its
    /// parameters and the program.
    pub digest: String,
}

/// The errors of scenes that cannot be made.
pub(crate) fn errors(spec: &Spec, plan: &SimulationPlan) -> Option<SpecError> {
    expand_scenes(spec, plan).err()
}

/// The errors of scene files.
pub(crate) fn file_errors(spec: &Spec, plan: &SimulationPlan) -> Option<SpecError> {
    let known = scenes();
    let files = plan.scenes.iter();
    let files = files.filter(|entry| matches!(entry.source, SceneSource::File(_)));
    all(files.map(|entry| expand_family(spec, entry, &known))).err()
}

pub(super) fn expand_scenes(
    spec: &Spec,
    plan: &SimulationPlan,
) -> Result<Vec<MatrixScene>, SpecError> {
    let known = scenes();
    let families = plan.scenes.iter();
    let families = all(families.map(|entry| expand_family(spec, entry, &known)))?;
    let mut made = Vec::new();
    let mut spans = Vec::new();
    for (entry, family) in plan.scenes.iter().zip(families) {
        for (label, world, varied) in family {
            made.push(scene(label, world, varied));
            spans.push(entry.span.clone());
        }
    }
    let pairs = made.iter().map(|s| s.label.name.as_str()).zip(spans);
    names::unique(spec, "scene", "name", pairs)?;
    Ok(made)
}

/// The scenes of an entry.
fn expand_family(
    spec: &Spec,
    entry: &SceneFamily,
    known: &[SceneEntry],
) -> Result<Vec<Made>, SpecError> {
    match &entry.source {
        SceneSource::Named {
            id,
            axes,
            threshold,
        } => {
            let found = known.iter().find(|scene| scene.descriptor.id == id);
            let scene = found
                .ok_or_else(|| spec.error(entry.span.clone(), format!("unknown scene {id:?}")))?;
            from_list(spec, entry, scene, axes, threshold.as_ref())
        }
        SceneSource::File(path) => {
            let world = read(path);
            let world = world.map_err(|error| spec.error(entry.span.clone(), error.to_string()))?;
            let text = |part: Option<&std::ffi::OsStr>| {
                part.unwrap_or_default().to_string_lossy().into_owned()
            };
            let file = Value::from(text(path.file_name()));
            let label = ProblemLabel {
                name: entry.name.clone().unwrap_or_else(|| text(path.file_stem())),
                source: FILE.to_owned(),
                parameters: Map::from_iter([("file".to_owned(), file)]),
            };
            Ok(vec![(label, world, None)])
        }
    }
}

fn scene(label: ProblemLabel, world: World, varied: Option<VariedScene>) -> MatrixScene {
    let points = |manifold: &Manifold| manifold.points.len();
    let contacts: usize = world.manifolds().iter().map(points).sum();
    let facts = ProblemFacts {
        rows: world.joint_errors().len() + 3 * contacts,
        blocks: world.joints().len() + contacts,
        contacts,
        bodies: Some(world.bodies().len()),
        asymmetry: None,
        energy_scale: 0.0,
    };
    let digest = match label.source.as_str() {
        FILE => {
            let parts = serde_json::to_string(&world.clone().into_parts());
            // a world has a form as a file, or it could not have been read from one
            key::of_text(&parts.unwrap_or_default())
        }
        // the parameters and the program are in the key
        _ => String::new(),
    };
    MatrixScene {
        label,
        varied,
        facts,
        digest,
        world,
    }
}

/// A scene of the matrix in the making.
type Made = (ProblemLabel, World, Option<VariedScene>);

fn from_list(
    spec: &Spec,
    entry: &SceneFamily,
    scene: &SceneEntry,
    axes: &[GridAxis],
    threshold: Option<&Threshold>,
) -> Result<Vec<Made>, SpecError> {
    let id = scene.descriptor.id;
    let points = laws::fitting_points(scene, axes).into_iter().map(|point| {
        let varied = threshold.map(|threshold| VariedScene {
            threshold: threshold.clone(),
            entry: scene.clone(),
            parameters: point.parameters.clone(),
        });
        let made = match &varied {
            None => scene.build_given(&point.parameters),
            Some(varied) => {
                let [lower, upper] = varied.threshold.between;
                varied.world(lower).and_then(|_| varied.world(upper))
            }
        };
        let world = made.map_err(|error| refused(spec, entry, axes, &point, &error))?;
        let mut parameters = scene.complete(&point.parameters);
        if let Some(threshold) = threshold {
            parameters.remove(&threshold.parameter);
        }
        let label = ProblemLabel {
            name: names::of_point(id, entry.name.as_deref(), &point),
            source: id.to_owned(),
            parameters,
        };
        Ok((label, world, varied))
    });
    all(points)
}

/// Blames the value that the scene refuses, if one alone is to blame.
fn refused(
    spec: &Spec,
    entry: &SceneFamily,
    axes: &[GridAxis],
    point: &GridPoint,
    error: &SceneError,
) -> SpecError {
    let named = match error {
        SceneError::Entry(error) => error.parameter(),
        _ => None,
    };
    let place = named.and_then(|name| point.place(axes, name));
    spec.error(
        place.unwrap_or_else(|| entry.span.clone()),
        error.to_string(),
    )
}
