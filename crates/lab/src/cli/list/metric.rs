//! `delassus list metrics`: one metric, or one number of a trace.

use delassus_metrics::MetricDoc;
use delassus_records::trace::TraceDoc;
use serde_json::json;

use super::item::{Item, cells, part, theory};

pub(super) fn metric(doc: &MetricDoc) -> Item {
    let citations = if doc.citations.is_empty() {
        "ours".to_owned()
    } else {
        doc.citations.join(", ")
    };
    Item {
        aliases: &[],
        line: cells(&[doc.id, &format!("[{}]", doc.unit), doc.needs.id(), doc.name]),
        page: vec![
            part(doc.id, format!("{} [{}]", doc.name, doc.unit)),
            part("formula", doc.formula),
            part("theory", theory(doc.theory)),
            part(
                "needs",
                match doc.needs.id() {
                    "impulses" => "the impulses alone".to_owned(),
                    other => format!("the impulses and {other}"),
                },
            ),
            part("applies to", doc.applies),
            part("misleads", doc.misleads),
            part(
                "ends a solve",
                if doc.decides {
                    "yes"
                } else {
                    "together with one that does"
                },
            ),
            part("source (docs/references.bib)", citations),
        ],
        json: json!({
            "id": doc.id,
            "name": doc.name,
            "formula": doc.formula,
            "unit": doc.unit,
            "direction": doc.direction.id(),
            "needs": doc.needs.id(),
            "applies": doc.applies,
            "misleads": doc.misleads,
            "decides": doc.decides,
            "theory": doc.theory,
            "citations": doc.citations,
        }),
    }
}

/// What the numbers of a trace need.
const TRACE: &str = "trace";

pub(super) fn trace(doc: &TraceDoc) -> Item {
    let needs = match doc.measured {
        Some(metric) => format!("a solve with {metric} measured"),
        None => "a solve".to_owned(),
    };
    Item {
        aliases: &[],
        line: cells(&[doc.id, &format!("[{}]", doc.unit), TRACE, doc.name]),
        page: vec![
            part(doc.id, format!("{} [{}]", doc.name, doc.unit)),
            part("formula", doc.formula),
            part("theory", theory(doc.theory)),
            part("needs", needs),
            part("misleads", doc.misleads),
        ],
        json: json!({
            "id": doc.id,
            "name": doc.name,
            "formula": doc.formula,
            "unit": doc.unit,
            "needs": TRACE,
            "measured": doc.measured,
            "misleads": doc.misleads,
            "theory": doc.theory,
        }),
    }
}
