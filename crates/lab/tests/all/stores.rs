//! Two runs on one store, locks that nobody holds, folders that cannot be written, clocks that
//! jump.

use std::fs::{self, File, FileTimes};
use std::process::{Child, Stdio};
use std::time::{Duration, SystemTime};

use delassus_conformance::skip;
use delassus_records::store::{self, StoredCell};

use crate::folder::quick;
use crate::lock::Holder;
use crate::support::{Lab, Ran};

const RUN: [&str; 4] = ["run", "quick", "--out", "out"];

fn starts(lab: &Lab, arguments: &[&str]) -> Child {
    let mut command = lab.command(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

fn ends(child: Child) -> Ran {
    Ran::from(child.wait_with_output().expect("its output"))
}

/// The results are whole, and all of them are there.
#[track_caller]
fn whole(lab: &Lab) {
    let checked = lab.run(&["fsck", "out", "--json"]);
    assert_eq!(checked.code, 0, "{}", checked.stdout);
    let totals = checked.objects().pop().expect("totals");
    assert_eq!(
        (&totals["whole"], &totals["missing"]),
        (&4.into(), &0.into())
    );
}

/// How many cells a run did.
#[track_caller]
fn ran(lab: &Lab) -> u64 {
    let ran = lab.run(&[&RUN[..], &["--json"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let totals = ran.objects().pop().expect("totals");
    totals["ran"].as_u64().expect("a number")
}

#[test]
fn of_runs_that_begin_together_one_works_and_the_others_are_told() {
    let lab = quick();
    let children: Vec<Child> = (0..4).map(|_| starts(&lab, &RUN)).collect();
    let codes: Vec<i32> = children.into_iter().map(|child| ends(child).code).collect();
    assert!(codes.contains(&0), "{codes:?}");
    assert!(codes.iter().all(|code| [0, 3].contains(code)), "{codes:?}");
    whole(&lab);
}

#[test]
fn runs_that_wait_for_each_other_do_every_cell_once() {
    let lab = quick();
    let wait = [&RUN[..], &["--wait", "--json"]].concat();
    let children: Vec<Child> = (0..3).map(|_| starts(&lab, &wait)).collect();
    let mut sum = 0;
    for child in children {
        let ran = ends(child);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let totals = ran.objects().pop().expect("totals");
        sum += totals["ran"].as_u64().expect("a number");
    }
    assert_eq!(sum, 4);
    whole(&lab);
}

#[test]
fn parts_that_begin_together_do_not_disturb_each_other() {
    let lab = quick();
    let children: Vec<Child> = ["1/3", "2/3", "3/3"]
        .map(|part| starts(&lab, &[&RUN[..], &["--shard", part]].concat()))
        .into();
    for child in children {
        let ran = ends(child);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    assert_eq!(ran(&lab), 0);
    whole(&lab);
}

#[test]
fn every_verb_that_writes_or_checks_waits_for_no_run_and_says_so() {
    let lab = quick();
    let holder = Holder::new(&lab, &[]);
    for request in [
        &["fsck", "out"][..],
        &["migrate", "out"],
        &["report", "out"],
        &["merge", "out", "-o", "elsewhere"],
    ] {
        let ran = lab.run(request);
        assert_eq!(ran.code, 3, "{request:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("in use by process"), "{}", ran.stderr);
    }
    assert!(!lab.path("elsewhere").exists());
    // who only looks may look
    let status = lab.run(&["status", "out", "--json"]);
    assert_eq!(status.code, 1, "{}", status.stderr);
    holder.kill();
}

#[test]
fn a_merge_into_a_folder_in_use_is_refused() {
    let lab = quick();
    let part = lab.run(&["run", "quick", "--out", "part", "--shard", "1/2"]);
    assert_eq!(part.code, 0, "{}", part.stderr);
    let holder = Holder::new(&lab, &[]);
    let mut names = fs::read_dir(lab.path("out/cells")).map_or(0, Iterator::count);
    let refused = lab.run(&["merge", "part", "-o", "out"]);
    // other cells, or in use: whichever is noticed first, nothing is written
    assert!([2, 3].contains(&refused.code), "{}", refused.stderr);
    names -= fs::read_dir(lab.path("out/cells")).map_or(0, Iterator::count);
    assert_eq!(names, 0);
    holder.kill();
}

#[test]
fn a_lock_that_nobody_holds_is_no_lock_whatever_it_says() {
    // a process that lives, one that does not, no number, no text, very much of it
    let one = std::process::id().to_string();
    for text in [
        one.as_bytes(),
        b"1",
        b"4294967295",
        b"",
        b"\xff\xfe",
        &[b'9'; 100_000],
    ] {
        let lab = quick();
        lab.file("out/.lock", text);
        lab.file("out/.lock-1-of-2", text);
        assert_eq!(ran(&lab), 4);
        let shard = lab.run(&[&RUN[..], &["--shard", "1/2"]].concat());
        assert_eq!(shard.code, 0, "{}", shard.stderr);
        whole(&lab);
    }
}

#[test]
fn a_lock_that_cannot_be_opened_is_named() {
    let lab = quick();
    fs::create_dir_all(lab.path("out/.lock")).expect("a folder");
    let refused = lab.run(&RUN);
    assert_eq!(refused.code, 3, "{}", refused.stderr);
    assert!(
        refused
            .stderr
            .starts_with("error: cannot lock out: .lock is a folder, not a file; move it away"),
        "{}",
        refused.stderr
    );
    assert!(!lab.path("out/cells").exists());
}

/// Takes the right to write away; false where that does not bind this user.
fn closed(folder: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o555)).expect("permissions");
    let probe = folder.join("probe");
    let open = File::create(&probe).is_ok();
    if open {
        fs::remove_file(probe).expect("a file");
        let test = "a_folder_that_is_read_only_is_read_and_not_written";
        skip(test, "permissions do not bind the administrator");
    }
    !open
}

fn opened(folder: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).expect("permissions");
}

#[test]
fn a_folder_that_is_read_only_is_read_and_not_written() {
    let lab = quick();
    assert_eq!(ran(&lab), 4);
    let out = lab.path("out");
    fs::remove_file(out.join("figures/curves.svg")).expect("a figure");
    if closed(&out) && closed(&out.join("cells")) {
        let refused = lab.run(&RUN);
        assert_eq!(refused.code, 3, "{}", refused.stderr);
        assert!(
            refused.stderr.contains("cannot write out"),
            "{}",
            refused.stderr
        );
        for request in [
            &["status", "out"][..],
            &["merge", "out", "-o", "copy"],
            &["verify", "out"],
        ] {
            let ran = lab.run(request);
            assert!([0, 6].contains(&ran.code), "{request:?}: {}", ran.stderr);
        }
    }
    opened(&out);
    opened(&out.join("cells"));
    assert_eq!(ran(&lab), 0);
    whole(&lab);
}

#[test]
fn a_file_that_cannot_have_its_name_ends_the_run_with_its_name() {
    let lab = quick();
    assert_eq!(ran(&lab), 4);
    let cells = fs::read_dir(lab.path("out/cells")).expect("cells");
    let cells = cells.map(|entry| entry.expect("an entry").path());
    let cell = cells
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .min();
    let cell = cell.expect("a cell");
    // no file is renamed over a folder that is not empty, nor read from it
    fs::remove_file(&cell).expect("a cell");
    fs::create_dir_all(cell.join("taken")).expect("a folder");
    let refused = lab.run(&RUN);
    assert_eq!(refused.code, 3, "{}", refused.stderr);
    let name = cell
        .file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    assert!(refused.stderr.contains(&name), "{}", refused.stderr);
    // and no part of it stays behind
    let parts = fs::read_dir(lab.path("out/cells"))
        .expect("cells")
        .filter(|entry| {
            let name = entry.as_ref().expect("an entry").file_name();
            name.to_string_lossy().contains(".part-")
        });
    assert_eq!(parts.count(), 0);
    fs::remove_dir_all(&cell).expect("a folder");
    assert_eq!(ran(&lab), 1);
    whole(&lab);
}

#[test]
fn files_from_the_future_or_the_past_are_kept() {
    let lab = quick();
    assert_eq!(ran(&lab), 4);
    let century = Duration::from_secs(100 * 365 * 86_400);
    for time in [SystemTime::UNIX_EPOCH, SystemTime::now() + century] {
        for folder in ["out", "out/cells", "quick"] {
            for entry in fs::read_dir(lab.path(folder)).expect("a folder") {
                let path = entry.expect("an entry").path();
                let file = File::open(&path).expect("a file");
                let times = FileTimes::new().set_modified(time).set_accessed(time);
                file.set_times(times).expect("times");
            }
        }
        assert_eq!(ran(&lab), 0, "{time:?}");
        whole(&lab);
    }
}

#[test]
fn cells_that_were_made_by_a_clock_that_was_wrong_are_kept() {
    let lab = quick();
    assert_eq!(ran(&lab), 4);
    let out = lab.path("out");
    for (date, seconds) in [
        ("2999-01-01T00:00:00Z", 1e9),
        ("1970-01-01T00:00:00Z", -1.0),
    ] {
        for entry in fs::read_dir(out.join("cells")).expect("cells") {
            let path = entry.expect("an entry").path();
            let Some(key) = path
                .file_name()
                .and_then(|n| n.to_str()?.strip_suffix(".json"))
            else {
                continue;
            };
            let StoredCell::Cell(mut record) = store::read_cell(&out, key) else {
                panic!("no cell {key}");
            };
            record.origin.as_mut().expect("an origin").date = date.to_owned();
            record.outcome.iterate_seconds.fill(seconds);
            store::write_cell(&out, &record).expect("a cell");
        }
        // they are made in place of those that the run left, so that nothing may say which it left
        fs::remove_file(out.join("outputs.json")).expect("a list");
        assert_eq!(ran(&lab), 0, "{date}");
        whole(&lab);
    }
}

#[test]
fn results_that_go_away_under_a_run_are_an_error_and_come_back() {
    let lab = quick();
    let holder = Holder::new(&lab, &[]);
    // the run is stopped in its cell; its folder is no folder any more when it goes on
    fs::rename(lab.path("out"), lab.path("moved")).expect("a folder");
    holder.kill();
    assert!(!lab.path("out").exists());
    assert_eq!(ran(&lab), 4);
    whole(&lab);
}
