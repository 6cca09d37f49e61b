//! Frames with joints through the interface of a solver: which ones are refused, and what is left
//! of a frame when the same problem is solved on.

use delassus_core::{
    Changes, FrameJoint, FrameMotion, FrameSetup, FrameSpring, Gyroscope, GyroscopicTorque,
    ImpulseSolver, Law, MassProperties, Problem, ProblemBuilder, SolverUpdate, Start,
};
use delassus_solver_wide::VectorLevel;
use delassus_solver_wide::wide_pgs::Layout;
use nalgebra::Vector3;

use crate::sweeps::wide;

const ARMS: [[f64; 3]; 2] = [[0.5, 0.1, 0.0], [-0.4, 0.0, 0.2]];

type PointRows = [[[f64; 6]; 2]; 3];
type LimitRows = [[[f64; 6]; 2]; 2];

/// The rows of a ball joint, and of a limit about z.
fn rows() -> (PointRows, LimitRows) {
    let point = [Vector3::x(), Vector3::y(), Vector3::z()].map(|axis| {
        let [a, b] = ARMS.map(|arm| Vector3::from(arm).cross(&axis));
        [
            [-axis.x, -axis.y, -axis.z, -a.x, -a.y, -a.z],
            [axis.x, axis.y, axis.z, b.x, b.y, b.z],
        ]
    });
    let limit = [1.0, -1.0].map(|sign| {
        [
            [0.0, 0.0, 0.0, 0.0, 0.0, -sign],
            [0.0, 0.0, 0.0, 0.0, 0.0, sign],
        ]
    });
    (point, limit)
}

/// Two bodies with a ball joint and a limit, that fly apart and turn.
fn problem() -> Problem {
    let mut builder = ProblemBuilder::new();
    let mass = MassProperties::aligned(2.0, Vector3::new(0.2, 0.3, 0.4));
    let first = builder.body(mass, [0.1, 0.0, 0.3, 0.0, 2.0, 1.0]);
    let second = builder.body(mass, [0.5, 0.2, -0.1, 1.0, 0.0, -1.0]);
    let (point, limit) = rows();
    builder.block(Law::Equality, &[first, second], &point);
    let push = Law::Bounds {
        lower: 0.0,
        upper: f64::INFINITY,
    };
    builder.block(push, &[first, second], &limit);
    builder.build().expect("valid")
}

const JOINTS: [FrameJoint; 2] = [
    FrameJoint::Point {
        gap: [0.001, 0.0, -0.002],
        across: [[0.0; 3]; 2],
        axis: [0.0; 3],
    },
    FrameJoint::Limit {
        errors: [-0.001, 0.3],
    },
];

fn setup(joints: &[FrameJoint]) -> FrameSetup<'_> {
    let spring = FrameSpring {
        bias_rate: 30.0,
        softness: 0.1,
        push_limit: f64::INFINITY,
    };
    FrameSetup {
        h: 0.005,
        sweeps: [2, 1],
        holds_friction: true,
        springs: [spring; 2],
        joints,
        joint_spring: spring,
        slop: 0.0,
        soft_when_open: false,
        separations: &[],
        anchor_offsets: &[],
        velocity_increments: &[[0.0; 3]; 2],
        gyroscopes: &[Gyroscope::NONE; 2],
        gyroscopic: GyroscopicTorque::Explicit,
    }
}

fn read(solver: &mut dyn ImpulseSolver) -> Vec<f64> {
    let mut impulses = vec![0.0; 5];
    solver.read_impulses(&mut impulses).expect("finite");
    impulses
}

#[test]
fn a_solve_after_a_frame_is_that_of_the_problem_from_the_impulses_reached() {
    let problem = problem();
    for level in VectorLevel::available() {
        let mut solver = wide(Layout::Recompute, level, 1, 64);
        // the second time, packing expects a frame
        for _ in 0..2 {
            solver.prepare(&problem, Start::Cold).expect("accepted");
            let frames = solver.as_frame_solver().expect("offered");
            let done = frames.integrate(&problem, &setup(&JOINTS), 0..8);
            assert_eq!(done, Ok(true));
            let mut motion = FrameMotion::default();
            frames.read_motion(&mut motion).expect("integrated");
            assert_eq!(motion.joints.len(), 2);
            assert!(motion.joints[0].linear != [0.0; 3]);
            assert_eq!(motion.joints[1].linear, [0.0; 3]);
            assert!(motion.joints[1].angular[0][2] > 0.0, "it was violated");
        }
        let reached = read(&mut solver);
        let all = SolverUpdate::Numbers(Changes::ALL);
        solver.update(&problem, all).expect("the same problem");
        solver.iterate(&problem, 3).expect("sweeps");
        let found = read(&mut solver);
        let mut fresh = wide(Layout::Recompute, level, 1, 64);
        let start = Start::Warm(&reached);
        fresh.prepare(&problem, start).expect("accepted");
        fresh.iterate(&problem, 3).expect("sweeps");
        for (found, expected) in found.iter().zip(read(&mut fresh)) {
            let apart = (found - expected).abs();
            assert!(apart < 1e-6, "{level:?}: {found} {expected}");
        }
        // prepared for a frame that does not come
        solver.prepare(&problem, Start::Cold).expect("accepted");
        let frames = solver.as_frame_solver().expect("offered");
        let done = frames.integrate(&problem, &setup(&JOINTS), 0..2);
        assert_eq!(done, Ok(true));
        solver.prepare(&problem, start).expect("accepted");
        solver.iterate(&problem, 3).expect("sweeps");
        assert_eq!(read(&mut solver), read(&mut fresh), "{level:?}");
    }
}

#[test]
fn frames_of_other_joints_are_refused() {
    let problem = problem();
    let [point, limit] = JOINTS;
    for (layout, joints, accepted) in [
        (Layout::Recompute, [point, limit], true),
        (Layout::Recompute, [limit, point], false),
        (Layout::Projection, [point, limit], false),
    ] {
        let mut solver = wide(layout, VectorLevel::Auto, 1, 64);
        solver.prepare(&problem, Start::Cold).expect("accepted");
        let frames = solver.as_frame_solver().expect("offered");
        let done = frames.integrate(&problem, &setup(&joints), 0..2);
        assert_eq!(done, Ok(accepted));
    }
}
