//! The methods that a reference is made of, by the family that makes two of them independent.

use std::fmt;

use delassus_core::{Fidelity, ImpulseSolver, LawForm, Problem};
use delassus_registry::Registry;
use serde_json::{Map, Value};

/// What a method is built on. Two methods are independent if their families differ: they share the
/// matrix and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MethodFamily {
    /// Every active set: all solutions of small problems.
    Enumeration,
    /// Spectral decomposition of equality rows.
    Spectral,
    /// One basis after the other.
    Pivoting,
    /// Interior point.
    InteriorPoint,
    /// Newton steps on a nonsmooth system.
    Newton,
    /// Gauss–Seidel sweeps.
    Splitting,
    /// Gradient steps on all rows at once.
    FirstOrder,
}

impl fmt::Display for MethodFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Enumeration => "enumeration",
            Self::Spectral => "spectral",
            Self::Pivoting => "pivoting",
            Self::InteriorPoint => "interior point",
            Self::Newton => "Newton",
            Self::Splitting => "splitting",
            Self::FirstOrder => "first-order",
        })
    }
}

/// A method of the registry, and its place in the search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReferenceMethod {
    /// Registry identifier.
    pub(crate) id: &'static str,
    pub(crate) family: MethodFamily,
    /// True if polygons stand in for the discs of friction, which the method does not treat.
    pub(crate) polygons: bool,
    /// True if the method is asked only where cones have more than three rows: the methods before
    /// it in the list refuse them.
    wide_cones: bool,
}

impl ReferenceMethod {
    /// True if the method has a place in the search for a reference of `problem`.
    pub(crate) fn is_asked(&self, problem: &Problem) -> bool {
        !self.wide_cones || has_wide_cones(problem)
    }
}

/// True if a cone of the problem has more than three rows.
fn has_wide_cones(problem: &Problem) -> bool {
    let is_cone = |form| matches!(form, LawForm::Cone | LawForm::CoulombCone);
    let mut blocks = problem.blocks().iter();
    blocks.any(|block| block.dim > 3 && is_cone(block.law.kind().form()))
}

/// Every method that is asked, the ones that end by themselves first.
pub(crate) const METHODS: &[ReferenceMethod] = &[
    method("enumeration", MethodFamily::Enumeration),
    method("dense-direct", MethodFamily::Spectral),
    method("dantzig", MethodFamily::Pivoting),
    ReferenceMethod {
        polygons: true,
        ..method("lemke", MethodFamily::Pivoting)
    },
    method("bpp", MethodFamily::Pivoting),
    method("ipm", MethodFamily::InteriorPoint),
    method("pdas", MethodFamily::Newton),
    method("alart-curnier", MethodFamily::Newton),
    method("jean-moreau", MethodFamily::Newton),
    method("fischer-newton", MethodFamily::Newton),
    of_wide_cones("prox-newton", MethodFamily::Newton),
    of_wide_cones("apgd", MethodFamily::FirstOrder),
    method("block-gs", MethodFamily::Splitting),
    method("pgs", MethodFamily::Splitting),
];

/// Methods that go on from an answer to the accuracy of rounding, in the order in which they are
/// tried.
pub(crate) const REFINERS: &[&str] = &[
    "alart-curnier",
    "jean-moreau",
    "pdas",
    "prox-newton",
    "block-gs",
];

const fn method(id: &'static str, family: MethodFamily) -> ReferenceMethod {
    ReferenceMethod {
        id,
        family,
        polygons: false,
        wide_cones: false,
    }
}

const fn of_wide_cones(id: &'static str, family: MethodFamily) -> ReferenceMethod {
    ReferenceMethod {
        wide_cones: true,
        ..method(id, family)
    }
}

/// Sweeps of a Newton method before its first step: few, so that it comes back to the answer near
/// which it begins.
const START: &str = "start_sweeps";
const FEW: u32 = 5;

/// The solver with its defaults but for [`START`], if it solves this problem and not another in its
/// place.
///
/// # Errors
/// Why not.
pub(crate) fn solver_for(
    registry: &Registry,
    id: &str,
    problem: &Problem,
) -> Result<Box<dyn ImpulseSolver>, String> {
    let entry = registry.find(id).map_err(|error| error.to_string())?;
    let mut given = Map::<String, Value>::new();
    if entry.defaults.contains_key(START) {
        given.insert(START.to_owned(), FEW.into());
    }
    let solver = entry.build(&given);
    let solver = solver.map_err(|error| error.to_string())?;
    match solver.check(problem) {
        Ok(Fidelity::Exact) => Ok(solver),
        Ok(Fidelity::Approximate(reasons)) => Err(reasons.join("; ")),
        Err(refused) => Err(refused.to_string()),
    }
}
