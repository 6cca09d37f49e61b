//! Names and units of what stands on axes and in headings.

use delassus_core::ParameterDoc;
use delassus_metrics::Metric;
use delassus_records::trace::TraceQuantity;

use crate::bundle::{Bundle, distinct};
use crate::observable::Observable;
use crate::record::CellRecord;
use crate::view::{CellComponent, Cost, DT, Over, ParameterPath, Selection, Work};

/// Name and unit of a metric, a body velocity or the rate, as "natural map (relative) \[-\]".
pub(crate) fn quantity(id: &str) -> String {
    if let Some(of_trace) = TraceQuantity::by_id(id) {
        let doc = of_trace.doc();
        return format!("{} [{}]", doc.name, doc.unit);
    }
    if let Some(metric) = Metric::by_id(id) {
        let doc = metric.doc();
        return format!("{} [{}]", doc.name, doc.unit);
    }
    if let Some(velocity) = body_velocity(id) {
        return velocity;
    }
    match Observable::parse(id) {
        Ok(observable) => {
            // a row of a joint is a length or an angle
            let unit = observable.unit().replace(" | ", " or ");
            // names are those of a scene file
            let text = crate::text::clean(&observable.description());
            format!("{text} [{unit}]")
        }
        Err(_) => crate::text::clean(id),
    }
}

/// A label as it stands on an axis: a metric by the words of its identifier, which are shorter than
/// its name, and no unit where there is none.
pub(crate) fn on_axis(label: &str) -> String {
    let names = Metric::ALL
        .iter()
        .map(|metric| (metric.doc().name, metric.id()));
    let known = names.filter(|(name, _)| label.starts_with(name));
    let text = match known.max_by_key(|(name, _)| name.len()) {
        Some((name, id)) => id.replace('_', " ") + &label[name.len()..],
        None => label.to_owned(),
    };
    text.replace(" [-]", "")
}

/// Units of times, and what a second is in them.
pub(crate) const SECONDS: [(&str, f64); 4] = [("s", 1.0), ("ms", 1e3), ("µs", 1e6), ("ns", 1e9)];

/// Magnitudes that are printed without powers of ten.
pub(crate) const DECIMAL: std::ops::Range<f64> = 1e-3..999_950.0;

/// What a second is in the unit that fits these times: the largest in which their middle is not
/// small, or a smaller one that needs no powers of ten. Signs and zeros do not count.
pub(crate) fn second_unit(seconds: &[f64]) -> f64 {
    let magnitudes = seconds.iter().map(|x| x.abs());
    let magnitudes = magnitudes.filter(|x| x.is_finite() && *x > 0.0);
    let ends = magnitudes.fold((f64::INFINITY, 0.0_f64), |(a, b), x| (a.min(x), b.max(x)));
    let (least, most) = ends;
    if most == 0.0 {
        return 1.0;
    }
    let middle = least.sqrt() * most.sqrt();
    let is_decimal = |scale: &f64| [least, most].iter().all(|x| DECIMAL.contains(&(scale * x)));
    let fitting = || {
        let scales = SECONDS.iter().map(|(_, scale)| *scale);
        scales.filter(|scale| scale * middle >= 0.1)
    };
    let first = fitting().find(is_decimal);
    first.or_else(|| fitting().next()).unwrap_or(1e9)
}

/// A label of seconds in the unit in which a second is `scale`.
pub(crate) fn in_unit(label: &str, scale: f64) -> String {
    let unit = SECONDS.iter().find(|(_, of)| *of == scale);
    match (label.strip_suffix("[s]"), unit) {
        (Some(start), Some((unit, _))) => format!("{start}[{unit}]"),
        _ => label.to_owned(),
    }
}

/// The name of a quantity without its unit.
pub(crate) fn name_of(id: &str) -> String {
    without_unit(&quantity(id)).to_owned()
}

/// The unit of a label with its closing bracket, as "m\]"; "-\]" if it has none.
pub(crate) fn unit_of(label: &str) -> &str {
    label.rsplit_once(" [").map_or("-]", |(_, unit)| unit)
}

/// A label without its unit.
pub(crate) fn without_unit(label: &str) -> &str {
    label.rsplit_once(" [").map_or(label, |(name, _)| name)
}

/// A name with parameters in words: "tip mass_ratio=10" is "tip, mass ratio = 10".
pub(crate) fn words(label: &str) -> String {
    let label = crate::text::clean(label);
    let mut text = String::with_capacity(label.len() + 8);
    for word in label.split(' ') {
        let parameter = word.split_once('=').filter(|(key, value)| {
            let letter = |c: char| c.is_alphanumeric() || c == '_';
            !key.is_empty() && !value.is_empty() && key.chars().all(letter)
        });
        let separator = match parameter {
            _ if text.is_empty() => "",
            Some(_) if !text.ends_with(',') => ", ",
            _ => " ",
        };
        text.push_str(separator);
        match parameter {
            Some((key, value)) => {
                text.push_str(&key.replace('_', " "));
                text.push_str(" = ");
                text.push_str(value);
            }
            None => text.push_str(word),
        }
    }
    text
}

/// The same of what an observable comes to, as "joint drift, largest (RMS over time) \[m\]".
pub(crate) fn summarised(id: &str, over: Over) -> String {
    let named = quantity(id);
    let (name, unit) = named.rsplit_once(" [").unwrap_or((&named, "-]"));
    let unit = unit.trim_end_matches(']');
    let per_second = || match unit {
        "-" => "1/s".to_owned(),
        unit => unit.split(" or ").collect::<Vec<_>>().join("/s or ") + "/s",
    };
    let unit = match over {
        Over::Slope => per_second(),
        Over::Crossings => "1/s".to_owned(),
        _ => unit.to_owned(),
    };
    format!("{name} ({}) [{unit}]", over.words())
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

/// Name and unit of a cost or size; of a step where `over_time`, otherwise of a sweep.
pub(crate) fn cost(cost: Cost, over_time: bool) -> String {
    let unit = if over_time { "step" } else { "sweep" };
    match cost {
        Cost::Seconds => format!("time per {unit} [s]"),
        Cost::MedianSeconds => format!("median time per {unit} [s]"),
        Cost::NsPerRow => format!("time per row and {unit} [ns]"),
        Cost::NsPerConstraint => format!("time per constraint and {unit} [ns]"),
        Cost::NsPerContact => format!("time per contact point and {unit} [ns]"),
        Cost::BytesPerRow => format!("counted traffic per row and {unit} [B]"),
        Cost::BytesPerConstraint => format!("counted traffic per constraint and {unit} [B]"),
        Cost::Bandwidth => "counted traffic over time [B/s]".to_owned(),
        Cost::WorkingSet => "working set [B]".to_owned(),
        Cost::Rows => "rows [-]".to_owned(),
        Cost::Constraints => "constraints [-]".to_owned(),
        Cost::Contacts => "contact points [-]".to_owned(),
        Cost::Bodies => "bodies [-]".to_owned(),
    }
}

/// Name and unit of the work of a whole run.
pub(crate) fn run_work(work: Work) -> &'static str {
    match work {
        Work::Sweeps => "sweeps of the run [-]",
        Work::RowUpdates => "row updates of the run [-]",
        Work::Seconds => "time of the run [s]",
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

/// A parameter in a sentence.
pub(crate) fn parameter_name(name: &str) -> String {
    crate::text::clean(&ParameterPath::parse(name).key.replace('_', " "))
}

/// Label of the parameter of an axis: what the generators, scenes, schemes or solvers say that it
/// is.
///
/// Only the chosen cells are asked: others may mean something else by the same name.
pub(crate) fn parameter_label(bundle: &Bundle, chosen: Selection<'_>, name: &str) -> String {
    let path = ParameterPath::parse(name);
    let ids = |part: fn(&CellRecord) -> &str| -> Vec<String> {
        let cells = bundle.records.iter().filter(|r| chosen.shows(r));
        distinct(cells.map(part).map(str::to_owned))
    };
    let used = match path.part {
        CellComponent::Scheme if path.key == DT => return "length of a frame [s]".to_owned(),
        CellComponent::Problem => ids(|record| &record.problem.source),
        CellComponent::Scheme => ids(|record| record.scheme().map_or("", |s| &s.id)),
        CellComponent::Solver => ids(|record| &record.solver.id),
    };
    let parts = bundle.parts.iter().filter(|part| part.part == path.part);
    let used = parts.filter(|part| used.iter().any(|id| id == part.id));
    let docs = used.flat_map(|part| &part.parameters);
    labelled(path.key, docs.filter(|doc| doc.name == path.key))
}

/// The name of a parameter with what its descriptions agree on.
fn labelled<'d>(name: &str, docs: impl Iterator<Item = &'d ParameterDoc>) -> String {
    let mut docs: Vec<(String, &str)> = docs.map(|doc| (doc.label(), doc.unit)).collect();
    docs.dedup();
    let plain = crate::text::clean(&name.replace('_', " "));
    match docs.as_slice() {
        [(text, _)] if text.starts_with(&plain) && plain.len() > 1 => text.clone(),
        [(text, _)] => format!("{plain}: {text}"),
        // descriptions that disagree share the name, and the unit if it is one
        [(_, unit), others @ ..] if others.iter().all(|(_, other)| other == unit) => match *unit {
            "" => plain,
            unit => format!("{plain} [{unit}]"),
        },
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_carry_their_units() {
        let mut run = crate::testing::trajectories();
        let label = |run: &Bundle, name| parameter_label(run, Selection::default(), name);
        assert_eq!(label(&run, "scheme.substeps"), "substeps per frame [-]");
        assert_eq!(label(&run, "scheme.no_such"), "no such");
        assert_eq!(
            label(&run, "scene.mass_ratio"),
            "mass ratio: mass of the last link over that of the others [-]"
        );
        // a bundle that does not say what it is
        run.parts.clear();
        assert_eq!(label(&run, "scene.mass_ratio"), "mass ratio");
    }

    #[test]
    fn descriptions_that_disagree_share_name_and_unit() {
        let doc = |text, unit| ParameterDoc {
            name: "joint_hertz",
            text,
            unit,
            ..ParameterDoc::NONE
        };
        let spring = doc("Frequency of the spring.", "Hz");
        let others = [doc("Stiffness.", "Hz"), doc("Stiffness.", "N/m")];
        let label = |docs: &[ParameterDoc]| labelled("joint_hertz", docs.iter());
        assert_eq!(label(&[spring, others[0]]), "joint hertz [Hz]");
        assert_eq!(label(&[spring, others[1]]), "joint hertz");
        assert_eq!(label(&[]), "joint hertz");
    }

    #[test]
    fn names_and_units_are_words() {
        assert_eq!(words("tip mass_ratio=10"), "tip, mass ratio = 10");
        assert_eq!(
            words("Baumgarte sweeps=16, pgs"),
            "Baumgarte, sweeps = 16, pgs"
        );
        assert_eq!(
            words("psor ω=1.3 order=reversed"),
            "psor, ω = 1.3, order = reversed"
        );
        // what an author wrote stays as it is
        assert_eq!(words("SOR, ω = 1.3"), "SOR, ω = 1.3");
        assert_eq!(words("stack, top ×100"), "stack, top ×100");
        assert_eq!(words("mass_ratio=10"), "mass ratio = 10");
        assert!(quantity("C[3].0").ends_with(" [m or rad]"));
        assert!(summarised("C[3].0", Over::Slope).ends_with(" [m/s or rad/s]"));
        assert_eq!(name_of("v[1].y"), "velocity of body 1 along y");
    }

    #[test]
    fn axes_have_short_names() {
        assert_eq!(on_axis(&quantity("natural_map")), "natural map");
        let label = summarised("natural_map_block", Over::Last);
        assert_eq!(on_axis(&label), "natural map block (at the end)");
        assert_eq!(on_axis("time per sweep [s]"), "time per sweep [s]");
        for metric in Metric::ALL {
            assert!(
                on_axis(&quantity(metric.id())).chars().count() <= 36,
                "{}",
                metric.id()
            );
        }
    }

    #[test]
    fn times_have_a_fitting_unit() {
        assert_eq!(second_unit(&[1.5e-4, 0.25, 0.0]), 1e3);
        // in ms, 2e-7 s would need a power of ten
        assert_eq!(second_unit(&[2e-7, 0.3]), 1e6);
        assert_eq!(second_unit(&[3.5, f64::NAN]), 1.0);
        assert_eq!(second_unit(&[1e-12]), 1e9);
        assert_eq!(second_unit(&[]), 1.0);
        assert_eq!(in_unit("time [s]", 1e6), "time [µs]");
        assert_eq!(in_unit("length [m]", 1e6), "length [m]");
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
        assert_eq!(quantity("v[hip].y"), "velocity of hip along y [m/s]");
        assert_eq!(quantity("v[1].q"), "v[1].q");
        for of_trace in TraceQuantity::ALL {
            assert!(quantity(of_trace.doc().id).ends_with(']'));
        }
        assert_eq!(quantity("rate"), "asymptotic factor per sweep [-]");
    }
}
