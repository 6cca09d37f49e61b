use delassus_problems::generators::ContactLaw;
use delassus_solver_jacobi::rule::{Rule, Splitting, Sweep};
use delassus_solver_jacobi::{Acceleration, Jacobi, JacobiParameters, Omega, parameters::Named};
use delassus_solver_si::Pgs;

use crate::common::{iterations, piles};

#[test]
#[ignore = "prints a table"]
fn table() {
    let goals = [1e-2, 1e-3, 1e-4, 1e-6];
    let d = JacobiParameters::default();
    let e = Omega::Named(Named::Estimate);
    let list: Vec<(&str, JacobiParameters)> = vec![
        ("default", d),
        ("no guard", JacobiParameters { guard: false, ..d }),
        (
            "w=1.3",
            JacobiParameters {
                omega: Omega::Value(1.3),
                ..d
            },
        ),
        (
            "w=1.6",
            JacobiParameters {
                omega: Omega::Value(1.6),
                ..d
            },
        ),
        (
            "w=1.9",
            JacobiParameters {
                omega: Omega::Value(1.9),
                ..d
            },
        ),
        (
            "points rows",
            JacobiParameters {
                sweep: Sweep::Points,
                splitting: Splitting::Rows,
                ..d
            },
        ),
        (
            "points rows est",
            JacobiParameters {
                sweep: Sweep::Points,
                splitting: Splitting::Rows,
                omega: e,
                ..d
            },
        ),
        (
            "points diag est",
            JacobiParameters {
                sweep: Sweep::Points,
                rule: Rule::Diagonal,
                omega: e,
                ..d
            },
        ),
        (
            "block none",
            JacobiParameters {
                acceleration: Acceleration::None,
                ..d
            },
        ),
        (
            "block cheb",
            JacobiParameters {
                acceleration: Acceleration::Chebyshev,
                ..d
            },
        ),
        (
            "points cheb",
            JacobiParameters {
                sweep: Sweep::Points,
                splitting: Splitting::Rows,
                acceleration: Acceleration::Chebyshev,
                ..d
            },
        ),
        (
            "points rows est none",
            JacobiParameters {
                sweep: Sweep::Points,
                splitting: Splitting::Rows,
                omega: e,
                acceleration: Acceleration::None,
                ..d
            },
        ),
        (
            "count nesterov",
            JacobiParameters {
                sweep: Sweep::Points,
                rule: Rule::Count,
                ..d
            },
        ),
        (
            "diagonal none",
            JacobiParameters {
                sweep: Sweep::Points,
                rule: Rule::Diagonal,
                acceleration: Acceleration::None,
                ..d
            },
        ),
    ];
    for law in [ContactLaw::Frictionless, ContactLaw::Coulomb] {
        println!("{law:?}");
        for (name, problem) in piles(law) {
            println!(
                "{name:16} {:22} {:?}",
                "pgs",
                iterations::<Pgs>(Default::default(), &problem, &goals, 6000)
            );
            for (label, p) in &list {
                println!(
                    "{name:16} {label:22} {:?}",
                    iterations::<Jacobi>(*p, &problem, &goals, 3000)
                );
            }
        }
    }
}
