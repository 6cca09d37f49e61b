use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use delassus_core::{Fidelity, Problem, Softness, Status};
use delassus_dynamics::constraints::{Distance, Point};
use delassus_dynamics::{
    Body, ContactLaw, ContactPoint, Inertia, Joint, Manifold, Probe, Scheme, SchemeDescriptor,
    SchemeError, Signal, Stage, StepError, StepReport, StepView, VelocityScheme, World, WorldParts,
};
use delassus_metrics::Evaluator;
use nalgebra::Vector3;
use serde_json::{Map, Value, json};

use super::*;
use delassus_registry::Registry;

mod contacts;
mod history;
mod solves;

const DT: f64 = 1.0 / 60.0;

/// A rod of two bodies that hangs at an anchor and swings in the x-y plane.
fn pendulum() -> WorldParts {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -9.81, 0.0),
        ..WorldParts::default()
    };
    let anchor = parts.body(Body::fixed(Vector3::zeros()));
    let inertia = Inertia::new(2.0, Vector3::new(0.2, 0.01, 0.2));
    let mut last = anchor;
    for index in 0..2 {
        let place = Vector3::new(0.5 + f64::from(index), 0.0, 0.0);
        let body = parts.body(Body::dynamic(inertia, place));
        let mut anchors = [Vector3::new(0.5, 0.0, 0.0), Vector3::new(-0.5, 0.0, 0.0)];
        if last == anchor {
            anchors[0] = Vector3::zeros();
        }
        let bodies = [last, body];
        parts.joint(Joint::new(Point { bodies, anchors }));
        last = body;
    }
    parts
}

/// A block of four contact points that starts 1 mm inside the ground.
fn block(law: ContactLaw) -> WorldParts {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -9.81, 0.0),
        ..WorldParts::default()
    };
    let ground = parts.body(Body::fixed(Vector3::zeros()));
    let inertia = Inertia::new(3.0, Vector3::new(0.5, 0.5, 0.5));
    let start = Vector3::new(0.0, 0.499, 0.0);
    let moving =
        Body::dynamic(inertia, start).moving(Vector3::new(0.4, 0.0, 0.1), Vector3::zeros());
    let body = parts.body(moving);
    let corner = |x: f64, z: f64| ContactPoint {
        anchors: [Vector3::new(x, 0.0, z), Vector3::new(x, -0.5, z)],
        radii: [0.0; 2],
    };
    let points = vec![
        corner(0.5, 0.5),
        corner(-0.5, 0.5),
        corner(-0.5, -0.5),
        corner(0.5, -0.5),
    ];
    parts.manifolds.push(Manifold::new(
        [ground, body],
        Vector3::y(),
        points,
        0.5,
        law,
    ));
    parts
}

fn make(scheme: &str, parameters: Value, solver: &str) -> Box<dyn Scheme> {
    let registry = Registry::standard();
    let parameters: Map<String, Value> = parameters.as_object().cloned().unwrap();
    let solver = &registry.find(solver).unwrap();
    let entry = delassus_registry::scheme(scheme).unwrap();
    build_scheme(&entry, &parameters, Some((solver, &Map::new()))).unwrap()
}

fn observables(names: &[&str]) -> Vec<Observable> {
    names
        .iter()
        .map(|name| Observable::parse(name).unwrap())
        .collect()
}

fn run(world: &World, scheme: &SchemeBuilder<'_>, names: &[&str], frames: u32) -> ObservedRun {
    let simulation = Simulation {
        world,
        scheme,
        legs: &[Leg { dt: DT, frames }],
        every: 1,
        observables: &observables(names),
        repetitions: 1,
        max_seconds: None,
    };
    simulate(&simulation, &AtomicBool::new(false))
}

fn values(trajectory: &ObservedRun, name: &str) -> Vec<f64> {
    trajectory.series(name).unwrap().1
}

#[test]
fn energies_add_up_and_nothing_comes_from_nowhere() {
    let world = pendulum().build().unwrap();
    let scheme = || Ok(make("pgs-baumgarte", json!({}), "dense-direct"));
    let names = [
        "kinetic",
        "potential",
        "spring",
        "energy",
        "energy_error",
        "dissipated",
        "momentum_error",
        "angular_momentum_error",
        "drift_max",
        "drift_rms",
        "drift_angle_max",
        "penetration_max",
        "drive_work",
        "rows",
        "x[2].y",
    ];
    let trajectory = run(&world, &scheme, &names, 120);
    assert_eq!(
        (trajectory.status, &trajectory.message),
        (Status::Solved, &None)
    );
    assert_eq!((trajectory.frames, trajectory.samples.len()), (120, 121));
    for sample in &trajectory.samples {
        let [kinetic, potential, spring, energy, error, lost] =
            std::array::from_fn(|column| sample.values[column].unwrap());
        assert_eq!(energy, kinetic + potential + spring);
        assert_eq!((error, spring), (-lost, 0.0));
    }
    // 4 kg that fall by 1 m exchange 40 J; a momentum of 10 N·s in 120 steps rounds to 1e-12
    assert!(trajectory.summary("kinetic").unwrap().max > Some(10.0));
    assert!(trajectory.summary("momentum_error").unwrap().max < Some(1e-11));
    assert!(trajectory.summary("angular_momentum_error").unwrap().max < Some(1e-11));
    assert_eq!(trajectory.summary("drive_work").unwrap().max, Some(0.0));
    // a ball joint has no row in radians, and there is no contact
    assert_eq!(trajectory.summary("drift_angle_max").unwrap().max, None);
    assert_eq!(trajectory.summary("penetration_max").unwrap().max, None);
    let (max, rms) = (
        values(&trajectory, "drift_max"),
        values(&trajectory, "drift_rms"),
    );
    assert!(max.iter().zip(&rms).all(|(max, rms)| rms <= max));
    assert!(max[30] > 0.0 && max[30] < 0.1, "{}", max[30]);
    assert_eq!(values(&trajectory, "rows"), [6.0; 120]);
    let world_end = values(&trajectory, "x[2].y")[120];
    assert!(world_end < -0.1, "{world_end}");
}

/// Evaluates every problem itself, with an evaluator of its own.
struct Judge(Vec<f64>, Stage);

impl Probe for Judge {
    fn wants(&self, stage: Stage) -> bool {
        stage == self.1
    }

    fn at(&mut self, _: Stage, view: &StepView<'_>) {
        let problem: &Problem = view.problem.unwrap();
        let mut evaluator = Evaluator::new(problem).unwrap();
        self.0
            .push(evaluator.evaluate(view.impulses).unwrap().natural_map);
    }
}

#[test]
fn the_residual_is_that_of_the_last_problem_of_the_frame() {
    let world = block(ContactLaw::Coulomb).build().unwrap();
    let parameters = json!({ "substeps": 3, "sweeps": 2, "relax_sweeps": 1 });
    let scheme = || Ok(make("tgs-soft", parameters.clone(), "block-gs"));
    let trajectory = run(&world, &scheme, &["natural_map", "relaxed_natural_map"], 20);
    for (name, stage) in [
        ("natural_map", Stage::Solved),
        ("relaxed_natural_map", Stage::Relaxed),
    ] {
        let (mut own, mut judge) = (world.clone(), Judge(Vec::new(), stage));
        let mut stepper = make("tgs-soft", parameters.clone(), "block-gs");
        for _ in 0..20 {
            stepper.step(&mut own, DT, &mut judge).unwrap();
        }
        let last_of_frame: Vec<f64> = judge.0.chunks(3).map(|frame| frame[2]).collect();
        let reported = values(&trajectory, name);
        let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&reported), bits(&last_of_frame), "{name}");
        assert!(reported.iter().any(|x| *x > 1e-12), "{name}: {reported:?}");
        // nothing was solved before the first frame
        assert_eq!(trajectory.samples[0].values, [None, None]);
    }
}

#[test]
fn overlap_and_jitter_of_a_block_that_comes_to_rest() {
    let world = block(ContactLaw::Disc).build().unwrap();
    let scheme = || Ok(make("pgs-baumgarte", json!({ "sweeps": 50 }), "block-gs"));
    let names = [
        "penetration_max",
        "penetration_mean",
        "jitter",
        "spin_jitter",
        "v[1].x",
    ];
    let trajectory = run(&world, &scheme, &names, 300);
    let overlap = values(&trajectory, "penetration_max");
    assert!((overlap[0] - 1e-3).abs() < 1e-15);
    assert!(overlap[300] < 1e-4, "{}", overlap[300]);
    let jitter = values(&trajectory, "jitter");
    assert!((jitter[0] - 0.17_f64.sqrt()).abs() < 1e-15);
    // it slides for less than 0.2 s; after 2 s more the window has forgotten it
    assert!(jitter[100] > 0.05, "{}", jitter[100]);
    assert!(jitter[300] < 1e-6, "{}", jitter[300]);
    // the window holds the frames of 2 s and both ends
    let speeds: Vec<f64> = values(&trajectory, "v[1].x");
    let tail = &speeds[speeds.len() - 121..];
    assert!(tail.iter().all(|v| v.abs() <= jitter[300] * 11.0));
}

#[test]
fn springs_do_not_drift() {
    let mut parts = pendulum();
    let bodies = [0, 2];
    let spring = Distance {
        bodies,
        anchors: [Vector3::new(0.0, 3.0, 0.0), Vector3::zeros()],
        length: Signal::Constant(1.0),
    };
    let softness = Softness::Spring {
        stiffness: 10.0,
        damping: 0.0,
    };
    parts.joint(Joint::new(spring).soft(softness));
    let world = parts.build().unwrap();
    let scheme = || Ok(make("pgs-baumgarte", json!({}), "dense-direct"));
    let names = ["drift_max", "spring", "C[2].0", "force[2].y", "force[0].y"];
    let trajectory = run(&world, &scheme, &names, 1);
    let first = &trajectory.samples[0].values;
    let stretch = (9.0 + 2.25_f64).sqrt() - 1.0;
    assert_eq!(first[0], Some(0.0));
    assert!((first[1].unwrap() - 5.0 * stretch * stretch).abs() < 1e-12);
    assert!((first[2].unwrap() - stretch).abs() < 1e-12);
    assert_eq!(first[3], Some(0.0));
    // a stretched spring pulls its second body up
    assert!(trajectory.samples[1].values[3] > Some(5.0));
}

#[test]
fn samples_follow_the_legs() {
    let world = pendulum().build().unwrap();
    let scheme = || Ok(make("soft-step", json!({}), "pgs"));
    let simulation = Simulation {
        world: &world,
        scheme: &scheme,
        legs: &[
            Leg { dt: DT, frames: 5 },
            Leg {
                dt: 0.5 * DT,
                frames: 6,
            },
        ],
        every: 4,
        observables: &observables(&["drift_max", "row_updates"]),
        repetitions: 3,
        max_seconds: None,
    };
    let trajectory = simulate(&simulation, &AtomicBool::new(false));
    let frames: Vec<u64> = trajectory.moments.iter().map(|m| m.frame).collect();
    assert_eq!(frames, [0, 4, 8, 11]);
    let times: Vec<f64> = trajectory.moments.iter().map(|m| m.time / DT).collect();
    for (found, expected) in times.iter().zip([0.0, 4.0, 6.5, 8.0]) {
        assert!((found - expected).abs() < 1e-12, "{times:?}");
    }
    // 4 substeps of one sweep and one relax sweep over 6 rows
    assert_eq!(values(&trajectory, "row_updates"), [48.0; 3]);
    assert_eq!((trajectory.sweeps, trajectory.row_updates), (88, 528));
    assert_eq!(trajectory.pass_seconds.len(), 3);
    assert!(trajectory.step_seconds() > Some(0.0));
    let again = simulate(&simulation, &AtomicBool::new(false));
    assert_eq!(again.samples, trajectory.samples);
    assert_eq!(again.state_hash, trajectory.state_hash);
    assert_eq!(again.state_hash.len(), 16);
}

/// A scheme that misbehaves.
#[derive(Clone, Copy)]
enum Bad {
    Panics,
    /// Pushes a body a little farther in every pass.
    Drifts(&'static AtomicU32),
    /// Multiplies velocities by ten.
    Explodes,
    Refuses,
}

impl Scheme for Bad {
    fn descriptor(&self) -> &SchemeDescriptor {
        &VelocityScheme::DESCRIPTOR
    }

    fn check(&self, _: &World) -> Result<Fidelity, SchemeError> {
        match self {
            Self::Refuses => Err(SchemeError::Unsupported {
                scheme: "bad",
                what: "joints[0] (point)".to_owned(),
                reason: "has no meaning here",
            }),
            _ => Ok(Fidelity::Exact),
        }
    }

    fn step(
        &mut self,
        world: &mut World,
        _: f64,
        _: &mut dyn Probe,
    ) -> Result<StepReport, StepError> {
        let factor = match self {
            Self::Panics => panic!("no steps today"),
            Self::Drifts(passes) => f64::from(passes.fetch_add(1, Ordering::Relaxed)),
            Self::Explodes | Self::Refuses => 10.0,
        };
        let body = &world.bodies()[1];
        let velocity = factor * (body.velocity + Vector3::x());
        world.set_velocity(1, velocity, Vector3::zeros()).unwrap();
        Ok(StepReport::default())
    }
}

#[test]
fn failures_are_statuses() {
    static PASSES: AtomicU32 = AtomicU32::new(0);
    let world = pendulum().build().unwrap();
    let cases = [
        (Bad::Panics, Status::Failed, "no steps today"),
        (Bad::Drifts(&PASSES), Status::Broken, "another state"),
        (Bad::Explodes, Status::Diverged, "m/s"),
        (Bad::Refuses, Status::Unsupported, "joints[0]"),
    ];
    for (bad, status, part) in cases {
        let scheme = move || Ok(Box::new(bad) as Box<dyn Scheme>);
        let trajectory = run(&world, &scheme, &["kinetic", "natural_map"], 30);
        assert_eq!(trajectory.status, status, "{:?}", trajectory.message);
        let message = trajectory.message.unwrap();
        assert!(message.contains(part), "{message}");
    }
    let cannot = || Err(delassus_registry::scheme("none").unwrap_err().into());
    let trajectory = run(&world, &cannot, &["kinetic"], 30);
    assert_eq!(trajectory.status, Status::Failed);
    // a scheme without problems has no residual
    let scheme = || Ok(Box::new(Bad::Explodes) as Box<dyn Scheme>);
    let trajectory = run(&world, &scheme, &["natural_map"], 2);
    assert_eq!(trajectory.samples[2].values, [None]);
}

#[test]
fn what_the_scene_does_not_have_is_refused() {
    let world = pendulum().build().unwrap();
    let scheme = || Ok(make("soft-step", json!({}), "pgs"));
    for (name, part) in [
        ("x[3].y", "3 bodies"),
        ("C[2].0", "2 joints"),
        ("C[1].3", "3 rows"),
        ("force[9].x", "2 joints"),
        ("force[0,3].x", "3 bodies"),
        ("torque[1,1].z", "different bodies"),
    ] {
        let trajectory = run(&world, &scheme, &[name], 1);
        assert_eq!(trajectory.status, Status::Unsupported, "{name}");
        let message = trajectory.message.unwrap();
        assert!(
            message.contains(part) && message.contains(name),
            "{message}"
        );
    }
}

#[test]
fn a_run_can_be_cancelled_and_limited() {
    let world = pendulum().build().unwrap();
    let scheme = || Ok(make("soft-step", json!({}), "pgs"));
    let mut simulation = Simulation {
        world: &world,
        scheme: &scheme,
        legs: &[Leg {
            dt: DT,
            frames: 1000,
        }],
        every: 1,
        observables: &observables(&["kinetic"]),
        repetitions: 1,
        max_seconds: None,
    };
    let trajectory = simulate(&simulation, &AtomicBool::new(true));
    assert_eq!(
        (trajectory.status, trajectory.frames),
        (Status::Cancelled, 0)
    );
    simulation.max_seconds = Some(1e-9);
    let trajectory = simulate(&simulation, &AtomicBool::new(false));
    assert_eq!((trajectory.status, trajectory.frames), (Status::MaxTime, 1));
    assert_eq!(trajectory.pass_seconds.len(), 1);
}

#[test]
fn approximations_of_the_solver_reach_the_run() {
    let world = block(ContactLaw::Disc).build().unwrap();
    let approximations = |solver: &str| {
        let scheme = || Ok(make("pgs-baumgarte", json!({}), solver));
        run(&world, &scheme, &["kinetic"], 1).approximations
    };
    assert_eq!(approximations("pgs"), Vec::<String>::new());
    assert_eq!(approximations("naive-impulses").len(), 1);
}

#[test]
fn a_state_that_runs_away_from_its_scheme_has_diverged() {
    // a free body without the limit of a joint, driven until it turns by half a turn per substep
    let mut parts = WorldParts::default();
    let inertia = Inertia::new(1.0, Vector3::new(0.4, 0.4, 0.4));
    let body = parts.body(Body::dynamic(inertia, Vector3::zeros()));
    parts.bodies[body].torque = Vector3::new(0.0, 0.0, 1000.0);
    let world = parts.build().unwrap();
    let scheme = || {
        let entry = delassus_dynamics::scheme("xpbd").unwrap();
        Ok(entry.build_with(&Map::new(), None).unwrap())
    };
    let trajectory = run(&world, &scheme, &["kinetic"], 600);
    assert_eq!(
        trajectory.status,
        Status::Diverged,
        "{:?}",
        trajectory.message
    );
    assert!(trajectory.frames > 1 && trajectory.message.unwrap().contains("spin"));
}
