//! `delassus export`: the request, checked as a whole before anything is stepped.

use std::path::Path;

use delassus_core::{EntryError, FieldError, registry};
use delassus_dynamics::{Scheme, SchemeEntry, SchemeError, World};
use delassus_scenes::{FixedInertia, SceneError, read, read_fixing_inertia, scenes};
use serde_json::{Map, Value};

use crate::cli::args::ExportVerb;
use crate::cli::failure::Failure;
use crate::cli::files;
use crate::cli::output::printable;
use crate::cli::request::parameters;
use crate::cli::talk::talk;
use crate::registry::{Registry, SolverEntry, scheme};
use crate::simulate::build_scheme;

/// Length of a frame unless the request says otherwise \[s\].
const DT: f64 = 1.0 / 60.0;

/// What to step and how.
pub(super) struct Request {
    /// Name of the scene in files: its identifier, or the stem of its file.
    pub(super) stem: String,
    pub(super) world: World,
    /// The scene with all its parameters, for the file.
    pub(super) provenance: String,
    pub(super) scheme: SchemeEntry,
    scheme_parameters: Map<String, Value>,
    pub(super) solver: SolverEntry,
    solver_parameters: Map<String, Value>,
    /// Scheme and solver with all their parameters, for the file.
    pub(super) method: String,
    /// Length of a frame \[s\].
    pub(super) dt: f64,
}

impl Request {
    /// Checks everything that can be checked before the first step.
    pub(super) fn new(verb: &ExportVerb, registry: &Registry) -> Result<Self, Failure> {
        let dt = verb.dt.unwrap_or(DT);
        if !(dt > 0.0 && dt.is_finite()) {
            let message = format!("--dt {dt}: must be a finite number > 0 [s]");
            return Err(Failure::request(message));
        }
        let scheme = scheme(&verb.scheme).map_err(|error| {
            Failure::request(format!(
                "{error}\n  `delassus list presets` and `delassus list schemes` name them all"
            ))
        })?;
        if !scheme.descriptor.uses_solver {
            return Err(Failure::request(format!(
                "scheme {} freezes no problem; export with a preset of `delassus list presets`",
                scheme.descriptor.id
            )));
        }
        let solver = registry.find(&verb.solver).map_err(|error| {
            Failure::request(format!("{error}\n  `delassus list solvers` names them all"))
        })?;
        let scene = RequestedScene::new(verb)?;
        let scheme_parameters = parameters("--scheme-set", &verb.scheme_parameters)?;
        let solver_parameters = parameters("--solver-set", &verb.solver_parameters)?;
        let complete = scheme.complete(&scheme_parameters);
        let method = format!(
            "scheme {}, parameters {}; solver {}, parameters {}",
            scheme.descriptor.id,
            Value::Object(complete),
            solver.descriptor.id,
            Value::Object(solver.complete(&solver_parameters)),
        );
        Ok(Self {
            stem: scene.stem,
            world: scene.world,
            provenance: scene.provenance,
            scheme,
            scheme_parameters,
            solver,
            solver_parameters,
            method,
            dt,
        })
    }

    /// Builds the scheme around its solver.
    pub(super) fn build(&self) -> Result<Box<dyn Scheme>, Failure> {
        let solver = Some((&self.solver, &self.solver_parameters));
        build_scheme(&self.scheme, &self.scheme_parameters, solver).map_err(|error| {
            if matches!(error, SchemeError::Entry(EntryError::Environment { .. })) {
                return Failure::request(error.to_string());
            }
            let [scheme, solver] = [self.scheme.descriptor.id, self.solver.descriptor.id];
            let list = if self.scheme.descriptor.preset_of.is_some() {
                "presets"
            } else {
                "schemes"
            };
            Failure::request(format!(
                "{error}\n  `delassus list {list} {scheme}` and `delassus list solvers {solver}` describe the parameters"
            ))
        })
    }
}

/// A scene of the list or of a file.
pub(super) struct RequestedScene {
    pub(super) stem: String,
    pub(super) world: World,
    provenance: String,
}

impl RequestedScene {
    pub(super) fn new(verb: &ExportVerb) -> Result<Self, Failure> {
        let given = parameters("--set", &verb.parameters)?;
        let path = Path::new(&verb.scene);
        let ending = path.extension().and_then(|ending| ending.to_str());
        if matches!(ending, Some("toml" | "json")) {
            return Self::from_file(path, &given, verb.fix_inertia);
        }
        if verb.fix_inertia {
            return Err(Failure::request(
                "--fix-inertia: the scenes of the list need none; it is for scene files",
            ));
        }
        Self::from_list(&verb.scene, &given)
    }

    fn from_file(path: &Path, given: &Map<String, Value>, fix: bool) -> Result<Self, Failure> {
        files::check(&[path.to_owned()])?;
        if let Some(key) = given.keys().next() {
            return Err(Failure::request(format!(
                "--set {key}: a scene file has no parameters; change the file"
            )));
        }
        let (world, fixed) = match fix {
            true => read_fixing_inertia(path),
            false => read(path).map(|world| (world, Vec::new())),
        }
        .map_err(|error| refused(&error))?;
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut provenance = format!("scene file {file}");
        for change in &fixed {
            let FixedInertia { body, from, to, .. } = change;
            let place = format!("bodies[{body}].inertia.moments");
            talk(&printable(&format!(
                "note: {place} of {:?}: {from:?} changed to {to:?}",
                change.name
            )));
            provenance.push_str(&format!(", {place} changed from {from:?} to {to:?}"));
        }
        Ok(Self {
            stem: stem.into_owned(),
            world,
            provenance,
        })
    }

    fn from_list(id: &str, given: &Map<String, Value>) -> Result<Self, Failure> {
        let known = scenes();
        let entry = registry::find(&known, id).map_err(|error| {
            Failure::request(format!(
                "{error}\n  `delassus list scenes` names them all; a scene file ends in .toml or .json"
            ))
        })?;
        let world = entry.build(given).map_err(|error| {
            Failure::request(format!(
                "{error}\n  `delassus list scenes {id}` describes its parameters"
            ))
        })?;
        let complete = entry.complete(given);
        Ok(Self {
            stem: id.to_owned(),
            world,
            provenance: format!("scene {id}, parameters {}", Value::Object(complete)),
        })
    }
}

/// Why a scene file was refused, with what would take it.
fn refused(error: &SceneError) -> Failure {
    let moments = |source: &FieldError| source.expected.contains("triangle inequality");
    match error {
        SceneError::World { source, .. } if moments(source) => Failure::request(format!(
            "{error}\n  --fix-inertia takes these; `--fix-inertia --format toml --out FILE.toml` writes a scene with them"
        )),
        other => Failure::request(other.to_string()),
    }
}
