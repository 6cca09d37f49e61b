//! Two methods against each other: a mark per problem, its cost with the first along x, with the
//! second along y.

use crate::compare::{Comparison, Ending, Goal};
use crate::numbers::power;
use crate::quantities::{run_work, without_unit, words, work};
use crate::view::{Kind, Work};

use super::chart::{Axis, Chart, ChartCurve, CurveForm, LegendEntry, Note, Panel};
use super::{DrawError, POINTS, Width, panels, render, style};

/// What a method missed stands beyond the largest cost of the panel by this factor.
const BEYOND: f64 = 3.0;

/// Draws the comparisons as an SVG file, a panel each.
///
/// # Errors
/// plotters' own errors; none are known to occur.
pub fn draw_comparisons(comparisons: &[Comparison], goal: &Goal) -> Result<String, DrawError> {
    let kind = comparisons.first().map_or(Kind::Solves, |c| c.kind);
    let cost = match (kind, goal.cost) {
        (Kind::Solves, cost) => work(cost),
        (Kind::Timings, _) => "time per sweep [s]",
        (Kind::Trajectories, Work::Seconds) => "time per frame [s]",
        (Kind::Trajectories, cost) => run_work(cost),
    };
    let (name, unit) = (without_unit(cost), &cost[without_unit(cost).len()..]);
    let left_out = comparisons.len().saturating_sub(panels::MOST_PANELS);
    let shown = &comparisons[..comparisons.len() - left_out];
    // a single pair has names; panels have their own in their titles
    let [first, second] = match shown {
        [only] => [words(&only.a), words(&only.b)],
        _ => ["the first".to_owned(), "the second".to_owned()],
    };
    let of_panel = if shown.len() > 1 { " of a panel" } else { "" };
    let mut notes = vec![Note::plain(format!(
        "above the line {first}{of_panel} needs less, below it {second}"
    ))];
    if kind == Kind::Solves {
        notes.push(Note::plain(format!(
            "to {} ≤ {}",
            goal.metric,
            power(goal.tolerance)
        )));
    }
    if shown.iter().any(missed) {
        notes.push(Note::plain(
            "hollow: only one of the two reached the goal; the other stands at the edge",
        ));
    }
    notes.extend(neither(shown).map(Note::plain));
    notes.extend(panels::left_out(left_out, "pair"));
    let chart = Chart {
        title: format!("Methods against each other: {name}"),
        description: "One mark per problem; the diagonal is equal cost.".to_owned(),
        x: Axis::new(format!("{name}, {first}{unit}"), true),
        y: Axis::new(format!("{name}, {second}{unit}"), true),
        panels: panels::or_reason(shown.iter().map(panel).collect(), panels::NO_CELL),
        legend: legend(shown, &first, &second),
        notes,
    };
    render::render(&chart, "comparison", Width::Page, POINTS)
}

fn missed(comparison: &Comparison) -> bool {
    let one = |ending| ending != Ending::Neither;
    let mut pairs = comparison.pairs.iter();
    pairs.any(|pair| one(pair.ending) && (pair.a.is_none() || pair.b.is_none()))
}

/// Says how many problems have no mark because neither method reached the goal there.
fn neither(shown: &[Comparison]) -> Option<String> {
    let left = shown
        .iter()
        .map(|c| c.count(Ending::Neither))
        .sum::<usize>();
    let all = shown.iter().map(|c| c.pairs.len()).sum::<usize>();
    (left > 0).then(|| format!("no mark: neither reached the goal, {left} of {all}"))
}

/// Colour of each ending.
const ENDINGS: [(Ending, usize); 3] = [(Ending::Win, 0), (Ending::Loss, 1), (Ending::Tie, 2)];

fn legend(shown: &[Comparison], first: &str, second: &str) -> Vec<LegendEntry> {
    let used = ENDINGS.into_iter();
    let used = used.filter(|(ending, _)| shown.iter().any(|c| c.count(*ending) > 0));
    let entries = used.map(|(ending, colour)| LegendEntry {
        style: style::series(colour, 0),
        text: match ending {
            Ending::Win => format!("{first} needs less"),
            Ending::Loss => format!("{second} needs less"),
            Ending::Tie | Ending::Neither => "no difference".to_owned(),
        },
        line: false,
    });
    entries.collect()
}

fn panel(comparison: &Comparison) -> Panel {
    let costs = comparison.pairs.iter().flat_map(|pair| [pair.a, pair.b]);
    // a problem that is solved at its start costs nothing and has no place on a logarithmic axis
    let known: Vec<f64> = costs.flatten().filter(|cost| *cost > 0.0).collect();
    let mut panel = Panel {
        title: format!("{} | {}", words(&comparison.a), words(&comparison.b)),
        ..Panel::empty("neither reached the goal on any problem")
    };
    let (Some(least), Some(most)) = (
        known.iter().copied().min_by(f64::total_cmp),
        known.iter().copied().max_by(f64::total_cmp),
    ) else {
        return panel;
    };
    let edge = most * BEYOND;
    let diagonal = vec![(least, least), (edge, edge)];
    panel
        .curves
        .push(ChartCurve::apart("equal cost", diagonal, CurveForm::Exact));
    for (position, (ending, colour)) in ENDINGS.into_iter().enumerate() {
        let pairs = comparison.pairs.iter().filter(|pair| pair.ending == ending);
        for pair in pairs {
            let place = |cost: Option<f64>| cost.unwrap_or(edge).max(least);
            panel.curves.push(ChartCurve {
                name: words(&pair.problem),
                style: style::series(colour, 0),
                position,
                points: vec![(place(pair.a), place(pair.b))],
                form: CurveForm::Marks,
                end: panels::end(pair.a.is_some() && pair.b.is_some()),
            });
        }
    }
    panel
}
