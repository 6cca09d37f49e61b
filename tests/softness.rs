//! Soft rows against closed forms, through the velocity-level scheme: oracles O2 to O6.
//!
//! The expected numbers come from recurrences and formulas written out here, not from the crates
//! under test.

mod contacts;
mod oscillator;
mod recurrence;

use delassus_core::{ImpulseSolver, Softness, Solver};
use delassus_dynamics::{Stabilization, VelocityParameters, VelocityScheme};
use delassus_solver_dense::{Dantzig, DenseDirect};
use delassus_solver_si::{Pgs, Psor};

/// Relative to the amplitude at the start: some tens of roundings of numbers of its size.
const TOLERANCE: f64 = 1e-12;

/// Solvers that are exact for one equality row.
const EXACT: [&str; 3] = ["pgs", "dense-direct", "dantzig"];

fn solver(id: &str) -> Box<dyn ImpulseSolver> {
    match id {
        "pgs" => Box::new(Pgs::new(Default::default()).unwrap()),
        "dense-direct" => Box::new(DenseDirect::new(Default::default()).unwrap()),
        "dantzig" => Box::new(Dantzig::new(Default::default()).unwrap()),
        _ => panic!("{id} is not in these tests"),
    }
}

type Relaxation = <Psor as Solver>::Parameters;

/// The bare scheme: nothing but the softness of the scene acts on positions.
fn bare() -> VelocityParameters {
    VelocityParameters {
        stabilization: Stabilization::None,
        sweeps: 1,
        ..VelocityParameters::default()
    }
}

fn scheme(id: &str, parameters: VelocityParameters) -> VelocityScheme {
    VelocityScheme::new(parameters, solver(id)).unwrap()
}

fn frequency(hertz: f64, damping_ratio: f64) -> Softness {
    Softness::Frequency {
        hertz,
        damping_ratio,
    }
}
