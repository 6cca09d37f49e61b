//! Law 10: a body on an incline sticks or slides as its law of friction says, on one to four
//! points.

mod boxes;
mod case;
mod forces;
mod round;
mod scaled;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use delassus_core::{Fidelity, LawKind, Precision, SolveError, Start, Support};

use crate::{Make, Verdict, attempt, available};
pub use case::FrictionCase;

/// Sweeps after which a solver must be there: as many as law 4 gives it.
const MAX_SWEEPS: u32 = 40_000;

/// Sweeps before the first look.
const FIRST_SWEEPS: u32 = 250;

/// Broken cases after which nobody reads on.
const ENOUGH: usize = 4;

/// Largest error of the velocity over the largest velocity before the step \[-\]; that of law 4.
fn tolerance(precision: Precision) -> f64 {
    match precision {
        Precision::F64 => 1e-9,
        Precision::F32 => 1e-5,
    }
}

/// Every case: boxes that slope in several directions, boxes that spin, balls, pucks whose rows of
/// friction have coefficients of their own.
///
/// Slopes are chosen on both sides of where the law begins to slide; boxes have one to four points,
/// in space and in the plane.
pub fn friction_cases() -> Vec<FrictionCase> {
    let mut cases = boxes::sloping();
    cases.extend(boxes::spinning());
    cases.extend(round::balls());
    cases.extend(scaled::pucks());
    cases
}

/// Law 10: of each law of friction that the solver claims to solve exactly, boxes on one, two,
/// three and four points stick below the slope where the law begins to slide, and above it move
/// with the closed form's velocity; so do boxes that spin and balls that roll.
///
/// A claimed law that has no case which the solver accepts on some number of points, sticking and
/// sliding, breaks it. Of the cases of one law on so many points that stick, and of those that
/// slide, one in `share` is met.
pub fn friction(make: Make<'_>, share: usize) -> Verdict {
    let solver = make();
    attempt!(available(solver.facts().device));
    let descriptor = *solver.descriptor();
    let claims = |law: LawKind| descriptor.support(law) == Some(Support::Exact);
    let mut cases = friction_cases();
    let mut met: BTreeMap<(LawKind, usize, bool), usize> = BTreeMap::new();
    cases.retain(|case| {
        let so_far = met.entry((case.law, case.points, case.sticks)).or_default();
        *so_far += 1;
        claims(case.law) && (*so_far - 1).is_multiple_of(share)
    });
    if cases.is_empty() {
        return Verdict::NotApplicable("claims no law of contacts exactly".into());
    }
    let mut held: Vec<(LawKind, usize, bool)> = Vec::new();
    let mut broken = Vec::new();
    for case in &cases {
        match friction_on(make, case) {
            Verdict::Holds => held.push((case.law, case.points, case.sticks)),
            Verdict::NotApplicable(_) => {}
            Verdict::Unavailable(why) => return Verdict::Unavailable(why),
            Verdict::Violated(what) => broken.push(format!("{}: {what}", case.name)),
        }
        // a solver that is wrong takes all of its sweeps every time
        if broken.len() == ENOUGH {
            break;
        }
    }
    let wanted = cases
        .iter()
        .map(|case| (case.law, case.points, case.sticks));
    let missing = wanted.clone().find(|wanted| !held.contains(wanted));
    if let (true, Some((law, points, sticks))) = (broken.is_empty(), missing) {
        let how = if sticks { "sticks" } else { "slides" };
        broken.push(format!(
            "claims the law {law} and accepts no body on {points} points that {how}"
        ));
    }
    if broken.is_empty() {
        return Verdict::Holds;
    }
    Verdict::Violated(broken.join("; "))
}

/// Law 10 on one case.
pub fn friction_on(make: Make<'_>, case: &FrictionCase) -> Verdict {
    let solver = make();
    attempt!(available(solver.facts().device));
    match solver.check(&case.problem) {
        Err(refusal) => return Verdict::NotApplicable(refusal.to_string()),
        Ok(Fidelity::Approximate(reasons)) => return Verdict::NotApplicable(reasons.join("; ")),
        Ok(Fidelity::Exact) => {}
    }
    attempt!(approach(make, case))
}

/// Sweeps until the velocity is that of the closed form, which the impulses alone decide.
fn approach(make: Make<'_>, case: &FrictionCase) -> Result<Verdict, SolveError> {
    let problem = &case.problem;
    let mut solver = make();
    let tolerance = tolerance(solver.descriptor().precision);
    solver.prepare(problem, Start::Cold)?;
    let mut impulses = vec![0.0; problem.rows()];
    let mut velocities = vec![0.0; problem.bodies().map_or(0, |bodies| 6 * bodies.len())];
    let (mut done, mut next) = (0, FIRST_SWEEPS);
    loop {
        solver.iterate(problem, next)?;
        solver.read_impulses(&mut impulses)?;
        problem.body_velocities(&impulses, &mut velocities)?;
        let error = case.error(&velocities[6..]);
        done += next;
        if error <= tolerance {
            return Ok(Verdict::Holds);
        }
        if done >= MAX_SWEEPS {
            let (found, expected) = (&velocities[6..], case.velocity);
            return Ok(Verdict::Violated(format!(
                "after {done} sweeps it moves with {found:?} in place of {expected:?}"
            )));
        }
        next = done.min(MAX_SWEEPS - done);
    }
}
