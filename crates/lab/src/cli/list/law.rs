//! `delassus list laws`: one law.

use delassus_core::{LawKind, SolverDescriptor, Support};
use serde_json::{Map, Value, json};

use super::item::{Item, cells, part, theory};
use crate::registry::Registry;

pub(super) fn law(kind: LawKind, registry: &Registry) -> Item {
    let doc = kind.doc();
    let entries = || registry.entries().iter().map(|entry| &entry.descriptor);
    let solvers = |exact: bool| -> Vec<String> {
        let chosen = entries().filter(|solver| {
            let support = solver.support(kind);
            support.is_some_and(|support| (support == Support::Exact) == exact)
        });
        let name = |solver: &SolverDescriptor| match restriction(solver, kind) {
            Some(rest) => format!("{} ({rest})", solver.id),
            None => solver.id.to_owned(),
        };
        chosen.map(name).collect()
    };
    let whole = |exact: bool| -> Vec<&'static str> {
        let takes = |solver: &&SolverDescriptor| {
            let support = solver.support(kind);
            support.is_some_and(|support| (support == Support::Exact) == exact)
                && accepted(solver, kind, true).len() == kind.rows().len()
        };
        entries().filter(takes).map(|solver| solver.id).collect()
    };
    let in_part: Map<String, Value> = entries()
        .filter(|solver| solver.support(kind).is_some())
        .map(|solver| (solver, accepted(solver, kind, true)))
        .filter(|(_, rows)| rows.len() < kind.rows().len())
        .map(|(solver, rows)| (solver.id.to_owned(), json!(rows)))
        .collect();
    Item {
        aliases: &[],
        line: cells(&[
            kind.id(),
            &format!("({})", doc.equation),
            doc.rows,
            doc.name,
        ]),
        page: vec![
            part(kind.id(), doc.name),
            part("formula", doc.formula),
            part("theory", theory(&[doc.equation])),
            part("rows of a block", doc.rows),
            part("solved exactly by", solvers(true).join(", ")),
            part("solved approximately by", solvers(false).join(", ")),
        ],
        json: json!({
            "id": kind.id(),
            "name": doc.name,
            "formula": doc.formula,
            "theory": [doc.equation],
            "rows": doc.rows,
            "exact": whole(true),
            "approximate": whole(false),
            "only_rows": in_part,
        }),
    }
}

/// The numbers of rows of a block with the law that a solver accepts \[-\].
fn accepted(solver: &SolverDescriptor, law: LawKind, has_bodies: bool) -> Vec<usize> {
    let takes = |rows: &&usize| solver.support_over(law, **rows, has_bodies).is_some();
    law.rows().iter().filter(takes).copied().collect()
}

/// Which problems with the law a solver accepts; `None` if it accepts all.
fn restriction(solver: &SolverDescriptor, law: LawKind) -> Option<String> {
    let words = |rows: &[usize]| {
        let rows: Vec<String> = rows.iter().map(usize::to_string).collect();
        format!("{} rows", rows.join(" or "))
    };
    let of_bodies = accepted(solver, law, true);
    let of_matrix = accepted(solver, law, false);
    let mut parts = Vec::new();
    if of_bodies.len() < law.rows().len() {
        parts.push(words(&of_bodies));
    }
    if solver.needs_bodies {
        parts.push("bodies only".to_owned());
    } else if of_matrix.len() < of_bodies.len() {
        parts.push(format!("given by a matrix: {}", words(&of_matrix)));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}
