//! The page that plays recorded motion.

use delassus_browser::Browser;
use serde_json::{Value, json};

use crate::{assert_quiet, page, replay};

/// The page, when it has drawn its first frame.
fn opened(width: u32, dark: bool) -> Browser {
    let browser = Browser::open();
    browser.look(width, dark);
    browser.go(&replay(), "");
    browser.wait("document.documentElement.dataset.replay === 'drawn'");
    browser
}

/// Step, azimuth, elevation, distance and target of the player.
fn state(browser: &Browser) -> Vec<f64> {
    let state = browser.eval(
        "const { step, azimuth, elevation, distance, target } = window.replay; return [step, azimuth, elevation, distance, ...target];",
    );
    state
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_f64)
        .collect()
}

const SPACE: &str = " ";
const LEFT: &str = "\u{e012}";
const UP: &str = "\u{e013}";
const RIGHT: &str = "\u{e014}";
const HOME: &str = "\u{e011}";
const END: &str = "\u{e010}";

#[test]
fn motion_is_drawn_in_light_and_dark_and_on_a_phone() {
    for width in [400, 1400] {
        for dark in [false, true] {
            let browser = opened(width, dark);
            let colours = browser.eval("return Number(document.documentElement.dataset.colours);");
            assert!(colours.as_u64() > Some(50), "{colours} colours");
            let wide = browser.eval("return document.documentElement.scrollWidth;");
            assert!(
                wide.as_u64() <= Some(u64::from(width)),
                "{wide} px at {width}"
            );
            let air = browser.eval("return window.replay.views[0].scene.background.getHex();");
            assert!((air.as_u64() < Some(0x40_4040)) == dark, "{air}");
            // a choice of the reader is drawn at once, over what the system says
            browser.eval("document.querySelector('button.theme').click();");
            let other = browser.eval("return window.replay.views[0].scene.background.getHex();");
            assert_ne!(air, other);
            browser.eval("document.querySelector('button.theme').click();");
            let shade = if dark { "dark" } else { "light" };
            browser.picture(&format!("replay-{width}-{shade}"), true);
            // the name of an observable may be cut off, its value is not
            let seen = browser.eval(
                "const lines = [...document.querySelectorAll('.trace')]; return lines.length > 0 && lines.every((line) => { \
                 const value = line.querySelector('.value'); return value.textContent && value.scrollWidth <= value.clientWidth + 1 \
                 && value.getBoundingClientRect().right <= line.getBoundingClientRect().right; });",
            );
            assert_eq!(seen, true, "{width}");
            assert_quiet(&browser);
        }
    }
}

#[test]
fn frames_are_played_and_stepped_by_keys() {
    let browser = opened(1400, false);
    let step = || browser.eval("return window.replay.step;").as_u64();
    browser.press(&[".", ".", ","]);
    assert_eq!(step(), Some(1));
    browser.press(&[RIGHT]);
    assert_eq!(step(), Some(2));
    browser.press(&[END]);
    let last = step();
    assert!(last > Some(2));
    browser.press(&[HOME]);
    assert_eq!(step(), Some(0));
    browser.eval("document.getElementById('rate').value = '0.05';");
    browser.press(&[SPACE]);
    browser.wait("window.replay.playing && window.replay.step > 0");
    browser.press(&[SPACE]);
    assert_eq!(browser.eval("return window.replay.playing;"), false);
    browser.press(&[">"]);
    assert_eq!(
        browser.eval("return document.getElementById('rate').value;"),
        "0.1"
    );
    // the slider says where it is in words, and takes its own keys
    browser.eval("document.getElementById('scrub').focus();");
    browser.press(&[HOME, RIGHT]);
    assert_eq!(step(), Some(1));
    let said =
        browser.eval("return document.getElementById('scrub').getAttribute('aria-valuetext');");
    assert!(
        said.as_str()
            .is_some_and(|said| said.contains("frame 1 of")),
        "{said}"
    );
    assert_quiet(&browser);
}

#[test]
fn a_motion_that_was_stopped_says_so_at_its_last_frame() {
    for width in [400, 1400] {
        let browser = opened(width, false);
        let words = |cell: u32| {
            let text = format!("return window.replay.labels[{cell}].lastChild.textContent;");
            browser.eval(&text).as_str().unwrap_or_default().to_owned()
        };
        assert!(!words(0).contains("diverged"), "{}", words(0));
        browser.press(&[END]);
        assert!(words(0).contains(", diverged after \"0.1\" s ·"), "{}", words(0));
        assert!(!words(1).contains("ended"), "{}", words(1));
        assert!(!words(0).contains("out of view"), "{}", words(0));
        // it sets no scale: that of the other, which came to its end, holds for both
        let scale = browser.eval("return document.getElementById('legend').textContent;");
        let said = "speed [m/s], scale of the motions that came to their end";
        assert!(scale.as_str().is_some_and(|scale| scale.starts_with(said)), "{scale}");
        let is_seen = "return getComputedStyle(window.replay.labels[0].lastChild).display !== 'none';";
        assert_eq!(browser.eval(is_seen), true, "{width}");
        assert_quiet(&browser);
    }
}

#[test]
fn the_camera_is_moved_by_keys_and_buttons() {
    let browser = opened(1400, false);
    let home = state(&browser);
    browser.eval("document.getElementById('stage').focus();");
    browser.press(&[LEFT, UP, "+"]);
    let moved = state(&browser);
    assert!(moved[0] == home[0] && moved[1] < home[1] && moved[2] > home[2] && moved[3] < home[3]);
    browser.chord("\u{e008}", RIGHT);
    assert_ne!(state(&browser)[4..], moved[4..], "moved aside");
    browser.press(&["0"]);
    assert_eq!(state(&browser), home);
    for way in ["left", "right", "up", "down", "near", "far"] {
        let before = state(&browser);
        browser.eval(&format!(
            "document.querySelector('[data-camera={way}]').focus();"
        ));
        browser.press(&[SPACE]);
        assert_ne!(state(&browser), before, "{way}");
        assert_eq!(
            browser.eval("return window.replay.playing;"),
            false,
            "{way}: the key is the button's"
        );
    }
    browser.press(&["r"]);
    assert_eq!(state(&browser), home);
    let place = browser.eval("const r = document.getElementById('stage').getBoundingClientRect(); return [r.left + 300, r.top + 200].map(Math.round);");
    let at = |i: usize| place[i].as_i64().expect("a number");
    browser.drag((at(0), at(1)), (at(0) + 80, at(1) + 40));
    assert_ne!(state(&browser)[1..3], home[1..3], "dragged");
    assert_quiet(&browser);
}

#[test]
fn what_is_shown_is_chosen_by_keys() {
    let browser = opened(1400, false);
    browser.eval("document.getElementById('normals').focus();");
    browser.press(&[SPACE]);
    assert_eq!(
        browser.eval("return [document.getElementById('normals').checked, window.replay.playing, window.replay.views[0].normals.visible];"),
        json!([true, false, true])
    );
    browser.eval("document.getElementById('colour').value = 'impulse'; document.getElementById('colour').dispatchEvent(new Event('input'));");
    let legend = browser.eval("return document.getElementById('legend').textContent;");
    assert!(
        legend
            .as_str()
            .is_some_and(|text| text.starts_with("contact impulse")),
        "{legend}"
    );
    browser.eval("document.querySelector('#numbers summary').focus();");
    browser.press(&[SPACE]);
    browser.wait("document.querySelectorAll('#text table').length === 2");
    let head = browser.eval("return document.querySelector('#text th').textContent;");
    assert_eq!(head, "time [s]");
    assert_quiet(&browser);
}

#[test]
fn walls_around_bodies_are_clear_until_they_are_asked_for() {
    let browser = Browser::open();
    browser.look(1400, false);
    browser.go(&page("room/replay.html"), "");
    browser.wait("document.documentElement.dataset.replay === 'drawn'");
    let colours = || {
        let count = "window.replay.draw(); return colours(window.replay.renderer);";
        browser.eval(count).as_u64().expect("a number")
    };
    let clear = colours();
    browser.picture("room-clear", true);
    browser.eval("document.getElementById('walls').focus();");
    browser.press(&[SPACE]);
    let solid = colours();
    browser.picture("room-solid", true);
    assert!(clear > 2 * solid, "{clear} colours through the walls, {solid} without");
    let seen = "return document.getElementById('walls').checkVisibility();";
    assert_eq!(browser.eval(seen), true);
    assert_quiet(&browser);
    // a page without walls has no such switch
    browser.go(&replay(), "");
    browser.wait("document.documentElement.dataset.replay === 'drawn'");
    assert_eq!(browser.eval(seen), false);
}

#[test]
fn the_print_has_a_picture_of_every_cell() {
    let browser = opened(1400, true);
    browser.eval("window.replay.go(3);");
    let pdf = browser.print();
    assert!(
        pdf.starts_with(b"%PDF-") && pdf.len() > 20_000,
        "{} bytes",
        pdf.len()
    );
    if let Ok(folder) = std::env::var("DELASSUS_SCREENSHOTS") {
        std::fs::write(format!("{folder}/replay.pdf"), &pdf).expect("the print");
    }
    let pictures = browser.eval("return [...document.querySelectorAll('#print img')].map((i) => [i.naturalWidth > 100, i.alt.length > 5]);");
    assert_eq!(pictures, json!([[true, true], [true, true]]));
    // light on paper, and dark again on the screen
    let air = browser.eval("return window.replay.views[0].scene.background.getHex();");
    assert!(air.as_u64() < Some(0x40_4040), "{air}");
    browser.tool("Emulation.setEmulatedMedia", &json!({ "media": "print" }));
    for gone in ["#stage", ".transport", ".view", ".keyboard", ".theme"] {
        let seen = browser.eval(&format!(
            "return document.querySelector('{gone}').checkVisibility();"
        ));
        assert_eq!(seen, false, "{gone}");
    }
    browser.picture("replay-print", true);
    assert_eq!(
        browser.eval("return document.querySelector('#print img').checkVisibility();"),
        true
    );
    assert_quiet(&browser);
}
