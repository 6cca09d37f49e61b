//! Momentum of a tree that nothing holds: what forces from outside make of it, kept to rounding.
//!
//! Speeds and coordinates of a tree do not show its momentum, and an integrator of them keeps it to
//! its order only. Momentum and centre of mass have equations of their own (Q.15); each step moves
//! and turns the whole tree rigidly to where they say (Q.16), which costs the joints nothing.

use nalgebra::{Matrix3, Vector3};

use crate::articulated::Pass;
use crate::spatial::Spatial;
use crate::tree::Tree;

/// Share of the trace that is added to an inertia which may be singular: a rod of point masses does
/// not turn about itself.
const REGULAR: f64 = 1e-13;

/// Momentum and centre of mass of a tree; positions from its origin, moments about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Balance {
    /// \[kg\]
    pub(crate) mass: f64,
    /// \[m\]
    pub(crate) centre: Vector3<f64>,
    /// \[N·s, N·m·s\]
    pub(crate) momentum: Spatial,
}

impl Balance {
    /// Of the bodies as they are placed.
    pub(crate) fn of(tree: &Tree, pass: &Pass) -> Self {
        let (mut mass, mut moment) = (0.0, Vector3::zeros());
        let mut momentum = Spatial::default();
        for (node, link) in tree.nodes.iter().zip(&pass.links) {
            mass += node.load.mass;
            moment += node.load.mass * link.place;
            momentum += link.rigid(node).times(&link.velocity).moved(&link.place);
        }
        Self {
            mass,
            centre: moment / mass,
            momentum,
        }
    }

    /// Inertia of the whole tree about its centre of mass \[kg·m²\].
    fn inertia(&self, tree: &Tree, pass: &Pass) -> Matrix3<f64> {
        let mut inertia = Matrix3::zeros();
        for (node, link) in tree.nodes.iter().zip(&pass.links) {
            let arm = link.place - self.centre;
            let square = Matrix3::from_diagonal_element(arm.norm_squared());
            inertia += link.rigid(node).inertia + node.load.mass * (square - arm * arm.transpose());
        }
        inertia
    }

    /// Moves the tree so that its centre of mass is that of `self`, and adds the rigid motion that
    /// gives it the momentum of `self` (Q.16).
    pub(crate) fn impose(&self, tree: &Tree, pass: &mut Pass, y: &mut [f64], u: &mut [f64]) {
        pass.place(tree, y, u);
        let shift = self.centre - Self::of(tree, pass).centre;
        for (y, shift) in y.iter_mut().zip(shift.iter()) {
            *y += shift;
        }
        // an inertia that is nearly singular takes a second and a third look
        for _ in 0..3 {
            pass.place(tree, y, u);
            let found = Self::of(tree, pass);
            let missing = self.momentum - found.momentum;
            let size = self.momentum.linear.norm() + self.momentum.angular.norm();
            if missing.linear.norm() + missing.angular.norm() <= f64::EPSILON * size {
                return;
            }
            let turn = found.turn(tree, pass, &missing);
            let arm = pass.links[0].place - found.centre;
            let push = missing.linear / self.mass + turn.cross(&arm);
            for (u, push) in u.iter_mut().zip(push.iter()) {
                *u += push;
            }
            turn_all(tree, y, u, &turn);
        }
    }

    /// The angular velocity of the whole that adds the angular part of `missing` \[rad/s\].
    fn turn(&self, tree: &Tree, pass: &Pass, missing: &Spatial) -> Vector3<f64> {
        let about_centre = missing.angular - self.centre.cross(&missing.linear);
        let inertia = self.inertia(tree, pass);
        let regular = inertia + Matrix3::from_diagonal_element(REGULAR * inertia.trace());
        // a single point mass has nothing to turn
        regular
            .try_inverse()
            .map_or(Vector3::zeros(), |inverse| inverse * about_centre)
    }
}

/// Adds a rotation of the whole tree about its root to the speeds: what hangs on a body with an
/// orientation goes round with it, what hangs on a point mass or on nothing turns by itself.
fn turn_all(tree: &Tree, y: &[f64], u: &mut [f64], turn: &Vector3<f64>) {
    for node in &tree.nodes {
        let alone = node
            .parent
            .is_none_or(|parent| tree.nodes[parent].is_point());
        if alone {
            let y = &y[node.numbers.clone()];
            node.coordinates
                .turn_speeds(y, turn, &mut u[node.speeds.clone()]);
        }
    }
}
