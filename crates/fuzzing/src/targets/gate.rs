//! Gates of a spec, and what they say of records.

use std::path::Path;
use std::sync::LazyLock;

use delassus_records::record::CellRecord;
use delassus_report::gate::{GateSpec, GateVerdict, Judged};
use delassus_runner::gates::judged;
use delassus_runner::{matrix, spec};
use serde_json::{Value, json};

use super::REGISTRY;
use super::patch::merge;
use super::shown;
use crate::bounded::bounded_with_room;

/// What the gates are about. The last table has no key yet.
const SPEC: &str = r#"
title = "Gates"
[[problem]]
use = "chain"
n = [2, 3]
[[solver]]
use = "pgs"
[[solver]]
use = "psor"
omega = 1.3
label = "SOR"
[stop]
tolerance = 1e-10
[measure]
"#;

/// Three of the four cells: one has not run.
static RECORDS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let cells = [
        ("chain n=2", "pgs"),
        ("chain n=2", "SOR"),
        ("chain n=3", "pgs"),
    ];
    let record = |(number, (problem, solver)): (usize, (&str, &str))| {
        let id = if solver == "pgs" { solver } else { "psor" };
        let seconds = vec![1e-5 * (number + 1) as f64; 12];
        json!({
            "key": number.to_string(),
            "problem": { "name": problem, "source": "chain", "parameters": {} },
            "solver": { "label": solver, "id": id, "parameters": {} },
            "facts": { "rows": 6, "blocks": 2, "contacts": 0, "bodies": 2, "asymmetry": null, "energy_scale": 1.0 },
            "outcome": {
                "status": "solved", "message": null, "approximations": [], "metrics": ["natural_map"],
                "samples": [
                    { "sweeps": 0, "row_updates": 0, "values": [1.0] },
                    { "sweeps": 9, "row_updates": 54, "values": [1e-11] }
                ],
                "sweeps": 9, "row_updates": 54, "prepare_seconds": seconds, "iterate_seconds": seconds,
                "impulse_hash": "00", "reference": null
            }
        })
    };
    cells.into_iter().enumerate().map(record).collect()
});

/// The bytes up to the first zero as gates of the spec, what follows as changes of the first
/// record.
pub(crate) fn meet(bytes: &[u8]) {
    let mut parts = bytes.splitn(2, |byte| *byte == 0);
    let Ok(text) = std::str::from_utf8(parts.next().unwrap_or_default()) else {
        return;
    };
    // nothing but gates: whatever else a spec may ask for has a target of its own
    let is_other = |line: &str| line.trim_start().starts_with('[') && line.trim() != "[[gate]]";
    if text.lines().any(is_other) {
        return;
    }
    let mut records = RECORDS.clone();
    if let Some(Ok(patch)) = parts.next().map(serde_json::from_slice) {
        merge(&mut records[0], patch);
    }
    let records = records.into_iter().map(serde_json::from_value);
    let Ok(records) = records.collect::<Result<Vec<CellRecord>, _>>() else {
        return;
    };
    let file = Path::new("nowhere/experiment.toml");
    let read = || spec::of_text(file, format!("{SPEC}{text}"), &REGISTRY);
    let matrix = bounded_with_room(bytes, || {
        read().and_then(|spec| matrix::expand(spec, &REGISTRY))
    });
    let matrix = match matrix {
        Ok(matrix) => matrix,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let gates = bounded_with_room(bytes, || judged(&matrix, shown::bundle(records)));
    assert_eq!(gates.judged.len(), matrix.spec.gates.len());
    for (gate, judged) in &gates.judged {
        is_consistent(gate, judged);
    }
}

/// What a gate says of all cells is the worst that it says of one, and follows from its bounds.
fn is_consistent(gate: &GateSpec, judged: &Judged) {
    assert!(!gate.assertion().is_empty() && !judged.message.is_empty());
    let worst = judged.cells.iter().map(|cell| cell.verdict).max();
    assert!(
        worst.is_none_or(|worst| worst == judged.verdict),
        "{judged:?}"
    );
    // times are judged by their interval
    if gate.value == "seconds" || gate.equals.is_some() {
        return;
    }
    for cell in &judged.cells {
        let Some(value) = cell.value else {
            assert!(cell.verdict != GateVerdict::Pass, "{gate:?}: {cell:?}");
            continue;
        };
        let low = gate.at_least.is_none_or(|bound| value >= bound);
        let high = gate.at_most.is_none_or(|bound| value <= bound);
        let expected = if low && high {
            GateVerdict::Pass
        } else {
            GateVerdict::Fail
        };
        assert_eq!(cell.verdict, expected, "{gate:?}: {cell:?}");
    }
}
