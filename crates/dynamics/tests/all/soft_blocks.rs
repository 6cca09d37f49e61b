//! Softness of a block of rows: R = K/c against its recurrence (S.16)–(S.18), linear and angular
//! rows apart.

use std::f64::consts::TAU;

use delassus_core::{ImpulseSolver, Softness, Solver, Unsupported};
use delassus_dynamics::constraints::{AnyConstraint, Point, Weld};
use delassus_dynamics::{
    Avbd, AvbdParameters, Body, ConstraintOrder, ContactLaw, ContactPoint, Gyroscopic, Inertia,
    Joint, Manifold, PositionScheme, RowUnit, Rows, Scheme, SchemeError, Stabilization,
    VelocityParameters, VelocityScheme, World, WorldParts, Xpbd, XpbdParameters, rotation,
};
use delassus_solver_dense::{Dantzig, DenseDirect};
use delassus_solver_si::{BlockGs, Pgs};
use delassus_solver_wide::WidePgs;
use nalgebra::{UnitQuaternion, Vector3};

const H: f64 = 1.0 / 60.0;

fn frequency(hertz: f64, damping_ratio: f64) -> Softness {
    Softness::Frequency {
        hertz,
        damping_ratio,
    }
}

/// Nothing but the softness of the scene acts on positions.
fn bare(sweeps: u32) -> VelocityParameters {
    VelocityParameters {
        stabilization: Stabilization::None,
        gyroscopic: Gyroscopic::None,
        sweeps,
        ..VelocityParameters::default()
    }
}

fn solver<S: Solver<Parameters: Default>>() -> Box<dyn ImpulseSolver> {
    Box::new(S::new(Default::default()).unwrap())
}

fn exact() -> VelocityScheme {
    VelocityScheme::new(bare(1), solver::<DenseDirect>()).unwrap()
}

/// Where the joint takes hold of the body: off its centre, so that K is not diagonal.
const ANCHOR: Vector3<f64> = Vector3::new(0.3, -0.2, 0.5);

fn point() -> AnyConstraint {
    Point {
        bodies: [0, 1],
        anchors: [Vector3::zeros(), ANCHOR],
    }
    .into()
}

fn weld(anchor: Vector3<f64>) -> AnyConstraint {
    Weld {
        bodies: [0, 1],
        anchors: [Vector3::zeros(), anchor],
        orientation: UnitQuaternion::identity(),
    }
    .into()
}

/// A body of 2 kg on a joint to the world, with its anchor displaced by `offset` and turned by
/// `turn`.
fn held(joint: Joint, anchor: Vector3<f64>, moments: Vector3<f64>, at: [Vector3<f64>; 2]) -> World {
    let mut parts = WorldParts::default();
    parts.body(Body::fixed(Vector3::zeros()));
    let [offset, turn] = at;
    let orientation = rotation::exp(&turn);
    let body = Body::dynamic(Inertia::new(2.0, moments), offset - orientation * anchor);
    parts.body(body.turned(orientation));
    parts.joint(joint);
    parts.build().unwrap()
}

/// C and J v of the joint.
fn rows(world: &World, jacobian: &Rows) -> Vec<f64> {
    let body = &world.bodies()[1];
    let v: Vec<f64> = body
        .velocity
        .iter()
        .chain(body.spin.iter())
        .copied()
        .collect();
    let entries = jacobian.jacobian.chunks_exact(2);
    let along = |entries: &[[f64; 6]]| entries[1].iter().zip(&v).map(|(j, v)| j * v).sum();
    entries.map(along).collect()
}

fn evaluated(world: &World) -> Rows {
    let mut rows = Rows::default();
    world.evaluate_joint(0, &mut rows);
    rows
}

/// x after 0 … `steps` steps of (S.2) from rest at `x`.
fn recurrence(hertz: f64, zeta: f64, x: f64, steps: usize) -> Vec<f64> {
    swings(hertz, zeta, x, steps, false)
}

/// The same; a relax pass solves once more for the velocity, with the error after the move (T.15).
fn swings(hertz: f64, zeta: f64, x: f64, steps: usize, relaxed: bool) -> Vec<f64> {
    let omega = TAU * hertz;
    let divisor = 1.0 + 2.0 * zeta * omega * H + omega * omega * H * H;
    let (mut x, mut v) = (x, 0.0);
    let mut all = vec![x];
    for _ in 0..steps {
        let solved = |x: f64| (v - H * omega * omega * x) / divisor;
        let moved = x + H * solved(x);
        v = solved(if relaxed { moved } else { x });
        x = moved;
        all.push(x);
    }
    all
}

#[test]
fn each_step_of_a_coupled_block_is_the_scalar_step_in_every_row() {
    // (S.17) holds for one step from any state, however far the body has turned
    let moments = Vector3::new(0.3, 0.5, 0.4);
    let start = [Vector3::new(0.2, -0.1, 0.3), Vector3::new(0.4, -0.3, 0.5)];
    for (constraint, hertz, zeta) in [
        (point(), 2.0, 0.3),
        (point(), 9.0, 2.0),
        (weld(ANCHOR), 3.0, 0.0),
        (weld(ANCHOR), 1.0, 1.0),
    ] {
        let joint = Joint::new(constraint)
            .soft(frequency(hertz, zeta))
            .coupled();
        let mut world = held(joint, ANCHOR, moments, start);
        let mut scheme = exact();
        let omega = TAU * hertz;
        let c = H * omega * (2.0 * zeta + H * omega);
        let rate = omega / (2.0 * zeta + H * omega);
        for step in 0..60 {
            let before = evaluated(&world);
            let v = rows(&world, &before);
            scheme.step(&mut world, H, &mut ()).unwrap();
            let after = rows(&world, &before);
            for (row, (v, after)) in v.iter().zip(&after).enumerate() {
                let expected = (v - c * rate * before.error[row]) / (1.0 + c);
                let error = (after - expected).abs();
                assert!(error < 1e-11, "{hertz} Hz, step {step}, row {row}: {error}");
            }
        }
    }
}

/// The largest difference of a component of C from the recurrence of its own start, over the size
/// of the start.
fn departure(scheme: &mut dyn Scheme, joint: &Joint, spring: (f64, f64), size: f64) -> f64 {
    departed(scheme, joint, spring, size, false)
}

fn departed(
    scheme: &mut dyn Scheme,
    joint: &Joint,
    (hertz, zeta): (f64, f64),
    size: f64,
    relaxed: bool,
) -> f64 {
    let moments = Vector3::new(0.3, 0.5, 0.4);
    let turn = size * Vector3::new(0.4, -0.3, 0.5);
    let start = [size * Vector3::new(0.2, -0.1, 0.3), turn];
    let mut world = held(joint.clone(), ANCHOR, moments, start);
    let steps = 60;
    let first = evaluated(&world).error;
    let expected: Vec<Vec<f64>> = first
        .iter()
        .map(|x| swings(hertz, zeta, *x, steps, relaxed))
        .collect();
    let mut largest = 0.0f64;
    for step in 1..=steps {
        scheme.step(&mut world, H, &mut ()).unwrap();
        for (found, expected) in evaluated(&world).error.iter().zip(&expected) {
            largest = largest.max((found - expected[step]).abs());
        }
    }
    largest / size
}

#[test]
fn a_coupled_block_swings_like_one_row_up_to_the_square_of_its_size() {
    let spring = (2.0, 0.2);
    for constraint in [point(), weld(ANCHOR)] {
        let rows_alone = Joint::new(constraint).soft(frequency(spring.0, spring.1));
        let joint = rows_alone.clone().coupled();
        for size in [1e-4, 1e-6] {
            // what remains is the curvature of C, of the order of its size
            let found = departure(&mut exact(), &joint, spring, size);
            assert!(found < 2.0 * size, "{size}: {found}");
            let parameters = XpbdParameters {
                substeps: 1,
                iterations: 1,
                gyroscopic: Gyroscopic::None,
                ..XpbdParameters::default()
            };
            let mut xpbd = Xpbd::new(parameters).unwrap();
            let found = departure(&mut xpbd, &joint, spring, size);
            assert!(found < 4.0 * size, "xpbd, {size}: {found}");
            // row by row the modes of the block have other frequencies
            let found = departure(&mut exact(), &rows_alone, spring, size);
            assert!(found > 0.1, "row by row: {found}");
        }
    }
}

#[test]
fn sweeps_come_to_the_same_block() {
    let spring = (2.0, 0.2);
    let joint = Joint::new(weld(ANCHOR)).soft(frequency(2.0, 0.2)).coupled();
    let schemes = [
        VelocityScheme::new(bare(1), solver::<BlockGs>()),
        VelocityScheme::new(bare(400), solver::<Pgs>()),
    ];
    for scheme in schemes {
        let found = departure(&mut scheme.unwrap(), &joint, spring, 1e-5);
        assert!(found < 2e-5, "{found}");
    }
    let parameters = XpbdParameters {
        substeps: 1,
        iterations: 60,
        block: false,
        gyroscopic: Gyroscopic::None,
        ..XpbdParameters::default()
    };
    let found = departure(&mut Xpbd::new(parameters).unwrap(), &joint, spring, 1e-5);
    assert!(found < 1e-4, "row by row in one block: {found}");
}

#[test]
fn passes_and_substeps_keep_the_block() {
    // a spring of the scene is the same in every pass: a relax pass and position passes change
    // nothing of it
    let joint = Joint::new(weld(ANCHOR)).soft(frequency(2.0, 0.2)).coupled();
    for (stabilization, relax_sweeps) in [
        (Stabilization::Soft, 1),
        (Stabilization::Baumgarte, 1),
        (Stabilization::SplitImpulse, 0),
    ] {
        let parameters = VelocityParameters {
            stabilization,
            relax_sweeps,
            position_sweeps: 2,
            ..bare(1)
        };
        let mut scheme = VelocityScheme::new(parameters, solver::<DenseDirect>()).unwrap();
        let relaxed = relax_sweeps > 0;
        let found = departed(&mut scheme, &joint, (2.0, 0.2), 1e-5, relaxed);
        assert!(found < 2e-5, "{stabilization:?}: {found}");
    }
}

#[test]
fn contacts_before_joints_leave_the_block_as_it_is() {
    let joint = Joint::new(weld(ANCHOR)).soft(frequency(2.0, 0.2)).coupled();
    let start = [
        Vector3::new(0.02, -0.01, 0.03),
        Vector3::new(0.04, -0.03, 0.05),
    ];
    let ends = [ConstraintOrder::JointsFirst, ConstraintOrder::ContactsFirst].map(|order| {
        let world = held(joint.clone(), ANCHOR, Vector3::new(0.3, 0.5, 0.4), start);
        let mut parts = world.into_parts();
        let point = ContactPoint {
            anchors: [Vector3::new(0.0, -100.0, 0.0), Vector3::zeros()],
            radii: [0.0; 2],
        };
        let law = ContactLaw::Frictionless;
        let far = Manifold::new([0, 1], Vector3::y(), vec![point], 0.0, law);
        parts.manifolds.push(far);
        let mut world = parts.build().unwrap();
        let parameters = VelocityParameters { order, ..bare(1) };
        let mut scheme = VelocityScheme::new(parameters, solver::<Dantzig>()).unwrap();
        for _ in 0..30 {
            scheme.step(&mut world, H, &mut ()).unwrap();
        }
        evaluated(&world).error
    });
    for (a, b) in ends[0].iter().zip(&ends[1]) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }
}

/// The five forms of a spring on a row with this A_ii at the step H.
fn forms(hertz: f64, zeta: f64, diagonal: f64) -> [Softness; 5] {
    let softness = frequency(hertz, zeta);
    let row = softness.row(diagonal, H).unwrap();
    [
        softness,
        row.spring(H).unwrap(),
        row.erp_cfm(H),
        row.beta_gamma(H).fixed_softness(),
        row.scales(diagonal).fixed_softness(),
    ]
}

#[test]
fn a_weld_in_five_forms_is_one_weld_with_two_springs() {
    // a ball held at its centre: A_ii is 1/m along and 1/I about every axis
    let (mass, moment) = (2.0, 0.45);
    let linear = forms(3.0, 0.2, 1.0 / mass);
    let angular = forms(1.0, 0.6, 1.0 / moment);
    // 2 sin(θ/2) is θ to 4e-14 of it
    let start = [Vector3::new(0.2, -0.1, 0.3), Vector3::new(1e-6, 0.0, 0.0)];
    for (linear, angular) in linear.into_iter().zip(angular) {
        let joint = Joint::new(weld(Vector3::zeros()))
            .soft(linear)
            .soft_turns(angular);
        for joint in [joint.clone(), joint.coupled()] {
            let mut world = held(joint, Vector3::zeros(), Vector3::repeat(moment), start);
            let mut scheme = exact();
            let across = recurrence(3.0, 0.2, 1.0, 80);
            let about = recurrence(1.0, 0.6, 1.0, 80);
            for step in 1..=80 {
                scheme.step(&mut world, H, &mut ()).unwrap();
                let error = evaluated(&world).error;
                for (axis, start) in start[0].iter().enumerate() {
                    let off = (error[axis] - start * across[step]).abs();
                    assert!(off < 1e-13, "{linear:?}, step {step}: {off}");
                }
                let off = (error[3] - 1e-6 * about[step]).abs();
                assert!(off < 1e-17, "{angular:?}, step {step}: {off}");
            }
        }
    }
}

#[test]
fn a_block_in_two_forms_that_follow_the_mass_is_one_block() {
    let moments = Vector3::new(0.3, 0.5, 0.4);
    let start = [Vector3::new(0.2, -0.1, 0.3), Vector3::new(0.4, -0.3, 0.5)];
    let ends = [0, 4].map(|form| {
        let softness = forms(2.5, 0.3, 1.0)[form];
        let joint = Joint::new(weld(ANCHOR)).soft(softness).coupled();
        let mut world = held(joint, ANCHOR, moments, start);
        let mut scheme = exact();
        for _ in 0..60 {
            scheme.step(&mut world, H, &mut ()).unwrap();
        }
        evaluated(&world).error
    });
    for (a, b) in ends[0].iter().zip(&ends[1]) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }
}

#[test]
fn the_energy_of_a_coupled_block_falls_by_a_fixed_share() {
    // undamped, every mode loses the same share per step (S.12), as long as the motion is small
    let joint = Joint::new(weld(ANCHOR)).soft(frequency(3.0, 0.0)).coupled();
    let start = [1e-6, 1e-6].map(|size| size * Vector3::new(0.5, -0.7, 0.4));
    let mut world = held(joint, ANCHOR, Vector3::new(0.3, 0.5, 0.4), start);
    let mut scheme = exact();
    let step = TAU * 3.0 * H;
    let (mut expected, first) = (world.energy().total(), world.energy().total());
    for _ in 0..20 {
        scheme.step(&mut world, H, &mut ()).unwrap();
        expected /= 1.0 + step * step;
        let energy = world.energy().total();
        assert!(
            (energy - expected).abs() < 1e-5 * first,
            "{energy} {expected}"
        );
    }
}

#[test]
fn limits_of_force_and_torque_are_two() {
    let (moment, torque, limit) = (0.5, 3.0, 1.0);
    let joint = Joint::new(weld(Vector3::zeros()))
        .limited(50.0)
        .limited_turns(limit);
    assert!(joint.is_split());
    assert_eq!(joint.limit_of(RowUnit::Angle), limit);
    let still = [Vector3::zeros(); 2];
    let mut world = held(joint, Vector3::zeros(), Vector3::repeat(moment), still);
    let pull = Vector3::new(30.0, 0.0, 0.0);
    let turn = Vector3::new(0.0, torque, 0.0);
    world.set_wrench(1, pull, turn).unwrap();
    let mut scheme = VelocityScheme::new(bare(30), solver::<Pgs>()).unwrap();
    // one step: later ones have other angular rows
    scheme.step(&mut world, H, &mut ()).unwrap();
    let body = &world.bodies()[1];
    // the force is held, of the torque the part beyond the limit turns the body
    assert!(body.velocity.norm() < 1e-12, "{}", body.velocity);
    let spin = (torque - limit) / moment * H;
    assert!((body.spin.y - spin).abs() < 1e-12, "{} {spin}", body.spin);
    let impulses = world.joints()[0].impulses();
    assert!((impulses[0] + 30.0 * H).abs() < 1e-12 && (impulses[4] + limit * H).abs() < 1e-12);
}

#[test]
fn schemes_and_solvers_without_room_for_a_coupled_block_refuse_it() {
    let joint = Joint::new(weld(ANCHOR)).soft(frequency(2.0, 0.2));
    let still = [Vector3::zeros(); 2];
    let world = |joint: Joint| held(joint, ANCHOR, Vector3::repeat(0.5), still);
    let wide = VelocityScheme::new(bare(4), solver::<WidePgs>()).unwrap();
    let avbd = Avbd::new(AvbdParameters::default()).unwrap();
    assert!(wide.check(&world(joint.clone())).is_ok());
    assert!(avbd.check(&world(joint.clone())).is_ok());
    let coupled = world(joint.coupled());
    let refused = wide.check(&coupled).unwrap_err();
    assert!(
        matches!(
            refused,
            SchemeError::Solver(Unsupported::CoupledCompliance { block: 0, .. })
        ),
        "{refused}"
    );
    let text = avbd.check(&coupled).unwrap_err().to_string();
    assert!(text.contains("joints[0].coupling"), "{text}");
    // nothing is coupled in a ball of one row, or by stiffness, whose R is the same for every
    // direction
    let stiff = Softness::Spring {
        stiffness: 10.0,
        damping: 1.0,
    };
    let plain = Joint::new(weld(ANCHOR)).soft(stiff).coupled();
    assert!(wide.check(&world(plain)).is_ok());
}

#[test]
fn fields_out_of_range_are_refused_by_name() {
    let path = |joint: Joint| {
        let mut parts = WorldParts::default();
        parts.body(Body::fixed(Vector3::zeros()));
        let inertia = Inertia::new(1.0, Vector3::repeat(1.0));
        parts.body(Body::dynamic(inertia, Vector3::zeros()));
        parts.joint(joint);
        parts.build().unwrap_err().path
    };
    let joint = || Joint::new(weld(ANCHOR));
    let bad = joint().soft_turns(frequency(-1.0, 0.0));
    assert_eq!(path(bad), "joints[0].angular_softness.hertz");
    assert_eq!(path(joint().limited_turns(-1.0)), "joints[0].max_torque");
    // one spring over rows with two limits
    let split = joint()
        .soft(frequency(1.0, 0.0))
        .coupled()
        .limited_turns(1.0);
    assert_eq!(path(split), "joints[0].max_torque");
    let fast = joint()
        .soft(frequency(1.0, 0.0))
        .soft_turns(frequency(31.0, 0.0));
    let mut world = held(fast, ANCHOR, Vector3::repeat(0.5), [Vector3::zeros(); 2]);
    let error = exact()
        .step(&mut world, H, &mut ())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("joints[0].angular_softness.hertz"),
        "{error}"
    );
}
