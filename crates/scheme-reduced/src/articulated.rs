//! The articulated-body method \[Featherstone1983\]: motions outwards, inertias inwards,
//! accelerations outwards.
//!
//! One pass costs a few hundred multiplications per body, whatever the number of bodies: O(n),
//! where a dense solve of the same rows costs O(n³). All six-vectors are in world axes at the
//! centre of mass of their body.

use nalgebra::{UnitQuaternion, Vector3};

use crate::coordinates::Posed;
use crate::spatial::{Blocks, Factor, Spatial};
use crate::tree::{Node, Tree};

/// A body at one instant, and the intermediate results of a pass.
#[derive(Debug, Clone, Default)]
pub(crate) struct Link {
    /// Centre of mass from the tree's origin \[m\].
    pub(crate) place: Vector3<f64>,
    pub(crate) orientation: UnitQuaternion<f64>,
    /// \[m/s, rad/s\]
    pub(crate) velocity: Spatial,
    /// \[m/s², rad/s²\], or the velocity after an impulse \[m/s, rad/s\].
    pub(crate) acceleration: Spatial,
    /// What the joint does to the body \[N, N·m\], or its impulse \[N·s, N·m·s\].
    pub(crate) wrench: Spatial,
    /// From the body to the joint's point \[m\].
    pub(crate) joint_offset: Vector3<f64>,
    /// From the parent's centre of mass to this one \[m\].
    arm: Vector3<f64>,
    /// Motions that the joint leaves free, S of (Q.2).
    free: [Spatial; 6],
    /// Acceleration at constant speeds and a parent without acceleration (Q.3).
    drift: Spatial,
    inertia: Blocks,
    bias: Spatial,
    /// Articulated inertia times the free motions.
    response: [Spatial; 6],
    factor: Factor,
    /// Force along the free motions that nothing has taken up.
    rest: [f64; 6],
}

/// A tree at one instant.
#[derive(Debug, Clone)]
pub(crate) struct Pass {
    pub(crate) links: Vec<Link>,
}

/// No impulse moves a joint: index of the node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Massless(pub(crate) usize);

impl Pass {
    pub(crate) fn new(tree: &Tree) -> Self {
        Self {
            links: vec![Link::default(); tree.nodes.len()],
        }
    }

    /// Poses, velocities and free motions at coordinates `y` and speeds `u` (Q.1)–(Q.3).
    pub(crate) fn place(&mut self, tree: &Tree, y: &[f64], u: &[f64]) {
        for (index, node) in tree.nodes.iter().enumerate() {
            let posed = node
                .coordinates
                .pose(&y[node.numbers.clone()], &u[node.speeds.clone()]);
            let (place, orientation, velocity) = match node.parent {
                Some(parent) => {
                    let parent = &self.links[parent];
                    (parent.place, parent.orientation, parent.velocity)
                }
                None => (Vector3::zeros(), tree.base, Spatial::default()),
            };
            let link = &mut self.links[index];
            link.orientation = orientation * posed.orientation;
            link.hang(&posed, &orientation, &velocity);
            link.place = place + link.arm;
            if node.is_point() {
                link.forget_rotation();
            }
        }
    }

    /// Accelerations of the speeds under the loads, with damping implicit over `damping_step` \[s\]
    /// (Q.5)–(Q.8).
    pub(crate) fn accelerate(
        &mut self,
        tree: &Tree,
        damping_step: f64,
        rates: &mut [f64],
    ) -> Result<(), Massless> {
        for (link, node) in self.links.iter_mut().zip(&tree.nodes) {
            link.load_inertia(node, damping_step);
        }
        self.solve(tree, rates)
    }

    /// The speeds whose velocities are nearest to those of the given momenta \[N·s, N·m·s\], in the
    /// metric of the masses: what the joints make of them by impulses, with damping implicit over
    /// `damping_step` \[s\] (Q.9).
    pub(crate) fn project(
        &mut self,
        tree: &Tree,
        momenta: &[Spatial],
        damping_step: f64,
        speeds: &mut [f64],
    ) -> Result<(), Massless> {
        for ((link, node), momentum) in self.links.iter_mut().zip(&tree.nodes).zip(momenta) {
            link.inertia = link.rigid(node);
            link.inertia.mass *= 1.0 + damping_step * node.load.damping[0];
            link.inertia.inertia *= 1.0 + damping_step * node.load.damping[1];
            link.bias = *momentum * -1.0;
            link.drift = Spatial::default();
        }
        self.solve(tree, speeds)
    }

    /// Inwards: articulated inertias and forces. Outwards: accelerations and joint forces.
    fn solve(&mut self, tree: &Tree, out: &mut [f64]) -> Result<(), Massless> {
        for (index, node) in tree.nodes.iter().enumerate().rev() {
            let link = &mut self.links[index];
            if node.is_point() {
                link.inertia.restrict_to_point();
                link.bias.angular = Vector3::zeros();
            }
            let (inertia, bias) = link.eliminate(node).ok_or(Massless(index))?;
            let arm = link.arm;
            if let Some(parent) = node.parent {
                self.links[parent].inertia += inertia.moved(&arm);
                self.links[parent].bias += bias.moved(&arm);
            }
        }
        for (index, node) in tree.nodes.iter().enumerate() {
            let above = node
                .parent
                .map_or(Spatial::default(), |parent| self.links[parent].acceleration);
            self.links[index].solve_joint(node, &above, &mut out[node.speeds.clone()]);
        }
        Ok(())
    }
}

impl Link {
    /// Velocity, free motions and drift from those of the parent.
    fn hang(&mut self, posed: &Posed, frame: &UnitQuaternion<f64>, above: &Spatial) {
        let own = self.orientation;
        let alpha = frame * posed.alpha;
        self.joint_offset = own * posed.beta;
        self.arm = alpha - self.joint_offset;
        self.free = [Spatial::default(); 6];
        for (free, column) in self.free.iter_mut().zip(&posed.columns[..posed.count]) {
            let turn = frame * column.turn;
            let slide = frame * column.alpha - own * column.beta;
            *free = Spatial::new(slide - turn.cross(&self.joint_offset), turn);
        }
        let turn = frame * posed.rate.turn;
        let [alpha_rate, beta_rate] = [frame * posed.rate.alpha, own * posed.rate.beta];
        let linear = alpha_rate - beta_rate - turn.cross(&self.joint_offset);
        self.velocity = above.carried(&self.arm) + Spatial::new(linear, turn);
        let (outer, inner) = (above.angular, self.velocity.angular);
        let angular = outer.cross(&turn) + frame * posed.drift.turn;
        let linear = outer.cross(&outer.cross(&alpha))
            + 2.0 * outer.cross(&alpha_rate)
            + frame * posed.drift.alpha
            - angular.cross(&self.joint_offset)
            - inner.cross(&inner.cross(&self.joint_offset))
            - 2.0 * inner.cross(&beta_rate)
            - own * posed.drift.beta;
        self.drift = Spatial::new(linear, angular);
    }

    /// A point mass follows its parent's point and has no rotation.
    fn forget_rotation(&mut self) {
        self.orientation = UnitQuaternion::identity();
        for motion in self
            .free
            .iter_mut()
            .chain([&mut self.velocity, &mut self.drift])
        {
            motion.angular = Vector3::zeros();
        }
    }

    /// Inertia of the body alone, in world axes.
    pub(crate) fn rigid(&self, node: &Node) -> Blocks {
        let rotation = self.orientation.to_rotation_matrix();
        let rotation = rotation.matrix();
        let tensor = rotation * node.load.tensor * rotation.transpose();
        Blocks::of_body(node.load.mass, 0.5 * (tensor + tensor.transpose()))
    }

    /// Inertia and bias force of the body alone (Q.5).
    fn load_inertia(&mut self, node: &Node, damping_step: f64) {
        let load = &node.load;
        let mut inertia = self.rigid(node);
        let momentum = inertia.times(&self.velocity);
        let [linear, angular] = load.damping;
        self.bias = Spatial::new(
            linear * momentum.linear - load.weight - load.force,
            angular * momentum.angular + self.velocity.angular.cross(&momentum.angular)
                - load.torque,
        );
        inertia.mass *= 1.0 + damping_step * linear;
        inertia.inertia *= 1.0 + damping_step * angular;
        self.inertia = inertia;
    }

    /// What the parent feels of this body and all that hang on it (Q.6), (Q.7).
    fn eliminate(&mut self, node: &Node) -> Option<(Blocks, Spatial)> {
        let count = node.speeds.len();
        let mut matrix = [[0.0; 6]; 6];
        for i in 0..count {
            self.response[i] = self.inertia.times(&self.free[i]);
        }
        for i in 0..count {
            for j in 0..=i {
                matrix[i][j] = self.free[i].dot(&self.response[j]);
            }
            self.rest[i] = -self.free[i].dot(&self.bias);
        }
        self.factor = Factor::of(&matrix, count)?;
        let mut inertia = self.inertia;
        for direction in &self.factor.whiten(&self.response)[..count] {
            inertia.without(direction);
        }
        let mut speeds = self.rest;
        self.factor.solve(&mut speeds);
        let mut bias = self.bias + inertia.times(&self.drift);
        for (response, speed) in self.response.iter().zip(speeds).take(count) {
            bias += *response * speed;
        }
        if node.is_point() {
            inertia.restrict_to_point();
            bias.angular = Vector3::zeros();
        }
        Some((inertia, bias))
    }

    /// Acceleration of the body and of its speeds, and the force of its joint (Q.8).
    fn solve_joint(&mut self, node: &Node, above: &Spatial, out: &mut [f64]) {
        let mut acceleration = above.carried(&self.arm);
        if node.is_point() {
            acceleration.angular = Vector3::zeros();
        }
        acceleration += self.drift;
        let mut rates = self.rest;
        for (rate, response) in rates.iter_mut().zip(&self.response).take(out.len()) {
            *rate -= response.dot(&acceleration);
        }
        self.factor.solve(&mut rates);
        for (free, rate) in self.free.iter().zip(rates).take(out.len()) {
            acceleration += *free * rate;
        }
        out.copy_from_slice(&rates[..out.len()]);
        self.acceleration = acceleration;
        self.wrench = self.inertia.times(&acceleration) + self.bias;
    }
}
