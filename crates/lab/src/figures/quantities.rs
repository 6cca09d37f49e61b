//! Names and units of what stands on axes and in headings.

use delassus_metrics::Metric;
use delassus_problems::generators::{Generator, GeneratorVisitor, visit_generators};

use crate::analysis::RATE;
use crate::view::Work;

/// Name and unit of a metric, a body velocity or the rate, as "natural map (relative) \[-\]".
pub(crate) fn quantity(id: &str) -> String {
    if id == RATE {
        return "asymptotic factor per sweep [-]".to_owned();
    }
    if let Some(metric) = Metric::by_id(id) {
        let doc = metric.doc();
        return format!("{} [{}]", doc.name, doc.unit);
    }
    body_velocity(id).unwrap_or_else(|| super::canvas::clean(id))
}

/// `v[1].y` is the velocity of body 1 along y, `w[0].z` the angular velocity of body 0 about z.
fn body_velocity(id: &str) -> Option<String> {
    let (kind, rest) = id.split_once('[')?;
    let (body, axis) = rest.split_once("].")?;
    let known = body.chars().all(|c| c.is_ascii_digit()) && matches!(axis, "x" | "y" | "z");
    match kind {
        "v" if known => Some(format!("velocity of body {body} along {axis} [m/s]")),
        "w" if known => Some(format!(
            "angular velocity of body {body} about {axis} [rad/s]"
        )),
        _ => None,
    }
}

/// Name and unit of a measure of work.
pub(crate) fn work(work: Work) -> &'static str {
    match work {
        Work::Sweeps => "sweeps [-]",
        Work::RowUpdates => "row updates [-]",
        Work::Seconds => "time [s]",
    }
}

/// Name of a measure of work in a sentence.
pub(crate) fn work_name(work: Work) -> &'static str {
    match work {
        Work::Sweeps => "sweeps",
        Work::RowUpdates => "row updates",
        Work::Seconds => "time",
    }
}

/// Label of a problem parameter: what the generators say that it is, with its unit.
pub(crate) fn parameter(name: &str, generators: &[String]) -> String {
    let mut search = Search {
        parameter: name,
        generators,
        found: Vec::new(),
    };
    visit_generators(&mut search);
    search.found.dedup();
    let plain = super::canvas::clean(&name.replace('_', " "));
    match search.found.as_slice() {
        // generators that disagree share the name alone
        [text] if text.starts_with(&plain) && plain.len() > 1 => text.clone(),
        [text] => format!("{plain}: {text}"),
        _ => plain,
    }
}

/// Collects the descriptions of a parameter.
struct Search<'a> {
    parameter: &'a str,
    generators: &'a [String],
    found: Vec<String>,
}

impl GeneratorVisitor for Search<'_> {
    fn visit<G: Generator>(&mut self) {
        let descriptor = G::DESCRIPTOR;
        if !self.generators.iter().any(|g| g == descriptor.id) {
            return;
        }
        let mut docs = descriptor.parameters.iter();
        if let Some(parameter) = docs.find(|p| p.name == self.parameter) {
            // up to the unit: what follows is the range
            let doc = parameter.doc.replace('\\', "");
            let text = match doc.find(']') {
                Some(unit) => &doc[..=unit],
                None => doc.split([';', '.']).next().unwrap_or_default(),
            };
            let mut letters = text.chars();
            let first = letters.next().map(|c| c.to_ascii_lowercase());
            self.found.push(first.into_iter().chain(letters).collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_carry_their_units() {
        let label = parameter("half_height", &["falling-box".to_owned()]);
        assert_eq!(label, "half height b [m]");
        assert_eq!(parameter("no_such", &["chain".to_owned()]), "no such");
        assert_eq!(parameter("n", &[]), "n");
    }

    #[test]
    fn every_quantity_has_a_name_and_a_unit() {
        for metric in Metric::ALL {
            assert!(quantity(metric.id()).ends_with(']'));
        }
        assert_eq!(quantity("v[1].y"), "velocity of body 1 along y [m/s]");
        assert_eq!(
            quantity("w[0].z"),
            "angular velocity of body 0 about z [rad/s]"
        );
        assert_eq!(quantity("v[x].y"), "v[x].y");
        assert!(quantity("rate").contains("per sweep"));
    }
}
