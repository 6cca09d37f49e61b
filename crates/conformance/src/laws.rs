//! Laws 1–7 and 9.

use delassus_core::{
    BodyRows, Determinism, Fidelity, ImpulseSolver, Operator, Precision, Problem, ProblemParts,
    SolveError, Start, WorkUnit,
};
use delassus_metrics::{Evaluator, Metric};

use crate::{Case, Make, Verdict, attempt, available, require};

/// Sweeps after which an iterative solver must have converged on the cases of this crate.
///
/// The slowest pair, projected Gauss–Seidel on the patch case, needs about a quarter of them.
const MAX_SWEEPS: u32 = 40_000;

/// Sweeps before law 4 looks for the first time.
const FIRST_SWEEPS: u32 = 250;

/// What counts as reached at one precision \[-\].
struct Tolerances {
    /// Energy-scaled velocity difference to the oracle.
    converged: f64,
    /// Residual of a fixed point.
    at_solution: f64,
    /// Relative change of what scaling or momentum keep.
    kept: f64,
}

/// Residual of an oracle's solution \[-\]; rounding leaves about 1e-15. Oracles are f64, whatever
/// the solver is.
const AT_ORACLE: f64 = 1e-11;

/// f64 solvers reach 1e-12 and keep 1e-15. One rounding of f32 is 6e-8; the impulses of a case are
/// sums of ten to a hundred of them, and velocities differ by as much.
fn tolerances(precision: Precision) -> Tolerances {
    match precision {
        Precision::F64 => Tolerances {
            converged: 1e-9,
            at_solution: 1e-11,
            kept: 1e-13,
        },
        Precision::F32 => Tolerances {
            converged: 1e-5,
            at_solution: 1e-5,
            kept: 1e-6,
        },
    }
}

fn tolerances_of(make: Make<'_>) -> Tolerances {
    tolerances(make().descriptor().precision)
}

/// An impulse as the solver's precision holds it.
fn rounded(make: Make<'_>, impulses: &[f64]) -> Vec<f64> {
    let round = |x: &f64| match make().descriptor().precision {
        Precision::F64 => *x,
        #[allow(clippy::cast_possible_truncation, reason = "what the solver does")]
        Precision::F32 => f64::from(*x as f32),
    };
    impulses.iter().map(round).collect()
}

/// Law 1: `iterate(a)` then `iterate(b)` is bitwise `iterate(a + b)`, and any split of it, with as
/// many factorizations.
pub fn chunks(make: Make<'_>, case: &Case) -> Verdict {
    attempt!(applicable(make, case));
    attempt!(deterministic(make));
    let whole = run(make, &case.problem, Start::Cold, &[7]);
    let factored = factorizations(make, &case.problem, &[7]);
    for split in [&[3, 4][..], &[1, 1, 5], &[0, 7, 0], &[1; 7]] {
        let parts = run(make, &case.problem, Start::Cold, split);
        require!(
            same_bits(&whole, &parts),
            "iterate split as {split:?} differs"
        );
        let own = factorizations(make, &case.problem, split);
        require!(
            own == factored,
            "{own:?} factorizations in {split:?}, {factored:?} in one piece"
        );
    }
    Verdict::Holds
}

/// What a solver counts in these sweeps, however they end.
fn factorizations(make: Make<'_>, problem: &Problem, sweeps: &[u32]) -> Option<u64> {
    let mut solver = make();
    let _ = run_with(solver.as_mut(), problem, Start::Cold, sweeps);
    solver.facts().factorizations
}

/// Law 2: a warm start from a solution and no sweep returns it bitwise, rounded to the solver's
/// precision; one sweep stays within tolerance.
pub fn warm_start(make: Make<'_>, case: &Case) -> Verdict {
    attempt!(applicable(make, case));
    let solution = attempt!(known_solution(case));
    let start = Start::Warm(solution);
    let returned = run(make, &case.problem, start, &[0]);
    require!(
        same_bits(&returned, &Ok(rounded(make, solution))),
        "no sweep changes the start"
    );
    attempt!(exact(make, case));
    for sweeps in [1, 10] {
        let impulses = attempt!(run(make, &case.problem, start, &[sweeps]));
        let residual = residual(&case.problem, &impulses);
        require!(
            residual <= tolerances_of(make).at_solution,
            "{sweeps} sweeps from the solution leave the residual {residual:e}"
        );
    }
    Verdict::Holds
}

/// Law 3: at the oracle's solution the independent residual is at rounding level.
pub fn oracle_residual(make: Make<'_>, case: &Case) -> Verdict {
    attempt!(applicable(make, case));
    let solution = attempt!(known_solution(case));
    let residual = residual(&case.problem, solution);
    require!(
        residual <= AT_ORACLE,
        "the oracle's residual is {residual:e}"
    );
    Verdict::Holds
}

/// Law 4: converges to the oracle's velocities on every law that the solver claims to solve
/// exactly, and stays there.
pub fn convergence(make: Make<'_>, case: &Case) -> Verdict {
    attempt!(exact(make, case));
    let solution = attempt!(known_solution(case));
    attempt!(approach(make, &case.problem, solution))
}

/// Sweeps until the velocities are reached, and as many again: they must stay.
fn approach(make: Make<'_>, problem: &Problem, solution: &[f64]) -> Result<Verdict, SolveError> {
    let converged = tolerances_of(make).converged;
    let mut solver = make();
    solver.prepare(problem, Start::Cold)?;
    let mut after = |sweeps: u32| -> Result<f64, SolveError> {
        solver.iterate(problem, sweeps)?;
        let mut impulses = vec![0.0; problem.rows()];
        solver.read_impulses(&mut impulses)?;
        Ok(velocity_difference(problem, &impulses, solution))
    };
    let (mut done, mut next) = (0, FIRST_SWEEPS);
    loop {
        let error = after(next)?;
        done += next;
        if error <= converged {
            break;
        }
        if done >= MAX_SWEEPS {
            let what = format!("after {done} sweeps the velocities are {error:e} off");
            return Ok(Verdict::Violated(what));
        }
        next = done.min(MAX_SWEEPS - done);
    }
    let error = after(done)?;
    if error > converged {
        let what = format!("right after {done} sweeps, {error:e} off after twice as many");
        return Ok(Verdict::Violated(what));
    }
    Ok(Verdict::Holds)
}

/// The longest run of law 4: after all sweeps that a solver is given, the velocities are the
/// oracle's.
pub fn endurance(make: Make<'_>, case: &Case) -> Verdict {
    attempt!(applicable(make, case));
    let solution = attempt!(known_solution(case));
    let impulses = attempt!(run(make, &case.problem, Start::Cold, &[MAX_SWEEPS]));
    let error = velocity_difference(&case.problem, &impulses, solution);
    require!(
        error <= tolerances_of(make).converged,
        "after {MAX_SWEEPS} sweeps the velocities are {error:e} off"
    );
    Verdict::Holds
}

/// Law 5: equal inputs give equal bits, in a fresh solver and in one that has solved something else
/// before.
pub fn repetition(make: Make<'_>, case: &Case, other: &Case) -> Verdict {
    attempt!(applicable(make, case));
    attempt!(deterministic(make));
    let first = run(make, &case.problem, Start::Cold, &[20]);
    let second = run(make, &case.problem, Start::Cold, &[20]);
    require!(same_bits(&first, &second), "a second solver differs");
    let mut used = make();
    if used.check(&other.problem).is_ok() {
        let _ = run_with(used.as_mut(), &other.problem, Start::Cold, &[3]);
    }
    let third = run_with(used.as_mut(), &case.problem, Start::Cold, &[20]);
    let is_equal = same_bits(&first, &third);
    require!(is_equal, "a used solver differs from a fresh one");
    Verdict::Holds
}

/// Law 6: `iterate` does not allocate.
pub fn allocation(make: Make<'_>, case: &Case) -> Verdict {
    attempt!(applicable(make, case));
    let mut solver = make();
    if solver.descriptor().work_unit == WorkUnit::Stage {
        return Verdict::NotApplicable("prepares a method when it begins".into());
    }
    attempt!(solver.prepare(&case.problem, Start::Cold));
    let mut outcome = Ok(Default::default());
    let counted = allocation_counter::measure(|| outcome = solver.iterate(&case.problem, 5));
    require!(outcome.is_ok(), "{outcome:?}");
    let count = counted.count_total;
    require!(count == 0, "five sweeps allocate {count} times");
    Verdict::Holds
}

/// Law 7: masses × c and compliances / c give impulses × c and the same velocities.
pub fn scaling(make: Make<'_>, case: &Case) -> Verdict {
    attempt!(applicable(make, case));
    // a power of four: square roots of scaled numbers are exact as well
    const C: f64 = 1024.0;
    let scaled = attempt!(Problem::new(scale(&case.problem, C)));
    for sweeps in [1, 30] {
        let plain = run(make, &case.problem, Start::Cold, &[sweeps]);
        let heavy = run(make, &scaled, Start::Cold, &[sweeps]);
        let (Ok(plain), Ok(heavy)) = (plain, heavy) else {
            return Verdict::Violated("one of the two problems fails".into());
        };
        let largest = plain.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        for (row, (plain, heavy)) in plain.iter().zip(&heavy).enumerate() {
            let difference = (heavy / C - plain).abs();
            // exact but for absolute constants inside a solver, which would be a mistake
            require!(
                difference <= tolerances_of(make).kept * largest,
                "after {sweeps} sweeps the impulse of row {row} scales from {plain:e} to {heavy:e}"
            );
        }
    }
    Verdict::Holds
}

/// Law 9: the impulses of an isolated system change neither its momentum nor its angular momentum.
pub fn momentum(make: Make<'_>, case: &Case) -> Verdict {
    attempt!(applicable(make, case));
    let (Some(bodies), Some(centres)) = (case.problem.bodies(), &case.centres) else {
        return Verdict::NotApplicable("not an isolated system of bodies".into());
    };
    let mut solver = make();
    let mut velocities = vec![0.0; 6 * bodies.len()];
    let outcome = solver
        .prepare(&case.problem, Start::Cold)
        .and_then(|()| solver.iterate(&case.problem, 20))
        .and_then(|_| solver.read_velocities(&case.problem, &mut velocities));
    attempt!(outcome);
    let (change, size) = momentum_change(bodies, centres, &velocities);
    let largest = change.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    // rounding of some hundred additions
    require!(
        size > 0.0 && largest <= tolerances_of(make).kept * size,
        "momentum of size {size:e} changes by {change:?}"
    );
    Verdict::Holds
}

/// Change of linear and angular momentum about the origin, and the size of the impulses that could
/// have made it.
fn momentum_change(bodies: &BodyRows, centres: &[[f64; 3]], after: &[f64]) -> ([f64; 6], f64) {
    let (mut change, mut size) = ([0.0; 6], 0.0f64);
    for (body, mass) in bodies.mass.iter().enumerate() {
        let range = 6 * body..6 * body + 6;
        let before = &bodies.free_velocity[range.clone()];
        let delta: Vec<f64> = after[range]
            .iter()
            .zip(before)
            .map(|(a, b)| a - b)
            .collect();
        let linear: Vec<f64> = (0..3).map(|i| delta[i] / mass.inverse_mass[i]).collect();
        let inertia = mass.inverse_inertia.try_inverse().unwrap_or_default();
        let spin = inertia * nalgebra::Vector3::new(delta[3], delta[4], delta[5]);
        let [x, y, z] = centres[body];
        let orbital = [
            y * linear[2] - z * linear[1],
            z * linear[0] - x * linear[2],
            x * linear[1] - y * linear[0],
        ];
        for i in 0..3 {
            change[i] += linear[i];
            change[3 + i] += spin[i] + orbital[i];
            size += linear[i].abs() + spin[i].abs() + orbital[i].abs();
        }
    }
    (change, size)
}

/// Fails with the verdict on a case that the solver refuses, or if its device is missing.
pub(crate) fn applicable(make: Make<'_>, case: &Case) -> Result<(), Verdict> {
    let solver = make();
    available(solver.facts().device)?;
    let checked = solver.check(&case.problem);
    checked.map_err(|refusal| Verdict::NotApplicable(refusal.to_string()))?;
    Ok(())
}

/// The same of a case that the solver solves only approximately.
pub(crate) fn exact(make: Make<'_>, case: &Case) -> Result<(), Verdict> {
    applicable(make, case)?;
    match make().check(&case.problem) {
        Ok(Fidelity::Approximate(reasons)) => Err(Verdict::NotApplicable(reasons.join("; "))),
        Ok(Fidelity::Exact) | Err(_) => Ok(()),
    }
}

/// Fails with the verdict on a solver whose bits change from run to run.
pub(crate) fn deterministic(make: Make<'_>) -> Result<(), Verdict> {
    match make().descriptor().determinism {
        Determinism::None => Err(Verdict::NotApplicable("declares no determinism".into())),
        Determinism::Bitwise | Determinism::Processor => Ok(()),
    }
}

/// The impulses that solve a case.
fn known_solution(case: &Case) -> Result<&[f64], Verdict> {
    let unknown = || Verdict::NotApplicable("its solution is not known".into());
    case.solution.as_deref().ok_or_else(unknown)
}

pub(crate) fn run(
    make: Make<'_>,
    problem: &Problem,
    start: Start<'_>,
    chunks: &[u32],
) -> Result<Vec<f64>, SolveError> {
    run_with(make().as_mut(), problem, start, chunks)
}

fn run_with(
    solver: &mut dyn ImpulseSolver,
    problem: &Problem,
    start: Start<'_>,
    chunks: &[u32],
) -> Result<Vec<f64>, SolveError> {
    solver.prepare(problem, start)?;
    for sweeps in chunks {
        solver.iterate(problem, *sweeps)?;
    }
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses)?;
    Ok(impulses)
}

fn same_bits(a: &Result<Vec<f64>, SolveError>, b: &Result<Vec<f64>, SolveError>) -> bool {
    match (a, b) {
        (Ok(a), Ok(b)) => a
            .iter()
            .map(|x| x.to_bits())
            .eq(b.iter().map(|x| x.to_bits())),
        (a, b) => a == b,
    }
}

/// The headline residual; infinite where it cannot be evaluated.
pub(crate) fn residual(problem: &Problem, impulses: &[f64]) -> f64 {
    Evaluator::new(problem)
        .and_then(|mut evaluator| evaluator.evaluate(impulses))
        .ok()
        .and_then(|r| r.get(Metric::NaturalMap))
        .unwrap_or(f64::INFINITY)
}

/// Largest |Δw_i| / √A_ii over the largest |b_i| / √A_ii \[-\].
fn velocity_difference(problem: &Problem, a: &[f64], b: &[f64]) -> f64 {
    let difference: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    let mut dw = vec![0.0; problem.rows()];
    problem.apply_delassus(&difference, &mut dw);
    let largest = |x: &[f64]| {
        let scaled = x.iter().zip(problem.diagonal());
        scaled.fold(0.0f64, |m, (x, d)| m.max(x.abs() / d.sqrt()))
    };
    largest(&dw) / largest(problem.b()).max(f64::MIN_POSITIVE)
}

/// The same problem with all masses × c, compliances / c, and limits in N·s × c.
fn scale(problem: &Problem, c: f64) -> ProblemParts {
    let mut parts = problem.clone().into_parts();
    parts.compliance.iter_mut().for_each(|r| *r /= c);
    parts.coupled_compliance.scale(1.0 / c);
    for block in &mut parts.blocks {
        block.law.scale_impulses(c);
    }
    match &mut parts.operator {
        Operator::Bodies(rows) => {
            for mass in &mut rows.mass {
                mass.inverse_mass /= c;
                mass.inverse_inertia /= c;
            }
        }
        Operator::Matrix(rows) => rows.delassus.scale(1.0 / c),
    }
    parts
}
