//! The entry points of the kernels for f32 and f64, compiled in this crate.
//!
//! A generic function is compiled again in every crate that calls it with a type. These methods are
//! not generic, so schemes that iterate link to the kernels of the solvers (decision 14).

use delassus_core::{Problem, SolveError};

use crate::kernels::control::MomentumState;
use crate::kernels::iteration;
use crate::kernels::sums::Sums;
use crate::pack::{Iterate, Pack, PackThreads};
use crate::real::Real;
use crate::rule::StepRule;

/// A scalar whose kernels this crate has compiled.
pub trait Compiled: Real {
    /// [`Pack::new`].
    ///
    /// # Errors
    /// Those of [`Pack::new`].
    fn pack(problem: &Problem, rule: StepRule) -> Result<Pack<Self>, SolveError>;

    /// [`Pack::on`].
    ///
    /// # Errors
    /// Those of [`Pack::new`].
    fn pack_on(
        threads: PackThreads,
        problem: &Problem,
        rule: StepRule,
    ) -> Result<Pack<Self>, SolveError>;

    /// [`Pack::repeat`].
    ///
    /// # Errors
    /// Those of [`Pack::new`].
    fn pack_again(
        pack: &mut Pack<Self>,
        problem: &Problem,
        rule: StepRule,
    ) -> Result<(), SolveError>;

    /// [`iteration::restart`].
    fn restart(pack: &Pack<Self>, state: &mut Iterate<Self>);

    /// [`iteration::run`].
    fn iterate(
        pack: &Pack<Self>,
        state: &mut Iterate<Self>,
        control: &mut MomentumState<Self>,
        sums: &mut [Sums<Self>],
    );
}

macro_rules! compiled {
    ($($scalar:ty),*) => {$(
        impl Compiled for $scalar {
            fn pack(problem: &Problem, rule: StepRule) -> Result<Pack<Self>, SolveError> {
                Pack::new(problem, rule)
            }

            fn pack_on(
                threads: PackThreads,
                problem: &Problem,
                rule: StepRule,
            ) -> Result<Pack<Self>, SolveError> {
                Pack::on(threads, problem, rule)
            }

            fn pack_again(
                pack: &mut Pack<Self>,
                problem: &Problem,
                rule: StepRule,
            ) -> Result<(), SolveError> {
                pack.repeat(problem, rule)
            }

            fn restart(pack: &Pack<Self>, state: &mut Iterate<Self>) {
                iteration::restart(pack, state);
            }

            fn iterate(
                pack: &Pack<Self>,
                state: &mut Iterate<Self>,
                control: &mut MomentumState<Self>,
                sums: &mut [Sums<Self>],
            ) {
                iteration::run(pack, state, control, sums);
            }
        }
    )*};
}

compiled!(f32, f64);
