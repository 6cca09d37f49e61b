//! The four contact points of two touching faces, and their rows.

use delassus_core::{Friction, Law, Patch, ProblemBuilder};
use nalgebra::Vector3;

use super::super::softness::diagonal;
use super::{BoxBody, BoxSettings, ContactLaw};

/// A rectangle over which two boxes touch.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Manifold {
    /// The body below (or towards −axis) and the one above; the normal points from the first to the second.
    pub(crate) bodies: [usize; 2],
    /// Axis of the normal: 0 x, 1 y, 2 z.
    pub(crate) axis: usize,
    /// Centre of the rectangle \[m\].
    pub(crate) center: Vector3<f64>,
    /// Half widths along the two tangents \[m\].
    pub(crate) half: [f64; 2],
    /// First of its rows.
    pub(crate) first_row: usize,
}

/// Corners of the rectangle in ring order, in half widths.
const CORNERS: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];

impl Manifold {
    /// Normal and tangents, right-handed.
    pub(crate) fn frame(&self) -> [Vector3<f64>; 3] {
        let normal = Vector3::ith(self.axis, 1.0);
        let tangent = match self.axis {
            0 => Vector3::y(),
            1 => Vector3::x(),
            _ => Vector3::x(),
        };
        [normal, tangent, normal.cross(&tangent)]
    }

    /// The contact points, in ring order \[m\].
    pub(crate) fn points(&self) -> [Vector3<f64>; 4] {
        let [_, t1, t2] = self.frame();
        CORNERS.map(|[a, b]| self.center + a * self.half[0] * t1 + b * self.half[1] * t2)
    }

    /// Adds the blocks of the manifold.
    pub(crate) fn add_to(
        &self,
        builder: &mut ProblemBuilder,
        settings: &BoxSettings,
        boxes: [&BoxBody; 2],
    ) {
        let frame = self.frame();
        match settings.law {
            ContactLaw::Patch => self.add_patch(builder, settings, boxes),
            law => {
                let (friction, dim) = friction(law, settings, boxes);
                for point in self.points() {
                    let mut rows = [[[0.0; 6]; 2]; 3];
                    for (row, direction) in rows.iter_mut().zip(&frame) {
                        *row = point_row(*direction, point, boxes);
                    }
                    let (bias, compliance) = normal_numbers(settings, &rows[0], boxes);
                    builder.block(Law::Contact(friction), &self.bodies, &rows[..dim]);
                    builder.bias(&[bias, 0.0, 0.0][..dim]);
                    builder.compliance(&[compliance, 0.0, 0.0][..dim]);
                }
            }
        }
    }

    fn add_patch(
        &self,
        builder: &mut ProblemBuilder,
        settings: &BoxSettings,
        boxes: [&BoxBody; 2],
    ) {
        let [normal, t1, t2] = self.frame();
        let (mut rows, mut bias, mut compliance) = ([[[0.0; 6]; 2]; 7], [0.0; 7], [0.0; 7]);
        for (i, point) in self.points().into_iter().enumerate() {
            rows[i] = point_row(normal, point, boxes);
            (bias[i], compliance[i]) = normal_numbers(settings, &rows[i], boxes);
        }
        rows[4] = point_row(t1, self.center, boxes);
        rows[5] = point_row(t2, self.center, boxes);
        let spin = [0.0, 0.0, 0.0, normal.x, normal.y, normal.z];
        rows[6] = [spin.map(|x| -x), spin];
        let patch = Patch {
            mu: settings.friction,
            levers: self.points().map(|p| (p - self.center).norm()).to_vec(),
        };
        builder.block(Law::Patch(Box::new(patch)), &self.bodies, &rows);
        builder.bias(&bias).compliance(&compliance);
    }
}

/// Row of the relative velocity of `point` along `direction`, second body minus first (E.1).
fn point_row(direction: Vector3<f64>, point: Vector3<f64>, boxes: [&BoxBody; 2]) -> [[f64; 6]; 2] {
    let [a, b] = boxes.map(|body| {
        let angular = (point - body.center).cross(&direction);
        [
            direction.x,
            direction.y,
            direction.z,
            angular.x,
            angular.y,
            angular.z,
        ]
    });
    [a.map(|x| -x), b]
}

fn normal_numbers(settings: &BoxSettings, row: &[[f64; 6]; 2], boxes: [&BoxBody; 2]) -> (f64, f64) {
    let a_ii = diagonal(row, &boxes.map(|body| &body.mass));
    let (softness, dt) = (&settings.softness, settings.step.dt);
    (
        softness.bias_of(settings.gap, settings.recovery, dt),
        softness.compliance_of(a_ii, dt),
    )
}

fn friction(law: ContactLaw, settings: &BoxSettings, boxes: [&BoxBody; 2]) -> (Friction, usize) {
    let mu = settings.friction;
    match law {
        ContactLaw::Frictionless => (Friction::Frictionless, 1),
        ContactLaw::FixedBox => {
            let movable: Vec<f64> = boxes
                .iter()
                .filter(|body| !body.mass.is_immovable())
                .map(|body| 1.0 / body.mass.inverse_mass.x)
                .collect();
            let mean = movable.iter().sum::<f64>() / movable.len() as f64;
            let limit = mu * mean * settings.step.gravity * settings.step.dt;
            (Friction::FixedBox { limit }, 3)
        }
        ContactLaw::Pyramid => (Friction::Pyramid { mu }, 3),
        ContactLaw::Disc => (Friction::Disc { mu }, 3),
        ContactLaw::ConvexCone => (Friction::ConvexCone { mu }, 3),
        // patches have no point friction and are added elsewhere
        ContactLaw::Coulomb | ContactLaw::Patch => (Friction::Coulomb { mu }, 3),
    }
}
