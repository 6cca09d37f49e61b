//! Changes of the active set, counted by hand.

use delassus_core::{Friction, Law, Patch, RollingContact};
use delassus_metrics::{ActiveCounts, ActiveSet, Evaluator};

use crate::problems::{identity, matrix, one_block};

/// The changes along a sequence of impulses.
fn changes(law: Law, b: &[f64], sequence: &[&[f64]]) -> Vec<usize> {
    let problem = one_block(law, &identity(b.len(), 1.0), b);
    let mut evaluator = Evaluator::new(&problem).unwrap();
    let mut set = ActiveSet::default();
    let counted = sequence
        .iter()
        .map(|x| evaluator.state_changes(x, &mut set).unwrap());
    counted.collect()
}

#[test]
fn a_contact_opens_sticks_and_slips() {
    // A = I, ρ = 1: λ − ŵ = −b − (μ‖w_t‖, 0, 0) whatever λ is in the normal row; tangents −b_t. So
    // λ moves ŵ_n alone. b = (−2, 1.5, 0), μ = 1/2: λ_t = −1.5 gives w_t = 0: x = (2, −1.5), beyond
    // μ x_n = 1: slips. λ_t = 8.5 gives w_t = 10, x = (−3, −1.5): μ ‖x_t‖ = 0.75 ≤ 3: open
    let law = || Law::Contact(Friction::Coulomb { mu: 0.5 });
    let (slips, open) = ([2.0, -1.5, 0.0], [2.0, 8.5, 0.0]);
    let found = changes(
        law(),
        &[-2.0, 1.5, 0.0],
        &[&slips, &slips, &open, &open, &slips],
    );
    assert_eq!(found, [0, 0, 1, 0, 1]);
    // b = (−4, 1, 0): x = (4 − μ‖w_t‖, −1): sticks for w_t = 0, slips for w_t = 5 (x_n = 1.5)
    let (sticks, slips) = ([4.0, -1.0, 0.0], [4.0, 4.0, 0.0]);
    let found = changes(law(), &[-4.0, 1.0, 0.0], &[&sticks, &slips, &sticks]);
    assert_eq!(found, [0, 1, 1]);
}

#[test]
fn rows_are_at_one_bound_the_other_or_none() {
    // alone, a row has x = −b whatever λ is: the impulse of another row moves it
    let laws = [
        (
            Law::Bounds {
                lower: -1.0,
                upper: 2.0,
            },
            1,
        ),
        (Law::Equality, 1),
    ];
    let problem = matrix(&laws, &[1.0, 1.0, 1.0, 2.0], &[0.0, 0.0], &[0.0; 2]);
    let mut evaluator = Evaluator::new(&problem).unwrap();
    let mut set = ActiveSet::default();
    // x_1 = λ_1 − (λ_1 + λ_2) = −λ_2: free, above, above, below, free; the equality has one state
    let sequence = [0.0, -3.0, -4.0, 5.0, 0.5];
    let found = sequence.map(|x| evaluator.state_changes(&[0.0, x], &mut set).unwrap());
    assert_eq!(found, [0, 1, 0, 1, 1]);
    assert!(evaluator.state_changes(&[0.0], &mut set).is_err());
    assert!(evaluator.state_changes(&[f64::NAN, 0.0], &mut set).is_err());
}

#[test]
fn a_block_of_many_factors_counts_once() {
    // both normals of a patch open at once, and its friction with them: one block. λ_i couples
    // nothing (A = I), so the point x = −b is fixed for normals; friction radii move with λ_n
    let patch = Law::Patch(Box::new(Patch {
        mu: 0.5,
        levers: vec![1.0, 1.0],
    }));
    // x_t = (1, 0), twist 1: radius μ Σλ_n and bound μ Σ r λ_n are 2 at first: sticks; then 1/2:
    // both slip
    let b = [-2.0, -2.0, -1.0, 0.0, -1.0];
    let found = changes(
        patch,
        &b,
        &[&[2.0, 2.0, 0.0, 0.0, 0.0], &[0.5, 0.5, 0.0, 0.0, 0.0]],
    );
    assert_eq!(found, [0, 1]);
    let rolling = Law::Rolling(Box::new(RollingContact {
        mu: 0.5,
        rolling: 0.5,
        spinning: Some(0.5),
    }));
    let b = [-2.0, -1.0, 0.0, -1.0, 0.0, -1.0];
    let (full, empty) = ([4.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0; 6]);
    assert_eq!(changes(rolling, &b, &[&full, &empty, &empty]), [0, 1, 0]);
}

#[test]
fn boxes_discs_and_polygons_know_their_limits() {
    // A = I and no De Saxcé term: x = −b; λ_n moves the radius μ λ_n only
    let b = [-2.0, -1.0, -1.0];
    let friction = [
        Friction::Pyramid { mu: 1.0 },
        Friction::Disc { mu: 1.0 },
        Friction::Facets { mu: 1.0, facets: 4 },
    ];
    for friction in friction {
        let found = changes(
            Law::Contact(friction),
            &b,
            &[&[3.0, 0.0, 0.0], &[0.5, 0.0, 0.0], &[0.25, 0.0, 0.0]],
        );
        assert_eq!(found, [0, 1, 0], "{friction:?}");
    }
    // friction that is always zero has no sides
    let frictionless = Law::Contact(Friction::Frictionless);
    let found = changes(frictionless, &b, &[&[0.0, 1.0, 0.0], &[0.0, -1.0, 0.0]]);
    assert_eq!(found, [0, 0]);
}

/// What is counted of one block, whose law is `law`, at `impulses`; A = I.
fn counted(law: Law, b: &[f64], impulses: &[f64]) -> ActiveCounts {
    let problem = one_block(law, &identity(b.len(), 1.0), b);
    let mut evaluator = Evaluator::new(&problem).unwrap();
    evaluator.active_counts(impulses).unwrap()
}

#[test]
fn counts_are_those_of_the_states() {
    let none = ActiveCounts::default();
    // x = −b for a row alone
    let row = |b: f64| {
        let (lower, upper) = (-1.0, 2.0);
        counted(Law::Bounds { lower, upper }, &[b], &[0.5])
    };
    assert_eq!(row(0.0), ActiveCounts { free: 1, ..none });
    assert_eq!(row(3.0), ActiveCounts { lower: 1, ..none });
    assert_eq!(row(-3.0), ActiveCounts { upper: 1, ..none });
    assert_eq!(
        counted(Law::Equality, &[7.0], &[0.0]),
        ActiveCounts { free: 1, ..none }
    );
    // the states of the tests above
    let contact = |b: &[f64], x: &[f64]| {
        let law = Law::Contact(Friction::Coulomb { mu: 0.5 });
        counted(law, b, x)
    };
    let slips = contact(&[-2.0, 1.5, 0.0], &[2.0, -1.5, 0.0]);
    assert_eq!(slips, ActiveCounts { slip: 1, ..none });
    let open = contact(&[-2.0, 1.5, 0.0], &[2.0, 8.5, 0.0]);
    assert_eq!(open, ActiveCounts { open: 1, ..none });
    let sticks = contact(&[-4.0, 1.0, 0.0], &[4.0, -1.0, 0.0]);
    assert_eq!(sticks, ActiveCounts { stick: 1, ..none });
}

#[test]
fn impulses_that_are_no_numbers_have_no_counts() {
    let problem = one_block(Law::Equality, &identity(1, 1.0), &[1.0]);
    let mut evaluator = Evaluator::new(&problem).unwrap();
    assert!(evaluator.active_counts(&[f64::NAN]).is_err());
    assert!(evaluator.active_counts(&[1.0, 2.0]).is_err());
}
