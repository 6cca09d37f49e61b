//! Rank and condition of the rows of a problem (D.3), (D.20), where a column asks for them.

use delassus_core::Problem;
use delassus_records::guard::caught;
use delassus_records::trace::TraceQuantity;
use delassus_solver_dense::assembly::{Redundancy, redundancy_of};

use crate::judge::Judge;
use crate::record::Outcome;

/// Problems of more rows have no rank \[-\]: singular values take O(rows³).
const MOST_ROWS: usize = 1000;

/// Writes rank and condition into the last sample; the outcome says why there are none.
pub(super) fn add(problem: &Problem, judge: &Judge<'_>, outcome: &mut Outcome) {
    let found = match of(problem) {
        Ok(found) => found,
        Err(reason) => {
            outcome.note(&format!("no rank: {reason}"));
            return;
        }
    };
    #[expect(clippy::cast_precision_loss, reason = "at most a thousand")]
    let columns = [
        (TraceQuantity::Rank, found.rank as f64),
        (TraceQuantity::Condition, found.condition()),
    ];
    for (quantity, value) in columns {
        outcome.set_last(judge.column_of(quantity), value);
    }
}

fn of(problem: &Problem) -> Result<Redundancy, String> {
    let rows = problem.rows();
    if rows > MOST_ROWS {
        return Err(format!(
            "{rows} rows are more than the {MOST_ROWS} whose singular values are taken"
        ));
    }
    let all: Vec<usize> = (0..rows).collect();
    caught(|| redundancy_of(problem, &all))?.map_err(|error| error.to_string())
}
