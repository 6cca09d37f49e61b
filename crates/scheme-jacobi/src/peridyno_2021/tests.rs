//! Departures, resting depth, fast impacts and friction of the scheme.

use super::*;
use delassus_dynamics::constraints::Rope;
use delassus_dynamics::{ContactPoint, Inertia, Joint, Manifold, Signal, WorldParts};

const DT: f64 = 1.0 / 60.0;
const G: f64 = 9.81;

/// A point mass above the ground, at `speed` along x and falling with `fall`.
fn world(height: f64, speed: f64, fall: f64) -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -G, 0.0),
        ..WorldParts::default()
    };
    let ground = parts.body(Body::fixed(Vector3::zeros()));
    let place = Vector3::new(0.0, height, 0.0);
    let ball = Body::dynamic(Inertia::point(2.0), place);
    let velocity = Vector3::new(speed, -fall, 0.0);
    let ball = parts.body(ball.moving(velocity, Vector3::zeros()));
    let point = ContactPoint {
        anchors: [Vector3::zeros(); 2],
        radii: [0.0; 2],
    };
    let bodies = [ground, ball];
    let law = ContactLaw::Disc;
    let manifold = Manifold::new(bodies, Vector3::y(), vec![point], 0.3, law);
    parts.manifolds.push(manifold);
    parts.build().expect("a world")
}

fn run(parameters: PeriDyno2021Parameters, mut world: World, steps: u32) -> Body {
    let mut scheme = PeriDyno2021::new(parameters).expect("in range");
    for _ in 0..steps {
        scheme.step(&mut world, DT, &mut ()).expect("it steps");
    }
    world.bodies()[1].clone()
}

#[test]
fn limits_motors_and_damping_are_departures() {
    let reasons = |world: &World| {
        let parameters = PeriDyno2021Parameters {
            known_gravity: true,
            force_limit: None,
            ..PeriDyno2021Parameters::default()
        };
        match (PeriDyno2021 { parameters }).departures(world) {
            Fidelity::Exact => Vec::new(),
            Fidelity::Approximate(reasons) => reasons,
        }
    };
    let parts = || {
        let mut parts = WorldParts::default();
        let fixed = parts.body(Body::fixed(Vector3::zeros()));
        let place = Vector3::new(0.4, 0.0, 0.0);
        let body = Body::dynamic(Inertia::point(2.0), place);
        let body = parts.body(body);
        (parts, [fixed, body])
    };
    let (bare, _) = parts();
    assert!(reasons(&bare.build().expect("a world")).is_empty());
    let (mut roped, bodies) = parts();
    let rope = Rope {
        bodies,
        anchors: [Vector3::zeros(); 2],
        length: Signal::Constant(3.0),
    };
    roped.joints.push(Joint::new(rope));
    let found = reasons(&roped.build().expect("a world"));
    assert!(
        found.len() == 1 && found[0].starts_with("limits"),
        "{found:?}"
    );
    let (mut damped, [_, body]) = parts();
    damped.bodies[body].linear_damping = 0.7;
    let found = reasons(&damped.build().expect("a world"));
    assert!(
        found.len() == 1 && found[0].starts_with("damping"),
        "{found:?}"
    );
}

#[test]
fn a_body_rests_fifteen_g_h_squared_deep_unless_the_solve_knows_gravity() {
    let tutorial = PeriDyno2021Parameters::default();
    let rest = run(tutorial, world(0.0, 0.0, 0.0), 4000);
    let expected = -15.0 * G * DT * DT;
    let height = rest.position.to_vector().y;
    // geometric approach, 1/15 of the rest per step
    assert!((height - expected).abs() < 1e-9, "{height}, not {expected}");
    let known = PeriDyno2021Parameters {
        known_gravity: true,
        ..tutorial
    };
    let rest = run(known, world(0.0, 0.0, 0.0), 4000);
    assert!(rest.position.to_vector().y.abs() < 1e-9);
}

#[test]
fn an_impact_faster_than_the_cut_passes_through() {
    let tutorial = PeriDyno2021Parameters {
        known_gravity: true,
        ..Default::default()
    };
    // 250 N/kg over one step is 4.2 m/s, less gravity
    let slow = run(tutorial, world(-1e-6, 0.0, 3.9), 1);
    assert!(slow.velocity.y > -1e-3, "{}", slow.velocity.y);
    let fast = run(tutorial, world(-1e-6, 0.0, 6.0), 1);
    assert!(fast.velocity.y < -1.5, "{}", fast.velocity.y);
    let uncut = PeriDyno2021Parameters {
        force_limit: None,
        ..tutorial
    };
    let stopped = run(uncut, world(-1e-6, 0.0, 6.0), 1);
    assert!(stopped.velocity.y > -1e-3, "{}", stopped.velocity.y);
}

#[test]
fn nothing_slides_unless_friction_has_a_bound() {
    let tutorial = PeriDyno2021Parameters {
        known_gravity: true,
        ..Default::default()
    };
    let stuck = run(tutorial, world(-1e-3, 2.0, 0.0), 1);
    assert!(stuck.velocity.x.abs() < 1e-9, "{}", stuck.velocity.x);
    let bounded = PeriDyno2021Parameters {
        bounded_friction: true,
        ..tutorial
    };
    let slowed = run(bounded, world(-1e-3, 2.0, 0.0), 1);
    assert!(slowed.velocity.x > 1.5, "{}", slowed.velocity.x);
}
