//! What the contacts of a world do at one instant: places at the present poses, impulses of the
//! last substep.

use delassus_dynamics::{Body, ContactFrame, ContactLaw, Manifold, World};
use nalgebra::Vector3;

use super::measure::{Spread, real};
use delassus_records::observable::Quantity;
use delassus_records::record::Depths;

/// Numbers of all contacts, from one pass over the manifolds.
#[derive(Debug, Clone, Default)]
pub(super) struct Contacts {
    manifolds: usize,
    pushing: usize,
    /// Of every point, in ascending order \[m\].
    overlaps: Vec<f64>,
    overlap: Spread,
    /// Sum of their squares \[m²\].
    overlap_squares: f64,
    /// Gaps of the points that push \[m\].
    gap: Spread,
    /// Of the points that push \[m/s\].
    slip: Spread,
    /// Of the manifolds that push \[rad/s\].
    rolling: Spread,
    spinning: Spread,
    /// \[-\].
    cone_use: Spread,
    /// What the first body of a pair does to the second.
    pairs: Vec<([usize; 2], Wrench)>,
}

/// Force \[N\], and torque about the centre of mass \[N·m\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Wrench {
    force: Vector3<f64>,
    torque: Vector3<f64>,
}

impl Wrench {
    fn add(&mut self, force: Vector3<f64>, arm: &Vector3<f64>) {
        self.force += force;
        self.torque += arm.cross(&force);
    }
}

impl Contacts {
    /// Reads the contacts of a world; `pairs` are those whose forces are asked for.
    pub(super) fn new(world: &World, pairs: &[[usize; 2]]) -> Self {
        let mut contacts = Self {
            pairs: pairs.iter().map(|p| (*p, Wrench::default())).collect(),
            ..Self::default()
        };
        for manifold in world.manifolds() {
            contacts.manifold(world, manifold);
        }
        contacts.overlaps.sort_by(f64::total_cmp);
        contacts
    }

    fn manifold(&mut self, world: &World, manifold: &Manifold) {
        let [a, b] = manifold.bodies.map(|body| &world.bodies()[body]);
        let frame = manifold.frame([a.pose(), b.pose()]);
        let surface = surface_velocity(world, manifold);
        let before = self.pushing;
        self.manifolds += 1;
        for (point, separation) in frame.separations.iter().enumerate() {
            let overlap = (-separation).max(0.0);
            self.overlaps.push(overlap);
            self.overlap.add(overlap);
            self.overlap_squares += overlap * overlap;
            if normal_impulse(manifold, point) > 0.0 {
                self.pushing += 1;
                self.gap.add(separation.max(0.0));
                let slip = velocity([a, b], &frame.arms[point]) + surface;
                self.slip.add(tangential(&slip, &frame.normal).norm());
            }
        }
        if self.pushing > before {
            let spin = b.spin - a.spin;
            self.rolling.add(tangential(&spin, &frame.normal).norm());
            self.spinning.add(spin.dot(&frame.normal).abs());
            self.friction(manifold);
        }
        let asked = |pair: [usize; 2]| {
            let [first, second] = manifold.bodies;
            pair == [first, second] || pair == [second, first]
        };
        for (pair, sum) in self.pairs.iter_mut().filter(|(pair, _)| asked(*pair)) {
            let side = usize::from(pair[1] == manifold.bodies[1]);
            let wrench = wrench(manifold, &frame, side);
            // there are neither impulses nor a substep before the first one
            if world.impulse_step() > 0.0 {
                sum.force += wrench.force / world.impulse_step();
                sum.torque += wrench.torque / world.impulse_step();
            }
        }
    }

    /// Notes how much of its friction cone every point uses, or the patch as a whole (R.26).
    fn friction(&mut self, manifold: &Manifold) {
        let mu = manifold.friction;
        if mu <= 0.0 || manifold.law == ContactLaw::Frictionless {
            return;
        }
        let count = manifold.points.len();
        if manifold.law == ContactLaw::Patch {
            let normals: f64 = (0..count).map(|point| stored(manifold, point)).sum();
            let tangents = [0, 1].map(|axis| stored(manifold, count + axis));
            self.cone_use.add(length(tangents) / (mu * normals));
            return;
        }
        for point in 0..count {
            let normal = normal_impulse(manifold, point);
            if normal > 0.0 {
                let tangents = [1, 2].map(|axis| stored(manifold, 3 * point + axis));
                self.cone_use.add(length(tangents) / (mu * normal));
            }
        }
    }

    /// The value of a quantity of contacts; `None` for others, and where there is nothing to take
    /// it of.
    pub(super) fn value(&self, quantity: Quantity) -> Option<f64> {
        let count = |count: usize| Some(real(count as u64));
        match quantity {
            Quantity::PenetrationMax => self.overlap.max(),
            Quantity::PenetrationMean => self.overlap.mean(),
            Quantity::PenetrationRms => self.overlap.mean_of(self.overlap_squares).map(f64::sqrt),
            Quantity::PenetrationP50 => self.quantile(50),
            Quantity::PenetrationP95 => self.quantile(95),
            Quantity::PenetrationP99 => self.quantile(99),
            Quantity::GapArtefact => self.gap.max(),
            Quantity::ContactManifolds => count(self.manifolds),
            Quantity::ContactPoints => count(self.overlaps.len()),
            Quantity::PushingPoints => count(self.pushing),
            Quantity::SlipMax => self.slip.max(),
            Quantity::SlipMean => self.slip.mean(),
            Quantity::RollingMax => self.rolling.max(),
            Quantity::SpinningMax => self.spinning.max(),
            Quantity::ConeUseMax => self.cone_use.max(),
            Quantity::ConeUseMean => self.cone_use.mean(),
            _ => None,
        }
    }

    /// Counts the overlaps of all points (R.48).
    pub(super) fn count(&self, depths: &mut Depths) {
        self.overlaps.iter().for_each(|depth| depths.add(*depth));
    }

    /// Smallest overlap that so many per cent of the points do not exceed \[m\] (R.20).
    fn quantile(&self, percent: usize) -> Option<f64> {
        // whole numbers: the product with a fraction may round past one
        let rank = (percent * self.overlaps.len()).div_ceil(100);
        self.overlaps.get(rank.checked_sub(1)?).copied()
    }

    /// A component of what the contacts of a pair do to the second body (R.23) \[N\], \[N·m\].
    pub(super) fn of_pair(&self, torque: bool, bodies: [usize; 2], axis: usize) -> Option<f64> {
        let (_, wrench) = self.pairs.iter().find(|(pair, _)| *pair == bodies)?;
        let vector = if torque { wrench.torque } else { wrench.force };
        vector.get(axis).copied()
    }
}

/// An impulse by its row; zero before the first step.
fn stored(manifold: &Manifold, row: usize) -> f64 {
    manifold.impulses().get(row).copied().unwrap_or(0.0)
}

fn normal_impulse(manifold: &Manifold, point: usize) -> f64 {
    match manifold.law {
        ContactLaw::Patch => stored(manifold, point),
        _ => stored(manifold, 3 * point),
    }
}

/// Velocity of B relative to A where an impulse acts (R.24) \[m/s\].
fn velocity([a, b]: [&Body; 2], [at_a, at_b]: &[Vector3<f64>; 2]) -> Vector3<f64> {
    (b.velocity - a.velocity) + (b.spin.cross(at_b) - a.spin.cross(at_a))
}

/// Velocity of B's surface relative to A's that is not that of the bodies (R.24) \[m/s\].
fn surface_velocity(world: &World, manifold: &Manifold) -> Vector3<f64> {
    let of = |collider: u32| {
        let collider = &world.colliders()[collider as usize];
        world.bodies()[collider.body].orientation * collider.material.surface_velocity
    };
    let pair = manifold.colliders();
    pair.map_or_else(Vector3::zeros, |[a, b]| of(b) - of(a))
}

fn tangential(vector: &Vector3<f64>, normal: &Vector3<f64>) -> Vector3<f64> {
    vector - vector.dot(normal) * normal
}

fn length([first, second]: [f64; 2]) -> f64 {
    (first * first + second * second).sqrt()
}

/// Impulse of a manifold on its first or second body, times the substep \[N·s\], \[N·m·s\].
fn wrench(manifold: &Manifold, frame: &ContactFrame, side: usize) -> Wrench {
    let sign = if side == 1 { 1.0 } else { -1.0 };
    let count = manifold.points.len();
    let tangents = manifold.impulse_tangents();
    let mut sum = Wrench::default();
    for (point, arms) in frame.arms.iter().enumerate() {
        let mut impulse = normal_impulse(manifold, point) * frame.normal;
        if manifold.law != ContactLaw::Patch {
            for (axis, tangent) in tangents.iter().enumerate() {
                impulse += stored(manifold, 3 * point + 1 + axis) * tangent;
            }
        }
        sum.add(sign * impulse, &arms[side]);
    }
    if manifold.law == ContactLaw::Patch && count > 0 {
        let arms: Vector3<f64> = frame.arms.iter().map(|arms| arms[side]).sum();
        let middle = arms / real(count as u64);
        for (axis, tangent) in tangents.iter().enumerate() {
            sum.add(sign * stored(manifold, count + axis) * tangent, &middle);
        }
        sum.torque += sign * stored(manifold, count + 2) * frame.normal;
    }
    sum
}
