//! Texts of strangers in every place of a page.

use delassus_browser::Browser;
use serde_json::{Value, json};

use crate::{assert_quiet, page, strange_index, stranger};

fn nothing_ran(browser: &Browser) {
    // every hostile text sets this where it runs; an alert would stop the driver
    assert_eq!(browser.eval("return window.hostile ?? null;"), Value::Null);
    for made in [
        "img[src=x]",
        "iframe",
        "object",
        "embed",
        "form",
        "base",
        "svg[onload]",
        "[onerror]",
        "[onclick]",
        "[onload]",
        "a[href^=javascript]",
    ] {
        let count = browser.eval(&format!(
            "return document.querySelectorAll({}).length;",
            json!(made)
        ));
        assert_eq!(count, 0, "{made}");
    }
}

#[test]
fn texts_of_strangers_do_not_run() {
    let browser = Browser::open();
    for file in [stranger(), strange_index()] {
        browser.go(&file, "");
        browser.wait("document.querySelector('button.sort')");
        nothing_ran(&browser);
        // nor when everything is opened, zoomed, sorted and filtered
        browser.eval(
        "document.querySelectorAll('details').forEach((d) => { d.open = true; });
         document.querySelectorAll('button:not(.theme)').forEach((b) => b.click());
         document.querySelectorAll('input').forEach((i) => { i.value = '<img src=x onerror=hostile=1>'; i.dispatchEvent(new Event('input')); });",
    );
        nothing_ran(&browser);
    }
    // cells that are no replays are named
    browser.go(&page("hostile/replay.html"), "");
    browser.wait("document.documentElement.dataset.replay === 'text'");
    browser.eval("document.querySelectorAll('details').forEach((d) => { d.open = true; });");
    nothing_ran(&browser);
    let said = browser.eval("return document.querySelectorAll('#controls > p.notes').length;");
    assert!(said.as_u64() > Some(16), "{said} notes");
    assert_quiet(&browser);
}

/// The escapes hold by themselves, without the policy.
#[test]
fn texts_of_strangers_do_not_run_without_the_policy() {
    let browser = Browser::open();
    browser.tool("Page.enable", &json!({}));
    browser.tool("Page.setBypassCSP", &json!({ "enabled": true }));
    for name in [
        "hostile/report.html",
        "hostile/index.html",
        "hostile/replay.html",
    ] {
        browser.go(&page(name), "");
        browser.wait("document.readyState === 'complete'");
        browser.eval("document.querySelectorAll('button').forEach((b) => b.click());");
        nothing_ran(&browser);
    }
}

#[test]
fn the_policy_stops_a_script_that_is_not_the_page_s() {
    let browser = Browser::open();
    browser.go(&stranger(), "");
    browser.eval(
        "const s = document.createElement('script');
         try { s.textContent = 'window.hostile = 1'; } catch { /* trusted types refuse it */ }
         try { document.body.append(s); } catch { /* likewise */ }
         try { document.body.setAttribute('onclick', 'window.hostile = 1'); } catch { /* likewise */ }
         document.body.click();",
    );
    assert_eq!(browser.eval("return window.hostile ?? null;"), Value::Null);
    assert!(
        !browser.noise().console.is_empty(),
        "the policy says what it stopped"
    );
}
