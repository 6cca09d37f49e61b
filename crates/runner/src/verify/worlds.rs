//! Worlds of one structure: the residual and the status of each again, from its impulses.

use delassus_core::{Problem, Status};

use crate::driver::is_answer;
use crate::judge::WorldsJudge;
use crate::matrix::cell::MatrixCell;
use crate::record::{Outcome, WorldEnd};
use crate::solve::Solves;

/// What of the worlds of a record does not follow from these impulses.
pub(super) fn differences(
    outcome: &Outcome,
    problem: &Problem,
    tolerance: f64,
    impulses: &[f64],
) -> Vec<String> {
    let said = outcome.worlds();
    if said.is_empty() {
        return Vec::new();
    }
    let judge = WorldsJudge::new(problem, said.len(), tolerance);
    let mut judge = match judge {
        Ok(judge) => judge,
        Err(error) => return vec![format!("its worlds cannot be taken apart: {error}")],
    };
    let ends = judge.residuals(impulses).into_iter();
    let ends = ends.zip(judge.are_within(impulses));
    let pairs = said.iter().zip(ends).enumerate();
    let found = pairs.filter_map(|(number, (world, (residual, within)))| {
        let what = difference(outcome, world, residual, within)?;
        Some(format!("its world {number} {what}"))
    });
    found.collect()
}

fn difference(
    outcome: &Outcome,
    world: &WorldEnd,
    residual: Option<f64>,
    within: bool,
) -> Option<String> {
    if residual.map(f64::to_bits) != world.residual.map(f64::to_bits) {
        let shown = |value: Option<f64>| value.map_or("nothing".to_owned(), |x| format!("{x:e}"));
        return Some(format!(
            "has the natural map {}, and it says {}",
            shown(residual),
            shown(world.residual)
        ));
    }
    let status = world.status;
    // a timed pass may have changed the status of the whole
    let fits = match (within, is_answer(outcome.status)) {
        (true, _) => status == Status::Solved,
        (false, true) if outcome.status != Status::Solved => status == outcome.status,
        (false, true) => status == Status::MaxSweeps,
        (false, false) => is_answer(status) && status != Status::Solved,
    };
    if !fits {
        return Some(format!("says {status}, which its natural map does not"));
    }
    if world.sweeps.is_some() != within {
        return Some("has sweeps to the tolerance if and only if it is not there".to_owned());
    }
    let late = world.sweeps.filter(|sweeps| *sweeps > outcome.sweeps)?;
    Some(format!(
        "is said to be solved after {late} sweeps of {}",
        outcome.sweeps
    ))
}

/// Worlds of another number or with other parameters than the spec gives.
pub(super) fn others(solves: &Solves, cell: &MatrixCell, outcome: &Outcome) -> Option<String> {
    let own = &solves.problems[cell.subject].worlds;
    let said = outcome.worlds();
    let expected = match outcome.impulse_hash.is_empty() {
        true => 0,
        false => own.len(),
    };
    if said.len() != expected {
        return Some(format!(
            "it has {} worlds, and the spec makes it {expected}",
            said.len()
        ));
    }
    let other = said
        .iter()
        .zip(own)
        .position(|(said, own)| said.parameters != *own)?;
    Some(format!(
        "its world {other} has other parameters than the spec gives"
    ))
}
