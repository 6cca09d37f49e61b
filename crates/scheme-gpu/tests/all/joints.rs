//! Joints in frames whose contacts stay on the device, against the twin.

use delassus_core::Softness;
use delassus_dynamics::{Body, Joint, PositionScheme, Scheme, World};
use delassus_scheme_gpu::{BodyReads, CollisionPlace, GpuSoftStep, GpuSoftStepParameters};
use delassus_scheme_jacobi::{
    JacobiSoftStep, JacobiSoftStepParameters, Scalar, SoftStepParameters,
};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::rule::{FactorRule, LocalSweep, Splitting};
use nalgebra::Vector3;

use crate::collision::scheme;
use crate::common::{DT, assert_close, device, distances, run, twin};
use crate::linkages::{KINDS, Numbers, hanging, hanging_by, stretch};

/// Runs both, whose reports have to be the same; the largest distances, and that of the impulses of
/// joints relative to the largest or 10⁻³ N·s \[-\].
fn side_by_side(
    name: &str,
    schemes: [&mut dyn Scheme; 2],
    worlds: &mut [World; 2],
    frames: u32,
) -> [f64; 5] {
    let [one, two] = schemes;
    for _ in 0..frames {
        let reports = [
            one.step(&mut worlds[0], DT, &mut ()),
            two.step(&mut worlds[1], DT, &mut ()),
        ];
        let [own, other] = reports.map(|r| r.unwrap_or_else(|error| panic!("{name}: {error}")));
        assert_eq!(own.progress, other.progress, "{name}");
        assert_eq!(own.rows, other.rows, "{name}");
    }
    let [x, turn, v, w] = distances(&worlds[0], &worlds[1]);
    let impulses = |world: &World| -> Vec<f64> {
        let joints = world.joints().iter();
        joints.flat_map(|j| j.impulses().iter().copied()).collect()
    };
    let [own, other] = [impulses(&worlds[0]), impulses(&worlds[1])];
    assert_eq!(own.len(), other.len(), "{name}");
    let size = other.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    let apart = own.iter().zip(&other).map(|(a, b)| (a - b).abs());
    let apart = apart.fold(0.0, f64::max) / size.max(1e-3);
    let all = [x, turn, v, w, apart];
    eprintln!("{name}: {}", all.map(|x| format!("{x:.1e}")).join(" "));
    all
}

#[test]
fn every_kind_of_joint_moves_as_with_the_twin() {
    let test = "every_kind_of_joint_moves_as_with_the_twin";
    let Some(mut resident) = scheme(test, CollisionPlace::Resident) else {
        return;
    };
    for (name, make) in KINDS {
        for seed in [1, 2] {
            // welded to what stays, nothing would move
            let first = if name == "weld" { KINDS[0].1 } else { make };
            let start = hanging_by([first, make], seed, Vector3::new(0.3, 4.0, -0.2));
            let mut worlds = [start.clone(), start.clone()];
            let schemes: [&mut dyn Scheme; 2] = [&mut resident, &mut twin(Scalar::F32)];
            let apart = side_by_side(&format!("{name} {seed}"), schemes, &mut worlds, 60);
            assert!(
                apart[0] < 2e-5 && apart[1] < 2e-5,
                "{name} {seed}: {apart:?}"
            );
            assert!(
                apart[2] < 2e-4 && apart[3] < 4e-4,
                "{name} {seed}: {apart:?}"
            );
            assert!(apart[4] < 2e-3, "{name} {seed}: {apart:?}");
            let [moved, turned, ..] = distances(&worlds[0], &start);
            assert!(moved > 0.02 || turned > 0.05, "{name} {seed} stays");
        }
    }
}

/// The kinds again with springs, limits, several joints between the same bodies, and rules that
/// split masses otherwise.
#[test]
fn springs_limits_and_step_rules_are_those_of_the_twin() {
    let test = "springs_limits_and_step_rules";
    let rules = [
        (FactorRule::MassSplit, Splitting::Blocks, LocalSweep::Block),
        (FactorRule::Count, Splitting::Blocks, LocalSweep::Points),
        (FactorRule::MaxCount, Splitting::Blocks, LocalSweep::Block),
        (FactorRule::MassSplit, Splitting::Rows, LocalSweep::Points),
        (FactorRule::MassSplit, Splitting::Blocks, LocalSweep::Points),
    ];
    for (case, (rule, splitting, sweep)) in rules.into_iter().enumerate() {
        let frame = SoftStepParameters {
            rule,
            splitting,
            sweep,
            omega: 0.9,
            acceleration: Acceleration::None,
            ..SoftStepParameters::default()
        };
        let parameters = GpuSoftStepParameters {
            frame,
            collision: CollisionPlace::Resident,
            ..Default::default()
        };
        let Some(mut resident) = device(test, parameters) else {
            return;
        };
        let scalar = Scalar::F32;
        let mut twin =
            JacobiSoftStep::new(JacobiSoftStepParameters { frame, scalar }).expect("in range");
        let mut parts = hanging(KINDS[case].1, 7, Vector3::new(0.0, 3.0, 0.0)).into_parts();
        parts.joints[0].softness = Softness::Frequency {
            hertz: 6.0,
            damping_ratio: 0.4,
        };
        parts.joints[1].max_force = Some(30.0);
        // a second one between the same bodies is solved with the first
        let mut random = Numbers(11);
        let poses = [2, 3].map(|body: usize| parts.bodies[body].pose());
        parts.joint(Joint::new(KINDS[7].1([2, 3], poses, &mut random)));
        let start = parts.build().expect("a world");
        let mut worlds = [start.clone(), start];
        let name = format!("{rule} {splitting} {sweep}");
        let apart = side_by_side(&name, [&mut resident, &mut twin], &mut worlds, 20);
        assert!(apart[0] < 1e-5 && apart[1] < 2e-5, "{name}: {apart:?}");
        assert!(apart[2] < 1e-4 && apart[3] < 4e-4, "{name}: {apart:?}");
    }
}

#[test]
fn joints_that_come_and_go_between_frames_are_those_of_the_twin() {
    let test = "joints_that_come_and_go";
    let Some(mut resident) = scheme(test, CollisionPlace::Resident) else {
        return;
    };
    let mut twin = twin(Scalar::F32);
    let start = hanging(KINDS[0].1, 5, Vector3::new(0.0, 4.0, 0.0));
    let mut worlds = [start.clone(), start];
    let mut check = |name: &str, worlds: &mut [World; 2]| {
        let apart = side_by_side(name, [&mut resident, &mut twin], worlds, 8);
        assert!(apart[0] < 1e-5 && apart[1] < 1e-5, "{name}: {apart:?}");
        assert!(apart[2] < 1e-4 && apart[3] < 2e-4, "{name}: {apart:?}");
        assert!(apart[4] < 1e-3, "{name}: {apart:?}");
    };
    check("two points", &mut worlds);
    for world in &mut worlds {
        let middle = world.bodies()[3].position.to_vector();
        let weld = world.ball_joint(1_usize, 3_usize, middle);
        world.add_joint(weld.expect("bodies")).expect("a joint");
    }
    check("a third", &mut worlds);
    for world in &mut worlds {
        world
            .remove_joint(world.joint_handle(0).expect("it is there"))
            .expect("it goes");
    }
    check("without the first", &mut worlds);
    for world in &mut worlds {
        world.remove_body(2_usize).expect("it goes");
    }
    assert_eq!(worlds[0].joints().len(), 1);
    check("without a body", &mut worlds);
    for world in &mut worlds {
        world
            .remove_joint(world.joint_handle(0).expect("it is there"))
            .expect("it goes");
    }
    check("none", &mut worlds);
}

/// Worlds that one scheme steps in turn, and one that the twin has stepped before, start from the
/// impulses that they store.
#[test]
fn impulses_of_joints_go_on_from_other_schemes_and_worlds() {
    let test = "impulses_of_joints_go_on";
    let Some(mut resident) = scheme(test, CollisionPlace::Resident) else {
        return;
    };
    // one iteration: where it starts from is most of what it finds
    let frame = SoftStepParameters {
        substeps: 1,
        iterations: 1,
        relax_iterations: 1,
        ..SoftStepParameters::default()
    };
    let parameters = GpuSoftStepParameters {
        frame,
        collision: CollisionPlace::Resident,
        ..Default::default()
    };
    let Some(mut short) = device(test, parameters) else {
        return;
    };
    let scalar = Scalar::F32;
    let other = JacobiSoftStepParameters { frame, scalar };
    let mut other = JacobiSoftStep::new(other).expect("in range");
    let start = hanging(KINDS[5].1, 9, Vector3::new(0.0, 4.0, 0.0));
    let mut warm = start.clone();
    run(&mut twin(Scalar::F32), &mut warm, 10);
    let mut worlds = [warm.clone(), warm];
    let apart = side_by_side(test, [&mut short, &mut other], &mut worlds, 3);
    assert!(apart[2] < 1e-4 && apart[4] < 1e-3, "{apart:?}");
    let mut turns = [start.clone(), hanging(KINDS[2].1, 3, Vector3::zeros())];
    for _ in 0..6 {
        for world in &mut turns {
            run(&mut resident, world, 1);
        }
    }
    let Some(mut alone) = scheme(test, CollisionPlace::Resident) else {
        return;
    };
    let mut world = start;
    run(&mut alone, &mut world, 6);
    assert_close(test, &turns[0], &world, [1e-6, 1e-6, 1e-4, 1e-4]);
}

#[test]
fn an_isolated_linkage_keeps_its_momentum() {
    let test = "an_isolated_linkage_keeps_its_momentum";
    let Some(mut resident) = scheme(test, CollisionPlace::Resident) else {
        return;
    };
    for (name, make) in KINDS {
        let mut parts = hanging(make, 4, Vector3::new(0.0, 9.0, 0.0)).into_parts();
        parts.gravity = Vector3::zeros();
        parts.joints.remove(0);
        let mut world = parts.build().expect("a world");
        let momentum = |world: &World| -> Vector3<f64> {
            let bodies = world.bodies()[2..].iter();
            bodies.map(|b| b.inertia.mass * b.velocity).sum()
        };
        let before = momentum(&world);
        run(&mut resident, &mut world, 30);
        let lost = (momentum(&world) - before).norm();
        assert!(lost < 1e-13, "{name}: {lost}");
        assert!(stretch(&world) < 1e-3, "{name}: {}", stretch(&world));
    }
}

fn advance(gpu: &mut GpuSoftStep, world: &mut World, frames: u32, reads: BodyReads) {
    let report = gpu.advance(world, DT, frames, reads);
    report.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn joints_of_bodies_that_stay_are_those_of_bodies_that_come_back() {
    let test = "joints_of_bodies_that_stay";
    let Some(mut gpu) = scheme(test, CollisionPlace::Resident) else {
        return;
    };
    for (name, make) in KINDS {
        let start = hanging(make, 6, Vector3::new(0.2, 4.0, 0.1));
        let (mut own, mut other) = (start.clone(), start);
        advance(&mut gpu, &mut own, 10, BodyReads::Poses);
        advance(&mut gpu, &mut own, 20, BodyReads::All);
        run(&mut gpu, &mut other, 30);
        assert_close(name, &own, &other, [2e-5, 2e-5, 2e-4, 4e-4]);
        for (own, other) in own.joints().iter().zip(other.joints()) {
            let pairs = own.impulses().iter().zip(other.impulses());
            let apart = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-3, "{name}: {apart}");
        }
        // the next frame goes on from the joints' impulses
        run(&mut gpu, &mut own, 1);
        run(&mut gpu, &mut other, 1);
        assert_close(name, &own, &other, [2e-5, 2e-5, 2e-4, 4e-4]);
    }
}

/// Bodies in a plane: which rows move something is asked frame by frame.
#[test]
fn joints_of_bodies_with_locked_axes_are_stepped_frame_by_frame() {
    let test = "joints_of_bodies_with_locked_axes";
    let Some(mut resident) = scheme(test, CollisionPlace::Resident) else {
        return;
    };
    let mut parts = hanging(KINDS[5].1, 8, Vector3::new(0.0, 4.0, 0.0)).into_parts();
    for index in [2, 3] {
        let body = parts.bodies[index].clone().planar();
        parts.bodies[index] = Body {
            velocity: Vector3::new(0.3, 0.2, 0.0),
            spin: Vector3::new(0.0, 0.0, 0.4),
            ..body
        };
    }
    let start = parts.build().expect("a world");
    let mut worlds = [start.clone(), start.clone()];
    let schemes: [&mut dyn Scheme; 2] = [&mut resident, &mut twin(Scalar::F32)];
    let apart = side_by_side(test, schemes, &mut worlds, 20);
    assert!(apart[0] < 1e-5 && apart[2] < 1e-4, "{apart:?}");
    let mut parts = start.into_parts();
    for body in &mut parts.bodies {
        body.lock_rotation = [false; 3];
    }
    let mut world = parts.build().expect("a world");
    let refused = resident.advance(&mut world, DT, 2, BodyReads::All);
    let text = refused.expect_err("locked").to_string();
    assert!(
        text.contains("joints[0]") && text.contains("frame by frame"),
        "{text}"
    );
}
