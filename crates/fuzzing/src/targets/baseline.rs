//! Results files of other programs.

use std::sync::LazyLock;

use delassus_records::record::CellRecord;
use delassus_report::tables::{self, Baseline};
use serde_json::json;

use super::shown;
use crate::bounded::bounded_with_room;

/// One solve of the problem `p`.
static RECORDS: LazyLock<Vec<CellRecord>> = LazyLock::new(|| {
    let record = json!({
        "key": "k",
        "problem": { "name": "p", "source": "file", "parameters": { "file": "p.dat" } },
        "solver": { "label": "pgs", "id": "pgs", "parameters": {} },
        "facts": { "rows": 3, "blocks": 1, "contacts": 1, "bodies": 1, "asymmetry": null, "energy_scale": 1.0 },
        "outcome": {
            "status": "solved", "message": null, "approximations": [], "metrics": ["siconos"],
            "samples": [
                { "sweeps": 0, "row_updates": 0, "values": [1.0] },
                { "sweeps": 9, "row_updates": 27, "values": [1e-9] }
            ],
            "sweeps": 9, "row_updates": 27, "prepare_seconds": [1e-6], "iterate_seconds": [1e-5],
            "impulse_hash": "", "reference": null
        }
    });
    vec![serde_json::from_value(record).expect("a record")]
});

pub(crate) fn meet(bytes: &[u8]) {
    for best in [false, true] {
        let settings = json!({
            "file": "reference.csv", "solvers": ["NSGS"], "tolerances": [1e-4, 1e-8], "best": best
        });
        let baseline: Baseline = serde_json::from_value(settings).expect("settings");
        let bundle = shown::bundle(RECORDS.clone());
        let table = bounded_with_room(bytes, || baseline.table_of(&bundle, bytes));
        shown::table(&table);
        assert!(tables::to_csv(&table).lines().count() < 100, "a long table");
    }
}
