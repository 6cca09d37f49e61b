//! What a method achieves against what it costs: one mark per cell, lines along a parameter.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::analysis::{achieved, count};
use crate::bundle::Bundle;
use crate::record::CellRecord;
use crate::view::{FigureSpec, Knob, Work, WorkPrecision};

use super::canvas::clean;
use super::chart::{Axis, Chart, Curve, End, Entry, Form, Note, Panel, Symbol};
use super::convergence::shown_problems;
use super::grouping;
use super::quantities::{name_of, run_work, summarised, words, work_name};
use super::styles::{Member, Styles};

/// Series of the figure.
pub(super) fn members(bundle: &Bundle, plot: &WorkPrecision) -> Vec<Member> {
    let knobs: Vec<Knob<'_>> = plot.along.iter().map(|along| Knob::parse(along)).collect();
    grouping::members(bundle, &knobs, |r| plot.selection().shows(r))
}

/// Builds the chart.
pub(crate) fn chart(
    bundle: &Bundle,
    spec: &FigureSpec,
    plot: &WorkPrecision,
    styles: &Styles,
) -> Chart {
    let knobs: Vec<Knob<'_>> = plot.along.iter().map(|along| Knob::parse(along)).collect();
    let names = grouping::names(members(bundle, plot));
    let (scenes, left_out) = shown_problems(bundle, &plot.scenes);
    let mut panels: Vec<Panel> = scenes
        .iter()
        .map(|scene| panel(bundle, plot, (&knobs, &names), scene, styles))
        .collect();
    if panels.is_empty() {
        panels.push(Panel {
            empty: "no finished cell matches this figure".to_owned(),
            ..Panel::default()
        });
    }
    if panels.len() == 1 {
        panels[0].title.clear();
    }
    let label = summarised(&plot.y, plot.over);
    let mut x = Axis::new(run_work(plot.x), true);
    x.share = 2.5;
    let mut y = Axis::new(label.clone(), true);
    y.share = 4.0;
    y.floor = plot.floor;
    let mut chart = Chart {
        id: spec.id.clone(),
        title: format!("{label} against {}", work_name(plot.x)),
        description: format!("One mark per run. Series: {}.", names.join(", ")),
        x,
        y,
        legend: legend(bundle, plot, (&knobs, &names), styles),
        notes: Vec::new(),
        panels,
        points: super::POINTS,
    };
    if !knobs.is_empty() {
        let keys: Vec<String> = knobs.iter().map(|k| k.key.replace('_', " ")).collect();
        chart.notes.push(Note {
            symbol: Symbol::None,
            text: format!("lines join runs along {}", clean(&keys.join(" or "))),
        });
    }
    if left_out > 0 {
        chart.notes.push(Note {
            symbol: Symbol::None,
            text: crate::numbers::more(left_out, "scene"),
        });
    }
    chart
}

/// Work of a whole run: row updates \[-\] or seconds \[s\].
pub(crate) fn spent(record: &CellRecord, unit: Work) -> Option<f64> {
    match unit {
        Work::Sweeps => Some(count(record.outcome.sweeps)),
        Work::RowUpdates => Some(count(record.outcome.row_updates)),
        Work::Seconds => record.outcome.seconds(),
    }
}

/// Values of the parameters that lines run along, zero for those that the method does not have; `None` if it has none.
fn refinement(record: &CellRecord, knobs: &[Knob<'_>]) -> Option<Vec<f64>> {
    let values: Vec<Option<f64>> = knobs.iter().map(|knob| knob.number(record)).collect();
    let any = knobs.is_empty() || values.iter().any(Option::is_some);
    any.then(|| {
        values
            .into_iter()
            .map(|value| value.unwrap_or(0.0))
            .collect()
    })
}

fn panel(
    bundle: &Bundle,
    plot: &WorkPrecision,
    (knobs, names): (&[Knob<'_>], &[String]),
    scene: &str,
    styles: &Styles,
) -> Panel {
    // (values of the parameters, work, what is achieved) of each series
    let mut runs: BTreeMap<usize, Vec<(Vec<f64>, f64, f64)>> = BTreeMap::new();
    let shown = |r: &&CellRecord| r.problem.name == scene && plot.selection().shows(r);
    for record in bundle.records.iter().filter(shown) {
        let along = refinement(record, knobs);
        let spent = spent(record, plot.x).filter(|work| *work > 0.0);
        let achieved = achieved(record, &plot.y, plot.over).map(f64::abs);
        let name = grouping::series(record, knobs);
        let position = names.iter().position(|n| *n == name);
        if let (Some(position), Some(along), Some(x), Some(y)) = (position, along, spent, achieved)
        {
            runs.entry(position).or_default().push((along, x, y));
        }
    }
    let curves = runs.into_iter().map(|(position, mut points)| {
        points.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal));
        let look = styles.look(&names[position]);
        Curve {
            name: names[position].clone(),
            style: look.style,
            position: look.position,
            points: points.into_iter().map(|(_, x, y)| (x, y)).collect(),
            form: if knobs.is_empty() {
                Form::Marks
            } else {
                Form::Joined
            },
            end: End::None,
        }
    });
    Panel {
        title: words(scene),
        curves: curves.collect(),
        empty: format!("no run has a value of {}", name_of(&plot.y)),
        ..Panel::default()
    }
}

fn legend(
    bundle: &Bundle,
    plot: &WorkPrecision,
    (knobs, names): (&[Knob<'_>], &[String]),
    styles: &Styles,
) -> Vec<Entry> {
    let entries = names.iter().filter_map(|name| {
        let own =
            |r: &&CellRecord| plot.selection().shows(r) && grouping::series(r, knobs) == *name;
        let cells = bundle.records.iter().filter(own);
        let values = cells.map(|r| achieved(r, &plot.y, plot.over).is_some());
        let values: Vec<bool> = values.collect();
        let without = values.iter().filter(|has| !**has).count();
        let mut text = words(name);
        if without > 0 {
            text += &format!(" ({without} of {} without a value)", values.len());
        }
        (!values.is_empty()).then(|| Entry {
            style: styles.style(name),
            text,
            line: !knobs.is_empty(),
        })
    });
    entries.collect()
}
