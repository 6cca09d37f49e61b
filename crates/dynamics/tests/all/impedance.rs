//! Rows with an impedance (S.24)–(S.30): closed forms of creep, depth and sag, runs of MuJoCo, one
//! spring, refusals.

use std::fs;
use std::path::PathBuf;

use delassus_core::{DiagonalEstimate, Impedance, Softness, Solver};
use delassus_dynamics::constraints::{Distance, LinearMotor, Rope};
use delassus_dynamics::{
    Body, Collider, ContactLaw, ContactPoint, HalfSpace, Inertia, Joint, Manifold, Scheme,
    SchemeError, Signal, Sphere, Stabilization, StepError, VelocityParameters, VelocityScheme,
    World, WorldParts, presets,
};
use delassus_solver_dense::Ipm;
use delassus_solver_si::Pgs;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

const H: f64 = 0.002;
const MASS: f64 = 1.3;

/// The step of MuJoCo with its Euler integrator.
fn mujoco_euler() -> VelocityParameters {
    let preset = presets().iter().find(|preset| preset.id == "mujoco-euler");
    (preset.unwrap().parameters)()
}

fn euler<S: Solver<Parameters: Default> + 'static>() -> VelocityScheme {
    let solver = Box::new(S::new(Default::default()).unwrap());
    VelocityScheme::new(mujoco_euler(), solver).unwrap()
}

/// A point mass on a plane across y, with gravity that pushes it along x too.
fn block(softness: Impedance, friction: f64, gravity: Vector3<f64>) -> World {
    let mut parts = WorldParts {
        gravity,
        ..WorldParts::default()
    };
    parts.body(Body::fixed(Vector3::zeros()));
    parts.body(Body::dynamic(Inertia::point(MASS), Vector3::zeros()));
    let point = ContactPoint {
        anchors: [Vector3::zeros(); 2],
        radii: [0.0; 2],
    };
    let law = ContactLaw::ConvexCone;
    let contact = Manifold::new([0, 1], Vector3::y(), vec![point], friction, law);
    parts
        .manifolds
        .push(contact.soft(Softness::Impedance(softness)));
    parts.build().unwrap()
}

fn forms() -> [Impedance; 4] {
    let default = Impedance::default();
    [
        default,
        Impedance {
            impratio: 10.0,
            ..default
        },
        Impedance {
            solref: [-1000.0, -60.0],
            impratio: 100.0,
            ..default
        },
        Impedance {
            solref: [0.013, 0.7],
            solimp: [0.6, 0.93, 0.004, 0.3, 3.0],
            impratio: 3.0,
            diagonal: DiagonalEstimate::Exact,
        },
    ]
}

/// Below the cone a block creeps at R_t f_t/B, at a depth of R_n f_n/(K d) (S.30).
#[test]
fn a_block_below_the_cone_creeps_as_its_closed_form_says() {
    let gravity = Vector3::new(2.1, -9.81, 1.3);
    for softness in forms() {
        let mut world = block(softness, 0.8, gravity);
        let mut scheme = euler::<Pgs>();
        for _ in 0..4000 {
            scheme.step(&mut world, H, &mut ()).unwrap();
        }
        let body = &world.bodies()[1];
        let depth = -body.position.to_vector().y;
        // a point: Â and A_ii agree
        let row = softness.row(1.0 / MASS, -depth, H);
        let creep = row.compliance / softness.impratio * MASS / row.damping;
        let expected = creep * Vector3::new(gravity.x, 0.0, gravity.z);
        let error = (body.velocity - expected).norm();
        assert!(
            error < 1e-10 * expected.norm(),
            "{} {expected}",
            body.velocity
        );
        let sunk = row.compliance * MASS * -gravity.y / (row.stiffness * row.impedance);
        assert!((depth / sunk - 1.0).abs() < 1e-10, "{depth} {sunk}");
    }
}

/// Under the load F a rod, a rope and a motor that must not move yield by R F/(K d) and R F/B.
#[test]
fn joints_limits_and_friction_loss_yield_as_their_closed_forms_say() {
    let (gravity, load) = (9.81, MASS * 9.81);
    let softness = forms()[3];
    let anchors = [Vector3::zeros(); 2];
    let length = Signal::Constant(1.0);
    let rod = Joint::new(Distance {
        bodies: [0, 1],
        anchors,
        length,
    });
    let rope = Joint::new(Rope {
        bodies: [0, 1],
        anchors,
        length,
    });
    let brake = Joint::new(LinearMotor {
        bodies: [0, 1],
        anchors,
        axis: Vector3::y(),
        target: Signal::Constant(0.0),
    });
    for (joint, is_brake) in [
        (rod, false),
        (rope, false),
        (brake.limited(1.5 * load), true),
    ] {
        let mut parts = WorldParts {
            gravity: -gravity * Vector3::y(),
            ..WorldParts::default()
        };
        parts.body(Body::fixed(Vector3::zeros()));
        parts.body(Body::dynamic(Inertia::point(MASS), -Vector3::y()));
        parts.joint(joint.soft(Softness::Impedance(softness)));
        let mut world = parts.build().unwrap();
        let mut scheme = euler::<Pgs>();
        for _ in 0..1500 {
            scheme.step(&mut world, H, &mut ()).unwrap();
        }
        let body = &world.bodies()[1];
        if is_brake {
            let row = softness.row(1.0 / MASS, 0.0, H);
            let expected = -row.compliance * load / row.damping;
            let found = body.velocity.y;
            assert!((found / expected - 1.0).abs() < 1e-10, "{found} {expected}");
        } else {
            let found = -body.position.to_vector().y - 1.0;
            let row = softness.row(1.0 / MASS, found, H);
            let expected = row.compliance * load / (row.stiffness * row.impedance);
            assert!((found / expected - 1.0).abs() < 1e-10, "{found} {expected}");
        }
    }
}

/// The rows of a file that `crates/peers/mujoco/export.py` wrote: step, body, and 13 numbers.
fn run_of_mujoco(name: &str) -> Vec<(usize, usize, [f64; 13])> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/mujoco"));
    let text = fs::read_to_string(path.join(name)).unwrap();
    let row = |line: &str| {
        let mut words = line.split(',');
        let mut whole = || words.next().unwrap().parse().unwrap();
        let (step, body) = (whole(), whole());
        let mut numbers = [0.0; 13];
        for (number, word) in numbers.iter_mut().zip(words) {
            *number = word.parse().unwrap();
        }
        (step, body, numbers)
    };
    text.lines().skip(1).map(row).collect()
}

/// The world of such a run: balls of radius 0.2 m on the ground, with these masses \[kg\].
fn balls(start: &[(usize, usize, [f64; 13])], masses: &[f64]) -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.5, 0.0, -9.81),
        ..WorldParts::default()
    };
    parts.contacts.law = ContactLaw::ConvexCone;
    let softness = Softness::Impedance(Impedance {
        impratio: 3.0,
        ..Impedance::default()
    });
    let surface = |mut collider: Collider| {
        collider.material.friction = 0.4;
        collider.material.softness = softness;
        collider
    };
    let ground = parts.body(Body::fixed(Vector3::zeros()));
    let normal = Vector3::z();
    parts.collider(surface(Collider::new(ground, HalfSpace { normal })));
    for ((_, _, state), mass) in start.iter().zip(masses) {
        let vector = |first: usize| Vector3::from_column_slice(&state[first..first + 3]);
        let inertia = Inertia::new(*mass, Vector3::repeat(0.4 * mass * 0.2 * 0.2));
        let body = Body::dynamic(inertia, vector(0)).moving(vector(7), vector(10));
        let ball = parts.body(body);
        parts.collider(surface(Collider::new(ball, Sphere { radius: 0.2 })));
    }
    parts.build().unwrap()
}

/// A ball that falls, slides and rolls, and one that falls onto another: the states of 400 steps.
#[test]
fn trajectories_are_those_of_mujoco() {
    for (name, masses) in [("ball.csv", &[1.3][..]), ("pile.csv", &[2.0, 0.5])] {
        let rows = run_of_mujoco(name);
        let mut world = balls(&rows[..masses.len()], masses);
        let mut scheme = euler::<Ipm>();
        let (mut at, mut worst) = (0, 0.0_f64);
        for (step, body, expected) in &rows {
            while at < *step {
                scheme.step(&mut world, H, &mut ()).unwrap();
                at += 1;
            }
            let found = &world.bodies()[body + 1];
            let position = found.position.to_vector();
            let [qw, qx, qy, qz] = [3, 4, 5, 6].map(|index| expected[index]);
            let turn = UnitQuaternion::from_quaternion(Quaternion::new(qw, qx, qy, qz));
            let vectors = [(0, position), (7, found.velocity), (10, found.spin)];
            for (first, found) in vectors {
                let expected = Vector3::from_column_slice(&expected[first..first + 3]);
                worst = worst.max((found - expected).norm());
            }
            worst = worst.max(found.orientation.angle_to(&turn));
        }
        assert_eq!(at, 400);
        assert!(worst < 1e-9, "{name}: {worst:e}");
    }
}

/// With hB = 1 and one impedance, the step of the row is that of an implicit spring (S.29).
#[test]
fn an_impedance_of_one_step_is_a_spring() {
    let spring = Softness::Frequency {
        hertz: 6.0,
        damping_ratio: 0.3,
    };
    let diagonal = 1.0 / MASS;
    let row = spring.row(diagonal, H).unwrap();
    let impedance = Impedance::of_row(&row, diagonal, H).unwrap();
    let run = |softness: Softness| {
        let mut world = block(Impedance::default(), 0.0, -9.81 * Vector3::y()).into_parts();
        world.manifolds[0].softness = softness;
        world.bodies[1].position += -0.02 * Vector3::y();
        let mut world = world.build().unwrap();
        let mut scheme = euler::<Pgs>();
        let mut states = Vec::new();
        for _ in 0..200 {
            scheme.step(&mut world, H, &mut ()).unwrap();
            states.push(world.bodies()[1].position.to_vector().y);
        }
        states
    };
    for (one, other) in run(spring).iter().zip(run(Softness::Impedance(impedance))) {
        assert!((one - other).abs() < 1e-13, "{one} {other}");
    }
}

#[test]
fn what_has_no_meaning_with_an_impedance_is_refused() {
    let mut world = block(Impedance::default(), 0.5, -Vector3::y());
    let before = world.clone();
    let refused = |outcome: Result<_, StepError>| match outcome {
        Err(StepError::Scheme(error @ SchemeError::Unsupported { .. })) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let relaxed = VelocityParameters {
        relax_sweeps: 1,
        ..mujoco_euler()
    };
    let split = VelocityParameters {
        stabilization: Stabilization::SplitImpulse,
        ..mujoco_euler()
    };
    for parameters in [relaxed, split] {
        let solver = Box::new(Pgs::new(Default::default()).unwrap());
        let mut scheme = VelocityScheme::new(parameters, solver).unwrap();
        let error = refused(scheme.step(&mut world, H, &mut ()));
        assert!(error.contains("relax_sweeps = 0"), "{error}");
        assert!(scheme.check(&world).is_err());
    }
    assert_eq!(world, before);
}
