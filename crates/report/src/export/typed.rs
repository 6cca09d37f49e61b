//! The type of every column, for files that have types.

use std::io;

/// Type of the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// Names, identifiers, objects as JSON.
    Text,
    /// Counts \[-\].
    Whole,
    /// Numbers, bit for bit.
    Real,
    /// Yes or no.
    Flag,
}

/// A value of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TypedValue<'t> {
    /// A text.
    Text(&'t str),
    /// A count \[-\].
    Whole(i64),
    /// A number.
    Real(f64),
    /// Yes or no.
    Flag(bool),
}

/// Columns of texts.
const TEXT: [&str; 28] = [
    "experiment",
    "problem",
    "source",
    "problem_parameters",
    "world_parameters",
    "scene",
    "scene_parameters",
    "scheme",
    "scheme_id",
    "scheme_parameters",
    "budget",
    "calibration",
    "device",
    "solver",
    "solver_id",
    "solver_parameters",
    "level",
    "status",
    "message",
    "approximations",
    "claimed",
    "peer",
    "peer_hash",
    "peer_clock",
    "reference",
    "impulse_hash",
    "state_hash",
    "cell",
];
/// Columns of counts.
const WHOLE: [&str; 24] = [
    "rows",
    "row",
    "blocks",
    "constraints",
    "contacts",
    "bodies",
    "chosen_substeps",
    "sweeps",
    "row_updates",
    "factorizations",
    "peer_iterations",
    "worst_block",
    "solutions",
    "solution",
    "world",
    "frame",
    "frames",
    "threads",
    "short_sweeps",
    "read_bytes",
    "written_bytes",
    "gathered_bytes",
    "working_set",
    "timing_samples",
];
/// Columns of yes and no.
const FLAG: [&str; 2] = ["all_solutions", "isolated"];

impl ColumnType {
    /// The type of the column of this name, the same in every experiment: what is no text, no count
    /// and no flag is a number.
    pub fn of(name: &str) -> Self {
        if TEXT.contains(&name) {
            Self::Text
        } else if WHOLE.contains(&name) {
            Self::Whole
        } else if FLAG.contains(&name) {
            Self::Flag
        } else {
            Self::Real
        }
    }

    /// The value that a text of a row stands for; `None` where it is empty.
    ///
    /// # Errors
    /// A text that is not of this type.
    pub fn value(self, text: &str) -> io::Result<Option<TypedValue<'_>>> {
        if text.is_empty() {
            return Ok(None);
        }
        let value = match self {
            Self::Text => Some(TypedValue::Text(active(text))),
            Self::Whole => text.parse().ok().map(TypedValue::Whole),
            Self::Real => text.parse().ok().map(TypedValue::Real),
            Self::Flag => text.parse().ok().map(TypedValue::Flag),
        };
        let odd = || {
            let message = format!("{text:?} is not of the type of its column");
            io::Error::new(io::ErrorKind::InvalidData, message)
        };
        value.ok_or_else(odd).map(Some)
    }
}

/// A text without the apostrophe that keeps spreadsheets from computing it.
fn active(cell: &str) -> &str {
    let bare = cell
        .strip_prefix('\'')
        .filter(|rest| super::inert(rest) != *rest);
    bare.unwrap_or(cell)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::{ExportTable, TableShape};
    use crate::testing::{chains, realistic, trajectories};

    #[test]
    fn every_column_of_every_kind_of_experiment_has_its_type() {
        for run in [realistic(), chains(), trajectories()] {
            let shape = TableShape::of(&run.records);
            for table in [ExportTable::Records, ExportTable::Summary] {
                let names = table.columns(&shape);
                let types: Vec<ColumnType> =
                    names.iter().map(|name| ColumnType::of(name)).collect();
                let mut rows = 0;
                for record in &run.records {
                    let row = table.rows(&shape, &run.id, record, |row| {
                        assert_eq!(row.len(), names.len());
                        rows += 1;
                        let mut values = types.iter().zip(row);
                        values.try_for_each(|(kind, text)| kind.value(text).map(drop))
                    });
                    row.expect("values of their types");
                }
                assert!(rows > 0);
                for (name, expected) in
                    [("solver", ColumnType::Text), ("sweeps", ColumnType::Whole)]
                {
                    assert!(names.iter().any(|own| own == name), "{name}");
                    assert_eq!(ColumnType::of(name), expected);
                }
            }
        }
    }

    #[test]
    fn numbers_keep_their_bits_and_texts_lose_their_apostrophe() {
        let value = |name: &str, text: &'static str| {
            let value = ColumnType::of(name).value(text);
            value.expect("a value")
        };
        assert_eq!(value("problem", "'=1+1"), Some(TypedValue::Text("=1+1")));
        assert_eq!(value("problem", "'x"), Some(TypedValue::Text("'x")));
        assert_eq!(value("sweeps", "3"), Some(TypedValue::Whole(3)));
        assert_eq!(value("sweeps", ""), None);
        assert_eq!(
            value("natural_map", "0.30000000000000004"),
            Some(TypedValue::Real(0.1 + 0.2))
        );
        let Some(TypedValue::Real(number)) = value("natural_map", "NaN") else {
            panic!("no number");
        };
        assert!(number.is_nan());
        assert_eq!(value("isolated", "true"), Some(TypedValue::Flag(true)));
        let error = ColumnType::of("sweeps").value("many").expect_err("a word");
        assert_eq!(
            error.to_string(),
            "\"many\" is not of the type of its column"
        );
    }
}
