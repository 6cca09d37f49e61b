//! What the choice promises: every shipped problem solved, the same lines twice, the best iterate
//! kept, and a way out where a method fails.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use delassus_core::{
    Fidelity, Friction, ImpulseSolver, Law, LawKind, Problem, SolveError, Solver, Start, interrupt,
};
use delassus_metrics::Evaluator;
use delassus_problems::generators::{Generator, OperatorForm, Planted, ScaledPlanted};
use delassus_problems::read_file;
use delassus_solver_auto::Auto;
use delassus_solver_auto::auto::AutoParameters;
use delassus_solver_descent::Apgd;
use delassus_solver_si::Pgs;

fn auto() -> Auto {
    Auto::new(AutoParameters::default()).unwrap()
}

fn with_threads(threads: usize) -> Auto {
    let parameters = AutoParameters {
        threads,
        ..AutoParameters::default()
    };
    Auto::new(parameters).unwrap()
}

fn residual(problem: &Problem, impulses: &[f64]) -> f64 {
    let mut evaluator = Evaluator::new(problem).unwrap();
    evaluator.deciding_natural_map(impulses).unwrap()
}

/// Runs to the end or to `units`; the residual and the lines.
fn solve(problem: &Problem, units: u32) -> (f64, Vec<String>) {
    let mut solver = auto();
    solver.prepare(problem, Start::Cold).unwrap();
    let mut impulses = vec![0.0; problem.rows()];
    for _ in 0..units {
        let progress = solver.iterate(problem, 1).unwrap();
        solver.read_impulses(&mut impulses).unwrap();
        if progress.finished || residual(problem, &impulses) <= 1e-10 {
            break;
        }
    }
    (residual(problem, &impulses), solver.facts().decisions)
}

fn data() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
    let files = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "dls" || e == "dat"));
    files.sort();
    files
}

#[test]
fn every_shipped_problem_is_solved_and_explained() {
    let mut seen = 0;
    for path in data() {
        let problem = read_file(&path).unwrap().problem;
        assert!(matches!(auto().check(&problem), Ok(Fidelity::Exact)));
        let (residual, lines) = solve(&problem, 4000);
        assert!(
            residual <= 1e-10,
            "{}: {residual:e}\n{lines:#?}",
            path.display()
        );
        let plan = lines.first().unwrap();
        assert!(plan.contains("rows in"), "{plan}");
        seen += 1;
    }
    assert!(seen >= 10, "{seen} files");
}

/// Frames at rest on redundant contacts, where sweeps and Newton's method alone stall at 1e-5 to
/// 1e-6.
#[test]
fn frames_at_rest_are_solved_where_other_methods_stall() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/23-fclib/frames");
    for frame in ["arch.dls", "jenga.dls", "stack.dls"] {
        let problem = read_file(folder.join(frame)).unwrap().problem;
        let mut solver = auto();
        solver.prepare(&problem, Start::Cold).unwrap();
        let mut impulses = vec![0.0; problem.rows()];
        let mut found = f64::INFINITY;
        for _ in 0..2000 {
            solver.iterate(&problem, 20).unwrap();
            solver.read_impulses(&mut impulses).unwrap();
            found = residual(&problem, &impulses);
            if found <= 1e-7 {
                break;
            }
        }
        let lines = solver.facts().decisions;
        assert!(found <= 1e-7, "{frame}: {found:e}\n{lines:#?}");
    }
}

/// Frames of `data/scenes/tangled-start.toml` under `pgs-baumgarte`: a stack, a ragdoll and a rope
/// that start inside each other. Steps are counted, since what they take depends on the machine.
#[test]
fn frames_that_begin_inside_each_other_take_few_factors() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tangled");
    for (frame, most) in [
        ("frame-04.dls", 1500),
        ("frame-10.dls", 1500),
        ("frame-16.dls", 600),
    ] {
        let problem = read_file(folder.join(frame)).unwrap().problem;
        let mut solver = auto();
        solver.prepare(&problem, Start::Cold).unwrap();
        let mut impulses = vec![0.0; problem.rows()];
        let mut found = f64::INFINITY;
        for _ in 0..20_000 {
            solver.iterate(&problem, 5).unwrap();
            solver.read_impulses(&mut impulses).unwrap();
            found = residual(&problem, &impulses);
            if found <= 1e-8 {
                break;
            }
        }
        let lines = solver.facts().decisions;
        assert!(found <= 1e-8, "{frame}: {found:e}\n{lines:#?}");
        let factors = solver.facts().factorizations.unwrap();
        assert!(factors <= most, "{frame}: {factors} factors\n{lines:#?}");
    }
}

/// Discs of different size that fall into a bin, locked to a plane: 60 of them with μ = 0.8 after
/// 25 frames and 140 with μ = 0.3 after 19. A Newton step costs twenty to thirty sweeps there, and
/// sweeps promise to arrive for less than a turn of Newton steps.
#[test]
fn planar_discs_without_joints_are_left_to_sweeps() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/planar");
    for frame in ["wide-bin.dls", "narrow-bin.dls"] {
        let problem = read_file(folder.join(frame)).unwrap().problem;
        let mut solver = auto();
        solver.prepare(&problem, Start::Cold).unwrap();
        let mut impulses = vec![0.0; problem.rows()];
        let mut found = f64::INFINITY;
        for _ in 0..200 {
            solver.iterate(&problem, 5).unwrap();
            solver.read_impulses(&mut impulses).unwrap();
            found = residual(&problem, &impulses);
            if found <= 1e-8 {
                break;
            }
        }
        let facts = solver.facts();
        assert!(found <= 1e-8, "{frame}: {found:e}\n{:#?}", facts.decisions);
        assert_eq!(facts.factorizations, None, "{:#?}", facts.decisions);
    }
}

#[test]
fn the_same_problem_gives_the_same_lines_and_bits_in_any_chunks() {
    let path = data()
        .into_iter()
        .find(|path| path.ends_with("stack-5.dls"));
    let problem = read_file(path.unwrap()).unwrap().problem;
    let run = |chunks: &[u32]| {
        let mut solver = auto();
        solver.prepare(&problem, Start::Cold).unwrap();
        for chunk in chunks {
            solver.iterate(&problem, *chunk).unwrap();
        }
        let mut impulses = vec![0.0; problem.rows()];
        solver.read_impulses(&mut impulses).unwrap();
        let bits: Vec<u64> = impulses.into_iter().map(f64::to_bits).collect();
        (bits, solver.facts().decisions)
    };
    let whole = run(&[120]);
    assert_eq!(whole, run(&[1; 120]));
    assert_eq!(whole, run(&[50, 0, 63, 7]));
    assert!(
        whole.1.len() > 1,
        "sweeps alone do not solve a stack: {:?}",
        whole.1
    );
}

#[test]
fn no_unit_of_work_makes_it_worse() {
    for path in data() {
        let problem = read_file(&path).unwrap().problem;
        let mut solver = auto();
        solver.prepare(&problem, Start::Cold).unwrap();
        let mut impulses = vec![0.0; problem.rows()];
        let mut last = residual(&problem, &impulses);
        for _ in 0..150 {
            let progress = solver.iterate(&problem, 1).unwrap();
            solver.read_impulses(&mut impulses).unwrap();
            let now = residual(&problem, &impulses);
            assert!(now <= last, "{}: {now:e} after {last:e}", path.display());
            last = now;
            if progress.finished {
                break;
            }
        }
    }
}

/// Two rows that ask for opposite velocities of the same body.
fn contradiction() -> Problem {
    use delassus_core::{MassProperties, ProblemBuilder};
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(1.0, nalgebra::Vector3::repeat(1.0));
    let body = builder.body(mass, [0.0; 6]);
    let up = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    for (row, bias) in [(up, -1.0), (up.map(|x: f64| -x), -1.0)] {
        builder.block(Law::Contact(Friction::Frictionless), &[body], &[[row]]);
        builder.bias(&[bias]);
    }
    builder.build().unwrap()
}

#[test]
fn a_contradiction_ends_with_a_proof_or_without_an_answer() {
    let problem = contradiction();
    let mut solver = auto();
    solver.prepare(&problem, Start::Cold).unwrap();
    match solver.iterate(&problem, 10_000) {
        Err(SolveError::Ray(ray)) => assert!(ray.is_proof()),
        Err(SolveError::Infeasible { .. }) => {}
        Err(error) => panic!("{error}"),
        Ok(progress) => {
            assert!(progress.finished);
            let mut impulses = vec![0.0; 2];
            solver.read_impulses(&mut impulses).unwrap();
            assert!(residual(&problem, &impulses) > 1e-3);
        }
    }
}

/// Row updates to a natural map of 1e-8, and the residual where the solver ended.
fn updates(solver: &mut dyn ImpulseSolver, problem: &Problem) -> (u64, f64) {
    solver.prepare(problem, Start::Cold).unwrap();
    let mut impulses = vec![0.0; problem.rows()];
    let (mut updates, mut found) = (0, f64::INFINITY);
    while found > 1e-8 && updates < 40_000_000 {
        let progress = solver.iterate(problem, 5).unwrap();
        updates += progress.row_updates;
        solver.read_impulses(&mut impulses).unwrap();
        found = residual(problem, &impulses);
        if progress.finished {
            break;
        }
    }
    (updates, found)
}

/// Elliptic cones whose coefficients differ by their units, among bodies of different mass.
#[test]
fn badly_scaled_elliptic_cones_take_the_work_of_gradient_steps() {
    for (rows, mass_ratio, form, seed) in [
        (6, 1e3, OperatorForm::Bodies, 1),
        (4, 1e4, OperatorForm::Bodies, 2),
        (6, 1e4, OperatorForm::Matrix, 3),
        (3, 1e5, OperatorForm::Matrix, 4),
        (6, 1e5, OperatorForm::Bodies, 5),
    ] {
        let planted = Planted {
            bodies: 12,
            coulomb: 0,
            grounded: 0.4,
            friction: 0.8,
            mass_ratio,
            seed,
            form,
            ..Planted::default()
        };
        let made = ScaledPlanted {
            planted,
            law: LawKind::EllipticCone,
            rows,
            blocks: 20,
            shared: 0.0,
        };
        let problem = made.build().unwrap().problem;
        let mut gradient = Apgd::new(Default::default()).unwrap();
        let alone = updates(&mut gradient, &problem);
        let mut chosen = auto();
        let found = updates(&mut chosen, &problem);
        let lines = chosen.facts().decisions;
        assert!(found.1 <= 1e-8, "{found:?}\n{lines:#?}");
        assert!(
            alone.1 > 1e-8 || found.0 <= 3 * alone.0 + 20_000,
            "{alone:?} alone, {found:?} chosen\n{lines:#?}"
        );
    }
}

/// Convex cones of three rows with coefficients from 1e-3 to 1e3 among masses from 1 to 1e4: sweeps
/// and gradients take a hundred times as long as interior points.
#[test]
fn uneven_cones_of_three_rows_take_interior_points() {
    for (form, seed) in [(OperatorForm::Bodies, 3), (OperatorForm::Matrix, 8)] {
        let planted = Planted {
            bodies: 20,
            coulomb: 0,
            convex_cone: 40,
            mass_ratio: 1e4,
            grounded: 0.4,
            seed,
            form,
            ..Planted::default()
        };
        let problem = |spread: i32| {
            let mut parts = planted.build().unwrap().problem.into_parts();
            for (index, block) in (0i32..).zip(&mut parts.blocks) {
                // the exponents of both rows go through their range at different rates
                let exponent = |rate: i32| 5 * rate * index % (2 * spread + 1) - spread;
                let mu = [exponent(1), exponent(3)].map(|e| 0.5 * libm::pow(10.0, f64::from(e)));
                block.law = Law::elliptic_cone(&mu);
            }
            // v = 0 is admissible
            parts.bias.fill(0.0);
            Problem::new(parts).unwrap()
        };
        let mut chosen = auto();
        let found = updates(&mut chosen, &problem(3));
        let lines = chosen.facts().decisions;
        assert!(found.1 <= 1e-8, "{found:?}\n{lines:#?}");
        assert!(lines[1].contains("| ipm |"), "{lines:#?}");
        // the sequence is there for nothing else
        let mut even = auto();
        even.prepare(&problem(0), Start::Cold).unwrap();
        let plan = even.facts().decisions;
        assert!(!plan[1].contains("| ipm |"), "{plan:#?}");
    }
}

/// A solve that a limit may end: the residual, the impulses and the lines.
fn within(left: interrupt::Left, mut solver: Auto, problem: &Problem) -> Limited {
    let outcome = interrupt::within(left, || {
        solver.prepare(problem, Start::Cold)?;
        solver.iterate(problem, u32::MAX)
    });
    assert!(
        matches!(outcome, Ok(_) | Err(SolveError::Interrupted)),
        "{outcome:?}"
    );
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses).unwrap();
    let lines = solver.facts().decisions;
    (residual(problem, &impulses), impulses, lines)
}

type Limited = (f64, Vec<f64>, Vec<String>);

/// A solve with one thread under a clock that counts looks.
fn limited(problem: &Problem, looks: u32) -> Limited {
    let seen = AtomicU32::new(0);
    let left = move || f64::from(looks) - f64::from(seen.fetch_add(1, Ordering::Relaxed));
    within(Arc::new(left), with_threads(1), problem)
}

fn hard_frame(name: &str) -> Problem {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/35-choosing/frames");
    read_file(folder.join(name)).unwrap().problem
}

/// With one thread a longer limit ends with no larger residual, and equal clocks with equal bits.
#[test]
fn a_limit_that_ends_a_solve_leaves_the_best_of_its_lanes() {
    for frame in ["capsules-120.dls", "granular-60.dls", "tumbler-108.dls"] {
        let problem = hard_frame(frame);
        let start = residual(&problem, &vec![0.0; problem.rows()]);
        let mut last = start;
        for looks in [60, 300, 1500] {
            let (found, impulses, lines) = limited(&problem, looks);
            let again = limited(&problem, looks);
            assert_eq!(
                (&impulses, &lines),
                (&again.1, &again.2),
                "{frame}, {looks}"
            );
            assert!(found <= last, "{frame}, {looks}: {found:e} {last:e}");
            last = found;
        }
        assert!(last < 0.1 * start, "{frame}: {last:e} of {start:e}");
    }
}

fn bits(impulses: &[f64]) -> Vec<u64> {
    impulses.iter().map(|x| x.to_bits()).collect()
}

/// The second thread has `pgs` with its own start and parameters (U.45): the limit leaves no larger
/// residual than that of `pgs` after the sweeps that the thread made.
#[test]
fn a_limit_leaves_at_most_the_residual_of_pgs() {
    let two = std::thread::available_parallelism().is_ok_and(|all| all.get() > 1);
    for frame in ["cards-40.dls", "granular-240.dls", "tumbler-108.dls"] {
        let problem = hard_frame(frame);
        // a machine that gives the solve no time before its limit starts no thread
        let limits = [0.05, 0.5, 2.0].into_iter();
        let mut solves = limits.map(|limit| {
            let clock = Instant::now();
            let left = move || limit - clock.elapsed().as_secs_f64();
            let (found, impulses, lines) = within(Arc::new(left), auto(), &problem);
            let stops = |line: &&String| line.contains("second thread | stops");
            let line = lines.iter().find(stops).cloned();
            line.map(|line| (found, impulses, line))
        });
        let Some((found, impulses, line)) = solves.find_map(|solve| solve) else {
            assert!(!two, "{frame}: no second thread");
            continue;
        };
        let rest = line.split_once("second thread | stops after ").unwrap().1;
        let sweeps = rest.split_once(' ').unwrap().0.parse().unwrap();
        let mut pgs = Pgs::new(Default::default()).unwrap();
        pgs.prepare(&problem, Start::Cold).unwrap();
        pgs.iterate(&problem, sweeps).unwrap();
        let mut alone = vec![0.0; problem.rows()];
        pgs.read_impulses(&mut alone).unwrap();
        let own = residual(&problem, &alone);
        assert!(found <= own, "{frame}: {found:e}, {own:e}\n{line}");
        if line.contains("its iterate is returned") {
            assert_eq!(bits(&impulses), bits(&alone), "{frame}: {line}");
        }
    }
}

/// A solve that a limit does not end has the same bits and lines with a second thread and with one.
#[test]
fn the_second_thread_changes_no_solve_that_ends_by_itself() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tangled");
    let problem = read_file(folder.join("frame-04.dls")).unwrap().problem;
    let run = |threads| {
        let mut solver = with_threads(threads);
        solver.prepare(&problem, Start::Cold).unwrap();
        let mut impulses = vec![0.0; problem.rows()];
        let began = Instant::now();
        for _ in 0..2000 {
            solver.iterate(&problem, 5).unwrap();
            solver.read_impulses(&mut impulses).unwrap();
            if residual(&problem, &impulses) <= 1e-8 {
                break;
            }
        }
        let seconds = began.elapsed().as_secs_f64();
        (bits(&impulses), solver.facts().decisions, seconds)
    };
    // a clock that stands still: the thread starts after a millisecond, and nothing is late
    let [one, two] = [1, 2].map(|threads| interrupt::within(Arc::new(|| 0.05), || run(threads)));
    assert!(two.2 > 2e-3, "{} s", two.2);
    assert_eq!((one.0, one.1), (two.0, two.1));
}
