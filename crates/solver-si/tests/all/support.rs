//! What several tests need: building solvers, running them, measuring rates.

use delassus_core::{ImpulseSolver, Law, MassProperties, Problem, ProblemBuilder, Solver, Start};
use delassus_solver_si::block_gs::BlockGsParameters;
use delassus_solver_si::naive_impulses::NaiveImpulsesParameters;
use delassus_solver_si::pgs::PgsParameters;
use delassus_solver_si::psor::PsorParameters;
use delassus_solver_si::{BlockGs, NaiveImpulses, Order, Pgs, Psor, SweepOrder};

pub(crate) use crate::runs::{
    continue_sweeps, largest_difference, point, refreshed, residual, run,
};

pub(crate) fn pgs(order: Order) -> Pgs {
    let parameters = PgsParameters {
        sweep: SweepOrder { order, seed: 3 },
        ..PgsParameters::default()
    };
    Pgs::new(parameters).expect("valid parameters")
}

pub(crate) fn psor(omega: f64, order: Order) -> Psor {
    let parameters = PsorParameters {
        omega,
        sweep: SweepOrder { order, seed: 3 },
        ..PsorParameters::default()
    };
    Psor::new(parameters).expect("valid parameters")
}

pub(crate) fn block_gs(omega: f64, order: Order) -> BlockGs {
    let parameters = BlockGsParameters {
        omega,
        sweep: SweepOrder { order, seed: 3 },
    };
    BlockGs::new(parameters).expect("valid parameters")
}

pub(crate) fn naive(order: Order) -> NaiveImpulses {
    let parameters = NaiveImpulsesParameters {
        sweep: SweepOrder { order, seed: 3 },
    };
    NaiveImpulses::new(parameters).expect("valid parameters")
}

pub(crate) const ORDERS: [Order; 5] = [
    Order::Natural,
    Order::Reversed,
    Order::Symmetric,
    Order::Random,
    Order::Simultaneous,
];

/// All four solvers with one order.
pub(crate) fn all(order: Order) -> Vec<Box<dyn ImpulseSolver>> {
    vec![
        Box::new(pgs(order)),
        Box::new(psor(1.3, order)),
        Box::new(block_gs(1.0, order)),
        Box::new(block_gs(0.8, order)),
        Box::new(naive(order)),
    ]
}

/// The three that converge to solutions.
pub(crate) fn convergent(order: Order) -> Vec<Box<dyn ImpulseSolver>> {
    let mut solvers = all(order);
    solvers.pop();
    solvers
}

pub(crate) fn velocity(problem: &Problem, impulses: &[f64]) -> Vec<f64> {
    let mut w = vec![0.0; problem.rows()];
    problem.shifted_velocity(impulses, &mut w);
    w
}

pub(crate) fn norm(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// Contraction of ‖w‖ per sweep between `from` and `from + over` sweeps.
pub(crate) fn rate(solver: &mut dyn ImpulseSolver, problem: &Problem, from: u32, over: u32) -> f64 {
    let before = norm(&velocity(problem, &run(solver, problem, Start::Cold, from)));
    let after = norm(&velocity(problem, &continue_sweeps(solver, problem, over)));
    libm::pow(after / before, 1.0 / f64::from(over))
}

/// Point masses one below the other, linked to their neighbours by vertical equality rows and
/// falling.
///
/// `anchored`: the first link holds the first mass on a fixed body; otherwise both ends are free,
/// and the free velocities differ so that the links have something to do.
pub(crate) fn chain(masses: &[f64], anchored: bool) -> Problem {
    let mut builder = ProblemBuilder::new();
    let (up, down) = (
        [0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, -1.0, 0.0, 0.0, 0.0, 0.0],
    );
    let mut above = anchored.then(|| builder.body(MassProperties::immovable(), [0.0; 6]));
    for (index, mass) in masses.iter().enumerate() {
        let fall = if anchored {
            -0.1
        } else {
            -0.1 * (1.0 + index as f64 * index as f64)
        };
        let body = builder.body(point(*mass), [0.0, fall, 0.0, 0.0, 0.0, 0.0]);
        if let Some(above) = above {
            builder.block(Law::Equality, &[above, body], &[[down, up]]);
        }
        above = Some(body);
    }
    builder.build().expect("a valid chain")
}
