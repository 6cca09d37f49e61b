//! Tables of problems or scenes × methods, and the best of their cells.

use crate::bundle::Bundle;
use crate::columns::View;
use crate::record::CellRecord;
use crate::view::named;

use super::{Cell, CellValue, Column};

/// Problems and solvers of these names, or that begin with one of them.
pub(super) fn chosen<'b>(
    bundle: &'b Bundle,
    problems: &[String],
    solvers: &[String],
) -> [Vec<&'b str>; 2] {
    let pairs = [(bundle.problems(), problems), (bundle.solvers(), solvers)];
    pairs.map(|(mut all, wanted)| {
        all.retain(|name| named(name, wanted));
        all
    })
}

/// Problems or scenes × methods, as far as cells of them are shown.
pub(super) struct Crossed<'b> {
    bundle: &'b Bundle,
    view: &'b dyn View,
    pub(super) shown: Vec<&'b CellRecord>,
    problems: Vec<&'b str>,
    pub(super) methods: Vec<&'b str>,
}

impl<'b> Crossed<'b> {
    pub(super) fn of(bundle: &'b Bundle, view: &'b dyn View) -> Self {
        let shown = view.shown(&bundle.records);
        let holds = |name: &str, of: fn(&CellRecord) -> &str| shown.iter().any(|r| of(r) == name);
        let mut problems = bundle.problems();
        problems.retain(|name| holds(name, |r| &r.problem.name));
        let mut methods = bundle.solvers();
        methods.retain(|name| holds(name, CellRecord::method));
        Self {
            bundle,
            view,
            shown,
            problems,
            methods,
        }
    }

    /// One row per problem; the smallest magnitude of each is the best where `rivals` says so. Runs
    /// of another scene take no part in that.
    pub(super) fn rows(&self, rivals: bool, cell: impl Fn(&CellRecord) -> Cell) -> Vec<Vec<Cell>> {
        let content = |problem: &str, method: &str| {
            let record = self.bundle.cell(problem, method);
            let record = record.filter(|r| self.view.selection().shows(r));
            record.map_or_else(|| CellValue::Empty.into(), &cell)
        };
        let rows = self.problems.iter().map(|problem| {
            let cells = self.methods.iter().map(|method| content(problem, method));
            std::iter::once(Cell::text(*problem)).chain(cells).collect()
        });
        let mut rows: Vec<Vec<Cell>> = rows.collect();
        for row in 0..rows.len() * usize::from(rivals) {
            let is_rival = |at: &usize| {
                let record = self.bundle.cell(self.problems[row], self.methods[*at]);
                record.is_none_or(|record| !record.steps_other_scene())
            };
            let methods = (0..self.methods.len()).filter(is_rival);
            let candidates: Vec<(usize, usize)> = methods.map(|at| (row, at + 1)).collect();
            mark_best(&mut rows, &candidates);
        }
        rows
    }

    /// Headings of the rows. All methods have the same quantity, in one unit and notation.
    pub(super) fn columns(&self, problem: &str) -> Vec<Column> {
        let mut columns = vec![Column::text(problem)];
        columns.extend(of_one_quantity(self.methods.iter().copied()));
        columns
    }
}

/// Columns of one quantity, which readers compare along a row.
pub(super) fn of_one_quantity<'n>(
    titles: impl Iterator<Item = &'n str>,
) -> impl Iterator<Item = Column> {
    titles.enumerate().map(|(at, title)| match at {
        0 => Column::numeric(title),
        _ => Column::numeric(title).in_unit_of_left(),
    })
}

/// Marks the smallest magnitude of the candidates (row, column) in one column; nothing if only one
/// can win.
pub(super) fn mark_best(rows: &mut [Vec<Cell>], candidates: &[(usize, usize)]) {
    mark(rows, candidates, f64::abs);
}

/// The same of the smallest that `rank` makes of the values.
pub(super) fn mark(
    rows: &mut [Vec<Cell>],
    candidates: &[(usize, usize)],
    rank: impl Fn(f64) -> f64,
) {
    let values: Vec<(usize, usize, f64)> = candidates
        .iter()
        .filter_map(|(row, column)| Some((*row, *column, rank(rows[*row][*column].value()?))))
        .filter(|(_, _, value)| value.is_finite())
        .collect();
    if values.len() < 2 {
        return;
    }
    let Some(best) = values.iter().map(|v| v.2).min_by(f64::total_cmp) else {
        return;
    };
    for (row, column, value) in values {
        // three digits are printed: a tie in print is a tie
        rows[row][column].best = value <= best * (1.0 + 5e-4);
    }
}
