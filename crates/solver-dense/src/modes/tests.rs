//! Tolerances just inside and just outside, and the units of a problem.

use delassus_core::{Activity, Friction, MassProperties, ProblemBuilder};

use super::*;

/// A tenth of an impulse and a fifth of a velocity count as nothing.
const LIMITS: Limits = Limits {
    impulse: 0.1,
    velocity: 0.2,
};

#[test]
fn a_row_keeps_its_mode_within_the_limits() {
    let bounds = RowBounds {
        lower: -1.0,
        upper: 2.0,
    };
    for (mode, y, w, holds) in [
        (RowMode::Free, 2.05, 0.15, true),
        (RowMode::Free, 2.15, 0.0, false),
        (RowMode::Free, -1.05, -0.15, true),
        (RowMode::Free, -1.15, 0.0, false),
        (RowMode::Free, 0.0, 0.25, false),
        (RowMode::Lower, -1.05, -0.15, true),
        (RowMode::Lower, -0.95, 5.0, true),
        (RowMode::Lower, -1.0, -0.25, false),
        (RowMode::Lower, -0.85, 0.0, false),
        (RowMode::Upper, 2.05, 0.15, true),
        (RowMode::Upper, 1.95, -5.0, true),
        (RowMode::Upper, 2.0, 0.25, false),
        (RowMode::Upper, 1.85, 0.0, false),
    ] {
        assert_eq!(LIMITS.row(mode, bounds, y, w), holds, "{mode:?} {y} {w}");
    }
}

#[test]
fn a_contact_keeps_its_mode_within_the_limits() {
    use TangentMode::{Minus, Plus, Stick};
    let mu = 0.5;
    // (mode, λ, w), whether Coulomb's law holds, whether the convex cone's does
    for (mode, y, w, coulomb, cone) in [
        (None, [0.05, -0.05], [-0.15, 0.0], true, true),
        (None, [0.0, 0.0], [-0.25, 0.0], false, false),
        (None, [0.15, 0.0], [1.0, 0.0], false, false),
        (None, [0.0, 0.15], [1.0, 0.0], false, false),
        // w_n ≥ μ|w_t| is asked of the cone alone
        (None, [0.0, 0.0], [0.0, 0.5], true, false),
        (None, [0.0, 0.0], [0.0, 0.35], true, true),
        (Some(Stick), [1.0, 0.55], [0.15, -0.15], true, true),
        (Some(Stick), [1.0, -0.65], [0.0, 0.0], false, false),
        (Some(Stick), [1.0, 0.0], [0.0, 0.25], false, false),
        (Some(Stick), [1.0, 0.0], [0.25, 0.0], false, false),
        (Some(Stick), [-0.05, 0.05], [0.0, 0.0], true, true),
        (Some(Plus), [1.0, 0.55], [0.0, 0.15], true, true),
        (Some(Plus), [1.0, 0.65], [0.0, 0.0], false, false),
        (Some(Plus), [1.0, 0.35], [0.0, 0.0], false, false),
        (Some(Plus), [1.0, 0.5], [0.0, 0.25], false, true),
        (Some(Plus), [1.0, 0.5], [0.0, -5.0], true, false),
        (Some(Plus), [1.0, 0.5], [2.5, -5.0], false, true),
        (Some(Minus), [1.0, -0.45], [0.0, -0.15], true, true),
        (Some(Minus), [1.0, -0.5], [0.0, 5.0], true, false),
        (Some(Minus), [1.0, -0.5], [2.5, 5.0], false, true),
        (Some(Minus), [-0.05, 0.0], [0.0, 0.0], true, true),
        (Some(Minus), [-0.15, 0.0], [0.0, 0.0], false, false),
    ] {
        let found = LIMITS.pyramid(mode.map(|m| [m, Stick]), mu, &y, &w);
        assert_eq!(found, coulomb, "{mode:?} {y:?} {w:?}");
        assert_eq!(LIMITS.cone(mode, mu, &y, &w), cone, "{mode:?} {y:?} {w:?}");
    }
}

#[test]
fn the_weight_of_an_unknown_is_the_length_of_what_it_moves() {
    // sliding with μ = 0.75: an impulse of one along the normal comes with 0.75 along the tangent,
    // 1.25 in all
    let mut matrix = [[0.0; MAX]; MAX];
    for (i, row) in matrix[..4].iter_mut().enumerate() {
        row[i] = 1.0;
    }
    let d = [3.0, 3.0, 0.25, 0.25];
    let contact = |normal| Unit::Pyramid {
        normal,
        tangents: 1,
        mu: 0.75,
    };
    // the first slides (mode 2 or 3), the second sticks (mode 1)
    for sliding in [2, 3] {
        let assignment = Assignment::new(&[contact(0), contact(2)], &[sliding, 1]);
        let system = assignment.system(&matrix, &[0.0; 4], &d);
        assert_eq!(system.size, 3);
        assert_eq!(system.weight[..3], [3.75, 0.25, 0.25]);
    }
}

/// One block of `dim` rows on a body of unit mass.
fn problem(law: Law, dim: usize, activity: Activity) -> Problem {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(1.0, nalgebra::Vector3::repeat(1.0));
    let body = builder.body(mass, [0.0; 6]);
    let axis = |k: usize| [std::array::from_fn(|i| f64::from(u8::from(i == k)))];
    let rows: Vec<[[f64; 6]; 1]> = (0..dim).map(axis).collect();
    builder.block(law, &[body], &rows);
    let mut problem = builder.build().expect("valid");
    problem.set_activity(&[activity]).expect("one block");
    problem
}

fn units_of(problem: &Problem) -> Result<Vec<Unit>, usize> {
    let rows = problem.rows();
    let mut found = Vec::new();
    let impulses = [0.25, 0.5, 0.75];
    units(
        problem,
        &impulses[..rows],
        &[2.0; 3][..rows],
        &mut found,
        &mut [0.0; 3][..rows],
    )?;
    Ok(found)
}

#[test]
fn a_round_law_with_two_tangents_has_no_finite_set_of_modes() {
    for friction in [
        Friction::Disc { mu: 0.5 },
        Friction::Coulomb { mu: 0.5 },
        Friction::ConvexCone { mu: 0.5 },
    ] {
        let law = Law::Contact(friction);
        assert_eq!(units_of(&problem(law.clone(), 3, Activity::Solve)), Err(0));
        let planar = units_of(&problem(law, 2, Activity::Solve)).expect("planar");
        assert_eq!((planar.len(), planar[0].modes()), (1, 4));
    }
    let pyramid = Law::Contact(Friction::Pyramid { mu: 0.5 });
    let spatial = units_of(&problem(pyramid, 3, Activity::Solve)).expect("a pyramid");
    assert_eq!((spatial.len(), spatial[0].modes()), (1, 10));
}

#[test]
fn what_cannot_move_has_one_mode() {
    let fixed = |row, y| Unit::Row {
        row,
        lower: y,
        upper: y,
    };
    let push = Unit::Row {
        row: 0,
        lower: 0.0,
        upper: f64::INFINITY,
    };
    assert_eq!((push.modes(), fixed(0, 0.5).modes()), (2, 1));
    // held tangents stay where they are (d = 2)
    for friction in [
        Friction::FixedBox { limit: 9.0 },
        Friction::Pyramid { mu: 0.5 },
    ] {
        let held = problem(Law::Contact(friction), 3, Activity::NormalsOnly);
        let expected = vec![push, fixed(1, 0.25), fixed(2, 0.375)];
        assert_eq!(units_of(&held), Ok(expected));
    }
    // friction without a coefficient is none
    let smooth = problem(
        Law::Contact(Friction::Pyramid { mu: 0.0 }),
        3,
        Activity::Solve,
    );
    assert_eq!(
        units_of(&smooth),
        Ok(vec![push, fixed(1, 0.0), fixed(2, 0.0)])
    );
}
