//! What a run over time says, first: the methods of each scene in the order of the first
//! observable, what a frame of them takes, and what to look at in their motion.

mod best;

use std::fmt::Write as _;

use delassus_core::Status;

use crate::analysis::over;
use crate::bundle::Bundle;
use crate::numbers::significant;
use crate::observable::Quantity;
use crate::quantities::{DECIMAL, on_axis, summarised};
use crate::record::{Calibration, CellRecord};
use crate::tables::{meaning, unsteady};
use crate::text::escape;
use crate::view::Over;

use best::{Flag, FrameTimes, Line, best, place, smaller};

/// Words of the answer that `delassus explain` knows.
pub const WORDS: [&str; 8] = [
    "time per frame",
    "rank by time",
    "what to look at",
    "no rank",
    "joint apart",
    "fallen",
    "away from their start",
    "energy gained",
];
/// Scenes that the answer is about; the others are in the tables.
const MOST_SCENES: usize = 12;
/// A joint is apart from this drift on \[m\].
const APART: f64 = 0.1;
/// Energy is gained from this share of the energy that the motion exchanges on \[-\].
const GAINED: f64 = 0.01;
/// Longest reason that the answer shows; the tables have all of it \[characters\].
const MOST_CHARACTERS: usize = 160;
/// Energies below this are rounding \[J\].
const LEAST_ENERGY: f64 = 1e-9;

/// The answer; nothing for a run that steps no scenes. `replay` is the page that plays the recorded
/// cells, where there is one.
pub(crate) fn html(bundle: &Bundle, replay: Option<&str>) -> Option<String> {
    if !bundle.is_over_time() {
        return None;
    }
    let first = bundle.first_observable();
    let mut html = String::new();
    let scenes = bundle.problems();
    for scene in scenes.iter().take(MOST_SCENES) {
        let own = bundle.records.iter();
        let own = own.filter(|record| record.problem.name == *scene);
        let mut lines: Vec<Line<'_>> = own.map(|record| line(bundle, record, first)).collect();
        lines.sort_by(|a, b| {
            let rank = b.ranked.cmp(&a.ranked);
            let value = rank.then(smaller(a.value, b.value));
            value.then(smaller(a.seconds, b.seconds))
        });
        of_scene(&mut html, scene, &lines, first, replay);
    }
    if scenes.len() > MOST_SCENES {
        let more = scenes.len() - MOST_SCENES;
        let _ = writeln!(
            html,
            "<p class=\"note\">{more} more scenes are in the tables.</p>"
        );
    }
    Some(html)
}

fn line<'r>(bundle: &Bundle, record: &'r CellRecord, first: Option<&str>) -> Line<'r> {
    let finished = record.outcome.status == Status::Solved;
    let value = first.and_then(|id| over(record, id, Over::usual(id), bundle.closed_forms));
    Line {
        record,
        value: value.filter(|_| finished),
        seconds: record.outcome.step_seconds(),
        ranked: finished
            && !record.steps_other_scene()
            && !record
                .outcome
                .calibration()
                .is_some_and(Calibration::is_over),
        flags: flags(record),
    }
}

/// One scene: a sentence with the best methods, and a table of all.
fn of_scene(
    html: &mut String,
    scene: &str,
    lines: &[Line<'_>],
    first: Option<&str>,
    replay: Option<&str>,
) {
    let times = FrameTimes::of(lines);
    let _ = writeln!(html, "<h3>{}</h3>", escape(scene));
    let said = best(lines, first, &times);
    if !said.is_empty() {
        let _ = writeln!(html, "<p>{}.</p>", said.join("; "));
    }
    let mut calibrated = lines.iter().filter_map(|l| l.record.outcome.calibration());
    let budget = calibrated.next().map(|own| own.budget);
    if let Some(budget) = budget {
        let _ = writeln!(html, "<p class=\"note\">{}</p>", escape(&meaning(budget)));
    }
    if let Some(unsteady) = unsteady(lines.iter().map(|line| line.record)) {
        let _ = writeln!(html, "<p class=\"note\">{}</p>", escape(&unsteady));
    }
    let _ = write!(
        html,
        "<div class=\"edges\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Answer for {}\">\
         <table>\n<thead><tr><th scope=\"col\">method</th>",
        escape(scene)
    );
    if let Some(id) = first {
        let label = escape(&on_axis(&summarised(id, Over::usual(id))));
        let _ = write!(html, "<th scope=\"col\" class=\"n\">{label}</th>");
    }
    if budget.is_some() {
        html.push_str("<th scope=\"col\" class=\"n\">substeps</th>");
    }
    let _ = writeln!(
        html,
        "<th scope=\"col\" class=\"n\">time per frame [{}]</th><th scope=\"col\" class=\"n\">rank by time</th>\
         <th scope=\"col\">what to look at</th></tr></thead>\n<tbody>",
        times.unit
    );
    rows(html, lines, first, budget.is_some(), &times, replay);
    html.push_str("</tbody></table></div></div>\n");
}

/// One row per method.
fn rows(
    html: &mut String,
    lines: &[Line<'_>],
    first: Option<&str>,
    is_calibrated: bool,
    times: &FrameTimes,
    replay: Option<&str>,
) {
    let dash = || "–".to_owned();
    // one notation for the column
    let values = lines.iter().filter_map(|line| line.value);
    let mut magnitudes = values.map(f64::abs).filter(|x| *x > 0.0);
    let powers = magnitudes.any(|x| !DECIMAL.contains(&x));
    let number = |x: f64| match powers && x != 0.0 {
        true => format!("{x:.2e}").replace('-', "−"),
        false => significant(x, 3),
    };
    for line in lines {
        let value = line.value.map_or_else(dash, number);
        let value = first.map(|_| format!("<td class=\"n\">{value}</td>"));
        let own = line.record.outcome.calibration();
        let substeps = own.map_or_else(dash, |own| own.substeps.to_string());
        let substeps = is_calibrated.then(|| format!("<td class=\"n\">{substeps}</td>"));
        let _ = writeln!(
            html,
            "<tr><td>{}</td>{}{}<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"t\">{}</td></tr>",
            escape(line.record.method()),
            value.unwrap_or_default(),
            substeps.unwrap_or_default(),
            line.seconds.map_or_else(dash, |s| times.shown(s)),
            place(lines, line),
            flagged(line, replay)
        );
    }
}

/// How a cell ended where it did not come to its end, and its flags, linked to the replay.
fn flagged(line: &Line<'_>, replay: Option<&str>) -> String {
    let outcome = &line.record.outcome;
    let mut said = Vec::new();
    if outcome.status != Status::Solved {
        let covered = outcome.covered().unwrap_or_default();
        let mut text = line.record.ending().replace('_', " ");
        if covered > 0.0 {
            text = format!("{text} at {} s", significant(covered, 3));
        }
        if let (Status::Unsupported, Some(reason)) = (outcome.status, &outcome.message) {
            text = format!("{text}: {}", shortened(reason));
        }
        said.push(Flag {
            text,
            time: covered,
        });
    }
    let all = said.iter().chain(&line.flags);
    let texts = all.map(|flag| {
        let text = escape(&flag.text);
        match replay.filter(|_| outcome.replay_hash().is_some()) {
            Some(page) => format!("<a href=\"{page}#t={}\">{text}</a>", flag.time),
            None => text,
        }
    });
    texts.collect::<Vec<_>>().join("; ")
}

/// The first characters of a reason.
fn shortened(reason: &str) -> String {
    match reason.chars().count() > MOST_CHARACTERS {
        true => format!(
            "{}…",
            reason.chars().take(MOST_CHARACTERS).collect::<String>()
        ),
        false => reason.to_owned(),
    }
}

/// Why a run has no rank, and what to look at in its motion, as far as that was measured.
fn flags(record: &CellRecord) -> Vec<Flag> {
    let all = [apart(record), fallen(record), gained(record)];
    unranked(record).chain(all.into_iter().flatten()).collect()
}

/// Why a run that came to its end has no rank.
fn unranked(record: &CellRecord) -> impl Iterator<Item = Flag> {
    let over = record.outcome.calibration().filter(|own| own.is_over());
    let over = over.map(|own| format!("no rank: over {} with one substep", own.budget));
    let other = record.other_scene().map(shortened);
    let other = other.map(|text| format!("no rank: {text}"));
    let texts = over.into_iter().chain(other);
    texts.map(|text| Flag { text, time: 0.0 })
}

/// Times and finite values of an observable.
fn series(record: &CellRecord, id: &str) -> Vec<(f64, f64)> {
    let (times, values) = record.outcome.series(id);
    let all = times.into_iter().zip(values);
    all.filter(|(_, value)| value.is_finite()).collect()
}

fn largest(record: &CellRecord, id: &str) -> Option<(f64, f64)> {
    let all = series(record, id).into_iter();
    // of equal values the first
    all.reduce(|most, next| if next.1 > most.1 { next } else { most })
}

fn apart(record: &CellRecord) -> Option<Flag> {
    let (time, drift) = largest(record, "drift_max").filter(|(_, drift)| *drift >= APART)?;
    let text = format!(
        "joint apart by {} m at {} s",
        significant(drift, 2),
        significant(time, 3)
    );
    Some(Flag { text, time })
}

/// Bodies that have toppled. Where only `fallen` is measured, which counts bodies that settle too,
/// it is said that they are away from their start, and no more; nothing where joints have drift, as
/// bodies that hang on joints may swing.
fn fallen(record: &CellRecord) -> Option<Flag> {
    let toppled = record.outcome.column(Quantity::Toppled.doc().id).is_some();
    let (quantity, what) = match toppled {
        true => (Quantity::Toppled, "fallen"),
        false if has_joints(record) => return None,
        false => (Quantity::Fallen, "away from their start"),
    };
    let all = series(record, quantity.doc().id);
    let (time, _) = *all.iter().find(|(_, count)| *count >= 1.0)?;
    let (_, count) = all.last()?;
    let bodies = if *count == 1.0 { "body" } else { "bodies" };
    let text = match *count >= 1.0 {
        true => format!(
            "{what}: {count} {bodies} at the end, the first at {} s",
            significant(time, 3)
        ),
        false => format!("{what} at {} s, and back", significant(time, 3)),
    };
    Some(Flag { text, time })
}

/// True if the drift of joints is measured, and is not zero throughout as without joints.
fn has_joints(record: &CellRecord) -> bool {
    let drifts = Quantity::ALL.iter().map(|quantity| quantity.doc().id);
    let mut drifts = drifts.filter(|id| id.starts_with("drift"));
    drifts.any(|id| series(record, id).iter().any(|(_, drift)| *drift > 0.0))
}

/// More energy from nowhere than a share of what the motion exchanges.
fn gained(record: &CellRecord) -> Option<Flag> {
    let (time, gain) = largest(record, "energy_error")?;
    let span = |id: &str| {
        let values = series(record, id).into_iter().map(|(_, value)| value);
        let ends = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| {
            (a.min(x), b.max(x))
        });
        (ends.1 - ends.0).max(0.0)
    };
    let measured = [
        "kinetic",
        "potential",
        "energy",
        "dissipated",
        "drive_work",
        "applied_work",
    ];
    let exchanged = measured.iter().map(|id| span(id)).fold(0.0, f64::max);
    if gain <= GAINED * exchanged + LEAST_ENERGY {
        return None;
    }
    let text = format!(
        "energy gained: {} J until {} s",
        significant(gain, 2),
        significant(time, 3)
    );
    Some(Flag { text, time })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantities::without_unit;
    use crate::record::{Moment, Payload, Sample};
    use crate::testing::trajectories;

    /// The first run with these observables, a second apart.
    fn with(ids: &[&str], rows: &[&[f64]]) -> Bundle {
        let mut run = trajectories();
        run.records.truncate(1);
        let outcome = &mut run.records[0].outcome;
        outcome.metrics = ids.iter().map(|id| (*id).to_owned()).collect();
        let samples = rows.iter().zip(0..).map(|(row, k)| Sample {
            sweeps: k,
            row_updates: k,
            values: row.iter().map(|x| Some(*x)).collect(),
        });
        outcome.samples = samples.collect();
        if let Payload::Simulate(own) = &mut outcome.payload {
            let moments = (0_u32..).zip(rows).map(|(k, _)| Moment {
                frame: u64::from(60 * k),
                time: f64::from(k),
            });
            own.moments = moments.collect();
            own.replay_hash = Some("0".to_owned());
        }
        run
    }

    fn found(ids: &[&str], rows: &[&[f64]]) -> Vec<String> {
        let run = with(ids, rows);
        flags(&run.records[0])
            .into_iter()
            .map(|flag| flag.text)
            .collect()
    }

    #[test]
    fn flags_say_how_much_and_when() {
        let rows: [&[f64]; 3] = [&[0.0, 0.0], &[0.2, 2.0], &[0.15, 3.0]];
        assert_eq!(
            found(&["drift_max", "toppled"], &rows),
            [
                "joint apart by 0.20 m at 1.00 s",
                "fallen: 3 bodies at the end, the first at 1.00 s"
            ]
        );
        // what may only have settled has not fallen
        assert_eq!(
            found(&["fallen"], &[&[0.0], &[2.0]]),
            ["away from their start: 2 bodies at the end, the first at 1.00 s"]
        );
        // what hangs on joints may swing
        assert!(found(&["fallen", "drift_max"], &[&[0.0, 0.0], &[2.0, 1e-9]]).is_empty());
        assert_eq!(
            found(&["fallen", "drift_max"], &[&[0.0, 0.0], &[2.0, 0.0]]).len(),
            1
        );
        assert!(found(&["fallen", "toppled"], &[&[0.0, 0.0], &[2.0, 0.0]]).is_empty());
        assert!(found(&["drift_max"], &[&[0.0], &[0.09]]).is_empty());
        // 1 % of what the motion exchanges is no gain, 2 % is one
        let gain = |x: f64| found(&["energy_error", "kinetic"], &[&[0.0, 0.0], &[x, 10.0]]);
        assert!(gain(0.1).is_empty());
        assert_eq!(gain(0.2), ["energy gained: 0.20 J until 1.00 s"]);
        assert!(found(&["energy_error"], &[&[0.0], &[-4.0]]).is_empty());
    }

    #[test]
    fn creep_is_ordered_by_its_last_value() {
        // slides at first and then rests; creeps from its start to its end
        let mut run = with(&["creep"], &[&[0.9], &[0.4], &[0.001]]);
        let mut other = with(&["creep"], &[&[0.02], &[0.02], &[0.02]])
            .records
            .remove(0);
        if let Payload::Simulate(own) = &mut other.outcome.payload {
            own.scheme.method = "slow for ever".to_owned();
        }
        run.records.insert(0, other);
        let page = html(&run, None).unwrap();
        let at = |text: &str| page.find(&format!("<tr><td>{text}")).expect("a row");
        let resting = escape(run.records[1].method());
        assert!(at(&resting) < at("slow for ever"), "{page}");
        assert!(page.contains(", at the end: smallest for <b>"), "{page}");
        // of a drift the largest counts
        let run = with(&["drift_max"], &[&[0.9], &[0.001]]);
        let page = html(&run, None).unwrap();
        assert!(
            page.contains("max over time") && page.contains("0.900"),
            "{page}"
        );
    }

    #[test]
    fn the_answer_orders_methods_and_links_flags_to_the_replay() {
        let run = trajectories();
        let page = html(&run, None).unwrap();
        let first = run
            .records
            .iter()
            .flat_map(|r| &r.outcome.metrics)
            .next()
            .unwrap();
        assert!(page.contains(&escape(without_unit(&on_axis(&summarised(
            first,
            Over::Max
        ))))));
        for scene in run.problems() {
            assert!(page.contains(&format!("<h3>{}</h3>", escape(scene))));
        }
        let mut run = with(&["drift_max"], &[&[0.0], &[0.3]]);
        let mut other = run.records[0].clone();
        other.solver.label = "other".to_owned();
        if let Payload::Simulate(own) = &mut other.outcome.payload {
            own.scheme.method = "a better method".to_owned();
        }
        other.outcome.samples = std::iter::once(Sample {
            sweeps: 0,
            row_updates: 0,
            values: vec![Some(0.01)],
        })
        .collect();
        if let Payload::Simulate(own) = &mut other.outcome.payload {
            own.moments.truncate(1);
        }
        run.records.push(other);
        let page = html(&run, Some("replay.html")).unwrap();
        let at = |text: &str| page.find(&format!("<tr><td>{text}")).expect("a row");
        assert!(
            at("a better method") < at(&escape(run.records[0].method())),
            "{page}"
        );
        assert!(
            page.contains("<a href=\"replay.html#t=1\">joint apart by 0.30 m"),
            "{page}"
        );
        // the words of headings and flags are those that can be explained
        let headings = page.split("<th scope=\"col\"").skip(1);
        for heading in headings.filter_map(|text| text.split(['>', '<']).nth(1)) {
            let name = heading.split(" [").next().unwrap_or_default();
            let known = WORDS.contains(&name) || ["method", "substeps"].contains(&name);
            assert!(known || name.contains("drift"), "{heading}");
        }
        assert!(
            WORDS
                .iter()
                .any(|word| page.contains(&format!(">{word} by 0.30 m")))
        );
        assert!(html(&crate::testing::realistic(), None).is_none());
    }
}
