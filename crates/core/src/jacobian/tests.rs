//! Rows that follow from contact points, and edits of them.

use super::*;
use crate::{Friction, Law, MassProperties, Operator, Problem, ProblemBuilder};

fn arms(x: f64) -> ContactArms {
    [Vector3::new(x, 0.5, -0.1), Vector3::new(x, -0.5, 0.3)]
}

fn axes(turn: f64) -> ContactAxes {
    let normal = Vector3::new(0.0, 1.0, turn).normalize();
    [normal, Vector3::x(), normal.cross(&Vector3::x())]
}

/// Two manifolds of two points each.
fn points() -> Jacobian {
    let mut jacobian = Jacobian::default();
    for manifold in [0.1, 0.7] {
        jacobian.push_axes(&axes(manifold));
        jacobian.push_point(&arms(manifold));
        jacobian.push_point(&arms(-manifold));
    }
    jacobian
}

#[test]
fn rows_follow_from_points_when_they_are_read() {
    let jacobian = points();
    assert_eq!(jacobian.len(), 24);
    assert!(jacobian.has_points() && !jacobian.is_derived());
    let row = relative(&axes(0.7)[1], &arms(-0.7));
    assert_eq!(jacobian[20..22], row);
    assert_eq!(row[1][..3], [1.0, 0.0, 0.0]);
    assert_eq!(row[0][3..], [0.0, 0.1, 0.5], "−(r × x)");
    assert!(jacobian.is_derived());
}

#[test]
fn rows_that_were_read_are_written_at_once_in_their_memory() {
    let mut jacobian = points();
    let first = jacobian[0];
    let moved = [arms(0.4), arms(0.5)];
    jacobian.set_points(1, &axes(0.2), 2, moved.iter());
    assert_eq!(jacobian[0], first);
    assert_eq!(jacobian[12..14], relative(&axes(0.2)[0], &arms(0.4)));
    jacobian.clear();
    assert!(jacobian.is_empty() && jacobian.is_derived());
    jacobian.push_axes(&axes(0.3));
    jacobian.push_point(&arms(1.0));
    assert!(jacobian.has_points());
    assert_eq!(jacobian[4..], relative(&axes(0.3)[2], &arms(1.0)));
}

#[test]
fn points_beside_other_rows_are_rows() {
    let mut jacobian = points();
    jacobian.edit(|rows| rows.push([1.0; 6]));
    jacobian.push_axes(&axes(0.0));
    jacobian.push_point(&arms(0.0));
    assert!(!jacobian.has_points());
    assert_eq!(jacobian.len(), 24 + 1 + 6);
    assert_eq!(jacobian[..24], points()[..]);
}

#[test]
fn points_of_other_axes_are_no_manifold() {
    let jacobian = points();
    let first = jacobian.points(0..2).expect("one manifold");
    assert_eq!((first.axes, first.arms.len()), (&axes(0.1), 2));
    assert!(jacobian.points(1..3).is_none());
    assert!(jacobian.points(2..5).is_none(), "there are four");
}

#[test]
fn blocks_that_are_no_points_make_rows_of_them() {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(2.0, Vector3::new(0.3, 0.4, 0.5));
    let bodies = [0, 1].map(|_| builder.body(mass, [0.1; 6]));
    builder.axes(&axes(0.1));
    for x in [0.4, -0.4] {
        let friction = Friction::Disc { mu: 0.5 };
        builder.point(Law::Contact(friction), bodies, &arms(x));
    }
    let points = builder.build().expect("valid");
    assert!(
        points
            .bodies()
            .is_some_and(|rows| rows.jacobian.has_points())
    );
    // one block of all rows
    let mut parts = points.clone().into_parts();
    parts.blocks.truncate(1);
    (parts.blocks[0].dim, parts.blocks[0].law) = (6, Law::Equality);
    parts.activity.truncate(1);
    if let Operator::Bodies(rows) = &mut parts.operator {
        rows.block_bodies.truncate(2);
        rows.first_body.truncate(2);
        rows.first_entry.remove(1);
    }
    let one = Problem::new(parts).expect("valid");
    assert!(one.bodies().is_some_and(|rows| !rows.jacobian.has_points()));
    assert_eq!(one.diagonal(), points.diagonal());
    assert_eq!(one.b(), points.b());
}

#[test]
fn large_points_are_not_small() {
    let mut jacobian = points();
    assert!(jacobian.has_small_points());
    jacobian.push_point(&arms(1e40));
    assert!(!jacobian.has_small_points());
    jacobian.clear();
    jacobian.push_axes(&[Vector3::repeat(f64::NAN); 3]);
    jacobian.push_point(&arms(0.0));
    assert!(!jacobian.has_small_points());
}
