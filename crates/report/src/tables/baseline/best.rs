//! The fastest solver of each side, problem by problem.

use crate::analysis::{count, work_to};
use crate::bundle::Bundle;
use crate::numbers::power;
use crate::view::Work;

use super::super::{Cell, CellValue, Column, Section, Table};
use super::reference::{METRIC, Sides, stem};

/// Who reached the tolerance soonest, and when \[s\].
#[derive(Clone, Copy)]
struct Fastest<'n> {
    solver: &'n str,
    seconds: f64,
}

/// How many problems there are, who solves them, and where the run is at least as fast.
#[derive(Default)]
struct Tally {
    problems: u64,
    library: u64,
    ours: u64,
    library_alone: u64,
    not_slower: u64,
}

/// One row per problem that the library tried: its fastest solver, the fastest of this run, and the
/// ratio of their times.
pub(super) fn table(bundle: &Bundle, sides: &Sides<'_>, tolerances: &[f64]) -> Table {
    let columns = vec![
        Column::text("problem"),
        Column::numeric("contacts [-]"),
        Column::text("library: fastest solver"),
        Column::numeric("library: time [s]"),
        Column::text("here: fastest solver"),
        Column::numeric("here: time [s]"),
        Column::numeric("time here / library [-]"),
    ];
    let tolerances = tolerances.iter();
    let sections = tolerances.map(|tolerance| section(bundle, sides, *tolerance));
    Table {
        columns,
        sections: sections.collect(),
        notes: vec![format!(
            "Both sides are judged by the residual `{METRIC}`, re-evaluated outside the solver. A time is that of one solver, \
             preparation included; of this run it is the share of the untraced solve up to the tolerance. Reference runs come \
             from a results file, perhaps of another machine. `–`: no solver of that side reached the tolerance. A problem that \
             no solver of the library reached counts as at least as fast where this run solves it."
        )],
    }
}

fn section(bundle: &Bundle, sides: &Sides<'_>, tolerance: f64) -> Section {
    let mut tally = Tally::default();
    let mut rows = Vec::new();
    for name in sides.problems {
        let Some(label) = bundle.problem(name) else {
            continue;
        };
        let of_problem = bundle.records.iter().find(|r| r.problem.name == *name);
        let library = fastest_of_library(sides, &stem(label), tolerance);
        let here = fastest_here(bundle, name, sides.ours, tolerance);
        tally.add(library, here);
        let ratio = library.zip(here).map(|(l, h)| h.seconds / l.seconds);
        let ratio = ratio.filter(|ratio| ratio.is_finite());
        let mut row = vec![
            Cell::text(*name),
            Cell::size(of_problem.map_or(0, |r| r.facts.contacts)),
        ];
        row.extend([library, here].into_iter().flat_map(pair));
        row.push(Cell::number(ratio));
        rows.push(row);
    }
    rows.extend(tally.rows());
    Section {
        title: format!("{METRIC} ≤ {}", power(tolerance)),
        rows,
    }
}

/// A run of the library counts where the recomputed residual is within the tolerance, whatever the
/// library said.
fn fastest_of_library<'l>(sides: &Sides<'l>, stem: &str, tolerance: f64) -> Option<Fastest<'l>> {
    let tried = sides.lines.iter().filter(|line| {
        line.problem == stem
            && (line.tol - tolerance).abs() <= 1e-6 * tolerance
            && (sides.theirs.is_empty() || sides.theirs.contains(&line.solver))
            && line.nat_rel.is_some_and(|residual| residual <= tolerance)
    });
    let times = tried.filter_map(|line| {
        let seconds = line.wall_s?;
        Some(Fastest {
            solver: &line.solver,
            seconds,
        })
    });
    times.min_by(|a, b| a.seconds.total_cmp(&b.seconds))
}

fn fastest_here<'l>(
    bundle: &Bundle,
    problem: &str,
    solvers: &[&'l str],
    tolerance: f64,
) -> Option<Fastest<'l>> {
    let times = solvers.iter().filter_map(|solver| {
        let outcome = &bundle.cell(problem, solver)?.outcome;
        let seconds = work_to(outcome, METRIC, tolerance, Work::Seconds)?;
        Some(Fastest { solver, seconds })
    });
    times.min_by(|a, b| a.seconds.total_cmp(&b.seconds))
}

fn pair(fastest: Option<Fastest<'_>>) -> [Cell; 2] {
    match fastest {
        Some(fastest) => [
            Cell::text(fastest.solver),
            Cell::number(Some(fastest.seconds)),
        ],
        None => [Cell::text("–"), Cell::text("–")],
    }
}

impl Tally {
    fn add(&mut self, library: Option<Fastest<'_>>, here: Option<Fastest<'_>>) {
        self.problems += 1;
        self.library += u64::from(library.is_some());
        self.ours += u64::from(here.is_some());
        self.library_alone += u64::from(library.is_some() && here.is_none());
        let not_slower = here.is_some_and(|h| library.is_none_or(|l| h.seconds <= l.seconds));
        self.not_slower += u64::from(not_slower);
    }

    /// Counts under the columns of the side that they belong to.
    fn rows(&self) -> [Vec<Cell>; 3] {
        let row = |name: &str, library: Option<u64>, here: u64, share: Option<f64>| {
            let counted = |n: Option<u64>| Cell::from(n.map_or(CellValue::Empty, CellValue::Count));
            vec![
                Cell::text(name),
                Cell::from(CellValue::Count(self.problems)),
                CellValue::Empty.into(),
                counted(library),
                CellValue::Empty.into(),
                counted(Some(here)),
                Cell::number(share),
            ]
        };
        let either = self.ours + self.library_alone;
        let share = (either > 0).then(|| count(self.not_slower) / count(either));
        [
            row("solved", Some(self.library), self.ours, None),
            row(
                "solved by this side alone",
                Some(self.library_alone),
                self.ours + self.library_alone - self.library,
                None,
            ),
            row("at least as fast here", None, self.not_slower, share),
        ]
    }
}
