//! Parameters and declarations that the solvers of this crate share.

use delassus_core::parameter::{ParameterValue, Range, require};
use delassus_core::{Choice, ChoiceDoc, Island, ParameterError, Parameters, Problem, SolveError};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::kernels::control::Acceleration;
use crate::pack::{Pack, PackThreads, pool_starts};
use crate::real::Real;
use crate::rule::{FactorRule, LocalSweep, Splitting, StepRule};
use crate::spectrum;

/// Relaxation: a number, or an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Omega {
    /// ω \[-\], in (0, 2).
    Value(f64),
    /// Named.
    Named(Named),
}

/// A relaxation that is computed (J.10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum Named {
    /// 1.9/lambda_max by power iteration, 1/lambda_max under nesterov.
    Estimate,
}

/// How long all rows step at once.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct StepParameters {
    /// Step rule.
    pub rule: FactorRule,
    /// What mass-split counts.
    pub splitting: Splitting,
    /// What the rows of a manifold or joint see.
    pub sweep: LocalSweep,
    /// Relaxation, a number or a name. The name goes with sweep = "points".
    #[parameter(default = Omega::Value(1.0), unit = "-", range = "(0, 2)")]
    pub omega: Omega,
}

/// Parameters of `jacobi` and `jacobi-f32`.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct JacobiParameters {
    /// How long all rows step at once.
    #[parameter(flatten)]
    pub step: StepParameters,
    /// What is added to the plain step.
    pub acceleration: Acceleration,
    /// Plain steps while the residual is ten times what it has been.
    #[parameter(default = true)]
    pub guard: bool,
}

impl ParameterValue for Omega {
    const NAMES: &'static [ChoiceDoc] = Named::CHOICES;

    fn outside(&self, range: &Range) -> Option<String> {
        match self {
            Self::Value(omega) => omega.outside(range),
            Self::Named(_) => None,
        }
    }
}

impl StepParameters {
    /// Refuses estimates where there is no diagonal to scale by.
    fn check(&self) -> Result<(), ParameterError> {
        let fits = !matches!(self.omega, Omega::Named(_)) || self.sweep == LocalSweep::Points;
        let expected = "a number, or sweep = \"points\": the estimate is that of a diagonal";
        require(fits, "omega", "estimate", expected)
    }

    /// The step rule, with ω = 1 where it is to be estimated.
    pub fn step_rule(&self) -> StepRule {
        StepRule {
            rule: self.rule,
            splitting: self.splitting,
            sweep: self.sweep,
            omega: match self.omega {
                Omega::Value(omega) => omega,
                Omega::Named(_) => 1.0,
            },
        }
    }
}

impl JacobiParameters {
    /// Packs a problem for the step rule, with the relaxation that the problem needs.
    ///
    /// # Errors
    /// Those of [`Pack::new`].
    pub fn pack<T: Real>(&self, problem: &Problem) -> Result<Pack<T>, SolveError> {
        self.pack_on(PackThreads::One, problem)
    }

    /// The same on one thread or on all, which changes no bit.
    ///
    /// # Errors
    /// Those of [`Pack::new`].
    pub fn pack_on<T: Real>(
        &self,
        threads: PackThreads,
        problem: &Problem,
    ) -> Result<Pack<T>, SolveError> {
        let mut pack = Pack::on(threads, problem, self.step.step_rule())?;
        self.relax(problem, &mut pack)?;
        Ok(pack)
    }

    /// As [`Self::pack_on`] the threads of a pack, in its memory.
    ///
    /// # Errors
    /// Those of [`Pack::new`].
    pub fn repeat<T: Real>(&self, pack: &mut Pack<T>, problem: &Problem) -> Result<(), SolveError> {
        pack.repeat(problem, self.step.step_rule())?;
        self.relax(problem, pack)
    }

    /// Packs problems, over all threads of the process's pool.
    ///
    /// # Errors
    /// Those of [`Pack::new`], of the first problem that has one.
    pub fn pack_all<T: Real>(&self, problems: &[&Problem]) -> Result<Vec<Pack<T>>, SolveError> {
        on_all_threads(problems, |problem| self.pack(problem))
    }

    /// Estimates the relaxation, where the parameters ask for it (J.10).
    ///
    /// # Errors
    /// A problem without bodies.
    pub fn relax<T: Real>(&self, problem: &Problem, pack: &mut Pack<T>) -> Result<(), SolveError> {
        if matches!(self.step.omega, Omega::Named(_)) {
            let momentum = self.acceleration == Acceleration::Nesterov;
            let rule = spectrum::relaxation(problem, pack, momentum)?;
            pack.set_rule(problem, rule)?;
        }
        Ok(())
    }
}

/// Makes the islands of a problem, over all threads of the process's pool.
///
/// # Errors
/// Those of [`Problem::islands`].
pub fn islands(problem: &Problem) -> Result<Vec<Island>, SolveError> {
    let blocks = problem.island_blocks();
    on_all_threads(&blocks, |blocks| Ok(problem.island(blocks)?))
}

/// What `make` makes of each item, in their order, or the first error.
fn on_all_threads<I: Sync, T: Send>(
    items: &[I],
    make: impl Fn(&I) -> Result<T, SolveError> + Sync + Send,
) -> Result<Vec<T>, SolveError> {
    let made: Vec<Result<T, SolveError>> = match pool_starts() {
        true => items.par_iter().map(make).collect(),
        false => items.iter().map(make).collect(),
    };
    made.into_iter().collect()
}

/// Keys of the method's references.
pub const CITATIONS: &[&str] = &[
    "Tonge2012",
    "Nesterov1983",
    "ODonoghue2015",
    "Mazhar2015",
    "Wang2015",
];

pub(crate) const THEORY: &[&str] = &[
    "J.1", "J.2", "J.3", "J.4", "J.5", "J.6", "J.7", "J.8", "J.9", "J.10", "J.11", "J.12", "J.13",
    "J.14", "J.15", "J.16",
];
