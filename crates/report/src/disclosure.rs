//! What was done in the seconds that a view shows: no speed stands without its work.

use std::collections::BTreeSet;

use delassus_core::counted;

use crate::bundle::Bundle;
use crate::columns::View;
use crate::numbers::{grouped, significant};
use crate::quantities::words;
use crate::record::{CellRecord, Timing};
use crate::view::{Kind, Selection};

/// Methods whose work is listed; the rest is counted.
const MOST: usize = 12;

/// The work behind the times of a view, if it shows times and not the work of each cell
/// next to them.
pub(crate) fn of_view(bundle: &Bundle, view: &dyn View) -> Vec<String> {
    match view.shows_times() && !view.shows_work() {
        true => sentences(bundle, view.selection()),
        false => Vec::new(),
    }
}

/// The work behind the times of the chosen cells, a sentence each: of every method, of the
/// problems, and what is not counted. Nothing where no cell was timed.
fn sentences(bundle: &Bundle, chosen: Selection<'_>) -> Vec<String> {
    let cells = bundle.records.iter();
    let shown: Vec<&CellRecord> = cells
        .filter(|r| chosen.shows(r) && r.was_attempted() && !r.outcome.iterate_seconds.is_empty())
        .collect();
    if shown.is_empty() {
        return Vec::new();
    }
    let mut methods: Vec<&str> = Vec::new();
    for record in &shown {
        if !methods.contains(&record.method()) {
            methods.push(record.method());
        }
    }
    let kind = bundle.kind();
    let listed = methods.iter().take(MOST);
    let mut parts: Vec<String> = listed
        .map(|method| {
            let own = shown.iter().filter(|r| r.method() == *method);
            format!("{}: {}", words(method), of_method(own.copied(), kind))
        })
        .collect();
    if methods.len() > MOST {
        parts.push(format!("{} more in summary.csv", methods.len() - MOST));
    }
    let uncounted = match shown.iter().any(|r| r.outcome.factorizations.is_some()) {
        true => "Row updates do not count what a method does apart from its rows.",
        false => {
            "Row updates count neither factorizations nor what a method does apart from its rows."
        }
    };
    vec![
        format!("Work behind these times: {}.", parts.join("; ")),
        of_subjects(&shown, kind),
        uncounted.to_owned(),
    ]
}

/// What the cells of a method did, all together.
fn of_method<'r>(cells: impl Iterator<Item = &'r CellRecord>, kind: Kind) -> String {
    let (mut number, mut sweeps, mut updates, mut frames) = (0_u64, 0_u64, 0_u64, 0_u64);
    let (mut bytes, mut factored): (Option<u64>, Option<u64>) = (None, None);
    let mut counts_work = true;
    for record in cells {
        number += 1;
        counts_work &= record.counts_work();
        sweeps = sweeps.saturating_add(record.outcome.sweeps);
        updates = updates.saturating_add(record.outcome.row_updates);
        frames = frames.saturating_add(record.outcome.frames());
        factored = counted(factored, record.outcome.factorizations);
        let moved = record.outcome.timing().and_then(Timing::bytes);
        let moved = moved.map(|moved| moved.saturating_mul(record.outcome.sweeps));
        bytes = counted(bytes, moved);
    }
    let mut parts = vec![many(number, "cell")];
    if kind == Kind::Trajectories {
        parts.push(many(frames, "frame"));
    }
    if counts_work {
        parts.push(many(sweeps, "sweep"));
        parts.push(many(updates, "row update"));
    }
    if let Some(factored) = factored {
        parts.push(many(factored, "factorization"));
    }
    if let Some(bytes) = bytes {
        parts.push(format!("{} bytes counted", grouped(bytes)));
    }
    parts.join(", ")
}

/// How large what was treated is.
fn of_subjects(shown: &[&CellRecord], kind: Kind) -> String {
    let names: BTreeSet<&str> = shown.iter().map(|r| r.problem.name.as_str()).collect();
    let range = |of: fn(&CellRecord) -> usize, noun: &str| {
        let sizes = shown.iter().map(|r| of(r) as u64);
        let (least, most) = (sizes.clone().min().unwrap_or(0), sizes.max().unwrap_or(0));
        match least == most {
            true => many(least, noun),
            false => format!("{} to {}", grouped(least), many(most, noun)),
        }
    };
    let number = names.len() as u64;
    if kind != Kind::Trajectories {
        let (rows, contacts) = (
            range(|r| r.facts.rows, "row"),
            range(|r| r.facts.contacts, "contact point"),
        );
        return format!("{}: {rows}, {contacts}.", many(number, "problem"));
    }
    let mut lengths: Vec<f64> = shown.iter().filter_map(|r| Some(r.scheme()?.dt)).collect();
    lengths.sort_by(f64::total_cmp);
    lengths.dedup();
    let lengths: Vec<String> = lengths.iter().map(|dt| significant(*dt, 3)).collect();
    format!(
        "{}: frames of {} s, sweeps and row updates of all solves of a run.",
        many(number, "scene"),
        lengths.join(", ")
    )
}

fn many(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", grouped(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::{data, draw};
    use crate::tables::{Show, TableSpec, build, to_csv};
    use crate::testing::{bundle, cell, convergence, decay, figures, targets, trajectories};
    use crate::view::Work;
    use delassus_core::Status;

    fn run() -> Bundle {
        bundle(vec![
            cell("p", "pgs", Status::Solved, 40, decay(0.6)),
            cell("long name", "pgs", Status::Solved, 20, decay(0.4)),
            cell("p", "nncg", Status::Solved, 10, decay(0.1)),
            cell("p", "refused", Status::Unsupported, 0, |_| None),
        ])
    }

    #[test]
    fn the_work_of_every_method_is_said() {
        let said = sentences(&run(), Selection::default());
        // 40 sweeps of 33 rows and 20 of 57
        let work = "Work behind these times: pgs: 2 cells, 60 sweeps, 2460 row updates; nncg: 1 cell, 10 sweeps, 330 row updates.";
        assert_eq!(said[0], work);
        assert_eq!(
            said[1],
            "2 problems: 33 to 57 rows, 11 to 19 contact points."
        );
        assert!(said[2].contains("neither factorizations"));
        let mut factorized = run();
        factorized.records[2].outcome.factorizations = Some(1);
        let said = sentences(&factorized, Selection::default());
        assert!(
            said[0].ends_with("330 row updates, 1 factorization."),
            "{}",
            said[0]
        );
        assert!(!said[2].contains("factorizations"), "{}", said[2]);
        let only = ["nncg".to_owned()];
        let said = sentences(&run(), Selection::of(&[], &[], &only));
        assert!(
            said[0].contains("nncg: 1 cell") && !said[0].contains("pgs"),
            "{}",
            said[0]
        );
        assert!(sentences(&bundle(Vec::new()), Selection::default()).is_empty());
        let over_time = sentences(&trajectories(), Selection::default());
        assert!(over_time[1].contains("frames of 0.0"), "{over_time:?}");
        let crowd = (0..20).map(|i| cell("p", &format!("s{i}"), Status::Solved, 9, decay(0.5)));
        let said = sentences(&bundle(crowd.collect()), Selection::default());
        assert!(said[0].ends_with("; 8 more in summary.csv."), "{}", said[0]);
    }

    #[test]
    fn views_with_seconds_say_it_and_others_do_not() {
        let run = run();
        let notes = |spec| data(&run, &spec).notes.join("\n");
        assert!(
            notes(convergence("t", Work::Seconds, false)).contains("Work behind these times: pgs")
        );
        assert!(!notes(convergence("t", Work::Sweeps, false)).contains("Work behind"));
        assert!(notes(targets(Work::Seconds)).contains("Work behind"));
        let svg = |spec| draw(&run, &figures(&run), &spec).unwrap();
        let timed = svg(convergence("t", Work::Seconds, false));
        assert!(
            timed.contains("Work behind these times") && timed.contains("2460 row"),
            "{timed}"
        );
        assert!(!svg(convergence("t", Work::RowUpdates, false)).contains("Work behind"));
        let table = |text: &str| TableSpec {
            id: "t".to_owned(),
            caption: String::new(),
            show: serde_json::from_str::<Show>(text).unwrap(),
        };
        let timed = build(&run, &table(r#"{ "costs": { "quantity": "seconds" } }"#));
        assert!(
            timed.notes.iter().any(|note| note.contains("Work behind")),
            "{:?}",
            timed.notes
        );
        let sizes = build(&run, &table(r#"{ "costs": { "quantity": "rows" } }"#));
        assert!(!sizes.notes.iter().any(|note| note.contains("Work behind")));
        assert!(
            !to_csv(&timed).contains("Work behind"),
            "CSV files have no notes"
        );
    }
}
