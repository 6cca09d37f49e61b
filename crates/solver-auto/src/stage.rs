//! The methods that are combined, and in which order a problem meets them.

use delassus_core::{Fidelity, ImpulseSolver, ParameterError, Problem, Solver};
use delassus_solver_dense::newton::coulomb::CoulombParameters;
use delassus_solver_dense::{
    AlartCurnier, Dantzig, DenseDirect, Enumeration, FischerNewton, Ipm, JeanMoreau, Lemke, Pdas,
};
use delassus_solver_descent::Apgd;
use delassus_solver_newton::ProxNewton;
use delassus_solver_newton::prox_newton::ProxNewtonParameters;
use delassus_solver_si::{BlockGs, ChebyshevPgs, Nncg, Pgs, Psor};

use crate::facts::{Class, Facts};

/// Rows up to which the spectral decomposition of all rows is worth its price \[-\].
const SPECTRAL: usize = 300;
/// Rows up to which pivoting is tried \[-\].
const PIVOTING: usize = 1500;
/// Rows up to which Lemke's path is tried; friction in d directions has d + 2 variables a contact
/// \[-\].
const LEMKE: usize = 400;

/// Rows up to which Lemke's path takes no more than a second or two where polygons stand in for
/// discs \[-\].
const POLYGONS: usize = 100;
/// Rows up to which matrices of all rows by all rows are made: half a gigabyte each, and a factor
/// takes a minute \[-\].
const DENSE: usize = 8000;
/// Blocks up to which a single sweep is tried \[-\].
const SMALL: usize = 50;
/// Rows up to which every combination of modes is tried where all else has failed \[-\].
const FEW_ROWS: usize = 12;
/// Sweeps compared with which a look is not cheap \[-\].
const FEW: u32 = 100;
/// Steps in the velocities between looks are a share of those before: one in so many \[-\].
const STEPS: u32 = 16;
/// Rows up to which interior points are tried on cones, some thirty factorizations each \[-\].
const INTERIOR: usize = 2000;

/// One method, and what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Equalities by an eigenvalue decomposition.
    Spectral,
    /// Single principal pivots.
    Pivoting,
    /// Lemke's path.
    Path,
    /// Exchanges of whole active sets.
    Sets,
    /// Interior point.
    Interior,
    /// A sweep of Gauss–Seidel, block by block; more of few blocks.
    First,
    /// Gauss–Seidel, row by row, with longer steps.
    Relaxed,
    /// Gauss–Seidel, block by block.
    Sweeps,
    /// Gauss–Seidel, row by row.
    Scalar,
    /// Sweeps as gradients of a conjugate iteration.
    Conjugate,
    /// Sweeps there and back, extrapolated by Chebyshev's recurrence.
    Extrapolated,
    /// Gradient steps with momentum.
    Gradient,
    /// Proximal Newton in the velocities of the bodies.
    Primal,
    /// Nonsmooth Newton on the impulses.
    Newton,
    /// The same with other equations.
    OtherNewton,
    /// Newton on a smooth merit.
    Smooth,
    /// Interior points of convex cones, shifted by the slip of the last: the loop of De Saxcé.
    Cones,
    /// Lemke's path with polygons in place of discs: a start for Newton.
    Polygons,
    /// Newton's method once more, from the start that another problem gives.
    Again,
    /// The same from the best iterate, with all its patience.
    LongNewton,
    /// The same from zero, after two thousand sweeps: another way may end elsewhere.
    Fresh,
    /// Every combination of modes of few rows, whatever the matrix.
    Modes,
}

impl Stage {
    /// Identifier of the solver.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::Spectral => DenseDirect::DESCRIPTOR.id,
            Self::Pivoting => Dantzig::DESCRIPTOR.id,
            Self::Path | Self::Polygons => Lemke::DESCRIPTOR.id,
            Self::Sets => Pdas::DESCRIPTOR.id,
            Self::Interior | Self::Cones => Ipm::DESCRIPTOR.id,
            Self::First | Self::Sweeps => BlockGs::DESCRIPTOR.id,
            Self::Scalar => Pgs::DESCRIPTOR.id,
            Self::Relaxed => Psor::DESCRIPTOR.id,
            Self::Conjugate => Nncg::DESCRIPTOR.id,
            Self::Extrapolated => ChebyshevPgs::DESCRIPTOR.id,
            Self::Gradient => Apgd::DESCRIPTOR.id,
            Self::Primal => ProxNewton::DESCRIPTOR.id,
            Self::Newton | Self::Again | Self::LongNewton | Self::Fresh => {
                AlartCurnier::DESCRIPTOR.id
            }
            Self::OtherNewton => JeanMoreau::DESCRIPTOR.id,
            Self::Smooth => FischerNewton::DESCRIPTOR.id,
            Self::Modes => Enumeration::DESCRIPTOR.id,
        }
    }

    /// The identifier with what tells the stage from others of the same solver.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Cones => "ipm on convex cones",
            Self::Polygons => "lemke on polygons",
            Self::First => "block-gs at first",
            Self::Again => "alart-curnier from there",
            Self::LongNewton => "alart-curnier with patience",
            Self::Fresh => "alart-curnier from zero",
            other => other.id(),
        }
    }

    /// The solver, with its defaults but for sweeps of its own before Newton steps, which the
    /// stages before have done.
    pub(crate) fn build(self) -> Result<Box<dyn ImpulseSolver>, ParameterError> {
        Ok(match self {
            Self::Spectral => Box::new(plain::<DenseDirect>()?),
            Self::Pivoting => Box::new(plain::<Dantzig>()?),
            Self::Path | Self::Polygons => Box::new(plain::<Lemke>()?),
            Self::Sets => Box::new(plain::<Pdas>()?),
            Self::Interior | Self::Cones => Box::new(plain::<Ipm>()?),
            Self::First | Self::Sweeps => Box::new(plain::<BlockGs>()?),
            Self::Scalar => Box::new(plain::<Pgs>()?),
            Self::Relaxed => Box::new(plain::<Psor>()?),
            Self::Conjugate => Box::new(plain::<Nncg>()?),
            Self::Extrapolated => Box::new(plain::<ChebyshevPgs>()?),
            Self::Gradient => Box::new(plain::<Apgd>()?),
            Self::Primal => Box::new(ProxNewton::new(strong())?),
            Self::Newton | Self::Again | Self::LongNewton => Box::new(AlartCurnier::new(after(0))?),
            Self::Fresh => Box::new(AlartCurnier::new(after(2000))?),
            Self::OtherNewton => Box::new(JeanMoreau::new(after(0))?),
            Self::Smooth => Box::new(plain::<FischerNewton>()?),
            Self::Modes => Box::new(plain::<Enumeration>()?),
        })
    }

    /// True if one unit of work is the whole of it.
    pub(crate) fn is_direct(self) -> bool {
        matches!(
            self,
            Self::Spectral | Self::Pivoting | Self::Path | Self::Polygons | Self::Modes
        )
    }

    /// So many units of work, as a decision says it.
    pub(crate) fn counted(self, units: u32) -> String {
        let unit = match (self.is_sweeps(), self.is_direct()) {
            (true, _) => "sweep",
            (_, true) => "solve",
            _ => "step",
        };
        let plural = if units == 1 { "" } else { "s" };
        format!("{units} {unit}{plural}")
    }

    /// True if a unit of work is a sweep of Gauss–Seidel, or a step that costs as much.
    pub(crate) fn is_sweeps(self) -> bool {
        matches!(
            self,
            Self::First
                | Self::Relaxed
                | Self::Sweeps
                | Self::Scalar
                | Self::Conjugate
                | Self::Extrapolated
                | Self::Gradient
        )
    }

    /// True if the stage works on a matrix of all rows by all rows.
    pub(crate) fn makes_matrix(self) -> bool {
        !self.is_sweeps() && self != Self::Primal
    }

    /// Units of work before the first look \[-\].
    pub(crate) fn first_look(self) -> u32 {
        match self {
            Self::Relaxed => 10,
            Self::Conjugate | Self::Extrapolated | Self::Sweeps | Self::Scalar | Self::Gradient => {
                4
            }
            _ => 1,
        }
    }

    /// Units of work between two looks after so many \[-\]: few where a look costs little compared
    /// with a unit.
    pub(crate) fn pause(self, units: u32) -> u32 {
        match units {
            _ if self == Self::Primal => 1 + units / STEPS,
            _ if !self.is_sweeps() => 1,
            ..FEW => 1 + 2 * units,
            _ => 2 + units / 2,
        }
    }

    /// Units without progress after which the next stage begins \[-\]; interior points end by
    /// themselves.
    pub(crate) fn patience(self) -> u32 {
        match self {
            Self::Cones | Self::Interior => 200,
            Self::Primal | Self::LongNewton => 1000,
            Self::Fresh => 5000,
            _ => 40,
        }
    }

    /// True if the stage treats `problem` itself.
    pub(crate) fn suits(self, problem: &Problem) -> bool {
        self.build()
            .is_ok_and(|solver| treats(solver.as_ref(), problem))
    }
}

/// True if a solver treats `problem` itself.
pub(crate) fn treats(solver: &dyn ImpulseSolver, problem: &Problem) -> bool {
    matches!(solver.check(problem), Ok(Fidelity::Exact))
}

fn plain<S: Solver>() -> Result<S, ParameterError> {
    S::new(S::Parameters::default())
}

/// Newton's method with so many sweeps of its own before the first step.
fn after(start_sweeps: u32) -> CoulombParameters {
    CoulombParameters {
        start_sweeps,
        ..CoulombParameters::default()
    }
}

/// Steps in the velocities with a stronger proximal term than alone: on frames of piles and bodies
/// that start inside each other they need three quarters of the time (U.42).
fn strong() -> ProxNewtonParameters {
    ProxNewtonParameters {
        proximal: 1e-2,
        ..ProxNewtonParameters::default()
    }
}

/// The sequences for a class of problems, each with its stages in their order; one that does not
/// suit a problem is passed over when its turn comes.
pub(crate) fn plan(facts: &Facts) -> Vec<Vec<Stage>> {
    use Stage::{
        Again, Cones, Conjugate, Extrapolated, First, Fresh, Gradient, Interior, LongNewton, Modes,
        Newton, OtherNewton, Path, Pivoting, Polygons, Primal, Relaxed, Scalar, Sets, Smooth,
        Spectral, Sweeps,
    };
    let rows = facts.rows;
    let bodies = facts.moving.is_some();
    let direct: &[(Stage, bool)] = match facts.class {
        Class::Equalities => &[(Spectral, rows <= SPECTRAL), (Newton, rows <= DENSE)],
        Class::Bounds | Class::Polyhedral => &[
            (Pivoting, rows <= PIVOTING && facts.symmetric),
            (Path, rows <= LEMKE),
            (Sets, rows <= PIVOTING),
            (Newton, rows <= DENSE),
            (Interior, rows <= DENSE && facts.symmetric),
            (Modes, rows <= FEW_ROWS),
        ],
        Class::Cones => &[
            (Newton, !bodies && rows <= DENSE),
            (Cones, rows <= INTERIOR),
            (Again, rows <= INTERIOR),
            (Newton, bodies && rows <= DENSE),
            (OtherNewton, rows <= DENSE),
            (Smooth, rows <= DENSE),
            (Polygons, rows <= POLYGONS),
            (Again, rows <= POLYGONS),
            (LongNewton, rows <= PIVOTING),
            (Fresh, rows <= LEMKE),
            (Modes, rows <= FEW_ROWS),
        ],
    };
    let wanted = direct.iter().filter(|(_, wanted)| *wanted);
    let direct = wanted.map(|(stage, _)| *stage).collect();
    // where the velocities of the bodies are exhausted, their impulses may not be
    let primal = match bodies {
        true if facts.class == Class::Cones && rows <= PIVOTING => vec![Primal, Again],
        true => vec![Primal],
        false => Vec::new(),
    };
    let tries = match facts.blocks <= SMALL {
        true => vec![First, Relaxed],
        false => vec![Relaxed],
    };
    let mut sequences = vec![
        primal,
        tries,
        vec![Conjugate, Scalar],
        vec![Extrapolated, Sweeps],
    ];
    if facts.elliptic {
        sequences.push(vec![Gradient]);
    }
    if facts.uneven && rows <= INTERIOR {
        sequences.push(vec![Interior]);
    }
    sequences.push(direct);
    sequences.retain(|sequence| !sequence.is_empty());
    sequences
}

#[cfg(test)]
mod tests {
    use delassus_core::{ProblemBuilder, Start};

    use super::*;

    #[test]
    fn sweeps_factorize_nothing() {
        let problem = ProblemBuilder::new().build().unwrap();
        for stage in [
            Stage::First,
            Stage::Relaxed,
            Stage::Sweeps,
            Stage::Scalar,
            Stage::Conjugate,
            Stage::Extrapolated,
            Stage::Gradient,
        ] {
            assert!(stage.is_sweeps());
            let mut solver = stage.build().unwrap();
            solver.prepare(&problem, Start::Cold).unwrap();
            assert_eq!(solver.facts().factorizations, None, "{stage:?}");
        }
    }

    #[test]
    fn large_problems_meet_no_matrix_of_all_rows() {
        let sparse = |stage: &Stage| *stage == Stage::Primal || stage.is_sweeps();
        for class in [
            Class::Equalities,
            Class::Bounds,
            Class::Polyhedral,
            Class::Cones,
        ] {
            for moving in [None, Some(5000)] {
                let facts = |rows| Facts {
                    rows,
                    moving,
                    entries: moving.is_none().then_some(20 * rows),
                    blocks: rows / 3,
                    symmetric: true,
                    class,
                    joints: false,
                    elliptic: false,
                    uneven: false,
                };
                let large = plan(&facts(30_000)).concat();
                assert!(large.iter().all(sparse), "{large:?}");
                assert!(large.contains(&Stage::Sweeps));
                assert!(plan(&facts(DENSE)).concat().contains(&Stage::Newton));
            }
        }
    }
}
