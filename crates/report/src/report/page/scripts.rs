//! The scripts of the page and the policy that lets them run, and nothing else.

use std::fmt::Write as _;

use delassus_replay::base64;
use sha2::{Digest, Sha256};

/// The library that draws figures that a reader zooms; its licence is in the page.
const LIBRARY: &str = include_str!("../../../assets/uplot/uPlot.iife.min.js");
const LIBRARY_STYLE: &str = include_str!("../../../assets/uplot/uPlot.min.css");
const LICENCE: &str = include_str!("../../../assets/uplot/LICENSE");
const PLOTS: [&str; 3] = [
    include_str!("../../../assets/page/axes.js"),
    include_str!("../../../assets/page/plot.js"),
    include_str!("../../../assets/page/figures.js"),
];
const TABLES: &str = include_str!("../../../assets/page/tables.js");
const PAGE: &str = include_str!("../../../assets/page/page.js");

/// The scripts, in order; `zooms` where a figure of the page can be zoomed.
fn scripts(zooms: bool) -> Vec<String> {
    let own = [TABLES, PAGE].concat();
    if zooms {
        return vec![
            format!("/* {LICENCE}\n*/\n{LIBRARY}"),
            PLOTS.concat() + &own,
        ];
    }
    vec![own]
}

/// What the page may do: run exactly these scripts, and load nothing.
pub(crate) fn policy(zooms: bool) -> String {
    let mut hashes = String::new();
    for script in scripts(zooms) {
        let hash = base64::encode(&Sha256::digest(script.as_bytes()));
        let _ = write!(hashes, " 'sha256-{hash}'");
    }
    format!(
        "default-src 'none'; script-src{hashes}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
         form-action 'none'; require-trusted-types-for 'script'"
    )
}

/// The scripts as a part of the head.
pub(crate) fn html(zooms: bool) -> String {
    let scripts = scripts(zooms);
    let elements = scripts
        .iter()
        .map(|script| format!("<script>{script}</script>\n"));
    elements.collect()
}

/// What the library needs of style.
pub(crate) fn style(zooms: bool) -> &'static str {
    if zooms { LIBRARY_STYLE } else { "" }
}

/// Numbers of a figure as an element that no browser runs, and that its content cannot leave.
pub(crate) fn data(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\u{7f}'..='\u{9f}' => {
                let _ = write!(safe, "\\u{:04x}", u32::from(c));
            }
            c => safe.push(c),
        }
    }
    format!("<script type=\"application/json\" class=\"numbers-of\">{safe}</script>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_in_their_element() {
        let bad = serde_json::json!({ "name": "</script><script>alert(1)</script><!--&\u{2028}\u{85}\u{1}" });
        let html = data(&bad.to_string());
        assert_eq!(html.matches('<').count(), 2);
        let inner = html
            .split_once('>')
            .and_then(|(_, rest)| rest.rsplit_once("</script>"));
        let read: serde_json::Value =
            serde_json::from_str(inner.expect("an element").0).expect("JSON");
        assert_eq!(read, bad);
        assert!(!html.contains(|c: char| c.is_control() && c != '\n'));
    }

    #[test]
    fn no_script_can_end_early_or_make_another() {
        for zooms in [true, false] {
            for script in scripts(zooms) {
                let lower = script.to_ascii_lowercase();
                for bad in [
                    "</script",
                    "<!--",
                    "innerhtml",
                    "eval(",
                    "new function",
                    "fetch(",
                    "localstorage",
                ] {
                    assert!(!lower.contains(bad), "{bad}");
                }
            }
            assert_eq!(
                policy(zooms).matches("'sha256-").count(),
                1 + usize::from(zooms)
            );
        }
        assert!(scripts(true)[0].contains("Leon Sorokin"), "the licence");
    }

    #[test]
    fn files_of_others_are_those_that_their_readme_names() {
        let readme = include_str!("../../../assets/uplot/README.md");
        for file in [LIBRARY, LIBRARY_STYLE] {
            let digest = Sha256::digest(file.as_bytes());
            let hash: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            assert!(readme.contains(&hash), "{hash}");
        }
        assert!(LIBRARY.contains("(v1.6.32)") && readme.contains("uPlot 1.6.32"));
    }
}
