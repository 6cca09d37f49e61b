//! What a check of a results folder finds, and what migration makes of older cells.

use std::fs;
use std::path::{Path, PathBuf};

use delassus_runner::error::RunError;
use delassus_runner::fsck::{FsckReport, check, migrate};

use crate::support::{run_into, write};

const SPEC: &str = "title = \"F\"\n[[problem]]\nuse = \"chain\"\nn = [2, 3]\n[[solver]]\nuse = \"pgs\"\n[stop]\n\
                    max_sweeps = 3\n[measure]\nmetrics = [\"natural_map\"]\nsamples = { every = 3 }\n";

/// A folder with results.
fn results(folder: &Path) -> PathBuf {
    let out = folder.join("out");
    run_into(&write(folder, SPEC), &out, 1);
    out
}

/// The files of the cells with this ending.
fn files(out: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(out.join("cells")).expect("cells");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == ending));
    files.sort();
    files
}

/// The files of the records.
fn cells(out: &Path) -> Vec<PathBuf> {
    files(out, "json")
}

fn checked(out: &Path) -> FsckReport {
    check(out).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_flipped_byte_and_every_truncation_of_a_cell_is_found_and_mended() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = results(folder.path());
    let fine = checked(&out);
    assert_eq!((fine.cells, fine.whole, fine.exit_code()), (2, 2, 0));
    let cell = cells(&out).remove(0);
    let whole = fs::read(&cell).expect("a cell");
    let name = cell
        .file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    let found = |bytes: &[u8], what: String| {
        fs::write(&cell, bytes).expect("a file");
        let checked = checked(&out);
        assert_eq!((checked.whole, checked.exit_code()), (1, 6), "{what}");
        assert_eq!(checked.damages.len(), 1, "{what}");
        assert!(checked.damages[0].file.ends_with(&name), "{what}");
        checked.damages[0].lost.clone()
    };
    let mut named = 0;
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        let lost = found(&changed, format!("byte {at}"));
        named += usize::from(lost.starts_with("the cell chain n=") && lost.ends_with(" with pgs"));
        found(&whole[..at], format!("length {at}"));
    }
    // most of a record does not hide whose it is
    assert!(2 * named > whole.len(), "{named} of {}", whole.len());
    // the damage that is left is the last one
    let again = run_into(&write(folder.path(), SPEC), &out, 1);
    assert_eq!((again.ran, again.kept), (1, 1));
    assert_eq!(checked(&out).exit_code(), 0);
}

#[test]
fn impulses_that_are_missing_or_changed_are_found_and_mended() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = results(folder.path());
    let file = files(&out, "impulses").remove(0);
    let whole = fs::read(&file).expect("impulses");
    for at in 0..=whole.len() {
        let mut changed = whole.clone();
        match changed.get_mut(at) {
            Some(byte) => *byte ^= 1,
            None => changed.clear(),
        }
        fs::write(&file, changed).expect("a file");
        let found = checked(&out);
        assert_eq!((found.damages.len(), found.exit_code()), (1, 6), "{at}");
        assert!(found.damages[0].file.ends_with(".impulses"), "{found:?}");
        assert_eq!((found.cells, found.whole), (2, 1), "{found:?}");
    }
    for mend in [false, true] {
        if mend {
            fs::remove_file(&file).expect("a file");
        }
        let again = run_into(&write(folder.path(), SPEC), &out, 1);
        assert_eq!((again.ran, again.kept), (1, 1));
        assert_eq!(fs::read(&file).expect("impulses"), whole);
        assert_eq!(checked(&out).exit_code(), 0);
    }
}

#[test]
fn what_a_report_wrote_is_checked_and_what_is_to_do_is_no_damage() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = results(folder.path());
    let files = [
        "records.csv",
        "summary.csv",
        "manifest.json",
        "experiment.json",
        "report.html",
    ];
    for name in files {
        let whole = fs::read(out.join(name)).expect(name);
        let mut changed = whole.clone();
        let middle = changed.len() / 2;
        changed[middle] ^= 1;
        fs::write(out.join(name), changed).expect(name);
        let found = checked(&out);
        assert!(
            found.damages.iter().any(|d| d.file == name),
            "{name}: {found:?}"
        );
        fs::write(out.join(name), whole).expect(name);
    }
    let mut cells = cells(&out);
    let stray = cells[0].with_file_name(format!("{}.json", "0".repeat(64)));
    fs::rename(cells.remove(0), &stray).expect("a file");
    fs::write(out.join("cells/.part-x.tmp"), "x").expect("a file");
    let found = checked(&out);
    assert_eq!((found.missing, found.left_over), (1, 1));
    let reasons: Vec<&str> = found.damages.iter().map(|d| d.reason.as_str()).collect();
    assert_eq!(reasons.len(), 2, "{reasons:?}");
    assert!(reasons.contains(&"it holds another cell"), "{reasons:?}");
    assert!(reasons.contains(&"is gone: the run left it"), "{reasons:?}");
    assert_eq!((found.whole, found.strays), (1, 0), "{found:?}");
    fs::remove_file(&stray).expect("a file");
    // a folder that is not whole says of no cell that it is gone
    let list = fs::read(out.join("outputs.json")).expect("a list");
    fs::remove_file(out.join("outputs.json")).expect("a list");
    fs::write(out.join("cells/notes.json"), "{}").expect("a file");
    assert!(checked(&out).damages[0].reason.contains("no key"));
    fs::write(out.join("cells/notes.json"), "").expect("a file");
    fs::remove_file(out.join("cells/notes.json")).expect("a file");
    assert_eq!(checked(&out).exit_code(), 0);
    fs::write(out.join("outputs.json"), list).expect("a list");
    assert!(checked(&out).damages[0].reason.contains("is gone"));
    fs::write(out.join("outputs.json"), "{").expect("a file");
    assert_eq!(checked(&out).damages[0].file, "outputs.json");
    fs::write(out.join("experiment.json"), "{").expect("a file");
    assert_eq!(checked(&out).damages[0].file, "experiment.json");
    // one whole cell that nobody asks for any more
    assert_eq!((checked(&out).cells, checked(&out).strays), (0, 1));
}

#[test]
fn a_list_cannot_lead_out_of_the_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = results(folder.path());
    let list = fs::read_to_string(out.join("outputs.json")).expect("a list");
    let list = list.replace("\"records.csv\"", "\"../spec.toml\"");
    // a list of an older program has no checksum
    let sum = list.find("\"sum\": \"").map(|at| at + 8).expect("a sum");
    let list = format!("{}{}", &list[..sum], &list[sum + 64..]);
    fs::write(out.join("outputs.json"), list).expect("a list");
    let experiment = fs::read_to_string(out.join("experiment.json")).expect("a file");
    let key = experiment
        .find("\"cells\": [")
        .map(|at| at + 10)
        .expect("cells");
    let forged = format!("{}\"../../x\",{}", &experiment[..key], &experiment[key..]);
    fs::write(out.join("experiment.json"), forged).expect("a file");
    let found = checked(&out);
    let reasons: Vec<&str> = found.damages.iter().map(|d| d.reason.as_str()).collect();
    assert!(
        reasons
            .iter()
            .any(|r| r.contains("leads out of the folder")),
        "{reasons:?}"
    );
    assert!(
        reasons.iter().any(|r| r.contains("no key of a cell")),
        "{reasons:?}"
    );
}

#[test]
fn a_folder_that_is_none_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    for dir in [folder.path().to_owned(), folder.path().join("nowhere")] {
        for error in [check(&dir).err(), migrate(&dir).err()] {
            assert!(matches!(error, Some(RunError::Read { .. })), "{error:?}");
        }
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

/// What a run leaves that is killed while it tries whether it can write its first cell.
#[test]
fn temporary_files_alone_are_no_damaged_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("cells")).expect("a folder");
    fs::write(folder.path().join("cells/.part-x.tmp"), "").expect("a file");
    let error = check(folder.path()).expect_err("no results");
    assert!(matches!(error, RunError::Read { .. }), "{error}");
}

#[test]
fn cells_of_the_first_form_are_kept_checked_and_migrated() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = results(folder.path());
    let cells = cells(&out);
    let whole: Vec<Vec<u8>> = cells
        .iter()
        .map(|path| fs::read(path).expect("a cell"))
        .collect();
    let first = |path: &Path, bytes: &[u8]| {
        let text = String::from_utf8(bytes.to_vec()).expect("text");
        assert!(text.starts_with("{\"schema\":2,"), "{text}");
        fs::write(path, text.replacen("{\"schema\":2,", "{", 1)).expect("a file");
    };
    first(&cells[0], &whole[0]);
    let again = run_into(&write(folder.path(), SPEC), &out, 1);
    assert_eq!(
        (again.ran, again.kept),
        (0, 2),
        "an older form is read as it is"
    );
    let found = checked(&out);
    assert_eq!((found.whole, found.older, found.exit_code()), (2, 1, 0));
    // one of a newer program is left alone
    let newer = String::from_utf8(whole[1].clone()).expect("text");
    let newer = newer.replacen("{\"schema\":2,", "{\"schema\":3,", 1);
    fs::write(&cells[1], &newer).expect("a file");
    let migrated = migrate(&out).expect("a migration");
    assert_eq!(
        (migrated.migrated, migrated.current, migrated.left.len()),
        (1, 0, 1)
    );
    assert!(migrated.left[0].reason.contains("schema 3"), "{migrated:?}");
    assert_eq!(fs::read(&cells[0]).expect("a cell"), whole[0]);
    assert_eq!(fs::read_to_string(&cells[1]).expect("a cell"), newer);
    fs::write(&cells[1], &whole[1]).expect("a file");
    assert_eq!(migrate(&out).expect("a migration").current, 2);
    assert_eq!(checked(&out).exit_code(), 0);
}
