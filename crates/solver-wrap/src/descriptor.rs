//! What a wrapper declares, and what a composition declares by it.

use delassus_core::SolverDescriptor;

use crate::intern;

/// Everything a list needs to know about a wrapper without a solver inside.
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
}

impl WrapperDescriptor {
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
