//! Projected Gauss–Seidel on the scaled unknowns: the start of the Newton methods (Y.11).

use std::ops::Range;

use delassus_core::{norm, projection};

use super::model::{CONE_ROWS, Group, Model};
use super::settings::NewtonSettings;

/// Rows with a smaller diagonal are left alone: nothing says how far to move them \[-\].
const NO_DIAGONAL: f64 = 1e-12;

/// One pass over all groups, each projected with the newest velocities.
pub(super) fn sweep(model: &Model, settings: &NewtonSettings, y: &mut [f64]) {
    // groups with one scale have a largest eigenvalue of ρ
    let step = 1.0 / settings.scaling.rho;
    for group in &model.groups {
        match group {
            Group::Interval(i) => {
                let diagonal = model.row(*i)[*i];
                if diagonal > NO_DIAGONAL {
                    let target = y[*i] - velocity(model, *i, y) / diagonal;
                    y[*i] = projection::interval(target, model.lower[*i], model.upper[*i]);
                }
            }
            Group::Disc { rows, terms } => {
                let (mut target, size) = moved(model, rows, y, step, false);
                projection::disc(model.radius(terms, y), &mut target[..size]);
                y[rows.clone()].copy_from_slice(&target[..size]);
            }
            Group::Cone { rows, shifted } => {
                let (mut target, size) = moved(model, rows, y, step, *shifted);
                projection::cone(1.0, &mut target[..size]);
                y[rows.clone()].copy_from_slice(&target[..size]);
            }
        }
    }
}

fn velocity(model: &Model, row: usize, y: &[f64]) -> f64 {
    model.dot(row, y) + model.c[row]
}

/// y − step · ŵ of a few rows, and their number.
fn moved(
    model: &Model,
    rows: &Range<usize>,
    y: &[f64],
    step: f64,
    shifted: bool,
) -> ([f64; CONE_ROWS], usize) {
    let mut w = [0.0; CONE_ROWS];
    for (w, row) in w.iter_mut().zip(rows.clone()) {
        *w = velocity(model, row, y);
    }
    if shifted {
        w[0] += norm::norm(&w[1..]);
    }
    let mut target = [0.0; CONE_ROWS];
    for (i, row) in rows.clone().enumerate() {
        target[i] = y[row] - step * w[i];
    }
    (target, rows.len())
}
