//! Bundles of blocks of one to seven rows on two bodies: limits, motors, cones, and all joints, patches and contacts whose
//! rows do not show a point. One block per lane.
//!
//! Two layouts hold the same numbers differently (W.7, W.8), for `N` lanes and `D` rows:
//!
//! ```text
//! RowsBundle<N, D>                 recompute              projection (26 numbers per row and its λ)
//!   bodies[2]                      index A, index B       the same
//!   jacobian[D][12]                J                      Jacobian times effective mass: velocity to impulse
//!   impulse[D], bias[D]            λ, b                   λ, bias times effective mass
//!   softness[D]                    R                      softness times effective mass
//!   mass[D]                        effective masses       unused
//!   own[D][D]                      what rows do to each other, or the inverse of the block
//! beside it, per bundle
//!   Masses<N>                      M⁻¹ of both bodies     –
//!   responses[D][12]               –                      M⁻¹Jᵀ: impulse to velocity
//! ```

use delassus_core::{Friction, Law, Problem, Traffic};

use super::manifold::{EMPTY, filled, gathered};
use super::velocities::FIXED;
use crate::laws::own_block;
use crate::small::invert;

/// Rows of a block that a bundle can hold \[-\]: the patch of a manifold of four points has seven.
pub(crate) const MAX_ROWS: usize = 7;

/// How the rows of a block are updated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RowLaw {
    /// Each within bounds; none for joints.
    Bounded,
    /// All at once by the inverse of the block.
    Solved,
    /// A normal; the other rows are zero.
    Frictionless,
    /// A normal, and rows within limit + μ λ_n.
    Box,
    /// A normal, and one or two rows within the disc μ λ_n.
    Disc,
    /// All rows in the convex cone.
    Cone,
    /// Normals, two tangents in a disc, a twist.
    Patch,
}

/// `N` blocks of `D` rows.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct RowsBundle<const N: usize, const D: usize> {
    pub(crate) bodies: [[u32; N]; 2],
    pub(crate) jacobian: [[[f32; N]; 12]; D],
    pub(crate) impulse: [[f32; N]; D],
    pub(crate) bias: [[f32; N]; D],
    pub(crate) softness: [[f32; N]; D],
    pub(crate) mass: [[f32; N]; D],
    pub(crate) own: [[[f32; N]; D]; D],
    /// Lower bound, or the bound of friction that does not depend on the load \[N·s\]; of a cone, the effective mass
    /// of its normal over its step \[-\].
    pub(crate) lower: [f32; N],
    /// Upper bound \[N·s\], or μ \[-\].
    pub(crate) upper: [f32; N],
    /// Distance of each point from the middle of a patch \[m\].
    pub(crate) levers: [[f32; N]; D],
    /// Leading rows that are solved for.
    pub(crate) active: [f32; N],
}

/// M⁻¹ of both bodies.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct Masses<const N: usize> {
    pub(crate) linear: [[[f32; N]; 3]; 2],
    pub(crate) inertia: [[[f32; N]; 6]; 2],
}

/// M⁻¹Jᵀ of `N` blocks.
pub(crate) type Response<const N: usize, const D: usize> = [[[f32; N]; 12]; D];

/// How M⁻¹Jᵀ is had: the layout.
#[derive(Debug, Clone)]
pub(crate) enum Responses<const N: usize, const D: usize> {
    /// From the masses, in every visit.
    Recompute(Vec<Masses<N>>),
    /// Stored.
    Projection(Vec<Response<N, D>>),
}

/// The blocks of one kind in one colour.
#[derive(Debug, Clone)]
pub(crate) struct RowBlocks<const N: usize, const D: usize> {
    pub(crate) law: RowLaw,
    pub(crate) bundles: Vec<RowsBundle<N, D>>,
    pub(crate) responses: Responses<N, D>,
    /// A_cc of every lane, from which new masses follow when the compliance changes.
    pub(crate) matrices: Vec<[[[f64; N]; D]; D]>,
    /// Block of every lane; [`EMPTY`] for none.
    pub(crate) blocks: Vec<[u32; N]>,
}

/// The law of a block, if a bundle can hold its rows.
pub(crate) fn row_law(problem: &Problem, block: usize, own: &mut Vec<f64>) -> Option<RowLaw> {
    let entry = &problem.blocks()[block];
    let law = match &entry.law {
        // what holds a point: ball joint, universal joint, hinge, weld; the others keep the order of their rows
        Law::Equality if (3..=6).contains(&entry.dim) => {
            own_block(problem, block, own);
            if invert(own, entry.dim) {
                RowLaw::Solved
            } else {
                RowLaw::Bounded
            }
        }
        Law::Equality | Law::Bounds { .. } => RowLaw::Bounded,
        Law::Contact(Friction::Frictionless) => RowLaw::Frictionless,
        Law::Contact(Friction::FixedBox { .. } | Friction::Pyramid { .. }) => RowLaw::Box,
        Law::Contact(Friction::Disc { .. } | Friction::Coulomb { .. }) => RowLaw::Disc,
        Law::Contact(Friction::ConvexCone { .. }) => RowLaw::Cone,
        Law::Patch(_) => RowLaw::Patch,
    };
    (entry.dim <= MAX_ROWS).then_some(law)
}

impl<const N: usize, const D: usize> RowsBundle<N, D> {
    fn empty(world: u32) -> Self {
        Self {
            bodies: [[world | FIXED; N]; 2],
            jacobian: [[[0.0; N]; 12]; D],
            impulse: [[0.0; N]; D],
            bias: [[0.0; N]; D],
            softness: [[0.0; N]; D],
            mass: [[0.0; N]; D],
            own: [[[0.0; N]; D]; D],
            lower: [0.0; N],
            upper: [0.0; N],
            levers: [[0.0; N]; D],
            active: [0.0; N],
        }
    }
}

impl<const N: usize, const D: usize> RowBlocks<N, D> {
    pub(crate) fn new(law: RowLaw, projection: bool) -> Self {
        Self {
            law,
            bundles: Vec::new(),
            responses: if projection {
                Responses::Projection(Vec::new())
            } else {
                Responses::Recompute(Vec::new())
            },
            matrices: Vec::new(),
            blocks: Vec::new(),
        }
    }

    /// Room for one lane per block.
    pub(crate) fn assign(&mut self, world: u32, blocks: &[u32]) {
        let bundles = blocks.len().div_ceil(N);
        self.bundles.clear();
        self.bundles.resize(bundles, RowsBundle::empty(world));
        match &mut self.responses {
            Responses::Recompute(masses) => {
                masses.clear();
                masses.resize(bundles, Masses::<N>::EMPTY);
            }
            Responses::Projection(rows) => {
                rows.clear();
                rows.resize(bundles, [[[0.0; N]; 12]; D]);
            }
        }
        self.matrices.clear();
        self.matrices.resize(bundles, [[[0.0; N]; D]; D]);
        self.blocks.clear();
        for chunk in blocks.chunks(N) {
            let mut lanes = [EMPTY; N];
            lanes[..chunk.len()].copy_from_slice(chunk);
            self.blocks.push(lanes);
        }
    }

    /// Bytes of one sweep: what the law reads of a bundle.
    pub(crate) fn traffic(&self) -> Traffic {
        let projection = matches!(self.responses, Responses::Projection(_));
        let normals = D.saturating_sub(3);
        // entries of the block's own matrix
        let own = match self.law {
            RowLaw::Solved => D * D,
            RowLaw::Bounded | RowLaw::Box => D * (D - 1) / 2,
            RowLaw::Disc => D - 1,
            RowLaw::Frictionless | RowLaw::Cone => 0,
            // normals reach all rows after them, the tangents the twist
            RowLaw::Patch => (0..normals).map(|row| D - 1 - row).sum::<usize>() + 2,
        };
        let levers = if self.law == RowLaw::Patch {
            normals
        } else {
            0
        };
        let masses = if projection || self.law == RowLaw::Solved {
            0
        } else {
            D
        };
        // two bodies, J, λ, b and R, two bounds, the active rows; then the responses or the masses of two bodies
        let lane = 2 + 12 * D + 3 * D + 3 + own + levers + masses;
        let lane = lane + if projection { 12 * D } else { 18 };
        let lanes = self.bundles.len() * N * size_of::<f32>();
        Traffic {
            read: (lanes * lane) as u64,
            written: (lanes * D) as u64,
            gathered: gathered(self.bundles.iter().map(|bundle| &bundle.bodies)),
        }
    }

    /// Copies the impulses of all rows out.
    pub(crate) fn read_impulses(&self, first_rows: &[u32], out: &mut [f64]) {
        for (bundle, lanes) in self.bundles.iter().zip(&self.blocks) {
            for (lane, block) in filled(lanes) {
                let first = first_rows[block] as usize;
                for row in 0..D {
                    out[first + row] = f64::from(bundle.impulse[row][lane]);
                }
            }
        }
    }
}

impl<const N: usize> Masses<N> {
    const EMPTY: Self = Self {
        linear: [[[0.0; N]; 3]; 2],
        inertia: [[[0.0; N]; 6]; 2],
    };
}
