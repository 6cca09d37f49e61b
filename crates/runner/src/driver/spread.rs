//! How far the answers of one solver lie apart when the blocks come in other orders (M.34).

use std::sync::atomic::Ordering;

use delassus_core::{Start, Status};
use delassus_records::trace::TraceQuantity;

use super::options::{Options, SampleSchedule, SolveControl};
use super::task::SolveTask;
use super::trace::TracedPass;
use crate::judge::{Judge, JudgeError};
use crate::record::Outcome;

/// Solves the problem again in other orders and writes the spreads into the last sample. Where an
/// order is not solved there is no spread, and the outcome says which.
pub(super) fn add(
    task: &mut SolveTask<'_>,
    judge: &mut Judge<'_>,
    control: SolveControl<'_>,
    impulses: &[f64],
    outcome: &mut Outcome,
) {
    let mut answers = vec![impulses.to_vec()];
    let orders = judge.orders();
    for index in 1..orders {
        if control.cancel.load(Ordering::Relaxed) {
            outcome.status = Status::Cancelled;
            return;
        }
        let order = shuffled(task.problem.blocks().len(), u64::from(index));
        match solved(task, &order, judge, control) {
            Ok(answer) => answers.push(answer),
            Err(reason) => {
                outcome.note(&format!(
                    "no spread: order {} of {orders} {reason}",
                    index + 1
                ));
                return;
            }
        }
    }
    let Ok([of_impulses, of_velocities]) = widest(judge, &answers) else {
        // all of them have been judged
        return;
    };
    let columns = [
        (TraceQuantity::ImpulseSpread, of_impulses),
        (TraceQuantity::VelocitySpread, of_velocities),
    ];
    for (quantity, spread) in columns {
        outcome.set_last(judge.column_of(quantity), spread);
    }
}

/// The answer with the blocks in this order, in the rows of the problem; how it ended if it is not
/// solved.
fn solved(
    task: &mut SolveTask<'_>,
    order: &[usize],
    judge: &Judge<'_>,
    control: SolveControl<'_>,
) -> Result<Vec<f64>, String> {
    let other = task.problem.reordered(order).map_err(|e| e.to_string())?;
    let rows = task.problem.rows_in(order);
    let moved = |values: &[f64]| -> Vec<f64> { rows.iter().map(|row| values[*row]).collect() };
    let references: Vec<Vec<f64>> = judge.reference_impulses().map(moved).collect();
    let known = references.iter().map(Vec::as_slice);
    let mut own = judge
        .by_the_same_criteria(&other, known)
        .map_err(|e| e.to_string())?;
    let warm = match task.start {
        Start::Warm(impulses) => Some(moved(impulses)),
        Start::Cold => None,
    };
    let options = Options {
        // nobody looks at the samples
        schedule: SampleSchedule::Geometric(2.0),
        ..control.options.clone()
    };
    let reordered = SolveTask {
        solver: &mut *task.solver,
        problem: &other,
        start: warm.as_deref().map_or(Start::Cold, Start::Warm),
    };
    let control = SolveControl {
        options: &options,
        cancel: control.cancel,
    };
    let (end, trace) = TracedPass::new(reordered, &mut own, control).run();
    if end.status != Status::Solved {
        let why = end
            .reason
            .map_or_else(String::new, |reason| format!(" ({reason})"));
        return Err(format!("ended {}{why}", end.status));
    }
    let mut answer = vec![0.0; rows.len()];
    for (row, impulse) in rows.iter().zip(&trace.impulses) {
        answer[*row] = *impulse;
    }
    Ok(answer)
}

/// The largest distances of impulses and of velocities between two answers \[-\].
fn widest(judge: &mut Judge<'_>, answers: &[Vec<f64>]) -> Result<[f64; 2], JudgeError> {
    let evaluator = judge.evaluator();
    let mut widest = [0.0f64; 2];
    for (index, a) in answers.iter().enumerate() {
        for b in &answers[..index] {
            widest[0] = widest[0].max(evaluator.impulse_error(a, b)?);
            widest[1] = widest[1].max(evaluator.agreement(a, b)?);
        }
    }
    Ok(widest)
}

/// Blocks in an order that depends on their number and `seed` alone (Fisher and Yates).
fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut below = |bound: usize| {
        // SplitMix64
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bound = bound as u64;
        usize::try_from((z ^ (z >> 31)) % bound).unwrap_or(0)
    };
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        order.swap(last, below(last + 1));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_gives_another_order_of_all_blocks() {
        let mut seen = Vec::new();
        for seed in 1..16 {
            let order = shuffled(9, seed);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.iter().copied().eq(0..9));
            assert_eq!(order, shuffled(9, seed));
            assert!(!seen.contains(&order), "seed {seed}");
            seen.push(order);
        }
        assert_eq!(shuffled(0, 1), Vec::<usize>::new());
        assert_eq!(shuffled(1, 1), [0]);
    }
}
