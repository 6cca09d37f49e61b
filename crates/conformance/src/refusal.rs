//! Law 8: a solver refuses what it cannot do, and bad input gives an error.

use delassus_core::{
    Activity, Changes, ImpulseSolver, LawKind, Problem, SolveError, SolverUpdate, Start,
    Unsupported,
};

use crate::{Case, Make, Verdict, attempt, available, coupled_joints, law_cases, require};

/// Law 8: unclaimed laws, inactive rows and shared compliance are refused by `check` and by
/// `prepare`; calls out of order, slices of the wrong length and warm starts that are not finite
/// are errors. Nothing panics, no NaN comes out.
pub fn refusal(make: Make<'_>) -> Verdict {
    attempt!(available(make().facts().device));
    let verdicts = [
        unclaimed_laws(make),
        held_rows(make),
        shared_compliance(make),
        misuse(make),
        bad_starts(make),
    ];
    let broken = verdicts.into_iter().find(|v| *v != Verdict::Holds);
    broken.unwrap_or(Verdict::Holds)
}

fn unclaimed_laws(make: Make<'_>) -> Verdict {
    for kind in LawKind::ALL.iter().copied() {
        let claimed = make().descriptor().support(kind).is_some();
        let mut accepted = false;
        for case in law_cases(kind) {
            let mut solver = make();
            let answer = solver.check(&case.problem);
            accepted |= answer.is_ok();
            if answer.is_err() {
                let prepared = solver.prepare(&case.problem, Start::Cold);
                require!(
                    matches!(prepared, Err(SolveError::Unsupported(_))),
                    "check refuses {}, prepare answers {prepared:?}",
                    case.name
                );
            }
            let has_bodies = case.problem.bodies().is_some();
            let mut blocks = case.problem.blocks().iter();
            let takes = blocks.all(|block| {
                let descriptor = solver.descriptor();
                let support = descriptor.support_over(block.law.kind(), block.dim, has_bodies);
                support.is_some()
            });
            require!(
                takes || answer.is_err(),
                "accepts {} without claiming laws over so many rows",
                case.name
            );
            let of_laws = matches!(
                answer,
                Err(Unsupported::Law { .. } | Unsupported::ConeRows { .. })
            );
            require!(
                !(takes && of_laws),
                "claims laws over so many rows and refuses {}: {answer:?}",
                case.name
            );
            require!(
                claimed || answer.is_err(),
                "accepts {} without claiming the law {kind}",
                case.name
            );
        }
        require!(
            accepted || !claimed,
            "claims the law {kind} and accepts no case of it"
        );
    }
    Verdict::Holds
}

/// Claims of shared compliance are kept either way: no solver drops it.
fn shared_compliance(make: Make<'_>) -> Verdict {
    let claimed = make().descriptor().coupled_compliance;
    let mut accepted = false;
    let laws = LawKind::ALL.iter().copied().flat_map(law_cases);
    for case in laws.chain(coupled_joints()) {
        if case.problem.coupled_compliance().is_empty() {
            continue;
        }
        let answer = make().check(&case.problem);
        accepted |= answer.is_ok();
        require!(
            claimed || answer.is_err(),
            "accepts {} without claiming shared compliance",
            case.name
        );
        // the same problem with the diagonal of its compliance alone tells what else is refused
        let mut parts = case.problem.clone().into_parts();
        parts.coupled_compliance.clear();
        let plain = Problem::new(parts).map(|problem| make().check(&problem).is_ok());
        let refused = matches!(answer, Err(Unsupported::CoupledCompliance { .. }));
        require!(
            claimed || refused || plain != Ok(true),
            "{}: the reason to refuse is {answer:?}",
            case.name
        );
    }
    require!(
        accepted || !claimed,
        "claims shared compliance and accepts no case of it"
    );
    Verdict::Holds
}

fn held_rows(make: Make<'_>) -> Verdict {
    for case in accepted(make) {
        let mut problem = case.problem.clone();
        let mut activity = vec![Activity::Solve; problem.blocks().len()];
        activity[0] = Activity::Hold;
        if problem.set_activity(&activity).is_err() {
            return Verdict::Violated("activity has one entry per block".into());
        }
        let mut solver = make();
        let rows = problem.blocks()[0].rows();
        if !solver.descriptor().supports_inactive_rows {
            let answer = solver.check(&problem);
            let refused = matches!(answer, Err(Unsupported::Activity { .. }));
            require!(refused, "cannot hold rows, yet answers {answer:?}");
            continue;
        }
        let start = vec![0.25; problem.rows()];
        let outcome = solver
            .prepare(&problem, Start::Warm(&start))
            .and_then(|()| solver.iterate(&problem, 3));
        require!(outcome.is_ok(), "{}: {outcome:?}", case.name);
        let impulses = read(solver.as_mut(), &problem);
        require!(
            impulses[rows].iter().all(|x| *x == 0.25),
            "{}: a held row moved",
            case.name
        );
    }
    Verdict::Holds
}

fn misuse(make: Make<'_>) -> Verdict {
    let Some(case) = accepted(make).into_iter().next() else {
        return Verdict::Violated("accepts no case at all".into());
    };
    let problem = &case.problem;
    let mut out = vec![0.0; problem.rows()];
    let mut solver = make();
    require!(
        solver.iterate(problem, 1) == Err(SolveError::NotPrepared),
        "iterates unprepared"
    );
    require!(
        solver.update(problem, SolverUpdate::Numbers(Changes::ALL)) == Err(SolveError::NotPrepared),
        "updates unprepared"
    );
    require!(
        solver.read_impulses(&mut out) == Err(SolveError::NotPrepared),
        "reads unprepared"
    );
    let prepared = solver.prepare(problem, Start::Cold);
    require!(prepared.is_ok(), "{prepared:?}");
    let mut short = vec![0.0; problem.rows() + 1];
    require!(
        matches!(
            solver.read_impulses(&mut short),
            Err(SolveError::Length { .. })
        ),
        "reads into a slice of the wrong length"
    );
    Verdict::Holds
}

fn bad_starts(make: Make<'_>) -> Verdict {
    for case in accepted(make) {
        let rows = case.problem.rows();
        let mut solver = make();
        let short = vec![0.0; rows + 1];
        let answer = solver.prepare(&case.problem, Start::Warm(&short));
        let refused = matches!(answer, Err(SolveError::Length { .. }));
        require!(refused, "takes a start of the wrong length: {answer:?}");
        for value in [f64::NAN, f64::INFINITY] {
            let mut start = vec![0.0; rows];
            start[rows - 1] = value;
            let answer = solver.prepare(&case.problem, Start::Warm(&start));
            let refused = answer == Err(SolveError::WarmStart { row: rows - 1 });
            require!(refused, "takes a start of {value}: {answer:?}");
        }
    }
    Verdict::Holds
}

fn accepted(make: Make<'_>) -> Vec<Case> {
    let all = crate::cases().into_iter();
    all.filter(|case| make().check(&case.problem).is_ok())
        .collect()
}

fn read(solver: &mut dyn ImpulseSolver, problem: &Problem) -> Vec<f64> {
    let mut impulses = vec![f64::NAN; problem.rows()];
    // an unread slice stays NaN and fails the caller's comparison
    let _ = solver.read_impulses(&mut impulses);
    impulses
}
