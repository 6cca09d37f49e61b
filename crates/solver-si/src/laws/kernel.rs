//! What a law needs to be updated: its numbers, and the steps of rows that step together.

use delassus_core::{
    Block, Factor, FactorList, Factors, Polygon, Problem, SetShape, SolveError, interrupt,
};

use crate::small::largest_eigenvalue;

/// Multiplications that building the rule of a block takes \[-\].
pub(crate) const BUILDING: usize = 300;

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
    /// Normal rows, then rows of friction: first of the factors, and their number.
    Factors {
        first: u32,
        count: u32,
    },
}

impl Kernels {
    /// The kernels of all blocks, in the memory of earlier ones; tangents and cones step with ω /
    /// λ_max of their diagonal block.
    ///
    /// # Errors
    /// [`SolveError::Interrupted`] if the limit of the caller ended it.
    pub(crate) fn renew(&mut self, problem: &Problem, omega: f64) -> Result<(), SolveError> {
        self.renew_with(problem, omega, &|block, own| own_block(problem, block, own))?;
        if problem.coupled_compliance().is_empty() {
            self.compliance.extend_from_slice(problem.compliance());
        }
        Ok(())
    }

    /// The kernels for another compliance of the problem that [`Self::renew`] got last. The rows
    /// stay, so a step changes only with the compliance of its rows.
    ///
    /// # Errors
    /// Those of [`Self::renew`].
    pub(crate) fn update_compliance(
        &mut self,
        problem: &Problem,
        omega: f64,
    ) -> Result<(), SolveError> {
        let compliance = problem.compliance();
        let diagonal = problem.coupled_compliance().is_empty();
        if !diagonal || self.compliance.len() != compliance.len() || !self.steps.is_empty() {
            return self.renew(problem, omega);
        }
        let mut own = std::mem::take(&mut self.own);
        for (index, block) in problem.blocks().iter().enumerate() {
            let (first, step) = match &mut self.of[index] {
                LawKernel::Disc { step, .. } | LawKernel::Facets { step, .. } => (1, step),
                LawKernel::Cone { step, .. } => (0, step),
                _ => continue,
            };
            let rows = block.first_row + first..block.rows().end;
            if self.compliance[rows.clone()] != compliance[rows] {
                own_block(problem, index, &mut own);
                *step = omega / largest_of(&own, block.dim, first, block.dim);
            }
        }
        self.own = own;
        self.compliance.copy_from_slice(compliance);
        Ok(())
    }

    /// The same with other diagonal blocks, which `own_of` writes.
    pub(super) fn renew_with(
        &mut self,
        problem: &Problem,
        omega: f64,
        own_of: &dyn Fn(usize, &mut Vec<f64>),
    ) -> Result<(), SolveError> {
        self.clear();
        let mut own = std::mem::take(&mut self.own);
        let outcome = interrupt::for_each(problem.blocks().len(), BUILDING, |block| {
            let mut fill = |out: &mut Vec<f64>| own_of(block, out);
            self.push(problem, block, omega, &mut fill, &mut own);
        });
        self.own = own;
        outcome
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
    }

    /// Takes all blocks out; the memory stays.
    fn clear(&mut self) {
        self.of.clear();
        self.steps.clear();
        self.factors.clear();
        self.compliance.clear();
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
        let mut filled = false;
        let mut step = |first: usize, last: usize| {
            if !filled {
                fill(own);
                filled = true;
            }
            omega / largest_of(own, block.dim, first, last)
        };
        let kernel = match simple_factor(block) {
            Some(factor) => simple_kernel(&factor, &mut step),
            None => self.push_factors(&block.law.factors(block.dim).in_disc_form(), &mut step),
        };
        self.of.push(kernel);
    }

    /// The kernel of a law that is none of the simple ones.
    fn push_factors(
        &mut self,
        factors: &Factors<'_>,
        step: &mut dyn FnMut(usize, usize) -> f64,
    ) -> LawKernel {
        let first = self.steps.len();
        for factor in factors.iter() {
            let is_interval = matches!(factor.shape, SetShape::Interval { .. });
            self.steps.push(if is_interval {
                0.0
            } else {
                step(factor.first, factor.rows().end)
            });
            self.factors.push(*factor);
        }
        // fewer than 2³² rows, so nothing is cut off
        let [first, count] = [first, factors.len()].map(|n| u32::try_from(n).unwrap_or(0));
        LawKernel::Factors { first, count }
    }

    /// The factors of a block that is none of the simple ones, with the steps of those that are
    /// projected together.
    #[inline(always)]
    pub(crate) fn factors(
        &self,
        first: u32,
        count: u32,
    ) -> impl Iterator<Item = (f64, Factor<'_>)> {
        let range = first as usize..(first + count) as usize;
        let steps = self.steps[range.clone()].iter().copied();
        steps.zip(self.factors.slice(range))
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.of.as_slice()) + size_of_val(self.steps.as_slice()) + self.factors.bytes()
    }
}

/// True for a block whose law has a kernel of its own: joints, bounds, and one contact point.
pub(crate) fn has_simple_law(block: &Block) -> bool {
    simple_factor(block).is_some()
}

/// The factor of such a block.
fn simple_factor(block: &Block) -> Option<Factor<'_>> {
    let factor = block.law.single_factor(block.dim);
    factor.filter(|factor| factor.shape != SetShape::Cone || factor.len <= 3)
}

/// The kernel of a factor; `step` gives that of the rows from one to another.
fn simple_kernel(factor: &Factor<'_>, step: &mut dyn FnMut(usize, usize) -> f64) -> LawKernel {
    let (limit, mu) = (factor.radius.fixed(), factor.radius.coefficient());
    let mut step = || step(factor.first, factor.rows().end);
    match factor.shape {
        SetShape::Interval { lower, upper } if factor.first == 0 => {
            if lower == f64::NEG_INFINITY && upper == f64::INFINITY {
                LawKernel::Free
            } else {
                LawKernel::Bounded { lower, upper }
            }
        }
        SetShape::Interval { .. } if limit == 0.0 && mu == 0.0 => LawKernel::Frictionless,
        SetShape::Interval { .. } => LawKernel::Box { limit, mu },
        SetShape::Ball => LawKernel::Disc { mu, step: step() },
        SetShape::Cone => LawKernel::Cone {
            mu: limit,
            step: step(),
        },
        SetShape::Polygon(polygon) => LawKernel::Facets {
            mu,
            step: step(),
            polygon,
        },
    }
}

/// W = A_cc + R_cc of one block, row-major.
pub fn own_block(problem: &Problem, index: usize, out: &mut Vec<f64>) {
    let block = &problem.blocks()[index];
    out.clear();
    out.resize(block.dim * block.dim, 0.0);
    problem.diagonal_block(index, out);
    problem.add_compliance(index, out);
}

/// λ_max of the rows and columns `first..last` of a row-major block, at most six of them.
pub fn largest_of(own: &[f64], dim: usize, first: usize, last: usize) -> f64 {
    let rows = first..last;
    let mut part = [0.0; 36];
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
    /// Those of the blocks that have no kernel of their own, and their steps \[kg | kg·m²\].
    factors: FactorList,
    pub(super) steps: Vec<f64>,
    /// Memory for a diagonal block.
    own: Vec<f64>,
    /// Compliance of every row that the steps contain \[1/kg | 1/(kg·m²)\]; empty if rows of a
    /// block share compliance, or if the kernels are those of some blocks.
    compliance: Vec<f64>,
}

/// Bytes that [`Kernels`] take: the largest block whose tangents are looked at, and the kernels.
pub(crate) fn kernel_memory(problem: &Problem) -> u64 {
    let composed = |block: &Block| {
        let factors = block.law.factors(block.dim).in_disc_form();
        FactorList::bytes_of(&factors) + size_of::<f64>() * factors.len()
    };
    let kernels = size_of::<LawKernel>() * problem.blocks().len();
    let blocks = problem.blocks().iter();
    let composed: usize = blocks
        .filter(|block| !has_simple_law(block))
        .map(composed)
        .sum();
    problem.largest_square_memory(|block| block.law.normals(block.dim) < block.dim)
        + (kernels + composed + size_of_val(problem.compliance())) as u64
}
