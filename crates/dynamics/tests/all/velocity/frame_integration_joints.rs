//! Frames with joints that the solver integrates (T.59), (T.60) against frames substep by substep.

use delassus_core::{ImpulseSolver, Solver};
use delassus_dynamics::constraints::{AngleLimit, Hinge, Point, TwistLimit};
use delassus_dynamics::{
    Body, Collider, Cuboid, HalfSpace, Inertia, Joint, Probe, Scheme, Sphere, Stage, StepView,
    VelocityParameters, VelocityScheme, World, WorldParts,
};
use delassus_solver_si::BlockGs;
use delassus_solver_wide::VectorLevel;
use nalgebra::Vector3;

use super::frame_integration::{self, DT, run};
use super::tolerance::preset;

fn wide(threads: usize, level: VectorLevel) -> Box<dyn ImpulseSolver> {
    Box::new(frame_integration::wide(threads, level))
}

/// What a chain of three bodies is made of.
#[derive(Clone, Copy)]
struct Chain {
    /// Principal moments of a link, per mass \[m²\].
    moments: [f64; 3],
    /// True if it hangs on the ground.
    anchored: bool,
    gravity: f64,
    /// True if its links touch a floor and each other.
    touches: bool,
    /// True if the hinge turns by a hundredth of a radian only.
    limited: bool,
}

const ROUND: [f64; 3] = [0.1; 3];
const LONG: [f64; 3] = [0.004, 0.1, 0.1];

/// Links of 0.8 m: a ball joint, a hinge and a ball joint, all of them a little off, and moving.
fn chain(chain: Chain) -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -chain.gravity, 0.0),
        ..WorldParts::default()
    };
    let ground = parts.body(Body::fixed(Vector3::zeros()));
    if chain.touches {
        parts.collider(Collider::new(ground, HalfSpace::default()));
    }
    let mut last = ground;
    for link in 0..3_u32 {
        let mass = 1.0 + 0.5 * f64::from(link);
        let inertia = Inertia::new(mass, mass * Vector3::from(chain.moments));
        let at = Vector3::new(0.4 + 0.81 * f64::from(link), 0.095, 0.002);
        let spin = Vector3::new(0.4, 1.0 - f64::from(link), 2.0);
        let body = Body::dynamic(inertia, at).moving(Vector3::new(0.3, 0.1, 1.0), spin);
        let body = parts.body(body);
        if chain.touches {
            parts.collider(Collider::new(body, Cuboid::new(0.3, 0.1, 0.1)));
        }
        let reach = if last == ground { 0.0 } else { 0.4 };
        let bodies = [last, body];
        let anchors = [[reach, 0.1, 0.0], [-0.4, 0.0, 0.01]].map(Vector3::from);
        if last != ground || chain.anchored {
            parts.joint(if link == 1 {
                let axes = [Vector3::z(), Vector3::new(0.0, 0.01, 1.0).normalize()];
                Joint::new(Hinge {
                    bodies,
                    anchors,
                    axes,
                })
            } else {
                Joint::new(Point { bodies, anchors })
            });
        }
        last = body;
    }
    if chain.limited {
        parts.joint(Joint::new(AngleLimit {
            bodies: [1, 2],
            axes: [Vector3::z(); 2],
            lower: -0.01,
            upper: 0.01,
            reference: 0.0,
        }));
    }
    parts.build().unwrap()
}

/// Largest difference of positions \[m\] or orientations \[-\], and of velocities \[m/s\].
fn apart(a: &World, b: &World) -> [f64; 2] {
    let mut most = [0.0_f64; 2];
    for (a, b) in a.bodies().iter().zip(b.bodies()) {
        let moved = (a.position - b.position).norm() + a.orientation.angle_to(&b.orientation);
        let sped = (a.velocity - b.velocity).norm() + (a.spin - b.spin).norm();
        most = [most[0].max(moved), most[1].max(sped)];
    }
    most
}

#[test]
fn converged_frames_are_those_of_block_gauss_seidel_substep_by_substep() {
    let cases = ["soft-step", "box3d", "solver2d-soft-step"].map(|id| [(id, false), (id, true)]);
    for (id, limited) in cases.into_iter().flatten() {
        let mut pushed = 0.0_f64;
        // so many sweeps that neither order nor start matters; velocities are summed anew
        let parameters = VelocityParameters {
            sweeps: 80,
            relax_sweeps: 80,
            ..preset(id)
        };
        let kind = Chain {
            moments: ROUND,
            anchored: true,
            gravity: 9.81,
            touches: false,
            limited,
        };
        let (mut one, mut other) = (chain(kind), chain(kind));
        let scheme = |solver| VelocityScheme::new(parameters.clone(), solver).unwrap();
        let mut integrating = scheme(wide(1, VectorLevel::Auto));
        let mut stepping = scheme(Box::new(BlockGs::new(Default::default()).unwrap()));
        for frame in 0..8 {
            let found = integrating.step(&mut one, DT, &mut ()).unwrap();
            let expected = stepping.step(&mut other, DT, &mut ()).unwrap();
            let [moved, sped] = apart(&one, &other);
            assert!(moved < 1e-5 && sped < 4e-4, "{id} {frame}: {moved} {sped}");
            assert_eq!(found.rows, expected.rows);
            assert_eq!(found.progress.row_updates, expected.progress.row_updates);
            let external = (found.external.linear - expected.external.linear).norm();
            let angular = (found.external.angular - expected.external.angular).norm();
            assert!(
                external + angular < 1e-3,
                "{id} {frame}: {external} {angular}"
            );
            for (a, b) in one.joints().iter().zip(other.joints()) {
                for (a, b) in a.impulses().iter().zip(b.impulses()) {
                    assert!((a - b).abs() < 1e-3, "{id} {frame}: {a} {b}");
                }
            }
            pushed = other
                .joints()
                .iter()
                .skip(3)
                .flat_map(Joint::impulses)
                .fold(pushed, |m, x| m.max(*x));
            one = other.clone();
        }
        assert_eq!(pushed > 1e-3, limited, "{id}: {pushed}");
    }
}

#[test]
fn chains_of_long_links_stay_together_and_keep_their_energy() {
    let kind = Chain {
        moments: LONG,
        anchored: true,
        gravity: 9.81,
        touches: false,
        limited: false,
    };
    let gap = |world: &World| {
        let errors = world.joint_errors();
        errors
            .iter()
            .fold(0.0_f64, |most, (_, e)| most.max(e.abs()))
    };
    let mut most = [[0.0_f64; 2]; 2];
    for (solver, most) in [
        wide(1, VectorLevel::Auto),
        Box::new(BlockGs::new(Default::default()).unwrap()),
    ]
    .into_iter()
    .zip(&mut most)
    {
        let mut world = chain(kind);
        let mut scheme = VelocityScheme::new(preset("soft-step"), solver).unwrap();
        for frame in 0..240 {
            scheme.step(&mut world, DT, &mut ()).unwrap();
            if frame == 20 {
                most[1] = world.energy().total();
            }
            if frame > 20 {
                most[0] = most[0].max(gap(&world));
            }
        }
        most[1] -= world.energy().total();
    }
    let [[gap, lost], [its_gap, its_loss]] = most;
    assert!(gap < 1.2 * its_gap, "{gap} {its_gap}");
    assert!(
        (lost - its_loss).abs() < 0.2 * its_loss.abs() + 0.1,
        "{lost} {its_loss}"
    );
}

#[test]
fn joints_give_no_momentum() {
    let mut world = chain(Chain {
        moments: LONG,
        anchored: false,
        gravity: 0.0,
        touches: false,
        limited: false,
    });
    let before = world.momentum();
    let report = run(
        &mut world,
        wide(1, VectorLevel::Auto),
        &preset("soft-step"),
        30,
        &mut (),
    );
    assert_eq!(report.external.linear, Vector3::zeros());
    let after = world.momentum();
    let linear = (after.linear - before.linear).norm();
    let angular = (after.angular - before.angular).norm();
    // the arms of the sums are f32
    assert!(linear < 1e-13 && angular < 1e-5, "{linear} {angular}");
}

/// Keeps what it sees of every stage.
#[derive(Default)]
struct Seen(Vec<(Stage, u32, Vec<f64>, f64)>);

impl Probe for Seen {
    fn wants(&self, _: Stage) -> bool {
        true
    }
    fn at(&mut self, stage: Stage, view: &StepView<'_>) {
        let problem = view.problem.unwrap();
        let mut velocities = vec![0.0; 6 * view.world.bodies().len()];
        let found = problem.body_velocities(view.impulses, &mut velocities);
        found.unwrap();
        let bias = problem.bias().iter().map(|b| b.abs()).sum();
        self.0.push((stage, view.substep, velocities, bias));
    }
}

const TOUCHING: Chain = Chain {
    moments: LONG,
    anchored: true,
    gravity: 9.81,
    touches: true,
    limited: true,
};

#[test]
fn a_probe_sees_moved_rows_and_changes_no_bit() {
    for touches in [false, true] {
        // the exact rows are those of the inertia at the moved poses
        let kind = Chain {
            moments: ROUND,
            touches,
            ..TOUCHING
        };
        let (mut alone, mut watched, mut other) = (chain(kind), chain(kind), chain(kind));
        let (mut seen, mut expected) = (Seen::default(), Seen::default());
        let parameters = VelocityParameters {
            sweeps: 40,
            relax_sweeps: 40,
            ..preset("soft-step")
        };
        let solver = || wide(1, VectorLevel::Auto);
        let report = run(&mut alone, solver(), &parameters, 4, &mut ());
        let same = run(&mut watched, solver(), &parameters, 4, &mut seen);
        assert_eq!(alone.state_hash(), watched.state_hash());
        assert_eq!(report, same);
        let exact = Box::new(BlockGs::new(Default::default()).unwrap());
        run(&mut other, exact, &parameters, 1, &mut expected);
        assert_eq!(seen.0.len(), 4 * 4 * 4);
        for (found, expected) in seen.0.iter().zip(&expected.0) {
            assert_eq!((found.0, found.1), (expected.0, expected.1));
            for (a, b) in found.2.iter().zip(&expected.2) {
                assert!((a - b).abs() < 0.02, "{:?} {}: {a} {b}", found.0, found.1);
            }
            let apart = (found.3 - expected.3).abs();
            assert!(
                apart < 0.02 * (1.0 + expected.3),
                "{:?} {}",
                found.0,
                found.1
            );
        }
    }
}

#[test]
fn the_bits_are_those_of_every_level_and_number_of_threads() {
    // more than 64 sweeps: velocities are summed anew on the way
    let parameters = VelocityParameters {
        sweeps: 10,
        substeps: 8,
        ..preset("soft-step")
    };
    let hash = |threads: usize, level: VectorLevel| {
        let mut world = chain(TOUCHING);
        run(&mut world, wide(threads, level), &parameters, 20, &mut ());
        world.state_hash()
    };
    let expected = hash(1, VectorLevel::Scalar);
    for level in VectorLevel::available() {
        for threads in [1, 2, 3] {
            assert_eq!(
                hash(threads, level),
                expected,
                "{level:?}, {threads} threads"
            );
        }
    }
}

/// A change of a scene.
type Change = fn(&mut WorldParts);

#[test]
fn joints_that_no_solver_integrates_go_substep_by_substep() {
    let kind = Chain {
        touches: false,
        ..TOUCHING
    };
    let twist: Change = |parts| {
        parts.joint(Joint::new(TwistLimit {
            bodies: [1, 2],
            axes: [Vector3::x(); 2],
            lower: -0.5,
            upper: 0.5,
            reference: 0.0,
        }));
    };
    let weak: Change = |parts| parts.joints[0].max_force = Some(1e3);
    let ball: Change = |parts| {
        parts.collider(Collider::new(1, Sphere::new(0.01)));
    };
    for (change, integrates) in [(twist, false), (weak, false), (ball, true)] {
        let world = || {
            let mut parts = chain(kind).into_parts();
            change(&mut parts);
            parts.build().unwrap()
        };
        let (mut one, mut other) = (world(), world());
        let solver = wide(1, VectorLevel::Auto);
        run(&mut one, solver, &preset("soft-step"), 2, &mut ());
        // rows that are soft one by one are no frame's
        let mut parameters = preset("soft-step");
        parameters.joint_coupling = delassus_dynamics::SoftnessCoupling::Rows;
        let solver = wide(1, VectorLevel::Auto);
        run(&mut other, solver, &parameters, 2, &mut ());
        assert_eq!(one.state_hash() != other.state_hash(), integrates);
    }
}
