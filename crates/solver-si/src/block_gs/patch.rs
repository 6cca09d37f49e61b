//! A patch whose tangents are solved together.

use delassus_core::Law;

use crate::laws::{PatchLoad, interval_row, normal_row, patch_load, project_disc};
use crate::local::circle::{Tangential, solve_disc};
use crate::view::BlockView;

/// The tangents of a patch.
#[derive(Debug, Clone)]
pub(super) struct PatchLocal {
    mu: f64,
    pub(super) levers: Vec<f64>,
    own: [[f64; 2]; 2],
    tangential: Tangential,
}

impl PatchLocal {
    /// A patch with its diagonal block, row-major.
    pub(super) fn new(patch: &Law, own: &[f64]) -> Self {
        let own = of_tangents(patch.contact_points(), own);
        Self {
            mu: patch.mu(),
            levers: patch.levers().to_vec(),
            own,
            tangential: Tangential::new(own),
        }
    }

    /// The same in the memory of this one.
    pub(super) fn renew(&mut self, patch: &Law, own: &[f64]) {
        self.mu = patch.mu();
        self.levers.clear();
        self.levers.extend_from_slice(patch.levers());
        self.own = of_tangents(patch.contact_points(), own);
        self.tangential = Tangential::new(self.own);
    }

    /// Normals row by row, the tangents together in their disc, the twist; false, with the normals
    /// updated, if the tangents have no solution.
    #[inline(always)]
    pub(super) fn update<V: BlockView>(&self, view: &mut V, omega: f64) -> bool {
        let first = self.levers.len();
        for row in 0..first {
            normal_row(view, row, omega);
        }
        let PatchLoad { normal, moment } = patch_load(view, &self.levers);
        let radius = self.mu * normal;
        let old = [view.impulse(first), view.impulse(first + 1)];
        let s = [
            view.velocity(first) - self.own[0][0] * old[0] - self.own[0][1] * old[1],
            view.velocity(first + 1) - self.own[1][0] * old[0] - self.own[1][1] * old[1],
        ];
        let guess = self.tangential.rayleigh(s, old);
        let Some((mut t, _)) = solve_disc(&self.tangential, s, radius, guess) else {
            return false;
        };
        if omega != 1.0 {
            t = [0, 1].map(|i| old[i] + omega * (t[i] - old[i]));
            t = project_disc(t, radius);
        }
        view.set_impulse(first, t[0]);
        view.set_impulse(first + 1, t[1]);
        interval_row(view, first + 2, omega, self.mu * moment);
        true
    }
}

/// W of the tangents.
fn of_tangents(first: usize, own: &[f64]) -> [[f64; 2]; 2] {
    let dim = first + 3;
    [0, 1].map(|i| [0, 1].map(|j| own[(first + i) * dim + first + j]))
}
