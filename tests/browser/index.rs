//! The page over all results of a folder.

use delassus_browser::Browser;
use serde_json::json;

use crate::{assert_quiet, index};

fn opened(width: u32) -> Browser {
    let browser = Browser::open();
    browser.look(width, false);
    browser.go(&index(), "");
    browser.wait("document.querySelector('.index button.sort')");
    browser.eval("window.shown = () => [...document.querySelectorAll('.index tbody tr')].filter((r) => r.checkVisibility());");
    browser
}

#[test]
fn all_experiments_are_shown_sorted_and_filtered() {
    let browser = opened(1400);
    let count = || browser.eval("return shown().length;");
    assert_eq!(count(), 33);
    let first = || browser.eval("return shown()[0].cells[0].querySelector('.note').textContent;");
    assert_eq!(first(), "01-chains");
    // by the number of failures, the most first, with keys alone
    browser.eval("document.querySelectorAll('.index button.sort')[4].focus();");
    browser.press(&["\u{e007}", "\u{e007}"]);
    let failures = browser.eval("return shown().slice(0, 3).map((r) => r.cells[4].textContent);");
    assert_eq!(failures, json!(["1", "1", "0"]));
    browser.eval("const i = document.querySelector('input.filter'); i.value = 'falling'; i.dispatchEvent(new Event('input'));");
    assert_eq!(count(), 1);
    assert_eq!(first(), "02-falling");
    assert_quiet(&browser);
}

#[test]
fn links_lead_to_files_beside_the_page() {
    let browser = opened(1400);
    let links =
        browser.eval("return [...document.querySelectorAll('.index a')].map((a) => a.href);");
    let page = index();
    let folder = page
        .parent()
        .expect("a folder")
        .canonicalize()
        .expect("a folder");
    let start = format!("file://{}/", folder.display());
    let links = links.as_array().expect("links");
    assert!(links.len() > 60);
    for link in links {
        let inside = link.as_str().and_then(|link| link.strip_prefix(&start));
        let inside = inside.unwrap_or_else(|| panic!("{link} leads elsewhere"));
        assert!(folder.join(inside).is_file(), "{inside}");
    }
}

#[test]
fn rows_are_cards_on_a_phone_and_still_a_table() {
    let browser = opened(400);
    let wide = browser.eval("const s = document.querySelector('.scroll'); return [s.scrollWidth <= s.clientWidth, document.documentElement.scrollWidth <= 400];");
    assert_eq!(wide, json!([true, true]));
    let roles = browser.eval("return ['table', 'rowgroup', 'row', 'columnheader', 'cell'].map((role) => document.querySelectorAll(`.index [role=${role}], .index[role=${role}]`).length > 0);");
    assert_eq!(roles, json!([true, true, true, true, true]));
    let label = browser.eval("return getComputedStyle(shown()[0].cells[2], '::before').content;");
    assert!(
        label.as_str().is_some_and(|text| text.contains("Cells")),
        "{label}"
    );
    assert_quiet(&browser);
}
