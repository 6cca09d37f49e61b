//! `delassus list scenes`, `schemes`, `presets`, `constraints`, and the metrics over time.

use delassus_dynamics::constraints::{ConstraintKind, Curve};
use delassus_dynamics::{ExampleRng, ForceKind, RowUnit, SchemeEntry, Signal};
use delassus_metrics::series::Summary;
use delassus_scenes::SceneEntry;
use serde_json::{Map, Value, json};

use super::item::{Item, cells, parameters, part, theory};
use super::world;
use crate::simulate::{Observable, ObservableDoc, PROBES, Quantity};

/// What the metrics over time need besides a problem.
const TRAJECTORY: &str = "trajectory";

/// How a list shows a scene.
pub(super) fn scene(entry: &SceneEntry) -> Item {
    let descriptor = &entry.descriptor;
    let (lines, list) = parameters(&entry.parameters, &entry.defaults);
    let world = entry.build(&Map::new()).ok();
    let mut page = vec![
        part(descriptor.id, descriptor.summary),
        part("parameters", lines),
    ];
    page.extend(world.iter().flat_map(world::parts));
    page.push(part(
        "papers (docs/references.bib)",
        descriptor.citations.join(", "),
    ));
    Item {
        aliases: &[],
        line: cells(&[descriptor.id, &list.len().to_string(), descriptor.summary]),
        page,
        json: json!({
            "id": descriptor.id,
            "summary": descriptor.summary,
            "parameters": list,
            "world": world.as_ref().map(world::object),
            "citations": descriptor.citations,
        }),
    }
}

/// The presets, or the schemes that are none.
pub(super) fn all(entries: &[SchemeEntry], presets: bool) -> Vec<Item> {
    let preset = |entry: &&SchemeEntry| entry.descriptor.preset_of.is_some();
    let chosen = entries.iter().filter(|entry| preset(entry) == presets);
    chosen.map(scheme).collect()
}

/// How a list shows a scheme or a preset.
fn scheme(entry: &SchemeEntry) -> Item {
    let descriptor = &entry.descriptor;
    let (lines, list) = parameters(&entry.parameters, &entry.defaults);
    let (solver, solves) = if descriptor.uses_solver {
        (
            "any",
            "frozen problems, with any solver of `delassus list solvers`",
        )
    } else {
        ("own", "by itself")
    };
    let base = descriptor
        .preset_of
        .map(|base| format!("values of the parameters of {base}"));
    Item {
        aliases: descriptor.aliases,
        line: cells(&[descriptor.id, solver, descriptor.summary]),
        page: vec![
            part(descriptor.id, descriptor.summary),
            part("also known as", descriptor.aliases.join(", ")),
            part("preset", base.unwrap_or_default()),
            part("solves", solves),
            part("parameters", lines),
            part("theory", theory(descriptor.theory)),
            part(
                "papers (docs/references.bib)",
                descriptor.citations.join(", "),
            ),
        ],
        json: json!({
            "id": descriptor.id,
            "aliases": descriptor.aliases,
            "summary": descriptor.summary,
            "preset_of": descriptor.preset_of,
            "uses_solver": descriptor.uses_solver,
            "parameters": list,
            "theory": descriptor.theory,
            "citations": descriptor.citations,
        }),
    }
}

/// How a list shows a kind of constraint.
pub(super) fn constraint(kind: &ConstraintKind) -> Item {
    let descriptor = kind.descriptor;
    let (short, force) = match descriptor.force {
        ForceKind::Joint => ("joint", "of either sign, without work: keeps C = 0"),
        ForceKind::Limit => ("limit", "≥ 0, without work while C = 0: keeps C ≥ 0"),
        ForceKind::Drive => ("drive", "of either sign, may do work: a motor or a servo"),
    };
    let units: Vec<&str> = descriptor
        .units
        .iter()
        .map(|unit| match unit {
            RowUnit::Length => "m",
            RowUnit::Angle => "rad",
        })
        .collect();
    let example = example(kind);
    let fields = example.as_object().into_iter().flatten();
    let fields: Vec<(&str, String)> = fields
        .map(|(name, value)| (name.as_str(), kind_of(name, value)))
        .collect();
    let lines: Vec<String> = fields
        .iter()
        .map(|(name, kind)| format!("{name}: {kind}"))
        .collect();
    let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let types: Map<String, Value> = fields
        .iter()
        .map(|(name, kind)| ((*name).to_owned(), kind.as_str().into()))
        .collect();
    Item {
        aliases: descriptor.aliases,
        line: cells(&[descriptor.id, &rows(&units), short, descriptor.summary]),
        page: vec![
            part(descriptor.id, descriptor.summary),
            part("also known as", descriptor.aliases.join(", ")),
            part("rows", format!("[{}]", units.join(", "))),
            part("force", force),
            part("fields in a scene file", lines.join("\n")),
            part("theory", theory(descriptor.theory)),
        ],
        json: json!({
            "id": descriptor.id,
            "aliases": descriptor.aliases,
            "summary": descriptor.summary,
            "units": units,
            "force": short,
            "fields": names,
            "types": types,
            "theory": descriptor.theory,
        }),
    }
}

/// What a scene file writes for a field, read off an example.
fn kind_of(name: &str, value: &Value) -> String {
    let number_of = |list: &[Value]| list.iter().all(Value::is_number);
    match value {
        Value::Array(list) if name == "bodies" => {
            format!("{} numbers of bodies, from 0", list.len())
        }
        Value::Array(list) if number_of(list) => match list.len() {
            3 if is_unit(name) => "unit vector [x, y, z]".to_owned(),
            3 => "vector [x, y, z]".to_owned(),
            4 => "quaternion [i, j, k, w]".to_owned(),
            many => format!("{many} numbers"),
        },
        Value::Array(list) => {
            let inner = list.first().map_or_else(String::new, |v| kind_of(name, v));
            format!("list of {}, each a {inner}", list.len())
        }
        Value::Object(_) => tagged(value),
        Value::Bool(_) => "true or false".to_owned(),
        Value::String(_) => "text".to_owned(),
        Value::Number(n) if n.is_u64() => "whole number".to_owned(),
        _ => "number".to_owned(),
    }
}

/// True for fields that hold directions: their names say so.
fn is_unit(name: &str) -> bool {
    ["axis", "axes", "normal"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// A table with one of several keys: a function of time, or a curve.
fn tagged(value: &Value) -> String {
    let keys = |error: String| {
        let names = error.split_once("expected one of ")?.1.to_owned();
        Some(names.replace('`', ""))
    };
    // a key that nothing has makes the type name those that it has
    let unknown = json!({ "?": null });
    let of_signal = serde_json::from_value::<Signal>(unknown.clone()).err();
    let of_curve = serde_json::from_value::<Curve>(unknown).err();
    let (what, error) = if serde_json::from_value::<Signal>(value.clone()).is_ok() {
        ("function of time", of_signal)
    } else {
        ("curve", of_curve)
    };
    let names = error.and_then(|error| keys(error.to_string()));
    format!("{what}, a table with one of {}", names.unwrap_or_default())
}

/// Number and unit of the rows: `3 m`, `3 m 2 rad`.
fn rows(units: &[&str]) -> String {
    let parts = ["m", "rad"].map(|unit| (units.iter().filter(|own| **own == unit).count(), unit));
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts
        .map(|(count, unit)| format!("{count} {unit}"))
        .collect();
    parts.join(" ")
}

/// The fields of a constraint with the values of an example.
fn example(kind: &ConstraintKind) -> Value {
    // a low-discrepancy sequence is random enough for an example, and the same every time
    let mut state = 0.5;
    let mut next = || {
        state = (state + 0.618_033_988_749_895) % 1.0;
        state
    };
    let (constraint, _) = (kind.example)(&mut ExampleRng(&mut next));
    let tagged = serde_json::to_value(constraint).unwrap_or_default();
    // {"point": {…}}: the fields stand below the kind
    tagged.get(kind.descriptor.id).cloned().unwrap_or_default()
}

/// The metrics over time: quantities of a world, then those of one body or joint.
pub(super) fn observables() -> Vec<Item> {
    let quantities = Quantity::ALL.iter().map(|q| observable(*q));
    quantities
        .chain(PROBES.map(|(form, unit, name)| probe(form, unit, name)))
        .collect()
}

fn observable(quantity: Quantity) -> Item {
    let doc: &ObservableDoc = quantity.doc();
    Item {
        aliases: &[],
        line: cells(&[
            doc.id,
            &format!("[{}]", Observable::Quantity(quantity).unit()),
            TRAJECTORY,
            doc.name,
        ]),
        page: vec![
            part(doc.id, format!("{} [{}]", doc.name, doc.unit)),
            part("formula", doc.formula),
            part("theory", theory(doc.theory)),
            part("needs", "a run of a scene with a scheme"),
            part("applies to", doc.applies),
            part("over the run", Summary::NAMES.join(", ")),
        ],
        json: json!({
            "id": doc.id,
            "name": doc.name,
            "formula": doc.formula,
            "unit": doc.unit,
            "needs": TRAJECTORY,
            "applies": doc.applies,
            "theory": doc.theory,
            "over": Summary::NAMES,
        }),
    }
}

fn probe(form: &'static str, unit: &'static str, name: &'static str) -> Item {
    Item {
        aliases: &[],
        line: cells(&[form, &format!("[{unit}]"), TRAJECTORY, name]),
        page: vec![
            part(form, format!("{name} [{unit}]")),
            part("needs", "a run of a scene with a scheme"),
            part("over the run", Summary::NAMES.join(", ")),
        ],
        json: json!({
            "id": form,
            "name": name,
            "unit": unit,
            "needs": TRAJECTORY,
            "over": Summary::NAMES,
        }),
    }
}
