//! `delassus list solvers`: one wrapper, without a solver inside.

use serde_json::json;

use super::item::{Item, cells, parameters, part, theory};
use super::solver::source;
use delassus_registry::{Registry, WrapperEntry};

/// How a list shows a wrapper: `anderson(S)`, found by its identifier alone as well.
pub(super) fn item(entry: &WrapperEntry, registry: &Registry) -> Item {
    let descriptor = &entry.descriptor;
    let id = descriptor.id;
    let name = format!("{id}(S)");
    let (parameters_text, parameters) = parameters(&entry.parameters, &entry.defaults);
    let solvers = registry.entries().iter().map(|entry| &entry.descriptor);
    let refused = solvers.filter(|solver| descriptor.check_inner(solver).is_err());
    let refused: Vec<&str> = refused.map(|solver| solver.id).collect();
    let wrapped = match descriptor.needs_map {
        true => "a solver S whose unit of work is a map from impulses to impulses",
        false => "any solver S",
    };
    Item {
        aliases: &[],
        line: cells(&[
            &name,
            "as S",
            "as S",
            descriptor.cost,
            descriptor.laws,
            &source(descriptor.citations),
        ]),
        page: vec![
            part(
                &name,
                format!(
                    "{}\n{}\nWraps {wrapped}: {id}(pgs), and stands in other wrappers.",
                    descriptor.name, descriptor.summary,
                ),
            ),
            part("unsupported solvers", refused.join(", ")),
            part("laws", descriptor.laws),
            part("parameters, in addition to those of S", parameters_text),
            part("row updates of a unit of work, m rows", descriptor.cost),
            part("theory", theory(descriptor.theory)),
            part(
                "papers (docs/references.bib)",
                descriptor.citations.join(", "),
            ),
        ],
        json: json!({
            "id": name,
            "wrapper": id,
            "name": descriptor.name,
            "summary": descriptor.summary,
            "laws_in_words": descriptor.laws,
            "cost": descriptor.cost,
            "needs_map": descriptor.needs_map,
            "refuses": refused,
            "parameters": parameters,
            "theory": descriptor.theory,
            "citations": descriptor.citations,
        }),
    }
}
