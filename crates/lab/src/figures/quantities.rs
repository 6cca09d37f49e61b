//! Names and units of what stands on axes and in headings.

use delassus_metrics::Metric;

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

/// "v[1].y" is the velocity of body 1 along y, "w[0].z" the angular velocity of body 0 about z.
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

#[cfg(test)]
mod tests {
    use super::*;

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
