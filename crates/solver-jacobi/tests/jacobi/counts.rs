//! Iterations of the default solver from a cold start on the four piles.

use delassus_problems::generators::ContactLaw;
use delassus_solver_jacobi::{Jacobi, JacobiF32, JacobiParameters};

use crate::common::{iterations, piles};

/// To a hundredth of the residual of the start: what the solver promises.
const PROMISED: [u32; 4] = [60, 260, 60, 60];

#[test]
fn a_hundredth_of_the_residual_takes_few_iterations() {
    for law in [
        ContactLaw::Frictionless,
        ContactLaw::Disc,
        ContactLaw::Coulomb,
    ] {
        for ((name, problem), promised) in piles(law).iter().zip(PROMISED) {
            let parameters = JacobiParameters::default();
            let found = iterations::<Jacobi>(parameters, problem, &[1e-2], promised);
            assert!(
                found[0].is_some(),
                "{name}, {law:?}: more than {promised} iterations"
            );
            let found = iterations::<JacobiF32>(parameters, problem, &[1e-2], promised);
            assert!(
                found[0].is_some(),
                "{name}, {law:?}: more than {promised} iterations in f32"
            );
        }
    }
}

/// Bytes per contact point and iteration (J.16): 164 in f32 for manifolds of four and three manifolds per body, within a
/// tenth of the 150 of the model, and 172 with momentum.
#[test]
fn traffic_is_that_of_the_model() {
    use delassus_core::Traffic;
    use delassus_solver_jacobi::pack::Pack;
    use delassus_solver_jacobi::rule::StepRule;
    // a block of boxes: nearly three manifolds per body
    let grid = delassus_problems::generators::Grid {
        nx: 12,
        ny: 12,
        nz: 12,
        ..Default::default()
    };
    let problem = crate::common::problem(&grid);
    let pack = Pack::<f32>::new(&problem, StepRule::default()).expect("a problem with bodies");
    let points = pack.manifolds.points() as f64;
    let per_point = |traffic: Traffic| traffic.total() as f64 / points;
    let plain = per_point(pack.traffic(false));
    let accelerated = per_point(pack.traffic(true));
    println!("{plain} B, with momentum {accelerated} B");
    assert!((plain / 150.0 - 1.0).abs() < 0.1, "{plain} bytes per point");
    assert!(
        (accelerated / 172.0 - 1.0).abs() < 0.1,
        "{accelerated} bytes per point"
    );
}

/// Iterations to 1e-2, 1e-4 and 1e-6 of the residual of the start, for the rules of experiment 19.
#[test]
#[ignore = "prints a table; a minute"]
fn table_of_step_rules() {
    use delassus_solver_jacobi::parameters::Named;
    use delassus_solver_jacobi::rule::{Rule, Splitting, Sweep};
    use delassus_solver_jacobi::{Acceleration, Omega};
    let default = JacobiParameters::default();
    let plain = JacobiParameters {
        sweep: Sweep::Points,
        splitting: Splitting::Rows,
        acceleration: Acceleration::None,
        ..default
    };
    let omega = Omega::Named(Named::Estimate);
    let nesterov = Acceleration::Nesterov;
    let rows = [
        (
            "diagonal",
            JacobiParameters {
                rule: Rule::Diagonal,
                ..plain
            },
        ),
        (
            "count",
            JacobiParameters {
                rule: Rule::Count,
                ..plain
            },
        ),
        (
            "max-count",
            JacobiParameters {
                rule: Rule::MaxCount,
                ..plain
            },
        ),
        ("split rows", plain),
        ("split rows, estimate", JacobiParameters { omega, ..plain }),
        (
            "split blocks",
            JacobiParameters {
                acceleration: Acceleration::None,
                ..default
            },
        ),
        (
            "split blocks, chebyshev",
            JacobiParameters {
                acceleration: Acceleration::Chebyshev,
                ..default
            },
        ),
        (
            "count, nesterov",
            JacobiParameters {
                rule: Rule::Count,
                acceleration: nesterov,
                ..plain
            },
        ),
        (
            "split rows, nesterov",
            JacobiParameters {
                acceleration: nesterov,
                ..plain
            },
        ),
        (
            "split rows, estimate, nesterov",
            JacobiParameters {
                omega,
                acceleration: nesterov,
                ..plain
            },
        ),
        ("default", default),
    ];
    let goals = [1e-2, 1e-4, 1e-6];
    let show = |found: Vec<Option<u32>>| {
        let cells = found
            .iter()
            .map(|x| x.map_or("-".to_owned(), |n| n.to_string()));
        cells.collect::<Vec<_>>().join(" / ")
    };
    for law in [ContactLaw::Frictionless, ContactLaw::Coulomb] {
        let piles = piles(law);
        let line = |name: &str, cells: Vec<String>| println!("| {name} | {} |", cells.join(" | "));
        println!("{law:?}");
        let pgs = |p| {
            show(iterations::<delassus_solver_si::Pgs>(
                Default::default(),
                p,
                &goals,
                6000,
            ))
        };
        line("pgs", piles.iter().map(|(_, p)| pgs(p)).collect());
        let coloured = |p| {
            let parameters = Default::default();
            show(iterations::<delassus_solver_si::ColouredPgs>(
                parameters, p, &goals, 6000,
            ))
        };
        line(
            "coloured-pgs",
            piles.iter().map(|(_, p)| coloured(p)).collect(),
        );
        for (name, parameters) in rows {
            let cell = |p| show(iterations::<Jacobi>(parameters, p, &goals, 6000));
            line(name, piles.iter().map(|(_, p)| cell(p)).collect());
        }
    }
}
