//! Texts that come with every bundle: licences, citations, and a page that says how to go on. The
//! program, the spec and the manifest determine all of them.

use std::collections::BTreeMap;

use delassus_core::EntryError;
use serde_json::Value;

use crate::citations;
use crate::printable::printable;
use crate::registry::Registry;
use crate::spec::Spec;

/// Folder of the package of a method of one's own.
pub const METHOD: &str = "method";
/// Texts that are the same in every bundle.
const FIXED: [(&str, &str); 3] = [
    ("LICENSE-APACHE", include_str!("../../texts/LICENSE-APACHE")),
    ("LICENSE-MIT", include_str!("../../texts/LICENSE-MIT")),
    ("CITATION.cff", include_str!("../../texts/CITATION.cff")),
];
/// Names of the texts of every bundle.
pub(crate) const NAMES: [&str; 5] = [FIXED[0].0, FIXED[1].0, FIXED[2].0, REFERENCES, README];
const REFERENCES: &str = "references.bib";
const README: &str = "README.md";
/// How to use a bundle.
const PAGE: &str = include_str!("texts/README.md");
/// How to run one with the package of a method again.
const AGAIN: &str = include_str!("texts/method.md");
/// The line of the package in the list of files.
const ROW: &str = "| `method` | the package of the solvers that were linked into the program, with its lock file |\n";

/// What the texts of a bundle follow from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BundleTexts<'s> {
    pub(crate) id: &'s str,
    pub(crate) title: &'s str,
    /// The spec, and its file inside the bundle.
    pub(crate) spec: &'s Spec,
    pub(crate) spec_file: &'s str,
    pub(crate) manifest: &'s Value,
    /// True if the package of a method of one's own is in the bundle.
    pub(crate) has_method: bool,
}

/// The texts by the names of their files.
///
/// # Errors
/// A spec that names something that is not in `registry`.
pub(crate) fn texts(
    of: &BundleTexts<'_>,
    registry: &Registry,
) -> Result<BTreeMap<String, String>, EntryError> {
    let fixed = FIXED.map(|(name, text)| (name, text.to_owned()));
    let references = citations::bibliography(of.spec, registry)?;
    let made = [(REFERENCES, references), (README, page(of))];
    let all = fixed.into_iter().chain(made);
    Ok(all.map(|(name, text)| (name.to_owned(), text)).collect())
}

fn page(of: &BundleTexts<'_>) -> String {
    let said = |key: &str| match &of.manifest[key] {
        Value::String(text) => plain(text),
        other => plain(&other.to_string()),
    };
    let row = match of.has_method {
        true => ROW,
        false => "",
    };
    filled(&[
        ("{title}", plain(of.title)),
        ("{id}", plain(of.id)),
        ("{run}", again(of.spec_file, of.has_method)),
        ("{row}", row.to_owned()),
        ("{version}", said("delassus")),
        ("{commit}", said("commit")),
        ("{rustc}", said("rustc")),
    ])
}

/// How to run every cell anew; the spec stands in a block of code.
fn again(spec: &str, has_method: bool) -> String {
    let spec = printable(spec);
    if has_method {
        return AGAIN.trim_end().replace("{spec}", &spec);
    }
    format!("    delassus run {spec} --out again\n\nThe last command runs every cell anew.")
}

/// The page with its marks filled in, none of them from a text that was filled in before.
fn filled(parts: &[(&str, String)]) -> String {
    let mut page = String::with_capacity(2 * PAGE.len());
    let mut rest = PAGE;
    while let Some(at) = rest.find('{') {
        page.push_str(&rest[..at]);
        rest = &rest[at..];
        let part = parts.iter().find(|(mark, _)| rest.starts_with(mark));
        let (mark, text) = part.map_or(("{", "{"), |(mark, text)| (*mark, text.as_str()));
        page.push_str(text);
        rest = &rest[mark.len()..];
    }
    page.push_str(rest);
    page
}

/// A text from outside in a page of Markdown: one line, and nothing in it is markup.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in printable(text).chars() {
        if matches!(
            c,
            '\\' | '`'
                | '*'
                | '_'
                | '['
                | ']'
                | '<'
                | '>'
                | '&'
                | '!'
                | '|'
                | '#'
                | '~'
                | '$'
                | ':'
                | '@'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
