//! A comparison in a sentence and in tables.

use delassus_core::counted;
use delassus_statistics::{Change, Interval, LEVEL, fewest_samples, median};

use super::{Comparison, Ending, Goal, Pair};
use crate::analysis::interval::{shown, with_level};
use crate::numbers::{power, significant};
use crate::quantities;
use crate::tables::{Cell, Column, Table};
use crate::view::{Kind, Work};

/// What a comparison says: in general, or of each problem where there are too few for an interval.
pub fn sentence(comparison: &Comparison, goal: &Goal) -> String {
    let Comparison { a, b, .. } = comparison;
    if comparison.is_of_few() {
        return of_few(comparison, goal);
    }
    let (less, more) = match comparison.change() {
        Change::None => return undecided(comparison, goal),
        Change::More => (a, b),
        Change::Less => (b, a),
    };
    let swapped = comparison.change() == Change::Less;
    let ratio = comparison
        .ratio
        .map_or(f64::NAN, |r| if swapped { 1.0 / r } else { r });
    let evidence = evidence(comparison, swapped);
    if !ratio.is_finite() {
        let goal = reached(comparison, goal);
        let [missed_a, missed_b, both] = comparison.unsolved();
        let alone = if swapped { missed_a } else { missed_b } - both;
        let all = counted_problems(comparison.pairs.len());
        return format!("{less} {goal} on {alone} of {all} where {more} did not ({evidence}).");
    }
    let fewer = format!("{} {}", times(ratio), fewer(comparison.kind, goal.cost));
    match comparison.kind {
        Kind::Solves => {
            let goal = reached(comparison, goal);
            format!("{less} {goal} in {fewer} than {more} ({evidence}).")
        }
        Kind::Timings | Kind::Trajectories => {
            format!("{less} took {fewer} than {more} ({evidence}).")
        }
    }
}

/// A ratio above 1 as `3.0×`; differences of a few per cent are not "1.0×".
fn times(ratio: f64) -> String {
    let digits = if (1.1..10.0).contains(&ratio) { 2 } else { 3 };
    format!("{}×", significant(ratio, digits))
}

/// Most problems that a sentence names \[-\].
const NAMED: usize = 6;

/// What each of a few problems says, and how many more a general statement takes.
fn of_few(comparison: &Comparison, goal: &Goal) -> String {
    let Comparison { a, b, .. } = comparison;
    let all = counted_problems(comparison.pairs.len());
    let mut needs = fewer(comparison.kind, goal.cost).to_owned();
    if comparison.kind == Kind::Solves {
        needs += &format!(" to {} ≤ {}", goal.metric, power(goal.tolerance));
    }
    let with = |ending: Ending| {
        comparison
            .pairs
            .iter()
            .filter(move |pair| pair.ending == ending)
    };
    let mut parts = Vec::new();
    for (ending, less, more) in [(Ending::Win, a, b), (Ending::Loss, b, a)] {
        let by: Vec<String> = with(ending).map(|pair| by_how_much(pair, less)).collect();
        if !by.is_empty() {
            let (count, by) = (by.len(), by.join(", "));
            parts.push(format!(
                "{less} needs {needs} than {more} on {count} of {all}: {by}"
            ));
        }
    }
    for (ending, text) in [
        (Ending::Tie, "no difference"),
        (Ending::Neither, "neither reached the goal"),
    ] {
        let names: Vec<&str> = with(ending).map(|pair| pair.problem.as_str()).collect();
        let named = match names.len() {
            0 => continue,
            1..=NAMED => format!(": {}", names.join(", ")),
            _ => String::new(),
        };
        parts.push(format!("{text} on {} of {all}{named}", names.len()));
    }
    let needed = fewest_samples(LEVEL);
    let more = match needed - comparison.decided() {
        1 => "1 more is".to_owned(),
        more => format!("{more} more are"),
    };
    let noise = match comparison.floor > 0.0 {
        true => format!(
            " Differences below {:.1} % are noise.",
            100.0 * comparison.floor
        ),
        false => String::new(),
    };
    format!(
        "{}. A general statement takes {needed} problems: {more} needed.{noise}",
        parts.join("; ")
    )
}

/// A problem with the factor by which `less` needs less there.
fn by_how_much(pair: &Pair, less: &str) -> String {
    let turn = pair.ending == Ending::Loss;
    let ratio = pair
        .ratio
        .map_or(f64::NAN, |ratio| if turn { 1.0 / ratio } else { ratio });
    if !ratio.is_finite() {
        return format!("{} (only {less} reached the goal)", pair.problem);
    }
    let interval = pair.interval.as_ref().map(|own| {
        let own = if turn { turned(own) } else { *own };
        format!(", {}", with_level(&own))
    });
    format!(
        "{} ({}{})",
        pair.problem,
        times(ratio),
        interval.unwrap_or_default()
    )
}

fn counted_problems(number: usize) -> String {
    format!(
        "{number} {}",
        if number == 1 { "problem" } else { "problems" }
    )
}

fn reached(comparison: &Comparison, goal: &Goal) -> String {
    match comparison.kind {
        Kind::Solves => format!("reached {} ≤ {}", goal.metric, power(goal.tolerance)),
        Kind::Timings | Kind::Trajectories => "came to its end".to_owned(),
    }
}

fn fewer(kind: Kind, cost: Work) -> &'static str {
    match (kind, cost) {
        (_, Work::Sweeps) => "fewer sweeps",
        (_, Work::RowUpdates) => "fewer row updates",
        (Kind::Solves, Work::Seconds) => "less time",
        (Kind::Timings, Work::Seconds) => "less time per sweep",
        (Kind::Trajectories, Work::Seconds) => "less time per frame",
    }
}

fn undecided(comparison: &Comparison, goal: &Goal) -> String {
    let Comparison { a, b, .. } = comparison;
    let what = quantities::work_name(goal.cost);
    let goal = match comparison.kind {
        Kind::Solves => format!(" to {} ≤ {}", goal.metric, power(goal.tolerance)),
        Kind::Timings | Kind::Trajectories => String::new(),
    };
    let Some(ratio) = comparison.ratio else {
        let decided = comparison.decided();
        if decided > 0 {
            let half = counted_problems(decided / 2);
            return format!(
                "No difference shown between {a} and {b}{goal}: {a} alone reached the goal on {half}, {b} alone on as many."
            );
        }
        return format!(
            "No difference: neither {a} nor {b} reached the goal on any problem{goal}."
        );
    };
    let ratio = significant(ratio, 3);
    let evidence = evidence(comparison, false);
    format!(
        "No difference shown between {a} and {b} in {what}{goal}: {b} over {a} is {ratio} ({evidence})."
    )
}

/// What the sentence rests on.
fn evidence(comparison: &Comparison, swapped: bool) -> String {
    let mut parts = Vec::new();
    match &comparison.interval {
        Some(own) => {
            let own = if swapped { turned(own) } else { *own };
            let percent = 100.0 * own.coverage.min(0.95);
            let own = Interval {
                coverage: 1.0,
                ..own
            };
            parts.push(format!("{percent:.0} % CI {}", shown(&own)));
        }
        None => parts.push("no interval: too few repetitions or problems".to_owned()),
    }
    let n = comparison.pairs.len();
    parts.push(counted_problems(n));
    let [a, b, both] = comparison.unsolved();
    if a + b > 0 {
        let (a_name, b_name) = (&comparison.a, &comparison.b);
        parts.push(format!(
            "{a} unsolved by {a_name}, {b} by {b_name}, {both} by both"
        ));
    }
    if n > 1 {
        parts.push(format!("p = {}", significant(comparison.adjusted, 2)));
    }
    if comparison.floor > 0.0 {
        let percent = 100.0 * comparison.floor;
        parts.push(format!("differences below {percent:.1} % are noise"));
    }
    parts.join(", ")
}

/// The interval of the inverse.
fn turned(interval: &Interval) -> Interval {
    Interval {
        low: 1.0 / interval.high,
        high: 1.0 / interval.low,
        ..*interval
    }
}

/// Heading and cells of a column of intervals: where one is not of the usual level, the heading
/// names none and each cell has its own.
fn intervals<'i>(all: impl Iterator<Item = Option<&'i Interval>>) -> (Column, Vec<Cell>) {
    let all: Vec<Option<&Interval>> = all.collect();
    let usual = all
        .iter()
        .flatten()
        .all(|interval| interval.coverage >= LEVEL);
    let (title, word): (_, fn(&Interval) -> String) = match usual {
        true => ("its 95 % interval [-]", shown),
        false => ("its interval (level) [-]", with_level),
    };
    let cells = all
        .iter()
        .map(|own| Cell::text(own.map_or_else(String::new, word)));
    (Column::numeric(title), cells.collect())
}

/// One row per problem.
pub fn pair_table(comparison: &Comparison, goal: &Goal) -> Table {
    let unit = match comparison.kind {
        Kind::Solves => quantities::work(goal.cost),
        Kind::Timings => "time per sweep [s]",
        Kind::Trajectories if goal.cost == Work::Seconds => "time per frame [s]",
        Kind::Trajectories => quantities::run_work(goal.cost),
    };
    let discloses = discloses(comparison, goal);
    let own = comparison.pairs.iter().map(|pair| pair.interval.as_ref());
    let (heading, ranges) = intervals(own);
    let mut columns = vec![
        Column::text("problem"),
        Column::numeric(format!("{}: {unit}", comparison.a)),
        Column::numeric(format!("{}: {unit}", comparison.b)),
        Column::numeric(format!("{} over {} [-]", comparison.b, comparison.a)),
        heading,
        Column::text(format!("for {}", comparison.a)),
    ];
    if discloses {
        let names = [&comparison.a, &comparison.b];
        columns.extend(names.map(|name| Column::numeric(format!("{name}: row updates [-]"))));
    }
    let factorize = factorize(comparison);
    if factorize {
        let names = [&comparison.a, &comparison.b];
        columns.extend(names.map(|name| Column::numeric(format!("{name}: factorizations [-]"))));
    }
    let cost = |value: Option<f64>| match value {
        Some(_) => Cell::work(value, goal.cost),
        None => Cell::text("–"),
    };
    let rows = comparison.pairs.iter().zip(ranges).map(|(pair, range)| {
        let mut row = vec![
            Cell::text(&pair.problem),
            cost(pair.a),
            cost(pair.b),
            Cell::number(pair.ratio.filter(|ratio| ratio.is_finite())),
            range,
            Cell::text(pair.ending.id()),
        ];
        if discloses {
            row.extend(
                pair.updates
                    .map(|updates| Cell::work(updates, Work::RowUpdates)),
            );
        }
        if factorize {
            row.extend(pair.factorizations.map(factorizations));
        }
        row
    });
    let mut notes = vec!["`–`: the goal was not reached.".to_owned()];
    if factorize {
        notes.push(
            "Factorizations: of the whole solve; `–`: the solver makes or counts none.".to_owned(),
        );
    }
    notes.extend(uncounted(&[comparison], discloses));
    Table::plain(columns, rows.collect(), notes)
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
    let (heading, ranges) = intervals(comparisons.iter().map(|c| c.interval.as_ref()));
    let mut columns = vec![Column::text("a"), Column::text("b")];
    let numbers = [
        "problems [-]",
        "unsolved by a [-]",
        "unsolved by b [-]",
        "a wins [-]",
        "no difference [-]",
        "b wins [-]",
        "b over a, median [-]",
    ];
    columns.extend(numbers.map(Column::numeric));
    columns.push(heading);
    columns.extend(["p [-]", "p, Holm [-]"].map(Column::numeric));
    columns.push(Column::text("needs less"));
    if discloses {
        let sides = [
            "row updates of a, median [-]",
            "row updates of b, median [-]",
        ];
        columns.extend(sides.map(Column::numeric));
    }
    let factorize = comparisons.iter().any(factorize);
    if factorize {
        let sides = ["factorizations of a [-]", "factorizations of b [-]"];
        columns.extend(sides.map(Column::numeric));
    }
    let rows = comparisons.iter().zip(ranges).map(|(c, range)| {
        let [a, b, _] = c.unsolved();
        let less = match c.change() {
            Change::More => c.a.as_str(),
            Change::Less => &c.b,
            Change::None if c.is_of_few() => "too few problems",
            Change::None => "no difference shown",
        };
        let mut row = vec![
            Cell::text(&c.a),
            Cell::text(&c.b),
            Cell::size(c.pairs.len()),
            Cell::size(a),
            Cell::size(b),
            Cell::size(c.count(Ending::Win)),
            Cell::size(c.count(Ending::Tie)),
            Cell::size(c.count(Ending::Loss)),
            Cell::number(c.ratio),
            range,
            Cell::number(Some(c.p)),
            Cell::number(Some(c.adjusted)),
            Cell::text(less),
        ];
        if discloses {
            row.extend(updates(c).map(|work| Cell::work(work, Work::RowUpdates)));
        }
        if factorize {
            row.extend(factorizations_of(c).map(factorizations));
        }
        row
    });
    let mut notes = vec![
        "p: Wilcoxon's signed-rank test over the problems; Holm: corrected for all rows together."
            .to_owned(),
    ];
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
    Table::plain(columns, rows.collect(), notes)
}
