//! How many problems each solver brings to each tolerance, and which problems no solver brings
//! there.

use crate::analysis::{walls, work_to};
use crate::bundle::Bundle;
use crate::columns::{Columns, Refusal, View, tolerances};
use crate::numbers::power;
use crate::record::Outcome;
use crate::settings::settings;
use crate::view::{Work, headline};

use super::crossed::chosen;
use super::{Cell, CellValue, Column, Section, Table, TableKind, nothing};

settings! {
    /// Problems solved per solver and tolerance; the problems that no solver brings to a tolerance.
    pub struct Solved {
        /// Metric that must fall to the tolerance.
        #[serde(default = "headline")]
        pub metric: String,
        /// Tolerances, a column each \[-\].
        pub tolerances: Vec<f64>,
        /// What counts is the last sample of a cell, as for errors that a run may pass by, in place
        /// of any sample.
        #[serde(default)]
        pub at_end: bool,
        /// Problems to count, by name or by what their names begin with; all if left out.
        problems,
        /// Solvers to count, by label or by what labels begin with.
        solvers,
    }
}

impl View for Solved {
    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.along_sweeps("solved")?;
        columns.measured(&self.metric)?;
        tolerances(&self.tolerances)
    }
}

impl TableKind for Solved {
    fn table(&self, bundle: &Bundle) -> Table {
        let [problems, solvers] = chosen(bundle, &self.problems, &self.solvers);
        if problems.is_empty() || solvers.is_empty() {
            return nothing("no cell has finished");
        }
        let counts = Counts::of(self, bundle, &problems, &solvers);
        let mut columns = vec![Column::text("name"), Column::numeric("tried [-]")];
        let tolerances = self.tolerances.iter();
        columns.extend(tolerances.map(|t| Column::numeric(format!("≤ {} [-]", power(*t)))));
        columns.push(Column::numeric("smallest residual [-]"));
        columns.push(Column::text("reached by"));
        let walls = walls::below(bundle, &problems, &self.metric, &self.tolerances);
        let table = Table {
            columns,
            sections: vec![
                counts.by_solver(&problems, &solvers),
                counts.unsolved(self, bundle, &problems, &solvers),
            ],
            notes: vec![format!(
                "A problem counts where {} is within the tolerance {}. Tried: problems that the solver supports, or \
                 solvers that support the problem.",
                self.metric,
                if self.at_end {
                    "at the end"
                } else {
                    "at a sample"
                }
            )],
        };
        walls.into_iter().fold(table, Table::noting)
    }
}

impl Solved {
    fn reaches(&self, outcome: &Outcome, tolerance: f64) -> bool {
        match self.at_end {
            true => outcome.last(&self.metric).is_some_and(|r| r <= tolerance),
            false => work_to(outcome, &self.metric, tolerance, Work::Sweeps).is_some(),
        }
    }

    /// The residual that counts.
    fn residual(&self, outcome: &Outcome) -> Option<f64> {
        match self.at_end {
            true => outcome.last(&self.metric),
            false => outcome.best(&self.metric),
        }
    }
}

/// Who tried what, and who came how far.
struct Counts {
    /// Problem by problem: which solvers tried it.
    tried: Vec<Vec<bool>>,
    /// Problem by problem and solver by solver: which tolerances were reached.
    reached: Vec<Vec<Vec<bool>>>,
    /// Number of tolerances.
    width: usize,
}

impl Counts {
    fn of(view: &Solved, bundle: &Bundle, problems: &[&str], solvers: &[&str]) -> Self {
        let cell = |problem: &str, solver: &str| {
            let record = bundle.cell(problem, solver);
            let tried = record.is_some_and(|record| record.was_attempted());
            let reached = view.tolerances.iter().map(|tolerance| {
                let outcome = record.map(|record| &record.outcome);
                tried && outcome.is_some_and(|o| view.reaches(o, *tolerance))
            });
            (tried, reached.collect::<Vec<bool>>())
        };
        let row = |problem: &&str| solvers.iter().map(|s| cell(problem, s)).unzip();
        let (tried, reached) = problems.iter().map(row).unzip();
        Self {
            tried,
            reached,
            width: view.tolerances.len(),
        }
    }

    /// A row per solver, then how many problems any of them solves.
    fn by_solver(&self, problems: &[&str], solvers: &[&str]) -> Section {
        let mut rows = Vec::new();
        for (s, solver) in solvers.iter().enumerate() {
            let tried = self.tried.iter().filter(|tried| tried[s]).count();
            let reached = |t: usize| self.reached.iter().filter(|r| r[s][t]).count();
            rows.push(self.row(solver, tried, reached, None));
        }
        let any = |t: usize| {
            let solved = |of_problem: &&Vec<Vec<bool>>| of_problem.iter().any(|r| r[t]);
            self.reached.iter().filter(solved).count()
        };
        rows.push(self.row("any of them", problems.len(), any, None));
        Section {
            title: "problems solved".to_owned(),
            rows,
        }
    }

    /// A row per problem that misses a tolerance with every solver: how many solvers reach each.
    fn unsolved(
        &self,
        view: &Solved,
        bundle: &Bundle,
        problems: &[&str],
        solvers: &[&str],
    ) -> Section {
        let mut rows = Vec::new();
        for (p, problem) in problems.iter().enumerate() {
            let reached = |t: usize| self.reached[p].iter().filter(|r| r[t]).count();
            if (0..self.width).all(|t| reached(t) > 0) {
                continue;
            }
            let tried = self.tried[p].iter().filter(|tried| **tried).count();
            let ends = solvers.iter().filter_map(|solver| {
                let residual = view.residual(&bundle.cell(problem, solver)?.outcome)?;
                Some((residual, *solver))
            });
            let closest = ends.min_by(|a, b| a.0.total_cmp(&b.0));
            rows.push(self.row(problem, tried, reached, closest));
        }
        if rows.is_empty() {
            rows.push(self.row("none", 0, |_| 0, None));
        }
        Section {
            title: "solvers that reach a tolerance, where none reaches all".to_owned(),
            rows,
        }
    }

    fn row(
        &self,
        name: &str,
        tried: usize,
        reached: impl Fn(usize) -> usize,
        closest: Option<(f64, &str)>,
    ) -> Vec<Cell> {
        let mut row = vec![Cell::text(name), Cell::size(tried)];
        row.extend((0..self.width).map(|t| Cell::size(reached(t))));
        row.push(Cell::number(closest.map(|(residual, _)| residual)));
        row.push(closest.map_or(CellValue::Empty.into(), |(_, solver)| Cell::text(solver)));
        row
    }
}
