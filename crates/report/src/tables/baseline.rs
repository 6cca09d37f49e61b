//! The runs of an experiment compared with those of a reference library.

mod best;
mod reference;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::analysis::work_to;
use crate::bundle::Bundle;
use crate::columns::{Columns, Refusal, View, tolerances};
use crate::numbers::power;
use crate::settings::settings;
use crate::text::clean;
use crate::view::{CellFilter, Selection, Work, named};

use super::{Cell, CellValue, Column, REACHED, Section, Table, TableKind, nothing};
use reference::{Line, METRIC, Sides, lines, read, stem};

/// Runs of the library by problem and solver, at one tolerance.
type Runs<'a> = BTreeMap<(&'a str, &'a str), &'a Line>;

settings! {
    /// The runs compared with those of a reference library, read from its results file.
    pub struct Baseline {
        /// CSV with the columns kind, problem, solver, tol, outcome, iters, wall_s, nat_rel;
        /// relative to the spec.
        pub file: PathBuf,
        /// Solvers of that library to print; with `best` those that compete, all of them if left
        /// out.
        #[serde(default)]
        pub solvers: Vec<String>,
        /// Tolerances \[-\].
        pub tolerances: Vec<f64>,
        /// The fastest solver of each side, their times and the ratio, in place of a column per
        /// solver.
        #[serde(default)]
        pub best: bool,
        /// Problems of this run to show, by name or by what their names begin with; all that the
        /// results file has if left out.
        #[serde(default)]
        pub problems: Vec<String>,
        /// Solvers of this run to show, by label or by what labels begin with.
        #[serde(default)]
        pub own: Vec<String>,
    }
}

impl CellFilter for Baseline {
    fn selection(&self) -> Selection<'_> {
        Selection::of(&self.problems, &[], &self.own)
    }
}

impl View for Baseline {
    fn shows_times(&self) -> bool {
        true
    }

    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.along_sweeps("baseline")?;
        tolerances(&self.tolerances)
    }
}

impl TableKind for Baseline {
    fn file(&self) -> Option<&Path> {
        Some(&self.file)
    }

    fn file_mut(&mut self) -> Option<&mut PathBuf> {
        Some(&mut self.file)
    }

    fn table(&self, bundle: &Bundle) -> Table {
        match read(&self.file) {
            Ok(csv) => self.table_of(bundle, &csv[..]),
            Err(reason) => self.without(&reason),
        }
    }
}

impl Baseline {
    /// The table with the results that `csv` holds in place of the file.
    pub fn table_of(&self, bundle: &Bundle, csv: impl Read) -> Table {
        let lines = match lines(csv) {
            Ok(lines) => lines,
            Err(reason) => return self.without(&reason),
        };
        let mut ours = bundle.solvers();
        ours.retain(|label| named(label, &self.own));
        let known: Vec<&str> = bundle
            .problems()
            .into_iter()
            .filter(|name| {
                let shown = named(name, &self.problems);
                let stem = bundle.problem(name).filter(|_| shown).map(stem);
                stem.is_some_and(|stem| lines.iter().any(|l| l.problem == stem))
            })
            .collect();
        if known.is_empty() {
            return nothing("none of the problems is among the reference results");
        }
        let sides = Sides {
            lines: &lines,
            theirs: &self.solvers,
            ours: &ours,
            problems: &known,
        };
        if self.best {
            return best::table(bundle, &sides, &self.tolerances);
        }
        let mut columns = vec![Column::text("problem"), Column::numeric("contacts [-]")];
        for label in &ours {
            columns.push(Column::numeric(format!("{label}: sweeps [-]")));
            columns.push(Column::numeric(format!("{label}: time [s]")));
        }
        for label in &self.solvers {
            columns.push(Column::numeric(format!(
                "{label} (reference): iterations [-]"
            )));
            columns.push(Column::numeric(format!("{label} (reference): time [s]")));
        }
        let sections = self
            .tolerances
            .iter()
            .map(|tolerance| section(bundle, &sides, *tolerance));
        Table {
            columns,
            sections: sections.collect(),
            notes: vec![format!(
                "Both sides are judged by the residual `{METRIC}` (the library's relative residual), re-evaluated outside the \
                 solver. Reference runs come from a results file, perhaps of another machine: compare counts before seconds. \
                 Times of this run are the share of the untraced solve up to the tolerance. \
                 `–`: the tolerance was not reached."
            )],
        }
    }

    fn without(&self, reason: &str) -> Table {
        // the path may be the reader's own: its last part says enough
        let name = self.file.file_name().unwrap_or_default().to_string_lossy();
        nothing(format!("the reference results {} {reason}", clean(&name)))
    }
}

fn section(bundle: &Bundle, sides: &Sides<'_>, tolerance: f64) -> Section {
    let Sides {
        lines,
        theirs,
        ours,
        problems,
    } = *sides;
    let at = |line: &&Line| (line.tol - tolerance).abs() <= 1e-6 * tolerance;
    let runs: Runs<'_> = lines
        .iter()
        .filter(at)
        .map(|line| ((line.problem.as_str(), line.solver.as_str()), line))
        .collect();
    let mut solved = vec![0u64; ours.len() + theirs.len()];
    let mut rows = Vec::new();
    for name in problems {
        let Some(label) = bundle.problem(name) else {
            continue;
        };
        let contacts = bundle.records.iter().find(|r| r.problem.name == *name);
        let mut row = vec![
            Cell::text(*name),
            Cell::size(contacts.map_or(0, |r| r.facts.contacts)),
        ];
        for (solver, solved) in ours.iter().zip(&mut solved) {
            let outcome = bundle.cell(name, solver).map(|r| &r.outcome);
            let work = |unit| outcome.and_then(|o| work_to(o, METRIC, tolerance, unit));
            pair(&mut row, work(Work::Sweeps), work(Work::Seconds), solved);
        }
        let stem = stem(label);
        for (solver, solved) in theirs.iter().zip(&mut solved[ours.len()..]) {
            let run = runs.get(&(stem.as_str(), solver.as_str()));
            // a run counts where the recomputed residual is within the tolerance, whatever the
            // library said
            let run = run.filter(|l| l.nat_rel.is_some_and(|r| r <= tolerance));
            pair(
                &mut row,
                run.and_then(|l| l.iters),
                run.and_then(|l| l.wall_s),
                solved,
            );
        }
        rows.push(row);
    }
    let mut total = vec![
        Cell::text(REACHED),
        Cell::text(format!("of {}", rows.len())),
    ];
    for count in solved {
        total.push(CellValue::Count(count).into());
        total.push(CellValue::Empty.into());
    }
    rows.push(total);
    Section {
        title: format!("{METRIC} ≤ {}", power(tolerance)),
        rows,
    }
}

fn pair(row: &mut Vec<Cell>, sweeps: Option<f64>, seconds: Option<f64>, solved: &mut u64) {
    if sweeps.is_none() {
        row.extend([Cell::text("–"), Cell::text("–")]);
        return;
    }
    *solved += 1;
    row.extend([Cell::work(sweeps, Work::Sweeps), Cell::number(seconds)]);
}
