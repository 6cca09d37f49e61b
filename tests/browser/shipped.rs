//! Pages of real runs, where `DELASSUS_RESULTS` names a folder of results: those of all experiments
//! before a release.

use std::path::{Path, PathBuf};

use delassus_browser::Browser;

use crate::assert_quiet;

/// A page of a report is smaller than this \[B\].
const MOST_BYTES: u64 = 2_000_000;
/// Height of a picture of a part of a page \[px\].
const PART: u64 = 2400;

/// The pages of a folder of results, in the order of their names.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut dirs: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("an entry").path())
        .collect();
    dirs.sort();
    let inside = dirs
        .iter()
        .flat_map(|dir| ["report.html", "replay.html"].map(|name| dir.join(name)));
    let all = std::iter::once(folder.join("index.html")).chain(inside);
    all.filter(|page| page.is_file()).collect()
}

fn look(browser: &Browser, page: &Path, name: &str) {
    let shown = page.display();
    for (width, dark) in [(400, false), (1400, true), (1400, false)] {
        browser.look(width, dark);
        browser.go(page, "");
        browser.wait(
            "document.readyState === 'complete' && document.documentElement.dataset.replay !== 'loading'",
        );
        let wide = browser.eval("return document.documentElement.scrollWidth;");
        assert!(
            wide.as_u64() <= Some(u64::from(width)),
            "{shown}: {wide} px at {width}"
        );
        let lost = browser.eval(
            "return [...document.querySelectorAll('a[href^=\"#\"]')].map((a) => a.hash.slice(1)).filter((id) => !document.getElementById(decodeURIComponent(id)));",
        );
        assert_eq!(lost, serde_json::json!([]), "{shown}");
        let high = browser.eval("return document.documentElement.scrollHeight;");
        let shade = if dark { "dark" } else { "light" };
        for part in 0..high.as_u64().unwrap_or_default().div_ceil(PART) {
            browser.picture_of(
                &format!("{name}-{width}-{shade}-{part:02}"),
                (width, part * PART, PART),
            );
        }
        if width == 400 {
            continue;
        }
        // everything opened: figures that are zoomed, data, long tables
        browser.eval("document.querySelectorAll('button:not(.theme)').forEach((b) => b.click()); document.querySelectorAll('details').forEach((d) => { d.open = true; });");
        let wide = browser.eval("return document.documentElement.scrollWidth;");
        assert!(wide.as_u64() <= Some(1400), "{shown}: {wide} px, opened");
    }
    let unnamed = browser.eval(
        "return [...document.querySelectorAll('svg[role=img], .plot > svg, img')].filter((e) => !(e.alt || e.getAttribute('aria-label') || e.querySelector('title, desc'))).length;",
    );
    assert_eq!(unnamed, 0, "{shown}: pictures without a text");
    assert_quiet(browser);
}

#[test]
fn pages_of_real_runs_are_in_order() {
    let Some(folder) = std::env::var_os("DELASSUS_RESULTS") else {
        println!("DELASSUS_RESULTS names no folder of results: pages of real runs are not opened");
        return;
    };
    let all = pages(Path::new(&folder));
    assert!(!all.is_empty(), "no page in {}", folder.display());
    let browser = Browser::open();
    for page in &all {
        let name = |path: &Path| path.file_stem().unwrap_or_default().display().to_string();
        let dir = page.parent().and_then(Path::file_name).unwrap_or_default();
        let bytes = page.metadata().expect("a file").len();
        let most = if name(page) == "replay" {
            5_000_000 * 16
        } else {
            MOST_BYTES
        };
        assert!(bytes < most, "{}: {bytes} bytes", page.display());
        look(&browser, page, &format!("{}-{}", dir.display(), name(page)));
        println!("{}: {bytes} bytes", page.display());
    }
}
