use std::path::Path;

use delassus_records::disk::fault::{Fault, arm, disarm};
use serde_json::json;

use super::*;
use crate::testing::{HOSTILE, assert_well_formed};

/// A results folder as a run leaves it: its experiment, its cells by how they ended, one of them
/// not run.
fn results(folder: &Path, name: &str, text: &str, endings: &[&str]) {
    let dir = folder.join(name);
    fs::create_dir_all(&dir).expect("a folder");
    let keys: Vec<String> = (0..=endings.len()).map(|i| i.to_string()).collect();
    let saved = json!({
        "id": name, "title": format!("Title {text}"), "question": format!("Question {text}"),
        "readme": format!("# A\n\n## Finding\n\n**It is found {text}.** And more.\n"), "cells": keys,
    });
    let put = |file: &str, text: &str| fs::write(dir.join(file), text).expect("a file");
    put(EXPERIMENT, &saved.to_string());
    let rows = endings
        .iter()
        .map(|ending| format!("{name},\"{ending}\",1\n"));
    put(
        "summary.csv",
        &format!("experiment,status,x\n{}", rows.collect::<String>()),
    );
    let manifest = json!({ "date": "2026-01-02T13:45:06Z", "cpu": format!("CPU {text}") });
    put("manifest.json", &manifest.to_string());
    put("report.html", "<title>a report</title>");
}

fn page_of(folder: &Path) -> String {
    match renew(folder).expect("a page") {
        IndexUpdate::Is(path, _) => fs::read_to_string(path).expect("the page"),
        other => panic!("{other:?}"),
    }
}

fn body(page: &str) -> &str {
    let start = page.find("<body>").expect("a body");
    page[start..].trim_end().trim_end_matches("</html>")
}

/// Three experiments, one of them without a report.
fn some(folder: &Path) {
    results(
        folder,
        "01-chains",
        "of chains",
        &["solved", "max_sweeps", "failed"],
    );
    results(
        folder,
        "02-falling",
        "of falling",
        &["ended", "cycling(2)", "crashed"],
    );
    results(folder, "03-new", "of new", &[]);
    for name in ["report.html", "summary.csv", "manifest.json"] {
        fs::remove_file(folder.join("03-new").join(name)).expect("a file");
    }
}

#[test]
fn the_page_has_a_row_per_experiment() {
    let folder = tempfile::tempdir().expect("a folder");
    some(folder.path());
    fs::create_dir(folder.path().join("other")).expect("a folder");
    let page = page_of(folder.path());
    assert_well_formed(body(&page).replace("<br>", "").as_str());
    assert_eq!(page.matches("<tr role=\"row\">").count(), 4);
    for part in [
        "<a href=\"./01-chains/report.html\"><bdi>Title of chains</bdi></a>",
        "<bdi>Question of falling</bdi>",
        "<bdi>It is found of chains.</bdi>",
        "<bdi>2026-01-02 13:45</bdi>",
        "<bdi>CPU of falling</bdi>",
        "<b><bdi>Title of new</bdi></b>",
        "no report yet",
        "<a href=\"./01-chains/summary.csv\" aria-label=\"summary.csv of 01-chains\">",
        "<div><dt>experiments</dt><dd>3</dd></div>",
        "<div><dt>cells</dt><dd>9</dd></div>",
        "<div><dt>failed</dt><dd>2</dd></div>",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let rows = scan(folder.path()).expect("rows");
    let counts: Vec<_> = rows
        .iter()
        .map(|row| row.holds.as_ref().expect("an experiment"))
        .map(|e| (e.cells, e.done, e.good, e.failed))
        .collect();
    assert_eq!(counts, [(4, 3, 1, 1), (4, 3, 1, 1), (1, 0, 0, 0)]);
}

#[test]
fn a_damaged_neighbour_has_a_row_that_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path();
    some(dir);
    fs::write(dir.join("01-chains").join(EXPERIMENT), "{\"title\": 3").expect("a file");
    fs::write(dir.join("02-falling/summary.csv"), "experiment,x\na,b,c\n").expect("a file");
    fs::create_dir_all(dir.join("04-strange").join(EXPERIMENT)).expect("a folder");
    #[cfg(unix)]
    {
        fs::create_dir(dir.join("05-pipe")).expect("a folder");
        let pipe = dir.join("05-pipe").join(EXPERIMENT);
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo").success());
        fs::create_dir(dir.join("06-lost")).expect("a folder");
        std::os::unix::fs::symlink("nowhere", dir.join("06-lost").join(EXPERIMENT))
            .expect("a link");
    }
    let page = page_of(dir);
    assert_well_formed(body(&page).replace("<br>", "").as_str());
    for part in [
        "cannot be read: <bdi>experiment.json is damaged: ",
        "summary.csv is damaged: it has no column of statuses",
        "<bdi>It is found of falling.</bdi>",
        "cannot be read: <bdi>experiment.json: is a folder, not a file</bdi>",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let lost = if cfg!(unix) { 4 } else { 2 };
    assert!(page.contains(&format!("<dt>cannot be read</dt><dd>{lost}</dd>")));
}

#[test]
fn texts_of_strangers_do_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path();
    for (i, text) in HOSTILE.iter().enumerate() {
        // names of files have no slash and no zero
        let name = text.replace(['/', '\0'], "");
        results(dir, &format!("{i:02}{name}"), text, &["solved", text]);
    }
    results(dir, "javascript:hostile=1", "of a scheme", &["solved"]);
    let page = page_of(dir);
    assert_well_formed(body(&page).replace("<br>", "").as_str());
    assert_eq!(page.matches("<script").count(), 1, "the page's own");
    for bad in [
        "<img",
        "<iframe",
        "<object",
        "<form",
        "<base",
        "<!--",
        "href=\"javascript",
    ] {
        assert!(!page.contains(bad), "{bad}");
    }
    assert_eq!(page.matches("<tr role=\"row\">").count(), HOSTILE.len() + 2);
    // tests/browser.sh opens the pages in a browser
    if let Some(pages) = std::env::var_os("DELASSUS_PAGES") {
        let pages = Path::new(&pages);
        fs::create_dir_all(pages.join("hostile")).expect("a folder");
        fs::write(pages.join("hostile/index.html"), page).expect("the page");
        let own = pages.join("results");
        some(&own);
        for i in 0..30 {
            let name = format!("{}-more", i + 10);
            results(
                &own,
                &name,
                "of the many others, which has a longer sentence than most",
                &["solved"],
            );
        }
        page_of(&own);
    }
}

#[test]
fn a_page_of_somebody_else_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path();
    some(dir);
    fs::write(dir.join(FILE), "<h1>mine</h1>").expect("a file");
    assert_eq!(
        renew(dir).expect("no error"),
        IndexUpdate::Foreign(dir.join(FILE))
    );
    assert_eq!(
        fs::read_to_string(dir.join(FILE)).expect("a file"),
        "<h1>mine</h1>"
    );
}

#[test]
fn the_page_is_where_it_is_expected() {
    let folder = tempfile::tempdir().expect("a folder");
    let (usual, other) = (folder.path().join(USUAL), folder.path().join("other"));
    for dir in [&usual, &other] {
        some(dir);
    }
    let is = |dir: &Path| IndexUpdate::Is(dir.join(FILE), 3);
    assert_eq!(
        renew_beside(&usual.join("01-chains")).expect("a page"),
        is(&usual)
    );
    assert_eq!(
        renew_beside(&other.join("01-chains")).expect("none"),
        IndexUpdate::NotHere
    );
    assert!(!other.join(FILE).exists() && is_folder_of_results(&other));
    assert!(
        !is_folder_of_results(&other.join("01-chains")) && !is_folder_of_results(folder.path())
    );
    // asked for once, it is kept up to date
    assert_eq!(renew(&other).expect("a page"), is(&other));
    assert_eq!(
        renew_beside(&other.join("02-falling")).expect("a page"),
        is(&other)
    );
}

#[test]
fn what_does_not_change_is_not_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path();
    some(dir);
    page_of(dir);
    let path = dir.join(FILE);
    let mut permissions = fs::metadata(&path).expect("the page").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).expect("permissions");
    page_of(dir);
    // a new file in its place would have the permissions of any new file
    assert!(
        fs::metadata(&path)
            .expect("the page")
            .permissions()
            .readonly()
    );
    results(dir, "04-another", "of another", &[]);
    page_of(dir);
    assert!(
        !fs::metadata(&path)
            .expect("the page")
            .permissions()
            .readonly()
    );
}

#[test]
fn many_at_once_leave_a_whole_page_of_everything() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path();
    some(dir);
    std::thread::scope(|scope| {
        for run in 0..6 {
            scope.spawn(move || {
                for i in 0..5 {
                    let name = format!("{run}-{i}");
                    results(dir, &name, "of a run", &["solved"]);
                    let page = page_of(dir);
                    assert!(page.contains(&format!("./{name}/report.html")), "{name}");
                    assert!(page.ends_with("</html>\n"));
                }
            });
        }
    });
    let page = fs::read_to_string(dir.join(FILE)).expect("the page");
    assert_eq!(page.matches("<tr role=\"row\">").count(), 1 + 3 + 30);
    let left = fs::read_dir(dir).expect("a folder").flatten();
    let parts = left.filter(|entry| entry.file_name().to_string_lossy().ends_with(".tmp"));
    assert_eq!(parts.count(), 0);
}

#[test]
fn every_operation_may_fail_and_the_page_is_the_old_or_the_new_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path();
    some(dir);
    let old = page_of(dir);
    results(dir, "04-another", "of another", &["solved"]);
    let mut k = 0;
    loop {
        for fault in Fault::ALL {
            fs::write(dir.join(FILE), &old).expect("the old page");
            arm(Some((k, fault)));
            let renewed = renew(dir);
            let met = disarm().len();
            if met <= k {
                assert!(k > 8, "{k} operations");
                return;
            }
            let page = fs::read_to_string(dir.join(FILE)).expect("the page");
            let is_new = page.contains("04-another") && page.ends_with("</html>\n");
            match renewed {
                // a file that could not be read is said to be one
                Ok(_) => assert!(is_new, "operation {k}, {fault:?}"),
                Err(_) => assert!(page == old, "operation {k}, {fault:?}"),
            }
            assert!(page_of(dir).contains("Title of another"), "the next time");
        }
        k += 1;
    }
}
