//! Another problem in the memory of the last one.

use delassus_core::{ImpulseSolver, Problem, SolveError, Solver, SolverVisitor, Start};

use crate::{Make, Verdict, attempt, available, require};

/// Makes a solver with its default parameters, or with others.
pub type Maker = fn() -> Box<dyn ImpulseSolver>;

/// Makers of every solver that it visits.
#[derive(Debug, Default)]
pub struct Makers(pub Vec<Maker>);

impl SolverVisitor for Makers {
    fn visit<S: Solver>(&mut self) {
        self.0.push(made::<S>);
    }
}

/// A solver with its default parameters.
///
/// # Panics
/// If they are refused.
fn made<S: Solver>() -> Box<dyn ImpulseSolver> {
    match S::new(Default::default()) {
        Ok(solver) => Box::new(solver),
        Err(error) => panic!("{}: {error}", S::DESCRIPTOR.id),
    }
}

/// Sweeps of each solve \[-\].
const SWEEPS: u32 = 5;

/// A solver that has prepared one problem after the other has, bit for bit, the impulses of a new
/// one.
pub fn repeated_bits(make: Make<'_>, problems: &[Problem]) -> Verdict {
    let (mut used, mut count) = (make(), 0);
    attempt!(available(used.facts().device));
    for problem in treated(make, problems) {
        count += 1;
        let start: Vec<f64> = (0..problem.rows()).map(|i| 0.1 * (i % 3) as f64).collect();
        let mut found = [start.clone(), start.clone()];
        let [first, second] = &mut found;
        let solved = solve(used.as_mut(), problem, &start, first)
            .and_then(|()| solve(make().as_mut(), problem, &start, second));
        require!(solved.is_ok(), "problem {count}: {solved:?}");
        let [used, fresh] = found.map(|all| all.into_iter().map(f64::to_bits));
        require!(used.eq(fresh), "problem {count} has other bits");
    }
    verdict(count)
}

/// A solver that has prepared, iterated and read a problem `times` times does so again without an
/// allocation.
pub fn repeated_allocation(make: Make<'_>, problems: &[Problem], times: usize) -> Verdict {
    attempt!(available(make().facts().device));
    let counted = attempt!(allocations(make, problems, times));
    if let Some((problem, allocations)) = counted.iter().find(|(_, count)| *count > 0) {
        return Verdict::Violated(format!("problem {problem}: {allocations} allocations"));
    }
    verdict(counted.len())
}

/// The same, counted: which problems the solver treats, and how often it allocates \[-\].
///
/// # Errors
/// The first solve that fails.
pub fn allocations(
    make: Make<'_>,
    problems: &[Problem],
    times: usize,
) -> Result<Vec<(usize, u64)>, SolveError> {
    let mut solver = make();
    let mut counts = Vec::new();
    for (index, problem) in problems.iter().enumerate() {
        if solver.check(problem).is_err() {
            continue;
        }
        let start = vec![0.1; problem.rows()];
        let mut impulses = start.clone();
        for _ in 0..times {
            solve(solver.as_mut(), problem, &start, &mut impulses)?;
        }
        let mut again = Ok(());
        let counted = allocation_counter::measure(|| {
            again = solve(solver.as_mut(), problem, &start, &mut impulses);
        });
        again?;
        counts.push((index, counted.count_total));
    }
    Ok(counts)
}

/// The problems that a solver does not refuse.
fn treated<'p>(make: Make<'_>, problems: &'p [Problem]) -> impl Iterator<Item = &'p Problem> {
    let solver = make();
    let all = problems.iter();
    all.filter(move |problem| solver.check(problem).is_ok())
}

fn verdict(count: usize) -> Verdict {
    match count {
        0 | 1 => Verdict::NotApplicable("treats fewer than two of the problems".into()),
        _ => Verdict::Holds,
    }
}

/// Prepares, iterates and reads impulses.
fn solve(
    solver: &mut dyn ImpulseSolver,
    problem: &Problem,
    start: &[f64],
    impulses: &mut [f64],
) -> Result<(), SolveError> {
    solver.prepare(problem, Start::Warm(start))?;
    solver.iterate(problem, SWEEPS)?;
    solver.read_impulses(impulses)
}
