//! What the impulses of the rows do to the bodies, from the geometry of the contacts.
//!
//! The three rows of a contact point take 288 bytes of Jacobian, its arm takes 24; all else is
//! shared by the manifold, so the sums of (T.19) replace the product with Jᵀ, up to rounding in
//! another order. Rows of anything else take their Jacobians.

use std::ops::Range;

use delassus_core::{JointImpulse, Problem};
use nalgebra::{Matrix3, Vector3};

use super::manifold::ManifoldRows;
use crate::contact::ContactFrame;

/// Where impulses act.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Wrenches {
    manifolds: Vec<Acting>,
    /// Per point: arm of B in the axes of the manifold \[m\].
    arms: Vec<Vector3<f64>>,
    /// Blocks that are not such points.
    others: Vec<Range<usize>>,
    /// Blocks so far \[-\].
    blocks: usize,
}

/// Consecutive points of one manifold.
#[derive(Debug, Clone, PartialEq)]
struct Acting {
    index: usize,
    bodies: [usize; 2],
    /// Normal and tangents as columns.
    axes: Matrix3<f64>,
    /// From the centre of mass of A to that of B, in the axes \[m\].
    between: Vector3<f64>,
    rows: Range<usize>,
}

impl Wrenches {
    /// Takes all blocks out; the memory stays.
    pub(super) fn clear(&mut self) {
        self.manifolds.clear();
        self.arms.clear();
        self.others.clear();
        self.blocks = 0;
    }

    /// Number of blocks so far \[-\].
    pub(super) fn blocks(&self) -> usize {
        self.blocks
    }

    /// Adds a block that is no contact point of three rows.
    pub(super) fn block(&mut self) {
        match self.others.last_mut() {
            Some(last) if last.end == self.blocks => last.end += 1,
            _ => self.others.push(self.blocks..self.blocks + 1),
        }
        self.blocks += 1;
    }

    /// Adds the block of a contact point: normal and both tangents, from row `row` on.
    pub(super) fn point(&mut self, row: usize, part: &ManifoldRows<'_>, point: usize) {
        self.blocks += 1;
        let index = part.index;
        let axes = axes(part.frame);
        let arms = &part.frame.arms[point];
        self.arms.push(axes.tr_mul(&arms[1]));
        match self.manifolds.last_mut() {
            Some(last) if last.index == index && last.rows.end == row => last.rows.end = row + 3,
            _ => self.manifolds.push(Acting {
                index,
                bodies: part.manifold.bodies,
                axes,
                between: between(&axes, arms),
                rows: row..row + 3,
            }),
        }
    }

    /// Number of manifolds \[-\], if there is nothing but contact points of three rows after so
    /// many other blocks.
    pub(super) fn manifolds_after(&self, others: usize) -> Option<usize> {
        let fits = match self.others.as_slice() {
            [] => others == 0,
            [only] => *only == (0..others),
            _ => false,
        };
        fits.then_some(self.manifolds.len())
    }

    /// Gives the manifold in place `place`, whose points begin with `first`, the geometry of
    /// another instant.
    pub(super) fn renew(
        &mut self,
        [place, first]: [usize; 2],
        frame: &ContactFrame,
        near: &[usize],
    ) {
        let axes = axes(frame);
        let acting = &mut self.manifolds[place];
        acting.axes = axes;
        if let Some(point) = near.first() {
            acting.between = between(&axes, &frame.arms[*point]);
        }
        for (arm, point) in self.arms[first..].iter_mut().zip(near) {
            *arm = axes.tr_mul(&frame.arms[*point][1]);
        }
    }

    /// Jᵀλ and v⁺ = v_f + M⁻¹Jᵀλ, 6 per body \[N·s, N·m·s\], \[m/s, rad/s\] (P.1); `joints` is what
    /// the first blocks did, where that is not Jᵀλ (T.60).
    pub(super) fn velocities(
        &self,
        problem: &Problem,
        impulses: &[f64],
        joints: &[JointImpulse],
        wrenches: &mut [f64],
        out: &mut [f64],
    ) {
        let Some(bodies) = problem.bodies() else {
            return;
        };
        wrenches.fill(0.0);
        for (block, joint) in joints.iter().enumerate() {
            let touched = bodies.bodies_of(block).iter().enumerate();
            for (side, body) in touched {
                let wrench = &mut wrenches[6 * *body as usize..][..6];
                for (sum, share) in wrench.iter_mut().zip(joint.on(side)) {
                    *sum += share;
                }
            }
        }
        for blocks in &self.others {
            let blocks = blocks.start.max(joints.len())..blocks.end;
            if !blocks.is_empty() {
                bodies.add_transposed_of(problem.blocks(), blocks, impulses, wrenches);
            }
        }
        self.add(impulses, wrenches.as_chunks_mut::<6>().0);
        out.copy_from_slice(wrenches);
        bodies.apply_inverse_mass(out);
        for (v, free) in out.iter_mut().zip(&bodies.free_velocity) {
            *v += free;
        }
    }

    /// Adds the impulses on the bodies (T.19).
    fn add(&self, impulses: &[f64], out: &mut [[f64; 6]]) {
        let mut arms = self.arms.iter();
        for acting in &self.manifolds {
            let points = impulses[acting.rows.clone()].as_chunks::<3>().0;
            let (mut force, mut torque) = (Vector3::zeros(), Vector3::zeros());
            for (impulse, arm) in points.iter().zip(&mut arms) {
                let impulse = Vector3::from(*impulse);
                force += impulse;
                torque += arm.cross(&impulse);
            }
            let other = torque + acting.between.cross(&force);
            let [force, torque, other] = [force, torque, other].map(|local| acting.axes * local);
            let [a, b] = acting.bodies;
            for axis in 0..3 {
                out[a][axis] -= force[axis];
                out[a][axis + 3] -= other[axis];
                out[b][axis] += force[axis];
                out[b][axis + 3] += torque[axis];
            }
        }
    }
}

/// Normal and tangents as columns.
fn axes(frame: &ContactFrame) -> Matrix3<f64> {
    Matrix3::from_columns(&frame.axes())
}

/// From the centre of mass of A to that of B, in the axes \[m\].
fn between(axes: &Matrix3<f64>, [a, b]: &[Vector3<f64>; 2]) -> Vector3<f64> {
    axes.tr_mul(&(a - b))
}

#[cfg(test)]
mod tests {
    use super::super::Assembly;
    use super::*;
    use crate::Inertia;
    use crate::body::Body;
    use crate::contact::{ContactPoint, Manifold};
    use crate::rotation;
    use crate::world::{World, WorldParts};
    use delassus_core::ContactLaw;

    /// Three turned bodies, one with a locked axis, and manifolds of four laws between them.
    fn world() -> World {
        let mut parts = WorldParts::default();
        for at in [0.0, 1.0, 2.0] {
            let inertia = Inertia::new(1.0 + at, Vector3::new(0.2, 0.3, 0.4));
            let mut body = Body::dynamic(inertia, Vector3::new(0.1 * at, at, -0.2 * at));
            body.orientation = rotation::exp(&Vector3::new(0.3 * at, -0.2, 0.1 * at));
            body.lock_translation[0] = at == 2.0;
            parts.body(body);
        }
        let point = |x: f64, z: f64| ContactPoint {
            anchors: [Vector3::new(x, 0.5, z), Vector3::new(x, -0.5, z)],
            radii: [0.01, 0.02],
        };
        let laws = [
            ContactLaw::Disc,
            ContactLaw::Frictionless,
            ContactLaw::Patch,
            ContactLaw::Pyramid,
        ];
        for law in laws {
            for bodies in [[0, 1], [1, 2]] {
                let points = vec![point(0.5, 0.4), point(-0.5, 0.3), point(0.0, -0.6)];
                let normal = Vector3::new(0.36, 0.8, -0.48);
                let manifold = Manifold::new(bodies, normal, points, 0.5, law);
                parts.manifolds.push(manifold);
            }
        }
        parts.build().expect("a valid world")
    }

    #[test]
    fn velocities_are_those_of_the_jacobians() {
        let assembly =
            Assembly::new(&world(), &[0.25; 18], 0.01, Default::default(), None).expect("rows");
        let rows = assembly.problem.rows();
        assert_eq!(rows, 2 * (9 + 3 + 6 + 9));
        assert_eq!(assembly.wrenches.arms.len(), 12, "disc and pyramid");
        let impulses: Vec<f64> = (0..rows).map(|row| (row % 7) as f64 - 2.5).collect();
        let (mut found, mut expected) = ([0.0; 18], [0.0; 18]);
        assembly.body_velocities(&impulses, &[], &mut [0.0; 18], &mut found);
        let problem = &assembly.problem;
        problem
            .body_velocities(&impulses, &mut expected)
            .expect("bodies");
        let scale = expected.iter().fold(0.0, |max: f64, v| max.max(v.abs()));
        for (found, expected) in found.iter().zip(&expected) {
            assert!(
                (found - expected).abs() <= 1e-14 * scale,
                "{found} {expected}"
            );
        }
    }
}
