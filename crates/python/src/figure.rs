//! Figures of comparisons, drawn as those of experiments are.

use delassus_charts::chart::{
    Axis, Chart, ChartCurve, CurveEnd, CurveForm, LegendEntry, Note, Panel, Symbol,
};
use delassus_charts::{Width, floor, render, style};
use pyo3::prelude::*;

use crate::errors::refused;

/// A line across the whole of a page has so many points at most.
const POINTS: usize = 400;

/// One solve in a panel.
#[derive(FromPyObject)]
pub(crate) struct CurveSpec {
    /// Position among the solvers.
    solver: usize,
    sweeps: Vec<f64>,
    residuals: Vec<f64>,
    solved: bool,
}

/// One problem.
#[derive(FromPyObject)]
pub(crate) struct PanelSpec {
    title: String,
    curves: Vec<CurveSpec>,
}

fn style_of(solver: usize) -> style::SeriesStyle {
    style::series(solver % style::COLOURS, solver / style::COLOURS)
}

/// Residuals over sweeps, a panel per problem, as SVG.
#[pyfunction]
#[pyo3(signature = (solvers, panels, tolerance, column))]
pub(crate) fn convergence_figure(
    solvers: Vec<String>,
    panels: Vec<PanelSpec>,
    tolerance: f64,
    column: bool,
) -> PyResult<String> {
    let curve = |spec: &CurveSpec| {
        let points = spec.sweeps.iter().zip(&spec.residuals);
        // a logarithmic axis has no place for the start
        let drawn = points.filter(|(x, y)| **x > 0.0 && x.is_finite() && y.is_finite());
        ChartCurve {
            name: solvers.get(spec.solver).cloned().unwrap_or_default(),
            style: style_of(spec.solver),
            position: spec.solver,
            points: drawn.map(|(x, y)| (*x, *y)).collect(),
            form: CurveForm::Line,
            end: if spec.solved {
                CurveEnd::Filled
            } else {
                CurveEnd::Hollow
            },
        }
    };
    let panel = |spec: &PanelSpec| {
        let curves: Vec<ChartCurve> = spec.curves.iter().map(curve).collect();
        let any = curves.iter().any(|curve| !curve.points.is_empty());
        let shown = if any {
            Panel {
                curves,
                guides: vec![tolerance],
                ..Panel::default()
            }
        } else {
            Panel::empty("no solver did a sweep")
        };
        Panel {
            title: spec.title.clone(),
            ..shown
        }
    };
    let entry = |(solver, name): (usize, &String)| LegendEntry {
        style: style_of(solver),
        text: name.clone(),
        line: true,
    };
    let all = panels.iter().flat_map(|panel| &panel.curves);
    let unsolved = all.clone().any(|curve| !curve.solved);
    let mut notes = vec![Note::new(Symbol::Guide, "the tolerance")];
    if unsolved {
        notes.push(Note::new(
            Symbol::Hollow,
            "hollow at the end: not solved to the tolerance",
        ));
    }
    let mut chart = Chart {
        title: "Residual against sweeps".to_owned(),
        description: format!("{} solvers: {}.", solvers.len(), solvers.join(", ")),
        x: Axis::new("sweeps [-]", true),
        y: Axis {
            include: vec![tolerance],
            ..Axis::new("natural map [-]", true)
        },
        panels: panels.iter().map(panel).collect(),
        legend: solvers.iter().enumerate().map(entry).collect(),
        notes,
    };
    floor::apply(&mut chart);
    let width = if column { Width::Column } else { Width::Page };
    render::render(&chart, "comparison", width, POINTS).map_err(refused)
}
