//! Does static friction hold? How fast contacts below the cone creep under each law, against closed
//! forms (S.30), (S.31), and how much friction a rope has on a drum.

use delassus_core::Solver;
use delassus_dynamics::constraints::Distance;
use delassus_dynamics::{
    AnchorMode, Body, ContactLaw, ContactPoint, FrictionPasses, Inertia, Joint, Manifold, Scheme,
    Signal, SolveStop, Stabilization, VelocityParameters, VelocityScheme, WarmStart, World,
    WorldParts,
};
use delassus_solver_si::{BlockGs, Pgs};
use nalgebra::Vector3;

const MASS: f64 = 1.7;
const FRICTION: f64 = 0.8;
/// Along the plane it pulls in both directions, with half of what friction holds.
const GRAVITY: [f64; 3] = [3.1, -9.2, -1.4];

fn gravity() -> Vector3<f64> {
    Vector3::from(GRAVITY)
}

/// What pulls along the plane \[m/s²\].
fn pull() -> Vector3<f64> {
    Vector3::new(GRAVITY[0], 0.0, GRAVITY[2])
}

/// A point mass on a plane.
fn block(law: ContactLaw) -> World {
    let mut parts = WorldParts {
        gravity: gravity(),
        ..WorldParts::default()
    };
    parts.body(Body::fixed(Vector3::zeros()));
    parts.body(Body::dynamic(Inertia::point(MASS), Vector3::zeros()));
    let point = ContactPoint {
        anchors: [Vector3::zeros(); 2],
        radii: [0.0; 2],
    };
    let contact = Manifold::new([0, 1], Vector3::y(), vec![point], FRICTION, law);
    parts.manifolds.push(contact);
    parts.build().unwrap()
}

/// One solve per step, as good as exact.
fn parameters() -> VelocityParameters {
    VelocityParameters {
        sweeps: 200,
        ..VelocityParameters::default()
    }
}

fn scheme(parameters: VelocityParameters) -> VelocityScheme {
    let solver = BlockGs::new(Default::default()).unwrap();
    VelocityScheme::new(parameters, Box::new(solver)).unwrap()
}

/// Steps the block; its place, and its mean velocity in the second half.
fn run(parameters: VelocityParameters, law: ContactLaw, h: f64, steps: u32) -> [Vector3<f64>; 2] {
    let (mut world, mut scheme) = (block(law), scheme(parameters));
    let mut middle = Vector3::zeros();
    for step in 0..2 * steps {
        if step == steps {
            middle = world.bodies()[1].position.to_vector();
        }
        scheme.step(&mut world, h, &mut ()).unwrap();
    }
    let end = world.bodies()[1].position.to_vector();
    [end, (end - middle) / (f64::from(steps) * h)]
}

#[test]
fn rigid_friction_does_not_creep_under_any_law() {
    for law in [
        ContactLaw::Coulomb,
        ContactLaw::ConvexCone,
        ContactLaw::Disc,
        ContactLaw::Pyramid,
        ContactLaw::Patch,
    ] {
        let [place, creep] = run(parameters(), law, 0.005, 400);
        assert!(place.norm() < 1e-13, "{law:?}: {place}");
        assert!(creep.norm() < 1e-14, "{law:?}: {creep}");
    }
}

#[test]
fn compliant_friction_creeps_at_its_compliance_times_the_force() {
    let force = MASS * pull();
    // ODE: a compliance; Bullet: a share of W_tt at any step; SAP: the same by the √3 of its norm
    let ode = |_: f64| 2.3e-6;
    let bullet = |h: f64| 0.013 * h / MASS;
    let sap = |h: f64| 1e-3 * h / (3_f64.sqrt() * MASS);
    let families: [&dyn Fn(f64) -> f64; 3] = [&ode, &bullet, &sap];
    for (family, h, law) in [
        (0, 0.01, ContactLaw::Coulomb),
        (0, 0.002, ContactLaw::Disc),
        (1, 0.01, ContactLaw::Coulomb),
        (1, 0.002, ContactLaw::ConvexCone),
        (2, 0.01, ContactLaw::ConvexCone),
        (2, 0.002, ContactLaw::Coulomb),
    ] {
        let compliance = families[family](h);
        let soft = VelocityParameters {
            friction_cfm: compliance,
            ..parameters()
        };
        let [_, creep] = run(soft, law, h, 300);
        let expected = compliance * force;
        let error = (creep - expected).norm() / expected.norm();
        assert!(error < 1e-9, "{family} {h} {law:?}: {creep} {expected}");
    }
}

#[test]
fn memory_stops_the_creep_of_compliant_friction_at_its_offset() {
    let (h, beta, compliance) = (0.004, 0.2, 3e-5);
    let sticky = VelocityParameters {
        friction_cfm: compliance,
        friction_beta: beta,
        anchors: AnchorMode::Rotated,
        ..parameters()
    };
    let [place, creep] = run(sticky, ContactLaw::Coulomb, h, 600);
    assert!(creep.norm() < 1e-12, "{creep}");
    let offset = compliance * h / beta * MASS * pull();
    let place = Vector3::new(place.x, 0.0, place.z);
    assert!(
        (place - offset).norm() < 1e-9 * offset.norm(),
        "{place} {offset}"
    );
}

#[test]
fn friction_in_the_relax_pass_slips_once_with_a_warm_start_and_always_without() {
    let (h, steps) = (0.003, 200);
    let relaxing = |warm_start| VelocityParameters {
        friction: FrictionPasses::RelaxOnly,
        relax_sweeps: 200,
        warm_start,
        ..parameters()
    };
    let [place, creep] = run(relaxing(WarmStart::On), ContactLaw::Coulomb, h, steps);
    let slip = h * h * pull();
    let place = Vector3::new(place.x, 0.0, place.z);
    assert!(
        (place - slip).norm() < 1e-10 * slip.norm(),
        "{place} {slip}"
    );
    assert!(creep.norm() < 1e-12, "{creep}");
    // without it every step slips, while the velocities say that nothing moves
    let [_, creep] = run(relaxing(WarmStart::Off), ContactLaw::Coulomb, h, steps);
    let expected = h * pull();
    let along = Vector3::new(creep.x, 0.0, creep.z);
    assert!(
        (along - expected).norm() < 1e-10 * expected.norm(),
        "{creep}"
    );
}

/// Nodes of a rope on a drum, a polygon that turns by `angle`, and forces at both ends; the speed
/// of the rope after one step, over what the difference of the forces gives it without friction.
fn speed_of_rope(nodes: usize, angle: f64, friction: f64, forces: [f64; 2]) -> f64 {
    let turn = angle / nodes as f64;
    let (mass, h) = (0.1, 0.01);
    let radial = |phi: f64| Vector3::new(libm::cos(phi), libm::sin(phi), 0.0);
    let tangent = |phi: f64| Vector3::new(-libm::sin(phi), libm::cos(phi), 0.0);
    let mut parts = WorldParts::default();
    let drum = parts.body(Body::fixed(Vector3::zeros()));
    for node in 0..nodes {
        let normal = radial((node as f64 + 0.5) * turn);
        let mut body = Body::dynamic(Inertia::point(mass), normal);
        body.lock_translation = [false, false, true];
        if node == 0 {
            body.force -= forces[0] * tangent(0.0);
        }
        if node + 1 == nodes {
            body.force += forces[1] * tangent(angle);
        }
        let body = parts.body(body);
        let point = ContactPoint {
            anchors: [normal, Vector3::zeros()],
            radii: [0.0; 2],
        };
        let law = ContactLaw::Coulomb;
        parts.manifolds.push(Manifold::new(
            [drum, body],
            normal,
            vec![point],
            friction,
            law,
        ));
        if node > 0 {
            parts.joint(Joint::new(Distance {
                bodies: [body - 1, body],
                anchors: [Vector3::zeros(); 2],
                length: Signal::Constant(2.0 * libm::sin(0.5 * turn)),
            }));
        }
    }
    let mut world = parts.build().unwrap();
    let parameters = VelocityParameters {
        stabilization: Stabilization::None,
        stop: SolveStop {
            tolerance: Some(1e-13),
            max_sweeps: 1_000_000,
            ..SolveStop::default()
        },
        ..VelocityParameters::default()
    };
    let solver = Box::new(Pgs::new(Default::default()).unwrap());
    let mut scheme = VelocityScheme::new(parameters, solver).unwrap();
    let report = scheme.step(&mut world, h, &mut ()).unwrap();
    let solves = report.solves.unwrap();
    assert_eq!(solves.by_tolerance, 1, "{solves:?}");
    let free = h * (forces[1] - forces[0]) / (mass * nodes as f64);
    let speeds = world.bodies()[1..].iter().map(|body| body.velocity.norm());
    speeds.fold(0.0, f64::max) / free
}

#[test]
fn a_rope_on_a_drum_holds_up_to_the_capstan_ratio() {
    let (friction, angle) = (0.3, std::f64::consts::PI);
    let mut last = f64::INFINITY;
    for nodes in [4, 8, 16] {
        let half = libm::tan(0.5 * angle / nodes as f64);
        let node = (1.0 + friction * half) / (1.0 - friction * half);
        let ratio = node.powi(i32::try_from(nodes).expect("few nodes"));
        // the polygon tends to the circle, e^{μθ}, in the square of its turns
        let error = ratio / libm::exp(friction * angle) - 1.0;
        assert!(error > 0.0 && error < 0.3 * last, "{nodes}: {error}");
        last = error;
        let tension = 7.0;
        for (share, holds) in [(0.999, true), (1.001, false)] {
            let forces = [tension, share * ratio * tension];
            let speed = speed_of_rope(nodes, angle, friction, forces);
            assert_eq!(speed < 1e-7, holds, "{nodes} {share}: {speed:e}");
        }
    }
}
