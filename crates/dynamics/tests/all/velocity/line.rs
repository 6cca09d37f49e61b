//! A body on the x axis next to a fixed one: every row has the Jacobian 1, and one sweep solves it.

use delassus_core::Solver;
use delassus_dynamics::{
    Body, ContactLaw, ContactPoint, Inertia, Joint, Manifold, Scheme, StepReport,
    VelocityParameters, VelocityScheme, World, WorldParts,
};
use delassus_solver_si::Pgs;
use nalgebra::Vector3;

/// Length of a step \[s\].
pub(crate) const H: f64 = 1.0 / 64.0;
/// Mass of a body \[kg\].
pub(crate) const MASS: f64 = 2.0;

/// A ball of 2 kg at x with the velocity v along x.
pub(crate) fn ball(x: f64, v: f64) -> Body {
    let inertia = Inertia::new(MASS, Vector3::repeat(0.5));
    Body::dynamic(inertia, x * Vector3::x()).moving(v * Vector3::x(), Vector3::zeros())
}

/// A fixed body at the origin, the ball, and these joints.
pub(crate) fn held(x: f64, v: f64, joints: Vec<Joint>) -> World {
    let mut parts = WorldParts {
        joints,
        ..WorldParts::default()
    };
    parts.body(Body::fixed(Vector3::zeros()));
    parts.body(ball(x, v));
    parts.build().unwrap()
}

/// Two bodies in contact across x, `separation` apart; the second moves at v.
pub(crate) fn touching(first: Body, separation: f64, v: f64, restitution: f64) -> World {
    let mut parts = WorldParts::default();
    let a = parts.body(first);
    let b = parts.body(ball(1.0, v));
    let point = ContactPoint {
        anchors: [Vector3::new(1.0 - separation, 0.0, 0.0), Vector3::zeros()],
        radii: [0.0; 2],
    };
    let law = ContactLaw::Disc;
    let mut manifold = Manifold::new([a, b], Vector3::x(), vec![point], 0.0, law);
    manifold.restitution = restitution;
    parts.manifolds.push(manifold);
    parts.build().unwrap()
}

pub(crate) fn scheme(parameters: &VelocityParameters) -> VelocityScheme {
    let solver = Box::new(Pgs::new(Default::default()).unwrap());
    VelocityScheme::new(parameters.clone(), solver).unwrap()
}

pub(crate) fn step(world: &mut World, parameters: &VelocityParameters) -> StepReport {
    scheme(parameters).step(world, H, &mut ()).unwrap()
}

/// Velocity along x and displacement along x over a step \[m/s\], \[m\].
pub(crate) fn moved(mut world: World, parameters: &VelocityParameters) -> (f64, f64) {
    let start = world.bodies()[1].position.to_vector().x;
    step(&mut world, parameters);
    let body = &world.bodies()[1];
    (body.velocity.x, body.position.to_vector().x - start)
}

#[track_caller]
pub(crate) fn close(found: f64, expected: f64) {
    let error = (found - expected).abs();
    assert!(
        error <= 1e-13 * expected.abs().max(1.0),
        "{found}, not {expected}"
    );
}
