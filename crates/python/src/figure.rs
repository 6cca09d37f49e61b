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

impl CurveSpec {
    fn drawn(&self, solvers: &[String]) -> ChartCurve {
        let points = self.sweeps.iter().zip(&self.residuals);
        // a logarithmic axis has no place for the start
        let drawn = points.filter(|(x, y)| **x > 0.0 && x.is_finite() && y.is_finite());
        ChartCurve {
            name: solvers.get(self.solver).cloned().unwrap_or_default(),
            style: style_of(self.solver),
            position: self.solver,
            points: drawn.map(|(x, y)| (*x, *y)).collect(),
            form: CurveForm::Line,
            end: match self.solved {
                true => CurveEnd::Filled,
                false => CurveEnd::Hollow,
            },
        }
    }
}

impl PanelSpec {
    fn drawn(&self, solvers: &[String], tolerance: f64) -> Panel {
        let curves = self.curves.iter().map(|curve| curve.drawn(solvers));
        let curves: Vec<ChartCurve> = curves.collect();
        let shown = match curves.iter().any(|curve| !curve.points.is_empty()) {
            true => Panel {
                curves,
                guides: vec![tolerance],
                ..Panel::default()
            },
            false => Panel::empty("no solver did a sweep"),
        };
        Panel {
            title: self.title.clone(),
            ..shown
        }
    }
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
    let entry = |(solver, name): (usize, &String)| LegendEntry {
        style: style_of(solver),
        text: name.clone(),
        line: true,
    };
    let mut all = panels.iter().flat_map(|panel| &panel.curves);
    let mut notes = vec![Note::new(Symbol::Guide, "the tolerance")];
    if all.any(|curve| !curve.solved) {
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
        panels: panels
            .iter()
            .map(|panel| panel.drawn(&solvers, tolerance))
            .collect(),
        legend: solvers.iter().enumerate().map(entry).collect(),
        notes,
    };
    floor::apply(&mut chart);
    let width = if column { Width::Column } else { Width::Page };
    render::render(&chart, "comparison", width, POINTS).map_err(refused)
}
