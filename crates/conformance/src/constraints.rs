//! The laws that every kind of constraint must obey, one function each.
//!
//! A law knows nothing of a constraint but what `ConstraintKind` gives: a random example with the
//! poses of its bodies. It compares what the constraint says of itself (Jacobian, rate, force) with
//! what its position error does when the bodies move, by differences. A kind that is registered is
//! covered, without a line here.
//!
//! Theory: docs/theory/07-constraints.md.

use delassus_dynamics::constraints::{AnyConstraint, ConstraintKind};
use delassus_dynamics::{
    Body, ExampleRng, ForceKind, Inertia, Joint, Pose, Position, Rows, WorldParts,
};
use nalgebra::{DMatrix, DVector, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::{Verdict, require};

mod fields;

pub use fields::refusal_of_bad_fields;

/// Step of the differences \[s\]: five-point formulas err by STEP⁴/30 ≈ 3e-16 times the fifth
/// derivative, and by rounding, 1.5 · 2⁻⁵³ / STEP ≈ 6e-13.
const STEP: f64 = 3e-4;

/// Largest error of a Jacobian by differences, relative to its terms \[-\]. Measured at most
/// 1.1e-11, on a curve that bends within a few centimetres; a forgotten term leaves about 1.
const DIFFERENCES: f64 = 1e-9;

/// Rounding of sums of a few terms, relative to the terms \[-\]: measured at most 2e-16.
const ROUNDING: f64 = 1e-14;

/// An example: a constraint, poses of its bodies, and a source of more random numbers.
struct Example {
    constraint: AnyConstraint,
    poses: Vec<Pose>,
    source: Pcg64Mcg,
}

/// Velocities of the bodies: (linear \[m/s\], angular \[rad/s\]).
type Motion = Vec<(Vector3<f64>, Vector3<f64>)>;

impl Example {
    fn new(kind: &ConstraintKind, seed: u64) -> Self {
        let mut source = Pcg64Mcg::seed_from_u64(seed);
        let (constraint, poses) = (kind.example)(&mut ExampleRng(&mut || source.random::<f64>()));
        Self {
            constraint,
            poses,
            source,
        }
    }

    /// A vector with coordinates in \[−1, 1).
    fn vector(&mut self) -> Vector3<f64> {
        ExampleRng(&mut || self.source.random::<f64>()).vector(1.0)
    }

    fn motion(&mut self) -> Motion {
        let bodies = 0..self.poses.len();
        bodies.map(|_| (self.vector(), self.vector())).collect()
    }

    /// The rows at the example's poses.
    fn rows(&self) -> Rows {
        let mut rows = Rows::default();
        self.constraint.evaluate(&self.poses, 0.0, &mut rows);
        rows
    }

    /// C per row after the bodies have moved for `time` \[s\] at constant velocities, at the
    /// instant `instant` \[s\].
    fn moved(&self, motion: &Motion, time: f64, instant: f64) -> Vec<f64> {
        let mut poses = self.poses.clone();
        for (pose, (linear, angular)) in poses.iter_mut().zip(motion) {
            pose.advance(time * linear, &(time * angular));
        }
        let mut rows = Rows::default();
        self.constraint.evaluate(&poses, instant, &mut rows);
        rows.error
    }

    /// dC/dt per row along a motion by the five-point formula; time stands still if `frozen`.
    fn differences(&self, motion: &Motion, frozen: bool) -> Vec<f64> {
        let at = |steps: f64| {
            let time = steps * STEP;
            self.moved(motion, time, if frozen { 0.0 } else { time })
        };
        let [far_back, back, ahead, far_ahead] = [at(-2.0), at(-1.0), at(1.0), at(2.0)];
        let row =
            |i: usize| (far_back[i] - far_ahead[i] + 8.0 * (ahead[i] - back[i])) / (12.0 * STEP);
        (0..back.len()).map(row).collect()
    }

    /// ∂C/∂(velocities) by differences, rows by 6 columns per body.
    fn difference_jacobian(&self) -> DMatrix<f64> {
        let columns = 6 * self.poses.len();
        let mut jacobian = DMatrix::zeros(self.rows().len(), columns);
        for column in 0..columns {
            let mut motion = vec![(Vector3::zeros(), Vector3::zeros()); self.poses.len()];
            let (linear, angular) = &mut motion[column / 6];
            let axis = column % 6;
            if axis < 3 {
                linear[axis] = 1.0;
            } else {
                angular[axis - 3] = 1.0;
            }
            let rates = DVector::from_vec(self.differences(&motion, true));
            jacobian.set_column(column, &rates);
        }
        jacobian
    }

    /// True if row `row` has no position error at all: a velocity drive.
    fn without_error(&self, kind: &ConstraintKind, row: usize, motion: &Motion) -> bool {
        kind.descriptor.force == ForceKind::Drive
            && [-1.0, 0.0, 1.0]
                .iter()
                .all(|t| self.moved(motion, *t, *t)[row] == 0.0)
    }
}

/// The Jacobian law: dC/dt = J v + ∂C/∂t along any motion (C.3), against differences of C.
///
/// Rows of drives that have no position error have nothing to compare with.
pub fn jacobian(kind: &ConstraintKind, seed: u64) -> Verdict {
    let mut example = Example::new(kind, seed);
    let motion = example.motion();
    let (rows, measured) = (example.rows(), example.differences(&motion, false));
    let mut compared = 0;
    for (row, entries) in rows.jacobian.chunks_exact(example.poses.len()).enumerate() {
        if example.without_error(kind, row, &motion) {
            continue;
        }
        compared += 1;
        let (mut expected, mut scale) = (rows.rate[row], rows.rate[row].abs());
        for (entry, (linear, angular)) in entries.iter().zip(&motion) {
            for (j, v) in entry.iter().zip(linear.iter().chain(angular.iter())) {
                expected += j * v;
                scale += (j * v).abs();
            }
        }
        let error = (measured[row] - expected).abs();
        require!(
            error <= DIFFERENCES * (scale + rows.error[row].abs()),
            "seed {seed}, row {row}: dC/dt = {} by differences, J v + rate = {expected}",
            measured[row]
        );
    }
    if compared == 0 {
        return Verdict::NotApplicable("a velocity drive has no position error".into());
    }
    Verdict::Holds
}

/// The no-work law: at fixed time, the force of a joint or a limit has no power on any motion that
/// keeps C (C.5).
///
/// The motions are found by differences of C alone: a random one is projected onto the null space
/// of the numerical Jacobian. A force along a wrong direction works on some of them.
pub fn no_work(kind: &ConstraintKind, seed: u64) -> Verdict {
    if kind.descriptor.force == ForceKind::Drive {
        return Verdict::NotApplicable("a drive may do work".into());
    }
    let mut example = Example::new(kind, seed);
    let rows = example.rows();
    let directions = orthonormal_rows(&example.difference_jacobian());
    let free = example.motion();
    let flat = free
        .iter()
        .flat_map(|(l, a)| [l.x, l.y, l.z, a.x, a.y, a.z]);
    let mut velocity = DVector::from_iterator(6 * free.len(), flat);
    let initial = velocity.norm();
    remove(&directions, &mut velocity);
    require!(
        velocity.norm() > 0.01 * initial,
        "seed {seed}: no motion keeps C"
    );
    let (mut power, mut scale) = (0.0, 0.0);
    for entries in rows.jacobian.chunks_exact(example.poses.len()) {
        let impulse = example.vector().x;
        for (j, v) in entries.iter().flatten().zip(velocity.iter()) {
            power += impulse * j * v;
            scale += (impulse * j * v).abs();
        }
    }
    require!(
        power.abs() <= DIFFERENCES * scale,
        "seed {seed}: a motion that keeps C takes the power {power:e} W of {scale:e} W"
    );
    Verdict::Holds
}

/// An orthonormal basis of the rows of a matrix, by Gram–Schmidt, each row twice.
fn orthonormal_rows(matrix: &DMatrix<f64>) -> Vec<DVector<f64>> {
    let mut basis = Vec::new();
    for row in matrix.row_iter() {
        let mut direction = row.transpose();
        let length = direction.norm();
        remove(&basis, &mut direction);
        let left = direction.norm();
        // differences carry a noise of 1e-12: what is left of a row that depends on the others is
        // less than this
        if left > 1e-9 * length {
            basis.push(direction / left);
        }
    }
    basis
}

/// Removes from a vector its parts along orthonormal directions; the second pass removes what
/// rounding left.
fn remove(directions: &[DVector<f64>], vector: &mut DVector<f64>) {
    for direction in directions.iter().chain(directions) {
        let along = direction.dot(vector);
        vector.axpy(-along, direction, 1.0);
    }
}

/// The third law: the forces of each row add up to zero force and zero torque on all its bodies
/// together (C.4).
pub fn third_law(kind: &ConstraintKind, seed: u64) -> Verdict {
    let example = Example::new(kind, seed);
    let origin = example.poses[0].position;
    let rows = example.rows();
    for (row, entries) in rows.jacobian.chunks_exact(example.poses.len()).enumerate() {
        let (mut force, mut torque) = (Vector3::zeros(), Vector3::zeros());
        let (mut forces, mut torques) = (0.0, 0.0);
        for (entry, pose) in entries.iter().zip(&example.poses) {
            let linear = Vector3::new(entry[0], entry[1], entry[2]);
            let angular = Vector3::new(entry[3], entry[4], entry[5]);
            let arm = pose.position - origin;
            force += linear;
            torque += angular + arm.cross(&linear);
            forces += linear.norm();
            torques += angular.norm() + arm.norm() * linear.norm();
        }
        // the row of a coordinate that is free: its error may not change either, which is the law
        // of differences
        if forces + torques == 0.0 {
            continue;
        }
        require!(
            force.norm() <= ROUNDING * forces && torque.norm() <= ROUNDING * torques,
            "seed {seed}: row {row} leaves the force {force:?} and the torque {torque:?}"
        );
    }
    Verdict::Holds
}

/// C does not change when all bodies move together as one rigid body, ten thousand kilometres far
/// (C.4): the third law for motions of any size, and the accuracy of positions far from the origin.
pub fn indifference(kind: &ConstraintKind, seed: u64) -> Verdict {
    let mut example = Example::new(kind, seed);
    let before = example.rows().error;
    let shift = 1e7 * example.vector();
    let turn = ExampleRng(&mut || example.source.random::<f64>()).rotation(3.0);
    for pose in &mut example.poses {
        let turned = turn * pose.position.to_vector();
        pose.position = Position::from(turned);
        pose.position += shift;
        pose.orientation = turn * pose.orientation;
    }
    let after = example.rows().error;
    for (row, (before, after)) in before.iter().zip(&after).enumerate() {
        // a dozen roundings at coordinates of a few metres; measured at most 2.2e-15
        require!(
            (after - before).abs() <= 2e-14 * (1.0 + before.abs()),
            "seed {seed}: C of row {row} changes from {before} to {after}"
        );
    }
    Verdict::Holds
}

/// The descriptor tells the truth, the example is valid, and it survives being written and read.
pub fn description(kind: &ConstraintKind, seed: u64) -> Verdict {
    let example = Example::new(kind, seed);
    let (constraint, rows) = (&example.constraint, example.rows());
    let descriptor = kind.descriptor;
    require!(
        constraint.descriptor() == descriptor,
        "seed {seed}: the example is of another kind"
    );
    require!(
        constraint.bodies().len() == example.poses.len(),
        "seed {seed}: not one pose per body"
    );
    let entries = descriptor.units.len() * example.poses.len();
    require!(
        rows.len() == descriptor.units.len()
            && rows.rate.len() == rows.len()
            && rows.jacobian.len() == entries,
        "seed {seed}: {} rows, {} rates and {} entries for {} units",
        rows.len(),
        rows.rate.len(),
        rows.jacobian.len(),
        descriptor.units.len()
    );
    let mut numbers = rows.error.iter().chain(&rows.rate);
    require!(
        numbers.all(|x| x.is_finite()) && rows.jacobian.iter().flatten().all(|x| x.is_finite()),
        "seed {seed}: a number is not finite"
    );
    let mut twice = rows.clone();
    constraint.evaluate(&example.poses, 0.0, &mut twice);
    require!(
        twice.error[..rows.len()] == rows.error && twice.error[rows.len()..] == rows.error,
        "seed {seed}: a second evaluation does not append the same rows"
    );
    if let Err(error) = world(constraint.clone(), &example.poses).build() {
        return Verdict::Violated(format!("seed {seed}: {error}"));
    }
    written_and_read(constraint, descriptor.id, seed)
}

fn written_and_read(constraint: &AnyConstraint, id: &str, seed: u64) -> Verdict {
    let text = match serde_json::to_string(constraint) {
        Ok(text) => text,
        Err(error) => return Verdict::Violated(format!("seed {seed}: {error}")),
    };
    require!(
        text.starts_with(&format!("{{\"{id}\":")),
        "a file does not name it by its id: {text}"
    );
    let read: Result<AnyConstraint, _> = serde_json::from_str(&text);
    require!(
        read.as_ref().is_ok_and(|read| read == constraint),
        "seed {seed}: {text} is read as {read:?}"
    );
    let odd = text.replacen("\":{", "\":{\"no-such-field\":0,", 1);
    require!(
        serde_json::from_str::<AnyConstraint>(&odd).is_err(),
        "a field that it does not know is accepted"
    );
    Verdict::Holds
}

/// A world of the example's bodies and nothing but the constraint.
fn world(constraint: AnyConstraint, poses: &[Pose]) -> WorldParts {
    let mut parts = WorldParts::default();
    for pose in poses {
        let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
        let body = Body::dynamic(inertia, pose.position.to_vector());
        parts.body(body.turned(pose.orientation));
    }
    parts.joint(Joint::new(constraint));
    parts
}
