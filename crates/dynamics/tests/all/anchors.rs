//! Which lever arms follow the bodies within a frame.

use delassus_core::Solver;
use delassus_dynamics::constraints::Point;
use delassus_dynamics::{
    AnchorMode, Body, ContactLaw, ContactPoint, Inertia, Joint, Manifold, Scheme,
    VelocityParameters, VelocityScheme, World, WorldParts, presets,
};
use delassus_solver_si::Pgs;
use nalgebra::Vector3;

const PENDULUM: usize = 1;
const BOX: usize = 2;

/// A rod that swings from a ball joint, and a box that rolls over one of its corners: nothing
/// connects the two.
fn world() -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -9.81, 0.0),
        ..WorldParts::default()
    };
    let ground = parts.body(Body::fixed(Vector3::zeros()));
    let inertia = Inertia::new(2.0, Vector3::new(0.3, 0.4, 0.5));
    let rod = Body::dynamic(inertia, Vector3::new(0.5, 0.0, 0.0));
    let rod = parts.body(rod.moving(Vector3::new(0.0, -1.0, 0.0), Vector3::new(0.0, 0.0, -2.0)));
    let tumbling = Body::dynamic(inertia, Vector3::new(5.0, 0.5, 0.0));
    let tumbling = tumbling.moving(Vector3::new(1.0, 0.0, 0.0), Vector3::new(0.0, 0.0, -3.0));
    let tumbling = parts.body(tumbling);
    assert_eq!([rod, tumbling], [PENDULUM, BOX]);
    parts.joint(Joint::new(Point {
        bodies: [ground, rod],
        anchors: [Vector3::zeros(), Vector3::new(-0.5, 0.0, 0.0)],
    }));
    let corner = ContactPoint {
        anchors: [Vector3::new(5.0, 0.0, 0.0), Vector3::new(0.3, -0.5, 0.0)],
        radii: [0.0; 2],
    };
    let normal = Vector3::y();
    parts.manifolds.push(Manifold::new(
        [ground, tumbling],
        normal,
        vec![corner],
        0.4,
        ContactLaw::Disc,
    ));
    parts.build().unwrap()
}

fn after(parameters: VelocityParameters, frames: usize) -> World {
    let solver = Box::new(Pgs::new(Default::default()).unwrap());
    let mut scheme = VelocityScheme::new(parameters, solver).unwrap();
    let mut world = world();
    for _ in 0..frames {
        scheme.step(&mut world, 1.0 / 60.0, &mut ()).unwrap();
    }
    world
}

fn with(anchors: AnchorMode) -> World {
    let parameters = VelocityParameters {
        anchors,
        substeps: 4,
        sweeps: 100,
        ..VelocityParameters::default()
    };
    after(parameters, 20)
}

/// Distance of a body in two worlds \[m\], and the difference of its velocities \[m/s\].
fn apart(body: usize, a: &World, b: &World) -> f64 {
    let (a, b) = (&a.bodies()[body], &b.bodies()[body]);
    (a.position - b.position).norm() + (a.velocity - b.velocity).norm()
}

#[test]
fn joints_follow_where_contacts_are_held() {
    let mixed = with(AnchorMode::FixedContacts);
    let (fixed, rotated) = (with(AnchorMode::Fixed), with(AnchorMode::Rotated));
    // bits: the same rows in the same order
    assert_eq!(apart(PENDULUM, &mixed, &rotated), 0.0);
    // the inertia of the substep in place of that of the frame: another iteration to the same
    // answer
    let error = apart(BOX, &mixed, &fixed);
    assert!(error < 1e-12, "{error:e}");
    assert!(apart(PENDULUM, &mixed, &fixed) > 1e-3);
    assert!(apart(BOX, &mixed, &rotated) > 1e-3);
}

#[test]
fn soft_step_joints_gain_from_substeps() {
    let soft_step = presets().iter().find(|preset| preset.id == "soft-step");
    let parameters = soft_step.unwrap().parameters;
    let drift = |substeps, anchors| {
        let parameters = VelocityParameters {
            substeps,
            anchors,
            ..parameters()
        };
        let world = after(parameters, 30);
        let errors = world.joint_errors();
        errors
            .iter()
            .fold(0.0, |max, (_, c)| f64::max(max, c.abs()))
    };
    assert_eq!(parameters().anchors, AnchorMode::FixedContacts);
    let few = drift(2, AnchorMode::FixedContacts);
    let many = drift(8, AnchorMode::FixedContacts);
    assert!(many < 0.25 * few, "{few:e} m, {many:e} m");
    // with the frame's arms the error of a frame stays, however many substeps it has
    let held = drift(8, AnchorMode::Fixed);
    assert!(held > 5.0 * many, "{held:e} m, {many:e} m");
}
