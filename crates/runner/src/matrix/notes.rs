//! What a run says of its spec before the first cell: scenes without a cell, parameters that a grid
//! leaves out, steps that may take very long.

use delassus_problems::generators::generators;
use delassus_scenes::scenes;
use serde_json::{Map, Value};

use super::{CellMatrix, Experiment};
use crate::bundle::left_over;
use crate::document::laws;
use crate::simulate::SceneSource;
use crate::solve::ProblemSource;
use crate::spec::Plan;

/// Halvings of a step from which on a run warns of them \[-\]: 256 parts.
const MANY_HALVINGS: u64 = 8;

impl CellMatrix {
    /// What a run says before its first cell, a line each.
    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = left_over(&self.unstepped()).into_iter().collect();
        notes.extend(self.spec.unread_page());
        for (name, lines) in left_out(&self.spec.plan) {
            let lines = lines.into_iter();
            notes.extend(lines.map(|line| format!("grid of {name}: {line}")));
        }
        if let Experiment::Simulate(over) = &self.experiment {
            let schemes = over.schemes.iter();
            notes.extend(schemes.filter_map(|s| halvings(&s.label, &s.parameters)));
        }
        notes
    }
}

/// The coefficients that the grids of problems or scenes leave out, by the names of their entries.
fn left_out(plan: &Plan) -> Vec<(String, Vec<String>)> {
    let known = generators();
    let of_generator = |id: &String, axes| {
        let entry = known.iter().find(|entry| entry.descriptor.id == id)?;
        Some((id.clone(), laws::left_out(entry, axes)))
    };
    match plan {
        Plan::Solve(plan) => {
            let families = plan.problems.iter();
            let generated = families.filter_map(|family| match &family.source {
                ProblemSource::Generator { id, axes } => of_generator(id, axes),
                ProblemSource::Files { .. } => None,
            });
            generated.collect()
        }
        Plan::Time(plan) => {
            let families = plan.problems.iter();
            families
                .filter_map(|f| of_generator(&f.id, &f.axes))
                .collect()
        }
        Plan::Simulate(plan) => {
            let known = scenes();
            let families = plan.scenes.iter();
            let named = families.filter_map(|family| match &family.source {
                SceneSource::Named { id, axes, .. } => {
                    let entry = known.iter().find(|entry| entry.descriptor.id == id)?;
                    Some((id.clone(), laws::left_out(entry, axes)))
                }
                SceneSource::File(_) => None,
            });
            named.collect()
        }
    }
}

/// A warning of a scheme with these complete parameters that may divide a step into very many
/// parts.
pub fn halvings(label: &str, parameters: &Map<String, Value>) -> Option<String> {
    let halves = parameters.get("on_unsolved")?.as_str()? == "halve";
    let most = parameters.get("max_halvings")?.as_u64()?;
    (halves && most >= MANY_HALVINGS).then(|| {
        format!(
            "{label}: max_halvings = {most} divides a step that stays unsolved into {} parts, which may take long; \
             [limits] seconds bounds a cell",
            1_u64 << most.min(63)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn many_halvings_are_warned_of_where_steps_are_halved() {
        let note = |on_unsolved: &str, most: u64| {
            let parameters = json!({ "on_unsolved": on_unsolved, "max_halvings": most });
            halvings("own", parameters.as_object().unwrap())
        };
        assert!(note("halve", 16).is_some_and(|text| text.contains("65536 parts")));
        assert!(note("halve", 8).is_some_and(|text| text.contains("256 parts")));
        assert_eq!(note("halve", 7), None);
        assert_eq!(note("apply", 16), None);
        assert_eq!(halvings("own", &Map::new()), None);
    }
}
