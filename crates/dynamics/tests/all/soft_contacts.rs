//! Contacts that are soft by the scene: sag, oscillation, five forms, surfaces in series, every
//! scheme (S.19)–(S.22).

use std::f64::consts::TAU;

use delassus_core::{ImpulseSolver, Softness, Solver};
use delassus_dynamics::{
    Avbd, AvbdParameters, Body, Collider, ContactLaw, ContactPoint, HalfSpace, Inertia,
    Integration, Manifold, Material, Penalty, PenaltyParameters, PositionScheme, Scheme, Sphere,
    Stabilization, VelocityParameters, VelocityScheme, World, WorldParts, Xpbd, XpbdParameters,
};
use delassus_solver_dense::Dantzig;
use delassus_solver_si::Pgs;
use delassus_solver_wide::WidePgs;
use nalgebra::Vector3;

const H: f64 = 1.0 / 120.0;
const G: f64 = 9.81;
const MASS: f64 = 2.0;

fn frequency(hertz: f64, damping_ratio: f64) -> Softness {
    Softness::Frequency {
        hertz,
        damping_ratio,
    }
}

/// The five forms of a spring on the contact of one body at the step H.
fn forms(hertz: f64, zeta: f64) -> [Softness; 5] {
    let softness = frequency(hertz, zeta);
    let row = softness.row(1.0 / MASS, H).unwrap();
    [
        softness,
        row.spring(H).unwrap(),
        row.erp_cfm(H),
        row.beta_gamma(H).fixed_softness(),
        row.scales(1.0 / MASS).fixed_softness(),
    ]
}

/// A point mass on a plane, with its contact pressed by `depth`.
fn pressed(softness: Softness, depth: f64) -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -G, 0.0),
        ..WorldParts::default()
    };
    parts.body(Body::fixed(Vector3::zeros()));
    let at = Vector3::new(0.0, -depth, 0.0);
    parts.body(Body::dynamic(Inertia::point(MASS), at));
    let point = ContactPoint {
        anchors: [Vector3::zeros(); 2],
        radii: [0.0; 2],
    };
    let law = ContactLaw::Frictionless;
    let contact = Manifold::new([0, 1], Vector3::y(), vec![point], 0.0, law);
    parts.manifolds.push(contact.soft(softness));
    parts.build().unwrap()
}

fn solver<S: Solver<Parameters: Default>>() -> Box<dyn ImpulseSolver> {
    Box::new(S::new(Default::default()).unwrap())
}

fn stabilized(stabilization: Stabilization, relax_sweeps: u32) -> VelocityParameters {
    VelocityParameters {
        stabilization,
        relax_sweeps,
        // none of these is a spring's business
        slop: 0.005,
        max_push_speed: Some(1e-3),
        position_sweeps: 2,
        sweeps: 4,
        ..VelocityParameters::default()
    }
}

fn depth(world: &World) -> f64 {
    -world.bodies()[1].position.to_vector().y
}

#[test]
fn a_body_on_a_soft_contact_swings_as_its_recurrence_says_in_every_pass() {
    let (hertz, zeta) = (3.0, 0.1);
    let omega = TAU * hertz;
    let rest = G / (omega * omega);
    let divisor = 1.0 + 2.0 * zeta * omega * H + omega * omega * H * H;
    for softness in forms(hertz, zeta) {
        for (stabilization, relax) in [
            (Stabilization::None, 0),
            (Stabilization::Baumgarte, 0),
            (Stabilization::Soft, 2),
            (Stabilization::SplitImpulse, 0),
        ] {
            for id in ["pgs", "dantzig"] {
                let solver = match id {
                    "pgs" => solver::<Pgs>(),
                    _ => solver::<Dantzig>(),
                };
                // it stays pressed: the amplitude is half of the sag
                let mut world = pressed(softness, 1.5 * rest);
                let parameters = stabilized(stabilization, relax);
                let mut scheme = VelocityScheme::new(parameters, solver).unwrap();
                let (mut x, mut v) = (1.5 * rest, 0.0);
                for step in 0..240 {
                    scheme.step(&mut world, H, &mut ()).unwrap();
                    let solved = |x: f64| (v - H * omega * omega * x + H * G) / divisor;
                    let moved = x + H * solved(x);
                    // a relax pass solves for the velocity once more, with the depth after the move
                    // (T.15)
                    v = solved(if relax > 0 { moved } else { x });
                    x = moved;
                    let off = (depth(&world) - x).abs();
                    assert!(
                        off < 1e-12 * rest.max(1.0),
                        "{softness:?}, {stabilization:?}, {id}, step {step}: {off}"
                    );
                }
            }
        }
    }
}

/// Steps until it rests.
fn settle(scheme: &mut dyn Scheme, world: &mut World) -> f64 {
    for _ in 0..2400 {
        scheme.step(world, H, &mut ()).unwrap();
    }
    depth(world)
}

#[test]
fn the_sag_is_the_load_over_the_stiffness_or_gravity_over_the_square_of_the_frequency() {
    let stiffness = 400.0;
    let damping = 40.0;
    let spring = Softness::Spring { stiffness, damping };
    let omega = TAU * 2.0;
    let cases = [
        (spring, MASS * G / stiffness),
        (frequency(2.0, 1.0), G / (omega * omega)),
    ];
    for (softness, expected) in cases {
        let mut schemes: Vec<(&str, Box<dyn Scheme>, f64)> = Vec::new();
        for (stabilization, relax) in [
            (Stabilization::Baumgarte, 0),
            (Stabilization::Soft, 2),
            (Stabilization::SplitImpulse, 0),
        ] {
            let parameters = stabilized(stabilization, relax);
            let scheme = VelocityScheme::new(parameters, solver::<Pgs>()).unwrap();
            schemes.push(("velocity", Box::new(scheme), 1e-12));
        }
        // lanes of f32
        let parameters = stabilized(Stabilization::Soft, 2);
        let wide = VelocityScheme::new(parameters, solver::<WidePgs>()).unwrap();
        schemes.push(("wide-pgs", Box::new(wide), 1e-5));
        let xpbd = Xpbd::new(XpbdParameters::default()).unwrap();
        schemes.push(("xpbd", Box::new(xpbd), 1e-9));
        let avbd = Avbd::new(AvbdParameters::default()).unwrap();
        schemes.push(("avbd", Box::new(avbd), 1e-6));
        for integration in [Integration::Explicit, Integration::Implicit] {
            let parameters = PenaltyParameters {
                integration,
                ..PenaltyParameters::default()
            };
            let penalty = Penalty::new(parameters).unwrap();
            schemes.push(("penalty", Box::new(penalty), 1e-9));
        }
        for (id, mut scheme, tolerance) in schemes {
            let mut world = pressed(softness, 0.0);
            assert!(scheme.check(&world).is_ok());
            let sag = settle(scheme.as_mut(), &mut world);
            let off = (sag / expected - 1.0).abs();
            assert!(off < tolerance, "{id}, {softness:?}: {sag}, not {expected}");
            // at rest the contact's energy is half of what the load has done
            let spring = world.energy().spring;
            let exact = 0.5 * MASS * G * expected;
            assert!(
                (spring / exact - 1.0).abs() < 3.0 * tolerance,
                "{id}: {spring} {exact}"
            );
        }
    }
}

/// A ball on the ground, with these surfaces.
fn ball(ground: Softness, ball: Softness) -> WorldParts {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -G, 0.0),
        ..WorldParts::default()
    };
    let soft = |softness| Material {
        softness,
        ..Material::default()
    };
    let first = parts.body(Body::fixed(Vector3::zeros()));
    let plane = Collider::new(first, HalfSpace::default());
    parts.collider(plane.of(soft(ground)));
    let inertia = Inertia::new(MASS, Vector3::repeat(0.4 * MASS * 0.25));
    let second = parts.body(Body::dynamic(inertia, Vector3::new(0.0, 0.5, 0.0)));
    let sphere = Collider::new(second, Sphere { radius: 0.5 });
    parts.collider(sphere.of(soft(ball)));
    parts
}

#[test]
fn two_soft_surfaces_are_springs_in_series() {
    let spring = |stiffness, damping| Softness::Spring { stiffness, damping };
    let omega = TAU * 2.0;
    let rigid = Softness::Rigid;
    let cases = [
        (spring(800.0, 80.0), spring(800.0, 80.0), MASS * G / 400.0),
        (spring(600.0, 60.0), spring(1200.0, 40.0), MASS * G / 400.0),
        (rigid, spring(500.0, 50.0), MASS * G / 500.0),
        (
            frequency(2.0, 1.0),
            frequency(8.0, 1.0),
            G / (omega * omega),
        ),
    ];
    for (ground, sphere, expected) in cases {
        let mut world = ball(ground, sphere).build().unwrap();
        let parameters = stabilized(Stabilization::Soft, 2);
        let mut scheme = VelocityScheme::new(parameters, solver::<Pgs>()).unwrap();
        let sag = 0.5 + settle(&mut scheme, &mut world);
        assert!((sag / expected - 1.0).abs() < 1e-9, "{sag}, not {expected}");
    }
}

#[test]
fn what_soft_surfaces_cannot_be_is_refused_by_name() {
    let spring = Softness::Spring {
        stiffness: 100.0,
        damping: 1.0,
    };
    let error = ball(spring, frequency(2.0, 1.0)).build().unwrap_err();
    assert_eq!(error.path, "colliders[1].material.softness");
    let mut parts = ball(spring, spring);
    parts.colliders[1].material.restitution = 0.5;
    assert_eq!(
        parts.build().unwrap_err().path,
        "colliders[1].material.restitution"
    );
    let mut parts = pressed(spring, 0.0).into_parts();
    parts.manifolds[0].restitution = 0.5;
    assert_eq!(parts.build().unwrap_err().path, "manifolds[0].restitution");
    let fast = frequency(61.0, 0.0);
    let mut scheme = VelocityScheme::new(VelocityParameters::default(), solver::<Pgs>()).unwrap();
    for (mut world, path) in [
        (pressed(fast, 0.0), "manifolds[0].softness.hertz"),
        (
            ball(fast, fast).build().unwrap(),
            "colliders[0].material.softness.hertz",
        ),
    ] {
        let error = scheme.step(&mut world, H, &mut ()).unwrap_err().to_string();
        assert!(error.contains(path), "{error}");
    }
}

#[test]
fn an_open_soft_contact_may_close_its_gap_and_pushes_no_sooner() {
    // it falls freely, and the step that would pass the surface ends on it
    let softness = frequency(2.0, 0.5);
    let mut world = pressed(softness, -0.05);
    let parameters = stabilized(Stabilization::None, 0);
    let mut scheme = VelocityScheme::new(parameters, solver::<Pgs>()).unwrap();
    let (mut x, mut v) = (-0.05, 0.0);
    loop {
        scheme.step(&mut world, H, &mut ()).unwrap();
        v += H * G;
        if x + H * v >= 0.0 {
            break;
        }
        x += H * v;
        assert!((depth(&world) - x).abs() < 1e-15, "{} {x}", depth(&world));
    }
    assert!(depth(&world).abs() < 1e-15, "{}", depth(&world));
    // then it is a spring
    let omega = TAU * 2.0;
    let sag = settle(&mut scheme, &mut world);
    let expected = G / (omega * omega);
    assert!((sag / expected - 1.0).abs() < 1e-12, "{sag} {expected}");
}
