//! Bundles of blocks of one to seven rows on two bodies: joints, limits, motors, patches, and contacts that are no
//! points. One block per lane.
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

use delassus_core::{BodyRows, Friction, Law, MassProperties, Problem, Traffic};

use super::manifold::{EMPTY, filled, gathered};
use super::scaling::{LaneRows, Scaling};
use super::velocities::{FIXED, single};
use crate::laws::own_block;
use crate::small::invert;
use delassus_structure::geometry::pair;

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
    matrices: Vec<[[[f64; N]; D]; D]>,
    /// Block of every lane; [`EMPTY`] for none.
    pub(crate) blocks: Vec<[u32; N]>,
}

/// The law of a block, if a bundle can hold its rows.
pub(crate) fn row_law(problem: &Problem, block: usize, own: &mut Vec<f64>) -> Option<RowLaw> {
    let entry = &problem.blocks()[block];
    let law = match &entry.law {
        // a point joint and a weld; the others keep the order of their rows
        Law::Equality if matches!(entry.dim, 3 | 6) => {
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

    fn pack_scaling(&mut self, lane: usize, law: RowLaw, scaling: &Scaling<D>) {
        if law == RowLaw::Cone {
            self.lower[lane] = single(scaling.alone / scaling.mass[0]);
        }
        for i in 0..D {
            self.mass[i][lane] = single(scaling.mass[i]);
            for j in 0..D {
                self.own[i][j][lane] = single(scaling.own[i][j]);
            }
        }
    }

    fn pack_law(&mut self, lane: usize, law: &Law) {
        let (lower, upper) = match law {
            Law::Equality => (f64::NEG_INFINITY, f64::INFINITY),
            Law::Bounds { lower, upper } => (*lower, *upper),
            Law::Contact(Friction::FixedBox { limit }) => (*limit, 0.0),
            Law::Contact(friction) => (0.0, friction.mu()),
            Law::Patch(patch) => {
                for (to, lever) in self.levers.iter_mut().zip(&patch.levers) {
                    to[lane] = single(*lever);
                }
                (0.0, patch.mu)
            }
        };
        self.lower[lane] = single(lower);
        self.upper[lane] = single(upper);
    }
}

/// A_cc of a block into a lane.
fn own_matrix<const N: usize, const D: usize>(
    problem: &Problem,
    block: usize,
    matrix: &mut [[[f64; N]; D]; D],
    lane: usize,
    work: &mut Vec<f64>,
) {
    work.clear();
    work.resize(D * D, 0.0);
    problem.diagonal_block(block, work);
    for i in 0..D {
        for j in 0..D {
            matrix[i][j][lane] = work[i * D + j];
        }
    }
}

/// Effective masses of the block in a lane, with the compliance of the problem.
fn soften<const N: usize, const D: usize>(
    law: RowLaw,
    problem: &Problem,
    block: usize,
    matrix: &[[[f64; N]; D]; D],
    lane: usize,
    work: &mut Vec<f64>,
) -> Scaling<D> {
    work.clear();
    for i in 0..D {
        work.extend((0..D).map(|j| matrix[i][j][lane]));
    }
    for (local, row) in problem.blocks()[block].rows().enumerate() {
        work[local * D + local] += problem.compliance()[row];
    }
    Scaling::new(law, work)
}

fn pack_masses<const N: usize>(
    to: &mut Masses<N>,
    lane: usize,
    mass: [Option<&MassProperties>; 2],
) {
    for (side, mass) in mass.into_iter().enumerate() {
        // the world is immovable
        let mass = mass.copied().unwrap_or_else(MassProperties::immovable);
        let m = &mass.inverse_inertia;
        let inertia = [
            m[(0, 0)],
            m[(0, 1)],
            m[(0, 2)],
            m[(1, 1)],
            m[(1, 2)],
            m[(2, 2)],
        ];
        for axis in 0..3 {
            to.linear[side][axis][lane] = single(mass.inverse_mass[axis]);
        }
        for (entry, value) in inertia.into_iter().enumerate() {
            to.inertia[side][entry][lane] = single(value);
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

    /// Writes Jacobians, masses, laws, and everything that depends on the compliance; not the impulses.
    pub(crate) fn pack(&mut self, problem: &Problem, bodies: &BodyRows, work: &mut Vec<f64>) {
        for (index, lanes) in self.blocks.iter().enumerate() {
            let bundle = &mut self.bundles[index];
            for (lane, block) in filled(lanes) {
                let Some(pair) = pair(bodies, block) else {
                    continue;
                };
                let rows = LaneRows::<D>::new(bodies, block);
                let matrix = &mut self.matrices[index];
                own_matrix(problem, block, matrix, lane, work);
                let scaling = soften(self.law, problem, block, matrix, lane, work);
                for side in 0..2 {
                    bundle.bodies[side][lane] = pair.slots[side];
                }
                bundle.pack_law(lane, &problem.blocks()[block].law);
                bundle.pack_scaling(lane, self.law, &scaling);
                for entry in 0..12 {
                    let mut column = [0.0; D];
                    for row in 0..D {
                        column[row] = rows.jacobian[row][entry];
                    }
                    if let Responses::Projection(responses) = &mut self.responses {
                        column = scaling.fold(self.law, column);
                        for row in 0..D {
                            responses[index][row][entry][lane] = single(rows.response[row][entry]);
                        }
                    }
                    for row in 0..D {
                        bundle.jacobian[row][entry][lane] = single(column[row]);
                    }
                }
                if let Responses::Recompute(masses) = &mut self.responses {
                    pack_masses(&mut masses[index], lane, pair.mass);
                }
            }
        }
        self.refresh(problem);
    }

    /// Takes over what the compliance changes; [`Self::refresh`] has to follow.
    ///
    /// The projection layout has the effective masses inside its rows, and packs them again.
    pub(crate) fn refresh_compliance(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        work: &mut Vec<f64>,
    ) {
        if matches!(self.responses, Responses::Projection(_)) {
            self.pack(problem, bodies, work);
            return;
        }
        let lanes = self.blocks.iter().zip(&self.matrices);
        for (bundle, (lanes, matrix)) in self.bundles.iter_mut().zip(lanes) {
            for (lane, block) in filled(lanes) {
                let scaling = soften(self.law, problem, block, matrix, lane, work);
                bundle.pack_scaling(lane, self.law, &scaling);
            }
        }
    }

    /// Takes over bias, softness and activity; the compliance is that of [`Self::pack`].
    pub(crate) fn refresh(&mut self, problem: &Problem) {
        let projection = matches!(self.responses, Responses::Projection(_));
        for (bundle, lanes) in self.bundles.iter_mut().zip(&self.blocks) {
            for (lane, block) in filled(lanes) {
                let first = problem.blocks()[block].first_row;
                let (bias, softness) = (problem.bias(), problem.compliance());
                for row in 0..D {
                    let (mut b, mut r) = (bias[first + row], softness[first + row]);
                    if projection && self.law == RowLaw::Solved {
                        b = (0..D)
                            .map(|j| f64::from(bundle.own[row][j][lane]) * bias[first + j])
                            .sum();
                    } else if projection {
                        let mass = f64::from(bundle.mass[row][lane]);
                        (b, r) = (mass * b, mass * r);
                    }
                    bundle.bias[row][lane] = single(b);
                    bundle.softness[row][lane] = single(r);
                }
                // 0 to 7
                bundle.active[lane] = problem.active_dim(block).min(MAX_ROWS) as f32;
            }
        }
    }

    /// Takes over the impulses of all rows.
    pub(crate) fn write_impulses(&mut self, problem: &Problem, impulses: &[f64]) {
        for (bundle, lanes) in self.bundles.iter_mut().zip(&self.blocks) {
            for (lane, block) in filled(lanes) {
                let first = problem.blocks()[block].first_row;
                for row in 0..D {
                    bundle.impulse[row][lane] = single(impulses[first + row]);
                }
            }
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
