//! Agreement with the dense methods, and with planted solutions.

use delassus_problems::read_file;
use delassus_solver_dense::{AlartCurnier, Ipm};
use delassus_solver_newton::{ProxNewton, Sap};
use serde_json::json;

use crate::common::{difference, made, residual, solve};

#[test]
fn files_agree_with_the_dense_method() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
    let names = [
        "chain-10.dls",
        "incline.dls",
        "joint-grid-4.dls",
        "planted-mixed.dls",
        "ring.dls",
        "stack-10-heavy-top.dls",
        "stack-5.dls",
        "stack-5-soft.dls",
        "wall-4-coulomb.dls",
        "wall-4-patch.dls",
        "wall-4-pyramid.dls",
    ];
    for name in names {
        let problem = read_file(folder.join(name)).expect("a file").problem;
        let ours = solve::<ProxNewton>(&problem, 300);
        let theirs = solve::<AlartCurnier>(&problem, 2000);
        let (one, other) = (residual(&problem, &ours), residual(&problem, &theirs));
        assert!(one < 1e-12, "{name}: {one:e}");
        let apart = difference(&problem, &ours, &theirs);
        // what the dense method reaches bounds what can be compared
        assert!(
            apart < 1e-9 + 100.0 * other,
            "{name}: {apart:e} apart, {other:e}"
        );
    }
}

#[test]
fn planted_problems_with_redundant_rows_and_mass_ratios_are_solved() {
    let mut solved = 0;
    for seed in 0..6 {
        for (ratio, redundant) in [(1.0, 0), (1e4, 10), (1.0, 20)] {
            let problem = made(
                "planted",
                json!({
                    "bodies": 12, "coulomb": 20, "equality": 4, "bounds": 4, "pyramid": 4, "convex_cone": 4,
                    "fixed_box": 4, "rolling": 2, "spinning": 2, "patch": 2, "gears": 2, "friction": 0.25,
                    "grounded": 0.5, "mass_ratio": ratio, "redundant": redundant, "seed": seed,
                }),
            );
            let impulses = solve::<ProxNewton>(&problem, 1000);
            let found = residual(&problem, &impulses);
            // Coulomb's law is not monotone: one of eighteen ends at 3e-7
            assert!(
                found < 1e-6,
                "seed {seed}, ratio {ratio}, {redundant}: {found:e}"
            );
            solved += u32::from(found < 1e-11);
        }
    }
    assert!(solved >= 17, "{solved} of 18");
}

#[test]
fn regularized_problems_agree_with_the_interior_point() {
    for seed in 0..6 {
        for compliance in [1e-4, 0.05, 10.0] {
            let problem = made(
                "planted",
                json!({
                    "bodies": 12, "coulomb": 0, "convex_cone": 20, "equality": 4, "bounds": 6, "frictionless": 6,
                    "fixed_box": 4, "compliance": compliance, "mass_ratio": 100.0, "seed": seed,
                }),
            );
            let (ours, theirs) = (solve::<Sap>(&problem, 200), solve::<Ipm>(&problem, 200));
            let found = residual(&problem, &ours);
            assert!(found < 1e-12, "seed {seed}, {compliance}: {found:e}");
            let apart = difference(&problem, &ours, &theirs);
            let judged = residual(&problem, &theirs);
            assert!(
                apart < 1e-8 + 1e3 * judged,
                "seed {seed}, {compliance}: {apart:e} apart, theirs {judged:e}"
            );
            let also = solve::<ProxNewton>(&problem, 500);
            let apart = difference(&problem, &ours, &also);
            assert!(
                apart < 1e-8,
                "seed {seed}, {compliance}: prox-newton {apart:e}"
            );
        }
    }
}
