//! Manifolds while the solver integrates a frame: separations from the motion of the bodies, and
//! the normal rows that follow (T.33, T.34).
//!
//! During a frame, `bias` of a point is its separation, `softness` the offset of its anchor, and
//! the mass of the normal is 1/A_nn. All other numbers are as they were packed.

use delassus_core::FrameSetup;

use super::Manifolds;
use super::kernel::{VisitedRows, finish, solve};
use super::layout::{FramePoint, ManifoldBundle};
use super::normal_bias::NormalBias;
use super::normals_kernel;
use crate::batch::BodiesOfThread;
use crate::bundle::{Interleaved, filled};
use crate::frame::HalfStepVisit;
use crate::lanes::Lanes;
use crate::prefetch;
use crate::vector::{Axes, Vector, add, dot, load, scale, turning};
use crate::velocities::{Velocities, single};

impl<V: Lanes<N>, const N: usize, const P: usize> Manifolds<V, N, P> {
    /// Takes over the separations of a frame.
    pub(super) fn begin(&mut self, frame: &FrameSetup<'_>) {
        if self.frame_points.len() != self.bundles.len() {
            self.frame_points.clear();
            self.frame_points
                .resize(self.bundles.len(), [FramePoint::ZERO; P]);
        }
        let bundles = self.bundles.iter_mut().zip(&mut self.frame_points);
        for ((bundle, frame_points), (lanes, diagonals)) in
            bundles.zip(self.seats.lanes().iter().zip(&self.diagonals))
        {
            for (lane, first) in filled(lanes) {
                let first = first - frame.joints.len();
                let blocks = first..first + P;
                let numbers = frame.separations[blocks.clone()].iter();
                let numbers = numbers.zip(&frame.anchor_offsets[blocks]);
                for (local, (separation, offset)) in numbers.enumerate() {
                    let point = &mut bundle.points[local];
                    point.bias[lane] = single(*separation);
                    point.softness[lane] = single(*offset);
                    point.mass[0][lane] = 1.0 / diagonals[local][lane];
                    frame_points[local].start[lane] = point.bias[lane];
                }
            }
            for point in frame_points {
                point.sum = [[0.0; N]; 3];
            }
        }
    }

    /// One visit of every bundle.
    #[inline(always)]
    pub(super) fn visit_all_in_half_step(
        &mut self,
        bodies: &mut BodiesOfThread<'_>,
        visit: &HalfStepVisit,
    ) {
        let token = self.token;
        let motions = bodies.motions.lent();
        let mut velocities = bodies.velocities.lent();
        for (bundle, frame_points) in self.bundles.iter_mut().zip(&mut self.frame_points) {
            prefetch::next::<ManifoldBundle<N, P>, _>(velocities.far, &bundle.head.bodies[0]);
            prefetch::next::<[FramePoint<N>; P], _>(velocities.far, &frame_points[0].start);
            let bias = NormalBias::<V>::new(token, visit, &bundle.head);
            if visit.bodies_moved {
                separate::<V, N, P>(token, &motions, bundle, frame_points);
            }
            if visit.normals_only {
                normals_kernel::solve::<V, N, P>(
                    token,
                    &mut velocities,
                    bundle,
                    #[inline(always)]
                    |point, velocity, old| bias.normal(token, point, velocity, old),
                );
            } else {
                let before = velocities.gather(token, &bundle.head.bodies);
                let axes = Axes::<V>::load(token, &bundle.head.normal, &bundle.head.tangent);
                let ManifoldBundle { head, points } = bundle;
                let rows = VisitedRows::Frame(bias);
                let change = solve(token, head, points, rows, axes, &before);
                finish(token, &mut velocities, &bundle.head, axes, before, &change);
            }
            if visit.ends_substep {
                for (frame_point, point) in frame_points.iter_mut().zip(&bundle.points) {
                    let sum = &mut frame_point.sum;
                    for axis in 0..3 {
                        let more = V::load(token, &point.impulse[axis]);
                        (V::load(token, &sum[axis]) + more).store(&mut sum[axis]);
                    }
                }
            }
        }
    }

    /// Copies the sums of impulses out.
    pub(super) fn sum_impulses(&self, out: &mut [f64]) {
        let lanes = self.seats.lanes().iter().zip(&self.rows);
        for (frame_points, (lanes, rows)) in self.frame_points.iter().zip(lanes) {
            for (lane, _) in filled(lanes) {
                let first = rows[lane] as usize;
                let rows = out[first..first + 3 * P].as_chunks_mut::<3>().0;
                for (out, point) in rows.iter_mut().zip(frame_points) {
                    *out = [0, 1, 2].map(|axis| f64::from(point.sum[axis][lane]));
                }
            }
        }
    }
}

/// The separations of a manifold from the motion of its bodies (T.33), in its axes.
#[inline(always)]
fn separate<V: Lanes<N>, const N: usize, const P: usize>(
    token: V::Token,
    motions: &Velocities<'_>,
    bundle: &mut ManifoldBundle<N, P>,
    frame_points: &[FramePoint<N>; P],
) {
    let head = &bundle.head;
    let axes = Axes::<V>::load(token, &head.normal, &head.tangent);
    let between = load(token, &head.between);
    let [a, b] = motions.gather::<V, N>(token, &head.bodies);
    let apart = axes.into_local([b[0] - a[0], b[1] - a[1], b[2] - a[2]]);
    let turn_a = axes.into_local([a[3], a[4], a[5]]);
    let turn_b = axes.into_local([b[3], b[4], b[5]]);
    let one = V::splat(token, 1.0);
    let zero = V::splat(token, 0.0);
    // (R_A − 1) n, and with it R_A n
    let tilt = turning(token, turn_a, [one, zero, zero]);
    let normal = [one + tilt[0], tilt[1], tilt[2]];
    let back = scale(turn_b, -one);
    let slope = add(tilt, turning(token, back, normal));
    let base = dot(tilt, between) + dot(normal, apart);
    for (point, frame_point) in bundle.points.iter_mut().zip(frame_points) {
        let arm: Vector<V> = load(token, &point.arm);
        let offset = V::load(token, &point.softness);
        let change = base + (dot(slope, arm) + slope[0] * offset);
        (V::load(token, &frame_point.start) + change).store(&mut point.bias);
    }
}
