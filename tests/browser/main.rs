//! The pages in a real browser: nothing is asked of other machines, nothing is said on the console,
//! texts of strangers do not run, and a keyboard reaches everything.
//!
//! `tests/browser.sh` makes the pages and says where they are.

mod hostile;
mod index;
mod layout;
mod plots;
mod replay;
mod shipped;
mod tables;

use std::path::PathBuf;

use delassus_browser::Browser;

/// The file of a page that `tests/browser.sh` made.
fn page(name: &str) -> PathBuf {
    let folder = std::env::var("DELASSUS_PAGES");
    PathBuf::from(folder.expect("run tests/browser.sh, which makes the pages")).join(name)
}

/// Report of an ordinary run.
fn report() -> PathBuf {
    page("realistic/report.html")
}

/// Report whose every text is a stranger's.
fn stranger() -> PathBuf {
    page("hostile/report.html")
}

/// Index of a folder of results.
fn index() -> PathBuf {
    page("results/index.html")
}

/// Index whose every text is a stranger's.
fn strange_index() -> PathBuf {
    page("hostile/index.html")
}

/// Recorded motion.
fn replay() -> PathBuf {
    page("moving/replay.html")
}

/// No warning, no error, no request.
#[track_caller]
fn assert_quiet(browser: &Browser) {
    let noise = browser.noise();
    assert!(
        noise.console.is_empty(),
        "the console says {:#?}",
        noise.console
    );
    assert!(noise.requests.is_empty(), "asked for {:#?}", noise.requests);
}
