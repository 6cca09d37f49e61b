//! `delassus export`: the request, checked as a whole before anything is stepped.

use delassus_core::EntryError;
use delassus_dynamics::{Scheme, SchemeEntry, SchemeError, World};
use serde_json::{Map, Value};

use crate::cli::args::ExportVerb;
use crate::cli::failure::Failure;
use crate::cli::request::{find_solver, parameters};
use crate::cli::scene::RequestedScene;
use crate::matrix::halvings;
use crate::registry::{Registry, SolverEntry, scheme};
use crate::simulate::build_scheme;
use crate::spec::FRAME_SECONDS;
use delassus_core::numbers::shown;

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
        let [least, most] = FRAME_SECONDS;
        if !(least..=most).contains(&dt) {
            return Err(Failure::request(format!(
                "--dt {}: must lie from {least:e} to {most:e} s, as dt of [simulate]",
                shown(dt)
            )));
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
        let solver = find_solver(&verb.solver, registry)?;
        let scene = RequestedScene::new(&verb.scene, &verb.parameters, verb.fix_inertia)?;
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

    /// A warning of steps that may take very long.
    pub(super) fn note(&self) -> Option<String> {
        let complete = self.scheme.complete(&self.scheme_parameters);
        halvings(self.scheme.descriptor.id, &complete)
    }

    /// Builds the scheme around its solver, with the error of the library.
    pub(super) fn scheme(&self) -> Result<Box<dyn Scheme>, SchemeError> {
        let solver = Some((&self.solver, &self.solver_parameters));
        build_scheme(&self.scheme, &self.scheme_parameters, solver)
    }

    /// Builds the scheme around its solver.
    pub(super) fn build(&self) -> Result<Box<dyn Scheme>, Failure> {
        self.scheme().map_err(|error| {
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
