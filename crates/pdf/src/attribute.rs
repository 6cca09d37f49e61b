//! Values of attributes.

use roxmltree::Node;

use super::PdfError;

/// A finite number without a unit.
pub(crate) fn number(node: Node<'_, '_>, text: &str) -> Result<f32, PdfError> {
    let found: Option<f32> = text.trim().parse().ok().filter(|v: &f32| v.is_finite());
    found.ok_or_else(|| unknown(node, &format!("the number {text:?}")))
}

/// Numbers between blanks and commas.
pub(crate) fn numbers(node: Node<'_, '_>, text: &str) -> Result<Vec<f32>, PdfError> {
    let words = text.split([' ', ',', '\n', '\t']);
    let words = words.filter(|word| !word.is_empty());
    words.map(|word| number(node, word)).collect()
}

/// What figures do not use, with its line.
pub(crate) fn unknown(node: Node<'_, '_>, what: &str) -> PdfError {
    let line = node.document().text_pos_at(node.range().start).row;
    let what = what.chars().take(80).collect();
    PdfError::Unknown { line, what }
}
