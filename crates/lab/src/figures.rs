//! Figures: SVG files drawn from records alone.
//!
//! A figure is reduced to a chart of panels first (one module per kind) and drawn after that, so that every kind
//! looks the same. Equal records give equal bytes.

mod canvas;
mod chart;
mod convergence;
mod curve;
pub(crate) mod data;
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
mod trajectory;
mod work_precision;

pub use canvas::DrawError;
pub(crate) use canvas::{clean, escape};

use crate::bundle::Bundle;
use crate::view::{FigureSpec, Plot};

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
    let mut chart = match &spec.plot {
        Plot::Convergence(plot) => convergence::chart(bundle, spec, plot),
        Plot::Profile(plot) => profile::chart(bundle, spec, plot),
        Plot::Parameter(plot) => parameter::chart(bundle, spec, plot),
        Plot::Trajectory(plot) => trajectory::chart(bundle, spec, plot),
        Plot::WorkPrecision(plot) => work_precision::chart(bundle, spec, plot),
        Plot::Heat(plot) => heat::chart(bundle, spec, plot),
        Plot::Scaling(plot) => scaling::chart(bundle, spec, plot),
    };
    chart.points = points;
    if !spec.caption.is_empty() {
        chart.description = format!("{} {}", spec.caption, chart.description);
    }
    render::render(&chart)
}

#[cfg(test)]
mod tests;
