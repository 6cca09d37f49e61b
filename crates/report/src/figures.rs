//! Figures: SVG files drawn from records alone.
//!
//! A figure is reduced to a chart of panels first and drawn after that, so that every kind looks
//! the same. Equal records give equal bytes. A kind is one file: its settings, what it asks of an
//! experiment, its series, its chart and the table of its data; it is named once in the list below.

mod banded;
mod bars;
mod compare;
mod cone;
mod convergence;
mod data;
mod distribution;
mod grouping;
mod heat;
mod known;
mod panels;
mod parameter;
mod pooled;
mod predictability;
mod problem_set;
mod profile;
mod scaling;
mod self_convergence;
mod speed_accuracy;
mod styles;
mod targets;
mod threads;
mod trajectory;
mod violin;
mod work_precision;

pub use bars::Bars;
pub use compare::draw_comparisons;
pub use cone::Cone;
pub use convergence::Convergence;
pub use distribution::Distribution;
pub use heat::Heat;
pub use known::known_look;
pub use parameter::Parameter;
pub use predictability::Predictability;
pub use problem_set::ProblemSet;
pub use profile::Profile;
pub use scaling::Scaling;
pub use self_convergence::SelfConvergence;
pub use speed_accuracy::SpeedAccuracy;
pub use targets::Targets;
pub use threads::Threads;
pub use trajectory::Trajectory;
pub use violin::Violin;
pub use work_precision::WorkPrecision;

pub use delassus_charts::{DrawError, Width};

use delassus_charts::{chart, floor, histogram, interactive, render, style};

use crate::bundle::Bundle;
use crate::columns::{View, kinds};
use crate::disclosure;
use crate::quantities::on_axis;
use crate::settings::{Setting, one_of, settings};
use crate::tables::Table;

use chart::{Axis, Chart, Note, Panel};
use styles::{MOST_SERIES, Member, Styles};

kinds! {
    /// Kinds of figures, with their settings.
    Plot: FigureKind,
    Convergence, Profile, Targets, Parameter, Trajectory, WorkPrecision, SpeedAccuracy, Heat, Scaling, Threads,
    SelfConvergence, Bars, Violin, Distribution, ProblemSet, Predictability, Cone,
}

/// What a kind of figure makes of the records of a run.
pub(crate) trait FigureKind: View {
    /// Its series, in the order of the legend.
    fn members(&self, bundle: &Bundle) -> Vec<Member>;

    /// The chart, before the ends of its axes are found.
    fn chart(&self, bundle: &Bundle, styles: &Styles) -> Chart;

    /// The numbers behind it: what stands under it in the report and next to it as CSV.
    fn data(&self, bundle: &Bundle) -> Table;
}

settings! {
    /// One `[[figure]]` of a spec.
    pub struct FigureSpec {
        /// File name without its ending; unique in the spec.
        pub id: String,
        /// What the figure shows, in one or two sentences; printed below it.
        #[serde(default)]
        pub caption: String,
        /// `page`, 174 mm wide, or `column`, 84 mm.
        #[serde(default, skip_serializing_if = "Width::is_usual")]
        pub width: Width,
        /// The kind of figure with its settings.
        pub plot: Plot,
    }
}

impl Setting for Width {
    fn schema() -> serde_json::Value {
        one_of(&["page", "column"])
    }
}

/// Points of a line across the whole width of a figure.
pub(crate) const POINTS: usize = 300;

/// Characters of a note on work beyond which it would be larger than the figure.
const LONG_WORK: usize = 240;

/// Draws one figure of a run as an SVG file, in the style of all figures of its report.
///
/// A figure without data says why it is empty.
///
/// # Errors
/// plotters' own errors; none are known to occur.
pub fn draw(bundle: &Bundle, all: &[FigureSpec], spec: &FigureSpec) -> Result<String, DrawError> {
    Ok(draw_with(bundle, all, spec, POINTS)?.svg)
}

/// A figure as a page has it.
#[derive(Debug)]
pub(crate) struct Drawn {
    /// The still picture.
    pub(crate) svg: String,
    /// The numbers of its curves as JSON; `None` where there is nothing to zoom.
    pub(crate) numbers: Option<String>,
    /// True where colours stand for values, and must stay what they are.
    pub(crate) scale: bool,
}

/// The same with another number of points per line, and as numbers.
pub(crate) fn draw_with(
    bundle: &Bundle,
    all: &[FigureSpec],
    spec: &FigureSpec,
    points: usize,
) -> Result<Drawn, DrawError> {
    let chart = chart(bundle, all, spec);
    Ok(Drawn {
        svg: render::render(&chart, &spec.id, spec.width, points)?,
        numbers: interactive::numbers(&chart, spec.width, points),
        scale: chart.panels.iter().any(|panel| !panel.tiles.is_empty()),
    })
}

/// What a figure says in words to a reader who does not see it.
pub(crate) fn words(bundle: &Bundle, all: &[FigureSpec], spec: &FigureSpec) -> String {
    let chart = chart(bundle, all, spec);
    format!("{}. {}", chart.title, chart.description)
}

/// The chart of a figure, ready to be drawn.
fn chart(bundle: &Bundle, all: &[FigureSpec], spec: &FigureSpec) -> Chart {
    let count = spec.plot.kind().members(bundle).len();
    let mut chart = if count > MOST_SERIES {
        crowded(count)
    } else {
        let styles = styles(bundle, all, spec);
        spec.plot.kind().chart(bundle, &styles)
    };
    // the file leaves the page that says between which conditions
    if spec.plot.shows_times() && bundle.mixed_times().is_some() {
        let text = "times from different machines or conditions";
        chart.notes.push(Note::plain(text));
    }
    // of the sentences the first; the data below it have them all
    let work = disclosure::of_view(bundle, &*spec.plot).into_iter().next();
    chart
        .notes
        .extend(work.map(|work| match work.chars().nth(LONG_WORK) {
            None => Note::plain(work),
            Some(_) => Note::plain("Work behind these times: in the data of the figure."),
        }));
    floor::apply(&mut chart);
    for axis in [&mut chart.x, &mut chart.y] {
        axis.label = on_axis(&axis.label);
    }
    chart.title = chart.title.replace(" [-]", "");
    if !spec.caption.is_empty() {
        chart.description = format!("{} {}", spec.caption, chart.description);
    }
    chart
}

/// The style sheet of the figures of a report and of this one.
fn styles(bundle: &Bundle, all: &[FigureSpec], spec: &FigureSpec) -> Styles {
    let mut figures: Vec<Vec<Member>> = Vec::new();
    let others = all.iter().filter(|other| *other != spec);
    // a figure of the report keeps its place among the others
    let place = all.iter().position(|other| other == spec);
    figures.extend(others.map(|other| other.plot.kind().members(bundle)));
    figures.insert(
        place.unwrap_or(figures.len()),
        spec.plot.kind().members(bundle),
    );
    figures.retain(|members| members.len() <= MOST_SERIES);
    Styles::from_members(&figures)
}

/// The numbers behind a figure.
pub(crate) fn data(bundle: &Bundle, spec: &FigureSpec) -> Table {
    let table = spec.plot.kind().data(bundle);
    let work = disclosure::of_view(bundle, &*spec.plot);
    work.into_iter().fold(table, Table::noting)
}

/// Stands for a figure with more lines than anybody can tell apart.
fn crowded(count: usize) -> Chart {
    let empty = format!(
        "{count} series: more than {MOST_SERIES} cannot be told apart. Choose some with solvers, schemes or problems \
         in the figure, or draw a parameter of theirs as x. The data below are complete."
    );
    Chart {
        title: "Too many series".to_owned(),
        description: empty.clone(),
        x: Axis::new("", false),
        y: Axis::new("", false),
        panels: vec![Panel::empty(empty)],
        legend: Vec::new(),
        notes: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
