//! The pieces of the polish: a whole solve drives again what a wrong one leaves.

use super::super::tests::{enter, identity, state};
use super::*;
use crate::assembly::DenseDelassus;

const INF: f64 = f64::INFINITY;

#[test]
fn free_impulses_beyond_their_bounds_move_onto_them() {
    let mut state = state(identity::<3>(), [0.0; 3], [(-1.0, 2.0); 3]);
    enter(&mut state, &[0, 1, 2]);
    state.y.copy_from_slice(&[-1.0, 2.0, 0.5]);
    assert!(!state.clamp_free().expect("no limit"), "a bound is inside");
    assert_eq!(state.factor.members(), [0, 1, 2]);
    state.y.copy_from_slice(&[-1.5, 2.5, 0.5]);
    assert!(state.clamp_free().expect("no limit"));
    assert_eq!(state.y, [-1.0, 2.0, 0.5]);
    assert_eq!(
        state.place,
        [RowPlace::Lower, RowPlace::Upper, RowPlace::Free]
    );
    assert_eq!(state.factor.members(), [2]);
    assert!(!state.clamp_free().expect("no limit"));
}

#[test]
fn a_factor_that_has_lost_its_accuracy_is_rebuilt() {
    let mut state = state(identity::<2>(), [-3.0, -6.0], [(-INF, INF); 2]);
    enter(&mut state, &[0, 1]);
    // a Newton step with a third of the matrix doubles the error and turns its sign
    state.matrix = DenseDelassus::from_rows([[3.0, 0.0], [0.0, 3.0]]);
    assert_eq!(state.polish(), Ok(None));
    assert!((state.y[0] - 1.0).abs() < 1e-14 && (state.y[1] - 2.0).abs() < 1e-14);
}

#[test]
fn rows_at_rest_join_the_free_ones() {
    let mut state = state(identity::<2>(), [1.0; 2], [(0.0, INF); 2]);
    state.place.fill(RowPlace::Lower);
    let zero = state.limit(ACCEPTED);
    state.w.copy_from_slice(&[zero, 1.01 * zero]);
    state.rejected.copy_from_slice(&[0, state.generation]);
    state.shorten().expect("no limit");
    assert_eq!(state.place, [RowPlace::Free, RowPlace::Lower]);
    // what was rejected before may be tried again
    assert!(!state.rejected.contains(&state.generation));
}

#[test]
fn the_largest_component_above_two_is_exchanged() {
    let mut state = state(identity::<3>(), [0.0; 3], [(0.0, 1.0); 3]);
    enter(&mut state, &[0, 1, 2]);
    for (x, expected) in [
        ([1.9, -3.0, 2.5], Some(1)),
        ([1.0, 1.0, 2.1], Some(2)),
        ([-2.1, 2.0, 2.0], Some(0)),
        ([2.5, 2.5, -2.5], Some(0)),
        ([2.0, -2.0, 1.0], None),
    ] {
        state.x.copy_from_slice(&x);
        assert_eq!(state.dominant_member(), expected, "{x:?}");
    }
}

/// Slides row 1 along (−x, 1) from y within the bounds; what becomes of y, and where row 1 stands.
fn slide(
    y: [f64; 2],
    bounds: [(f64, f64); 2],
    x: f64,
    length_squared: f64,
) -> ([f64; 2], RowPlace) {
    let mut state = state(identity::<2>(), [0.0; 2], bounds);
    enter(&mut state, &[0]);
    state.y.copy_from_slice(&y);
    state.x[0] = x;
    let pivot = Pivot {
        schur: 0.0,
        length_squared,
    };
    state.slide_to_shortest(1, pivot);
    ([state.y[0], state.y[1]], state.place[1])
}

#[test]
fn impulses_slide_to_the_shortest_their_bounds_allow() {
    let wide = (-9.0, 9.0);
    // along (−1, 1) the shortest of (3, 4) is (3.5, 3.5)
    for (y, bounds, expected, place) in [
        ([3.0, 4.0], [wide, wide], [3.5, 3.5], RowPlace::Dependent),
        (
            [3.0, 4.0],
            [wide, (3.75, 9.0)],
            [3.25, 3.75],
            RowPlace::Lower,
        ),
        (
            [4.0, 3.0],
            [wide, (0.0, 3.25)],
            [3.75, 3.25],
            RowPlace::Upper,
        ),
        (
            [3.0, 4.0],
            [(0.0, 3.25), wide],
            [3.25, 3.75],
            RowPlace::Dependent,
        ),
        (
            [4.0, 3.0],
            [(3.75, 9.0), wide],
            [3.75, 3.25],
            RowPlace::Dependent,
        ),
    ] {
        assert_eq!(slide(y, bounds, 1.0, 2.0), (expected, place), "{y:?}");
        // the same with the member turned around
        let turned = [(-bounds[0].1, -bounds[0].0), bounds[1]];
        let (found, found_place) = slide([-y[0], y[1]], turned, -1.0, 2.0);
        assert_eq!((found, found_place), ([-expected[0], expected[1]], place));
    }
}

#[test]
fn components_of_the_size_of_rounding_do_not_stop_a_slide() {
    // row 0 stands on one of its bounds, row 1 wants to zero: t = −y_1 / ‖n‖²
    for (length, limit) in [(1.0, 1e-13), (100.0, 1e-11)] {
        for (factor, stops) in [(0.5, false), (1.0, false), (1.1, true)] {
            let x = factor * limit;
            let end = 1.0 - 1.0 / (length * length);
            for (bounds, x, stops) in [
                ((-9.0, 1.0), x, stops),
                ((1.0, 9.0), -x, stops),
                ((1.0, 9.0), x, false),
                ((-9.0, 1.0), -x, false),
            ] {
                let (y, _) = slide([1.0; 2], [bounds, (-9.0, 9.0)], x, length * length);
                let expected = if stops { 1.0 } else { end };
                assert!((y[1] - expected).abs() < 1e-10, "{x} {length}: {}", y[1]);
            }
        }
    }
}
