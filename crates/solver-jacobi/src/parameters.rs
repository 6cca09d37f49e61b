//! Parameters and declarations that the solvers of this crate share.

use delassus_core::{LawKind, ParameterDoc, ParameterError, Problem, SolveError, Support};
use serde::{Deserialize, Serialize};

use crate::kernels::control::Acceleration;
use crate::pack::Pack;
use crate::real::Real;
use crate::rule::{Rule, Splitting, StepRule, Sweep};
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

/// A relaxation that is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Named {
    /// From power iteration (J.10).
    Estimate,
}

/// Parameters of `jacobi` and `jacobi-f32`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct JacobiParameters {
    /// Step rule.
    pub rule: Rule,
    /// What mass splitting counts.
    pub splitting: Splitting,
    /// Which velocities the rows of a piece see.
    pub sweep: Sweep,
    /// Relaxation.
    pub omega: Omega,
    /// What is added to the plain step.
    pub acceleration: Acceleration,
    /// Plain steps while the residual is much larger than it has been.
    pub guard: bool,
}

impl Default for JacobiParameters {
    fn default() -> Self {
        Self {
            rule: Rule::default(),
            splitting: Splitting::default(),
            sweep: Sweep::default(),
            omega: Omega::Value(1.0),
            acceleration: Acceleration::default(),
            guard: true,
        }
    }
}

impl JacobiParameters {
    /// Refuses a relaxation outside (0, 2), and estimates where there is no diagonal to scale by.
    ///
    /// # Errors
    /// The parameter that is out of its range.
    pub fn check(&self) -> Result<(), ParameterError> {
        let error = |value: String, expected| {
            Err(ParameterError {
                parameter: "omega",
                value,
                expected,
            })
        };
        match self.omega {
            Omega::Value(omega) if !(omega > 0.0 && omega < 2.0) => {
                error(omega.to_string(), "0 < omega < 2 [-]")
            }
            Omega::Named(_) if self.sweep == Sweep::Block => error(
                "estimate".to_owned(),
                "a number, or sweep = \"points\": the estimate is that of a diagonal",
            ),
            _ => Ok(()),
        }
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

    /// Packs a problem for the step rule, with the relaxation that the problem asks for.
    ///
    /// # Errors
    /// Those of [`Pack::new`].
    pub fn pack<T: Real>(&self, problem: &Problem) -> Result<Pack<T>, SolveError> {
        let mut pack = Pack::new(problem, self.step_rule())?;
        self.relax(problem, &mut pack)?;
        Ok(pack)
    }

    /// Estimates the relaxation, where the parameters ask for it (J.10).
    ///
    /// # Errors
    /// A problem without bodies.
    pub fn relax<T: Real>(&self, problem: &Problem, pack: &mut Pack<T>) -> Result<(), SolveError> {
        if matches!(self.omega, Omega::Named(_)) {
            let momentum = self.acceleration == Acceleration::Nesterov;
            let rule = spectrum::relaxation(problem, pack, momentum)?;
            pack.set_rule(problem, rule)?;
        }
        Ok(())
    }
}

/// All nine laws, exactly: the fixed points are those of projected Gauss–Seidel.
pub const ALL_LAWS_EXACT: &[(LawKind, Support)] = &[
    (LawKind::Equality, Support::Exact),
    (LawKind::Bounds, Support::Exact),
    (LawKind::Frictionless, Support::Exact),
    (LawKind::FixedBox, Support::Exact),
    (LawKind::Pyramid, Support::Exact),
    (LawKind::Disc, Support::Exact),
    (LawKind::Coulomb, Support::Exact),
    (LawKind::ConvexCone, Support::Exact),
    (LawKind::Patch, Support::Exact),
];

/// Keys of the method's references.
pub const CITATIONS: &[&str] = &["Tonge2012", "Nesterov1983", "ODonoghue2015", "Wang2015"];

pub(crate) const THEORY: &[&str] = &[
    "J.1", "J.2", "J.3", "J.4", "J.5", "J.6", "J.7", "J.8", "J.9", "J.10", "J.11", "J.12", "J.13",
    "J.14", "J.15", "J.16",
];

/// The parameters of [`JacobiParameters`], in their order.
pub const PARAMETERS: &[ParameterDoc] = &[
    ParameterDoc {
        name: "rule",
        doc: "step rule: \"mass-split\" (default; number of parts of each body's mass), \"diagonal\", \"count\" (contact points of both bodies), \"max-count\" (the larger number)",
    },
    ParameterDoc {
        name: "splitting",
        doc: "what mass-split counts: \"blocks\" (default; manifolds and joints) or \"rows\"",
    },
    ParameterDoc {
        name: "sweep",
        doc: "what the rows of a manifold or joint see: \"block\" (default; the changes before them) or \"points\" (the velocities of the start)",
    },
    ParameterDoc {
        name: "omega",
        doc: "relaxation [-], 0 < omega < 2, default 1; with sweep = \"points\" also \"estimate\" (1.9/lambda_max by power iteration, 1/lambda_max under nesterov)",
    },
    ParameterDoc {
        name: "acceleration",
        doc: "\"nesterov\" (default; momentum with gradient restart), \"chebyshev\", \"none\"",
    },
    ParameterDoc {
        name: "guard",
        doc: "true (default) or false: plain steps while the residual is ten times what it has been",
    },
];
