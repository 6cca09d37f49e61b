use super::*;
use crate::disk::Operation;
use crate::disk::fault::{self, Fault};
use crate::key;
use crate::record::{Outcome, ProblemFacts, ProblemLabel, Sample, SolverLabel};
use delassus_core::Status;
use serde_json::Map;
use std::io::Write;

fn record() -> CellRecord {
    let mut outcome = Outcome::without_samples(Status::Solved, "a message");
    outcome.metrics = vec!["natural_map".to_owned(), "siconos".to_owned()];
    // numbers whose shortest decimal form is long, and one that is subnormal
    for value in [0.1 + 0.2, 5e-324, 1.0 / 3.0] {
        outcome.samples.push(&Sample {
            sweeps: 1,
            row_updates: 2,
            values: vec![Some(value), None],
        });
    }
    CellRecord {
        key: "0".repeat(64),
        problem: ProblemLabel {
            name: "p \"q\" μ".to_owned(),
            source: "file".to_owned(),
            parameters: Map::new(),
        },
        solver: SolverLabel {
            label: "s".to_owned(),
            id: "s".to_owned(),
            parameters: Map::new(),
            device: None,
            peer: None,
        },
        facts: ProblemFacts::default(),
        outcome,
        origin: None,
    }
}

#[test]
fn a_cell_comes_back_bit_for_bit() {
    let dir = tempfile::tempdir().unwrap();
    let record = record();
    assert_eq!(read_cell(dir.path(), &record.key), StoredCell::Nothing);
    write_cell(dir.path(), &record).unwrap();
    assert_eq!(
        read_cell(dir.path(), &record.key),
        StoredCell::Cell(Box::new(record.clone()))
    );
    // the file is JSON for every other reader
    let text = fs::read_to_string(cell_path(dir.path(), &record.key)).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["record"]["problem"]["name"], "p \"q\" μ");
}

#[test]
fn a_glance_sees_what_the_record_says_and_the_same_damage() {
    let dir = tempfile::tempdir().unwrap();
    let mut record = record();
    record.outcome.iterate_seconds = vec![0.5];
    write_cell(dir.path(), &record).unwrap();
    let StoredCell::Cell(seen) = read_summary(dir.path(), &record.key) else {
        panic!("a whole cell");
    };
    assert_eq!((seen.status, seen.timed), (Status::Solved, true));
    assert_eq!((seen.origin, seen.sum.len()), (None, 64));
    assert_eq!(seen.impulse_hash, "");
    let path = cell_path(dir.path(), &record.key);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 9]).unwrap();
    assert!(matches!(
        read_summary(dir.path(), &record.key),
        StoredCell::Corrupt(_)
    ));
    let other = "1".repeat(64);
    fs::write(cell_path(dir.path(), &other), &whole).unwrap();
    assert!(matches!(
        read_summary(dir.path(), &other),
        StoredCell::Corrupt(_)
    ));
    assert_eq!(
        read_summary(dir.path(), &"2".repeat(64)),
        StoredCell::Nothing
    );
}

#[test]
fn an_outline_says_what_the_whole_record_says_and_sees_the_same_damage() {
    use crate::record::{Payload, SchemeLabel, SimulationRecord, Solve, Timing};
    let dir = tempfile::tempdir().unwrap();
    let solve = Solve {
        solutions: Some(delassus_core::Solutions {
            list: Vec::new(),
            complete: true,
        }),
        worlds: vec![crate::record::WorldEnd {
            parameters: Map::new(),
            status: delassus_core::Status::Solved,
            residual: Some(0.5),
            sweeps: Some(1),
        }],
        ..Solve::default()
    };
    let scheme = SchemeLabel {
        label: "s".to_owned(),
        method: "s".to_owned(),
        id: "s".to_owned(),
        parameters: Map::new(),
        dt: 0.1,
        device: None,
    };
    let run = SimulationRecord {
        scheme,
        moments: vec![
            crate::record::Moment {
                frame: 1,
                time: 0.1
            };
            3
        ],
        depths: None,
        replay_hash: None,
        calibration: None,
    };
    let timing = Timing {
        short_sweeps: 1,
        short_seconds: Vec::new(),
        read_bytes: None,
        written_bytes: None,
        gathered_bytes: None,
        working_set: None,
    };
    let payloads = [
        Payload::Solve(Solve::default()),
        Payload::Solve(solve),
        Payload::Time(timing),
        Payload::Simulate(run),
    ];
    let key = record().key;
    for (payload, factorizations) in payloads.into_iter().zip([None, Some(0), Some(3), None]) {
        let mut record = record();
        record.outcome.payload = payload;
        record.outcome.factorizations = factorizations;
        let sum = write_cell(dir.path(), &record).unwrap();
        let expected = StoredCell::Cell((Outline::of(&record), sum));
        assert_eq!(outline(dir.path(), &key), expected);
    }
    let path = cell_path(dir.path(), &key);
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).unwrap();
    assert_eq!(
        outline(dir.path(), &key),
        StoredCell::Corrupt("its checksum is wrong".to_owned())
    );
}

#[test]
fn a_part_is_the_file_once_it_is_finished_and_nothing_before() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("new/file");
    let mut part = Part::begin(&path).unwrap();
    part.write_all(b"what ").unwrap();
    part.write_all(b"is").unwrap();
    assert!(!path.exists());
    part.finish().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"what is");
    drop(Part::begin(&path).unwrap());
    assert_eq!(fs::read_dir(dir.path().join("new")).unwrap().count(), 1);
}

#[test]
fn impulses_come_back_bit_for_bit() {
    let dir = tempfile::tempdir().unwrap();
    let (key, impulses) = ("3".repeat(64), [0.1 + 0.2, -0.0, 5e-324]);
    write_impulses(dir.path(), &key, &impulses).unwrap();
    let bytes = fs::read(impulses_path(dir.path(), &key)).unwrap();
    let back = impulses_of(&bytes).unwrap();
    let bits = |all: &[f64]| all.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&back), bits(&impulses));
    assert_eq!(impulses_of(&bytes[..bytes.len() - 1]), None);
    assert_eq!(impulses_of(&[]), Some(Vec::new()));
}

#[test]
fn a_record_without_its_origin_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let record = record();
    // the form of programs that kept no origin: the same without the entry
    let json = serde_json::to_string(&record).unwrap();
    assert!(!json.contains("origin"), "{json}");
    write_cell(dir.path(), &record).unwrap();
    assert_eq!(
        read_cell(dir.path(), &record.key),
        StoredCell::Cell(Box::new(record))
    );
}

#[test]
fn only_temporary_files_are_swept_away() {
    let dir = tempfile::tempdir().unwrap();
    let names = [".part-a1.tmp", ".part-b", "part-c.tmp", "mine.tmp"];
    for name in names {
        fs::write(dir.path().join(name), "x").unwrap();
    }
    fs::create_dir(dir.path().join(".part-folder.tmp")).unwrap();
    sweep(dir.path());
    sweep(&dir.path().join("nowhere"));
    let there = names.map(|name| dir.path().join(name).exists());
    assert_eq!(there, [false, true, true, true]);
    assert!(dir.path().join(".part-folder.tmp").is_dir());
}

#[test]
fn every_truncation_and_every_flipped_byte_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let record = record();
    write_cell(dir.path(), &record).unwrap();
    let path = cell_path(dir.path(), &record.key);
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        assert!(checked(&whole[..length]).is_err(), "length {length}");
    }
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        assert!(checked(&changed).is_err(), "byte {at}");
    }
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    assert!(matches!(
        read_cell(dir.path(), &record.key),
        StoredCell::Corrupt(_)
    ));
    // a whole record under the name of another cell
    let other = "1".repeat(64);
    fs::write(cell_path(dir.path(), &other), &whole).unwrap();
    assert!(matches!(
        read_cell(dir.path(), &other),
        StoredCell::Corrupt(_)
    ));
}

/// The form of programs before there were versions.
fn first_form(record: &CellRecord) -> String {
    let json = serde_json::to_string(record).unwrap();
    let sum = key::of_text(&json);
    format!("{{\"sha256\":\"{sum}\",\"record\":{json}}}\n")
}

#[test]
fn the_first_form_is_read_and_migrated_and_a_newer_one_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let record = record();
    let path = cell_path(dir.path(), &record.key);
    let old = first_form(&record);
    write_atomic(&path, old.as_bytes()).unwrap();
    let kept = || read_cell(dir.path(), &record.key);
    assert_eq!(kept(), StoredCell::Cell(Box::new(record.clone())));
    for at in 0..old.len() {
        let mut changed = old.clone().into_bytes();
        changed[at] ^= 1;
        assert!(checked(&changed).is_err(), "byte {at}");
        assert!(checked(&old.as_bytes()[..at]).is_err(), "length {at}");
    }
    assert_eq!(migrate(dir.path(), &record.key).unwrap(), Ok(1));
    assert_eq!(migrate(dir.path(), &record.key).unwrap(), Ok(2));
    assert_eq!(kept(), StoredCell::Cell(Box::new(record.clone())));
    let whole = fs::read_to_string(&path).unwrap();
    assert!(whole.starts_with("{\"schema\":2,"), "{whole}");
    let newer = whole.replacen(":2,", ":12,", 1);
    fs::write(&path, &newer).unwrap();
    let refused = migrate(dir.path(), &record.key).unwrap().unwrap_err();
    assert!(refused.contains("schema 12"), "{refused}");
    assert_eq!(fs::read_to_string(&path).unwrap(), newer);
    assert!(matches!(kept(), StoredCell::Corrupt(_)));
    let padded = whole.replacen(":2,", ":02,", 1);
    assert!(checked(padded.as_bytes()).is_err());
}

#[test]
fn a_damaged_file_may_still_tell_what_is_lost() {
    let dir = tempfile::tempdir().unwrap();
    let record = record();
    write_cell(dir.path(), &record).unwrap();
    let whole = fs::read_to_string(cell_path(dir.path(), &record.key)).unwrap();
    let damaged = whole.replacen("\"message\":\"a ", "\"message\":\"b ", 1);
    assert!(checked(damaged.as_bytes()).is_err());
    let names = ("p \"q\" μ".to_owned(), "s".to_owned());
    assert_eq!(names_in(damaged.as_bytes()), Some(names));
    assert_eq!(names_in(&whole.as_bytes()[..whole.len() / 2]), None);
}

#[test]
fn a_disk_that_fails_to_keep_a_cell_is_asked_once() {
    let dir = tempfile::tempdir().unwrap();
    let record = record();
    fault::arm(None);
    write_cell(dir.path(), &record).unwrap();
    let operations = fault::disarm();
    let syncs = |all: &[Operation]| all.iter().filter(|o| **o == Operation::Sync).count();
    let at = operations.iter().position(|o| *o == Operation::Sync);
    fs::remove_file(cell_path(dir.path(), &record.key)).unwrap();
    fault::arm(at.map(|at| (at, Fault::Disk)));
    assert!(write_cell(dir.path(), &record).is_err());
    assert_eq!(syncs(&fault::disarm()), 1);
    assert_eq!(read_cell(dir.path(), &record.key), StoredCell::Nothing);
    assert_eq!(fs::read_dir(dir.path().join(CELLS)).unwrap().count(), 0);
}

#[test]
fn a_write_replaces_the_file_and_leaves_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a/b/c.txt");
    write_atomic(&path, b"one").unwrap();
    write_atomic(&path, b"two").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"two");
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
}
