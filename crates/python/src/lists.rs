//! What there is by name: solvers, schemes, scenes, generators, metrics and laws, as JSON.

use delassus_core::parameter::Map;
use delassus_core::{LawKind, ParameterDoc, Support};
use delassus_metrics::Metric;
use delassus_problems::generators;
use delassus_registry::{Registry, schemes};
use delassus_scenes::scenes;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::errors::refused;

fn parameters(docs: &[ParameterDoc], defaults: &Map) -> Value {
    let one = |doc: &ParameterDoc| {
        json!({
            "name": doc.name,
            "text": doc.text,
            "unit": doc.unit,
            "range": doc.range.text,
            "default": defaults.get(doc.name),
            "choices": doc.choices.iter().map(|choice| choice.name).collect::<Vec<_>>(),
        })
    };
    docs.iter().map(one).collect()
}

fn solver_list() -> Value {
    let registry = Registry::standard();
    let one = |entry: &delassus_registry::SolverEntry| {
        let descriptor = &entry.descriptor;
        let laws: serde_json::Map<String, Value> = descriptor
            .laws()
            .map(|(law, support)| {
                let how = match support {
                    Support::Exact => "exact",
                    Support::Approximate(reason) => reason,
                };
                (law.id().to_owned(), how.into())
            })
            .collect();
        json!({
            "id": descriptor.id,
            "aliases": descriptor.aliases,
            "name": descriptor.name,
            "summary": descriptor.summary,
            "citations": descriptor.citations,
            "laws": laws,
            "parameters": parameters(&entry.parameters, &entry.defaults),
        })
    };
    registry.entries().iter().map(one).collect()
}

fn scheme_list() -> Value {
    let one = |entry: &delassus_dynamics::SchemeEntry| {
        let descriptor = &entry.descriptor;
        json!({
            "id": descriptor.id,
            "aliases": descriptor.aliases,
            "name": descriptor.name,
            "summary": descriptor.summary,
            "citations": descriptor.citations,
            "uses_solver": descriptor.uses_solver,
            "preset_of": descriptor.preset_of,
            "parameters": parameters(&entry.parameters, &entry.defaults),
        })
    };
    schemes().iter().map(one).collect()
}

fn metric_list() -> Value {
    let one = |metric: Metric| {
        let doc = metric.doc();
        json!({
            "id": doc.id,
            "name": doc.name,
            "formula": doc.formula,
            "unit": doc.unit,
            "theory": doc.theory,
            "applies": doc.applies,
        })
    };
    Metric::ALL.into_iter().map(one).collect()
}

fn law_list() -> Value {
    let one = |kind: &LawKind| {
        let doc = kind.doc();
        json!({
            "id": kind.id(),
            "name": doc.name,
            "formula": doc.formula,
            "equation": doc.equation,
            "rows": doc.rows,
        })
    };
    LawKind::ALL.iter().map(one).collect()
}

/// The list of a kind, as JSON.
#[pyfunction]
pub(crate) fn listed(kind: &str) -> PyResult<String> {
    let list: Value = match kind {
        "solvers" => solver_list(),
        "schemes" => scheme_list(),
        "metrics" => metric_list(),
        "laws" => law_list(),
        "scenes" => scenes()
            .iter()
            .map(|entry| {
                json!({
                    "id": entry.descriptor.id,
                    "summary": entry.descriptor.summary,
                    "parameters": parameters(&entry.parameters, &entry.defaults),
                })
            })
            .collect(),
        "generators" => generators_list(),
        _ => {
            return Err(refused(format!(
                "unknown list {kind:?}: solvers, schemes, scenes, generators, metrics or laws"
            )));
        }
    };
    Ok(list.to_string())
}

fn generators_list() -> Value {
    let one = |entry: &generators::GeneratorEntry| {
        json!({
            "id": entry.descriptor.id,
            "summary": entry.descriptor.summary,
            "reference": entry.descriptor.reference,
            "parameters": parameters(&entry.parameters, &entry.defaults),
        })
    };
    generators::generators().iter().map(one).collect()
}
