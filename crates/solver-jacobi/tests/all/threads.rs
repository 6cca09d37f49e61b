//! Packing on all threads gives the bits of one.

use delassus_core::{Activity, ChangedNumbers, Problem};
use delassus_problems::generators::{BoxProblem, Boxes, ContactLaw, Wall};
use delassus_solver_jacobi::pack::{Pack, Threads};
use delassus_solver_jacobi::rule::StepRule;

use crate::common::problem;

/// More manifolds than two chunks hold, with what only some points have.
fn wall(law: ContactLaw) -> Problem {
    problem(&BoxProblem::from(Wall {
        base: 100,
        boxes: Boxes {
            law,
            mass_ratio: 7.0,
            ..Boxes::default()
        },
    }))
}

fn assert_same(one: &Pack<f32>, all: &Pack<f32>) {
    assert_eq!(one.manifolds, all.manifolds);
    assert_eq!(one.units, all.units);
    assert_eq!(one.slots, all.slots);
    assert_eq!(one.bodies, all.bodies);
    assert_eq!(one.active_rows(), all.active_rows());
}

#[test]
fn chunks_change_no_bit() {
    for law in [ContactLaw::Coulomb, ContactLaw::FixedBox, ContactLaw::Patch] {
        let mut problem = wall(law);
        let pack = |threads| Pack::<f32>::on(threads, &problem, StepRule::default());
        let (mut one, mut all) = (
            pack(Threads::One).expect("bodies"),
            pack(Threads::All).expect("bodies"),
        );
        assert!(one.manifolds.len() + one.units.len() >= 10_000);
        assert_same(&one, &all);
        // a compliance and a bias of every row, and half of the blocks held
        let rows = problem.rows();
        let numbers: Vec<f64> = (0..rows).map(|row| 1e-3 * (row % 13) as f64).collect();
        let held = (0..problem.blocks().len()).map(|block| match block % 4 {
            0 => Activity::Hold,
            1 => Activity::NormalsOnly,
            _ => Activity::Solve,
        });
        let held: Vec<Activity> = held.collect();
        problem.set_activity(&held).expect("one per block");
        if law == ContactLaw::FixedBox {
            problem.set_bias(&numbers).expect("finite");
            problem.set_compliance(&numbers).expect("not negative");
        }
        for pack in [&mut one, &mut all] {
            assert_eq!(pack.refresh(&problem, ChangedNumbers::ALL), Ok(true));
        }
        assert_same(&one, &all);
    }
}
