//! The pieces of the pivoting one by one: as a whole it repairs most of what a wrong piece does.

use super::drive::{Blocking, Event};
use super::*;

const INF: f64 = f64::INFINITY;
const UNIT: Pivot = Pivot {
    schur: 1.0,
    length_squared: 1.0,
};

pub(in crate::pivoting) fn identity<const N: usize>() -> [[f64; N]; N] {
    std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))))
}

/// A state before its first pivot.
pub(in crate::pivoting) fn state<const N: usize>(
    matrix: [[f64; N]; N],
    c: [f64; N],
    bounds: [(f64, f64); N],
) -> Pivoting {
    let mut state = Pivoting::new(DenseDelassus::from_rows(matrix));
    state.tolerance = 1e-12;
    state.c.copy_from_slice(&c);
    for (i, (lower, upper)) in bounds.into_iter().enumerate() {
        (state.lower[i], state.upper[i]) = (lower, upper);
    }
    state.reset().expect("no limit");
    state
}

/// Puts rows into C, in this order.
pub(in crate::pivoting) fn enter(state: &mut Pivoting, rows: &[usize]) {
    for row in rows {
        let pivot = state
            .factor
            .direction(&state.matrix, *row, &mut state.x, &mut state.half);
        state.factor.append(*row, &state.half, pivot.schur);
        state.place[*row] = RowPlace::Free;
    }
}

/// The largest |w − (Sy + c)|, entry by entry.
fn drift(state: &Pivoting) -> f64 {
    let rows = (0..state.rows()).map(|i| {
        let products = state.matrix.row(i).iter().zip(&state.y).map(|(a, y)| a * y);
        (state.w[i] - state.c[i] - products.sum::<f64>()).abs()
    });
    rows.fold(0.0, f64::max)
}

/// Row 2 is driven up; row 3 is in C, the others rest on their lower bounds, and nothing changes
/// their velocity.
fn driven() -> Pivoting {
    let mut state = state(identity::<5>(), [0.0; 5], [(0.0, INF); 5]);
    enter(&mut state, &[3]);
    for i in [0, 1, 4] {
        state.place[i] = RowPlace::Lower;
    }
    state.w.copy_from_slice(&[1.0, 1.0, -1.0, 0.0, 1.0]);
    state.y[3] = 1.0;
    state
}

/// The step of row 2 if it is dependent.
fn step(state: &Pivoting) -> Option<(f64, usize, Event)> {
    ending(state.ratio_test(2, 1.0, UNIT, false))
}

fn ending(found: Option<Blocking>) -> Option<(f64, usize, Event)> {
    found.map(|found| (found.step, found.row, found.event))
}

#[test]
fn the_shortest_step_ends_the_drive() {
    let mut state = driven();
    assert_eq!(step(&state), None);
    let independent = Pivot { schur: 0.5, ..UNIT };
    let solved = state.ratio_test(2, 1.0, independent, true);
    assert_eq!(ending(solved), Some((2.0, 2, Event::Solved)));
    // a member of C meets its upper bound after (3 − 1) / 0.25, its lower bound after 1 / 0.25
    state.upper[3] = 3.0;
    state.x[0] = 0.25;
    assert_eq!(step(&state), Some((8.0, 3, Event::ToUpper)));
    state.x[0] = -0.25;
    assert_eq!(step(&state), Some((4.0, 3, Event::ToLower)));
    // w = 1 at a lower bound falls by 0.5, then by 4
    state.dw[4] = -0.5;
    assert_eq!(step(&state), Some((2.0, 4, Event::Enter)));
    state.dw[0] = -4.0;
    assert_eq!(step(&state), Some((0.25, 0, Event::Enter)));
    // a velocity that grows away from zero blocks nothing
    state.dw[1] = 100.0;
    assert_eq!(step(&state), Some((0.25, 0, Event::Enter)));
    (state.place[1], state.w[1]) = (RowPlace::Upper, -12.5);
    assert_eq!(step(&state), Some((0.125, 1, Event::Enter)));
    state.dw[1] = -100.0;
    assert_eq!(step(&state), Some((0.25, 0, Event::Enter)));
    // the bound of the driven row itself
    state.upper[2] = 0.0625;
    assert_eq!(step(&state), Some((0.0625, 2, Event::ToUpper)));
    state.y[2] = 0.03125;
    let down = state.ratio_test(2, -1.0, UNIT, false);
    assert_eq!(ending(down), Some((0.03125, 2, Event::ToLower)));
}

#[test]
fn a_dependent_row_that_would_move_enters_at_once_unless_it_was_rejected() {
    let mut state = driven();
    state.dw[0] = -4.0;
    (state.place[4], state.dw[4]) = (RowPlace::Dependent, 0.5);
    assert_eq!(step(&state), Some((0.0, 4, Event::Enter)));
    state.rejected[4] = state.generation;
    assert_eq!(step(&state), Some((0.25, 0, Event::Enter)));
    state.rejected[0] = state.generation;
    assert_eq!(step(&state), None);
    state.generation += 1;
    assert_eq!(step(&state), Some((0.0, 4, Event::Enter)));
}

#[test]
fn ties_go_to_the_driven_row_and_then_to_the_smallest_index() {
    for w in [1.0, 0.0] {
        let mut state = driven();
        for i in [0, 1, 4] {
            (state.w[i], state.dw[i]) = (w, -1.0);
        }
        assert_eq!(step(&state), Some((w, 0, Event::Enter)));
        // the driven row is at its end as well, on its bound or solved
        state.upper[2] = w;
        assert_eq!(step(&state), Some((w, 2, Event::ToUpper)));
        state.upper[2] = INF;
        state.w[2] = -w;
        let solved = state.ratio_test(2, 1.0, UNIT, true);
        assert_eq!(ending(solved), Some((w, 2, Event::Solved)));
    }
    // a member of C is looked at before rows of smaller index; 1e-12 apart is equal
    for (w, row) in [
        (1.0, 1),
        (1.0 + 1e-13, 1),
        (1.0 + 1e-11, 3),
        (1.0 - 1e-13, 1),
        (1.0 - 1e-11, 1),
    ] {
        let mut state = driven();
        state.x[0] = -1.0;
        (state.w[1], state.dw[1]) = (w, -1.0);
        assert_eq!(step(&state).map(|(_, row, _)| row), Some(row), "{w}");
        // a row of larger index takes only what is shorter
        (state.dw[1], state.w[4], state.dw[4]) = (0.0, w, -1.0);
        let expected = if w == 1.0 - 1e-11 { 4 } else { 3 };
        assert_eq!(step(&state).map(|(_, row, _)| row), Some(expected), "{w}");
    }
}

#[test]
fn components_of_the_size_of_rounding_block_nothing() {
    // 1e-13 of the length of the direction
    for (length, limit) in [(1.0, 1e-13), (100.0, 1e-11)] {
        let pivot = Pivot {
            length_squared: length * length,
            ..UNIT
        };
        for (factor, blocks) in [(0.2, false), (1.0, false), (1.1, true)] {
            let value = factor * limit;
            for (dw, x) in [(-value, 0.0), (0.0, -value), (0.0, value)] {
                let mut state = driven();
                state.upper[3] = 2.0;
                (state.dw[0], state.x[0]) = (dw, x);
                let found = state.ratio_test(2, 1.0, pivot, false);
                assert_eq!(found.is_some(), blocks, "{dw} {x} {length}");
            }
        }
    }
}

#[test]
fn a_step_moves_impulses_and_velocities_together() {
    let matrix = [[1.0, 0.5, 0.25], [0.5, 1.0, 0.5], [0.25, 0.5, 1.0]];
    let mut state = state(matrix, [-1.0, -2.0, 3.0], [(-9.0, 9.0); 3]);
    enter(&mut state, &[0]);
    state.y[0] = 1.0;
    state.update_velocities().expect("no limit");
    assert_eq!(state.w[0], 0.0);
    // y_0 follows with −S_01 / S_00
    for (sign, expected) in [(1.0, [0.75, 0.5, 0.0]), (-1.0, [1.0, 0.0, 0.0])] {
        state
            .factor
            .direction(&state.matrix, 1, &mut state.x, &mut state.half);
        state.velocity_direction(1, sign);
        state.advance(1, 0.5 * sign, 0.5);
        assert_eq!(state.y, expected);
        assert_eq!(state.w[0], 0.0);
        assert!(drift(&state) < 1e-15);
    }
}

#[test]
fn velocities_are_computed_afresh_every_fifty_pivots() {
    let mut state = state(identity::<2>(), [-1.0, 1.0], [(0.0, INF); 2]);
    enter(&mut state, &[0]);
    // the solution is (1, 0); what pivots have added up is off by 1e-3 and does not show in w
    state.y[0] = 1.001;
    state.w[0] = 0.0;
    state.since_refresh = REFRESH_PERIOD - 1;
    state.drive(1, 10).expect("holds already");
    assert_eq!((state.y[0], state.since_refresh), (1.001, REFRESH_PERIOD));
    state.drive(1, 10).expect("holds already");
    assert_eq!((state.y[0], state.since_refresh), (1.0, 1));
    assert_eq!(state.pivots, 2);
}

#[test]
fn a_drive_ends_at_rest_on_a_bound_or_dependent() {
    // one row alone: y = 2 brings w = −2 to zero, unless the bound comes first
    for (upper, y, place, w) in [
        (3.0, 2.0, RowPlace::Free, 0.0),
        (1.5, 1.5, RowPlace::Upper, -0.5),
    ] {
        let mut single = state(identity::<1>(), [-2.0], [(0.0, upper)]);
        single.drive(0, 10).expect("feasible");
        assert_eq!((single.y[0], single.place[0], single.w[0]), (y, place, w));
        assert_eq!(single.pivots, 1);
        assert_eq!(
            single.factor.members().len(),
            usize::from(place == RowPlace::Free)
        );
    }
    // the row of C once more: what is below 1e-11 of |c| + |y| = 2 is consistent, what is above
    // moves y to no end
    let driven = |w: f64| {
        let mut twice = state([[1.0; 2]; 2], [-1.0; 2], [(-INF, INF), (0.0, INF)]);
        enter(&mut twice, &[0]);
        twice.y[0] = 1.0;
        twice.w[1] = w;
        let outcome = twice.drive(1, 10);
        (outcome, twice.place[1], twice.y)
    };
    let rest = (Ok(()), RowPlace::Dependent, vec![1.0, 0.0]);
    assert_eq!(driven(-1.9e-11), rest);
    assert!(matches!(
        driven(-2.1e-11).0,
        Err(SolveError::Infeasible { .. })
    ));
}

#[test]
fn a_clearly_negative_pivot_is_refused() {
    // eigenvalues 1 ± s: the pivot 1 − s² over 1 + s² is −1e-9 at about s = 1 + 1e-9
    let driven = |s: f64| {
        let mut state = state([[1.0, s], [s, 1.0]], [-1.0, -2.0], [(0.0, 9.0); 2]);
        enter(&mut state, &[0]);
        state.y[0] = 1.0;
        state.update_velocities().expect("no limit");
        state.drive(1, 10)
    };
    assert_eq!(driven(1.0 + 0.9e-9), Ok(()));
    assert!(matches!(
        driven(1.0 + 1.1e-9),
        Err(SolveError::Unsupported(Unsupported::Indefinite { .. }))
    ));
}

#[test]
fn a_zero_pivot_that_changes_velocities_is_refused() {
    let refused = |outcome| {
        matches!(
            outcome,
            Err(SolveError::Unsupported(Unsupported::Indefinite { .. }))
        )
    };
    // solved by y = (0.7, 0.3), and by nothing that a semi-definite matrix would allow
    let swap = [[0.0, 1.0], [1.0, 0.0]];
    for bounds in [(0.0, INF), (-INF, INF)] {
        let mut pivoting = state(swap, [-0.3, -0.7], [bounds; 2]);
        assert!(refused(pivoting.solve(1e-12, 50)), "{bounds:?}");
    }
    // rows 1 and 2 lean on each other while row 0 is in C
    let three = [[1.0, 0.5, 0.25], [0.5, 0.25, 0.9], [0.25, 0.9, 0.0625]];
    let mut pivoting = state(three, [-1.0, -2.0, -3.0], [(0.0, INF); 3]);
    enter(&mut pivoting, &[0]);
    pivoting.y[0] = 1.0;
    pivoting.update_velocities().expect("no limit");
    assert!(refused(pivoting.drive(1, 10)));
    // a redundant row changes nothing, whatever bounds it
    let twice = [[1.0, 1.0], [1.0, 1.0]];
    let mut pivoting = state(twice, [-0.3, -0.7], [(0.0, INF); 2]);
    assert_eq!(pivoting.solve(1e-12, 50), Ok(()));
}

#[test]
fn rows_without_bounds_are_solved_together() {
    // S⁻¹ = [[4, −2], [−2, 4]] / 3
    let regular = [[1.0, 0.5], [0.5, 1.0]];
    let mut free = state(regular, [-3.0, 0.0], [(-INF, INF); 2]);
    free.solve_unbounded().expect("regular");
    assert!((free.y[0] - 4.0).abs() < 1e-14 && (free.y[1] + 2.0).abs() < 1e-14);
    assert_eq!(free.place, [RowPlace::Free; 2]);
    assert_eq!(free.pivots, 2);
    let twice = |c| state([[1.0; 2]; 2], c, [(-INF, INF); 2]);
    let mut consistent = twice([-1.0, -1.0]);
    consistent.solve_unbounded().expect("one row, twice");
    assert_eq!(consistent.place, [RowPlace::Free, RowPlace::Dependent]);
    assert_eq!(consistent.y, [1.0, 0.0]);
    // contradictory by more than 1e-11 of |c| + |y|, and by less
    let mut contradictory = twice([-1.0, -1.0 + 3e-11]);
    assert!(contradictory.solve_unbounded().is_err());
    twice([-1.0, -1.0 + 1e-11])
        .solve_unbounded()
        .expect("rounding");
}

#[test]
fn only_violated_rows_are_driven_and_the_first_of_equals_first() {
    // separating rows, and one pressed against its upper bound of zero: no pivot is needed
    let mut resting = state(
        identity::<3>(),
        [1.0, 2.0, -1.0],
        [(0.0, INF), (0.0, INF), (-INF, 0.0)],
    );
    resting.drive_pending(0).expect("nothing to drive");
    assert_eq!(resting.pivots, 0);
    assert_eq!(
        resting.place,
        [RowPlace::Lower, RowPlace::Lower, RowPlace::Upper]
    );
    // the same contact twice: the first carries it, the second depends on it
    let mut twice = state([[1.0; 2]; 2], [-1.0; 2], [(0.0, INF); 2]);
    twice.drive_pending(10).expect("feasible");
    assert_eq!(twice.y, [1.0, 0.0]);
    assert_eq!((twice.place[0], twice.w[1]), (RowPlace::Free, 0.0));
}

#[test]
fn a_condition_is_violated_beyond_the_limit_given() {
    let mut state = state(identity::<1>(), [0.0], [(0.0, 2.0)]);
    for (y, w, violated) in [
        (1.0, 1e-3, false),
        (1.0, -1e-3, false),
        (1.0, 1.001e-3, true),
        (1.0, -1.001e-3, true),
        (0.0, 1.0, false),
        (0.0, -1.0, true),
        (2.0, 1.0, true),
        (2.0, -1.0, false),
    ] {
        (state.y[0], state.w[0]) = (y, w);
        assert_eq!(state.violates(0, 1e-3), violated, "{y} {w}");
    }
}

#[test]
fn a_row_is_independent_above_the_tolerance_only() {
    let accepted = |schur, length_squared| {
        accepts(
            Pivot {
                schur,
                length_squared,
            },
            1e-12,
        )
    };
    assert!(accepted(1.001e-12, 1.0) && !accepted(1e-12, 1.0));
    assert!(accepted(4.004e-12, 4.0) && !accepted(2e-12, 4.0));
    assert!(!accepted(0.0, 1.0) && !accepted(-1.0, 1.0) && !accepted(f64::NAN, 1.0));
}

#[test]
fn rejections_hold_until_a_row_leaves_or_the_factor_is_new() {
    let prepare = || {
        let mut state = state(identity::<3>(), [0.0; 3], [(0.0, 1.0); 3]);
        enter(&mut state, &[0]);
        state.rejected.copy_from_slice(&[0, 0, state.generation]);
        state
    };
    let rejected = |state: &Pivoting| state.rejected.contains(&state.generation);
    let mut state = prepare();
    assert!(rejected(&state));
    state.exchange(1, Event::ToUpper).expect("no limit");
    assert!(rejected(&state), "row 1 was not in C");
    assert_eq!((state.y[1], state.place[1]), (1.0, RowPlace::Upper));
    state.exchange(0, Event::ToUpper).expect("no limit");
    assert!(!rejected(&state));
    let mut state = prepare();
    state.rebuild().expect("regular");
    assert!(!rejected(&state));
}

#[test]
fn a_row_enters_at_rest_and_a_dependent_one_as_it_is() {
    let mut state = state(identity::<2>(), [0.0; 2], [(0.0, 1.0); 2]);
    state
        .place
        .copy_from_slice(&[RowPlace::Lower, RowPlace::Dependent]);
    state.w.copy_from_slice(&[1e-17, 1e-12]);
    state.exchange(0, Event::Enter).expect("no limit");
    state.exchange(1, Event::Enter).expect("no limit");
    assert_eq!(state.w, [0.0, 1e-12]);
    assert_eq!(state.place, [RowPlace::Free; 2]);
}
