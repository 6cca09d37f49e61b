//! Results in a folder that the reader may not write to.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;

use delassus_conformance::skip;

use crate::folder::{quick, run};
use crate::forger::forget_source;
use crate::lock::Holder;
use crate::support::{Lab, Ran};

/// Somebody without rights: whom no permission of the administrator's folders lets write.
const NOBODY: u32 = 65_534;

/// Gives everybody the right to read all of a folder, and to write to none of it.
fn close(folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => close(&path),
            false => permit(&path, 0o444),
        }
    }
    permit(folder, 0o555);
}

/// Gives the right to write back, so that the folder can be removed.
fn open(folder: &Path) {
    permit(folder, 0o755);
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => open(&path),
            false => permit(&path, 0o644),
        }
    }
}

fn permit(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
}

/// Runs the program as somebody who may not write to `out`, and may to `mine`; `None` where it
/// cannot be run so.
fn reader(lab: &Lab, arguments: &[&str]) -> Option<Ran> {
    let mut command = lab.command(arguments);
    // permissions do not bind the administrator
    if fs::metadata(lab.path(".")).expect("a folder").uid() == 0 {
        command.uid(NOBODY).gid(NOBODY);
    }
    command.env("TMPDIR", lab.path("mine"));
    match command.output() {
        Ok(output) => Some(Ran::from(output)),
        Err(error) => {
            skip(
                "read_only",
                format!("the program cannot be started: {error}"),
            );
            None
        }
    }
}

/// Results in `out`, which is closed, and a folder `mine` for the reader.
fn closed() -> Lab {
    let lab = quick();
    run(&lab, &[]);
    // the archive needs pictures of its own
    forget_source(&lab.path("out"));
    fs::create_dir(lab.path("mine")).expect("a folder");
    permit(&lab.path("mine"), 0o777);
    permit(&lab.path("."), 0o755);
    close(&lab.path("out"));
    lab
}

/// Names, bytes and times of everything in a folder.
fn state(folder: &Path) -> Vec<(String, Vec<u8>, i64)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => all.extend(state(&path)),
            false => {
                let changed = fs::metadata(&path).expect("a file").mtime_nsec();
                let bytes = fs::read(&path).expect("a file");
                all.push((path.display().to_string(), bytes, changed));
            }
        }
    }
    all.sort();
    all
}

#[test]
fn read_only_results_are_checked_bundled_and_drawn_elsewhere() {
    let lab = closed();
    let out = lab.path("out");
    let before = state(&out);
    for request in [
        &["verify", "out"][..],
        &["fsck", "out"],
        &["bundle", "out", "--out", "mine/b.zip"],
        &["report", "out", "--out", "mine/drawn"],
        &["data", "out", "--out", "mine/data", "--format", "csv"],
        &["show", "out"],
        &["compare", "out"],
    ] {
        let Some(ran) = reader(&lab, request) else {
            return open(&out);
        };
        assert_eq!(ran.code, 0, "{request:?}: {}{}", ran.stdout, ran.stderr);
    }
    assert!(state(&out) == before, "the results have changed");
    for name in [
        "report.html",
        "figures/curves.svg",
        "summary.csv",
        "records.csv",
    ] {
        let drawn = fs::read(lab.path("mine/drawn").join(name)).expect(name);
        assert!(
            drawn == fs::read(out.join(name)).expect(name),
            "{name} differs"
        );
    }
    assert!(lab.path("mine/b.zip").is_file());
    let refused = reader(&lab, &["report", "out"]).expect("the program starts");
    assert_eq!(refused.code, 3, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("--out FOLDER"),
        "{}",
        refused.stderr
    );
    open(&out);
}

#[test]
fn cells_that_the_reader_may_not_read_are_not_gone() {
    let lab = closed();
    let out = lab.path("out");
    for mode in [0o700, 0o744, 0o711] {
        permit(&out.join("cells"), mode);
        // the administrator made them, and any other owner may read them
        if fs::metadata(&out).expect("a folder").uid() != 0 {
            permit(&out.join("cells"), mode & 0o077);
        }
        for request in [
            &["verify", "out"][..],
            &["fsck", "out"],
            &["bundle", "out", "--out", "mine/b.zip"],
            &["report", "out", "--out", "mine/drawn"],
            &["data", "out", "--out", "mine/data"],
            &["show", "out"],
            &["compare", "out"],
            &["plot", "out", "--out", "mine/p.svg"],
        ] {
            let Some(ran) = reader(&lab, request) else {
                return open(&out);
            };
            let what = format!("{mode:o} {request:?}: {}{}", ran.stdout, ran.stderr);
            assert_eq!(ran.code, 3, "{what}");
            assert!(ran.stderr.contains("cannot read out/cells"), "{what}");
        }
    }
    open(&out);
}

#[test]
fn a_reader_is_told_of_a_run_that_is_under_way() {
    let lab = quick();
    let holder = Holder::new(&lab, &[]);
    permit(&lab.path("."), 0o755);
    close(&lab.path("out"));
    for request in [
        &["bundle", "out", "--out", "mine.zip"][..],
        &["report", "out", "--out", "drawn"],
        &["fsck", "out"],
    ] {
        let Some(ran) = reader(&lab, request) else {
            break;
        };
        assert_eq!(ran.code, 3, "{request:?}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("is in use"), "{}", ran.stderr);
    }
    open(&lab.path("out"));
    holder.kill();
}

#[test]
fn a_report_elsewhere_replaces_only_a_report() {
    let lab = quick();
    run(&lab, &[]);
    lab.file("mine/notes.txt", "mine");
    for (folder, what) in [("mine", "not empty"), ("out", "results of a run")] {
        let refused = lab.run(&["report", "out", "--out", folder]);
        refused.is_refused_with(&["--out", folder, what]);
    }
    let both = lab.run(&["report", "out", "--out", "drawn", "--width", "column"]);
    assert_eq!(both.code, 0, "{}", both.stderr);
    assert!(lab.path("drawn/figures/curves-84mm.svg").exists());
    assert_eq!(both.stdout, "drawn/report.html\n");
    // the index is that of the folder of the results
    assert!(!lab.path("index.html").exists());
    let again = lab.run(&["report", "out", "--out", "drawn"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert!(!lab.path("drawn/figures/curves-84mm.svg").exists());
    assert_eq!(lab.run(&["verify", "out"]).code, 0);
}
