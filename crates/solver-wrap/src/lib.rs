//! Solvers around solvers: each takes any solver S and is one itself, so that they stand inside
//! each other.
//!
//! [`BestSoFar`] keeps the best iterate of S, [`Anderson`] accelerates its sweeps,
//! [`ConeFromConvex`] makes exact Coulomb friction of a solver of convex cones, [`Refined`] brings
//! a coarse or f32 answer to the last digits of f64, [`PerWorld`] gives every world an S of its
//! own.
//!
//! A wrapper is written as a type around `Box<dyn ImpulseSolver>` that implements [`Wrapper`];
//! [`WrapperEntry`] makes the entry of a registry from it and from the entry of S. Theory:
//! `docs/theory/26-wrappers.md` (U.1–U.12).

mod anderson;
mod best_so_far;
mod cone_from_convex;
mod descriptor;
mod entry;
mod judge;
mod per_world;
mod refined;
mod units;

use delassus_core::{EntryError, ImpulseSolver, ParameterError, Parameters, SolverDescriptor};

pub use anderson::{Anderson, AndersonParameters};
pub use best_so_far::BestSoFar;
pub use cone_from_convex::{ConeFromConvex, ConeFromConvexParameters};
pub use descriptor::WrapperDescriptor;
pub use entry::WrapperEntry;
pub use per_world::{PerWorld, PerWorldParameters};
pub use refined::{Corrector, Refined, RefinedParameters};

/// The solver inside.
#[allow(missing_debug_implementations, reason = "S shows nothing of itself")]
pub struct Inner {
    /// S.
    pub solver: Box<dyn ImpulseSolver>,
    /// Makes one more S with the same parameters.
    pub another: Box<dyn Fn() -> Result<Box<dyn ImpulseSolver>, EntryError> + Send>,
}

/// A solver around another one.
pub trait Wrapper: ImpulseSolver + Sized + 'static {
    /// Plain data: `#[derive(Parameters)]`, or `()` for none. Written `WRAPPER.NAME` next to those
    /// of S.
    type Parameters: Parameters;

    /// What the wrapper declares about itself.
    const DESCRIPTOR: WrapperDescriptor;

    /// What the composition declares: `own` has the names, the sources and the cost of both, and
    /// everything else of `inner`, the descriptor of S. Default: `own`.
    fn declare(inner: &SolverDescriptor, own: SolverDescriptor) -> SolverDescriptor {
        let _ = inner;
        own
    }

    /// Wraps `inner`; `descriptor` is that of the composition.
    ///
    /// # Errors
    /// A parameter out of its range.
    fn new(
        inner: Inner,
        descriptor: SolverDescriptor,
        parameters: Self::Parameters,
    ) -> Result<Self, ParameterError>;
}

/// Every wrapper, in the order of the documentation.
pub fn wrappers() -> Vec<WrapperEntry> {
    vec![
        WrapperEntry::of::<BestSoFar>(),
        WrapperEntry::of::<Anderson>(),
        WrapperEntry::of::<ConeFromConvex>(),
        WrapperEntry::of::<Refined>(),
        WrapperEntry::of::<PerWorld>(),
    ]
}
