//! Solvers that treat a part of the problem apart: joints by factors, bodies below as ground,
//! contacts by bisection.

use delassus_core::{
    Activity, Friction, ImpulseSolver, Law, MassProperties, Problem, ProblemBuilder, Start,
};
use delassus_problems::generate;
use delassus_solver_si::hybrid::HybridParameters;
use delassus_solver_si::raisim::RaisimParameters;
use delassus_solver_si::shock_propagation::ShockPropagationParameters;
use delassus_solver_si::{Hybrid, Order, Raisim, ShockPropagation, SweepOrder};
use nalgebra::Vector3;

use crate::one_sweep::{as_matrix, rig};
use crate::support::{
    ORDERS, block_gs, chain, largest_difference, pgs, point, residual, run, velocity,
};
use crate::sweeps::{made, sweeps_to};

const UP: [f64; 6] = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
const DOWN: [f64; 6] = [0.0, -1.0, 0.0, 0.0, 0.0, 0.0];

fn hybrid() -> Hybrid {
    made(HybridParameters::default())
}

fn shock(plain_sweeps: u64) -> ShockPropagation {
    made(ShockPropagationParameters { plain_sweeps })
}

/// Point masses linked one above the other that fall on the ground with the lowest; the mass at the
/// top is heavy.
fn pole(links: usize, heavy: f64) -> Problem {
    let mut builder = ProblemBuilder::new();
    let ground = builder.body(MassProperties::immovable(), [0.0; 6]);
    let fall = [0.0, -0.1, 0.0, 0.0, 0.0, 0.0];
    let mut below = builder.body(point(1.0), fall);
    builder.block(
        Law::Contact(Friction::Frictionless),
        &[ground, below],
        &[[DOWN, UP]],
    );
    for link in 0..links {
        let mass = if link + 1 == links { heavy } else { 1.0 };
        let body = builder.body(point(mass), fall);
        builder.block(Law::Equality, &[below, body], &[[DOWN, UP]]);
        below = body;
    }
    builder.build().expect("a valid problem")
}

#[test]
fn a_heavy_contact_at_the_end_of_a_hundred_links_takes_a_handful_of_sweeps() {
    let problem = pole(100, 1000.0);
    let mut solver = hybrid();
    let direct = sweeps_to(&mut solver, &problem, 1e-10, 10);
    assert!(direct <= 2, "{direct}");
    // the contact carries everything: (100 + 1000) kg × 0.1 m/s
    let impulses = run(&mut solver, &problem, Start::Cold, 2);
    assert!((impulses[0] - 110.0).abs() < 1e-9, "{}", impulses[0]);
    let swept = run(&mut pgs(Order::Natural), &problem, Start::Cold, 10_000);
    assert!(
        residual(&problem, &swept) > 1e-3,
        "{}",
        residual(&problem, &swept)
    );
}

#[test]
fn joints_alone_are_solved_in_one_sweep() {
    for masses in [
        vec![1.0; 40],
        (0..40).map(|i| libm::exp2(f64::from(i % 13))).collect(),
    ] {
        for anchored in [true, false] {
            let problem = chain(&masses, anchored);
            let impulses = run(&mut hybrid(), &problem, Start::Cold, 1);
            let left = residual(&problem, &impulses);
            // mass ratios of 4096 amplify roundings
            assert!(left < 1e-11, "{anchored} {masses:?}: {left:e}");
        }
    }
}

/// Two boxes welded twice by the same six rows, one of them falling on the ground at four points.
fn twice_welded() -> Problem {
    let mut builder = ProblemBuilder::new();
    let ground = builder.body(MassProperties::immovable(), [0.0; 6]);
    let boxed = MassProperties::aligned(2.0, Vector3::repeat(1.0 / 3.0));
    let lower = builder.body(boxed, [0.3, -0.5, 0.1, 0.2, 0.0, 0.1]);
    let upper = builder.body(boxed, [0.0, -0.4, 0.0, 0.0, 0.3, 0.0]);
    let unit = |axis: usize, sign: f64| {
        let mut row = [0.0; 6];
        row[axis] = sign;
        row
    };
    // the upper centre is one metre above the lower one: its velocity is v + ω × (0, 1, 0)
    let rows: Vec<[[f64; 6]; 2]> = (0..6)
        .map(|axis| {
            let mut first = unit(axis, -1.0);
            match axis {
                0 => first[5] = 1.0,
                2 => first[3] = -1.0,
                _ => {}
            }
            [first, unit(axis, 1.0)]
        })
        .collect();
    for _ in 0..2 {
        builder.block(Law::Equality, &[lower, upper], &rows);
    }
    for (x, z) in [(0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5)] {
        let at = [x, -0.5, z];
        let point = |axis: usize| {
            let mut row = unit(axis, 1.0);
            // r × e of the axis
            let e = [row[0], row[1], row[2]];
            row[3] = at[1] * e[2] - at[2] * e[1];
            row[4] = at[2] * e[0] - at[0] * e[2];
            row[5] = at[0] * e[1] - at[1] * e[0];
            row
        };
        let still = [0.0; 6];
        let rows = [1, 0, 2].map(|axis| [still, point(axis)]);
        builder.block(
            Law::Contact(Friction::Coulomb { mu: 0.4 }),
            &[ground, lower],
            &rows,
        );
    }
    builder.build().expect("a valid problem")
}

#[test]
fn a_weld_that_is_there_twice_still_converges() {
    let problem = twice_welded();
    let impulses = run(&mut hybrid(), &problem, Start::Cold, 2000);
    assert!(
        residual(&problem, &impulses) < 1e-10,
        "{}",
        residual(&problem, &impulses)
    );
    // the two share, nothing is blown up
    assert!(impulses.iter().all(|x| x.abs() < 20.0), "{impulses:?}");
    let exact = run(
        &mut block_gs(1.0, Order::Natural),
        &problem,
        Start::Cold,
        20_000,
    );
    let difference: Vec<f64> = impulses.iter().zip(&exact).map(|(a, b)| a - b).collect();
    let mut velocities = vec![0.0; problem.rows()];
    problem.apply_delassus(&difference, &mut velocities);
    assert!(largest_difference(&velocities, &vec![0.0; problem.rows()]) < 1e-7);
}

#[test]
fn redundant_joints_of_the_data_converge() {
    let parameters = serde_json::json!({});
    let map = parameters.as_object().expect("an object").clone();
    let problem = generate("joint-grid", &map).expect("its defaults").problem;
    let impulses = run(&mut hybrid(), &problem, Start::Cold, 3);
    let left = residual(&problem, &impulses);
    assert!(left < 1e-9, "{left:e}");
}

#[test]
fn joints_that_are_held_keep_their_impulse_and_act_on() {
    let mut problem = pole(6, 3.0);
    let mut activity = vec![Activity::Solve; problem.blocks().len()];
    activity[3] = Activity::Hold;
    problem.set_activity(&activity).expect("one per block");
    let start: Vec<f64> = (0..problem.rows()).map(|row| 0.1 * row as f64).collect();
    let found = run(&mut hybrid(), &problem, Start::Warm(&start), 200);
    assert_eq!(found[3], start[3]);
    let expected = run(
        &mut pgs(Order::Natural),
        &problem,
        Start::Warm(&start),
        5000,
    );
    assert!(
        largest_difference(&found, &expected) < 1e-9,
        "{found:?} {expected:?}"
    );
}

/// Spheres of different masses on top of each other, one contact each.
fn tower(masses: &[f64]) -> Problem {
    let mut builder = ProblemBuilder::new();
    let mut below = builder.body(MassProperties::immovable(), [0.0; 6]);
    for mass in masses {
        let body = builder.body(point(*mass), [0.0, -0.1635, 0.0, 0.0, 0.0, 0.0]);
        builder.block(
            Law::Contact(Friction::Frictionless),
            &[below, body],
            &[[DOWN, UP]],
        );
        below = body;
    }
    builder.build().expect("a valid problem")
}

#[test]
fn a_stack_stands_after_one_pass_and_its_problem_is_not_solved() {
    let masses = [1.0, 10.0, 0.1, 100.0, 1000.0];
    let problem = tower(&masses);
    let mut solver = shock(0);
    let impulses = run(&mut solver, &problem, Start::Cold, 1);
    let mut velocities = vec![1.0; 6 * (masses.len() + 1)];
    solver
        .read_velocities(&problem, &mut velocities)
        .expect("prepared");
    assert!(velocities.iter().all(|v| v.abs() < 1e-15), "{velocities:?}");
    // every contact bears its own body and nothing above it
    for (impulse, mass) in impulses.iter().zip(masses) {
        assert!((impulse - 0.1635 * mass).abs() < 1e-12, "{impulses:?}");
    }
    // the true problem: the reactions push the lower bodies into the ground
    assert!(residual(&problem, &impulses) > 1e-2);
    assert!(velocity(&problem, &impulses).iter().any(|w| *w < -0.1));
    // sweeps alone are far from standing
    let swept = run(&mut pgs(Order::Natural), &problem, Start::Cold, 11);
    assert!(velocity(&problem, &swept).iter().any(|w| *w < -0.1));
}

#[test]
fn passes_begin_after_the_plain_sweeps_and_stay_where_they_end() {
    let problem = tower(&[1.0, 5.0, 2.0]);
    let plain = run(&mut shock(4), &problem, Start::Cold, 4);
    assert_eq!(
        plain,
        run(&mut pgs(Order::Natural), &problem, Start::Cold, 4)
    );
    let mut solver = shock(4);
    let five = run(&mut solver, &problem, Start::Cold, 5);
    solver.iterate(&problem, 20).expect("prepared");
    let mut later = vec![0.0; 3];
    solver.read_impulses(&mut later).expect("finite");
    assert!(
        largest_difference(&five, &later) < 1e-15,
        "{five:?} {later:?}"
    );
}

#[test]
fn without_ground_nothing_is_held() {
    let problem = chain(&[1.0, 2.0, 3.0], false);
    let held = run(&mut shock(2), &problem, Start::Cold, 300);
    let swept = run(&mut pgs(Order::Natural), &problem, Start::Cold, 300);
    assert!(
        largest_difference(&held, &swept) < 1e-13,
        "{held:?} {swept:?}"
    );
}

#[test]
fn bisection_without_coupling_is_the_exact_block_solver() {
    // point masses: normal and tangents are not coupled, and all contacts slide or stick as under
    // Coulomb's law
    let mut builder = ProblemBuilder::new();
    let ground = builder.body(MassProperties::immovable(), [0.0; 6]);
    let still = [0.0; 6];
    let axis = |i: usize| {
        let mut row = [0.0; 6];
        row[i] = 1.0;
        row
    };
    for speed in [0.01, 0.3, 2.0] {
        let body = builder.body(point(1.5), [speed, -0.2, -0.7 * speed, 0.0, 0.0, 0.0]);
        let rows = [1, 0, 2].map(|i| [still, axis(i)]);
        builder.block(
            Law::Contact(Friction::Coulomb { mu: 0.3 }),
            &[ground, body],
            &rows,
        );
    }
    let problem = builder.build().expect("a valid problem");
    let found = run(
        &mut made::<Raisim>(RaisimParameters::default()),
        &problem,
        Start::Cold,
        1,
    );
    let exact = run(&mut block_gs(1.0, Order::Natural), &problem, Start::Cold, 1);
    assert!(
        largest_difference(&found, &exact) < 1e-14,
        "{found:?} {exact:?}"
    );
    // a part of the way
    let half = made::<Raisim>(RaisimParameters {
        alpha: 0.5,
        ..RaisimParameters::default()
    });
    let mut half = half;
    let found = run(&mut half, &problem, Start::Cold, 1);
    let expected: Vec<f64> = exact.iter().map(|x| 0.5 * x).collect();
    assert!(largest_difference(&found, &expected) < 1e-14);
}

#[test]
fn a_used_solver_has_the_bits_of_a_new_one_without_an_allocation() {
    // every law on bodies and by a matrix, contacts at the end of joints, joints alone, large and
    // small in turn
    let problems = [
        rig(1),
        chain(&[1.0; 30], true),
        as_matrix(&rig(2)),
        pole(9, 50.0),
        pole(4, 2.0),
    ];
    for order in ORDERS {
        let sweep = SweepOrder { order, seed: 3 };
        let mut used: Hybrid = made(HybridParameters { sweep });
        for problem in problems.iter().chain(problems.iter().rev()) {
            let start: Vec<f64> = (0..problem.rows()).map(|i| 0.1 * (i % 3) as f64).collect();
            let mut fresh: Hybrid = made(HybridParameters { sweep });
            let expected = run(&mut fresh, problem, Start::Warm(&start), 5);
            assert_eq!(
                run(&mut used, problem, Start::Warm(&start), 5),
                expected,
                "{order:?}"
            );
            let counted = allocation_counter::measure(|| {
                let prepared = used.prepare(problem, Start::Warm(&start));
                prepared
                    .and_then(|()| used.iterate(problem, 5))
                    .expect("finite");
            });
            assert_eq!(counted.count_total, 0, "{order:?}");
        }
    }
}
