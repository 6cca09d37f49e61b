//! Closed forms of soft blocks in small motion, and of soft contacts.

use delassus_core::numbers::significant;
use delassus_dynamics::SoftnessCoupling;
use delassus_metrics::ClosedForm;
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use serde_json::{Map, Value};

use crate::oracles::soft_block::SoftBlock;
use crate::scenes::{HeldBy, SoftContact, SoftJoint};
use crate::soft::SoftForm;

use super::rest::constant;
use super::{SchemeSteps, kept, parsed, released};

/// The error "C\[0\].i" of a ball on a soft joint: what the steps make of its linear rows (S.23),
/// and the oscillator that the frequency is named after.
pub(super) fn of_joint(
    parameters: &Map<String, Value>,
    steps: Option<SchemeSteps<'_>>,
    observable: &str,
) -> Vec<ClosedForm> {
    let scene = parsed::<SoftJoint>(parameters);
    let row = observable.strip_prefix("C[0].");
    let row = row.and_then(|row| row.parse::<usize>().ok());
    let (Some(scene), Some(row)) = (scene, row) else {
        return Vec::new();
    };
    let (coupling, start) = block(&scene);
    if row >= start.len() || scene.hertz == 0.0 {
        return Vec::new();
    }
    let [hertz, zeta] = spring(&scene, row);
    let omega = std::f64::consts::TAU * hertz;
    let first = start[row];
    let mut found = vec![ClosedForm {
        name: "damped oscillator".to_owned(),
        of_method: false,
        discrete: false,
        at: Box::new(move |t| first * released(omega, zeta, t)),
    }];
    if let Some(steps) = steps.filter(SchemeSteps::is_plain)
        && let Some(block) = soft_block(&scene, coupling, steps.h)
        && let Some(errors) = block.errors(&start, steps.count)
    {
        let h = significant(steps.h, 3);
        let values = errors.iter().map(|error| error[row]).collect();
        found.push(steps.law(format!("small motion, h = {h}"), values));
    }
    found
}

/// K of the joint where it starts to first order, and its errors there.
fn block(scene: &SoftJoint) -> (DMatrix<f64>, DVector<f64>) {
    let rows = match scene.joint {
        HeldBy::Point => 3,
        HeldBy::Weld => 6,
    };
    // v of the point = v + ω × r, so the angular entry of its rows is (r ×)ᵀ on the right: J = (1,
    // −[r]×)
    let r = Vector3::from(scene.anchor);
    let mut jacobian = DMatrix::zeros(rows, 6);
    jacobian
        .view_mut((0, 0), (3, 3))
        .copy_from(&Matrix3::identity());
    jacobian
        .view_mut((0, 3), (3, 3))
        .copy_from(&-r.cross_matrix());
    if rows == 6 {
        jacobian
            .view_mut((3, 3), (3, 3))
            .copy_from(&Matrix3::identity());
    }
    let [m, i] = [1.0 / scene.mass, 1.0 / scene.moment()];
    let inverse = DMatrix::from_diagonal(&DVector::from_column_slice(&[m, m, m, i, i, i]));
    let start: Vec<f64> = scene.offset.into_iter().chain(scene.twist).collect();
    let start = DVector::from_column_slice(&start[..rows]);
    (&jacobian * inverse * jacobian.transpose(), start)
}

/// Frequency and damping ratio of a row.
fn spring(scene: &SoftJoint, row: usize) -> [f64; 2] {
    match scene.angular_hertz {
        Some(hertz) if row >= 3 => [hertz, scene.angular_damping_ratio],
        _ => [scene.hertz, scene.damping_ratio],
    }
}

/// R and the rates of the rows at steps of `h` \[s\].
fn soft_block(scene: &SoftJoint, coupling: DMatrix<f64>, h: f64) -> Option<SoftBlock> {
    let rows = coupling.nrows();
    let numbers = |row: usize| {
        let [hertz, zeta] = spring(scene, row);
        let omega = std::f64::consts::TAU * hertz;
        // of an effective mass of one
        let (k, d) = kept(scene.form, scene.step, h, omega * omega, 2.0 * zeta * omega);
        let impedance = d + h * k;
        (impedance > 0.0).then(|| (k / impedance, 1.0 / (h * impedance)))
    };
    let numbers: Option<Vec<(f64, f64)>> = (0..rows).map(numbers).collect();
    let numbers = numbers?;
    let apart = scene.angular_hertz.is_some();
    let together = |i: usize, j: usize| {
        scene.coupling == SoftnessCoupling::Block && (!apart || (i < 3) == (j < 3))
    };
    let compliance = DMatrix::from_fn(rows, rows, |i, j| match i == j || together(i, j) {
        true => coupling[(i, j)] * numbers[i].1,
        false => 0.0,
    });
    Some(SoftBlock {
        rates: DVector::from_iterator(rows, numbers.iter().map(|(rate, _)| *rate)),
        compliance,
        coupling,
        h,
    })
}

/// Height "x\[1\].y" of a body on a soft contact: at rest (S.21), or while it stays pressed (S.2).
pub(super) fn of_contact(
    parameters: &Map<String, Value>,
    steps: Option<SchemeSteps<'_>>,
    observable: &str,
) -> Vec<ClosedForm> {
    let scene = parsed::<SoftContact>(parameters);
    let Some(scene) = scene.filter(|scene| observable == "x[1].y" && scene.hertz > 0.0) else {
        return Vec::new();
    };
    let omega = std::f64::consts::TAU * scene.hertz;
    let zeta = scene.damping_ratio;
    let own = |h: f64| kept(scene.form, scene.step, h, omega * omega, 2.0 * zeta * omega);
    let k = match &steps {
        Some(steps) => own(steps.h).0,
        None if matches!(scene.form, SoftForm::Frequency | SoftForm::Spring) => omega * omega,
        // another spring at another step
        None => return Vec::new(),
    };
    let sag = scene.gravity / k;
    // pressed all the time: undamped it would come as far up as it began below
    if scene.depth <= 0.0 || (scene.depth - sag).abs() >= sag {
        return vec![constant("sag at rest", -sag)];
    }
    let exact = scene.gravity / (omega * omega);
    let swing = scene.depth - exact;
    let mut found = vec![ClosedForm {
        name: "damped oscillator".to_owned(),
        of_method: false,
        discrete: false,
        at: Box::new(move |t| -exact - swing * released(omega, zeta, t)),
    }];
    if let Some(steps) = steps.filter(SchemeSteps::is_plain) {
        let h = steps.h;
        let (k, d) = own(h);
        let (mut x, mut v) = (scene.depth, 0.0);
        let mut values = vec![-x];
        for _ in 0..steps.count {
            v = (v - h * k * x + h * scene.gravity) / (1.0 + h * d + h * h * k);
            x += h * v;
            values.push(-x);
        }
        let shown = significant(h, 3);
        found.push(steps.law(format!("implicit Euler, h = {shown}"), values));
    }
    found
}
