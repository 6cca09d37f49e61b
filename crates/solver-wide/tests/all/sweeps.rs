//! The wide solver: the same bits at every width and number of threads, and the answers of its f64
//! sibling.

use delassus_core::{
    Activity, BodyRows, Changes, ImpulseSolver, Operator, Parameters, ParametersError, Problem,
    Solver, SolverUpdate, Start, Unsupported,
};
use delassus_problems::generators::{OperatorForm, Planted};
use delassus_problems::{Generator, generate};
use delassus_solver_si::ColouredPgs;
use delassus_solver_wide::wide_pgs::{Layout, WidePgsParameters};
use delassus_solver_wide::{VectorLevel, WidePgs};
use delassus_structure::Colours;
use serde_json::{Value, json};

use crate::made::{short_manifolds, turned_joints};
use crate::support::{continue_sweeps, largest_difference, refreshed, residual, run};

pub(crate) fn wide(layout: Layout, level: VectorLevel, threads: usize, colours: usize) -> WidePgs {
    let parameters = WidePgsParameters {
        layout,
        level,
        threads,
        colours: Colours { colours },
    };
    WidePgs::new(parameters).expect("a level of this machine")
}

pub(crate) fn scalar(layout: Layout) -> WidePgs {
    wide(layout, VectorLevel::Scalar, 1, 64)
}

pub(crate) fn coloured(colours: usize) -> ColouredPgs {
    ColouredPgs::new(Colours { colours }).expect("in range")
}

pub(crate) const LAYOUTS: [Layout; 2] = [Layout::Recompute, Layout::Projection];

pub(crate) fn made(generator: &str, parameters: Value) -> Problem {
    let parameters = parameters.as_object().cloned().unwrap_or_default();
    let named = generate(generator, &parameters);
    named.expect("parameters in range").problem
}

pub(crate) fn planted(parameters: Planted) -> Problem {
    parameters.generate().expect("parameters in range").problem
}

/// Every law and every kind of bundle: manifolds of four points, joints, gears of three bodies,
/// patches.
pub(crate) fn problems() -> Vec<(String, Problem)> {
    let mut all = Vec::new();
    for law in [
        "frictionless",
        "fixed-box",
        "pyramid",
        "disc",
        "coulomb",
        "convex-cone",
        "patch",
    ] {
        for (generator, size) in [("wall", "base"), ("stack", "n")] {
            let name = format!("{generator}, {law}");
            let softness = if generator == "wall" { 0.0 } else { 0.01 };
            let parameters = json!({ size: 7, "law": law, "compliance": softness, "speed": 0.3 });
            all.push((name, made(generator, parameters)));
        }
    }
    for hertz in [0.0, 30.0] {
        let parameters = json!({ "n": 6, "hertz": hertz });
        all.push((
            format!("joint grid, {hertz} Hz"),
            made("joint-grid", parameters),
        ));
    }
    for dof in 3..=6 {
        let parameters = json!({ "count": 60, "dof": dof });
        all.push((
            format!("joints of {dof} rows"),
            made("joint-graph", parameters),
        ));
    }
    for softness in [0.0, 0.02] {
        let name = format!("joints in turned frames, R = {softness}");
        all.push((name, turned_joints(softness)));
    }
    all.push(("short manifolds".to_owned(), short_manifolds()));
    for compliance in [0.0, 0.05] {
        let mixed = Planted {
            bodies: 12,
            equality: 4,
            gears: 2,
            bounds: 4,
            frictionless: 3,
            fixed_box: 2,
            pyramid: 2,
            disc: 2,
            coulomb: 5,
            convex_cone: 2,
            patch: 2,
            compliance,
            ..Planted::default()
        };
        all.push((format!("everything, R = {compliance}"), planted(mixed)));
    }
    all
}

pub(crate) fn bits(impulses: &[f64]) -> Vec<u64> {
    impulses.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn every_level_gives_the_bits_of_the_scalar_kernel() {
    for (name, problem) in problems() {
        for layout in LAYOUTS {
            let expected = run(&mut scalar(layout), &problem, Start::Cold, 9);
            for level in VectorLevel::available() {
                let mut solver = wide(layout, level, 1, 64);
                let found = run(&mut solver, &problem, Start::Cold, 9);
                assert_eq!(
                    bits(&expected),
                    bits(&found),
                    "{name}, {layout:?}, {level:?}"
                );
            }
        }
    }
}

#[test]
fn every_number_of_threads_gives_the_same_bits() {
    for (name, problem) in problems() {
        for layout in LAYOUTS {
            let expected = run(&mut scalar(layout), &problem, Start::Cold, 5);
            for threads in [2, 3, 4, 8] {
                let mut solver = wide(layout, VectorLevel::Auto, threads, 64);
                let found = run(&mut solver, &problem, Start::Cold, 5);
                assert_eq!(bits(&expected), bits(&found), "{name}, {threads} threads");
            }
        }
    }
}

/// Few colours: most of the problem overflows, and no constraint is lost.
#[test]
fn the_overflow_is_solved() {
    for (name, problem) in problems() {
        let expected = run(&mut scalar(Layout::Recompute), &problem, Start::Cold, 5);
        for colours in [1, 2] {
            // a stack and a path of joints or manifolds need two
            let path = ["stack", "joints in turned", "short"];
            let enough = path.iter().any(|path| name.starts_with(path)) && colours == 2;
            let mut solver = wide(Layout::Recompute, VectorLevel::Auto, 2, colours);
            let found = run(&mut solver, &problem, Start::Cold, 5);
            let mut narrow = wide(Layout::Recompute, VectorLevel::Scalar, 1, colours);
            let scalar = run(&mut narrow, &problem, Start::Cold, 5);
            assert_eq!(bits(&scalar), bits(&found), "{name}, {colours} colours");
            assert_eq!(
                solver.prepared().expect("prepared").colouring().overflow == 0,
                enough,
                "{name}"
            );
            // another order, the same contacts
            let solved = |impulses: &[f64]| impulses.iter().filter(|x| **x != 0.0).count();
            assert!(2 * solved(&found) > solved(&expected), "{name}");
        }
    }
}

/// One sweep of each visits the same blocks in the same order: they differ by rounding only.
#[test]
fn sweeps_are_those_of_the_coloured_solver() {
    for (name, problem) in problems() {
        if name.starts_with("everything") {
            // joints are solved as blocks
            continue;
        }
        if name.starts_with("joint") {
            continue;
        }
        for layout in LAYOUTS {
            for sweeps in [1, 4] {
                let expected = run(&mut coloured(64), &problem, Start::Cold, sweeps);
                let found = run(&mut scalar(layout), &problem, Start::Cold, sweeps);
                let size = expected.iter().fold(0.0f64, |m, x| m.max(x.abs()));
                let miss = largest_difference(&expected, &found);
                // some hundred roundings of 6e-8
                assert!(
                    miss <= 2e-5 * size,
                    "{name}, {layout:?}, {sweeps}: {miss:e} of {size}"
                );
            }
        }
    }
}

#[test]
fn converges_as_far_as_f32_goes() {
    for (name, problem) in problems() {
        let reached = residual(
            &problem,
            &run(&mut coloured(64), &problem, Start::Cold, 4_000),
        );
        for layout in LAYOUTS {
            let impulses = run(&mut scalar(layout), &problem, Start::Cold, 4_000);
            let found = residual(&problem, &impulses);
            assert!(
                found <= 10.0 * reached + 1e-5,
                "{name}: {found:e} against {reached:e}"
            );
        }
    }
}

/// New bias, compliance, velocities and inactive rows without `prepare`: what `prepare` with the
/// same impulses gives.
#[test]
fn a_refresh_is_a_prepare() {
    for (name, problem) in problems() {
        for layout in LAYOUTS {
            let mut solver = wide(layout, VectorLevel::Auto, 1, 64);
            let start = run(&mut solver, &problem, Start::Cold, 3);
            let mut changed = problem.clone();
            let shift = |from: &[f64], by: f64| from.iter().map(|x| x + by).collect::<Vec<_>>();
            changed
                .set_bias(&shift(problem.bias(), 0.01))
                .expect("finite");
            let softer = shift(problem.compliance(), 0.02);
            changed.set_compliance(&softer).expect("positive");
            let free = &problem.bodies().expect("bodies").free_velocity;
            changed
                .set_free_velocity(&shift(free, -0.1))
                .expect("finite");
            let held = |block: usize| match block % 3 {
                0 => Activity::Solve,
                1 => Activity::NormalsOnly,
                _ => Activity::Hold,
            };
            let activity: Vec<Activity> = (0..problem.blocks().len()).map(held).collect();
            changed.set_activity(&activity).expect("one per block");
            let found = refreshed(&mut solver, &changed, 4);
            let mut fresh = wide(layout, VectorLevel::Auto, 1, 64);
            let expected = run(&mut fresh, &changed, Start::Warm(&start), 4);
            assert_eq!(bits(&expected), bits(&found), "{name}, {layout:?}");
            let mut f64s = coloured(64);
            let near = run(&mut f64s, &changed, Start::Warm(&start), 4);
            if !name.starts_with("everything") && !name.starts_with("joint") {
                let size = near.iter().fold(0.0f64, |m, x| m.max(x.abs()));
                let miss = largest_difference(&near, &found);
                assert!(
                    miss <= 2e-5 * size,
                    "{name}, {layout:?}: {miss:e} of {size}"
                );
            }
        }
    }
}

/// The bias alone, then the compliance alone and back, as a scheme that relaxes does.
#[test]
fn parts_of_a_refresh_are_enough() {
    for (name, problem) in problems() {
        let mut solver = wide(Layout::Recompute, VectorLevel::Auto, 1, 64);
        let start = run(&mut solver, &problem, Start::Cold, 3);
        let mut changed = problem.clone();
        let bias: Vec<f64> = problem.bias().iter().map(|b| b - 0.02).collect();
        changed.set_bias(&bias).expect("finite");
        let only_bias = Changes {
            bias: true,
            ..Changes::default()
        };
        solver
            .update(&changed, SolverUpdate::Numbers(only_bias))
            .expect("prepared");
        let found = continue_sweeps(&mut solver, &changed, 2);
        let mut fresh = wide(Layout::Recompute, VectorLevel::Auto, 1, 64);
        let expected = run(&mut fresh, &changed, Start::Warm(&start), 2);
        let size = expected.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        // velocities that were kept and velocities that were summed anew differ by rounding
        let miss = largest_difference(&expected, &found);
        assert!(miss <= 2e-5 * size, "{name}: {miss:e} of {size}");
    }
}

#[test]
fn a_scene_at_rest_recolours_nothing_and_repeats() {
    let problem = made("wall", json!({ "base": 9 }));
    let mut solver = wide(Layout::Recompute, VectorLevel::Auto, 1, 64);
    let first = run(&mut solver, &problem, Start::Cold, 6);
    assert_eq!(
        solver.prepared().expect("prepared").colouring().recoloured,
        81
    );
    assert_eq!(solver.prepared().expect("prepared").colouring().overflow, 0);
    let again = run(&mut solver, &problem, Start::Cold, 6);
    assert_eq!(
        solver.prepared().expect("prepared").colouring().recoloured,
        0
    );
    assert_eq!(bits(&first), bits(&again));
    let bundles = solver.prepared().expect("prepared").counts();
    assert_eq!(bundles.filled, 81);
    assert!(bundles.bundles * bundles.lanes >= bundles.filled);
}

/// A colour's last bundle takes in what comes later; the bits are those of every other width and
/// number of threads.
#[test]
fn one_thread_fills_its_bundles() {
    let problem = made("wall", json!({ "base": 20 }));
    for level in [VectorLevel::Scalar, VectorLevel::Auto] {
        let mut one = wide(Layout::Recompute, level, 1, 64);
        let mut three = wide(Layout::Recompute, level, 3, 64);
        let first = run(&mut one, &problem, Start::Cold, 3);
        assert_eq!(
            bits(&first),
            bits(&run(&mut three, &problem, Start::Cold, 3))
        );
        let [one, three] = [one, three].map(|s| s.prepared().expect("prepared").counts());
        assert_eq!((one.filled, three.filled), (400, 400));
        assert!(one.bundles <= 400_usize.div_ceil(one.lanes) + 1, "{one:?}");
        assert!(one.bundles <= three.bundles, "{one:?} {three:?}");
    }
}

#[test]
fn a_manifold_becomes_one_lane() {
    let problem = made("wall", json!({ "base": 5 }));
    let mut solver = scalar(Layout::Recompute);
    run(&mut solver, &problem, Start::Cold, 1);
    // 25 manifolds of 4 points
    assert_eq!(solver.prepared().expect("prepared").counts().filled, 25);
    let mut solver = scalar(Layout::Projection);
    run(&mut solver, &problem, Start::Cold, 1);
    assert_eq!(solver.prepared().expect("prepared").counts().filled, 100);
}

/// Rows that are nearly, but not exactly, a contact point keep their own Jacobians.
#[test]
fn what_is_no_point_is_not_taken_for_one() {
    let problem = made("stack", json!({ "n": 3 }));
    let mut parts = problem.into_parts();
    let Operator::Bodies(BodyRows { jacobian, .. }) = &mut parts.operator else {
        panic!("a problem with bodies");
    };
    jacobian.edit(|rows| {
        for entry in rows {
            entry[4] += 0.05 * entry[1];
        }
    });
    let problem = Problem::new(parts).expect("still valid");
    let mut solver = scalar(Layout::Recompute);
    let found = run(&mut solver, &problem, Start::Cold, 4);
    assert_eq!(
        solver.prepared().expect("prepared").counts().filled,
        problem.blocks().len()
    );
    let expected = run(&mut coloured(64), &problem, Start::Cold, 4);
    let size = expected.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    assert!(largest_difference(&expected, &found) <= 2e-5 * size);
}

#[test]
fn refuses_matrices_and_impossible_parameters() {
    let matrix = planted(Planted {
        form: OperatorForm::Matrix,
        ..Planted::default()
    });
    let refusal = scalar(Layout::Recompute).check(&matrix);
    assert!(matches!(refusal, Err(Unsupported::Bodies { .. })));
    for parameters in [
        json!({ "threads": 0 }),
        json!({ "threads": 1000 }),
        json!({ "colours": 65 }),
    ] {
        let refused = WidePgsParameters::from_map(parameters.as_object().expect("a table"));
        assert!(matches!(refused, Err(ParametersError::Range(_))));
    }
    let missing = VectorLevel::NAMED
        .into_iter()
        .find(|level| !VectorLevel::available().contains(level));
    if let Some(level) = missing {
        let parameters = WidePgsParameters {
            level,
            ..WidePgsParameters::default()
        };
        assert!(WidePgs::new(parameters).is_err(), "{level:?}");
    }
}
