//! The flaws of the tutorial of 2021 on bodies with colliders, compared with their closed forms,
//! and each of them repaired.

use delassus_core::Fidelity;
use delassus_dynamics::{
    Body, Collider, ContactLaw, Cuboid, HalfSpace, Material, PositionScheme, Scheme, SchemeError,
    Shape, ShapeGeometry, Sphere, StepError, World, WorldParts,
};
use delassus_scheme_jacobi::{JacobiSoftStep, PeriDyno2021, PeriDyno2021Parameters};
use nalgebra::Vector3;

/// Largest normal force per kilogram of both bodies \[N/kg\].
const CUT: f64 = 250.0;

fn scheme(change: impl FnOnce(&mut PeriDyno2021Parameters)) -> PeriDyno2021 {
    let mut parameters = PeriDyno2021Parameters::default();
    change(&mut parameters);
    PeriDyno2021::new(parameters).expect("in range")
}

fn repaired_gravity() -> PeriDyno2021 {
    scheme(|p| p.known_gravity = true)
}

/// The half space below y = 0 under a gravity that leans towards +x by `slope` \[rad\].
fn plane(gravity: f64, slope: f64) -> WorldParts {
    let (sine, cosine) = libm::sincos(slope);
    let mut parts = WorldParts {
        gravity: gravity * Vector3::new(sine, -cosine, 0.0),
        ..WorldParts::default()
    };
    parts.contacts.law = ContactLaw::Coulomb;
    let ground = parts.body(Body::fixed(Vector3::zeros()));
    parts.collider(Collider::new(ground, HalfSpace::default()).of(Material::rough(0.2)));
    parts
}

/// Adds a solid with this mass \[kg\] at a place, moving.
fn add(
    parts: &mut WorldParts,
    shape: impl ShapeGeometry,
    mass: f64,
    at: Vector3<f64>,
    velocity: Vector3<f64>,
) {
    let inertia = shape.solid(mass).expect("a solid");
    let body = Body::dynamic(inertia, at).moving(velocity, Vector3::zeros());
    let body = parts.body(body);
    let shape: Shape = shape.into();
    parts.collider(Collider::new(body, shape).of(Material::rough(0.2)));
}

fn run(world: &mut World, scheme: &mut PeriDyno2021, dt: f64, steps: u32) {
    for _ in 0..steps {
        scheme.step(world, dt, &mut ()).expect("it steps");
    }
}

#[test]
fn flaws_that_are_on_are_departures() {
    let mut parts = plane(9.8, 0.0);
    add(
        &mut parts,
        Sphere { radius: 0.5 },
        1.0,
        Vector3::new(0.0, 0.5, 0.0),
        Vector3::new(2.0, 0.0, 0.0),
    );
    let world = parts.build().expect("a world");
    let reasons = |scheme: &PeriDyno2021, world: &World| match scheme.check(world) {
        Ok(Fidelity::Approximate(reasons)) => reasons.join("; "),
        other => panic!("{other:?}"),
    };
    let all = reasons(&scheme(|_| {}), &world);
    for flaw in ["gravity", "impacts", "nothing slides"] {
        assert!(all.contains(flaw), "{all}");
    }
    let left = reasons(
        &scheme(|p| (p.known_gravity, p.force_limit) = (true, None)),
        &world,
    );
    assert_eq!(
        left,
        "friction has no bound: nothing slides, whatever the coefficient"
    );
    let alone = WorldParts::default().build().expect("nothing");
    assert_eq!(scheme(|_| {}).check(&alone), Ok(Fidelity::Exact));
}

/// d = 15 g h² (J.19): 40.833, 37.632 and 10.208 mm with g = 9.8 m/s², for any mass and shape.
#[test]
fn o34_a_resting_body_sinks_by_fifteen_g_h_squared() {
    let printed = [(1.0 / 60.0, 40.833), (0.016, 37.632), (1.0 / 120.0, 10.208)];
    let others = [(1.0 / 240.0, 3.7), (1.0 / 90.0, 20.0)];
    let cases = printed.map(|(dt, millimetres): (f64, f64)| (dt, 9.8, Some(millimetres)));
    let cases = cases.into_iter().chain(others.map(|(dt, g)| (dt, g, None)));
    for (dt, gravity, millimetres) in cases {
        let depth = 15.0 * gravity * dt * dt;
        if let Some(printed) = millimetres {
            assert!((1e3 * depth - printed).abs() < 5e-4, "{depth} {printed}");
        }
        for (mass, cube) in [(1.0, false), (40.0, false), (0.3, true)] {
            let mut parts = plane(gravity, 0.0);
            let (at, still) = (Vector3::new(0.0, 0.5, 0.0), Vector3::zeros());
            if cube {
                add(&mut parts, Cuboid::cube(0.5), mass, at, still);
            } else {
                add(&mut parts, Sphere::new(0.5), mass, at, still);
            }
            let mut world = parts.build().expect("a world");
            let known = &mut world.clone();
            // the depth comes 1/15 nearer in each step
            run(&mut world, &mut scheme(|_| {}), dt, 500);
            let body = &world.bodies()[1];
            let sunk = 0.5 - body.position.to_vector().y;
            assert!(
                (sunk - depth).abs() < 1e-9,
                "{dt} {gravity} {mass}: {sunk} {depth}"
            );
            assert!(body.velocity.norm() < 1e-9, "{}", body.velocity);
            run(known, &mut repaired_gravity(), dt, 500);
            let sunk = 0.5 - known.bodies()[1].position.to_vector().y;
            assert!(sunk.abs() < 1e-9, "{dt} {gravity} {mass}: {sunk}");
        }
    }
}

/// A ball that hits the ground is slowed by at most 250 h in one step (J.20), 4.1667 m/s at 1/60 s.
#[test]
fn o34_an_impact_faster_than_the_cut_is_not_stopped_by_the_ground() {
    for dt in [1.0 / 60.0, 0.016, 1.0 / 200.0] {
        let most = CUT * dt;
        for mass in [0.5, 1.0, 30.0] {
            for speed in [0.5 * most, 0.99 * most, 1.5 * most, 4.0 * most] {
                let mut parts = plane(0.0, 0.0);
                let at = Vector3::new(0.0, 0.5, 0.0);
                add(
                    &mut parts,
                    Sphere::new(0.5),
                    mass,
                    at,
                    -speed * Vector3::y(),
                );
                let world = parts.build().expect("a world");
                let after = |scheme: &mut PeriDyno2021| {
                    let mut world = world.clone();
                    run(&mut world, scheme, dt, 1);
                    world.bodies()[1].velocity.y
                };
                let left = -(speed - most).max(0.0);
                let found = after(&mut scheme(|_| {}));
                assert!(
                    (found - left).abs() < 1e-9 * speed,
                    "{dt} {mass} {speed}: {found}"
                );
                let uncut = after(&mut scheme(|p| p.force_limit = None));
                assert!(uncut.abs() < 1e-9 * speed, "{dt} {mass} {speed}: {uncut}");
            }
        }
    }
}

/// Between two free bodies the first is slowed by at most 250 h (m₁ + m₂)/m₁ (J.20).
#[test]
fn o34_an_impact_faster_than_the_cut_is_not_stopped_by_a_free_body() {
    for dt in [1.0 / 60.0, 1.0 / 150.0] {
        for [first, second] in [[1.0, 1.0], [2.0, 5.0], [0.3, 4.0]] {
            let most = CUT * dt * (first + second) / first;
            // what the first loses where both end with one velocity
            let share = second / (first + second);
            for speed in [0.9 * most / share, 3.0 * most / share] {
                let mut parts = WorldParts::default();
                let velocity = speed * Vector3::x();
                add(
                    &mut parts,
                    Sphere::new(0.5),
                    first,
                    Vector3::zeros(),
                    velocity,
                );
                add(
                    &mut parts,
                    Sphere::new(0.5),
                    second,
                    Vector3::x(),
                    Vector3::zeros(),
                );
                let mut world = parts.build().expect("a world");
                run(&mut world, &mut scheme(|_| {}), dt, 1);
                let lost = speed - world.bodies()[0].velocity.x;
                let expected = most.min(share * speed);
                assert!(
                    (lost - expected).abs() < 1e-9 * speed,
                    "{first} {second}: {lost} {expected}"
                );
                let gained = world.bodies()[1].velocity.x;
                assert!(
                    (second * gained - first * lost).abs() < 1e-9 * speed,
                    "{gained}"
                );
            }
        }
    }
}

/// On slopes up to far steeper than its friction of 0.2 allows, a block keeps the pull of one step,
/// h g sin, and no more; with a known gravity it keeps nothing.
#[test]
fn o34_a_block_never_slides() {
    let (dt, gravity) = (1.0 / 60.0, 9.8);
    for slope in [0.1, 0.5, 1.0, 1.4] {
        let mut parts = plane(gravity, slope);
        let flat = Cuboid::new(0.5, 0.05, 0.5);
        add(
            &mut parts,
            flat,
            2.0,
            Vector3::new(0.0, 0.05, 0.0),
            Vector3::zeros(),
        );
        let world = parts.build().expect("a world");
        let after = |mut scheme: PeriDyno2021, steps: u32| {
            let mut world = world.clone();
            run(&mut world, &mut scheme, dt, steps);
            world.bodies()[1].clone()
        };
        let pull = gravity * libm::sin(slope) * dt;
        let found = [60, 180].map(|steps| after(scheme(|_| {}), steps).velocity.x);
        for speed in found {
            assert!(
                speed < 1.05 * pull + 1e-9,
                "{slope}: {speed}, {pull} in one step"
            );
        }
        let stuck = after(repaired_gravity(), 180);
        assert!(stuck.velocity.norm() < 1e-6, "{slope}: {}", stuck.velocity);
        assert!(
            stuck.position.to_vector().x.abs() < 1e-4,
            "{slope}: {:?}",
            stuck.position
        );
    }
}

#[test]
fn springs_that_the_frames_do_not_follow_are_refused_by_name() {
    use delassus_core::Softness;
    use delassus_dynamics::constraints::Weld;
    use delassus_dynamics::{Inertia, Joint};
    let spring = Softness::Frequency {
        hertz: 2.0,
        damping_ratio: 1.0,
    };
    let held = |joint: fn(Joint, Softness) -> Joint| {
        let mut parts = WorldParts::default();
        parts.body(Body::fixed(Vector3::zeros()));
        let inertia = Inertia::new(1.0, Vector3::repeat(1.0));
        parts.body(Body::dynamic(inertia, Vector3::zeros()));
        let weld = Weld {
            bodies: [0, 1],
            anchors: [Vector3::zeros(), Vector3::new(0.3, 0.4, 0.0)],
            orientation: Default::default(),
        };
        parts.joint(joint(Joint::new(weld), spring));
        parts.build().expect("a world")
    };
    let frames = JacobiSoftStep::new(Default::default()).expect("defaults");
    assert!(
        frames
            .check(&held(|joint, spring| joint.soft(spring)))
            .is_ok()
    );
    let both = |joint: Joint, spring| joint.soft(spring).soft_turns(spring);
    assert!(frames.check(&held(both)).is_ok(), "one spring after all");
    let odd: [fn(Joint, Softness) -> Joint; 3] = [
        |joint, spring| joint.soft_turns(spring),
        |joint, spring| joint.soft(spring).coupled(),
        |joint, _| joint.limited(1.0).limited_turns(2.0),
    ];
    for joint in odd {
        let error = frames.check(&held(joint)).expect_err("no room for it");
        assert!(error.to_string().contains("joints[0]"), "{error}");
    }
    let mut parts = plane(9.8, 0.0);
    parts.colliders[0].material.softness = spring;
    let world = parts.build().expect("a world");
    for error in [frames.check(&world), scheme(|_| {}).check(&world)] {
        let text = error.expect_err("contacts are rigid").to_string();
        assert!(text.contains("colliders[0].material.softness"), "{text}");
    }
}

#[test]
fn surfaces_that_bounce_are_refused() {
    let mut parts = plane(9.8, 0.0);
    parts.colliders[0].material.restitution = 0.5;
    let mut world = parts.build().expect("a world");
    let error = scheme(|_| {}).step(&mut world, 0.01, &mut ());
    let StepError::Scheme(SchemeError::Unsupported { what, reason, .. }) =
        error.expect_err("it has no restitution")
    else {
        panic!("another error");
    };
    assert_eq!(what, "colliders[0].material.restitution");
    assert!(reason.contains("set it to 0"), "{reason}");
}
