//! Bad input: an error that names the field, and nothing has changed.

use delassus::core::EntryError;
use delassus::prelude::*;
use delassus::{Error, dynamics::EditError};

fn world() -> (World, BodyHandle, BodyHandle) {
    let mut world = World::new(-Vector3::y()).unwrap();
    let ground = world.add_body(Body::fixed(Vector3::zeros())).unwrap();
    let body = Body::dynamic(Inertia::new(1.0, Vector3::repeat(0.1)), Vector3::x());
    let body = world.add_body(body).unwrap();
    (world, ground, body)
}

fn text<T>(result: Result<T, impl Into<Error>>) -> String {
    match result {
        Ok(_) => panic!("it was taken"),
        Err(error) => error.into().to_string(),
    }
}

#[test]
fn unknown_names_have_suggestions() {
    let problem = Problem::builder().build(0.01).unwrap();
    let error = solve(&problem, "pgss", 1e-8).unwrap_err();
    assert!(matches!(&error, Error::Entry(EntryError::UnknownId { .. })));
    assert!(
        error.to_string().contains("did you mean \"pgs\"?"),
        "{error}"
    );
    let error = text(scheme("soft-stepp", "pgs"));
    assert!(error.contains("did you mean \"soft-step\"?"), "{error}");
    assert!(text(scheme("soft-step", None)).contains("needs a solver"));
    assert!(text(scheme("xpbd", "pgs")).contains("name no solver"));
}

#[test]
fn numbers_that_make_no_sense_are_named() {
    let (world, ground, body) = world();
    let nan = f64::NAN * Vector3::x();
    let zero = Vector3::zeros();
    let mut edited = world.clone();
    let body_of = |inertia| Body::dynamic(inertia, Vector3::zeros());
    let found = [
        text(World::new(nan)),
        text(edited.add_body(body_of(Inertia::point(0.0)))),
        text(edited.add_body(body_of(Inertia::point(f64::INFINITY)))),
        text(edited.add_body(Body::fixed(nan))),
        text(edited.set_pose(body, nan, UnitQuaternion::identity())),
        text(edited.set_velocity(body, zero, nan)),
        text(edited.set_velocity(ground, Vector3::x(), zero)),
        text(edited.set_velocity(7, zero, zero)),
        text(edited.ball_joint(ground, body, nan)),
        text(edited.hinge(ground, body, zero, zero)),
        text(edited.distance(ground, body, zero, zero)),
        text(edited.add_contact(ground, body, zero, zero, 0.5)),
        text(edited.add_contact(ground, body, zero, Vector3::y(), -0.5)),
        text(edited.add_contact(body, body, zero, Vector3::y(), 0.5)),
        text(edited.add_shape(body, Sphere::new(-1.0))),
        text(edited.add_shape(body, HalfSpace::default())),
        text(edited.add_joint(world.fixed(body, body).unwrap())),
        text(edited.freeze(0.0)),
    ];
    let expected = [
        "gravity[0] = NaN",
        "body.inertia.mass = 0",
        "body.inertia.mass = inf",
        "body.position[0] = NaN",
        "bodies[1].position[0] = NaN",
        "bodies[1].spin[0] = NaN",
        "bodies[0].velocity = 1",
        "body = 7",
        "anchor[0] = NaN",
        "axis = zero",
        "the distance of the points = 0",
        "normal = zero",
        "contact.friction = -0.5",
        "contact.bodies[1] = 1",
        "collider.shape.radius = -1",
        "collider.shape = without an inside",
        "joint.constraint.bodies[1] = 1",
        "dt = 0",
    ];
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.starts_with(expected), "{found}\nnot {expected}");
    }
    assert_eq!(edited, world);
}

#[test]
fn nothing_to_move_and_no_tolerance_are_refused() {
    let (mut world, ground, _) = world();
    let other = world.add_body(Body::fixed(Vector3::z())).unwrap();
    let joint = world.fixed(ground, other).unwrap();
    let error = world.add_joint(joint).unwrap_err();
    assert!(matches!(&error, EditError::Field(field) if field.path == "joint.constraint.bodies"));
    let problem = world.freeze(0.01).unwrap();
    for tolerance in [f64::NAN, -1.0, f64::INFINITY] {
        let error = solve(&problem, "pgs", tolerance).unwrap_err();
        assert!(error.to_string().starts_with("tolerance = "), "{error}");
    }
    let mut pgs = solver("pgs").unwrap();
    let (start, limits) = (Start::Warm(&[1.0; 99]), SolveLimits::default());
    let error = solve_with(&problem, &mut pgs, start, &limits).unwrap_err();
    assert!(matches!(error, Error::Solve(_)), "{error}");
}
