//! Bias and compliance of the rows: stabilisation, softness, restitution.

use delassus_core::{CarriedSpring, CoupledCompliance, Softness};
use nalgebra::Vector3;

use super::parameters::{OpenRows, PushLimit, Restitution, Stabilization, VelocityParameters};
use super::springs;
use crate::assembly::{Assembly, ContactRows, ContactSpring, RowInfo, RowKind, Source};
use crate::constraint::{ForceKind, RowUnit};
use crate::contact::Manifold;
use crate::world::World;

/// The pass that a bias is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    /// The solve with stabilisation.
    Biased,
    /// The solve without it: rigid rows get zero bias and compliance, soft joints keep theirs.
    Relaxed,
    /// The second velocity field of split impulses: nothing but the stabilisation.
    Pseudo,
}

/// Bias and compliance of every row of an assembly.
#[derive(Debug, Clone, Default)]
pub(super) struct Bias {
    pub(super) bias: Vec<f64>,
    pub(super) compliance: Vec<f64>,
    /// Of the closed contacts in the biased pass.
    springs: Vec<ContactSpring>,
    /// Compliance that rows of one joint share, the same in every pass (S.16).
    pub(super) coupled: CoupledCompliance,
    /// Contact points that are springs by the scene.
    own: Vec<(usize, ContactSpring)>,
    /// Friction rows of surfaces that move, with their bias \[m/s\] (T.22).
    surfaces: Vec<(usize, f64)>,
    /// Contact points that bounce by their bias, with their approach velocity and e times that \[m/s\] (T.23).
    rebounds: Vec<(usize, [f64; 2])>,
    /// Friction rows of contacts that slipped since they gripped, with how far \[m\] (T.26).
    pub(super) slips: Vec<(usize, f64)>,
    /// True if a pass may have compliance.
    pub(super) soft: bool,
    /// True if springs and memory are those of the rows: they are made for the first pass that asks.
    made: bool,
}

impl Bias {
    /// Makes ready for the rows of a new assembly, at substeps of `h` \[s\]; `approach` are the normal velocities of the
    /// rows at the start of the frame \[m/s\], empty where nothing bounces.
    pub(super) fn freeze(
        &mut self,
        world: &World,
        assembly: &Assembly,
        parameters: &VelocityParameters,
        h: f64,
        approach: &[f64],
    ) {
        self.move_surfaces(world, assembly);
        self.rebounds.clear();
        if parameters.restitution == Restitution::Bias && !approach.is_empty() {
            self.rebound(world, assembly, parameters.restitution_threshold, approach);
        }
        self.made = false;
        self.soft = parameters.stabilization == Stabilization::Soft
            || world.joints.iter().any(|joint| !joint.is_rigid())
            || world.manifolds.iter().any(|m| !m.softness.is_rigid());
        springs::share(world, assembly, h, &mut self.coupled);
        springs::of_contacts(world, assembly, h, &mut self.own);
    }

    /// Makes the springs of the contacts.
    fn make(&mut self, assembly: &Assembly, parameters: &VelocityParameters, h: f64) {
        self.made = true;
        let rows = assembly.problem.rows();
        for numbers in [&mut self.bias, &mut self.compliance] {
            // friction rows keep these zeros
            numbers.clear();
            numbers.resize(rows, 0.0);
        }
        self.springs.clear();
        let diagonal = assembly.problem.diagonal();
        match parameters.stabilization {
            Stabilization::Soft => {
                let springs = [false, true].map(|fixed| contact_spring(parameters, fixed, h));
                let contacts = &assembly.contacts;
                contacts.springs(springs, diagonal, h, &mut self.springs);
                for (spring, row) in self.springs.iter_mut().zip(&contacts.rows) {
                    spring.push_limit = push_limit(parameters, diagonal[*row], spring.compliance);
                }
            }
            _ => {
                let spring = ContactSpring {
                    bias_rate: rigid_rate(parameters, h),
                    compliance: 0.0,
                    push_limit: parameters.max_push_speed.unwrap_or(f64::INFINITY),
                };
                self.springs.resize(assembly.contacts.rows.len(), spring);
            }
        }
    }

    pub(super) fn fill(
        &mut self,
        world: &World,
        assembly: &Assembly,
        parameters: &VelocityParameters,
        h: f64,
        pass: Pass,
    ) {
        if !self.made {
            self.make(assembly, parameters, h);
        }
        let diagonals = assembly.problem.diagonal();
        for index in assembly.joint_rows.clone() {
            let row = &assembly.rows[index];
            let (bias, compliance) = row_bias(world, row, diagonals[index], parameters, h, pass);
            self.bias[index] = bias;
            self.compliance[index] = compliance;
        }
        if corrects(parameters, pass) {
            self.push(&assembly.contacts, parameters, h);
        } else {
            self.keep_apart(&assembly.contacts, h);
        }
        self.spring(&assembly.contacts, pass);
        let real = pass != Pass::Pseudo;
        for (row, bias) in &self.surfaces {
            self.bias[*row] = if real { *bias } else { 0.0 };
        }
        for (row, slip) in &self.slips {
            let moves = self.surfaces.binary_search_by_key(row, |(row, _)| *row);
            let surface = moves.map_or(0.0, |found| self.bias[self.surfaces[found].0]);
            let pull = if pass == Pass::Biased {
                parameters.friction_beta * slip / h
            } else {
                0.0
            };
            self.bias[*row] = surface + pull;
        }
        if real {
            self.bounce(&assembly.contacts, h);
        }
    }

    /// True if all that it has are the stabilising springs of contacts and the springs of joints.
    pub(super) fn is_plain(&self) -> bool {
        self.own.is_empty()
            && self.surfaces.is_empty()
            && self.rebounds.is_empty()
            && self.coupled.is_empty()
    }

    /// Finds the friction rows of surfaces that move.
    fn move_surfaces(&mut self, world: &World, assembly: &Assembly) {
        self.surfaces.clear();
        let still = |manifold: &Manifold| manifold.surface_velocity == Vector3::zeros();
        let Some(bodies) = assembly.problem.bodies() else {
            return;
        };
        if world.manifolds.iter().all(still) {
            return;
        }
        for (index, row) in assembly.rows.iter().enumerate() {
            let (Source::Manifold(manifold), RowKind::Friction) = (row.source, row.kind) else {
                continue;
            };
            let manifold = &world.manifolds[manifold];
            if !still(manifold) {
                let velocity =
                    world.bodies[manifold.bodies[0]].orientation * manifold.surface_velocity;
                let block = assembly.problem.block_of_row(index);
                let local = index - assembly.problem.blocks()[block].rows().start;
                // the entry of B along its velocity is the tangent, zero for a twist
                let entry = bodies.row(block, local)[1];
                let along = Vector3::new(entry[0], entry[1], entry[2]);
                self.surfaces.push((index, along.dot(&velocity)));
            }
        }
    }

    /// Finds the contact points that bounce by their bias.
    fn rebound(&mut self, world: &World, assembly: &Assembly, threshold: f64, approach: &[f64]) {
        for (point, row) in assembly.contacts.rows.iter().enumerate() {
            if let Source::Manifold(manifold) = assembly.rows[*row].source {
                let e = world.manifolds[manifold].restitution;
                if e > 0.0 && approach[*row] < -threshold {
                    let speed = approach[*row];
                    self.rebounds.push((point, [speed, e * speed]));
                }
            }
        }
    }

    /// The larger of the push and the bounce, for contacts that are closed or close within the step (T.23).
    fn bounce(&mut self, contacts: &ContactRows, h: f64) {
        for (point, [approach, rebound]) in &self.rebounds {
            let row = contacts.rows[*point];
            if contacts.separations[*point] + h * approach <= 0.0 {
                self.bias[row] = self.bias[row].min(*rebound);
                self.compliance[row] = 0.0;
            }
        }
    }

    /// Contacts that are pushed apart where they overlap; open ones may close the gap within the step (T.11).
    fn push(&mut self, contacts: &ContactRows, parameters: &VelocityParameters, h: f64) {
        let slop = parameters.slop;
        let open_is_soft = parameters.open_rows == OpenRows::Soft;
        let points = contacts.rows.iter().zip(&contacts.separations);
        for ((row, separation), spring) in points.zip(&self.springs) {
            let overlap = (separation + slop).min(0.0);
            let push = (spring.bias_rate * overlap).max(-spring.push_limit);
            let open = *separation > 0.0;
            self.bias[*row] = if open { separation / h } else { push };
            let rigid = open && !open_is_soft;
            self.compliance[*row] = if rigid { 0.0 } else { spring.compliance };
        }
    }

    /// Closed contacts that are springs by the scene, in every pass as those of joints.
    fn spring(&mut self, contacts: &ContactRows, pass: Pass) {
        for (point, spring) in &self.own {
            let separation = contacts.separations[*point];
            if separation <= 0.0 {
                let row = contacts.rows[*point];
                let pushes = pass != Pass::Pseudo;
                self.bias[row] = if pushes {
                    spring.bias_rate * separation
                } else {
                    0.0
                };
                self.compliance[row] = spring.compliance;
            }
        }
    }

    /// Contacts that are left to overlap; open ones may close the gap within the step.
    fn keep_apart(&mut self, contacts: &ContactRows, h: f64) {
        let points = contacts.rows.iter().zip(&contacts.separations);
        for (row, separation) in points {
            let open = *separation > 0.0;
            self.bias[*row] = if open { separation / h } else { 0.0 };
            self.compliance[*row] = 0.0;
        }
    }
}

/// True if a pass removes the position errors of rigid rows.
fn corrects(parameters: &VelocityParameters, pass: Pass) -> bool {
    let split = parameters.stabilization == Stabilization::SplitImpulse;
    pass != Pass::Relaxed && split == (pass == Pass::Pseudo)
}

/// Bias, compliance of the row of a joint.
fn row_bias(
    world: &World,
    row: &RowInfo,
    diagonal: f64,
    parameters: &VelocityParameters,
    h: f64,
    pass: Pass,
) -> (f64, f64) {
    let unilateral = matches!(row.kind, RowKind::Joint(ForceKind::Limit, _));
    let rate = if pass == Pass::Pseudo { 0.0 } else { row.rate };
    if let Some(soft) = authored(world, row).row(diagonal, h) {
        // a spring of the scene is physics: it is the same in every pass, and none of the pseudo-velocities' business
        if pass == Pass::Pseudo {
            return (0.0, soft.compliance);
        }
        if !(unilateral && row.error > 0.0) {
            return (soft.bias_rate * row.error + rate, soft.compliance);
        }
    }
    let open = unilateral && row.error > 0.0;
    if open && (parameters.open_rows == OpenRows::Rigid || !corrects(parameters, pass)) {
        // open: the rows may close the gap within the step and no more (T.11)
        return (row.error / h + rate, 0.0);
    }
    if !corrects(parameters, pass) {
        return (rate, 0.0);
    }
    let (bias_rate, compliance) = stabilized(unilateral, diagonal, parameters, h);
    if open {
        return (row.error / h + rate, compliance);
    }
    let (error, limit) = if unilateral {
        let error = (row.error + parameters.slop).min(0.0);
        (error, push_limit(parameters, diagonal, compliance))
    } else {
        let dead = row
            .error
            .clamp(-parameters.joint_slop, parameters.joint_slop);
        (row.error - dead, f64::INFINITY)
    };
    let bias = (bias_rate * error).clamp(-limit, limit);
    (bias + rate, compliance)
}

/// Softness that the scene gives a row.
fn authored(world: &World, row: &RowInfo) -> Softness {
    match row.source {
        Source::Joint(index) => {
            let unit = row.unit().unwrap_or(RowUnit::Length);
            world.joints[index].softness_of(unit)
        }
        Source::Manifold(_) => Softness::Rigid,
    }
}

/// Bias rate \[1/s\] and compliance \[1/kg\] that the stabilisation gives a rigid row of a joint; limits are as stiff as
/// contacts between dynamic bodies.
fn stabilized(
    unilateral: bool,
    diagonal: f64,
    parameters: &VelocityParameters,
    h: f64,
) -> (f64, f64) {
    if parameters.stabilization != Stabilization::Soft {
        return (rigid_rate(parameters, h), 0.0);
    }
    let softness = if unilateral {
        contact_spring(parameters, false, h)
    } else {
        Softness::Frequency {
            hertz: parameters.joint_hertz.min(parameters.joint_hertz_limit / h),
            damping_ratio: parameters.joint_damping_ratio,
        }
    };
    let soft = softness.row(diagonal, h);
    soft.map_or((0.0, 0.0), |soft| (soft.bias_rate, soft.compliance))
}

/// Bias rate \[1/s\] of the stabilisations that leave rows rigid.
fn rigid_rate(parameters: &VelocityParameters, h: f64) -> f64 {
    match parameters.stabilization {
        Stabilization::None | Stabilization::Soft => 0.0,
        Stabilization::Baumgarte | Stabilization::SplitImpulse => parameters.beta / h,
        Stabilization::TauDamping => parameters.beta / (parameters.damping * h),
    }
}

/// Largest bias velocity that pushes a row out \[m/s | rad/s\] (T.24, T.25).
fn push_limit(parameters: &VelocityParameters, diagonal: f64, compliance: f64) -> f64 {
    let limit = parameters.max_push_speed.unwrap_or(f64::INFINITY);
    match parameters.push_limit {
        PushLimit::Bias => limit,
        // over the mass scale A / (A + R)
        PushLimit::Scaled => limit * (1.0 + compliance / diagonal),
    }
}

/// The spring of a rigid contact; `fixed` if one of its bodies is not dynamic.
fn contact_spring(parameters: &VelocityParameters, fixed: bool, h: f64) -> Softness {
    let hertz = parameters
        .contact_hertz
        .min(parameters.contact_hertz_limit / h);
    let [stiffer, damped] = if fixed {
        [
            parameters.static_hertz_factor,
            parameters.static_damping_factor,
        ]
    } else {
        [1.0; 2]
    };
    Softness::Frequency {
        hertz: stiffer * hertz,
        damping_ratio: damped * parameters.contact_damping_ratio,
    }
}

/// What closed contacts are like in the solve with bias, between bodies that move and with one that does not (T.34).
pub(super) fn carried_springs(parameters: &VelocityParameters, h: f64) -> [CarriedSpring; 2] {
    let limit = |softness: f64| push_limit(parameters, 1.0, softness);
    [false, true].map(|fixed| {
        if parameters.stabilization != Stabilization::Soft {
            return CarriedSpring {
                bias_rate: rigid_rate(parameters, h),
                softness: 0.0,
                push_limit: limit(0.0),
            };
        }
        // of a row with A = 1: frequencies soften every row by the same share of its A
        let soft = contact_spring(parameters, fixed, h).row(1.0, h);
        let [bias_rate, softness] = soft.map_or([0.0; 2], |soft| [soft.bias_rate, soft.compliance]);
        CarriedSpring {
            bias_rate,
            softness,
            push_limit: limit(softness),
        }
    })
}

/// Bounce: contacts that approached faster than the threshold, and that pushed, leave with e times that speed (T.14).
///
/// `approach` holds the normal velocity of every row at the start of the frame \[m/s\], `pushed` what the rows did.
/// Returns false if nothing bounces.
pub(super) fn restitution(
    world: &World,
    assembly: &Assembly,
    threshold: f64,
    approach: &[f64],
    pushed: &[f64],
    bias: &mut Bias,
) -> bool {
    bias.bias.clear();
    bias.bias.extend_from_slice(assembly.problem.bias());
    let mut any = false;
    for (index, row) in assembly.rows.iter().enumerate() {
        let (Source::Manifold(manifold), RowKind::Normal { .. }) = (row.source, row.kind) else {
            continue;
        };
        let e = world.manifolds[manifold].restitution;
        if e > 0.0 && approach[index] < -threshold && pushed[index] > 0.0 {
            bias.bias[index] = e * approach[index];
            any = true;
        }
    }
    any
}
