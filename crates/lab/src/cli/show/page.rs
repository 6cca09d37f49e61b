//! The lines of a page.

use crate::cli::failure::Failure;
use crate::cli::output::Output;

/// Version of the objects of `--json`.
pub(super) const SCHEMA: &str = "show/1";

/// One line of a page: what it is about, and the text.
pub(super) type Line = (&'static str, String);

/// Lines with their labels in a column; a label stands once.
pub(super) fn page(title: &str, lines: &[Line], output: &mut Output) -> Result<(), Failure> {
    output.line(title)?;
    let mut before = "";
    let rows: Vec<Vec<String>> = lines
        .iter()
        .map(|(label, text)| {
            let shown = if before == *label { "" } else { *label };
            before = label;
            vec![format!("  {shown}"), text.clone()]
        })
        .collect();
    output.table(&rows)
}
