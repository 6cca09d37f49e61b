//! Tables that are sorted and filtered.

use delassus_browser::Browser;
use serde_json::{Value, json};

use crate::{assert_quiet, report};

/// The longest table and its columns of numbers.
fn opened() -> Browser {
    let browser = Browser::open();
    browser.look(1400, false);
    browser.go(&report(), "");
    browser.wait("document.querySelector('.table button.sort')");
    browser.eval(
        "const rows = (t) => t.tBodies[0].rows.length;
         window.table = [...document.querySelectorAll('.table table')].sort((a, b) => rows(b) - rows(a))[0];
         window.heads = [...table.tHead.rows[0].cells];
         window.column = heads.findIndex((h) => h.classList.contains('n'));
         window.sort = heads[column].querySelector('button.sort');
         window.shown = () => [...table.tBodies].flatMap((b) => [...b.rows]).filter((r) => r.checkVisibility() && r.cells.length > 1);
         window.values = () => shown().map((r) => r.cells[column].textContent.replaceAll('\\u202f', '').replaceAll('−', '-')).filter(Boolean).map(Number);",
    );
    browser
}

fn values(browser: &Browser) -> Vec<f64> {
    let values = browser.eval("return values();");
    values
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_f64)
        .collect()
}

#[test]
fn a_table_is_sorted_by_mouse_and_keyboard() {
    let browser = opened();
    browser.eval("table.closest('.table').querySelector('button.more')?.click();");
    let before = values(&browser);
    assert!(before.len() > 7, "{before:?}");
    browser.eval("sort.focus();");
    browser.press(&["\u{e007}"]);
    let up = values(&browser);
    assert!(up.is_sorted() && up.len() == before.len(), "{up:?}");
    assert_eq!(
        browser.eval("return heads[column].getAttribute('aria-sort');"),
        "ascending"
    );
    browser.eval("sort.click();");
    let down = values(&browser);
    assert!(down.iter().rev().is_sorted(), "{down:?}");
    assert_eq!(
        browser.eval("return heads[column].getAttribute('aria-sort');"),
        "descending"
    );
    browser.eval("sort.click();");
    assert_eq!(values(&browser), before, "as it was");
    let right = browser.eval("return getComputedStyle(shown()[0].cells[column]).textAlign;");
    assert_eq!(right, "right");
    assert_quiet(&browser);
}

#[test]
fn a_table_is_filtered_and_a_long_one_shows_its_first_rows() {
    let browser = opened();
    let count = |expression: &str| {
        browser
            .eval(&format!("return {expression};"))
            .as_u64()
            .expect("a number")
    };
    let all = count("[...table.tBodies].reduce((n, b) => n + b.rows.length, 0)");
    assert!(all > 26, "{all} rows");
    assert_eq!(count("shown().length"), 20);
    browser.eval("table.closest('.table').querySelector('button.more').click();");
    assert_eq!(count("shown().length"), all);
    let word = browser.eval("return shown()[3].cells[0].textContent;");
    browser.eval(&format!(
        "const i = table.closest('.table').querySelector('input.filter'); i.value = {}; i.dispatchEvent(new Event('input'));",
        json!(word)
    ));
    let fitting = count("shown().length");
    assert!(fitting > 0 && fitting < all);
    let said =
        browser.eval("return table.closest('.table').querySelector('[role=status]').textContent;");
    assert_eq!(said, format!("{fitting} of {all} rows"));
    assert_eq!(
        browser.eval(&format!(
            "return shown().every((r) => r.textContent.includes({}));",
            json!(word)
        )),
        true
    );
    assert_quiet(&browser);
}

#[test]
fn the_best_values_are_marked() {
    let browser = opened();
    let best = browser.eval("return document.querySelectorAll('.table td strong').length;");
    assert!(best.as_u64() > Some(0));
}
