//! Iterations of the default solver from a cold start on the four piles.

use delassus_problems::generators::{BoxProblem, ContactLaw, Grid};
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

/// Bytes per contact point and iteration (J.16): 164 in f32 for manifolds of four and three
/// manifolds per body, within a tenth of the 150 of the model, and 172 with momentum.
#[test]
fn traffic_is_that_of_the_model() {
    use delassus_core::Traffic;
    use delassus_solver_jacobi::pack::Pack;
    use delassus_solver_jacobi::rule::StepRule;
    // a block of boxes: nearly three manifolds per body
    let grid = BoxProblem::from(Grid {
        nx: 12,
        ny: 12,
        nz: 12,
        ..Default::default()
    });
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
