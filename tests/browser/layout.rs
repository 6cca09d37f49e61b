//! Sizes, colours, printing, keyboard.

use std::collections::BTreeSet;
use std::path::Path;

use delassus_browser::Browser;
use serde_json::Value;

use crate::{assert_quiet, index, replay, report, strange_index, stranger};

#[test]
fn no_page_is_wider_than_its_window() {
    let browser = Browser::open();
    for file in [report(), stranger(), index(), strange_index(), replay()] {
        for width in [400, 768, 1200, 1400] {
            for dark in [false, true] {
                browser.look(width, dark);
                browser.go(&file, "");
                browser
                    .eval("document.querySelectorAll('button.explore').forEach((b) => b.click());");
                let wide = browser.eval("return document.documentElement.scrollWidth;");
                assert!(
                    wide.as_u64() <= Some(u64::from(width)),
                    "{}: {wide} px at {width}",
                    file.display()
                );
                let shade = if dark { "dark" } else { "light" };
                let name = |file: &Path| file.file_stem().unwrap_or_default().display().to_string();
                let folder = file.parent().map(name).unwrap_or_default();
                browser.picture(&format!("{folder}-{}-{width}-{shade}", name(&file)), true);
            }
        }
    }
    assert_quiet(&browser);
}

#[test]
fn dark_and_light_can_be_chosen() {
    let browser = Browser::open();
    let paper = || browser.eval("return getComputedStyle(document.body).backgroundColor;");
    for dark in [false, true] {
        browser.look(1400, dark);
        browser.go(&report(), "");
        let before = paper();
        browser.eval("document.querySelector('button.theme').click();");
        let after = paper();
        assert_ne!(before, after);
        browser.eval("document.querySelector('button.theme').click();");
        assert_eq!(before, paper());
        let light = if dark { after } else { before };
        assert_eq!(light, "rgb(255, 255, 255)");
    }
    assert_quiet(&browser);
}

#[test]
fn the_print_is_light_and_without_controls() {
    let browser = Browser::open();
    browser.look(1400, true);
    browser.go(&report(), "");
    browser.eval("document.querySelectorAll('button.explore').forEach((b) => b.click());");
    let pdf = browser.print();
    assert!(pdf.starts_with(b"%PDF-") && pdf.len() > 10_000);
    if let Ok(folder) = std::env::var("DELASSUS_SCREENSHOTS") {
        std::fs::write(format!("{folder}/report.pdf"), &pdf).expect("the print");
    }
    browser.tool(
        "Emulation.setEmulatedMedia",
        &serde_json::json!({ "media": "print" }),
    );
    browser.picture("report-print", true);
    let paper = browser.eval("return getComputedStyle(document.body).backgroundColor;");
    assert_eq!(paper, "rgb(255, 255, 255)");
    for control in [
        "button.theme",
        ".tools",
        ".live",
        ".contents",
        "button.more",
        ".skip",
    ] {
        let seen = browser.eval(&format!(
            "return [...document.querySelectorAll('{control}')].filter((e) => e.checkVisibility()).length;"
        ));
        assert_eq!(seen, 0, "{control}");
    }
    let pictures = browser.eval(
        "return [...document.querySelectorAll('.plot svg')].every((e) => e.checkVisibility());",
    );
    assert_eq!(pictures, true);
    assert_quiet(&browser);
}

/// What a keyboard has to reach: marks everything with a number, and gives the numbers.
const REACHABLE: &str = "
    const all = [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex=\"0\"]')];
    const seen = all.filter((e) => e.checkVisibility({ visibilityProperty: true }) && !e.disabled && e.tabIndex >= 0);
    seen.forEach((e, i) => { e.dataset.key = i; });
    window.reached = new Set();
    document.addEventListener('focusin', (event) => { if (event.target.dataset.key) window.reached.add(event.target.dataset.key); });
    return seen.length;";

#[test]
fn a_keyboard_reaches_everything() {
    let browser = Browser::open();
    for (file, width) in [report(), index(), replay()]
        .into_iter()
        .flat_map(|file| [(file.clone(), 1400), (file, 400)])
    {
        browser.look(width, false);
        browser.go(&file, "");
        browser.wait("document.readyState === 'complete' && document.documentElement.dataset.replay !== 'loading'");
        browser.eval("document.querySelectorAll('button.explore').forEach((b) => b.click()); document.querySelectorAll('details').forEach((d) => { d.open = true; });");
        let count = browser.eval(REACHABLE).as_u64().expect("a number");
        assert!(count > 5, "{}: {count}", file.display());
        for _ in 0..=count / 40 {
            browser.press(&["\u{e004}"; 44]);
        }
        let missed = browser.eval(
            "return [...document.querySelectorAll('[data-key]')].filter((e) => !window.reached.has(e.dataset.key)).map((e) => e.outerHTML.slice(0, 120));",
        );
        let missed: BTreeSet<String> = missed
            .as_array()
            .into_iter()
            .flatten()
            .map(Value::to_string)
            .collect();
        assert!(
            missed.is_empty(),
            "{} at {width}: {count}, not {missed:#?}",
            file.display()
        );
    }
    assert_quiet(&browser);
}

#[test]
fn what_is_in_the_focus_is_seen_to_be() {
    let browser = Browser::open();
    for file in [report(), index(), replay()] {
        browser.go(&file, "");
        for _ in 0..12 {
            browser.press(&["\u{e004}"]);
            let outline = browser.eval("const s = getComputedStyle(document.activeElement); return [s.outlineStyle, s.outlineWidth];");
            assert_ne!(
                outline[0],
                "none",
                "{}",
                browser.eval("return document.activeElement.outerHTML.slice(0, 100);")
            );
        }
    }
}

#[test]
fn what_scrolls_says_so() {
    let browser = Browser::open();
    browser.look(400, false);
    browser.go(&report(), "");
    browser.wait("document.querySelector('.edges.right > .plot')");
    let shade =
        "return getComputedStyle(document.querySelector('.edges.right'), '::after').opacity;";
    browser.wait(&format!("(() => {{ {shade} }})() === '1'"));
    browser.wait("document.querySelector('.edges.right + .hint').checkVisibility()");
    // names of rows stay where they leave room for values
    browser.eval("window.table = document.querySelector('.keep > .scroll'); table.scrollLeft = 60;");
    browser.wait("table.parentElement.matches('.left')");
    let name = browser.eval("const t = table.getBoundingClientRect(), c = table.querySelector('tbody td').getBoundingClientRect(); return Math.abs(c.left - t.left) < 2;");
    assert_eq!(name, true);
    browser.eval(
        "const s = document.querySelector('.edges.right > .plot'); s.scrollLeft = s.scrollWidth;",
    );
    browser.wait("document.querySelector('.edges.left > .plot')");
    browser.look(1400, false);
    browser.wait("!document.querySelector('.edges.right > .plot')");
    // at every width, what is cut off says that it scrolls
    for width in [400, 1200, 1400] {
        browser.look(width, false);
        browser.wait(
            "['.hint', '.edges:is(.left, .right)'].map((s) => [...document.querySelectorAll(s)].filter((e) => e.checkVisibility()).length).every((n, _, all) => n === all[0])",
        );
    }
}

#[test]
fn links_lead_to_places_that_are_there() {
    let browser = Browser::open();
    for file in [report(), stranger()] {
        browser.go(&file, "");
        let lost = browser.eval(
            "return [...document.querySelectorAll('a[href^=\"#\"]')].map((a) => a.hash.slice(1)).filter((id) => !document.getElementById(decodeURIComponent(id)));",
        );
        assert_eq!(lost, serde_json::json!([]), "{}", file.display());
    }
    // a number of the text leads to its cell, which a closed list of data may hide
    browser.go(&report(), "");
    let cells = browser.eval("return [...document.querySelectorAll('.readme a')].filter((a) => /-r\\d+-c\\d+$/.test(a.hash)).length;");
    assert!(cells.as_u64() >= Some(2), "{cells} numbers");
    browser.eval("document.querySelector('.readme a[href^=\"#figure-\"][href*=\"-r\"]').click();");
    browser.wait("document.querySelector('td:target')?.checkVisibility()");
    assert_quiet(&browser);
}
