//! A comparison as tables: a row per problem, or a row per pair of methods.

use delassus_core::counted;
use delassus_statistics::{Change, Interval, LEVEL, median};

use super::{Comparison, Ending, Goal, Pair};
use crate::analysis::interval::{shown, with_level};
use crate::quantities;
use crate::tables::{Cell, Column, Table};
use crate::view::{Kind, Work};

/// Heading and cells of a column of intervals of the quantity `of`: where one is not of the usual
/// level, the heading names none and each cell has its own. `None` where there is no interval.
fn intervals<'i>(
    of: &str,
    all: impl Iterator<Item = Option<&'i Interval>>,
) -> Option<(Column, Vec<Cell>)> {
    let all: Vec<Option<&Interval>> = all.collect();
    all.iter().flatten().next()?;
    let usual = all
        .iter()
        .flatten()
        .all(|interval| interval.coverage >= LEVEL);
    let (title, word): (String, fn(&Interval) -> String) = match usual {
        true => (format!("95 % interval of {of} [-]"), shown),
        false => (format!("interval of {of} (level) [-]"), with_level),
    };
    let cells = all
        .iter()
        .map(|own| Cell::text(own.map_or_else(|| MISSED.to_owned(), word)));
    Some((Column::numeric(title), cells.collect()))
}

/// Stands in a cell that has no number.
const MISSED: &str = "–";

/// A ratio: infinite or 0 where only one method reached the goal.
fn ratio(value: Option<f64>) -> Cell {
    match value {
        Some(_) => Cell::number(value),
        None => Cell::text(MISSED),
    }
}

/// What the marks in the columns of costs and ratios stand for, as far as they occur; `a` and `b`
/// are the methods.
fn marks(comparisons: &[Comparison], a: &str, b: &str) -> Vec<String> {
    let pairs = || comparisons.iter().flat_map(|c| &c.pairs);
    let missed = pairs().any(|pair| pair.a.is_none() || pair.b.is_none());
    let of_problems = pairs().filter_map(|pair| pair.ratio);
    let mut ratios = of_problems.chain(comparisons.iter().filter_map(|c| c.ratio));
    let mut notes = Vec::new();
    if missed {
        notes.push("`–`: the goal was not reached, or a number that needs it.".to_owned());
    }
    if ratios.any(|ratio| !ratio.is_normal()) {
        notes.push(format!(
            "A ratio of `∞`: only {a} reached the goal; of `0`: only {b}."
        ));
    }
    notes
}

/// Who needs less, in a cell.
fn less(comparison: &Comparison, ending: Ending) -> Cell {
    Cell::text(match ending {
        Ending::Win => comparison.a.as_str(),
        Ending::Loss => &comparison.b,
        Ending::Tie => "no difference",
        Ending::Neither => "neither reached the goal",
    })
}

/// One row per problem.
pub fn pair_table(comparison: &Comparison, goal: &Goal) -> Table {
    let unit = match comparison.kind {
        Kind::Solves => quantities::work(goal.cost),
        Kind::Timings => "time per sweep [s]",
        Kind::Trajectories if goal.cost == Work::Seconds => "time per frame [s]",
        Kind::Trajectories => quantities::run_work(goal.cost),
    };
    let Comparison { a, b, pairs, .. } = comparison;
    let quotient = format!("{b} / {a}");
    let discloses = discloses(comparison, goal);
    let ranges = intervals(&quotient, pairs.iter().map(|pair| pair.interval.as_ref()));
    let mut columns = vec![
        Column::text("problem"),
        Column::numeric(format!("{a}: {unit}")),
        Column::numeric(format!("{b}: {unit}")).in_unit_of_left(),
        Column::numeric(format!("{quotient} [-]")),
    ];
    columns.extend(ranges.iter().map(|(heading, _)| heading.clone()));
    columns.push(Column::text("needs less"));
    if discloses {
        columns.extend([a, b].map(|name| Column::numeric(format!("{name}: row updates [-]"))));
    }
    let factorize = factorize(comparison);
    if factorize {
        columns.extend([a, b].map(|name| Column::numeric(format!("{name}: factorizations [-]"))));
    }
    let cost = |value: Option<f64>| match value {
        Some(_) => Cell::work(value, goal.cost),
        None => Cell::text(MISSED),
    };
    let rows = pairs.iter().enumerate().map(|(index, pair)| {
        let mut row = vec![
            Cell::text(&pair.problem),
            cost(pair.a),
            cost(pair.b),
            ratio(pair.ratio),
        ];
        row.extend(ranges.iter().map(|(_, cells)| cells[index].clone()));
        row.push(less(comparison, pair.ending));
        if discloses {
            let updates = pair.updates;
            row.extend(updates.map(|updates| Cell::work(updates, Work::RowUpdates)));
        }
        if factorize {
            row.extend(pair.factorizations.map(factorizations));
        }
        row
    });
    let rows = rows.collect();
    let mut notes = marks(std::slice::from_ref(comparison), a, b);
    if factorize {
        notes.push(
            "Factorizations: of the whole solve; `–`: the solver makes or counts none.".to_owned(),
        );
    }
    notes.extend(uncounted(&[comparison], discloses));
    Table::plain(columns, rows, notes)
}

/// True where seconds stand without the work behind them: timed sweeps all do the same, and engines
/// count none.
fn discloses(comparison: &Comparison, goal: &Goal) -> bool {
    let mut counted = comparison.pairs.iter().flat_map(|pair| pair.updates);
    goal.cost == Work::Seconds
        && comparison.kind != Kind::Timings
        && counted.any(|updates| updates.is_some())
}

/// The note of columns of row updates in which an engine has none.
fn uncounted(comparisons: &[&Comparison], discloses: bool) -> Option<String> {
    let mut pairs = comparisons.iter().flat_map(|c| &c.pairs);
    let engine = |pair: &Pair| {
        let [a, b] = pair.updates;
        (pair.a.is_some() && a.is_none()) || (pair.b.is_some() && b.is_none())
    };
    (discloses && pairs.any(engine)).then(|| {
        "Row updates are empty for an engine of another program, which reports none.".to_owned()
    })
}

/// True where a solver counts its factorizations: row updates alone hide them.
fn factorize(comparison: &Comparison) -> bool {
    let mut counts = comparison.pairs.iter().flat_map(|p| p.factorizations);
    counts.any(|count| count.is_some())
}

fn factorizations(count: Option<u64>) -> Cell {
    count.map_or_else(|| Cell::text("–"), Cell::count)
}

/// Factorizations of both sides over the problems that both ended \[-\].
fn factorizations_of(comparison: &Comparison) -> [Option<u64>; 2] {
    let both = |pair: &&Pair| pair.a.is_some() && pair.b.is_some();
    let both = comparison.pairs.iter().filter(both);
    both.fold([None; 2], |[a, b], pair| {
        let [own, other] = pair.factorizations;
        [counted(a, own), counted(b, other)]
    })
}

/// Medians of the row updates of both sides over the problems that both ended \[-\].
fn updates(comparison: &Comparison) -> [Option<f64>; 2] {
    let both = |pair: &&Pair| pair.a.is_some() && pair.b.is_some();
    let both = comparison.pairs.iter().filter(both);
    let both: Vec<[Option<f64>; 2]> = both.map(|pair| pair.updates).collect();
    [0, 1].map(|side| {
        let own: Vec<f64> = both.iter().filter_map(|updates| updates[side]).collect();
        median(&own)
    })
}

/// One row per comparison: wins, ties, losses, the adjusted probabilities, and the work behind
/// seconds.
pub fn pairwise_table(comparisons: &[Comparison], goal: &Goal) -> Table {
    let discloses = comparisons.iter().any(|c| discloses(c, goal));
    let factorize = comparisons.iter().any(factorize);
    let ranges = intervals("b / a", comparisons.iter().map(|c| c.interval.as_ref()));
    let mut columns = vec![Column::text("a"), Column::text("b")];
    let numbers = [
        "problems [-]",
        "unsolved by a [-]",
        "unsolved by b [-]",
        "a needs less [-]",
        "no difference [-]",
        "b needs less [-]",
        "b / a, median [-]",
    ];
    columns.extend(numbers.map(Column::numeric));
    columns.extend(ranges.iter().map(|(heading, _)| heading.clone()));
    columns.extend(["p [-]", "p, Holm [-]"].map(Column::numeric));
    columns.push(Column::text("needs less"));
    if discloses {
        let sides = [
            "row updates of a, median [-]",
            "row updates of b, median [-]",
        ];
        columns.extend(sides.map(Column::numeric));
    }
    if factorize {
        let sides = ["factorizations of a [-]", "factorizations of b [-]"];
        columns.extend(sides.map(Column::numeric));
    }
    let rows = comparisons.iter().enumerate().map(|(index, c)| {
        let range = ranges.as_ref().map(|(_, cells)| cells[index].clone());
        let mut row = counts(c, range);
        if discloses {
            row.extend(updates(c).map(|work| Cell::work(work, Work::RowUpdates)));
        }
        if factorize {
            row.extend(factorizations_of(c).map(factorizations));
        }
        row
    });
    Table::plain(
        columns,
        rows.collect(),
        notes(comparisons, discloses, factorize),
    )
}

/// The cells of a comparison up to who needs less.
fn counts(comparison: &Comparison, range: Option<Cell>) -> Vec<Cell> {
    let [a, b, _] = comparison.unsolved();
    let mut row = vec![
        Cell::text(&comparison.a),
        Cell::text(&comparison.b),
        Cell::size(comparison.pairs.len()),
        Cell::size(a),
        Cell::size(b),
        Cell::size(comparison.count(Ending::Win)),
        Cell::size(comparison.count(Ending::Tie)),
        Cell::size(comparison.count(Ending::Loss)),
        ratio(comparison.ratio),
    ];
    row.extend(range);
    row.extend([comparison.p, comparison.adjusted].map(|p| Cell::number(Some(p))));
    row.push(Cell::text(match comparison.change() {
        Change::More => comparison.a.as_str(),
        Change::Less => &comparison.b,
        Change::None if comparison.is_of_few() => "too few problems",
        Change::None => "no difference shown",
    }));
    row
}

/// What stands below the table of several comparisons.
fn notes(comparisons: &[Comparison], discloses: bool, factorize: bool) -> Vec<String> {
    let mut notes = vec![
        "p: Wilcoxon's signed-rank test over the problems; Holm: corrected for all rows together."
            .to_owned(),
    ];
    if comparisons.iter().any(|c| c.contradiction().is_some()) {
        let note = "An interval is of its own row alone. Where it excludes 1 and no difference is shown, the test, \
                    corrected for all rows, does not confirm it.";
        notes.push(note.to_owned());
    }
    notes.extend(marks(comparisons, "a", "b"));
    if discloses {
        let note = "Row updates: the work behind the times, over the problems that both ended; a factorization is none of it.";
        notes.push(note.to_owned());
    }
    let all: Vec<&Comparison> = comparisons.iter().collect();
    notes.extend(uncounted(&all, discloses));
    if factorize {
        let note = "Factorizations: of whole solves, over the problems that both ended; `–`: the solver makes or counts none.";
        notes.push(note.to_owned());
    }
    notes
}
