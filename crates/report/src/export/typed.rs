//! The same tables with a type for every column, for files that have types.

use std::io;

/// A column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TypedColumn {
    /// Its name, as in the CSV file.
    pub name: String,
    /// One value per row.
    pub values: TypedValues,
}

/// The values of a column; `None` where a cell is empty.
#[derive(Debug, Clone, PartialEq)]
pub enum TypedValues {
    /// Names, identifiers, objects as JSON.
    Text(Vec<Option<String>>),
    /// Counts \[-\].
    Whole(Vec<Option<i64>>),
    /// Numbers, bit for bit.
    Real(Vec<Option<f64>>),
    /// Yes or no.
    Flag(Vec<Option<bool>>),
}

/// Columns of texts.
const TEXT: [&str; 20] = [
    "experiment",
    "problem",
    "source",
    "problem_parameters",
    "scene",
    "scene_parameters",
    "scheme",
    "scheme_id",
    "scheme_parameters",
    "solver",
    "solver_id",
    "solver_parameters",
    "level",
    "status",
    "message",
    "approximations",
    "reference",
    "impulse_hash",
    "state_hash",
    "cell",
];
/// Columns of counts.
const WHOLE: [&str; 21] = [
    "rows",
    "row",
    "blocks",
    "constraints",
    "contacts",
    "bodies",
    "sweeps",
    "row_updates",
    "factorizations",
    "worst_block",
    "solutions",
    "solution",
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

/// The columns of a table that this module has written as CSV. A column has the same type in every
/// experiment: that of its name; what is no text, no count and no flag is a number.
///
/// # Errors
/// No table, or a cell that is not of the type of its column.
pub fn typed(csv: &[u8]) -> io::Result<Vec<TypedColumn>> {
    let mut reader = csv::Reader::from_reader(csv);
    let names: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
    let mut columns: Vec<TypedColumn> = names.into_iter().map(TypedColumn::named).collect();
    for row in reader.records() {
        let row = row?;
        for (column, cell) in columns.iter_mut().zip(&row) {
            column.push(cell)?;
        }
    }
    Ok(columns)
}

impl TypedColumn {
    fn named(name: String) -> Self {
        let values = if TEXT.contains(&name.as_str()) {
            TypedValues::Text(Vec::new())
        } else if WHOLE.contains(&name.as_str()) {
            TypedValues::Whole(Vec::new())
        } else if FLAG.contains(&name.as_str()) {
            TypedValues::Flag(Vec::new())
        } else {
            TypedValues::Real(Vec::new())
        };
        Self { name, values }
    }

    fn push(&mut self, cell: &str) -> io::Result<()> {
        let name = &self.name;
        let odd = || {
            let message = format!("column {name}: {cell:?} is not of its type");
            io::Error::new(io::ErrorKind::InvalidData, message)
        };
        let there = !cell.is_empty();
        match &mut self.values {
            TypedValues::Text(values) => values.push(there.then(|| active(cell).to_owned())),
            TypedValues::Whole(values) => values.push(read(there, cell).ok_or_else(odd)?),
            TypedValues::Real(values) => values.push(read(there, cell).ok_or_else(odd)?),
            TypedValues::Flag(values) => values.push(read(there, cell).ok_or_else(odd)?),
        }
        Ok(())
    }
}

/// The value of a cell, where it has one; `None` of what is none.
fn read<T: std::str::FromStr>(there: bool, cell: &str) -> Option<Option<T>> {
    match there {
        true => cell.parse().ok().map(Some),
        false => Some(None),
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
    use crate::export::{records_csv, summary_csv};
    use crate::testing::{chains, realistic, trajectories};

    #[test]
    fn every_column_of_every_kind_of_experiment_has_its_type() {
        for run in [realistic(), chains(), trajectories()] {
            for csv in [
                records_csv(&run.id, &run.records),
                summary_csv(&run.id, &run.records),
            ] {
                let csv = csv.expect("a table");
                let columns = typed(&csv).expect("typed");
                let heading = String::from_utf8_lossy(&csv);
                let heading = heading.lines().next().expect("a heading");
                let names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
                assert_eq!(names.join(","), heading);
                let named = |name: &str| columns.iter().find(|c| c.name == name).expect("a column");
                assert!(matches!(named("solver").values, TypedValues::Text(_)));
                assert!(matches!(named("sweeps").values, TypedValues::Whole(_)));
            }
        }
    }

    #[test]
    fn numbers_keep_their_bits_and_texts_lose_their_apostrophe() {
        let csv =
            b"problem,sweeps,natural_map,isolated\n'=1+1,3,0.30000000000000004,true\n'x,,NaN,\n";
        let columns = typed(csv).expect("typed");
        let text = |s: &str| Some(s.to_owned());
        assert_eq!(
            columns[0].values,
            TypedValues::Text(vec![text("=1+1"), text("'x")])
        );
        assert_eq!(columns[1].values, TypedValues::Whole(vec![Some(3), None]));
        let TypedValues::Real(values) = &columns[2].values else {
            panic!("{:?}", columns[2]);
        };
        assert_eq!(values[0].map(f64::to_bits), Some((0.1_f64 + 0.2).to_bits()));
        assert!(values[1].is_some_and(f64::is_nan));
        assert_eq!(columns[3].values, TypedValues::Flag(vec![Some(true), None]));
        let error = typed(b"sweeps\nmany\n").expect_err("a word").to_string();
        assert_eq!(error, "column sweeps: \"many\" is not of its type");
    }
}
