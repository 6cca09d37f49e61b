//! Bias and compliance of all rows in a solve: those of joints row by row, those of contacts,
//! belts, sticking anchors and bounces.

use delassus_core::CoupledCompliance;
use nalgebra::Vector3;

use super::frozen::FrozenRows;
use super::impedance::{self, ImpedanceRows};
use super::parameters::{OpenRows, Restitution, Stabilization, VelocityParameters};
use super::springs;
use super::stabilization::{self, Bias, contact_spring, corrects, push_limit, rigid_rate};
use crate::assembly::{Assembly, ContactRows, ContactSpring, RowKind, Source};
use crate::contact::Manifold;
use crate::world::World;

/// Bias and compliance of every row of an assembly.
#[derive(Debug, Clone, Default)]
pub(super) struct RowBias {
    pub(super) bias: Vec<f64>,
    pub(super) compliance: Vec<f64>,
    /// Of the closed contacts in the solve with bias.
    springs: Vec<ContactSpring>,
    /// Compliance that rows of one joint share by the scene, the same in every solve (S.16).
    pub(super) coupled: CoupledCompliance,
    /// That and what the stabilisation makes them share, in the solve that has it.
    stabilized: CoupledCompliance,
    /// True if the stabilisation softens the rows of a joint together.
    couples: bool,
    /// Contact points that are springs by the scene.
    own: Vec<(usize, ContactSpring)>,
    /// Rows with an impedance (S.25).
    impedances: ImpedanceRows,
    /// Friction rows of surfaces that move, with their bias \[m/s\] (T.22).
    surfaces: Vec<(usize, f64)>,
    /// Contact points that bounce by their bias, with their approach velocity and e times that
    /// \[m/s\] (T.23).
    rebounds: Vec<(usize, [f64; 2])>,
    /// Friction rows of contacts that slipped from their anchors, with how far \[m\] (T.26).
    pub(super) slips: Vec<(usize, f64)>,
    /// True if a solve may have compliance.
    pub(super) soft: bool,
    /// True if springs and memory are those of the rows: the first solve that uses them computes
    /// them.
    springs_computed: bool,
}

impl RowBias {
    /// Nothing yet; `couples` if the stabilisation shall soften the rows of a joint together.
    pub(super) fn new(couples: bool) -> Self {
        Self {
            couples,
            ..Self::default()
        }
    }

    /// Makes ready for the rows of a new assembly, at substeps of `h` \[s\]; `approach` are the
    /// normal velocities of the rows at the start of the frame \[m/s\], empty where nothing
    /// bounces.
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
        if parameters.restitution != Restitution::LastPass && !approach.is_empty() {
            self.rebound(world, assembly, parameters.restitution_threshold, approach);
        }
        self.springs_computed = false;
        let stabilization = parameters.stabilization;
        self.soft = matches!(
            stabilization,
            Stabilization::Soft | Stabilization::Impedance
        ) || parameters.friction_cfm > 0.0
            || world.joints.iter().any(|joint| !joint.is_rigid())
            || world.manifolds.iter().any(|m| !m.softness.is_rigid());
        springs::share(world, assembly, h, &mut self.coupled);
        let relative = stabilization::joint_spring(parameters, h).relative_compliance(h);
        if let (true, Some(relative)) = (self.couples, relative) {
            let (own, out) = (&self.coupled, &mut self.stabilized);
            springs::share_stabilization(world, assembly, own, relative, out);
        }
        self.slips.clear();
        springs::of_contacts(world, assembly, h, &mut self.own);
        self.impedances.compute(world, assembly, parameters, h);
    }

    /// Computes the springs of the contacts.
    fn compute_springs(&mut self, assembly: &Assembly, parameters: &VelocityParameters, h: f64) {
        self.springs_computed = true;
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

    /// Compliance off the diagonal in a solve.
    pub(super) fn shared(&self, parameters: &VelocityParameters, bias: Bias) -> &CoupledCompliance {
        if self.couples && corrects(parameters, bias) {
            &self.stabilized
        } else {
            &self.coupled
        }
    }

    /// Computes bias and compliance of every row.
    pub(super) fn compute(
        &mut self,
        world: &World,
        assembly: &Assembly,
        parameters: &VelocityParameters,
        h: f64,
        solve: Bias,
    ) {
        if !self.springs_computed {
            self.compute_springs(assembly, parameters, h);
        }
        if self.impedances.used {
            // friction rows may have the numbers of an impedance of other rows
            self.bias.fill(0.0);
            self.compliance.fill(0.0);
        }
        let diagonals = assembly.problem.diagonal();
        for index in assembly.joint_rows.clone() {
            let row = &assembly.rows[index];
            let diagonal = diagonals[index];
            let (bias, compliance) =
                stabilization::of_joint_row(world, row, diagonal, parameters, h, solve);
            self.bias[index] = bias;
            self.compliance[index] = compliance;
        }
        if corrects(parameters, solve) {
            self.stabilize(&assembly.contacts, parameters, h);
        } else {
            self.leave_overlap(&assembly.contacts, h);
        }
        self.add_own_springs(&assembly.contacts, solve);
        let real = solve != Bias::Alone;
        for (row, bias) in &self.surfaces {
            self.bias[*row] = if real { *bias } else { 0.0 };
        }
        for (row, slip) in &self.slips {
            let moves = self.surfaces.binary_search_by_key(row, |(row, _)| *row);
            let surface = moves.map_or(0.0, |found| self.bias[self.surfaces[found].0]);
            let pull = if solve == Bias::On {
                parameters.friction_beta * slip / h
            } else {
                0.0
            };
            self.bias[*row] = surface + pull;
        }
        if parameters.friction_cfm > 0.0 {
            self.soften_friction(assembly, parameters.friction_cfm / h);
        }
        if real {
            self.impedances.apply(&mut self.bias, &mut self.compliance);
            self.apply_restitution(&assembly.contacts, h);
        }
    }

    /// True if all that it has are the stabilising springs of contacts and the springs of joints.
    pub(super) fn is_plain(&self) -> bool {
        self.own.is_empty()
            && self.impedances.is_empty()
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

    /// The larger of the push and the bounce, for contacts that are closed or close within the step
    /// (T.23).
    fn apply_restitution(&mut self, contacts: &ContactRows, h: f64) {
        for (point, [approach, rebound]) in &self.rebounds {
            let row = contacts.rows[*point];
            if contacts.separations[*point] + h * approach <= 0.0 {
                self.bias[row] = self.bias[row].min(*rebound);
                self.compliance[row] = 0.0;
            }
        }
    }

    /// Contacts that are pushed apart where they overlap; open ones may close the gap within the
    /// step (T.11).
    fn stabilize(&mut self, contacts: &ContactRows, parameters: &VelocityParameters, h: f64) {
        let slop = parameters.slop;
        let open_is_soft = parameters.open_rows != OpenRows::Rigid;
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

    /// Closed contacts that are springs by the scene, in every solve as those of joints.
    fn add_own_springs(&mut self, contacts: &ContactRows, solve: Bias) {
        for (point, spring) in &self.own {
            let separation = contacts.separations[*point];
            if separation <= 0.0 {
                let row = contacts.rows[*point];
                let pushes = solve != Bias::Alone;
                self.bias[row] = if pushes {
                    spring.bias_rate * separation
                } else {
                    0.0
                };
                self.compliance[row] = spring.compliance;
            }
        }
    }

    /// Gives the friction rows of contact points a compliance \[1/kg\] (S.31).
    fn soften_friction(&mut self, assembly: &Assembly, compliance: f64) {
        let problem = &assembly.problem;
        for normal in &assembly.contacts.rows {
            let block = &problem.blocks()[problem.block_of_row(*normal)];
            let rows = impedance::rows_of(block, *normal);
            self.compliance[rows][1..].fill(compliance);
        }
    }

    /// Contacts that are left to overlap; open ones may close the gap within the step.
    fn leave_overlap(&mut self, contacts: &ContactRows, h: f64) {
        let points = contacts.rows.iter().zip(&contacts.separations);
        for (row, separation) in points {
            let open = *separation > 0.0;
            self.bias[*row] = if open { separation / h } else { 0.0 };
            self.compliance[*row] = 0.0;
        }
    }
}

/// Bounce: contacts that approached faster than the threshold, and that pushed, leave with e times
/// that speed (T.14).
///
/// Returns false if nothing bounces.
pub(super) fn restitution(
    world: &World,
    rows: &FrozenRows,
    threshold: f64,
    bias: &mut RowBias,
) -> bool {
    let assembly = &rows.assembly;
    bias.bias.clear();
    bias.bias.extend_from_slice(assembly.problem.bias());
    let mut any = false;
    for (index, row) in assembly.rows.iter().enumerate() {
        let (Source::Manifold(manifold), RowKind::Normal { .. }) = (row.source, row.kind) else {
            continue;
        };
        let e = world.manifolds[manifold].restitution;
        if e > 0.0 && rows.approach[index] < -threshold && rows.pushed[index] > 0.0 {
            bias.bias[index] = e * rows.approach[index];
            any = true;
        }
    }
    any
}
