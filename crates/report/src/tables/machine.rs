//! What ran, and where: the manifest as a table.

use serde_json::Value;

use crate::bundle::Bundle;
use crate::columns::{Columns, Refusal, View};
use crate::settings::settings;
use crate::text::clean;
use crate::view::CellFilter;

use super::{Cell, Column, Section, Table, TableKind, nothing};

/// What has a section of its own.
const NESTED: [&str; 2] = ["machines", "packages"];

settings! {
    /// Machine, program and versions, from the manifest.
    pub struct Machine {
        /// The versions of all packages that the program is made of.
        #[serde(default)]
        pub packages: bool,
    }
}

impl CellFilter for Machine {}

impl View for Machine {
    fn check(&mut self, _: &Columns<'_>) -> Result<(), Refusal> {
        Ok(())
    }
}

impl TableKind for Machine {
    fn table(&self, bundle: &Bundle) -> Table {
        let Some(manifest) = bundle.manifest.as_object() else {
            return nothing("the run has no manifest");
        };
        let plain = manifest
            .iter()
            .filter(|(key, _)| !NESTED.contains(&key.as_str()));
        let mut sections = vec![Section {
            title: "program and machine".to_owned(),
            rows: plain.map(|(key, value)| row(key, value)).collect(),
        }];
        let packages = manifest.get("packages").and_then(Value::as_object);
        if let Some(packages) = packages.filter(|_| self.packages) {
            sections.push(Section {
                title: "packages".to_owned(),
                rows: packages
                    .iter()
                    .map(|(key, value)| row(key, value))
                    .collect(),
            });
        }
        Table {
            columns: vec![Column::text("what"), Column::text("value")],
            sections,
            notes: Vec::new(),
        }
    }
}

fn row(key: &str, value: &Value) -> Vec<Cell> {
    vec![
        Cell::text(clean(&key.replace('_', " "))),
        Cell::text(said(value)),
    ]
}

/// A value for people.
fn said(value: &Value) -> String {
    match value {
        Value::Null => "not known".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => clean(text),
        Value::Number(number) => number.to_string(),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(said).collect();
            values.join(", ")
        }
        Value::Object(entries) => {
            let entries = entries.iter();
            let entries: Vec<String> = entries
                .map(|(key, value)| format!("{}: {}", clean(key), said(value)))
                .collect();
            entries.join(", ")
        }
    }
}
