//! Bundles of manifolds of normals: one to four points that share a direction, without friction or with that of a patch.
//! One manifold per lane.
//!
//! Layout of a bundle of `N` lanes, arrays of `N` numbers in this order; friction lies beside it, if there is any:
//!
//! ```text
//! NormalBundle<N, P>                        NormalPoint<N>, P times        PatchFriction<N, P>
//! ┌──────────────────────────────────┐      ┌────────────────────────┐    ┌──────────────────────────────┐
//! │ bodies[2]      index A, index B  │      │ arm[2]    r_B, t and s │    │ coefficient  μ               │
//! │ normal[3]      world axes        │      │ impulse   λ_n          │    │ solved       0 if held       │
//! │ tangent[3]     world axes        │      │ bias                   │    │ between      c_B − c_A on n  │
//! │ between[2]     c_B − c_A, t and s│      │ softness  R            │    │ middle[3]    from c_B, local │
//! │ inertia[2][6]  local, 1/(kg·m²)  │      │ mass      effective    │    │ levers[P]    ℓ               │
//! │ mass[2]        1/kg              │      └────────────────────────┘    │ impulse[3]   λ_t, λ_s, λ_τ   │
//! └──────────────────────────────────┘                                    │ bias[3], softness[3]         │
//!                                                                         │ mass[2]      tangents, twist │
//!                                                                         └──────────────────────────────┘
//! ```
//!
//! Four points take 192 bytes per lane, with friction 272; the rows of the patch would take 636. Along the normal an arm
//! has no effect on a normal, so points hold two of its components.
//!
//! Theory: docs/theory/14-wide.md.

use delassus_core::{BodyRows, Law, Problem, Refresh, Traffic};
use delassus_structure::geometry::{FIXED, local_inertia, pair};
use delassus_structure::normals::{NormalManifold, normal_manifold};

use super::manifold::{EMPTY, filled, gathered};
use super::numbers::three;
use super::velocities::single;
use crate::laws::own_block;
use crate::small::largest_eigenvalue_2;

/// One normal of `N` manifolds, in the axes of its manifold.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct NormalPoint<const N: usize> {
    pub(crate) arm: [[f32; N]; 2],
    pub(crate) impulse: [f32; N],
    pub(crate) bias: [f32; N],
    pub(crate) softness: [f32; N],
    /// Effective mass \[kg\].
    pub(crate) mass: [f32; N],
}

/// `N` manifolds of `P` normals.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct NormalBundle<const N: usize, const P: usize> {
    pub(crate) bodies: [[u32; N]; 2],
    pub(crate) normal: [[f32; N]; 3],
    pub(crate) tangent: [[f32; N]; 3],
    pub(crate) between: [[f32; N]; 2],
    pub(crate) inertia: [[[f32; N]; 6]; 2],
    pub(crate) mass: [[f32; N]; 2],
    pub(crate) points: [NormalPoint<N>; P],
}

/// Two tangents and a twist of `N` patches.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct PatchFriction<const N: usize, const P: usize> {
    pub(crate) coefficient: [f32; N],
    /// One where the three rows are solved for, otherwise zero.
    pub(crate) solved: [f32; N],
    pub(crate) between: [f32; N],
    pub(crate) middle: [[f32; N]; 3],
    /// Distance of each point from the middle \[m\].
    pub(crate) levers: [[f32; N]; P],
    pub(crate) impulse: [[f32; N]; 3],
    pub(crate) bias: [[f32; N]; 3],
    pub(crate) softness: [[f32; N]; 3],
    /// Step of the tangents \[kg\], effective mass of the twist \[kg·m²\].
    pub(crate) mass: [[f32; N]; 2],
}

/// The manifolds of so many normals in one colour.
#[derive(Debug, Clone)]
pub(crate) struct Normals<const N: usize, const P: usize> {
    pub(crate) bundles: Vec<NormalBundle<N, P>>,
    /// Empty without friction.
    pub(crate) friction: Vec<PatchFriction<N, P>>,
    /// One per normal that is solved for, otherwise zero; empty if all are.
    pub(crate) solved: Vec<[[f32; N]; P]>,
    /// First block of every lane; [`EMPTY`] for none. The rows of a manifold follow each other.
    pub(crate) blocks: Vec<[u32; N]>,
    /// A_st of every lane \[1/kg\]: the step of the tangents follows from it when the softness changes.
    couplings: Vec<[f64; N]>,
    /// True if the manifolds are patches.
    patch: bool,
}

impl<const N: usize, const P: usize> NormalBundle<N, P> {
    const POINT: NormalPoint<N> = NormalPoint {
        arm: [[0.0; N]; 2],
        impulse: [0.0; N],
        bias: [0.0; N],
        softness: [0.0; N],
        mass: [0.0; N],
    };

    fn empty(world: u32) -> Self {
        Self {
            bodies: [[world | FIXED; N]; 2],
            normal: [[0.0; N]; 3],
            tangent: [[0.0; N]; 3],
            between: [[0.0; N]; 2],
            inertia: [[[0.0; N]; 6]; 2],
            mass: [[0.0; N]; 2],
            points: [Self::POINT; P],
        }
    }

    fn pack(&mut self, lane: usize, bodies: &BodyRows, first: usize, found: &NormalManifold) {
        let Some(pair) = pair(bodies, first) else {
            return;
        };
        for side in 0..2 {
            self.bodies[side][lane] = pair.slots[side];
            let mass = pair.mass[side];
            self.mass[side][lane] = single(mass.map_or(0.0, |mass| mass.inverse_mass.x));
            let inertia = local_inertia(mass, &found.frame);
            for (to, from) in self.inertia[side].iter_mut().zip(inertia) {
                to[lane] = single(from);
            }
        }
        for axis in 0..3 {
            self.normal[axis][lane] = single(found.frame[0][axis]);
            self.tangent[axis][lane] = single(found.frame[1][axis]);
        }
        for axis in 0..2 {
            self.between[axis][lane] = single(found.between[axis + 1]);
            for (point, arm) in self.points.iter_mut().zip(&found.arms) {
                point.arm[axis][lane] = single(arm[axis]);
            }
        }
    }
}

impl<const N: usize, const P: usize> PatchFriction<N, P> {
    const EMPTY: Self = Self {
        coefficient: [0.0; N],
        solved: [0.0; N],
        between: [0.0; N],
        middle: [[0.0; N]; 3],
        levers: [[0.0; N]; P],
        impulse: [[0.0; N]; 3],
        bias: [[0.0; N]; 3],
        softness: [[0.0; N]; 3],
        mass: [[0.0; N]; 2],
    };

    fn pack(&mut self, lane: usize, law: &Law, found: &NormalManifold) {
        if let Law::Patch(patch) = law {
            self.coefficient[lane] = single(patch.mu);
            for (to, lever) in self.levers.iter_mut().zip(&patch.levers) {
                to[lane] = single(*lever);
            }
        }
        self.between[lane] = single(found.between[0]);
        for axis in 0..3 {
            self.middle[axis][lane] = single(found.middle[axis]);
        }
    }

    /// Softness and masses of one lane; `coupling` is A_st.
    fn soften(&mut self, lane: usize, problem: &Problem, row: usize, coupling: f64) {
        let softness = three(problem.compliance(), row);
        let diagonal = three(problem.diagonal(), row);
        let own = [0, 1, 2].map(|axis| diagonal[axis] + softness[axis]);
        let largest = largest_eigenvalue_2([[own[0], coupling], [coupling, own[1]]]);
        for axis in 0..3 {
            self.softness[axis][lane] = single(softness[axis]);
        }
        self.mass[0][lane] = single(1.0 / largest);
        self.mass[1][lane] = single(1.0 / own[2]);
    }
}

impl<const N: usize, const P: usize> Normals<N, P> {
    pub(crate) fn new(patch: bool) -> Self {
        Self {
            bundles: Vec::new(),
            friction: Vec::new(),
            solved: Vec::new(),
            blocks: Vec::new(),
            couplings: Vec::new(),
            patch,
        }
    }

    /// Room for one lane per first block.
    pub(crate) fn assign(&mut self, world: u32, first_blocks: &[u32]) {
        let bundles = first_blocks.len().div_ceil(N);
        self.bundles.clear();
        self.bundles.resize(bundles, NormalBundle::empty(world));
        self.solved.clear();
        self.friction.clear();
        self.couplings.clear();
        if self.patch {
            self.friction.resize(bundles, PatchFriction::EMPTY);
            self.couplings.resize(bundles, [0.0; N]);
        }
        self.blocks.clear();
        for chunk in first_blocks.chunks(N) {
            let mut lanes = [EMPTY; N];
            lanes[..chunk.len()].copy_from_slice(chunk);
            self.blocks.push(lanes);
        }
    }

    /// Writes everything; false if a block is no longer what the plan says.
    pub(crate) fn pack(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        impulses: &[f64],
        work: &mut Vec<f64>,
    ) -> bool {
        let mut fits = true;
        for (index, lanes) in self.blocks.iter().enumerate() {
            for (lane, first) in filled(lanes) {
                let found = normal_manifold(problem, bodies, first, P);
                let kind = (P, self.patch);
                let Some(found) = found.filter(|found| (found.points, found.patch) == kind) else {
                    fits = false;
                    continue;
                };
                let bundle = &mut self.bundles[index];
                bundle.pack(lane, bodies, first, &found);
                let block = &problem.blocks()[first];
                for (point, impulse) in bundle.points.iter_mut().zip(&impulses[block.first_row..]) {
                    point.impulse[lane] = single(*impulse);
                }
                if let Some(friction) = self.friction.get_mut(index) {
                    friction.pack(lane, &block.law, &found);
                    let impulse = three(impulses, block.first_row + P);
                    for axis in 0..3 {
                        friction.impulse[axis][lane] = single(impulse[axis]);
                    }
                    own_block(problem, first, work);
                    self.couplings[index][lane] = work[P * block.dim + P + 1];
                }
            }
        }
        if fits {
            self.refresh(problem, Refresh::ALL);
        }
        fits
    }

    /// Takes over what changed.
    pub(crate) fn refresh(&mut self, problem: &Problem, what: Refresh) {
        if what.bias {
            self.refresh_bias(problem);
        }
        if what.compliance {
            self.refresh_compliance(problem);
        }
        if what.activity {
            self.refresh_activity(problem);
        }
    }

    fn refresh_bias(&mut self, problem: &Problem) {
        for (index, (bundle, lanes)) in self.bundles.iter_mut().zip(&self.blocks).enumerate() {
            for (lane, first) in filled(lanes) {
                let row = problem.blocks()[first].first_row;
                for (point, bias) in bundle.points.iter_mut().zip(&problem.bias()[row..]) {
                    point.bias[lane] = single(*bias);
                }
                if let Some(friction) = self.friction.get_mut(index) {
                    let bias = three(problem.bias(), row + P);
                    for axis in 0..3 {
                        friction.bias[axis][lane] = single(bias[axis]);
                    }
                }
            }
        }
    }

    fn refresh_compliance(&mut self, problem: &Problem) {
        let (diagonal, softness) = (problem.diagonal(), problem.compliance());
        for (index, (bundle, lanes)) in self.bundles.iter_mut().zip(&self.blocks).enumerate() {
            for (lane, first) in filled(lanes) {
                let row = problem.blocks()[first].first_row;
                for (local, point) in bundle.points.iter_mut().enumerate() {
                    let soft = softness[row + local];
                    point.softness[lane] = single(soft);
                    point.mass[lane] = single(1.0 / (diagonal[row + local] + soft));
                }
                if let Some(friction) = self.friction.get_mut(index) {
                    friction.soften(lane, problem, row + P, self.couplings[index][lane]);
                }
            }
        }
    }

    fn refresh_activity(&mut self, problem: &Problem) {
        self.solved.clear();
        if !problem.all_active() {
            self.solved.resize(self.bundles.len(), [[1.0; N]; P]);
        }
        for (index, lanes) in self.blocks.iter().enumerate() {
            for (lane, first) in filled(lanes) {
                let active = |block: usize, row: usize| {
                    let solved = problem.active_dim(block) > row;
                    f32::from(u8::from(solved))
                };
                if let Some(friction) = self.friction.get_mut(index) {
                    friction.solved[lane] = active(first, P);
                }
                let Some(solved) = self.solved.get_mut(index) else {
                    continue;
                };
                for (local, solved) in solved.iter_mut().enumerate() {
                    solved[lane] = if self.patch {
                        active(first, local)
                    } else {
                        active(first + local, 0)
                    };
                }
            }
        }
    }

    /// Bytes of one sweep, empty lanes included.
    pub(crate) fn traffic(&self) -> Traffic {
        let rows = P + if self.patch { 3 } else { 0 };
        let read = size_of_val(self.bundles.as_slice())
            + size_of_val(self.friction.as_slice())
            + size_of_val(self.solved.as_slice());
        Traffic {
            read: read as u64,
            written: (self.bundles.len() * rows * size_of::<[f32; N]>()) as u64,
            gathered: gathered(self.bundles.iter().map(|bundle| &bundle.bodies)),
        }
    }

    /// Copies the impulses of all rows out.
    pub(crate) fn read_impulses(&self, first_rows: &[u32], out: &mut [f64]) {
        for (index, (bundle, lanes)) in self.bundles.iter().zip(&self.blocks).enumerate() {
            for (lane, first) in filled(lanes) {
                let row = first_rows[first] as usize;
                for (out, point) in out[row..].iter_mut().zip(&bundle.points) {
                    *out = f64::from(point.impulse[lane]);
                }
                if let Some(friction) = self.friction.get(index) {
                    for (axis, out) in out[row + P..row + P + 3].iter_mut().enumerate() {
                        *out = f64::from(friction.impulse[axis][lane]);
                    }
                }
            }
        }
    }
}
