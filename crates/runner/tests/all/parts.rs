//! Runs in parts: dealt, merged in any order, and as one run in everything but times.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use delassus_records::build::Build;
use delassus_records::disk::fault::{Fault, arm, disarm};
use delassus_records::record::CellRecord;
use delassus_records::store::{self, StoredCell};
use delassus_registry::Registry;
use delassus_runner::error::RunError;
use delassus_runner::fsck;
use delassus_runner::isolate::LimitChoice;
use delassus_runner::merge::{MergeReport, merge};
use delassus_runner::run::{RunArgs, RunSummary, Shard, run};
use delassus_runner::status::status;
use tempfile::TempDir;

use crate::faults::files;

/// Twelve cells.
const SPEC: &str = r#"
title = "Parts"
[[problem]]
use = "chain"
n = [2, 3, 4]
[[solver]]
use = "pgs"
[[solver]]
use = "psor"
omega = [1.2, 1.4]
[[solver]]
use = "dense-direct"
[stop]
max_sweeps = 20
[[table]]
id = "cells"
show = { cells = {} }
"#;
const CELLS: usize = 12;

fn arguments(spec: &Path, out: &Path, shard: Option<Shard>) -> RunArgs {
    RunArgs {
        spec: spec.to_owned(),
        out: Some(out.to_owned()),
        jobs: 1,
        shard,
        require_gpu: false,
        isolation: None,
        limits: LimitChoice::default(),
        build: Build::UNKNOWN,
    }
}

fn start(spec: &Path, out: &Path, shard: Option<Shard>) -> RunSummary {
    let arguments = arguments(spec, out, shard);
    let never = AtomicBool::new(false);
    run(&Registry::standard(), &arguments, &(), &never).expect("a run")
}

/// A spec, and its cells in `n` parts in folders of their own.
fn parts(n: usize) -> (TempDir, PathBuf, Vec<PathBuf>) {
    let folder = tempfile::tempdir().expect("a folder");
    let spec = folder.path().join("spec.toml");
    fs::write(&spec, SPEC).expect("a spec");
    let parts = (1..=n).map(|index| {
        let out = folder.path().join(format!("part-{index}"));
        start(&spec, &out, Some(Shard { index, of: n }));
        out
    });
    let parts = parts.collect();
    (folder, spec, parts)
}

/// The files below a folder with their bytes, but for the numbers of processes and of folders.
fn bytes(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("a folder");
            open.extend(entries.map(|entry| entry.expect("an entry").path()));
        } else if path.is_file()
            && !path.to_string_lossy().contains(".lock")
            && !path.ends_with(".made-here")
        {
            let bytes = fs::read(&path).expect("a file");
            found.insert(path, bytes);
        }
    }
    found
}

/// Impulses by the names of their files: cells are the same only if these are.
fn impulses(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let all = bytes(&folder.join(store::CELLS)).into_iter();
    let named = all.map(|(path, bytes)| {
        let name = path.file_name().expect("a name").to_string_lossy();
        (name.into_owned(), bytes)
    });
    named
        .filter(|(name, _)| name.ends_with(".impulses"))
        .collect()
}

#[test]
fn parts_are_balanced_and_every_cell_is_in_one() {
    for n in [1, 2, 3, 5, 7, 12, 20] {
        let counts: Vec<usize> = (1..=n)
            .map(|index| {
                (0..CELLS)
                    .filter(|cell| Shard { index, of: n }.has(*cell))
                    .count()
            })
            .collect();
        assert_eq!(counts.iter().sum::<usize>(), CELLS, "{n}");
        let (least, most) = (counts.iter().min(), counts.iter().max());
        assert!(
            most.expect("parts") - least.expect("parts") <= 1,
            "{counts:?}"
        );
    }
}

#[test]
fn two_three_and_seven_parts_in_any_order_are_one_run() {
    for n in [2, 3, 7] {
        let (folder, spec, mut parts) = parts(n);
        let whole = folder.path().join("whole");
        start(&spec, &whole, None);
        for order in 0..3 {
            match order {
                0 => {}
                1 => parts.reverse(),
                _ => parts.rotate_left(1),
            }
            let out = folder.path().join(format!("merged-{order}"));
            if order < 2 {
                let merged = merge(&parts, &out).expect("a merged folder");
                assert_eq!((merged.copied, merged.missing), (CELLS, 0), "{n}");
            } else {
                // one after the other
                for part in &parts {
                    merge(std::slice::from_ref(part), &out).expect("a merged folder");
                }
            }
            let before = bytes(&out);
            let again = merge(&parts, &out).expect("a merged folder");
            let nothing = MergeReport {
                cells: CELLS,
                kept: CELLS,
                ..MergeReport::default()
            };
            assert_eq!(again, nothing, "{n}");
            assert!(bytes(&out) == before, "{n}: a second merge changes files");
            assert_eq!(fsck::check(&out).expect("results").whole, CELLS);
            let report = start(&spec, &out, None);
            assert_eq!((report.ran, report.missing), (0, 0), "{n}");
            assert!(files(&out) == files(&whole), "{n} parts, order {order}");
            assert_eq!(impulses(&out), impulses(&whole), "{n} parts, order {order}");
            fs::remove_dir_all(&out).expect("a folder");
        }
    }
}

#[test]
fn a_status_counts_by_parts() {
    let (folder, spec, parts) = parts(3);
    let out = folder.path().join("out");
    merge(&parts[..2], &out).expect("a merged folder");
    let registry = Registry::standard();
    let of =
        |spec: &Path| status(&registry, &arguments(spec, &out, None), Some(3)).expect("a status");
    // the folder and the spec say the same
    for path in [&out, &spec] {
        let status = of(path);
        let counts: Vec<_> = status
            .shards
            .iter()
            .map(|(_, t)| (t.done, t.missing))
            .collect();
        assert_eq!(counts, [(4, 0), (4, 0), (0, 4)]);
        assert_eq!((status.total.done, status.total.missing), (8, 4));
        assert_eq!((status.stale, status.exit_code()), (0, 1));
    }
    // other cells: those that are there are of the spec as it was
    fs::write(&spec, SPEC.replace("max_sweeps = 20", "max_sweeps = 21")).expect("a spec");
    let edited = of(&spec);
    assert_eq!((edited.total.missing, edited.stale), (CELLS, 8));
    assert_eq!(of(&out).total.done, 8);
    // one that is cut short
    let file = first(&out).0;
    let text = fs::read(&file).expect("a cell");
    fs::write(&file, &text[..text.len() / 2]).expect("a cell");
    assert_eq!((of(&out).total.damaged, of(&out).exit_code()), (1, 6));
}

/// The file of the first cell of a folder, and its key.
fn first(folder: &Path) -> (PathBuf, String) {
    let files = bytes(&folder.join(store::CELLS)).into_keys();
    let mut cells = files.filter(|path| path.extension().is_some_and(|e| e == "json"));
    let file = cells.next().expect("a cell");
    let key = file
        .file_stem()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    (file, key)
}

/// The refusal of a merge of both parts, after which nothing has changed.
#[track_caller]
fn refused(parts: &[PathBuf], out: &Path) -> RunError {
    let before = bytes(out);
    let error = merge(parts, out).expect_err("a refusal");
    assert!(bytes(out) == before, "{error}");
    error
}

#[test]
fn a_half_copied_part_is_refused_and_nothing_is_lost() {
    let (folder, _, parts) = parts(2);
    let out = folder.path().join("out");
    let (file, key) = first(&parts[1]);
    let own = store::impulses_path(&parts[1], &key);
    let [cell, impulses] = [&file, &own].map(|path| fs::read(path).expect("a file"));
    let mut flipped = impulses.clone();
    flipped[0] ^= 1;
    for (path, bytes) in [
        (&file, &cell[..cell.len() - 1]),
        (&file, &cell[..10]),
        (&file, b""),
        (&own, &impulses[..impulses.len() - 3]),
        (&own, &flipped),
    ] {
        fs::write(path, bytes).expect("a file");
        let error = refused(&parts, &out);
        assert!(!out.exists(), "a refusal makes no folder");
        assert_eq!(error.exit_code(), 6, "{error}");
        let named = path.display().to_string();
        assert!(error.to_string().starts_with(&named), "{error}");
        fs::write(&file, &cell).expect("a file");
        fs::write(&own, &impulses).expect("a file");
    }
    fs::remove_file(&own).expect("a file");
    let error = refused(&parts, &out);
    assert!(
        error.to_string().contains(".impulses: is missing"),
        "{error}"
    );
    // a cell that did not come along is missing, and comes with the next merge
    fs::rename(&file, folder.path().join("aside")).expect("a file");
    assert_eq!(merge(&parts, &out).expect("merged").missing, 1);
    fs::rename(folder.path().join("aside"), &file).expect("a file");
    fs::write(&own, &impulses).expect("a file");
    assert_eq!(merge(&parts, &out).expect("merged").copied, 1);
    assert_eq!(fsck::check(&out).expect("results").damages, []);
}

/// Another record under the key of a cell of `from`, in `to`.
fn forge(from: &Path, to: &Path, key: &str, change: impl Fn(&mut CellRecord)) {
    let StoredCell::Cell(mut record) = store::read_cell(from, key) else {
        panic!("no cell {key}");
    };
    change(&mut record);
    store::write_cell(to, &record).expect("a cell");
    let of = |dir| store::impulses_path(dir, key);
    fs::copy(of(from), of(to)).expect("impulses");
}

#[test]
fn two_records_of_one_cell_are_refused_unless_only_times_differ() {
    let (folder, _, parts) = parts(2);
    let out = folder.path().join("out");
    let (file, key) = first(&parts[0]);
    forge(&parts[0], &parts[1], &key, |record| {
        record.outcome.sweeps += 1;
    });
    let error = refused(&parts, &out);
    assert_eq!(error.exit_code(), 6, "{error}");
    let other = store::cell_path(&parts[1], &key);
    for path in [&file, &other] {
        assert!(
            error.to_string().contains(&path.display().to_string()),
            "{error}"
        );
    }
    // against what is there as well
    merge(&parts[..1], &out).expect("merged");
    assert_eq!(refused(&parts[1..], &out).exit_code(), 6);
    // times belong to the machine: the first ones stay
    forge(&parts[0], &parts[1], &key, |record| {
        record.outcome.iterate_seconds = vec![4711.0];
        record.origin = None;
    });
    let before = fs::read(store::cell_path(&out, &key)).expect("a cell");
    assert_eq!(merge(&parts, &out).expect("merged").missing, 0);
    assert!(fs::read(store::cell_path(&out, &key)).expect("a cell") == before);
}

#[test]
fn folders_of_other_cells_and_no_folders_of_results_are_refused() {
    let (folder, spec, parts) = parts(2);
    let out = folder.path().join("out");
    fs::write(&spec, SPEC.replace("max_sweeps = 20", "max_sweeps = 21")).expect("a spec");
    let other = folder.path().join("other");
    start(&spec, &other, Some(Shard { index: 1, of: 2 }));
    let error = refused(&[parts[0].clone(), other.clone()], &out);
    assert_eq!(error.exit_code(), 2, "{error}");
    assert!(error.to_string().contains("other"), "{error}");
    assert_eq!(refused(&parts, &other).exit_code(), 2);
    assert_eq!(
        refused(&[folder.path().join("nowhere")], &out).exit_code(),
        2
    );
    // a folder merged with itself is one folder
    let twice = [parts[0].clone(), parts[0].join("../part-1"), out.clone()];
    assert_eq!(merge(&twice, &out).expect("merged").copied, CELLS / 2);
}

#[test]
fn a_merge_that_fails_at_any_operation_goes_on_when_it_is_called_again() {
    let (folder, _, parts) = parts(2);
    let out = folder.path().join("out");
    arm(None);
    merge(&parts, &out).expect("merged");
    let operations = disarm();
    let whole = bytes(&out);
    let mut failed = 0;
    for at in 0..operations.len() {
        fs::remove_dir_all(&out).expect("a folder");
        arm(Some((at, Fault::Full)));
        let ended = merge(&parts, &out);
        disarm();
        if let Err(error) = ended {
            failed += 1;
            // impulses that could not be read once look damaged
            assert!([2, 3, 6].contains(&error.exit_code()), "{at}: {error}");
        }
        if let Ok(checked) = fsck::check(&out) {
            assert_eq!(checked.damages, [], "{at}");
        }
        merge(&parts, &out).expect("merged");
        assert!(bytes(&out) == whole, "{at}");
    }
    println!("{} operations, {failed} failed merges", operations.len());
    assert!(failed > operations.len() / 2);
}
