//! Gauss–Seidel on the device: its bits, its twin, what it refuses.

use crate::prepared::DeviceParameters;
use delassus_core::{
    DeviceError, ImpulseSolver, Parameters, Problem, SolveError, Solver, Start, Unsupported,
};
use delassus_metrics::Evaluator;
use delassus_problems::generators::{BoxProblem, ContactLaw, Stack};
use delassus_solver_jacobi::kernels::coloured::{self, RULE, TaskOrder};
use delassus_solver_jacobi::pack::{Iterate, Pack};
use delassus_solver_jacobi::real::{Quad, Real};
use delassus_solver_jacobi::running::{ErrorBounded, ambiguous};
use delassus_structure::{Colouring, Colours, Units};

use super::common::{everything, grid, problem, scenes, stack};
use crate::gpu_coloured_pgs::{Fused, GpuColouredPgs, GpuColouredPgsParameters};
use crate::testing::device_or_skip;

fn solver(
    parameters: GpuColouredPgsParameters,
    problem: &Problem,
    start: Start<'_>,
) -> GpuColouredPgs {
    let mut solver = GpuColouredPgs::new(parameters).expect("valid parameters");
    let prepared = solver.prepare(problem, start);
    prepared.expect("a problem that the solver takes");
    solver
}

fn read(solver: &mut GpuColouredPgs, problem: &Problem) -> (Vec<f64>, Vec<f64>) {
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses).expect("impulses");
    let mut velocities = vec![0.0; 6 * problem.bodies().expect("bodies").len()];
    let found = solver.read_velocities(problem, &mut velocities);
    found.expect("velocities");
    (impulses, velocities)
}

fn bits(solver: &mut GpuColouredPgs, problem: &Problem) -> (Vec<u64>, Vec<u64>) {
    let (impulses, velocities) = read(solver, problem);
    let of = |all: Vec<f64>| all.into_iter().map(f64::to_bits).collect();
    (of(impulses), of(velocities))
}

/// Impulses of the right size for a scene, the same every time.
fn some(problem: &Problem) -> Vec<f64> {
    let rows = 0..problem.rows();
    rows.map(|row| 0.01 * ((row * 37) % 19) as f64).collect()
}

#[test]
fn repeats_workgroups_submissions_and_fusing_change_no_bit() {
    if device_or_skip("repeats_workgroups_submissions_and_fusing").is_none() {
        return;
    }
    let default = GpuColouredPgsParameters::default();
    for (name, problem) in [
        ("grid", grid()),
        ("everything", problem(&everything(3))),
        ("hub", hub(12)),
    ] {
        for colours in [64, 3] {
            let base = GpuColouredPgsParameters {
                colours: Colours { colours },
                ..default.clone()
            };
            let run = |parameters: GpuColouredPgsParameters, pieces: &[u32]| {
                let mut solver = solver(parameters, &problem, Start::Cold);
                for sweeps in pieces {
                    solver.iterate(&problem, *sweeps).expect("sweeps");
                }
                bits(&mut solver, &problem)
            };
            let expected = run(base.clone(), &[9]);
            assert_eq!(run(base.clone(), &[3, 0, 6]), expected, "{name}, pieces");
            for fused in [Fused::On, Fused::Off] {
                for (workgroup, submission) in [(32, 256), (64, 4), (256, 9), (128, 1)] {
                    let parameters = GpuColouredPgsParameters {
                        fused,
                        device: DeviceParameters {
                            workgroup,
                            submission,
                            ..base.device.clone()
                        },
                        ..base.clone()
                    };
                    let label = format!("{name} {fused:?} {workgroup} {submission}");
                    assert_eq!(run(parameters, &[9]), expected, "{label}");
                }
            }
        }
    }
}

#[test]
fn velocities_are_renewed_at_the_same_sweeps_however_a_solve_is_cut() {
    if device_or_skip("velocities_are_renewed").is_none() {
        return;
    }
    let problem = stack(4, ContactLaw::Disc);
    let run = |fused, submission, pieces: &[u32]| {
        let parameters = GpuColouredPgsParameters {
            fused,
            device: DeviceParameters {
                submission,
                ..DeviceParameters::default()
            },
            ..GpuColouredPgsParameters::default()
        };
        let mut solver = solver(parameters, &problem, Start::Cold);
        for sweeps in pieces {
            solver.iterate(&problem, *sweeps).expect("sweeps");
        }
        bits(&mut solver, &problem)
    };
    let expected = run(Fused::Off, 256, &[200]);
    for (fused, submission) in [(Fused::On, 256), (Fused::On, 3), (Fused::Off, 7)] {
        for pieces in [&[200][..], &[64, 64, 72], &[1, 62, 3, 70, 64]] {
            let label = format!("{fused:?} {submission} {pieces:?}");
            assert_eq!(run(fused, submission, pieces), expected, "{label}");
        }
    }
}

/// One heavy body that all others lie on: more partners than colours.
fn hub(n: usize) -> Problem {
    let mut parts = stack(n, ContactLaw::Disc).into_parts();
    if let delassus_core::Operator::Bodies(bodies) = &mut parts.operator {
        // the lower body of every pair becomes the first one that moves
        let first = bodies.mass.iter().position(|m| !m.is_immovable());
        let first = u32::try_from(first.expect("a body that moves")).expect("a small index");
        for block in 0..parts.blocks.len() {
            let range = bodies.first_body[block]..bodies.first_body[block + 1];
            if let [a, b] = &mut bodies.block_bodies[range]
                && !bodies.mass[*a as usize].is_immovable()
                && *b != first
            {
                *a = first;
            }
        }
    }
    Problem::new(parts).expect("a valid problem")
}

#[test]
fn what_finds_no_colour_is_solved_all_the_same() {
    if device_or_skip("what_finds_no_colour").is_none() {
        return;
    }
    let problem = hub(70);
    let mut solver = solver(GpuColouredPgsParameters::default(), &problem, Start::Cold);
    let counts = solver.method().colouring();
    assert!(counts.overflow > 0, "{counts:?}");
    const SWEEPS: u32 = 200;
    solver.iterate(&problem, SWEEPS).expect("sweeps");
    let (found, _) = read(&mut solver, &problem);
    let (pack, state) = twin::<f64>(&problem, &vec![0.0; problem.rows()], SWEEPS);
    let mut expected = vec![0.0; problem.rows()];
    state.read(&pack, &mut expected);
    let mut evaluator = Evaluator::new(&problem).expect("a scale");
    let mut residual = |impulses: &[f64]| {
        let residuals = evaluator.evaluate(impulses).expect("a residual");
        residuals.natural_map
    };
    let (start, found, expected) = (
        residual(&vec![0.0; problem.rows()]),
        residual(&found),
        residual(&expected),
    );
    assert!(found < 0.2 * start, "{found:e} of {start:e}");
    // the rounding of SWEEPS additions to velocities (W.2)
    let floor = 2.0 * f64::from(SWEEPS) * f64::from(f32::EPSILON);
    assert!(found <= 1.1 * expected + floor, "{found:e}, {expected:e}");
}

/// The twin's sweeps in the arithmetic `T`, from impulses and velocities rounded to f32.
fn twin<T: Real>(problem: &Problem, start: &[f64], sweeps: u32) -> (Pack<T>, Iterate<T>) {
    let (units, groups) = Units::new(problem);
    let mut colouring = Colouring::new(64);
    colouring.update(groups);
    let rounded = Pack::<f32>::new(problem, RULE).expect("bodies");
    let mut from = Iterate::new(&rounded);
    from.load(&rounded, start);
    coloured::start(&rounded, &mut from);
    let pack = Pack::<T>::new(problem, RULE).expect("bodies");
    let order = TaskOrder::new(problem, &pack, &units, &colouring);
    let widened = |quads: &[Quad<f32>]| -> Vec<Quad<T>> {
        let widen = |quad: &Quad<f32>| quad.map(|x| T::of(f64::from(x)));
        quads.iter().map(widen).collect()
    };
    let mut state = Iterate {
        points: widened(&from.points),
        rows: widened(&from.rows),
        settled: widened(&from.settled),
        velocity: widened(&from.velocity),
        wrench: widened(&from.wrench),
        current: 0,
    };
    for _ in 0..sweeps {
        coloured::sweep(&pack, &mut state, &order);
    }
    (pack, state)
}

#[test]
fn a_sweep_is_within_the_bound_of_its_twin() {
    if device_or_skip("a_sweep_is_within_the_bound").is_none() {
        return;
    }
    let (mut compared, mut left_out) = (0, 0);
    let mut all = scenes();
    all.push(("grid".into(), grid()));
    for (name, problem) in all {
        let start = some(&problem);
        let before = ambiguous();
        let (pack, state) = twin::<ErrorBounded>(&problem, &start, 1);
        if ambiguous() > before {
            // rounding could turn a comparison somewhere in the sweep: no bound for what follows it
            left_out += 1;
            continue;
        }
        let mut solver = solver(
            GpuColouredPgsParameters::default(),
            &problem,
            Start::Warm(&start),
        );
        solver.iterate(&problem, 1).expect("a sweep");
        let (impulses, velocities) = read(&mut solver, &problem);
        let mut expected = vec![0.0; problem.rows()];
        state.read(&pack, &mut expected);
        let mut bounds = state.clone();
        let error = |quads: &mut Vec<Quad<ErrorBounded>>| {
            for x in quads.iter_mut().flatten() {
                x.value = x.error;
            }
        };
        error(&mut bounds.points);
        error(&mut bounds.rows);
        error(&mut bounds.settled);
        let mut bound = vec![0.0; problem.rows()];
        bounds.read(&pack, &mut bound);
        let largest = expected.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let mut tight = 0;
        for row in 0..problem.rows() {
            let distance = (impulses[row] - expected[row]).abs();
            assert!(
                distance <= bound[row],
                "{name}, row {row}: {distance:e} > {:e}",
                bound[row]
            );
            // it grows along the order of the sweep
            tight += usize::from(bound[row] <= 1e-4 * largest);
        }
        // bounds that allow everything would prove nothing
        assert!(tight * 10 >= problem.rows() * 8, "{name}: {tight}");
        let (mut expected, mut bound) = (vec![0.0; velocities.len()], vec![0.0; velocities.len()]);
        state.read_velocities(&mut expected);
        bounds.read_velocities(&mut bound);
        for at in 0..velocities.len() {
            let distance = (velocities[at] - expected[at]).abs();
            assert!(
                distance <= bound[at],
                "{name}, {at}: {distance:e} > {:e}",
                bound[at]
            );
        }
        compared += 1;
    }
    println!("{compared} scenes compared, {left_out} left out");
    assert!(compared >= 4, "{compared} compared, {left_out} left out");
}

#[test]
fn it_comes_as_close_as_its_twin_in_f64() {
    if device_or_skip("it_comes_as_close_as_its_twin").is_none() {
        return;
    }
    const SWEEPS: u32 = 300;
    for (name, problem) in scenes() {
        let start = vec![0.0; problem.rows()];
        let (pack, state) = twin::<f64>(&problem, &start, SWEEPS);
        let mut evaluator = Evaluator::new(&problem).expect("a scale");
        let mut impulses = vec![0.0; problem.rows()];
        state.read(&pack, &mut impulses);
        let expected = evaluator.evaluate(&impulses).expect("a residual");
        let mut solver = solver(GpuColouredPgsParameters::default(), &problem, Start::Cold);
        solver.iterate(&problem, SWEEPS).expect("sweeps");
        let (impulses, _) = read(&mut solver, &problem);
        let found = evaluator.evaluate(&impulses).expect("a residual");
        println!("{name}: {:e} {:e}", found.natural_map, expected.natural_map);
        // SWEEPS additions to velocities of the size one, each rounded to half an ulp; both ends of
        // a contact (W.2)
        let floor = 2.0 * f64::from(SWEEPS) * f64::from(f32::EPSILON);
        let bound = 2.0 * expected.natural_map + floor;
        assert!(
            found.natural_map <= bound,
            "{name}: {:e} > {bound:e}",
            found.natural_map
        );
    }
}

#[test]
fn a_block_of_five_bodies_is_refused() {
    if device_or_skip("a_block_of_five_bodies").is_none() {
        return;
    }
    let stack = BoxProblem::from(Stack {
        n: 5,
        ..Stack::default()
    });
    let mut parts = problem(&stack).into_parts();
    parts.blocks.truncate(1);
    parts.blocks[0].dim = 1;
    parts.blocks[0].law = delassus_core::Law::Equality;
    parts.bias.truncate(1);
    parts.compliance.truncate(1);
    parts.activity.clear();
    if let delassus_core::Operator::Bodies(bodies) = &mut parts.operator {
        let last = u32::try_from(bodies.mass.len()).expect("six bodies");
        bodies.block_bodies = (last - 5..last).collect();
        bodies.first_body = vec![0, 5];
        bodies.first_entry = vec![0, 5];
        bodies.jacobian = vec![[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]; 5].into();
    }
    let problem = Problem::new(parts).expect("a valid problem");
    let mut solver = GpuColouredPgs::new(GpuColouredPgsParameters::default()).expect("valid");
    let refused = solver.prepare(&problem, Start::Cold);
    let Err(SolveError::Unsupported(Unsupported::Device { device, .. })) = refused else {
        panic!("{refused:?}");
    };
    assert!(
        matches!(
            device,
            DeviceError::Limit {
                needed: 5,
                allowed: 4,
                ..
            }
        ),
        "{device:?}"
    );
}

#[test]
fn parameters_out_of_range_are_named() {
    let default = GpuColouredPgsParameters::default();
    let bad = [
        (
            "colours",
            GpuColouredPgsParameters {
                colours: Colours { colours: 65 },
                ..default.clone()
            },
        ),
        (
            "colours",
            GpuColouredPgsParameters {
                colours: Colours { colours: 0 },
                ..default.clone()
            },
        ),
        (
            "workgroup",
            GpuColouredPgsParameters {
                device: DeviceParameters {
                    workgroup: 48,
                    ..default.device.clone()
                },
                ..default.clone()
            },
        ),
        (
            "submission",
            GpuColouredPgsParameters {
                device: DeviceParameters {
                    submission: 0,
                    ..default.device.clone()
                },
                ..default
            },
        ),
    ];
    for (name, parameters) in bad {
        let error = GpuColouredPgs::new(parameters).expect_err("out of range");
        assert_eq!(error.parameter, name);
    }
    let named = GpuColouredPgsParameters::docs().into_iter().map(|p| p.name);
    assert_eq!(
        named.collect::<Vec<_>>(),
        ["colours", "fused", "workgroup", "submission", "adapter"]
    );
}
