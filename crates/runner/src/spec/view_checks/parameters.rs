//! Parameters that figures may have on an axis, and generators that they may choose.

use super::{Checker, unknown};
use crate::spec::section::Item;
use crate::spec::text::SpecError;
use crate::spec::{Axis, ProblemSource, SceneSource, SolverEntry};
use crate::view::{Parameter, Part, named};

impl Checker<'_, '_> {
    /// Finds out which part of a cell has the parameter, and says so in front of its name.
    pub(super) fn knob(&self, item: &Item<'_>, name: &mut String) -> Result<(), SpecError> {
        let set = self.set_keys();
        let qualified = |(part, key): &(Part, &str)| format!("{}.{key}", part.id());
        let fits = |knob: &&(Part, &str)| knob.1 == *name || qualified(knob) == *name;
        let mut found: Vec<String> = set.iter().filter(fits).map(qualified).collect();
        found.sort();
        found.dedup();
        match found.as_slice() {
            [only] => {
                name.clone_from(only);
                Ok(())
            }
            [] => {
                let known = set.iter().map(|(_, key)| *key);
                let message = unknown("parameter that the spec sets", name, known);
                Err(self.at_text(item, name, message))
            }
            several => {
                let message = format!("{name:?} is ambiguous; write {}", several.join(" or "));
                Err(self.at_text(item, name, message))
            }
        }
    }

    /// The parameters that the spec sets, with the part of a cell that has them.
    fn set_keys(&self) -> Vec<(Part, &str)> {
        let mut set = Vec::new();
        let plan = self.used.trajectory;
        for scene in plan.iter().flat_map(|plan| &plan.scenes) {
            if let SceneSource::Named { axes, .. } = &scene.source {
                set.extend(axes.iter().map(|axis| (Part::Problem, axis.key.as_str())));
            }
        }
        for scheme in plan.iter().flat_map(|plan| &plan.schemes) {
            let keys = scheme.axes.iter().map(|axis| axis.key.as_str());
            set.extend(keys.map(|key| (Part::Scheme, key)));
        }
        for solver in self.used.solvers {
            let keys = solver.axes.iter().map(|axis| axis.key.as_str());
            set.extend(keys.map(|key| (Part::Solver, key)));
        }
        set
    }

    pub(super) fn sources(&self, item: &Item<'_>, wanted: &[String]) -> Result<(), SpecError> {
        let used: Vec<&str> = self.generated().into_iter().map(|(id, _)| id).collect();
        for name in wanted {
            if !used.contains(&name.as_str()) {
                let message = unknown("generator of this spec", name, used.iter().copied());
                return Err(self.at_text(item, name, message));
            }
        }
        Ok(())
    }

    /// The parameter must be set by some `[[problem]]` that the figure shows.
    pub(super) fn parameter(
        &self,
        item: &Item<'_>,
        name: &str,
        generators: &[String],
    ) -> Result<(), SpecError> {
        let shown = self.generated().into_iter();
        let shown =
            shown.filter(|(id, _)| generators.is_empty() || generators.iter().any(|g| g == id));
        let set: Vec<&str> = shown.flat_map(|(_, keys)| keys).collect();
        if set.contains(&name) {
            return Ok(());
        }
        let of_solvers = self.solver_keys(&[]);
        let qualified = format!("{}.{name}", Part::Solver.id());
        if of_solvers.contains(&qualified) {
            let message = format!("{name:?} is a parameter of solvers; write {qualified:?}");
            return Err(self.at_text(item, name, message));
        }
        let known = set.into_iter().chain(of_solvers.iter().map(String::as_str));
        let known: Vec<&str> = known.collect();
        let message = unknown("parameter of the figure's problems", name, known);
        Err(self.at_text(item, name, message))
    }

    /// The parameter must be set by some `[[solver]]` that the figure shows.
    pub(super) fn solver_parameter(
        &self,
        item: &Item<'_>,
        plot: &Parameter,
    ) -> Result<(), SpecError> {
        let set = self.solver_keys(&plot.solvers);
        if set.contains(&plot.x) {
            return Ok(());
        }
        let known = set.iter().map(String::as_str);
        let message = unknown("parameter of the figure's solvers", &plot.x, known);
        Err(self.at_text(item, &plot.x, message))
    }

    /// Parameters that the spec sets for the solvers that are called so, as "solver.omega"; all if nothing is asked for.
    fn solver_keys(&self, wanted: &[String]) -> Vec<String> {
        let label =
            |solver: &SolverEntry| solver.label.clone().unwrap_or_else(|| solver.id.clone());
        let shown = |solver: &&SolverEntry| {
            // the names of a grid begin with the label of its entry
            let label = label(solver);
            let own = |name: &String| named(name, std::slice::from_ref(&label));
            named(&label, wanted) || wanted.iter().any(own)
        };
        let shown = self.used.solvers.iter().filter(shown);
        let keys = shown.flat_map(|solver| &solver.axes);
        keys.map(|axis| format!("{}.{}", Part::Solver.id(), axis.key))
            .collect()
    }

    /// The generators or scenes of the spec with the parameters that it sets.
    fn generated(&self) -> Vec<(&str, Vec<&str>)> {
        let problems = self.used.problems.iter().filter_map(|p| match &p.source {
            ProblemSource::Generator { id, axes } => Some((id, axes)),
            ProblemSource::Files { .. } => None,
        });
        let scenes = self.used.trajectory.iter().flat_map(|plan| &plan.scenes);
        let scenes = scenes.filter_map(|scene| match &scene.source {
            SceneSource::Named { id, axes } => Some((id, axes)),
            SceneSource::File(_) => None,
        });
        let pairs = problems.chain(scenes);
        pairs.map(|(id, axes)| (id.as_str(), keys(axes))).collect()
    }
}

fn keys(axes: &[Axis]) -> Vec<&str> {
    axes.iter().map(|axis| axis.key.as_str()).collect()
}
