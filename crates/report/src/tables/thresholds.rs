//! Between which values of a parameter a scene changes from standing to falling, compared with what
//! theory says.

use std::collections::BTreeMap;

use crate::bundle::Bundle;
use crate::columns::{Columns, Refusal, View};
use crate::record::{CellRecord, THRESHOLD};
use crate::settings::settings;
use crate::view::CellFilter;

use super::{Cell, Column, Table, TableKind, nothing};

settings! {
    /// Scene and method: the bracket of a threshold, compared with a closed form.
    pub struct Thresholds {
        /// What theory says, by the name of the scene, in the unit of the parameter.
        #[serde(default)]
        pub expected: BTreeMap<String, f64>,
        scenes, schemes, solvers,
    }
}

impl View for Thresholds {
    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        let infinite = self.expected.iter().find(|(_, value)| !value.is_finite());
        if let Some((name, value)) = infinite {
            let message = format!("expected {name:?} = {value} is no finite number");
            return Err(Refusal::of_key("expected", message));
        }
        columns.along_time("thresholds")
    }

    fn scenes_named(&self) -> Vec<String> {
        self.expected.keys().cloned().collect()
    }
}

impl TableKind for Thresholds {
    fn table(&self, bundle: &Bundle) -> Table {
        let cells = bundle.records.iter();
        let searched = |record: &&CellRecord| {
            let has = record.outcome.metrics.first().map(String::as_str) == Some(THRESHOLD[0]);
            self.selection().shows(record) && (has || record.outcome.samples.is_empty())
        };
        let rows: Vec<Vec<Cell>> = cells
            .filter(searched)
            .map(|record| self.row(record))
            .collect();
        if rows.is_empty() {
            return nothing("no scene shown has a threshold, or no cell has finished");
        }
        let columns = vec![
            Column::text("scene"),
            Column::text("method"),
            Column::numeric("stands at"),
            Column::numeric("falls at"),
            Column::numeric("runs [-]"),
            Column::numeric("closed form"),
            Column::numeric("off by [-]"),
            Column::text("remark"),
        ];
        Table::plain(columns, rows, []).noting(
            "Values of the parameter with which the scene stands and falls, as close to each other as the spec asks. Off by: \
             the middle of the two less the closed form, relative.",
        )
    }
}

impl Thresholds {
    fn row(&self, record: &CellRecord) -> Vec<Cell> {
        let outcome = &record.outcome;
        let [stands, falls] = [THRESHOLD[0], THRESHOLD[1]].map(|id| outcome.last(id));
        let expected = self.expected.get(&record.problem.name).copied();
        let off = stands.zip(falls).zip(expected);
        let off = off.map(|((a, b), exact)| 0.5 * (a + b) / exact - 1.0);
        let mut row = vec![
            Cell::text(&record.problem.name),
            Cell::text(record.method()),
            Cell::number(stands),
            Cell::number(falls),
            Cell::size(outcome.samples.len()),
            Cell::number(expected),
            Cell::number(off.filter(|off| off.is_finite())),
            Cell::text(outcome.message.as_deref().unwrap_or_default()),
        ];
        if outcome.samples.is_empty() {
            row[2] = Cell::status(record);
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{OBSERVED, Sample};
    use crate::tables::CellValue;
    use crate::testing;

    fn searched(last: [Option<f64>; 2]) -> CellRecord {
        let mut record = testing::trajectories().records.remove(0);
        record.problem.name = "arch".to_owned();
        let ids = THRESHOLD.into_iter().chain([OBSERVED]);
        record.outcome.metrics = ids.map(str::to_owned).collect();
        record.outcome.samples = vec![Sample {
            sweeps: 1,
            row_updates: 1,
            values: vec![last[0], last[1], last[0], Some(0.0)],
        }]
        .into();
        record
    }

    #[test]
    fn a_bracket_stands_beside_its_closed_form() {
        let table = Thresholds {
            expected: BTreeMap::from([("arch".to_owned(), 0.1)]),
            scenes: Vec::new(),
            schemes: Vec::new(),
            solvers: Vec::new(),
        };
        let row = table.row(&searched([Some(0.102), Some(0.1)]));
        let numbers: Vec<Option<f64>> = row.iter().map(Cell::value).collect();
        assert_eq!(
            numbers[2..6],
            [Some(0.102), Some(0.1), Some(1.0), Some(0.1)]
        );
        assert!((numbers[6].unwrap() - 0.01).abs() < 1e-12);
        // one end alone is no threshold
        let row = table.row(&searched([Some(0.102), None]));
        assert_eq!(row[6].content, CellValue::Empty);
    }
}
