//! The wide solver: the same bits at every width and number of threads, and the answers of its f64 sibling.

use delassus_core::{
    Activity, BodyRows, Friction, ImpulseSolver, Law, Operator, Problem, Refresh, Solver, Start,
    Unsupported,
};
use delassus_problems::Generator;
use delassus_problems::generate;
use delassus_problems::generators::{Form, Planted};
use delassus_solver_si::coloured_pgs::ColouredPgsParameters;
use delassus_solver_si::wide_pgs::{Layout, WidePgsParameters};
use delassus_solver_si::{ColouredPgs, Pgs, VectorLevel, WidePgs};
use serde_json::{Value, json};

use crate::support::{go_on, largest_difference, refreshed, residual, run};

fn wide(layout: Layout, level: VectorLevel, threads: usize, colours: usize) -> WidePgs {
    let parameters = WidePgsParameters {
        layout,
        level,
        threads,
        colours,
    };
    WidePgs::new(parameters).expect("a level of this machine")
}

fn scalar(layout: Layout) -> WidePgs {
    wide(layout, VectorLevel::Scalar, 1, 64)
}

fn coloured(colours: usize) -> ColouredPgs {
    ColouredPgs::new(ColouredPgsParameters { colours }).expect("in range")
}

fn pgs() -> Pgs {
    Pgs::new(Default::default()).expect("the defaults")
}

const LAYOUTS: [Layout; 2] = [Layout::Recompute, Layout::Projection];

fn made(generator: &str, parameters: Value) -> Problem {
    let parameters = parameters.as_object().cloned().unwrap_or_default();
    let named = generate(generator, &parameters);
    named.expect("parameters in range").problem
}

fn planted(parameters: Planted) -> Problem {
    parameters.generate().expect("parameters in range").problem
}

/// Every law and every kind of bundle: manifolds of four points, joints, gears of three bodies, patches.
fn problems() -> Vec<(String, Problem)> {
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

fn bits(impulses: &[f64]) -> Vec<u64> {
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
            // a stack and a path of joints need two
            let enough = name.starts_with("stack") && colours == 2;
            let mut solver = wide(Layout::Recompute, VectorLevel::Auto, 2, colours);
            let found = run(&mut solver, &problem, Start::Cold, 5);
            let mut narrow = wide(Layout::Recompute, VectorLevel::Scalar, 1, colours);
            let scalar = run(&mut narrow, &problem, Start::Cold, 5);
            assert_eq!(bits(&scalar), bits(&found), "{name}, {colours} colours");
            assert_eq!(solver.colouring().overflow == 0, enough, "{name}");
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

/// New bias, compliance, velocities and held rows without `prepare`: what `prepare` with the same impulses gives.
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
        let only_bias = Refresh {
            bias: true,
            ..Refresh::default()
        };
        solver.refresh(&changed, only_bias).expect("prepared");
        let found = go_on(&mut solver, &changed, 2);
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
    assert_eq!(solver.colouring().recoloured, 81);
    assert_eq!(solver.colouring().overflow, 0);
    let again = run(&mut solver, &problem, Start::Cold, 6);
    assert_eq!(solver.colouring().recoloured, 0);
    assert_eq!(bits(&first), bits(&again));
    let bundles = solver.bundles();
    assert_eq!(bundles.filled, 81);
    assert!(bundles.bundles * bundles.lanes >= bundles.filled);
}

#[test]
fn a_manifold_becomes_one_lane() {
    let problem = made("wall", json!({ "base": 5 }));
    let mut solver = scalar(Layout::Recompute);
    run(&mut solver, &problem, Start::Cold, 1);
    // 25 manifolds of 4 points
    assert_eq!(solver.bundles().filled, 25);
    let mut solver = scalar(Layout::Projection);
    run(&mut solver, &problem, Start::Cold, 1);
    assert_eq!(solver.bundles().filled, 100);
}

/// Rows that are nearly, but not exactly, a contact point keep their own Jacobians.
#[test]
fn what_is_no_point_is_not_taken_for_one() {
    let problem = made("stack", json!({ "n": 3 }));
    let mut parts = problem.into_parts();
    let Operator::Bodies(BodyRows { jacobian, .. }) = &mut parts.operator else {
        panic!("a problem with bodies");
    };
    for entry in jacobian.iter_mut() {
        entry[4] += 0.05 * entry[1];
    }
    let problem = Problem::new(parts).expect("still valid");
    let mut solver = scalar(Layout::Recompute);
    let found = run(&mut solver, &problem, Start::Cold, 4);
    assert_eq!(solver.bundles().filled, problem.blocks().len());
    let expected = run(&mut coloured(64), &problem, Start::Cold, 4);
    let size = expected.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    assert!(largest_difference(&expected, &found) <= 2e-5 * size);
}

#[test]
fn refuses_matrices_and_impossible_parameters() {
    let matrix = planted(Planted {
        form: Form::Matrix,
        ..Planted::default()
    });
    let refusal = scalar(Layout::Recompute).check(&matrix);
    assert!(matches!(refusal, Err(Unsupported::Bodies { .. })));
    for parameters in [
        json!({ "threads": 0 }),
        json!({ "threads": 1000 }),
        json!({ "colours": 65 }),
    ] {
        let parameters = serde_json::from_value(parameters).expect("the right types");
        assert!(WidePgs::new(parameters).is_err());
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

/// The same blocks over another number of bodies, or with the ground taken away: nothing of the old ones is left.
#[test]
fn a_used_solver_forgets_the_bodies_of_the_last_problem() {
    let plain = made("stack", json!({ "n": 3, "law": "patch" }));
    let changed = |change: fn(&mut BodyRows)| {
        let mut parts = plain.clone().into_parts();
        if let Operator::Bodies(rows) = &mut parts.operator {
            change(rows);
        }
        Problem::new(parts).expect("still valid")
    };
    let more = changed(|rows| {
        let mass = rows.mass[1];
        rows.mass.extend([mass; 40]);
        rows.free_velocity.extend([0.5; 240]);
    });
    let movable_ground = changed(|rows| rows.mass[0] = rows.mass[1]);
    for layout in LAYOUTS {
        let mut solver = wide(layout, VectorLevel::Auto, 1, 64);
        for problem in [&more, &plain, &movable_ground, &plain, &more] {
            let found = run(&mut solver, problem, Start::Cold, 4);
            let mut fresh = wide(layout, VectorLevel::Auto, 1, 64);
            assert_eq!(
                bits(&found),
                bits(&run(&mut fresh, problem, Start::Cold, 4))
            );
        }
    }
}

/// One box on the ground, four points: bytes of a sweep, counted by hand from the layouts.
#[test]
fn traffic_is_what_the_layouts_hold() {
    let problem = made("stack", json!({ "n": 1, "law": "coulomb" }));
    let traffic = |solver: &mut dyn ImpulseSolver| {
        assert_eq!(solver.traffic(), None, "nothing prepared");
        solver.prepare(&problem, Start::Cold).expect("accepted");
        solver.traffic().expect("prepared")
    };
    for level in VectorLevel::available() {
        let lanes = level.lanes() as u64;
        // both bodies in every lane, the box written back
        let gathered = 32 * (2 * lanes + 1);
        let found = traffic(&mut wide(Layout::Recompute, level, 1, 64));
        // 26 numbers of the manifold and 12 of each point, in lines of 64 bytes
        assert_eq!(found.read, (4 * 74 * lanes).next_multiple_of(64));
        assert_eq!(found.written, 4 * 12 * lanes);
        assert_eq!(found.gathered, gathered);
        let found = traffic(&mut wide(Layout::Projection, level, 1, 64));
        // per point: two bodies; velocity to impulse and back, 36 each; λ, b, R; two bounds, activity; A_tn and A_sn
        assert_eq!(found.read, 4 * 4 * (2 + 72 + 9 + 3 + 2) * lanes);
        assert_eq!(found.written, 4 * 12 * lanes);
        assert_eq!(found.gathered, 4 * gathered);
    }
    let row = 96 + 24 + 8;
    // matrix, indices of the block, its body, its activity, its law
    let block = 72 + 48 + 4 + 8 + 24;
    for solver in [&mut pgs() as &mut dyn ImpulseSolver, &mut coloured(64)] {
        let found = traffic(solver);
        assert_eq!(found.read, 12 * row + 4 * block);
        assert_eq!(found.written, 12 * 8);
        assert_eq!(found.gathered, 4 * 2 * 48);
    }
}

/// Allocations are those of the calling thread, which does the first part of the work as the others do theirs.
#[test]
fn sweeps_allocate_nothing() {
    for (name, problem) in problems() {
        for threads in [1, 2, 3] {
            let mut solver = wide(Layout::Recompute, VectorLevel::Auto, threads, 64);
            solver.prepare(&problem, Start::Cold).expect("accepted");
            let mut outcome = Ok(Default::default());
            // past the renewal of the velocities
            let counted = allocation_counter::measure(|| outcome = solver.iterate(&problem, 70));
            outcome.expect("finite");
            assert_eq!(counted.count_total, 0, "{name}, {threads} threads");
        }
    }
}

/// The plan of the last problem is kept only while packing finds every contact where it was.
#[test]
fn a_used_solver_sees_contacts_that_change_their_kind() {
    let plain = made("wall", json!({ "base": 6, "law": "coulomb" }));
    let skewed = |first: usize, last: usize| {
        let mut parts = plain.clone().into_parts();
        if let Operator::Bodies(rows) = &mut parts.operator {
            let entries = rows.first_entry[first]..rows.first_entry[last];
            for entry in &mut rows.jacobian[entries] {
                entry[4] += 0.05 * entry[1];
            }
        }
        Problem::new(parts).expect("still valid")
    };
    let mut frictional = plain.clone().into_parts();
    for block in frictional.blocks.iter_mut().skip(9).take(2) {
        block.law = Law::Contact(Friction::Coulomb { mu: 0.9 });
    }
    let frictional = Problem::new(frictional).expect("still valid");
    // one manifold is none any more, one loses its second half, one breaks where the friction does
    let all = [
        &plain,
        &skewed(4, 8),
        &plain,
        &skewed(10, 12),
        &frictional,
        &plain,
    ];
    for threads in [1, 2] {
        let mut used = wide(Layout::Recompute, VectorLevel::Auto, threads, 64);
        for problem in all {
            let found = run(&mut used, problem, Start::Cold, 4);
            let mut fresh = wide(Layout::Recompute, VectorLevel::Auto, 1, 64);
            let expected = run(&mut fresh, problem, Start::Cold, 4);
            assert_eq!(bits(&found), bits(&expected));
            assert_eq!(used.bundles().filled, fresh.bundles().filled);
        }
    }
}
