//! `delassus run --dry-run`: the cells of a matrix as a table.

use crate::matrix::PlanLine;

use super::output::{count, printable};

/// Characters of the widest column of [`table`] \[-\].
const WIDEST: usize = 60;

/// The lines as an aligned table with a header and a last line of totals.
pub(crate) fn table(lines: &[PlanLine]) -> String {
    let header = ["name", "rows", "method", "key", "state"].map(str::to_owned);
    let rows = lines.iter().map(|line| {
        let state = match &line.reason {
            Some(reason) => format!("{}: {reason}", line.state),
            None => line.state.to_owned(),
        };
        let key = line.key.chars().take(12).collect();
        [
            line.problem.clone(),
            line.rows
                .map_or_else(|| "–".to_owned(), |rows| rows.to_string()),
            line.solver.clone(),
            key,
            state,
        ]
    });
    let rows: Vec<[String; 5]> = std::iter::once(header).chain(rows).collect();
    let rows: Vec<[String; 5]> = rows
        .into_iter()
        .map(|row| row.map(|t| printable(&t)))
        .collect();
    let mut widths = [0; 4];
    for row in &rows {
        for (width, text) in widths.iter_mut().zip(row) {
            // a name of a page moves its own line only
            *width = text.chars().count().min(WIDEST).max(*width);
        }
    }
    let mut out = String::new();
    for [problem, rows, solver, key, state] in &rows {
        let [p, r, s, k] = widths;
        let line = format!("{problem:<p$}  {rows:>r$}  {solver:<s$}  {key:<k$}  {state}\n");
        out.push_str(&line);
    }
    let total = |state: &str| lines.iter().filter(|line| line.state == state).count();
    out.push_str(&format!(
        "{}: {} done, {} to do, {} unsupported\n",
        count(lines.len() as u64, "cell"),
        total("done"),
        total("to do"),
        total("unsupported")
    ));
    out
}
