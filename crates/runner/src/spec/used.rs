//! What a spec uses of the program, by name: for citations.

use super::{Plan, Spec};
use crate::simulate::plan::SceneSource;
use crate::solve::measure::ReferenceSource;

impl Spec {
    /// Identifiers of the solvers, that of a computed reference among them.
    pub fn solver_ids(&self) -> impl Iterator<Item = &str> {
        let reference = match &self.plan {
            Plan::Solve(plan) => match &plan.reference {
                Some(ReferenceSource::Solver(solver)) => Some(solver.id.as_str()),
                Some(ReferenceSource::Stored | ReferenceSource::Certified) | None => None,
            },
            Plan::Time(_) | Plan::Simulate(_) => None,
        };
        let own = self.solvers.iter().map(|solver| solver.id.as_str());
        own.chain(reference)
    }

    /// Identifiers of the schemes and presets.
    pub fn scheme_ids(&self) -> impl Iterator<Item = &str> {
        let schemes = match &self.plan {
            Plan::Simulate(plan) => &plan.schemes[..],
            Plan::Solve(_) | Plan::Time(_) => &[],
        };
        schemes.iter().map(|scheme| scheme.id.as_str())
    }

    /// Identifiers of the scenes that are none of files.
    pub fn scene_ids(&self) -> impl Iterator<Item = &str> {
        let scenes = match &self.plan {
            Plan::Simulate(plan) => &plan.scenes[..],
            Plan::Solve(_) | Plan::Time(_) => &[],
        };
        scenes.iter().filter_map(|scene| match &scene.source {
            SceneSource::Named { id, .. } => Some(id.as_str()),
            SceneSource::File(_) => None,
        })
    }

    /// What is measured: criteria and metrics, or observables.
    pub fn metric_ids(&self) -> Vec<&str> {
        let names: Vec<&String> = match &self.plan {
            Plan::Solve(plan) => {
                let stops = plan
                    .problems
                    .iter()
                    .flat_map(|problem| &problem.stop.criteria);
                let criteria = plan.stop.criteria.iter().chain(stops);
                criteria.chain(&plan.measure.metrics).collect()
            }
            Plan::Time(plan) => plan.metrics.iter().collect(),
            Plan::Simulate(plan) => plan.simulate.observables.iter().collect(),
        };
        names.into_iter().map(String::as_str).collect()
    }
}
