//! The four contact points of two touching faces, and their rows.

use delassus_core::{ContactArms, ContactLaw, Friction, Law, Patch, ProblemBuilder, relative};
use nalgebra::Vector3;

use super::super::softness::diagonal;
use super::settings::{BoxBody, Settings};

/// A rectangle over which two boxes touch.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Manifold {
    /// The body below (or towards −axis) and the one above; the normal points from the first to the
    /// second.
    pub(super) bodies: [usize; 2],
    /// Axis of the normal: 0 x, 1 y, 2 z.
    pub(super) axis: usize,
    /// Centre of the rectangle \[m\].
    pub(super) center: Vector3<f64>,
    /// Half widths along the two tangents \[m\].
    pub(super) half: [f64; 2],
    /// First of its rows.
    pub(super) first_row: usize,
}

/// Corners of the rectangle in ring order, in half widths.
const CORNERS: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];

impl Manifold {
    /// Normal and tangents, right-handed.
    pub(super) fn frame(&self) -> [Vector3<f64>; 3] {
        let normal = Vector3::ith(self.axis, 1.0);
        let tangent = match self.axis {
            0 => Vector3::y(),
            1 => Vector3::x(),
            _ => Vector3::x(),
        };
        [normal, tangent, normal.cross(&tangent)]
    }

    /// The contact points, in ring order \[m\].
    pub(super) fn points(&self) -> [Vector3<f64>; 4] {
        let [_, t1, t2] = self.frame();
        CORNERS.map(|[a, b]| self.center + a * self.half[0] * t1 + b * self.half[1] * t2)
    }

    /// Adds the blocks of the manifold.
    pub(super) fn add_to(
        &self,
        builder: &mut ProblemBuilder,
        settings: &Settings,
        boxes: [&BoxBody; 2],
    ) {
        let frame = self.frame();
        match settings.boxes.law {
            ContactLaw::Patch => self.add_patch(builder, settings, boxes),
            _ => {
                let (friction, dim) = friction(settings, boxes);
                let law = Law::Contact(friction);
                if dim == frame.len() {
                    builder.axes(&frame);
                }
                for point in self.points() {
                    let arms = arms(point, boxes);
                    let rows = frame.map(|direction| relative(&direction, &arms));
                    let (bias, compliance) = normal_numbers(settings, &rows[0], boxes);
                    if dim == rows.len() {
                        builder.point(law.clone(), self.bodies, &arms);
                    } else {
                        builder.block(law.clone(), &self.bodies, &rows[..dim]);
                    }
                    builder.bias(&[bias, 0.0, 0.0][..dim]);
                    builder.compliance(&[compliance, 0.0, 0.0][..dim]);
                }
            }
        }
    }

    fn add_patch(&self, builder: &mut ProblemBuilder, settings: &Settings, boxes: [&BoxBody; 2]) {
        let [normal, t1, t2] = self.frame();
        let (mut rows, mut bias, mut compliance) = ([[[0.0; 6]; 2]; 7], [0.0; 7], [0.0; 7]);
        for (i, point) in self.points().into_iter().enumerate() {
            rows[i] = relative(&normal, &arms(point, boxes));
            (bias[i], compliance[i]) = normal_numbers(settings, &rows[i], boxes);
        }
        let centre = arms(self.center, boxes);
        rows[4] = relative(&t1, &centre);
        rows[5] = relative(&t2, &centre);
        let spin = [0.0, 0.0, 0.0, normal.x, normal.y, normal.z];
        rows[6] = [spin.map(|x| -x), spin];
        let patch = Patch {
            mu: settings.boxes.friction,
            levers: self.points().map(|p| (p - self.center).norm()).to_vec(),
        };
        builder.block(Law::Patch(Box::new(patch)), &self.bodies, &rows);
        builder.bias(&bias).compliance(&compliance);
    }
}

/// From the centres of mass to a point \[m\].
fn arms(point: Vector3<f64>, boxes: [&BoxBody; 2]) -> ContactArms {
    boxes.map(|body| point - body.center)
}

fn normal_numbers(settings: &Settings, row: &[[f64; 6]; 2], boxes: [&BoxBody; 2]) -> (f64, f64) {
    let a_ii = diagonal(row, &boxes.map(|body| &body.mass));
    let step = &settings.step;
    let (softness, dt) = (&step.softness, step.dt);
    let bias = softness.bias_of(settings.boxes.gap, step.recovery, dt);
    (bias, softness.compliance_of(a_ii, dt))
}

/// Law and rows of one contact point.
fn friction(settings: &Settings, boxes: [&BoxBody; 2]) -> (Friction, usize) {
    let (law, mu) = (settings.boxes.law, settings.boxes.friction);
    let limit = || {
        let movable = boxes.iter().filter(|body| !body.mass.is_immovable());
        let movable: Vec<f64> = movable.map(|body| 1.0 / body.mass.inverse_mass.x).collect();
        let mean = movable.iter().sum::<f64>() / movable.len() as f64;
        mu * mean * settings.boxes.gravity * settings.step.dt
    };
    let friction = law.friction(mu, limit);
    let rows = if law == ContactLaw::Frictionless {
        1
    } else {
        3
    };
    (friction, rows)
}
