//! Lists of files, flipped, marked and cut short.

use std::fs;

use super::*;

fn report(dir: &Path, files: &[(&str, &str)], of: &str) {
    let mut outputs = Outputs::begin(dir, Work::Run);
    for (name, text) in files {
        outputs.put(name, text.as_bytes()).unwrap();
    }
    outputs.finish(of).unwrap();
}

#[test]
fn a_renamed_figure_goes_and_what_is_the_users_stays() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let first = [
        ("records.csv", "r"),
        ("figures/old.svg", "o"),
        ("figures/edited.svg", "e"),
        ("figures/kept.svg", "k"),
    ];
    report(dir, &first, "1");
    fs::write(dir.join("figures/edited.svg"), "E").unwrap();
    fs::write(dir.join("figures/mine.svg"), "m").unwrap();
    report(
        dir,
        &[("figures/kept.svg", "k"), ("tables/t.csv", "t")],
        "2",
    );
    let there = |name: &str| dir.join(name).exists();
    assert!(!there("figures/old.svg"));
    for name in [
        "records.csv",
        "figures/edited.svg",
        "figures/mine.svg",
        "figures/kept.svg",
        "tables/t.csv",
    ] {
        assert!(there(name), "{name}");
    }
    // what the report before the last wrote is still known
    assert!(read(dir).files.contains_key("records.csv"));
}

#[test]
fn nothing_leads_out_of_the_folder() {
    for name in [
        "figures/../x",
        "../figures/x.svg",
        "figures/a/b.svg",
        "/figures/x.svg",
        "report.html",
        "figures/.x",
        "figures\\x",
    ] {
        assert!(!is_view(name), "{name}");
    }
    assert!(is_view("figures/a-b_1.svg") && is_view("tables/x.csv"));
}

#[test]
fn a_report_is_current_while_its_source_and_its_files_are() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    assert!(!are_current(dir, ""));
    report(dir, &[("a", "1"), ("figures/b", "2")], "source");
    assert!(are_current(dir, "source") && !are_current(dir, "another"));
    fs::write(dir.join("a"), "12").unwrap();
    assert!(!are_current(dir, "source"), "another length");
    report(dir, &[("a", "1"), ("figures/b", "2")], "source");
    fs::remove_file(dir.join("figures/b")).unwrap();
    assert!(!are_current(dir, "source"), "a missing file");
    fs::write(dir.join(LIST), "{").unwrap();
    assert!(!are_current(dir, "source"), "a damaged list");
    report(dir, &[("a", "1")], "source");
    fs::write(dir.join("a"), "2").unwrap();
    assert!(!are_current(dir, "source"), "other bytes");
}

#[test]
fn every_flipped_bit_of_a_list_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let mut outputs = Outputs::begin(dir, Work::Run);
    outputs.put("a", b"1").unwrap();
    outputs.set_cells([("k".to_owned(), "s".to_owned())].into());
    outputs.finish("of").unwrap();
    let whole = fs::read(dir.join(LIST)).unwrap();
    let before = listed(dir).unwrap();
    assert!(before.has_sum && before.under_way.is_none());
    for bit in 0..8 * whole.len() {
        let mut changed = whole.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        fs::write(dir.join(LIST), &changed).unwrap();
        // a list whose sum has another name has none, which a folder with a root does not forgive
        let found = listed(dir).map_or(true, |list| !list.has_sum);
        assert!(found, "bit {bit}");
    }
}

#[test]
fn a_folder_is_marked_before_it_changes_and_a_report_does_not_end_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    mark(dir, Work::Run).unwrap();
    assert!(!dir.join(LIST).exists());
    report(dir, &[("a", "1")], "source");
    for (work, expected) in [(Work::Report, Work::Report), (Work::Run, Work::Run)] {
        mark(dir, work).unwrap();
        assert_eq!(listed(dir).unwrap().under_way, Some(expected));
        assert!(!are_current(dir, "source"));
    }
    for list in ["of a run that was cut short", "none"] {
        let outputs = Outputs::begin(dir, Work::Report);
        outputs.finish("").unwrap();
        assert_eq!(listed(dir).unwrap().under_way, Some(Work::Run), "{list}");
        fs::remove_file(dir.join(LIST)).unwrap();
    }
    report(dir, &[("a", "2")], "source");
    assert_eq!(listed(dir).unwrap().under_way, None);
    // a report that changes nothing leaves what is known
    let mut outputs = Outputs::begin(dir, Work::Report);
    outputs.put("a", b"2").unwrap();
    outputs.finish("").unwrap();
    assert!(are_current(dir, "source"));
    // a change that is cut short leaves the mark
    let mut outputs = Outputs::begin(dir, Work::Report);
    outputs.put("a", b"3").unwrap();
    assert_eq!(listed(dir).unwrap().under_way, Some(Work::Report));
}

#[test]
fn equal_files_are_not_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    report(dir, &[("a", "1")], "");
    let before = fs::metadata(dir.join("a")).unwrap();
    let mut permissions = before.permissions();
    permissions.set_readonly(true);
    fs::set_permissions(dir.join("a"), permissions).unwrap();
    report(dir, &[("a", "1")], "");
    // a new file in its place would have the permissions of any new file
    assert!(
        fs::metadata(dir.join("a"))
            .unwrap()
            .permissions()
            .readonly()
    );
    report(dir, &[("a", "2")], "");
    assert!(
        !fs::metadata(dir.join("a"))
            .unwrap()
            .permissions()
            .readonly()
    );
}

#[test]
fn a_file_in_pieces_is_listed_as_the_file_as_a_whole() {
    let list_of = |in_pieces: bool| {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let mut outputs = Outputs::begin(dir, Work::Run);
        let calls = std::cell::Cell::new(0);
        let put = |outputs: &mut Outputs<'_>| match in_pieces {
            false => outputs.put("a", b"one two"),
            true => outputs.put_with("a", |file| {
                calls.set(calls.get() + 1);
                file.write_all(b"one ")?;
                file.write_all(b"two")
            }),
        };
        put(&mut outputs).unwrap();
        assert_eq!(fs::read(dir.join("a")).unwrap(), b"one two");
        put(&mut outputs).unwrap();
        outputs.finish("of").unwrap();
        (fs::read(dir.join(LIST)).unwrap(), calls.get())
    };
    let ((whole, _), (pieces, calls)) = (list_of(false), list_of(true));
    assert_eq!(whole, pieces);
    // for its hash, into the file, and for the hash of what is there already
    assert_eq!(calls, 3);
}
