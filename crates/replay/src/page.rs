//! The page that plays replays: one HTML file that needs nothing else.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use crate::base64;

/// The library that draws, and its version; the licence is in the page.
pub const LIBRARY: &str = "three.js r170";
const THREE: &str = include_str!("../assets/three.module.min.js");
const LICENCE: &str = include_str!("../assets/three-LICENSE");
const PAGE: &str = include_str!("../assets/page.html");
const STYLE: &str = include_str!("../assets/page.css");
const SCRIPTS: [&str; 4] = [
    include_str!("../assets/replay.js"),
    include_str!("../assets/shapes.js"),
    include_str!("../assets/cell.js"),
    include_str!("../assets/player.js"),
];

/// Cells that a page shows \[-\]; more could not be told apart.
pub const MOST_CELLS: usize = 16;

/// A replay with its names.
#[derive(Debug, Clone, Copy)]
pub struct PageCell<'c> {
    /// Name of the scene.
    pub scene: &'c str,
    /// Name of what stepped it.
    pub method: &'c str,
    /// The bytes of the file.
    pub bytes: &'c [u8],
    /// How the motion ended that did not come to its end, as "diverged after 0.35 s".
    pub ending: Option<&'c str>,
    /// What was observed of the run, drawn below its view.
    pub series: Option<PageSeries<'c>>,
}

/// The course of an observable.
#[derive(Debug, Clone, Copy)]
pub struct PageSeries<'c> {
    /// Name with unit.
    pub name: &'c str,
    /// Times \[s\].
    pub times: &'c [f64],
    /// Finite values, one each.
    pub values: &'c [f64],
}

impl PageSeries<'_> {
    /// As the page reads it: JSON in an attribute; nothing without values.
    fn attribute(&self) -> String {
        if self.times.is_empty() {
            return String::new();
        }
        let data = serde_json::json!({
            "name": self.name,
            "times": self.times,
            "values": self.values,
        });
        format!(" data-series=\"{}\"", escape(&data.to_string()))
    }
}

/// The whole page. Cells beyond [`MOST_CELLS`] are named in a note.
pub fn render(title: &str, cells: &[PageCell<'_>], notes: &[String]) -> String {
    let (shown, left) = cells.split_at(cells.len().min(MOST_CELLS));
    let mut data = String::new();
    for cell in shown {
        let _ = writeln!(
            data,
            "<script type=\"text/plain\" class=\"cell\" data-scene=\"{}\" data-method=\"{}\"{}{}>{}</script>",
            escape(cell.scene),
            escape(cell.method),
            cell.ending.map_or_else(String::new, |ending| {
                format!(" data-ending=\"{}\"", escape(ending))
            }),
            cell.series
                .map_or_else(String::new, |series| series.attribute()),
            base64::encode(cell.bytes)
        );
    }
    let mut said = notes.to_vec();
    if !left.is_empty() {
        let names: Vec<String> = left
            .iter()
            .map(|c| format!("{} with {}", c.scene, c.method))
            .collect();
        said.push(format!(
            "{} cells are shown at most; left out: {}.",
            MOST_CELLS,
            names.join("; ")
        ));
    }
    let paragraph = |note: &String| format!("<p class=\"notes\">{}</p>\n", escape(note));
    let said: String = said.iter().map(paragraph).collect();
    let licence = format!("{LIBRARY}, bundled unchanged:\n{LICENCE}").replace("--", "- -");
    let (library, script) = (library(), SCRIPTS.concat());
    let parts = [
        ("{{POLICY}}", policy(&[&library, &script])),
        ("{{TITLE}}", escape(title)),
        ("{{STYLE}}", STYLE.to_owned()),
        ("{{NOTES}}", said),
        ("{{LICENCE}}", licence),
        ("{{CELLS}}", data),
        ("{{THREE}}", library),
        ("{{SCRIPT}}", script),
    ];
    filled(PAGE, &parts)
}

/// The library as a script of the page, named `THREE`: a module that is part of a page cannot be
/// imported by another part, so what it exports becomes an object.
fn library() -> String {
    // the last statement of the file; a test looks at it
    let (body, exports) = THREE.rsplit_once("export{").unwrap_or((THREE, ""));
    let exports = exports.split('}').next().unwrap_or_default();
    let mut object = String::new();
    for export in exports.split(',').map(str::trim) {
        let (own, name) = export.split_once(" as ").unwrap_or((export, export));
        let _ = write!(object, "{name}:{own},");
    }
    format!("const THREE=(()=>{{\"use strict\";{body}return{{{object}}}}})();")
}

/// What the page may do: run exactly these scripts, with the style that it has, and load nothing.
fn policy(scripts: &[&str]) -> String {
    let hash = |text: &str| {
        format!(
            " 'sha256-{}'",
            base64::encode(&Sha256::digest(text.as_bytes()))
        )
    };
    let scripts: String = scripts.iter().map(|script| hash(script)).collect();
    let style = hash(STYLE);
    format!(
        "default-src 'none'; script-src{scripts}; style-src{style}; img-src data:; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'"
    )
}

/// A picture in pixels as a part of a page.
pub fn picture(png: &[u8], caption: &str) -> String {
    format!(
        "<img alt=\"{}\" style=\"display:block;width:100%\" src=\"data:image/png;base64,{}\">\n",
        escape(caption),
        base64::encode(png)
    )
}

/// The template with every mark replaced once read, so that no text that is filled in is looked at
/// again.
fn filled(template: &str, parts: &[(&str, String)]) -> String {
    let size: usize = parts.iter().map(|(_, text)| text.len()).sum();
    let mut page = String::with_capacity(template.len() + size);
    let mut rest = template;
    while let Some(at) = rest.find("{{") {
        page.push_str(&rest[..at]);
        rest = &rest[at..];
        match parts.iter().find(|(mark, _)| rest.starts_with(mark)) {
            Some((mark, text)) => {
                page.push_str(text);
                rest = &rest[mark.len()..];
            }
            None => {
                page.push_str("{{");
                rest = &rest[2..];
            }
        }
    }
    page.push_str(rest);
    page
}

/// Text between tags and in attributes.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // a picture is XML, which these are no characters of
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_character_of_xml_is_none_of_a_picture() {
        assert_eq!(escape("a\u{fffe}\u{ffff}\u{1b}<"), "a   &lt;");
    }

    #[test]
    fn the_library_becomes_a_script_with_all_that_it_exports() {
        assert_eq!(
            THREE.matches("export").count(),
            THREE.matches("export{").count()
        );
        assert!(
            THREE.trim_end().ends_with("};"),
            "nothing behind the exports"
        );
        assert_eq!(
            THREE.matches("import(").count() + THREE.matches("import{").count(),
            0
        );
        let library = library();
        for name in [
            "WebGLRenderer",
            "InstancedMesh",
            "Scene",
            "Fog",
            "GridHelper",
            "LineSegments",
            "createCanvasElement",
        ] {
            let at = library.rsplit_once("return{").map(|(_, exports)| exports);
            assert!(
                at.is_some_and(|exports| exports.contains(&format!("{name}:"))),
                "{name}"
            );
        }
    }

    #[test]
    fn no_script_can_end_early_or_make_another() {
        for script in [library(), SCRIPTS.concat()] {
            let lower = script.to_ascii_lowercase();
            for bad in [
                "</script",
                "<!--",
                "innerhtml",
                "eval(",
                "localstorage",
                "document.write",
            ] {
                assert!(!lower.contains(bad), "{bad}");
            }
            assert!(!script.contains("new Function("));
        }
        assert!(!STYLE.to_ascii_lowercase().contains("</style"));
    }

    #[test]
    fn the_policy_names_what_is_in_the_page() {
        let page = render("T", &[], &[]);
        let (_, rest) = page.split_once("content=\"default-src").expect("a policy");
        let (policy, _) = rest.split_once('"').expect("its end");
        assert!(!policy.contains("unsafe") && !policy.contains("blob"));
        let hash = |text: &str| base64::encode(&Sha256::digest(text.as_bytes()));
        let between = |start: &str, end: &str| -> Vec<&str> {
            let parts = page.split(start).skip(1);
            parts.filter_map(|part| part.split(end).next()).collect()
        };
        let (scripts, styles) = (
            between("<script>", "</script>"),
            between("<style>", "</style>"),
        );
        assert_eq!((scripts.len(), styles.len()), (2, 1));
        for part in scripts.iter().chain(&styles) {
            assert!(policy.contains(&hash(part)));
        }
    }
}
