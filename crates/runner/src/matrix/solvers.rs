//! The configured solvers of a matrix.

use delassus_core::{EntryError, ImpulseSolver, ProcessFault};
use serde_json::{Map, Value};

use super::names;
use crate::document::text::all;
use crate::machine;
use crate::record::{NO_DEVICE, SolverLabel};
use crate::registry::{Registry, SolverEntry, process};
use crate::spec::{self, GridPoint, SolverFamily, Spec, SpecError};

/// A solver, or what of it this machine lacks.
pub(crate) type Available = Result<Box<dyn ImpulseSolver>, String>;

/// The configured solvers, in order, with what they stand for.
pub(crate) struct ConfiguredSolvers {
    pub(crate) labels: Vec<SolverLabel>,
    pub(crate) built: Vec<Available>,
    pub(crate) presence: Vec<Presence>,
}

/// Whether a configured solver is on this machine.
#[derive(Debug, Clone)]
pub(crate) struct Presence {
    /// The parameters that the spec sets.
    pub(crate) given: Map<String, Value>,
    /// True for a program in a process of its own.
    pub(crate) is_process: bool,
    /// Why the solver is not there, if it is not: its program, or its vector level.
    pub(crate) absence: Option<String>,
}

/// True for the name of a solver in a process of its own, or of one around such a solver.
fn is_process(id: &str) -> bool {
    process::is_process(id) || id.rsplit('(').next().is_some_and(process::is_process)
}

/// A solver with its entry and its point of the grid, built once.
type Built = (SolverEntry, GridPoint, Available);

/// Builds every solver once, entry by entry.
///
/// # Errors
/// All solvers that are refused.
pub(super) fn build(spec: &Spec, registry: &Registry) -> Result<Vec<Vec<Built>>, SpecError> {
    all(spec.solvers.iter().map(|entry| {
        let found = registry.find(&entry.id);
        let found = found.map_err(|error| spec.error(entry.span.clone(), error.to_string()))?;
        all(spec::points(&entry.axes).into_iter().map(|point| {
            // cells of what this machine lacks are skipped
            let solver = match machine::lacks(&point.parameters) {
                Some(reason) => Err(reason),
                None => match found.build(&point.parameters) {
                    Err(EntryError::Process {
                        fault: ProcessFault::Absent(reason),
                        ..
                    }) => Err(reason),
                    solver => Ok(solver.map_err(|error| refused(spec, entry, &point, &error))?),
                },
            };
            Ok((found.clone(), point, solver))
        }))
    }))
}

/// Expands the grids and builds every solver once.
pub(super) fn expand(spec: &Spec, registry: &Registry) -> Result<ConfiguredSolvers, SpecError> {
    let mut labels = Vec::new();
    let mut built = Vec::new();
    let mut presence = Vec::new();
    let mut spans = Vec::new();
    for (entry, points) in spec.solvers.iter().zip(build(spec, registry)?) {
        for (found, point, solver) in points {
            let facts = solver.as_ref().ok().map(|solver| solver.facts());
            let device = facts.as_ref().and_then(|facts| facts.device.clone());
            let peer = facts.and_then(|facts| facts.peer);
            labels.push(SolverLabel {
                label: names::of_point(&entry.id, entry.label.as_deref(), &point),
                id: entry.id.clone(),
                parameters: found.complete(&point.parameters),
                peer: peer.map(|peer| peer.identity),
                device: device.map(|name| name.unwrap_or_else(|_| NO_DEVICE.to_owned())),
            });
            presence.push(Presence {
                given: point.parameters.clone(),
                is_process: is_process(&entry.id),
                absence: solver.as_ref().err().cloned(),
            });
            built.push(solver);
            spans.push(entry.span.clone());
        }
    }
    let pairs = labels.iter().map(|l| l.label.as_str()).zip(spans);
    names::unique(spec, "solver", "label", pairs)?;
    Ok(ConfiguredSolvers {
        labels,
        built,
        presence,
    })
}

fn refused(spec: &Spec, entry: &SolverFamily, point: &GridPoint, error: &EntryError) -> SpecError {
    let named = error.parameter();
    let place = named.and_then(|name| point.place(&entry.axes, name));
    spec.error(
        place.unwrap_or_else(|| entry.span.clone()),
        error.to_string(),
    )
}
