//! What a substep has done so far: multipliers of joints and contacts, the motion of the bodies.

use nalgebra::Vector3;

use crate::constraint::Rows;
use crate::contact::{ContactFrame, ContactPlace, Manifold, PointIndex};
use crate::motion::{Motion, outside};
use crate::slips::Slips;
use crate::spatial::split_spatial;
use crate::world::{Momentum, World};

/// What a contact point has done in a substep.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct PointImpulses {
    /// Multiplier of the normal, ≥ 0 \[kg·m\].
    pub(super) normal: f64,
    /// Multipliers of the friction, world axes \[kg·m\].
    pub(super) friction: Vector3<f64>,
    /// Separation at the start of the substep, of soft contacts \[m\].
    pub(super) start: f64,
    /// Slip since the point began to stick, up to the start of the substep, in the axes of its
    /// first body \[m\] (X.14).
    pub(super) slip: Vector3<f64>,
    /// True if friction went beyond the cone.
    pub(super) slides: bool,
}

impl PointImpulses {
    /// The points of a manifold at the start of a substep.
    fn begin(
        world: &World,
        manifold: &Manifold,
        slips: &mut impl Iterator<Item = Vector3<f64>>,
        frame: &mut ContactFrame,
        points: &mut Vec<Self>,
    ) {
        points.clear();
        points.extend(slips.take(manifold.points.len()).map(|slip| Self {
            slip,
            ..Self::default()
        }));
        if !manifold.softness.is_rigid() {
            world.contact_frame(manifold, ContactPlace::Middle, frame);
            for (point, separation) in points.iter_mut().zip(&frame.separations) {
                point.start = *separation;
            }
        }
    }
}

/// What a substep has done so far. Lists per joint and manifold may be longer than the world's:
/// memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Substep {
    /// Its length \[s\].
    pub(super) h: f64,
    pub(super) motion: Motion,
    /// Joint errors at its start \[m | rad\].
    pub(super) starts: Vec<Vec<f64>>,
    /// Joint multipliers \[kg·m | kg·m²\].
    pub(super) joints: Vec<Vec<f64>>,
    /// Contact multipliers, per manifold and point.
    pub(super) points: Vec<Vec<PointImpulses>>,
    /// Momentum that constraints took from outside.
    pub(super) external: Momentum,
    /// Per body: the angular impulse of its multipliers \[N·m·s\].
    pub(super) pushed: Vec<Vector3<f64>>,
    /// The manifold at hand.
    pub(super) frame: ContactFrame,
    /// Memory for the rows of a joint.
    rows: Rows,
}

impl Substep {
    pub(super) fn begin(&mut self, world: &World, h: f64, slips: &Slips) {
        (self.h, self.external) = (h, Momentum::default());
        self.motion.begin(world);
        self.pushed.clear();
        self.pushed.resize(world.bodies.len(), Vector3::zeros());
        let joints = world.joints.len();
        self.starts.resize_with(joints, Vec::new);
        self.joints.resize_with(joints, Vec::new);
        for (joint, start) in self.starts.iter_mut().enumerate() {
            world.evaluate_joint(joint, &mut self.rows);
            start.clear();
            start.extend_from_slice(&self.rows.error);
            self.joints[joint].clear();
            self.joints[joint].resize(start.len(), 0.0);
        }
        let manifolds = world.manifolds.len().max(self.points.len());
        self.points.resize_with(manifolds, Vec::new);
        let mut slips = slips.iter();
        for (manifold, points) in world.manifolds.iter().zip(&mut self.points) {
            PointImpulses::begin(world, manifold, &mut slips, &mut self.frame, points);
        }
    }

    /// Moves bodies by M⁻¹ times their multipliers \[kg·m | kg·m²\] (X.3).
    pub(super) fn push(&mut self, world: &mut World, bodies: &[usize], wrenches: &[[f64; 6]]) {
        for (body, wrench) in bodies.iter().zip(wrenches) {
            let target = &world.bodies[*body];
            let impulse = wrench.map(|x| x / self.h);
            outside(target, &impulse, &mut self.external);
            self.pushed[*body] += split_spatial(&impulse)[1];
            if target.is_dynamic() {
                let moved = target.mass_properties().apply_inverse(wrench);
                let [displacement, turn] = split_spatial(&moved);
                self.motion.shift(world, *body, displacement, &turn);
            }
        }
    }

    /// Changes velocities by M⁻¹Jᵀ times an impulse \[N·s\].
    pub(super) fn strike(
        &mut self,
        world: &mut World,
        bodies: &[usize],
        rows: &[[f64; 6]],
        impulse: f64,
    ) {
        for (body, row) in bodies.iter().zip(rows) {
            let wrench = row.map(|x| x * impulse);
            let target = &mut world.bodies[*body];
            outside(target, &wrench, &mut self.external);
            if target.is_dynamic() {
                let [velocity, spin] =
                    split_spatial(&target.mass_properties().apply_inverse(&wrench));
                target.velocity += velocity;
                target.spin += spin;
            }
        }
    }

    /// Stores the impulses λ/h (X.5).
    pub(super) fn store(&mut self, world: &mut World) {
        for (joint, multipliers) in world.joints.iter_mut().zip(&self.joints) {
            joint.impulses.clear();
            joint
                .impulses
                .extend(multipliers.iter().map(|x| x / self.h));
        }
        for index in 0..world.manifolds.len() {
            let (manifold, frame) = (&world.manifolds[index], &mut self.frame);
            world.contact_frame(manifold, ContactPlace::Surface, frame);
            let [t1, t2] = self.frame.tangents;
            let split = |p: &PointImpulses| [p.normal, p.friction.dot(&t1), p.friction.dot(&t2)];
            let points = self.points[index].iter();
            world.manifolds[index].impulse_tangents = [t1, t2];
            let impulses = &mut world.manifolds[index].impulses;
            impulses.clear();
            impulses.extend(points.flat_map(split).map(|x| x / self.h));
        }
        world.impulse_step = self.h;
    }

    /// The impulses of a point.
    pub(super) fn point(&mut self, at: PointIndex) -> &mut PointImpulses {
        &mut self.points[at.manifold][at.point]
    }
}
