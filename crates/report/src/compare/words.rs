//! A comparison in a sentence. Each names both methods, the quantity, and of an interval its ratio
//! and level.

use delassus_statistics::{Change, Interval, LEVEL, fewest_samples};

use super::{Comparison, Ending, Goal, Pair};
use crate::numbers::{power, significant};
use crate::quantities;
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
        let [alone_a, alone_b] = alone(comparison);
        let alone = if swapped { alone_b } else { alone_a };
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

/// Problems on which the first alone reached the goal, and the second alone \[-\].
fn alone(comparison: &Comparison) -> [usize; 2] {
    let [missed_a, missed_b, both] = comparison.unsolved();
    [missed_b - both, missed_a - both]
}

/// Most problems that a sentence names \[-\].
const NAMED: usize = 6;

/// What each of a few problems says, and how many more a general statement takes.
fn of_few(comparison: &Comparison, goal: &Goal) -> String {
    let Comparison { a, b, .. } = comparison;
    let all = counted_problems(comparison.pairs.len());
    let needs = fewer(comparison.kind, goal.cost).to_owned() + &to(comparison, goal);
    let mut parts = Vec::new();
    for (ending, less, more) in [(Ending::Win, a, b), (Ending::Loss, b, a)] {
        let by: Vec<String> = ended(comparison, ending)
            .map(|pair| by_how_much(pair, less))
            .collect();
        if !by.is_empty() {
            let (count, by) = (by.len(), by.join(", "));
            parts.push(format!(
                "{less} needs {needs} than {more} on {count} of {all} ({more} / {less}): {by}"
            ));
        }
    }
    let measure = measure(comparison.kind, goal.cost);
    for (ending, text) in [
        (
            Ending::Tie,
            format!("no difference between {a} and {b} in {measure}"),
        ),
        (
            Ending::Neither,
            format!("neither {a} nor {b} {}", reached(comparison, goal)),
        ),
    ] {
        let names: Vec<&str> = ended(comparison, ending)
            .map(|pair| pair.problem.as_str())
            .collect();
        let named = match names.len() {
            0 => continue,
            1..=NAMED => format!(": {}", names.join(", ")),
            _ => String::new(),
        };
        let text = match parts.is_empty() {
            true => capitalised(&text),
            false => text,
        };
        parts.push(format!("{text} on {} of {all}{named}", names.len()));
    }
    let needed = comparison.needed;
    let together = match needed > fewest_samples(LEVEL) {
        true => " for all pairs together",
        false => "",
    };
    let more = match needed - comparison.decided() {
        1 => "1 more is".to_owned(),
        more => format!("{more} more are"),
    };
    let noise = noise(comparison);
    let noise = noise.map_or_else(String::new, |noise| format!(" Of these ratios, {noise}."));
    format!(
        "{}. A general statement about {a} and {b} takes {needed} problems{together}: {more} needed.{noise}",
        parts.join("; ")
    )
}

/// A text that begins a sentence.
fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters.as_str().chars()).collect()
}

fn ended(comparison: &Comparison, ending: Ending) -> impl Iterator<Item = &Pair> {
    let pairs = comparison.pairs.iter();
    pairs.filter(move |pair| pair.ending == ending)
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
        format!(" ({})", with_level(&own))
    });
    format!(
        "{} {}{}",
        pair.problem,
        times(ratio),
        interval.unwrap_or_default()
    )
}

/// An interval behind its level.
fn with_level(interval: &Interval) -> String {
    let percent = 100.0 * interval.coverage.min(LEVEL);
    let [low, high] = [interval.low, interval.high].map(|end| significant(end, 3));
    format!("{percent:.0} % interval {low} – {high}")
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

/// The goal behind what is needed for it; nothing of runs that have none.
fn to(comparison: &Comparison, goal: &Goal) -> String {
    match comparison.kind {
        Kind::Solves => format!(" to {} ≤ {}", goal.metric, power(goal.tolerance)),
        Kind::Timings | Kind::Trajectories => String::new(),
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

/// What is compared.
fn measure(kind: Kind, cost: Work) -> &'static str {
    match (kind, cost) {
        (Kind::Timings, Work::Seconds) => "time per sweep",
        (Kind::Trajectories, Work::Seconds) => "time per frame",
        (_, cost) => quantities::work_name(cost),
    }
}

fn undecided(comparison: &Comparison, goal: &Goal) -> String {
    let Comparison { a, b, .. } = comparison;
    if comparison.decided() == 0 {
        let reached = reached(comparison, goal);
        return format!("No difference: neither {a} nor {b} {reached} on any problem.");
    }
    let what = measure(comparison.kind, goal.cost);
    let (goal, evidence) = (to(comparison, goal), evidence(comparison, false));
    let shown = format!("No difference shown between {a} and {b} in {what}{goal}");
    let why = comparison.contradiction();
    let why = why.map_or_else(String::new, |why| format!(" {why}."));
    let said = match comparison.ratio.filter(|ratio| ratio.is_normal()) {
        Some(_) => format!("{shown} ({evidence})."),
        // no ratio in the middle
        None => {
            let [first, second] = alone(comparison).map(counted_problems);
            format!(
                "{shown}: {a} alone reached the goal on {first}, {b} alone on {second} ({evidence})."
            )
        }
    };
    said + &why
}

/// What the sentence rests on: the ratio of the method that needs more to the one that needs less.
fn evidence(comparison: &Comparison, swapped: bool) -> String {
    let Comparison { a, b, .. } = comparison;
    let n = comparison.pairs.len();
    let quotient = match swapped {
        true => format!("{a} / {b}"),
        false => format!("{b} / {a}"),
    };
    let turn = |ratio: f64| if swapped { 1.0 / ratio } else { ratio };
    let median = if n > 1 { "median " } else { "" };
    let ratio = comparison.ratio.map(turn);
    let middle = ratio.map(|ratio| format!("{median}{}", significant(ratio, 3)));
    let interval = match &comparison.interval {
        Some(own) => {
            let own = if swapped { turned(own) } else { *own };
            // from 0 or infinity to infinity there is nothing to say
            let says = own.low.is_normal() || own.high.is_normal();
            says.then(|| with_level(&own))
        }
        None => Some("no interval, for want of repetitions or problems".to_owned()),
    };
    let both: Vec<String> = [middle, interval].into_iter().flatten().collect();
    let mut parts = Vec::new();
    if !both.is_empty() {
        parts.push(format!("{quotient}: {}", both.join(", ")));
    }
    parts.push(counted_problems(n));
    let [missed_a, missed_b, both] = comparison.unsolved();
    if missed_a + missed_b > 0 {
        parts.push(format!(
            "{missed_a} unsolved by {a}, {missed_b} by {b}, {both} by both"
        ));
    }
    if n > 1 {
        let adjusted = match comparison.adjusted > comparison.p {
            true => " for all pairs together",
            false => "",
        };
        parts.push(format!(
            "p = {}{adjusted}",
            significant(comparison.adjusted, 2)
        ));
    }
    parts.extend(noise(comparison));
    parts.join("; ")
}

/// Which ratios the machine could not tell from 1.
fn noise(comparison: &Comparison) -> Option<String> {
    let percent = 100.0 * comparison.floor.share;
    (percent > 0.0).then(|| match comparison.floor.is_measured {
        true => format!("differences from 1 below {percent:.1} % are noise"),
        false => format!(
            "differences from 1 below {percent:.1} % count as noise, because the noise of the \
             machine was not measured"
        ),
    })
}

/// The interval of the inverse.
fn turned(interval: &Interval) -> Interval {
    Interval {
        low: 1.0 / interval.high,
        high: 1.0 / interval.low,
        ..*interval
    }
}
