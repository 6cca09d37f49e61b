//! Figures: SVG files drawn from records alone.
//!
//! A figure is reduced to a chart of panels first (one module per kind) and drawn after that, so that every kind
//! looks the same. Equal records give equal bytes.

mod canvas;
mod chart;
mod convergence;
mod curve;
pub(crate) mod data;
mod floor;
mod grouping;
mod heat;
mod layout;
mod legend;
mod parameter;
mod profile;
pub(crate) mod quantities;
mod render;
mod scale;
mod scaling;
mod style;
mod styles;
mod trajectory;
mod work_precision;

pub use canvas::DrawError;
pub(crate) use canvas::{clean, escape};

use crate::bundle::Bundle;
use crate::view::{FigureSpec, Plot};

use chart::{Axis, Chart, Note, Panel, Symbol};
use styles::{MOST_SERIES, Styles};

/// Points of a line across the whole width of a figure.
pub(crate) const POINTS: usize = 300;

/// Draws one figure of a run as an SVG file.
///
/// A figure without data says why it is empty.
///
/// # Errors
/// plotters' own errors; none are known to occur.
pub fn draw(bundle: &Bundle, spec: &FigureSpec) -> Result<String, DrawError> {
    draw_with(bundle, spec, POINTS)
}

/// The same with another number of points per line.
pub(crate) fn draw_with(
    bundle: &Bundle,
    spec: &FigureSpec,
    points: usize,
) -> Result<String, DrawError> {
    let count = styles::members(bundle, spec).len();
    let mut chart = if count > MOST_SERIES {
        crowded(spec, count)
    } else {
        chart(bundle, spec)
    };
    // the file leaves the page that says between which conditions
    if spec.plot.shows_times() && bundle.mixed_times().is_some() {
        chart.notes.push(Note {
            symbol: Symbol::None,
            text: "times from different machines or conditions".to_owned(),
        });
    }
    floor::apply(&mut chart);
    chart.points = points;
    if !spec.caption.is_empty() {
        chart.description = format!("{} {}", spec.caption, chart.description);
    }
    render::render(&chart)
}

/// The chart of a figure, before the ends of its axes are found.
fn chart(bundle: &Bundle, spec: &FigureSpec) -> Chart {
    let styles = Styles::of(bundle, spec);
    match &spec.plot {
        Plot::Convergence(plot) => convergence::chart(bundle, spec, plot, &styles),
        Plot::Profile(plot) => profile::chart(bundle, spec, plot, &styles),
        Plot::Parameter(plot) => parameter::chart(bundle, spec, plot, &styles),
        Plot::Trajectory(plot) => trajectory::chart(bundle, spec, plot, &styles),
        Plot::WorkPrecision(plot) => work_precision::chart(bundle, spec, plot, &styles),
        Plot::Heat(plot) => heat::chart(bundle, spec, plot),
        Plot::Scaling(plot) => scaling::chart(bundle, spec, plot, &styles),
    }
}

/// Stands for a figure with more lines than anybody can tell apart.
fn crowded(spec: &FigureSpec, count: usize) -> Chart {
    let empty = format!(
        "{count} series: more than {MOST_SERIES} cannot be told apart. Choose some with solvers, schemes or problems \
         in the figure, or draw a parameter of theirs as x. The data below are complete."
    );
    Chart {
        id: spec.id.clone(),
        title: "Too many series".to_owned(),
        description: empty.clone(),
        x: Axis::new("", false),
        y: Axis::new("", false),
        panels: vec![Panel {
            empty,
            ..Panel::default()
        }],
        legend: Vec::new(),
        notes: Vec::new(),
        points: POINTS,
    }
}

#[cfg(test)]
mod tests;
