//! Row-by-row update of every law: the rule of `pgs` and `psor`.

use delassus_core::{Friction, Law, Patch, Problem};

use crate::small::largest_eigenvalue;
use crate::sweep::Rule;
use crate::view::BlockView;

/// Projects λ − ω D⁻¹ w onto the set of each law, row by row (G.1–G.6).
#[derive(Debug, Clone)]
pub struct RowRule {
    omega: f64,
    kernels: Vec<LawKernel>,
    patches: Vec<PatchKernel>,
}

/// A law with the step of its coupled rows. The steps contain ω.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LawKernel {
    Free,
    Bounded {
        lower: f64,
        upper: f64,
    },
    Frictionless,
    /// F1 with `mu` zero, F2 with `limit` zero.
    Box {
        limit: f64,
        mu: f64,
    },
    /// F3 and F5, which have the same solutions. \[-\], \[kg\]
    Disc {
        mu: f64,
        step: f64,
    },
    Cone {
        mu: f64,
        step: f64,
    },
    /// Index into the patches.
    Patch(usize),
}

/// One manifold with patch friction.
#[derive(Debug, Clone)]
pub(crate) struct PatchKernel {
    pub(crate) mu: f64,
    /// Step of the two tangents \[kg\].
    pub(crate) step: f64,
    pub(crate) levers: Vec<f64>,
}

impl PatchKernel {
    fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(self.levers.as_slice())
    }
}

/// The kernels of all blocks; tangents and cones step with ω / λ_max of their diagonal block.
pub(crate) fn kernels(problem: &Problem, omega: f64) -> (Vec<LawKernel>, Vec<PatchKernel>) {
    let mut patches = Vec::new();
    let mut own = Vec::new();
    let blocks = 0..problem.blocks().len();
    let kernels = blocks
        .map(|index| kernel_of(problem, index, omega, &mut patches, &mut own))
        .collect();
    (kernels, patches)
}

/// The kernel of one block; `own` is workspace.
fn kernel_of(
    problem: &Problem,
    index: usize,
    omega: f64,
    patches: &mut Vec<PatchKernel>,
    own: &mut Vec<f64>,
) -> LawKernel {
    let block = &problem.blocks()[index];
    match &block.law {
        Law::Equality => LawKernel::Free,
        Law::Bounds { lower, upper } => LawKernel::Bounded {
            lower: *lower,
            upper: *upper,
        },
        Law::Contact(friction) => match *friction {
            Friction::Frictionless => LawKernel::Frictionless,
            Friction::FixedBox { limit } => LawKernel::Box { limit, mu: 0.0 },
            Friction::Pyramid { mu } => LawKernel::Box { limit: 0.0, mu },
            Friction::Disc { mu } | Friction::Coulomb { mu } => {
                own_block(problem, index, own);
                let step = omega / largest_of(own, block.dim, 1, block.dim);
                LawKernel::Disc { mu, step }
            }
            Friction::ConvexCone { mu } => {
                own_block(problem, index, own);
                let step = omega / largest_of(own, block.dim, 0, block.dim);
                LawKernel::Cone { mu, step }
            }
        },
        Law::Patch(patch) => {
            own_block(problem, index, own);
            patches.push(patch_kernel(patch, own, omega));
            LawKernel::Patch(patches.len() - 1)
        }
    }
}

fn patch_kernel(patch: &Patch, own: &[f64], omega: f64) -> PatchKernel {
    let normals = patch.levers.len();
    PatchKernel {
        mu: patch.mu,
        step: omega / largest_of(own, normals + 3, normals, normals + 2),
        levers: patch.levers.clone(),
    }
}

/// W = A_cc + R_cc of one block, row-major.
pub(crate) fn own_block(problem: &Problem, index: usize, out: &mut Vec<f64>) {
    let block = &problem.blocks()[index];
    out.clear();
    out.resize(block.dim * block.dim, 0.0);
    problem.diagonal_block(index, out);
    for (local, row) in block.rows().enumerate() {
        out[local * block.dim + local] += problem.compliance()[row];
    }
}

/// λ_max of the rows and columns `first..last` of a row-major block, at most three of them.
pub(crate) fn largest_of(own: &[f64], dim: usize, first: usize, last: usize) -> f64 {
    let rows = first..last;
    let part: Vec<f64> = rows
        .clone()
        .flat_map(|i| rows.clone().map(move |j| own[i * dim + j]))
        .collect();
    largest_eigenvalue(&part)
}

impl RowRule {
    /// `omega` in (0, 2); one is projected Gauss–Seidel.
    pub(crate) fn new(omega: f64) -> Self {
        Self {
            omega,
            kernels: Vec::new(),
            patches: Vec::new(),
        }
    }

    /// Takes over some blocks only: `update` then counts them from zero.
    pub(crate) fn build_some(&mut self, problem: &Problem, blocks: &[u32]) {
        let (omega, mut own) = (self.omega, Vec::new());
        self.kernels.clear();
        self.patches.clear();
        for block in blocks {
            let kernel = kernel_of(problem, *block as usize, omega, &mut self.patches, &mut own);
            self.kernels.push(kernel);
        }
    }
}

/// Bytes that [`kernels`] takes: the largest block whose tangents are looked at, and the kernels.
pub(crate) fn kernel_memory(problem: &Problem) -> u64 {
    let kernels = size_of::<LawKernel>() * problem.blocks().len();
    problem.largest_square_memory(|block| block.law.normals(block.dim) < block.dim) + kernels as u64
}

impl Rule for RowRule {
    fn memory(problem: &Problem) -> u64 {
        kernel_memory(problem)
    }

    fn build(&mut self, problem: &Problem) {
        (self.kernels, self.patches) = kernels(problem, self.omega);
    }

    fn bytes(&self) -> Option<u64> {
        let patches = self.patches.iter().map(PatchKernel::bytes).sum::<usize>();
        Some((size_of_val(self.kernels.as_slice()) + patches) as u64)
    }

    #[inline(always)]
    fn update<V: BlockView>(&mut self, block: usize, active: usize, view: &mut V) {
        let omega = self.omega;
        match self.kernels[block] {
            LawKernel::Free => (0..active).for_each(|row| free_row(view, row, omega)),
            LawKernel::Bounded { lower, upper } => {
                (0..active).for_each(|row| bounded_row(view, row, omega, lower, upper));
            }
            LawKernel::Frictionless => {
                normal_row(view, 0, omega);
                (1..active).for_each(|row| view.set_impulse(row, 0.0));
            }
            LawKernel::Box { limit, mu } => {
                normal_row(view, 0, omega);
                for row in 1..active {
                    let limit = limit + mu * view.impulse(0);
                    bounded_row(view, row, omega, -limit, limit);
                }
            }
            LawKernel::Disc { mu, step } => {
                normal_row(view, 0, omega);
                match active {
                    2 => interval_row(view, 1, omega, mu * view.impulse(0)),
                    3 => disc_rows(view, 1, step, mu * view.impulse(0)),
                    _ => {}
                }
            }
            LawKernel::Cone { mu, step } => match active {
                2 => cone_rows_2(view, step, mu),
                3 => cone_rows_3(view, step, mu),
                _ => normal_row(view, 0, omega),
            },
            LawKernel::Patch(index) => patch_rows(view, &self.patches[index], omega, active),
        }
    }
}

/// λ ← λ − ω w / D (G.2 with no bounds).
#[inline(always)]
pub(crate) fn free_row<V: BlockView>(view: &mut V, row: usize, omega: f64) {
    let step = omega * view.effective_mass(row);
    view.set_impulse(row, view.impulse(row) - step * view.velocity(row));
}

/// λ ← Π_[l, u](λ − ω w / D) (G.2).
#[inline(always)]
pub(crate) fn bounded_row<V: BlockView>(
    view: &mut V,
    row: usize,
    omega: f64,
    lower: f64,
    upper: f64,
) {
    let step = omega * view.effective_mass(row);
    let impulse = view.impulse(row) - step * view.velocity(row);
    view.set_impulse(row, clamp(impulse, lower, upper));
}

/// λ_n ← max(0, λ_n − ω w_n / D).
#[inline(always)]
pub(crate) fn normal_row<V: BlockView>(view: &mut V, row: usize, omega: f64) {
    bounded_row(view, row, omega, 0.0, f64::INFINITY);
}

/// One friction row, |λ| ≤ radius.
#[inline(always)]
pub(crate) fn interval_row<V: BlockView>(view: &mut V, row: usize, omega: f64, radius: f64) {
    bounded_row(view, row, omega, -radius, radius);
}

/// Two friction rows, ‖λ_t‖ ≤ radius, one scalar step for both (G.3).
#[inline(always)]
fn disc_rows<V: BlockView>(view: &mut V, first: usize, step: f64, radius: f64) {
    let (w_1, w_2) = (view.velocity(first), view.velocity(first + 1));
    let t_1 = view.impulse(first) - step * w_1;
    let t_2 = view.impulse(first + 1) - step * w_2;
    let [t_1, t_2] = project_disc([t_1, t_2], radius);
    view.set_impulse(first, t_1);
    view.set_impulse(first + 1, t_2);
}

/// One contact with one tangent in the convex cone, one scalar step (G.4).
#[inline(always)]
fn cone_rows_2<V: BlockView>(view: &mut V, step: f64, mu: f64) {
    let n = view.impulse(0) - step * view.velocity(0);
    let t = view.impulse(1) - step * view.velocity(1);
    let [n, t, _] = project_cone([n, t, 0.0], mu);
    view.set_impulse(0, n);
    view.set_impulse(1, t);
}

/// One contact with two tangents in the convex cone, one scalar step (G.4).
#[inline(always)]
fn cone_rows_3<V: BlockView>(view: &mut V, step: f64, mu: f64) {
    let n = view.impulse(0) - step * view.velocity(0);
    let t_1 = view.impulse(1) - step * view.velocity(1);
    let t_2 = view.impulse(2) - step * view.velocity(2);
    let projected = project_cone([n, t_1, t_2], mu);
    for row in 0..3 {
        view.set_impulse(row, projected[row]);
    }
}

/// Normals, then the tangents in the disc μ Σλ_n, then the twist in its interval (G.5).
#[inline(always)]
fn patch_rows<V: BlockView>(view: &mut V, patch: &PatchKernel, omega: f64, active: usize) {
    let normals = patch.levers.len();
    for row in 0..normals {
        normal_row(view, row, omega);
    }
    if active > normals {
        let load = patch_load(view, &patch.levers);
        disc_rows(view, normals, patch.step, patch.mu * load.normal);
        interval_row(view, normals + 2, omega, patch.mu * load.moment);
    }
}

/// What the normals of a patch let its friction bear (P.8).
pub(crate) struct PatchLoad {
    /// Σλ_n \[N·s\].
    pub(crate) normal: f64,
    /// Σ ℓ λ_n \[N·m·s\].
    pub(crate) moment: f64,
}

#[inline(always)]
pub(crate) fn patch_load<V: BlockView>(view: &V, levers: &[f64]) -> PatchLoad {
    let (mut normal, mut moment) = (0.0, 0.0);
    for (row, lever) in levers.iter().enumerate() {
        normal += view.impulse(row);
        moment += lever * view.impulse(row);
    }
    PatchLoad { normal, moment }
}

/// Clamps; NaN stays NaN, so that a broken iterate is seen.
#[inline(always)]
pub(crate) fn clamp(x: f64, lower: f64, upper: f64) -> f64 {
    if x < lower {
        lower
    } else if x > upper {
        upper
    } else {
        x
    }
}

/// Projection onto ‖t‖ ≤ radius.
#[inline(always)]
pub(crate) fn project_disc(t: [f64; 2], radius: f64) -> [f64; 2] {
    let square = t[0] * t[0] + t[1] * t[1];
    // no root while the contact sticks
    if square <= radius * radius {
        return t;
    }
    let length = square.sqrt();
    if length > radius {
        let scale = radius / length;
        [t[0] * scale, t[1] * scale]
    } else {
        t
    }
}

/// Projection onto the cone K_μ (P.9).
#[inline(always)]
pub(crate) fn project_cone(impulse: [f64; 3], mu: f64) -> [f64; 3] {
    let mut projected = impulse;
    delassus_core::projection::cone(mu, &mut projected);
    projected
}

#[cfg(test)]
mod tests {
    use super::*;
    use delassus_core::{MassProperties, ProblemBuilder};

    /// Blocks of these laws and rows on one body.
    fn problem(laws: &[(Law, usize)]) -> Problem {
        let mut builder = ProblemBuilder::new();
        let mass = MassProperties {
            inverse_mass: nalgebra::Vector3::repeat(0.5),
            inverse_inertia: nalgebra::Matrix3::identity() * 4.0,
        };
        let body = builder.body(mass, [0.0; 6]);
        for (law, dim) in laws {
            // unit rows: the first three linear, the others angular
            let rows: Vec<[[f64; 6]; 1]> = (0..*dim)
                .map(|row| [std::array::from_fn(|axis| f64::from(u8::from(axis == row)))])
                .collect();
            builder.block(law.clone(), &[body], &rows);
        }
        builder.build().expect("a valid problem")
    }

    #[test]
    fn kernels_take_the_largest_block_with_tangents_and_themselves() {
        let coulomb = || Law::Contact(Friction::Coulomb { mu: 0.5 });
        let patch = Law::Patch(Box::new(Patch {
            mu: 0.5,
            levers: vec![1.0, 2.0],
        }));
        let one = size_of::<LawKernel>() as u64;
        // equality blocks have no tangents, however large
        let laws = [(Law::Equality, 6), (coulomb(), 3), (coulomb(), 2)];
        assert_eq!(kernel_memory(&problem(&laws)), 9 * 8 + 3 * one);
        let laws = [(coulomb(), 3), (patch, 5), (Law::Equality, 6)];
        assert_eq!(kernel_memory(&problem(&laws)), 25 * 8 + 3 * one);
        assert_eq!(kernel_memory(&problem(&[(Law::Equality, 6)])), one);
        assert_eq!(
            RowRule::memory(&problem(&vec![(Law::Equality, 1); 4])),
            4 * one
        );
    }

    #[test]
    fn some_blocks_are_counted_from_zero() {
        let laws = [
            (Law::Equality, 1),
            (Law::Contact(Friction::Disc { mu: 0.25 }), 3),
            (Law::Contact(Friction::ConvexCone { mu: 0.5 }), 3),
        ];
        let problem = problem(&laws);
        let mut rule = RowRule::new(1.5);
        // the second time replaces the first
        rule.build_some(&problem, &[1, 0, 1]);
        rule.build_some(&problem, &[2, 1]);
        // W = 0.5 I: a step of ω / 0.5
        let [
            LawKernel::Cone { mu, step },
            LawKernel::Disc {
                mu: disc,
                step: tangents,
            },
        ] = rule.kernels[..]
        else {
            panic!("{:?}", rule.kernels);
        };
        assert_eq!((mu, step, disc, tangents), (0.5, 3.0, 0.25, 3.0));
    }
}
