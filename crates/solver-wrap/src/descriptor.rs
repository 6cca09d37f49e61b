//! What a wrapper declares, and what a composition declares by it.

use delassus_core::{SolverDescriptor, Unsupported, intern};

/// Declared properties of a wrapper without a solver inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrapperDescriptor {
    /// Identifier: file, type and id agree, as those of solvers.
    pub id: &'static str,
    /// Human-readable name.
    pub name: &'static str,
    /// One sentence: what it does with S.
    pub summary: &'static str,
    /// Keys of `docs/references.bib`.
    pub citations: &'static [&'static str],
    /// Equation numbers of `docs/theory`, as "U.1".
    pub theory: &'static [&'static str],
    /// Row updates of a unit of work, S standing for those of the solver inside, m for the rows.
    pub cost: &'static str,
    /// Which laws it solves, in words.
    pub laws: &'static str,
    /// True if a unit of work of S must be a map ([`SolverDescriptor::unit_is_map`]).
    pub needs_map: bool,
}

impl WrapperDescriptor {
    /// Reports whether the wrapper can wrap this solver.
    ///
    /// # Errors
    /// [`Unsupported::UnitIsNoMap`].
    pub fn check_inner(&self, inner: &SolverDescriptor) -> Result<(), Unsupported> {
        if self.needs_map && !inner.unit_is_map {
            let (wrapper, solver) = (self.id, inner.id);
            return Err(Unsupported::UnitIsNoMap { wrapper, solver });
        }
        Ok(())
    }

    /// The descriptor of this wrapper around `inner`: names, sources and cost of both, and
    /// everything else of `inner`.
    pub(crate) fn around(&self, inner: &SolverDescriptor) -> SolverDescriptor {
        SolverDescriptor {
            id: intern::text(&format!("{}({})", self.id, inner.id)),
            aliases: &[],
            name: intern::text(&format!("{} of: {}", self.name, inner.name)),
            summary: intern::text(&format!("{} S is {}.", self.summary, inner.id)),
            citations: intern::union(self.citations, inner.citations),
            theory: intern::union(self.theory, inner.theory),
            cost: intern::text(&self.cost.replace('S', inner.cost)),
            ..*inner
        }
    }
}
