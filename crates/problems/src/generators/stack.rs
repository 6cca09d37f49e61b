//! One box on another.

use delassus_core::{ParameterError, Parameters, ProblemError};

use super::boxes::{BoxScene, BoxSettings, ContactLaw, GROUND, normal_row};
use super::limit::row_limit;
use super::{Generated, Generator, GeneratorDescriptor, Size};
use crate::named::Reference;

/// A stack of n boxes on the ground: n manifolds, 4 n points. One box and a tilt make an incline.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct Stack {
    /// Number of boxes.
    #[parameter(default = 10, unit = "-", range = ">= 1")]
    pub n: usize,
    /// What all boxes have in common.
    #[parameter(flatten)]
    pub boxes: BoxSettings,
}

impl Stack {
    fn check(&self) -> Result<(), ParameterError> {
        let rows = self.n.checked_mul(self.boxes.rows_per_manifold());
        row_limit("n", self.n, rows)
    }
}

impl Generator for Stack {
    const DESCRIPTOR: GeneratorDescriptor = GeneratorDescriptor {
        id: "stack",
        summary: "n boxes on top of each other on the ground; one box with a tilt is a box on an incline",
        reference: "at rest, rigid or soft; and one rigid box that sticks or slides on an incline without tipping",
    };

    fn size(&self) -> Size {
        self.boxes.size(self.n, self.n)
    }

    fn build(&self) -> Result<Generated, ProblemError> {
        let mut scene = BoxScene::new(self.boxes, self.n, 1);
        let mut below = GROUND;
        for layer in 0..self.n {
            let body = scene.place(0.0, layer, 0.0);
            scene.stand(body, below, [self.boxes.size, self.boxes.size]);
            below = body;
        }
        if self.boxes.is_at_rest() {
            return scene.finish();
        }
        let problem = scene.freeze()?;
        let reference =
            if self.boxes.tilt == 0.0 && self.boxes.speed == 0.0 && self.boxes.gap == 0.0 {
                soft_rest(self, problem.compliance())
            } else {
                single_box(self)
            };
        Ok(Generated { problem, reference })
    }
}

/// Impulses of a soft stack (E.6): the sums P of each manifold solve a tridiagonal system.
fn soft_rest(stack: &Stack, compliance: &[f64]) -> Option<Reference> {
    let settings = &stack.boxes;
    let stride = settings.rows_per_manifold();
    let scene_mass = |layer: usize| settings.mass_of(layer, stack.n);
    let g = stack.boxes.step.gravity * stack.boxes.step.dt;
    // v_i = -free_i + (P_i - P_{i+1})/m_i and v_i - v_{i-1} + R_i P_i/4 = 0
    let (mut diagonal, mut right) = (Vec::new(), Vec::new());
    let mut previous_free = 0.0;
    for i in 0..stack.n {
        let mass = scene_mass(i);
        let load = if i + 1 == stack.n {
            stack.boxes.load
        } else {
            0.0
        };
        let free = g + load * stack.boxes.step.dt / mass;
        let below = if i > 0 { 1.0 / scene_mass(i - 1) } else { 0.0 };
        diagonal.push(1.0 / mass + below + 0.25 * compliance[i * stride]);
        right.push(free - previous_free);
        previous_free = free;
    }
    for i in 1..stack.n {
        let coupling = -1.0 / scene_mass(i - 1);
        let factor = coupling / diagonal[i - 1];
        diagonal[i] -= factor * coupling;
        right[i] -= factor * right[i - 1];
    }
    let mut sums = vec![0.0; stack.n];
    for i in (0..stack.n).rev() {
        let above = sums.get(i + 1).copied().unwrap_or_default();
        sums[i] = (right[i] + above / scene_mass(i)) / diagonal[i];
    }
    if sums.iter().any(|sum| *sum < 0.0) {
        return None;
    }
    let mut impulses = vec![0.0; stack.n * stride];
    for (i, sum) in sums.iter().enumerate() {
        for point in 0..4 {
            impulses[i * stride + normal_row(stack.boxes.law, point)] = 0.25 * sum;
        }
    }
    Some(Reference {
        impulses,
        provenance: "closed form: tridiagonal system of a soft stack".to_owned(),
        residual: None,
    })
}

/// Impulses of one rigid box that sticks or slides (E.7); `None` where that has no closed form.
fn single_box(stack: &Stack) -> Option<Reference> {
    let isotropic = match stack.boxes.law {
        ContactLaw::Frictionless => 0.0,
        ContactLaw::Pyramid | ContactLaw::Disc | ContactLaw::Coulomb | ContactLaw::Patch => {
            stack.boxes.friction
        }
        ContactLaw::FixedBox | ContactLaw::ConvexCone => return None,
    };
    let rigid = stack.boxes.softness.is_rigid();
    if stack.n != 1 || !rigid || stack.boxes.gap != 0.0 {
        return None;
    }
    let (sin, cos) = libm::sincos(stack.boxes.tilt);
    let slide = stack.boxes.speed + stack.boxes.step.gravity * stack.boxes.step.dt * sin;
    let normal = stack.boxes.mass * stack.boxes.step.gravity * stack.boxes.step.dt * cos
        + stack.boxes.load * stack.boxes.step.dt;
    // what stops the box, or as much of it as friction gives
    let friction = (stack.boxes.mass * slide).clamp(-isotropic * normal, isotropic * normal);
    // friction at the base is balanced by a shift of the normal impulse by half a height; beyond, the box tips
    if normal < 0.0 || friction.abs() > normal {
        return None;
    }
    let stride = stack.boxes.rows_per_manifold();
    let mut impulses = vec![0.0; stride];
    for (point, side) in [-1.0, 1.0, 1.0, -1.0].into_iter().enumerate() {
        let share = 0.25 * (normal + side * friction);
        let row = normal_row(stack.boxes.law, point);
        impulses[row] = share;
        if stride == 12 {
            // along t1 = +x, against the motion; the points share it like the normal impulse
            impulses[row + 1] = if normal > 0.0 {
                -friction * share / normal
            } else {
                0.0
            };
        }
    }
    if stack.boxes.law == ContactLaw::Patch {
        impulses[4] = -friction;
    }
    Some(Reference {
        impulses,
        provenance: "closed form: one box sticking or sliding on an incline".to_owned(),
        residual: None,
    })
}
