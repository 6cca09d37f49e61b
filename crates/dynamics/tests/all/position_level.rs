//! Worlds that the tests of the position-level schemes share.

use delassus_core::Softness;
use delassus_dynamics::constraints::{AngularMotor, AngularServo, Distance, Point};
use delassus_dynamics::{
    Body, ContactLaw, ContactPoint, Inertia, Joint, Manifold, Scheme, Signal, StepError, World,
    WorldParts,
};
use nalgebra::Vector3;

pub(crate) const GRAVITY: f64 = 9.81;

/// A world with gravity along −y and nothing else.
pub(crate) fn parts() -> WorldParts {
    WorldParts {
        gravity: Vector3::new(0.0, -GRAVITY, 0.0),
        ..WorldParts::default()
    }
}

/// A rod between the centres of two bodies.
pub(crate) fn rod(bodies: [usize; 2], length: f64) -> Joint {
    Joint::new(Distance {
        bodies,
        anchors: [Vector3::zeros(); 2],
        length: Signal::Constant(length),
    })
}

/// Point masses on rods of `length`, hanging from a fixed body straight along `direction`.
pub(crate) fn chain(masses: &[f64], length: f64, direction: Vector3<f64>, damping: f64) -> World {
    let mut parts = parts();
    parts.body(Body::fixed(Vector3::zeros()));
    for (index, mass) in masses.iter().enumerate() {
        let position = (index + 1) as f64 * length * direction;
        let mut body = Body::dynamic(Inertia::point(*mass), position);
        body.linear_damping = damping;
        parts.body(body);
        parts.joint(rod([index, index + 1], length));
    }
    parts.build().unwrap()
}

/// Inertia of a box with full edges `size` \[m\].
pub(crate) fn cuboid(mass: f64, size: Vector3<f64>) -> Inertia {
    let square = size.component_mul(&size);
    let moments = Vector3::from_fn(|axis, _| mass / 12.0 * (square.sum() - square[axis]));
    Inertia::new(mass, moments)
}

/// The four corners of the lower face of a unit cube above the upper face of another body at
/// `height`.
pub(crate) fn face(height: f64, mu: f64, law: ContactLaw, bodies: [usize; 2]) -> Manifold {
    let corners = [[0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]];
    let points = corners.map(|[x, z]| ContactPoint {
        anchors: [Vector3::new(x, height, z), Vector3::new(x, -0.5, z)],
        radii: [0.0; 2],
    });
    Manifold::new(bodies, Vector3::y(), points.to_vec(), mu, law)
}

/// A unit cube of 1 kg on the ground, under gravity that leans by `angle` towards +x.
pub(crate) fn slope(angle: f64, mu: f64, law: ContactLaw) -> World {
    let mut parts = parts();
    parts.gravity = GRAVITY * Vector3::new(libm::sin(angle), -libm::cos(angle), 0.0);
    let ground = parts.body(Body::fixed(Vector3::zeros()));
    let inertia = cuboid(1.0, Vector3::new(1.0, 1.0, 1.0));
    let cube = parts.body(Body::dynamic(inertia, Vector3::new(0.0, 0.5, 0.0)));
    parts.manifolds.push(face(0.0, mu, law, [ground, cube]));
    parts.build().unwrap()
}

/// A tower of unit cubes with the given masses on the ground.
pub(crate) fn tower(masses: &[f64], mu: f64) -> World {
    let mut parts = parts();
    parts.body(Body::fixed(Vector3::new(0.0, 0.0, 0.0)));
    for (index, mass) in masses.iter().enumerate() {
        let inertia = cuboid(*mass, Vector3::new(1.0, 1.0, 1.0));
        let position = Vector3::new(0.0, index as f64 + 0.5, 0.0);
        parts.body(Body::dynamic(inertia, position));
        let height = if index == 0 { 0.0 } else { 0.5 };
        let bodies = [index, index + 1];
        parts
            .manifolds
            .push(face(height, mu, ContactLaw::Disc, bodies));
    }
    parts.build().unwrap()
}

/// Steps a world `frames` times.
pub(crate) fn run(scheme: &mut dyn Scheme, world: &mut World, frames: u32, dt: f64) {
    for _ in 0..frames {
        scheme.step(world, dt, &mut ()).unwrap();
    }
}

/// Errors of all joint rows.
pub(crate) fn errors(world: &World) -> Vec<f64> {
    let rows = world.joint_errors();
    rows.into_iter().map(|(_, error)| error).collect()
}

/// Largest absolute value.
pub(crate) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |max, x| x.abs().max(max))
}

/// Two boxes joined at a point off their centres, spinning freely.
pub(crate) fn spinning_pair() -> World {
    let mut parts = WorldParts::default();
    let first = cuboid(1.0, Vector3::new(1.0, 0.4, 0.6));
    let second = cuboid(3.0, Vector3::new(0.8, 0.5, 0.5));
    let spin = Vector3::new(1.0, -2.0, 3.0);
    let arms = [Vector3::new(0.5, 0.1, 0.0), Vector3::new(-0.4, 0.0, 0.2)];
    let a = Body::dynamic(first, Vector3::new(2.0, 0.0, 1.0));
    let b = Body::dynamic(second, Vector3::new(2.0, 0.0, 1.0) + arms[0] - arms[1]);
    let velocity = Vector3::new(0.3, 0.2, -0.1);
    let a = parts.body(a.moving(velocity, spin));
    let b = parts.body(b.moving(velocity + spin.cross(&(arms[0] - arms[1])), spin));
    parts.joint(Joint::new(Point {
        bodies: [a, b],
        anchors: arms,
    }));
    parts.build().unwrap()
}

/// Springs in every parametrisation, for a mass of 2 kg and any step.
pub(crate) fn softnesses() -> [Softness; 4] {
    [
        Softness::Frequency {
            hertz: 5.0,
            damping_ratio: 0.7,
        },
        Softness::Frequency {
            hertz: 3.0,
            damping_ratio: 0.0,
        },
        Softness::Spring {
            stiffness: 300.0,
            damping: 7.0,
        },
        Softness::ErpCfm {
            erp: 0.3,
            cfm: 1e-3,
        },
    ]
}

/// A mass of 2 kg on a vertical spring follows v⁺ = (v + hg − hkx/m)/(1 + hd/m + h²k/m), x⁺ = x +
/// hv⁺. `make` gives the scheme with so many substeps.
pub(crate) fn assert_recurrence(
    softness: Softness,
    make: impl FnOnce(u32) -> Box<dyn Scheme>,
    substeps: u32,
) {
    let (mass, frame) = (2.0, 1.0 / 60.0);
    let mut scheme = make(substeps);
    let h = frame / f64::from(substeps);
    let mut parts = parts();
    let anchor = parts.body(Body::fixed(Vector3::zeros()));
    let load = Body::dynamic(Inertia::point(mass), -1.1 * Vector3::y());
    let load = parts.body(load);
    parts.joint(rod([anchor, load], 1.0).soft(softness));
    let mut world = parts.build().unwrap();
    let (k, d) = match softness {
        Softness::Rigid => unreachable!(),
        Softness::Frequency {
            hertz,
            damping_ratio,
        } => {
            let omega = std::f64::consts::TAU * hertz;
            (mass * omega * omega, 2.0 * mass * damping_ratio * omega)
        }
        Softness::Spring { stiffness, damping } => (stiffness, damping),
        Softness::ErpCfm { erp, cfm } => (erp / (h * cfm), (1.0 - erp) / cfm),
        Softness::BetaGamma { .. } | Softness::Scales { .. } | Softness::Impedance(_) => {
            unreachable!()
        }
    };
    let (mut x, mut v) = (0.1, 0.0);
    for _ in 0..40 {
        run(scheme.as_mut(), &mut world, 1, frame);
        for _ in 0..substeps {
            v = (v + h * GRAVITY - h * k * x / mass) / (1.0 + h * d / mass + h * h * k / mass);
            x += h * v;
        }
        let error = (errors(&world)[0] - x).abs();
        assert!(error < 1e-12, "{softness:?}: {error}");
    }
    // the spring bears what the recurrence says
    let force = world.reaction(0, 1).unwrap().force.y;
    let wanted = k * x + d * v;
    assert!(
        (force - wanted).abs() < 1e-9 * (1.0 + wanted.abs()),
        "{force} {wanted}"
    );
}

/// A rod that bears 5 N lets 1 kg fall with g − 5 m/s².
pub(crate) fn assert_force_limit(scheme: &mut dyn Scheme) {
    let mut parts = chain(&[1.0], 1.0, -Vector3::y(), 0.0).into_parts();
    parts.joints[0].max_force = Some(5.0);
    let mut world = parts.build().unwrap();
    run(scheme, &mut world, 30, 1.0 / 60.0);
    let speed = -world.bodies()[1].velocity.y;
    let wanted = 0.5 * (GRAVITY - 5.0);
    assert!((speed - wanted).abs() < 2e-2 * wanted, "{speed} {wanted}");
}

fn wheel(joint: Joint) -> World {
    let mut parts = WorldParts::default();
    parts.body(Body::fixed(Vector3::zeros()));
    let inertia = Inertia::new(1.0, Vector3::new(0.3, 0.3, 0.5));
    parts.body(Body::dynamic(inertia, Vector3::zeros()));
    parts.joint(joint);
    parts.build().unwrap()
}

/// A motor reaches its speed, and with a torque limit the speed that the torque gives; it works
/// what the wheel gains.
pub(crate) fn assert_motor(scheme: &mut dyn Scheme) {
    let motor = Joint::new(AngularMotor {
        bodies: [0, 1],
        axes: [Vector3::z(); 2],
        target: Signal::Constant(4.0),
    });
    let mut world = wheel(motor.clone());
    run(scheme, &mut world, 20, 1.0 / 60.0);
    let error = world.bodies()[1].spin - Vector3::new(0.0, 0.0, 4.0);
    assert!(error.norm() < 1e-9, "{error}");
    let mut world = wheel(motor.limited(0.8));
    let mut work = 0.0;
    for _ in 0..60 {
        let report = scheme.step(&mut world, 1.0 / 60.0, &mut ()).unwrap();
        work += report.drive_work;
    }
    // 0.8 N·m on 0.5 kg·m² for 1 s
    let spin = world.bodies()[1].spin.z;
    assert!((spin - 1.6).abs() < 3e-2, "{spin}");
    let gained = world.energy().kinetic;
    assert!((work - gained).abs() < 3e-2 * gained, "{work} {gained}");
}

/// A servo takes the wheel to its angle.
pub(crate) fn assert_servo(scheme: &mut dyn Scheme, tolerance: f64) {
    let mut world = wheel(Joint::new(AngularServo {
        bodies: [0, 1],
        axes: [Vector3::z(); 2],
        target: Signal::Constant(0.4),
    }));
    run(scheme, &mut world, 600, 1.0 / 60.0);
    let angle = delassus_dynamics::rotation::log(&world.bodies()[1].orientation);
    let error = (angle - Vector3::new(0.0, 0.0, 0.4)).norm();
    assert!(error < tolerance, "{error}");
}

/// Check and step refuse the world with this path, and leave it alone.
pub(crate) fn assert_refused(scheme: &mut dyn Scheme, mut world: World, path: &str) {
    let before = world.clone();
    let error = scheme.step(&mut world, 1.0 / 60.0, &mut ()).unwrap_err();
    assert!(error.to_string().contains(path), "{error}");
    assert_eq!(world, before);
}

/// What no position-level scheme steps.
pub(crate) fn assert_common_refusals(scheme: &mut dyn Scheme) {
    let mut world = spinning_pair();
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let before = world.clone();
        let error = scheme.step(&mut world, dt, &mut ()).unwrap_err();
        assert!(matches!(error, StepError::TimeStep { .. }), "{error}");
        assert_eq!(world, before);
    }
    world
        .set_velocity(0, Vector3::zeros(), Vector3::new(0.0, 1e3, 0.0))
        .unwrap();
    assert_refused(scheme, world, "bodies[0].spin");
    let mut parts = chain(&[1.0], 1.0, Vector3::x(), 0.0).into_parts();
    parts.joints[0].softness = Softness::Frequency {
        hertz: 1e4,
        damping_ratio: 1.0,
    };
    assert_refused(scheme, parts.build().unwrap(), "joints[0].softness.hertz");
    let mut parts = chain(&[1.0], 1.0, Vector3::x(), 0.0).into_parts();
    parts.bodies[1].velocity = Vector3::new(1e308, 0.0, 0.0);
    parts.bodies[1].force = Vector3::new(1e308, 0.0, 0.0);
    parts.bodies[1].inertia = Inertia::point(1e-3);
    assert_refused(scheme, parts.build().unwrap(), "bodies[1]");
}
