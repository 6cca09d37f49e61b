//! Figures whose curves are zoomed and toggled.

use delassus_browser::Browser;
use serde_json::Value;

use crate::{assert_quiet, report};

/// The first figure, opened.
fn opened(width: u32) -> Browser {
    let browser = Browser::open();
    browser.look(width, false);
    browser.go(&report(), "");
    browser.wait("document.querySelector('button.explore')");
    browser.eval("document.querySelector('button.explore').click();");
    browser.wait("document.querySelector('.live .uplot canvas')");
    browser.eval("window.figure = document.querySelector('.live').closest('figure').figurePlot; window.plot = figure.plots[0].plot;");
    browser.eval("document.querySelector('.host').scrollIntoView({ block: 'center' });");
    browser
}

fn view(browser: &Browser) -> Vec<f64> {
    let view = browser.eval("const { x, y } = plot.scales; return [x.min, x.max, y.min, y.max];");
    view.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_f64)
        .collect()
}

#[test]
fn a_still_picture_becomes_a_plot_and_again_a_picture() {
    let browser = opened(1400);
    let drawn = browser.eval(
        "const { ctx, bbox } = plot, data = ctx.getImageData(bbox.left, bbox.top, bbox.width, bbox.height).data, seen = new Set();
         for (let i = 0; i < data.length; i += 4) if (data[i + 3]) seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
         return seen.size;",
    );
    assert!(drawn.as_u64() > Some(20), "{drawn} colours");
    // each axis on its side, with the name of its quantity
    let axes = browser.eval(
        "return ['x', 'y'].map((key) => plot.axes.find((a) => a.scale === key)).map((a, i) => [a.side, a.label === figure.data[i ? 'y' : 'x'].label]);",
    );
    assert_eq!(axes, serde_json::json!([[2, true], [3, true]]));
    let points = browser.eval("return plot.data.slice(1).map(([x]) => x.length);");
    assert!(
        points.as_array().is_some_and(|curves| curves.len() > 1),
        "{points}"
    );
    assert_eq!(
        browser.eval("return document.querySelector('figure .plot').checkVisibility();"),
        false
    );
    browser.eval("document.querySelector('button.explore').click();");
    assert_eq!(
        browser.eval("return document.querySelector('figure .plot').checkVisibility();"),
        true
    );
    assert_eq!(
        browser.eval("return document.querySelector('.live').checkVisibility();"),
        false
    );
    assert_quiet(&browser);
}

#[test]
fn curves_are_toggled_from_the_legend() {
    let browser = opened(1400);
    let shown = || {
        browser
            .eval("return plot.series.slice(1).filter((s) => s.show).length;")
            .as_u64()
    };
    let all = shown();
    browser.eval("document.querySelector('.legend button').focus();");
    browser.press(&[" "]);
    assert!(shown() < all, "by the keyboard");
    assert_eq!(
        browser
            .eval("return document.querySelector('.legend button').getAttribute('aria-pressed');"),
        "false"
    );
    browser.eval("document.querySelector('.legend button').click();");
    assert_eq!(shown(), all);
    browser.eval("document.querySelector('.legend button').dispatchEvent(new MouseEvent('click', { shiftKey: true }));");
    assert!(shown() < all && shown() > Some(0), "alone");
    browser.eval("document.querySelector('.legend button').dispatchEvent(new MouseEvent('click', { shiftKey: true }));");
    assert_eq!(shown(), all);
    assert_quiet(&browser);
}

#[test]
fn a_plot_is_zoomed_by_dragging_and_by_keys() {
    let browser = opened(1400);
    let home = view(&browser);
    let place = browser.eval("const r = plot.over.getBoundingClientRect(); return [r.left, r.top, r.width, r.height].map(Math.round);");
    let at = |i: usize| place[i].as_i64().expect("a number");
    browser.drag(
        (at(0) + at(2) / 4, at(1) + at(3) / 4),
        (at(0) + at(2) / 2, at(1) + at(3) / 2),
    );
    let near = view(&browser);
    assert!(
        near[0] > home[0] && near[1] < home[1] && near[2] > home[2] && near[3] < home[3],
        "{home:?} {near:?}"
    );
    browser.picture("zoomed", false);
    browser.eval("document.querySelector('.host').focus();");
    browser.press(&["0"]);
    assert_eq!(view(&browser), home);
    browser.press(&["+", "\u{e014}", "\u{e013}"]);
    let moved = view(&browser);
    assert!(
        moved[1] - moved[0] < home[1] - home[0] && moved[0] + moved[1] > home[0] + home[1],
        "{home:?} {moved:?}"
    );
    browser.eval("document.querySelector('.zooms button:last-child').click();");
    assert_eq!(view(&browser), home);
    // hiding a curve leaves the view
    browser.press(&["+"]);
    let near = view(&browser);
    browser.eval("document.querySelector('.legend button').click();");
    assert_eq!(view(&browser), near);
    assert_quiet(&browser);
}

#[test]
fn the_nearest_point_is_read_out() {
    let browser = opened(400);
    let place = browser.eval(
        "const c = figure.plots[0].curves[0], i = c.xs.length >> 1, r = plot.over.getBoundingClientRect();
         return [Math.round(r.left + plot.valToPos(c.xs[i], 'x')), Math.round(r.top + plot.valToPos(c.ys[i], 'y'))];",
    );
    let at = |i: usize| place[i].as_i64().expect("a number");
    browser.drag((at(0) - 3, at(1)), (at(0), at(1)));
    let text = browser.eval(
        "const r = document.querySelector('.readout'); return r.hidden ? '' : r.textContent;",
    );
    assert!(
        text.as_str().is_some_and(|text| text.contains(": ")),
        "{text}"
    );
    assert_quiet(&browser);
}
