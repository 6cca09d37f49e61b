//! Dolan–Moré performance profiles, one panel per tolerance.

use crate::analysis::{ProfileCurve, ProfilePlot, profile};
use crate::bundle::Bundle;
use crate::numbers::power;
use crate::view::{FigureSpec, Profile};

use super::chart::{Axis, Chart, Curve, End, Entry, Form, Note, Panel, Symbol};
use super::grouping;
use super::quantities::{name_of, words, work_name};
use super::styles::{Member, Styles};

/// The profile is flat beyond the largest finite ratio; the axis goes on by this factor to show it.
const BEYOND: f64 = 1.25;

/// Profiles of all tolerances of a figure, as drawn.
pub(crate) fn profiles(bundle: &Bundle, plot: &Profile) -> Vec<ProfilePlot> {
    let tolerances = plot.tolerances.iter();
    tolerances
        .map(|tolerance| profile(bundle, plot.cost, &plot.metric, *tolerance))
        .collect()
}

/// Solvers of the figure: all.
pub(super) fn members(bundle: &Bundle) -> Vec<Member> {
    grouping::methods(bundle, |_| true)
}

/// Builds the chart.
pub(crate) fn chart(bundle: &Bundle, spec: &FigureSpec, plot: &Profile, styles: &Styles) -> Chart {
    let profiles = profiles(bundle, plot);
    let largest = profiles
        .iter()
        .flat_map(|p| &p.curves)
        .flat_map(|c| &c.ratios)
        .filter(|r| r.is_finite())
        .fold(2.0, |a, b| f64::max(a, *b));
    let end = largest * BEYOND;
    let mut panels: Vec<Panel> = profiles
        .iter()
        .map(|p| panel(p, &plot.metric, end, styles))
        .collect();
    if panels.is_empty() {
        panels.push(Panel {
            empty: "the figure names no tolerance".to_owned(),
            ..Panel::default()
        });
    }
    let mut x = Axis::new(
        format!("ratio τ of {} to the best solver [-]", work_name(plot.cost)),
        true,
    );
    x.include = vec![1.0];
    let mut y = Axis::new("fraction of problems solved within τ [-]", false);
    y.include = vec![0.0, 1.0];
    let notes = vec![Note {
        symbol: Symbol::None,
        text: format!(
            "{}; a run that misses the tolerance counts as never solved",
            sizes(&profiles)
        ),
    }];
    let names: Vec<&str> = bundle.solvers();
    Chart {
        id: spec.id.clone(),
        title: format!("Performance profile of {}", work_name(plot.cost)),
        description: format!(
            "Step functions from the share of wins at ratio 1 to the share of solved problems. Solvers: {}.",
            names.join(", ")
        ),
        x,
        y,
        legend: legend(bundle, &profiles, styles),
        notes,
        panels,
        points: super::POINTS,
    }
}

/// "n = 34 problems", or the number for each tolerance where they differ.
fn sizes(profiles: &[ProfilePlot]) -> String {
    let mut sizes: Vec<usize> = profiles.iter().map(|p| p.problems.len()).collect();
    sizes.dedup();
    let texts: Vec<String> = sizes.iter().map(usize::to_string).collect();
    let noun = if sizes == [1] { "problem" } else { "problems" };
    format!("n = {} {noun}", texts.join(" and "))
}

fn panel(profile: &ProfilePlot, metric: &str, end: f64, styles: &Styles) -> Panel {
    let mut panel = Panel {
        title: format!("{} ≤ {}", name_of(metric), power(profile.tolerance)),
        empty: "no solver attempted a problem".to_owned(),
        ..Panel::default()
    };
    if profile.problems.is_empty() {
        return panel;
    }
    for curve in &profile.curves {
        let look = styles.look(&curve.solver);
        let (solved, all) = (curve.solved(), profile.problems.len());
        panel.curves.push(Curve {
            name: format!("{}: {solved} of {all} solved", curve.solver),
            style: look.style,
            position: look.position,
            points: steps(curve, end),
            form: Form::Steps,
            end: End::Filled,
        });
    }
    panel
}

/// Corners of ρ(τ): its value at 1 and after each jump, and at the end of the axis.
pub(crate) fn steps(curve: &ProfileCurve, end: f64) -> Vec<(f64, f64)> {
    let finite = curve.ratios.iter().copied().filter(|r| r.is_finite());
    let mut jumps: Vec<f64> = finite.collect();
    jumps.push(1.0);
    jumps.sort_by(f64::total_cmp);
    jumps.dedup();
    let mut points: Vec<(f64, f64)> = jumps.iter().map(|t| (*t, curve.fraction(*t))).collect();
    points.push((end, curve.fraction(end)));
    points
}

fn legend(bundle: &Bundle, profiles: &[ProfilePlot], styles: &Styles) -> Vec<Entry> {
    let solvers = bundle.solvers().into_iter().enumerate();
    let entries = solvers.map(|(position, label)| {
        let solved: Vec<String> = profiles
            .iter()
            .filter_map(|p| p.curves.get(position))
            .map(|c| c.solved().to_string())
            .collect();
        Entry {
            style: styles.style(label),
            text: format!("{} ({} solved)", words(label), solved.join(", ")),
            line: true,
        }
    });
    entries.collect()
}
