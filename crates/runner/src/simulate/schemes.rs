//! The configured schemes of a matrix: their parameters, their frames and the solvers that they run
//! with.

use std::ops::Range;

use delassus_core::{EntryError, ProcessFault, is_engine};
use delassus_dynamics::{Scheme, SchemeEntry, SchemeError};
use serde_json::{Map, Value};

use super::budget::SUBSTEPS;
use super::{SchemeFamily, Simulate, SimulationPlan};
use crate::document::text::all;
use crate::matrix::names;
use crate::motion::{Leg, build_scheme};
use crate::record::{NO_DEVICE, SchemeLabel, SolverLabel};
use crate::registry::{Registry, engine};
use crate::spec::{self, GridPoint, Spec, SpecError};
use crate::suggest::nearest;
use crate::view::DT;

/// One configured scheme of the matrix.
#[derive(Debug)]
pub struct MatrixScheme {
    /// Name, unique in the experiment.
    pub label: String,
    /// Identifier of the preset or scheme.
    pub id: String,
    /// Complete parameters; without the substeps if a budget chooses them.
    pub parameters: Map<String, Value>,
    /// The device that it computes on itself, [`NO_DEVICE`] if that is missing.
    pub device: Option<String>,
    /// The frames of a run.
    pub legs: Vec<Leg>,
    /// Frames per sample \[-\].
    pub every: u32,
    /// Names of the scenes that it steps, or what they begin with; all if empty.
    pub(super) scenes: Vec<String>,
    /// Why this machine does not have it, if it is an engine in a process of its own that does not
    /// start here.
    pub(super) lacks: Option<String>,
    /// The parameters that the spec sets.
    given: Map<String, Value>,
    /// Indices of the solvers that it runs with; `None` stands for no solver.
    pub(super) solvers: Vec<Option<usize>>,
    /// The entry in the text.
    pub(super) span: Range<usize>,
}

impl MatrixScheme {
    /// What records say about the scheme together with one of `solvers` solvers.
    pub(super) fn label_with(&self, solver: Option<&SolverLabel>, solvers: usize) -> SchemeLabel {
        let method = match solver {
            Some(solver) if solvers != 1 && !solver.label.is_empty() => {
                format!("{}, {}", self.label, solver.label)
            }
            _ => self.label.clone(),
        };
        SchemeLabel {
            label: self.label.clone(),
            method,
            id: self.id.clone(),
            parameters: self.parameters.clone(),
            dt: self.legs.first().map_or(0.0, |leg| leg.dt),
            device: self.device.clone(),
        }
    }

    /// True for an engine in a process of its own.
    pub(super) fn is_engine(&self) -> bool {
        is_engine(&self.id)
    }

    /// How the engine of this scheme, which is `here`, differs from that of a record; `None` if it
    /// does not, or if more differs than its program, its version and what that declares.
    pub(super) fn other_engine(&self, here: &SchemeLabel, said: &SchemeLabel) -> Option<String> {
        let own = SchemeLabel {
            parameters: here.parameters.clone(),
            device: here.device.clone(),
            ..said.clone()
        };
        let given = self.given.keys().map(String::as_str);
        let mut given = given.chain([engine::FRAME_SECONDS]);
        let is_given = given.all(|name| here.parameters.get(name) == said.parameters.get(name));
        if own != *here || said == here || !is_given {
            return None;
        }
        let version = |label: &SchemeLabel| label.device.clone().unwrap_or("none".to_owned());
        Some(match &self.lacks {
            Some(reason) => format!("{reason}; in the records it is {}", version(said)),
            None if here.device == said.device => {
                format!("{} has other parameters here", version(here))
            }
            None => format!(
                "its program is {} here, and {} in the records",
                version(here),
                version(said)
            ),
        })
    }

    /// Builds the scheme with a solver of the matrix.
    ///
    /// # Errors
    /// A parameter out of its range, of the scheme or of the solver.
    pub(super) fn build(
        &self,
        solver: Option<&SolverLabel>,
        registry: &Registry,
    ) -> Result<Box<dyn Scheme>, SchemeError> {
        self.build_with(solver, registry, None)
    }

    /// Builds the scheme with a solver of the matrix, and with the substeps that a budget has
    /// chosen.
    ///
    /// # Errors
    /// Those of [`Self::build`].
    pub(super) fn build_with(
        &self,
        solver: Option<&SolverLabel>,
        registry: &Registry,
        substeps: Option<u32>,
    ) -> Result<Box<dyn Scheme>, SchemeError> {
        let entry = registry.scheme(&self.id)?;
        let mut parameters = self.parameters.clone();
        if let Some(substeps) = substeps {
            parameters.insert(SUBSTEPS.to_owned(), Value::from(substeps));
        }
        let solver = match solver {
            Some(label) => Some((registry.find(&label.id)?, &label.parameters)),
            None => None,
        };
        let solver = solver.as_ref().map(|(entry, own)| (entry, *own));
        build_scheme(&entry, &parameters, solver)
    }
}

/// Expands the grids of the schemes and chooses the solvers of each.
pub(super) fn expand(
    spec: &Spec,
    plan: &SimulationPlan,
    solvers: &[SolverLabel],
    registry: &Registry,
) -> Result<Vec<MatrixScheme>, SpecError> {
    let families = plan.schemes.iter();
    let families = all(families.map(|entry| expand_family(spec, entry, solvers, registry)))?;
    let schemes: Vec<MatrixScheme> = families.into_iter().flatten().collect();
    let pairs = schemes.iter().map(|s| (s.label.as_str(), s.span.clone()));
    names::unique(spec, "scheme", "label", pairs)?;
    Ok(schemes)
}

/// The errors of schemes that are refused with any solver.
pub(crate) fn errors(spec: &Spec, plan: &SimulationPlan, registry: &Registry) -> Option<SpecError> {
    let families = plan.schemes.iter().map(|entry| {
        let found = registry.scheme(&entry.id);
        let found = found.map_err(|error| spec.error(entry.span.clone(), error.to_string()))?;
        all(spec::points(&entry.axes).into_iter().map(|point| {
            let mut own = point.parameters.clone();
            own.remove(DT);
            validate(spec, entry, &point, &found, &own).map(drop)
        }))
    });
    all(families).err()
}

/// The schemes of an entry.
fn expand_family(
    spec: &Spec,
    entry: &SchemeFamily,
    solvers: &[SolverLabel],
    registry: &Registry,
) -> Result<Vec<MatrixScheme>, SpecError> {
    let found = registry.scheme(&entry.id);
    let found = found.map_err(|error| spec.error(entry.span.clone(), error.to_string()))?;
    let chosen = if found.descriptor.uses_solver {
        choose(spec, entry, solvers)?
    } else {
        vec![None]
    };
    let points = spec::points(&entry.axes).into_iter().map(|point| {
        let mut own = point.parameters.clone();
        let dt = own.remove(DT).and_then(|dt| dt.as_f64());
        let built = validate(spec, entry, &point, &found, &own)?;
        let device = built.as_ref().ok().and_then(|scheme| scheme.device());
        let mut parameters = found.complete(&own);
        if entry.simulate.budget.is_some() {
            parameters.shift_remove(SUBSTEPS);
        }
        Ok(MatrixScheme {
            given: own,
            label: names::of_point(&entry.id, entry.label.as_deref(), &point),
            id: entry.id.clone(),
            parameters,
            device: device.map(|name| name.unwrap_or_else(|_| NO_DEVICE.to_owned())),
            legs: legs(&entry.simulate, dt.unwrap_or(entry.simulate.dt)),
            every: entry.simulate.every,
            scenes: entry.scenes.iter().map(|(name, _)| name.clone()).collect(),
            lacks: built.err(),
            solvers: chosen.clone(),
            span: entry.span.clone(),
        })
    });
    all(points)
}

/// A scheme, or why this machine does not have it.
type Available = Result<Box<dyn Scheme>, String>;

/// Builds the scheme once with a solver that is always there, and blames the value that it refuses.
fn validate(
    spec: &Spec,
    entry: &SchemeFamily,
    point: &GridPoint,
    found: &SchemeEntry,
    parameters: &Map<String, Value>,
) -> Result<Available, SpecError> {
    let build = || {
        let standard = Registry::standard();
        let empty = Map::new();
        let solver = standard.find("pgs")?;
        let solver = found.descriptor.uses_solver.then_some((&solver, &empty));
        build_scheme(found, parameters, solver)
    };
    let error = match build() {
        Ok(scheme) => return Ok(Ok(scheme)),
        // its cells are skipped on this machine
        Err(SchemeError::Entry(EntryError::Process {
            fault: ProcessFault::Absent(reason),
            ..
        })) => return Ok(Err(reason)),
        Err(error) => error,
    };
    let named = match &error {
        SchemeError::Entry(error) => error.parameter(),
        _ => None,
    };
    let place = named.and_then(|name| point.place(&entry.axes, name));
    Err(spec.error(
        place.unwrap_or_else(|| entry.span.clone()),
        error.to_string(),
    ))
}

/// The solvers that an entry names by label or identifier; all if it names none.
fn choose(
    spec: &Spec,
    entry: &SchemeFamily,
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

/// The frames of a run: pieces of constant length between the changes, each with at least one
/// frame.
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
    use crate::simulate::DtChange;

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
            budget: None,
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
