//! The admissible impulses of every block: its projection and what makes one metric of its rows.

use std::ops::Range;

use delassus_core::{FactorList, Problem, Radius, SetShape};

/// One block with the rows of it that are solved for.
#[derive(Debug, Clone)]
pub struct Set {
    /// First row of the block.
    pub first: usize,
    /// Leading rows that are solved for \[-\].
    pub active: usize,
    /// Where its factors are in the list of all, Coulomb's law as one cone.
    factors: Range<usize>,
    /// μ of a block that is one cone.
    cone: Option<f64>,
    de_saxce: bool,
    is_convex: bool,
}

impl Set {
    /// The rows that are solved for.
    #[inline]
    pub fn rows(&self) -> Range<usize> {
        self.first..self.first + self.active
    }

    /// μ of a block that is one cone; `None` for the others, and where friction is inactive.
    #[inline]
    pub fn cone(&self) -> Option<f64> {
        self.cone
    }

    /// μ of a cone whose velocity carries the De Saxcé term (I.4); `None` for the others.
    #[inline]
    pub fn shift(&self) -> Option<f64> {
        self.cone.filter(|_| self.de_saxce)
    }

    /// True if the rows that are solved for make a convex problem.
    pub fn is_convex(&self) -> bool {
        self.is_convex
    }
}

/// The sets of a problem, one per block, and their factors.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sets {
    pub(crate) list: Vec<Set>,
    factors: FactorList,
}

impl Sets {
    /// Takes the sets of a problem, in the memory of those before.
    pub(crate) fn renew(&mut self, problem: &Problem) {
        self.list.clear();
        self.factors.clear();
        for (index, block) in problem.blocks().iter().enumerate() {
            let active = problem.active_dim(index);
            let start = self.factors.len();
            let (mut cone, mut de_saxce) = (None, false);
            for factor in block.law.factors(active).in_cone_form() {
                if let (SetShape::Cone, Radius::Fixed(mu)) = (factor.shape, factor.radius) {
                    (cone, de_saxce) = (Some(mu), factor.de_saxce);
                }
                self.factors.push(factor);
            }
            self.list.push(Set {
                first: block.first_row,
                active,
                factors: start..self.factors.len(),
                cone,
                de_saxce,
                // a contact whose friction is inactive has its normal row only
                is_convex: block.law.is_convex() || active < 2,
            });
        }
    }

    /// Projects the active impulses of a block \[N·s\] in place, in a metric with one scale per
    /// group (I.2).
    ///
    /// Where friction is bounded by impulses of other rows, those are projected first and bound the
    /// rest: K(λ) of the new normal impulses (I.5).
    #[inline]
    pub(crate) fn project(&self, set: &Set, x: &mut [f64]) {
        for factor in self.factors.slice(set.factors.clone()) {
            factor.project(x);
        }
    }

    /// Ranges of rows of a block that are projected together and must share one scale (I.2); the
    /// others have their own.
    pub(crate) fn groups(&self, set: &Set) -> impl Iterator<Item = Range<usize>> {
        let first = set.first;
        let factors = self.factors.slice(set.factors.clone());
        let together = factors.filter(|f| !matches!(f.shape, SetShape::Interval { .. }));
        together.map(move |f| first + f.rows().start..first + f.rows().end)
    }

    /// The rows of a block with their bounds \[N·s\], which are infinite where they are not fixed
    /// numbers.
    #[inline]
    pub(crate) fn bounds(&self, set: &Set) -> impl Iterator<Item = (usize, [f64; 2])> {
        let first = set.first;
        let factors = self.factors.slice(set.factors.clone());
        factors.flat_map(move |factor| {
            let bounds = factor.fixed_set().and_then(|fixed| fixed.bounds());
            let (lower, upper) = bounds.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
            let rows = factor.rows();
            rows.map(move |local| (first + local, [lower, upper]))
        })
    }
}
