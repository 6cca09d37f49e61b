//! `delassus list solvers`: one solver.

use delassus_core::{Determinism, LawKind, Precision, SolverDescriptor, Support, WorkUnit};
use serde_json::{Value, json};

use super::item::{Item, cells, parameters, part, theory};
use crate::registry::SolverEntry;

/// How a list shows a solver.
pub(super) fn item(entry: &SolverEntry) -> Item {
    let descriptor = &entry.descriptor;
    let (parameter_lines, parameter_list) = parameters(&entry.parameters, &entry.defaults);
    let [precision, determinism, _] = declared(descriptor);
    let page = vec![
        part(
            descriptor.id,
            format!("{}\n{}", descriptor.name, descriptor.summary),
        ),
        part("also known as", descriptor.aliases.join(", ")),
        part("laws", law_lines(descriptor)),
        part("parameters", parameter_lines),
        part("limits", limits(descriptor).join("\n")),
        part("arithmetic", arithmetic(descriptor)),
        part("row updates of a unit of work, m rows", descriptor.cost),
        part("theory", theory(descriptor.theory)),
        part(
            "papers (docs/references.bib)",
            descriptor.citations.join(", "),
        ),
    ];
    Item {
        aliases: descriptor.aliases,
        line: cells(&[
            descriptor.id,
            precision,
            determinism,
            descriptor.cost,
            &law_names(descriptor),
            &source(descriptor.citations),
        ]),
        page,
        json: object(descriptor, &parameter_list),
    }
}

fn object(descriptor: &SolverDescriptor, parameters: &[Value]) -> Value {
    let [precision, determinism, work_unit] = declared(descriptor);
    let laws = descriptor.laws().map(|(law, support)| {
        let (support, reason) = fidelity(support);
        let takes = |rows: &&usize| descriptor.support_over(law, **rows, true).is_some();
        let rows: Vec<usize> = law.rows().iter().filter(takes).copied().collect();
        json!({ "law": law.id(), "rows": rows, "support": support, "reason": reason })
    });
    json!({
        "id": descriptor.id,
        "name": descriptor.name,
        "aliases": descriptor.aliases,
        "summary": descriptor.summary,
        "precision": precision,
        "determinism": determinism,
        "work_unit": work_unit,
        "unit_is_map": descriptor.unit_is_map,
        "cost": descriptor.cost,
        "laws": laws.collect::<Vec<Value>>(),
        "laws_in_words": law_names(descriptor),
        "parameters": parameters,
        "holds_rows": descriptor.supports_inactive_rows,
        "needs_bodies": descriptor.needs_bodies,
        "coupled_compliance": descriptor.coupled_compliance,
        "needs_positive_diagonal": descriptor.needs_positive_diagonal,
        "max_rows": max_rows(descriptor),
        "cone_rows": descriptor.cone_rows,
        "matrix_cone_rows": descriptor.cone_rows.min(descriptor.matrix_cone_rows),
        "max_asymmetry": max_asymmetry(descriptor),
        "theory": descriptor.theory,
        "citations": descriptor.citations,
    })
}

/// Precision, determinism and unit of work.
fn declared(descriptor: &SolverDescriptor) -> [&'static str; 3] {
    let precision = match descriptor.precision {
        Precision::F64 => "f64",
        Precision::F32 => "f32",
    };
    let determinism = match descriptor.determinism {
        Determinism::Bitwise => "bitwise",
        Determinism::Processor => "processor",
        Determinism::None => "none",
    };
    let work_unit = match descriptor.work_unit {
        WorkUnit::Sweep => "sweep",
        WorkUnit::Solve => "solve",
        WorkUnit::Stage => "stage: a sweep, a step or a solve of the method at hand",
    };
    [precision, determinism, work_unit]
}

fn fidelity(support: Support) -> (&'static str, Option<&'static str>) {
    match support {
        Support::Exact => ("exact", None),
        Support::Approximate(reason) => ("approximate", Some(reason)),
    }
}

fn law_lines(descriptor: &SolverDescriptor) -> String {
    let lines = descriptor.laws().map(|(law, support)| {
        let (support, reason) = fidelity(support);
        let because = reason.map_or_else(String::new, |reason| format!(": {reason}"));
        let only = rows_of(descriptor, law, true);
        let only = only.map_or_else(String::new, |rows| format!(" of {rows} rows"));
        format!("{law}{only}: {support}{because}\n")
    });
    lines.collect()
}

/// The first source, and the number of further ones.
pub(super) fn source(citations: &[&str]) -> String {
    match citations {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first, rest @ ..] => format!("{first} +{}", rest.len()),
    }
}

/// The laws on one line; `~` marks those that are approximate. Where fewer are missing than solved,
/// the missing are named.
fn law_names(descriptor: &SolverDescriptor) -> String {
    let of = |support: fn(Option<Support>) -> bool| -> Vec<LawKind> {
        let all = LawKind::ALL.iter().copied();
        all.filter(|law| support(descriptor.support(*law)))
            .collect()
    };
    let exact = of(|support| support == Some(Support::Exact));
    let missing = of(|support| support.is_none());
    let approximate = of(|support| matches!(support, Some(Support::Approximate(_))));
    let names = |laws: &[LawKind], mark: &str| {
        let names = laws.iter().map(|law| {
            let rows = rows_of(descriptor, *law, true);
            let only = rows.map_or_else(String::new, |rows| format!(" of {rows} rows"));
            format!("{mark}{law}{only}")
        });
        names.collect::<Vec<_>>().join(", ")
    };
    let in_part = missing_in_part(descriptor);
    if exact.len() == LawKind::ALL.len() && in_part.is_empty() {
        return "all".to_owned();
    }
    if approximate.is_empty() && missing.len() < exact.len() {
        let missing = missing.iter().map(|law| law.id().to_owned());
        let missing: Vec<String> = missing.chain(in_part).collect();
        return format!("all but {}", missing.join(", "));
    }
    let mut parts = vec![names(&exact, "")];
    match approximate.len() {
        0 => {}
        few if few < 4 => parts.push(names(&approximate, "~")),
        _ if missing.is_empty() && exact.is_empty() => parts.push("~all".to_owned()),
        _ if missing.is_empty() => parts.push("~all others".to_owned()),
        _ => parts.push(format!("~all others but {}", names(&missing, ""))),
    }
    parts.retain(|part| !part.is_empty());
    parts.join(", ")
}

/// The laws of which some numbers of rows are missing, those with the same numbers together.
fn missing_in_part(descriptor: &SolverDescriptor) -> Vec<String> {
    let in_part = LawKind::ALL.iter().filter_map(|law| {
        let rows = rows_of(descriptor, *law, false)?;
        Some((law.id(), rows))
    });
    let in_part: Vec<(&str, String)> = in_part.collect();
    let groups = in_part.chunk_by(|one, other| one.1 == other.1);
    let groups = groups.map(|group| {
        let laws: Vec<&str> = group.iter().map(|(law, _)| *law).collect();
        format!("{} of {} rows", laws.join("/"), group[0].1)
    });
    groups.collect()
}

/// The numbers of rows of a law that a solver takes, or does not take, as "4 or 6"; `None` where it
/// takes all or none.
fn rows_of(descriptor: &SolverDescriptor, law: LawKind, taken: bool) -> Option<String> {
    let takes = |rows: &&usize| descriptor.support_over(law, **rows, true).is_some();
    let (own, others): (Vec<&usize>, Vec<&usize>) = law.rows().iter().partition(takes);
    if own.is_empty() || others.is_empty() {
        return None;
    }
    let shown = if taken { own } else { others };
    let shown: Vec<String> = shown.into_iter().map(usize::to_string).collect();
    Some(shown.join(" or "))
}

fn max_rows(descriptor: &SolverDescriptor) -> Option<usize> {
    (descriptor.max_rows < usize::MAX).then_some(descriptor.max_rows)
}

fn max_asymmetry(descriptor: &SolverDescriptor) -> Option<f64> {
    let limit = descriptor.max_asymmetry;
    limit.is_finite().then_some(limit)
}

fn limits(descriptor: &SolverDescriptor) -> Vec<String> {
    let held = if descriptor.supports_inactive_rows {
        "yes"
    } else {
        "no"
    };
    let coupled = if descriptor.coupled_compliance {
        "yes"
    } else {
        "no"
    };
    let mut limits = vec![
        format!("rows may be held: {held}"),
        format!("rows of a block may share compliance: {coupled}"),
    ];
    limits.extend(max_rows(descriptor).map(|rows| format!("at most {rows} rows")));
    limits.extend(
        max_asymmetry(descriptor)
            .map(|defect| format!("matrix symmetric to {defect:e} (Frobenius, relative)")),
    );
    if descriptor.support(LawKind::ConvexCone).is_some() {
        limits.push(format!("cones over at most {} rows", descriptor.cone_rows));
        if descriptor.matrix_cone_rows < descriptor.cone_rows {
            let rows = descriptor.matrix_cone_rows;
            limits.push(format!(
                "of a problem given by its matrix: cones over at most {rows} rows"
            ));
        }
    }
    if descriptor.needs_bodies {
        limits.push("needs bodies: a problem given by its matrix is unsupported".to_owned());
    }
    if !descriptor.unit_is_map {
        let text = "a unit of work is no map from impulses to impulses: wrappers that need one do not support the solver";
        limits.push(text.to_owned());
    }
    if descriptor.needs_positive_diagonal {
        limits.push("diagonal of A + R positive".to_owned());
    }
    limits
}

fn arithmetic(descriptor: &SolverDescriptor) -> String {
    let [precision, _, work_unit] = declared(descriptor);
    let equal = match descriptor.determinism {
        Determinism::Bitwise => "always",
        Determinism::Processor => "on processors with the same vector instructions",
        Determinism::None => "not declared",
    };
    format!(
        "{precision}; equal inputs give equal bits: {equal}; one unit of work is one {work_unit}"
    )
}
