//! With what and where a run was made. No host name, no user, no absolute path.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::build::Build;
use crate::key;
use crate::origin::{Origin, machines, one_or_all};
use crate::record::CellRecord;

/// The manifest of a run: what the program is, and where and when its cells ran, from the cells
/// themselves.
///
/// Where cells differ, an entry lists what they say; `machines` has every machine with the number
/// and the dates of its cells. Equal cells give equal manifests. `spec_sha256` is the hash of the
/// spec's text.
pub fn manifest(build: &Build, spec_sha256: &str, records: &[CellRecord]) -> Value {
    let origins: Vec<&Origin> = records.iter().filter_map(|r| r.origin.as_ref()).collect();
    let one = |pick: &dyn Fn(&Origin) -> Value| one_or_all(origins.iter().map(|o| pick(o)));
    let mut manifest = json!({
        "date": origins.iter().map(|o| o.date.as_str()).max(),
        "delassus": build.version,
        "commit": build.commit,
        "modified": build.modified(),
        "rustc": build.rustc,
        "target": build.target,
        "profile": build.profile,
        "solver_opt_level": build.solver_opt_level,
        BINARY: key::build_id(),
        "spec_sha256": spec_sha256,
        "schema": key::SCHEMA,
        "cpu": one(&|o| json!(o.machine.cpu)),
        "vector_level": one(&|o| json!(o.machine.vector_level)),
        "solver_level": one(&|o| json!(o.machine.solver_level)),
        "logical_cores": one(&|o| json!(o.machine.logical_cores)),
        "caches": one(&|o| json!(o.machine.caches)),
        "jobs": one(&|o| json!(o.jobs)),
        "os": one(&|o| json!(o.machine.os)),
        "machines": machines(&origins),
        "packages": build.versions(),
    });
    if origins.iter().any(|origin| origin.head.is_some()) {
        manifest[HEAD] = one(&|o| json!(o.head));
    }
    manifest
}

/// Entry of a manifest for the commit that was checked out when the run began, where one was.
pub const HEAD: &str = "head";

/// Entry of a manifest for the hash of the executable.
pub const BINARY: &str = "binary_sha256";

/// Entry of a manifest for the hash of [`root`].
pub const ROOT: &str = "cells_sha256";

/// One hash over the cells of a run: SHA-256, hexadecimal, of a line per cell in the order of the
/// keys, which is the key, a space and the checksum of the record. The record has the hashes of the
/// other files of its cell.
pub fn root(cells: &BTreeMap<String, String>) -> String {
    let lines = cells.iter().map(|(key, sum)| format!("{key} {sum}\n"));
    key::of_text(&lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::MachineInfo;
    use crate::record::{Outcome, ProblemFacts, ProblemLabel, SolverLabel};
    use delassus_core::Status;
    use serde_json::Map;

    const BUILD: Build = Build {
        commit: "0123abc",
        packages: "nalgebra 0.35.0;toml 1.0.0",
        ..Build::UNKNOWN
    };

    fn machine() -> MachineInfo {
        MachineInfo::here("avx2".to_owned())
    }

    fn record() -> CellRecord {
        let origin = Origin::begun(&BUILD, &machine(), 1, &Map::new());
        CellRecord {
            key: "k".to_owned(),
            problem: ProblemLabel {
                name: "p".to_owned(),
                source: "file".to_owned(),
                parameters: Map::new(),
            },
            solver: SolverLabel::default(),
            facts: ProblemFacts::default(),
            outcome: Outcome::without_samples(Status::Solved, "a message"),
            origin: Some(Origin {
                date: "2026-01-02T00:00:00Z".to_owned(),
                ..origin
            }),
        }
    }

    #[test]
    fn a_manifest_lists_what_its_cells_differ_in() {
        let mut records = vec![record(), record(), record()];
        let one = manifest(&BUILD, "0", &records);
        assert_eq!(
            (&one["jobs"], &one["machines"][0]["cells"]),
            (&1.into(), &3.into())
        );
        assert_eq!(one["date"], "2026-01-02T00:00:00Z");
        assert_eq!(one["solver_level"], machine().solver_level);
        assert_eq!(one, manifest(&BUILD, "0", &records), "no date of now");
        let origin = records[1].origin.as_mut().unwrap();
        origin.machine.solver_level = "another".to_owned();
        origin.date = "2026-01-01T00:00:00Z".to_owned();
        origin.jobs = 4;
        let two = manifest(&BUILD, "0", &records);
        assert_eq!(two["jobs"], json!([1, 4]));
        assert_eq!(
            two["solver_level"],
            json!([machine().solver_level, "another"])
        );
        assert_eq!(two["cpu"], machine().cpu);
        assert_eq!(two["date"], "2026-01-02T00:00:00Z");
        assert_eq!(two["machines"][1]["last"], "2026-01-01T00:00:00Z");
        assert_eq!(two["machines"][0]["cells"], 2);
        assert!(two.get(HEAD).is_none());
        for record in &mut records {
            record.origin.as_mut().unwrap().head = Some("4567def".to_owned());
        }
        let checked_out = manifest(&BUILD, "0", &records);
        assert_eq!(
            (&checked_out[HEAD], &checked_out["commit"]),
            (&"4567def".into(), &"0123abc".into())
        );
    }

    #[test]
    fn says_what_it_must_and_nothing_private() {
        let manifest = manifest(&BUILD, "0", &[record()]);
        let text = manifest.to_string();
        for private in ["HOME", "USER", "PWD", "HOSTNAME"] {
            let value = std::env::var(private).unwrap_or_default();
            // a user named "s" is in every text
            assert!(
                value.len() < 5 || !text.contains(&value),
                "{private}: {text}"
            );
        }
        assert_eq!(manifest["commit"], "0123abc");
        assert_eq!(manifest["binary_sha256"].as_str().map(str::len), Some(64));
        assert!(manifest["logical_cores"].as_u64().is_some_and(|n| n >= 1));
        assert_eq!(manifest["packages"]["nalgebra"], "0.35.0");
    }
}
