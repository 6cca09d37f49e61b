//! What a law needs to be updated: its numbers, and the steps of rows that step together.

use delassus_core::{Friction, Law, Patch, Polygon, Problem, Rolling};

use crate::small::largest_eigenvalue;

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
    /// F4 with two tangents. \[-\], \[kg\]
    Facets {
        mu: f64,
        step: f64,
        polygon: Polygon,
    },
    /// Index into the patches.
    Patch(usize),
    /// Index into the rolling contacts.
    Rolling(usize),
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

/// One contact with rolling resistance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RollingKernel {
    pub(crate) law: Rolling,
    /// Steps of the two tangents \[kg\] and of the two rolling rows \[kg·m²\].
    pub(crate) steps: [f64; 2],
}

impl Kernels {
    /// The kernels of all blocks, in the memory of earlier ones; tangents and cones step with ω /
    /// λ_max of their diagonal block.
    pub(crate) fn renew(&mut self, problem: &Problem, omega: f64) {
        self.renew_with(problem, omega, &|block, own| own_block(problem, block, own));
    }

    /// The same with other diagonal blocks, which `own_of` writes.
    pub(super) fn renew_with(
        &mut self,
        problem: &Problem,
        omega: f64,
        own_of: &dyn Fn(usize, &mut Vec<f64>),
    ) {
        let all = 0..problem.blocks().len();
        self.renew_some(problem, all, omega, own_of);
    }

    /// The same of some blocks, in their order.
    pub(super) fn renew_some(
        &mut self,
        problem: &Problem,
        blocks: impl Iterator<Item = usize>,
        omega: f64,
        own_of: &dyn Fn(usize, &mut Vec<f64>),
    ) {
        self.clear();
        let mut own = std::mem::take(&mut self.own);
        for block in blocks {
            let mut fill = |out: &mut Vec<f64>| own_of(block, out);
            self.push(problem, block, omega, &mut fill, &mut own);
        }
        self.own = own;
        // room for when they are taken out
        self.spare.reserve(self.patches.len());
    }

    /// Takes all blocks out; the memory stays.
    fn clear(&mut self) {
        self.of.clear();
        self.rollings.clear();
        self.spare.append(&mut self.patches);
        // the first is taken first
        self.spare.reverse();
    }

    /// The kernel of one block, whose diagonal block `fill` writes into the workspace `own`.
    fn push(
        &mut self,
        problem: &Problem,
        index: usize,
        omega: f64,
        fill: &mut dyn FnMut(&mut Vec<f64>),
        own: &mut Vec<f64>,
    ) {
        let block = &problem.blocks()[index];
        let kernel = match &block.law {
            Law::Equality => LawKernel::Free,
            Law::Bounds { lower, upper } => LawKernel::Bounded {
                lower: *lower,
                upper: *upper,
            },
            Law::Contact(friction) => {
                let mut step = |first: usize| {
                    fill(own);
                    omega / largest_of(own, block.dim, first, block.dim)
                };
                contact_kernel(*friction, block.dim, &mut step)
            }
            Law::Patch(patch) => {
                fill(own);
                let spare = self.spare.pop().map(|spare| spare.levers);
                let levers = spare.unwrap_or_default();
                self.patches.push(patch_kernel(patch, levers, own, omega));
                LawKernel::Patch(self.patches.len() - 1)
            }
            Law::Rolling(rolling) => {
                fill(own);
                let step = |first| omega / largest_of(own, block.dim, first, first + 2);
                self.rollings.push(RollingKernel {
                    law: **rolling,
                    steps: [step(1), step(3)],
                });
                LawKernel::Rolling(self.rollings.len() - 1)
            }
        };
        self.of.push(kernel);
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.of.as_slice())
            + self.patches.iter().map(PatchKernel::bytes).sum::<usize>()
            + size_of_val(self.rollings.as_slice())
    }
}

/// The kernel of a contact; `step` gives that of the rows from one on.
fn contact_kernel(friction: Friction, dim: usize, step: &mut dyn FnMut(usize) -> f64) -> LawKernel {
    match friction {
        Friction::Frictionless => LawKernel::Frictionless,
        Friction::FixedBox { limit } => LawKernel::Box { limit, mu: 0.0 },
        Friction::Pyramid { mu } => LawKernel::Box { limit: 0.0, mu },
        Friction::Disc { mu } | Friction::Coulomb { mu } => LawKernel::Disc { mu, step: step(1) },
        Friction::ConvexCone { mu } => LawKernel::Cone { mu, step: step(0) },
        // the hull of two directions on a line is an interval
        Friction::Facets { mu, .. } if dim == 2 => LawKernel::Box { limit: 0.0, mu },
        Friction::Facets { mu, facets } => LawKernel::Facets {
            mu,
            step: step(1),
            polygon: Polygon::new(facets),
        },
    }
}

/// The kernel of a patch, with memory for its levers.
fn patch_kernel(patch: &Patch, mut levers: Vec<f64>, own: &[f64], omega: f64) -> PatchKernel {
    let normals = patch.levers.len();
    levers.clone_from(&patch.levers);
    PatchKernel {
        mu: patch.mu,
        step: omega / largest_of(own, normals + 3, normals, normals + 2),
        levers,
    }
}

/// W = A_cc + R_cc of one block, row-major.
pub(crate) fn own_block(problem: &Problem, index: usize, out: &mut Vec<f64>) {
    let block = &problem.blocks()[index];
    out.clear();
    out.resize(block.dim * block.dim, 0.0);
    problem.diagonal_block(index, out);
    problem.add_compliance(index, out);
}

/// λ_max of the rows and columns `first..last` of a row-major block, at most three of them.
pub(crate) fn largest_of(own: &[f64], dim: usize, first: usize, last: usize) -> f64 {
    let rows = first..last;
    let mut part = [0.0; 9];
    let entries = rows.clone().flat_map(|i| rows.clone().map(move |j| (i, j)));
    for (to, (i, j)) in part.iter_mut().zip(entries) {
        *to = own[i * dim + j];
    }
    largest_eigenvalue(&part[..rows.len() * rows.len()])
}

/// The laws of some blocks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kernels {
    /// One per block.
    pub(crate) of: Vec<LawKernel>,
    pub(crate) patches: Vec<PatchKernel>,
    pub(crate) rollings: Vec<RollingKernel>,
    /// Memory for patches and for a diagonal block.
    spare: Vec<PatchKernel>,
    own: Vec<f64>,
}

/// Bytes that [`Kernels`] take: the largest block whose tangents are looked at, and the kernels.
pub(crate) fn kernel_memory(problem: &Problem) -> u64 {
    let kernels = size_of::<LawKernel>() * problem.blocks().len();
    let rolling = |law: &Law| matches!(law, Law::Rolling(_));
    let rollings = problem.blocks().iter().filter(|b| rolling(&b.law)).count();
    problem.largest_square_memory(|block| block.law.normals(block.dim) < block.dim)
        + (kernels + size_of::<RollingKernel>() * rollings) as u64
}
