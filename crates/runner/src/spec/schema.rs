//! The schema of specs, for editors: made of the tables that the parser reads, and of what is
//! registered.

use std::ops::Bound;

use delassus_core::ParameterDoc;
use delassus_core::registry::{Category, Entry, names};
use delassus_problems::generators::generators;
use delassus_report::settings::Setting;
use delassus_scenes::scenes;
use serde_json::{Map, Value, json};

use crate::document::keys::{self, Family, Form, Key, Known, View};
use crate::figures::FigureSpec;
use crate::gate::GateSpec;
use crate::registry::{Registry, schemes};
use crate::strips::StripSpec;
use crate::tables::TableSpec;
use crate::view::DT;

/// A JSON schema (draft 2020-12) of the specs that a program with these solvers reads.
///
/// What it refuses the parser refuses as well; the parser also knows which names are measured,
/// which files there are and what goes together.
pub fn schema(registry: &Registry) -> Value {
    let schema = Schema {
        generators: sources(&generators()),
        scenes: sources(&scenes()),
        schemes: with_dt(sources(&schemes())),
        solvers: sources(registry.entries()),
    };
    let mut whole = schema.section(keys::SPEC);
    whole["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    whole["title"] = "delassus spec".into();
    whole["description"] =
        "An experiment: problems or scenes, solvers, and what is made of them.".into();
    whole
}

/// Something that a section can use, with the parameters that are keys there.
struct Source {
    names: Vec<&'static str>,
    parameters: Vec<(ParameterDoc, Value)>,
}

fn sources<K: Category>(entries: &[Entry<K>]) -> Vec<Source> {
    let source = |entry: &Entry<K>| {
        let default = |doc: &ParameterDoc| entry.defaults.get(doc.name).cloned();
        let docs = entry.parameters.iter();
        // those of a wrapper stand in a table of its name, and wrappers are no solvers alone
        let own = docs.filter(|doc| !doc.name.contains('.'));
        Source {
            names: names(std::slice::from_ref(entry)).collect(),
            parameters: own
                .map(|doc| (*doc, default(doc).unwrap_or(Value::Null)))
                .collect(),
        }
    };
    entries.iter().map(source).collect()
}

/// Schemes can have frames of their own length.
fn with_dt(mut schemes: Vec<Source>) -> Vec<Source> {
    let dt = ParameterDoc {
        name: DT,
        text: "Length of a frame, in place of that of [simulate]",
        unit: "s",
        ..ParameterDoc::NONE
    };
    for scheme in &mut schemes {
        scheme.parameters.push((dt, json!(1.0)));
    }
    schemes
}

struct Schema {
    generators: Vec<Source>,
    scenes: Vec<Source>,
    schemes: Vec<Source>,
    solvers: Vec<Source>,
}

impl Schema {
    /// A table with these keys and no others.
    fn section(&self, keys: &[Key]) -> Value {
        json!({
            "type": "object",
            "properties": self.properties(keys),
            "required": required(keys),
            "additionalProperties": false,
        })
    }

    fn properties(&self, keys: &[Key]) -> Map<String, Value> {
        let property = |key: &Key| {
            let mut schema = self.form(key.form);
            schema["description"] = with_unit(key.text, key.unit).into();
            (key.name.to_owned(), schema)
        };
        keys.iter().map(property).collect()
    }

    fn form(&self, form: Form) -> Value {
        match form {
            Form::Text | Form::Amount => json!({ "type": "string" }),
            Form::Texts => texts(),
            Form::Flag => json!({ "type": "boolean" }),
            Form::Number => json!({ "type": "number" }),
            Form::Positive => json!({ "type": "number", "exclusiveMinimum": 0 }),
            Form::Between(least, most) => {
                json!({ "type": "number", "minimum": least, "maximum": most })
            }
            Form::Positives => json!({
                "type": "array", "minItems": 1, "uniqueItems": true, "items": self.form(Form::Positive),
            }),
            Form::Count(least, u64::MAX) => json!({ "type": "integer", "minimum": least }),
            Form::Count(least, most) => {
                json!({ "type": "integer", "minimum": least, "maximum": most })
            }
            Form::Pair => <[f64; 2]>::schema(),
            Form::Choice(names) => json!({ "enum": names }),
            Form::Section(keys) => self.section(keys),
            Form::Sections(keys) => json!({ "type": "array", "items": self.section(keys) }),
            Form::ChoiceOr(names, keys) => {
                json!({ "anyOf": [{ "enum": names }, self.section(keys)] })
            }
            Form::TextOr(keys) => {
                json!({ "anyOf": [{ "type": "string" }, self.section(keys)] })
            }
            Form::Name(known) => self.name(known),
            Form::Families(family) => self.families(family),
            Form::Views(view) => {
                let item = match view {
                    View::Figures => FigureSpec::schema(),
                    View::Tables => TableSpec::schema(),
                    View::Strips => StripSpec::schema(),
                    View::Gates => GateSpec::schema(),
                };
                json!({ "type": "array", "items": item })
            }
        }
    }

    fn known(&self, known: Known) -> &[Source] {
        match known {
            Known::Generator => &self.generators,
            Known::Scene => &self.scenes,
            Known::Scheme => &self.schemes,
            Known::Solver => &self.solvers,
        }
    }

    fn name(&self, known: Known) -> Value {
        let names = self.known(known).iter().flat_map(|source| &source.names);
        let names = json!({ "enum": names.collect::<Vec<_>>() });
        match known {
            // solvers around a solver, and those of other programs
            Known::Solver => {
                let composed = "^([^()]+\\(.+\\)|(peer|cmd|py):.+)$";
                json!({ "anyOf": [names, { "type": "string", "pattern": composed }] })
            }
            // schemes of other programs
            Known::Scheme => {
                let engine = "^engine(-cmd)?:.+$";
                json!({ "anyOf": [names, { "type": "string", "pattern": engine }] })
            }
            _ => names,
        }
    }

    fn families(&self, family: Family) -> Value {
        let item = match family {
            Family::Problems => json!({ "oneOf": [
                self.section(keys::FILES),
                self.family(keys::GENERATED, Known::Generator, Grid::Axes),
            ] }),
            Family::Scenes => json!({ "oneOf": [
                self.section(keys::SCENE_FILE),
                self.family(keys::SCENE, Known::Scene, Grid::Axes),
            ] }),
            Family::Schemes => self.family(keys::SCHEME, Known::Scheme, Grid::Axes),
            Family::Solvers => self.family(keys::SOLVER, Known::Solver, Grid::Axes),
            Family::Reference => {
                let solver = self.family(keys::REFERENCE, Known::Solver, Grid::One);
                return json!({ "anyOf": [{ "enum": keys::REFERENCES }, solver] });
            }
        };
        json!({ "type": "array", "items": item, "minItems": 1 })
    }

    /// A table with these keys, the first of which names what else it may have.
    fn family(&self, own: &[Key], known: Known, grid: Grid) -> Value {
        let sources = self.known(known);
        let mut properties = self.properties(own);
        for (doc, _) in sources.iter().flat_map(|source| &source.parameters) {
            // what it is depends on what is used: see below
            properties
                .entry(doc.name)
                .or_insert_with(|| json!({ "description": described(doc) }));
        }
        let choice = own.first().map_or("use", |key| key.name);
        let of_source = |source: &Source| {
            let own = own.iter().map(|key| key.name);
            let parameters = source.parameters.iter();
            let names = own.chain(parameters.clone().map(|(doc, _)| doc.name));
            let parameters = parameters
                .map(|(doc, default)| (doc.name.to_owned(), parameter(doc, default, grid)));
            json!({
                "if": { "properties": { choice: { "enum": source.names } }, "required": [choice] },
                "then": {
                    "properties": parameters.collect::<Map<_, _>>(),
                    "propertyNames": { "enum": names.collect::<Vec<_>>() },
                },
            })
        };
        json!({
            "type": "object",
            "properties": properties,
            "required": required(own),
            "allOf": sources.iter().map(of_source).collect::<Vec<_>>(),
        })
    }
}

/// Whether a parameter may have several values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grid {
    /// An array is an axis of a grid.
    Axes,
    /// One value.
    One,
}

fn required(keys: &[Key]) -> Vec<&'static str> {
    let needed = keys.iter().filter(|key| key.needed);
    needed.map(|key| key.name).collect()
}

fn texts() -> Value {
    let one = json!({ "type": "string" });
    json!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] })
}

fn with_unit(text: &str, unit: &str) -> String {
    match unit {
        "" => text.to_owned(),
        unit => format!("{} [{unit}].", text.trim_end_matches('.')),
    }
}

fn described(doc: &ParameterDoc) -> String {
    let text = with_unit(doc.text, doc.unit);
    match doc.range.text {
        "" => text,
        range => format!("{} {range}", text.trim_end()),
    }
}

/// What a parameter may be, or an array of that.
fn parameter(doc: &ParameterDoc, default: &Value, grid: Grid) -> Value {
    let one = value(doc, default);
    let mut schema = match grid {
        Grid::One => one,
        Grid::Axes => json!({ "anyOf": [
            one, { "type": "array", "items": one, "minItems": 1, "uniqueItems": true },
        ] }),
    };
    schema["description"] = described(doc).into();
    if !default.is_null() {
        schema["default"] = default.clone();
    }
    schema
}

/// One value of a parameter, of the type of its default; a name where it has names.
fn value(doc: &ParameterDoc, default: &Value) -> Value {
    let names: Vec<&str> = doc.choices.iter().map(|choice| choice.name).collect();
    let number = |whole: bool| {
        let mut schema = json!({ "type": if whole { "integer" } else { "number" } });
        bounds(&mut schema, doc);
        schema
    };
    let plain = match default {
        Value::Bool(_) => json!({ "type": "boolean" }),
        Value::Number(default) => number(!default.is_f64()),
        Value::Array(_) => json!({ "type": "array" }),
        Value::Object(_) => json!({ "type": "object" }),
        // of the names below, or of any
        Value::String(_) if !names.is_empty() && doc.unit.is_empty() => {
            return json!({ "enum": names });
        }
        Value::String(_) | Value::Null => json!({}),
    };
    match names.is_empty() || plain == json!({}) {
        true => plain,
        false => json!({ "anyOf": [plain, { "enum": names }] }),
    }
}

fn bounds(schema: &mut Value, doc: &ParameterDoc) {
    for (bound, inside, outside) in [
        (doc.range.bounds.0, "minimum", "exclusiveMinimum"),
        (doc.range.bounds.1, "maximum", "exclusiveMaximum"),
    ] {
        match bound {
            Bound::Included(end) => schema[inside] = end.into(),
            Bound::Excluded(end) => schema[outside] = end.into(),
            Bound::Unbounded => {}
        }
    }
}
