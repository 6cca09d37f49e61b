//! The methods that are combined, and in which order a problem meets them.

use delassus_core::{Fidelity, ImpulseSolver, ParameterError, Problem, Solver};
use delassus_solver_dense::newton::coulomb::CoulombParameters;
use delassus_solver_dense::{
    AlartCurnier, Dantzig, DenseDirect, FischerNewton, Ipm, JeanMoreau, Lemke, Pdas,
};
use delassus_solver_newton::ProxNewton;
use delassus_solver_si::BlockGs;

use crate::facts::{Class, Facts};

/// Rows up to which the spectral decomposition of all rows is worth its price \[-\].
const SPECTRAL: usize = 300;
/// Rows up to which pivoting is tried \[-\].
const PIVOTING: usize = 1500;
/// Rows up to which pivots cost nothing \[-\].
const FEW: usize = 100;
/// Rows up to which Lemke's path is tried; friction in d directions has d + 2 variables a contact \[-\].
const LEMKE: usize = 400;

/// Rows up to which Lemke's path takes no more than a second or two where polygons stand in for discs \[-\].
const POLYGONS: usize = 100;
/// Rows up to which matrices of all rows by all rows are made: half a gigabyte each, and a factor takes a minute \[-\].
const DENSE: usize = 8000;
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
    /// Gauss–Seidel, block by block.
    Sweeps,
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
    /// The same in the velocities of the bodies, with all its patience.
    LongPrimal,
    /// The same on the impulses.
    LongNewton,
    /// The same from zero, after two thousand sweeps: another way may end elsewhere.
    Fresh,
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
            Self::Sweeps => BlockGs::DESCRIPTOR.id,
            Self::Primal | Self::LongPrimal => ProxNewton::DESCRIPTOR.id,
            Self::Newton | Self::Again | Self::LongNewton | Self::Fresh => {
                AlartCurnier::DESCRIPTOR.id
            }
            Self::OtherNewton => JeanMoreau::DESCRIPTOR.id,
            Self::Smooth => FischerNewton::DESCRIPTOR.id,
        }
    }

    /// The solver, with its defaults but for sweeps of its own before Newton steps, which the stages before have done.
    pub(crate) fn build(self) -> Result<Box<dyn ImpulseSolver>, ParameterError> {
        Ok(match self {
            Self::Spectral => Box::new(plain::<DenseDirect>()?),
            Self::Pivoting => Box::new(plain::<Dantzig>()?),
            Self::Path | Self::Polygons => Box::new(plain::<Lemke>()?),
            Self::Sets => Box::new(plain::<Pdas>()?),
            Self::Interior | Self::Cones => Box::new(plain::<Ipm>()?),
            Self::Sweeps => Box::new(plain::<BlockGs>()?),
            Self::Primal | Self::LongPrimal => Box::new(plain::<ProxNewton>()?),
            Self::Newton | Self::Again | Self::LongNewton => Box::new(AlartCurnier::new(after(0))?),
            Self::Fresh => Box::new(AlartCurnier::new(after(2000))?),
            Self::OtherNewton => Box::new(JeanMoreau::new(after(0))?),
            Self::Smooth => Box::new(plain::<FischerNewton>()?),
        })
    }

    /// True if one unit of work is the whole of it.
    pub(crate) fn is_direct(self) -> bool {
        matches!(
            self,
            Self::Spectral | Self::Pivoting | Self::Path | Self::Polygons
        )
    }

    /// Units without progress after which the next stage begins \[-\]; interior points end by themselves.
    pub(crate) fn patience(self) -> u32 {
        match self {
            Self::Cones | Self::Interior => 200,
            Self::LongPrimal | Self::LongNewton => 1000,
            Self::Fresh => 5000,
            _ => 40,
        }
    }

    /// True if the stage treats `problem` itself.
    pub(crate) fn suits(self, problem: &Problem) -> bool {
        let exact =
            |solver: Box<dyn ImpulseSolver>| matches!(solver.check(problem), Ok(Fidelity::Exact));
        self.build().is_ok_and(exact)
    }
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

/// The stages for a class of problems, in their order; one that does not suit a problem is passed over when its turn comes.
pub(crate) fn plan(facts: &Facts) -> Vec<Stage> {
    use Stage::{
        Again, Cones, Fresh, Interior, LongNewton, LongPrimal, Newton, OtherNewton, Path, Pivoting,
        Polygons, Primal, Sets, Smooth, Spectral, Sweeps,
    };
    let rows = facts.rows;
    let bodies = facts.moving.is_some();
    let candidates: &[(Stage, bool)] = match facts.class {
        Class::Equalities => &[
            (Primal, bodies),
            (Spectral, rows <= SPECTRAL),
            (Sweeps, true),
            (Newton, rows <= DENSE),
            (Sweeps, true),
        ],
        Class::Bounds | Class::Polyhedral => &[
            (Pivoting, rows <= FEW && facts.symmetric),
            (Primal, bodies),
            (Pivoting, rows > FEW && rows <= PIVOTING && facts.symmetric),
            (Path, rows <= LEMKE),
            (Sets, rows <= PIVOTING),
            (Sweeps, true),
            (Newton, rows <= DENSE),
            (Interior, rows <= DENSE && facts.symmetric),
            (Sweeps, true),
        ],
        Class::Cones => &[
            (Primal, bodies),
            (Cones, bodies && rows <= INTERIOR),
            (Again, bodies && rows <= INTERIOR),
            (Sweeps, true),
            (Newton, rows <= DENSE),
            (Cones, !bodies && rows <= INTERIOR),
            (Again, !bodies && rows <= INTERIOR),
            (OtherNewton, rows <= DENSE),
            (Smooth, rows <= DENSE),
            (Polygons, rows <= POLYGONS),
            (Again, rows <= POLYGONS),
            (LongPrimal, bodies),
            (LongNewton, rows <= PIVOTING),
            (Fresh, rows <= LEMKE),
            (Sweeps, true),
        ],
    };
    let wanted = candidates.iter().filter(|(_, wanted)| *wanted);
    wanted.map(|(stage, _)| *stage).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_problems_meet_no_matrix_of_all_rows() {
        let sparse = [Stage::Primal, Stage::LongPrimal, Stage::Sweeps];
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
                };
                let large = plan(&facts(30_000));
                assert!(
                    large.iter().all(|stage| sparse.contains(stage)),
                    "{large:?}"
                );
                assert!(large.contains(&Stage::Sweeps));
                assert!(plan(&facts(DENSE)).contains(&Stage::Newton));
            }
        }
    }
}
