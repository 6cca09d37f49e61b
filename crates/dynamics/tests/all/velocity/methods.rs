//! What the parameters of a method mean: warm starts, friction by pass, named values, ranges; and
//! steps that fail.

use delassus_core::{
    ImpulseSolver, Parameters, Problem, Progress, Softness, SolveError, Solver, SolverDescriptor,
    Start,
};
use delassus_dynamics::constraints::Distance;
use delassus_dynamics::{
    AnchorMode, Body, ConstraintOrder, ContactLaw, FrictionPasses, Joint, Manifold, Probe,
    RelaxPoses, Restitution, Scheme, SchemeError, Signal, Stabilization, Stage, StepError,
    StepView, VelocityParameters, VelocityScheme, WarmStart, World, WorldParts, presets,
};
use delassus_solver_si::Pgs;
use delassus_solver_wide::WidePgs;
use nalgebra::Vector3;

use super::line::{H, MASS, ball, close, held, scheme, touching};

/// A ball that hangs on a rod along gravity.
fn hanging() -> World {
    let mut parts = WorldParts {
        gravity: 8.0 * Vector3::x(),
        ..WorldParts::default()
    };
    parts.body(Body::fixed(Vector3::zeros()));
    parts.body(ball(1.0, 0.0));
    parts.joint(rod());
    parts.build().unwrap()
}

pub(super) fn rod() -> Joint {
    Joint::new(Distance {
        bodies: [0, 1],
        anchors: [Vector3::zeros(); 2],
        length: Signal::Constant(1.0),
    })
}

/// Keeps the impulses and the activity of every stage.
#[derive(Default)]
struct Seen(Vec<(Stage, u32, Vec<f64>, usize)>);

impl Probe for Seen {
    fn wants(&self, _: Stage) -> bool {
        true
    }
    fn at(&mut self, stage: Stage, view: &StepView<'_>) {
        let active = view.problem.map_or(0, Problem::active_rows);
        let impulses = view.impulses.to_vec();
        self.0.push((stage, view.substep, impulses, active));
    }
}

impl Seen {
    /// Impulses at a stage of the first substep.
    fn at(&self, stage: Stage) -> (&[f64], usize) {
        let seen = self.0.iter().find(|seen| (seen.0, seen.1) == (stage, 0));
        let (.., impulses, active) = seen.unwrap();
        (impulses, *active)
    }
}

#[test]
fn a_warm_start_is_the_last_impulse_or_the_last_force() {
    for (warm_start, factor) in [
        (WarmStart::Off, 0.0),
        (WarmStart::On, 1.0),
        (WarmStart::Scaled, 0.25),
    ] {
        let parameters = VelocityParameters {
            warm_start,
            ..VelocityParameters::default()
        };
        let (mut world, mut scheme) = (hanging(), scheme(&parameters));
        let mut first = Seen::default();
        scheme.step(&mut world, H, &mut first).unwrap();
        assert_eq!(first.at(Stage::Assembled).0, [0.0]);
        // weight times step, against the pull
        close(first.at(Stage::Solved).0[0], -MASS * 8.0 * H);
        close(world.impulse_step(), H);
        let mut second = Seen::default();
        scheme.step(&mut world, H / 4.0, &mut second).unwrap();
        close(second.at(Stage::Assembled).0[0], -MASS * 8.0 * H * factor);
        close(second.at(Stage::Solved).0[0], -MASS * 2.0 * H);
    }
}

#[test]
fn friction_can_be_left_to_the_relax_pass() {
    // three rows of a contact that slides: in the solve with bias the normal alone is active
    for (friction, relax_sweeps, solved) in [
        (FrictionPasses::Both, 1, 3),
        (FrictionPasses::RelaxOnly, 1, 1),
        // without a relax pass there is no other solve to leave it to
        (FrictionPasses::RelaxOnly, 0, 3),
    ] {
        let mut world = touching(Body::fixed(Vector3::zeros()), 0.0, -3.0, 0.0);
        let parameters = VelocityParameters {
            friction,
            relax_sweeps,
            ..VelocityParameters::default()
        };
        let mut seen = Seen::default();
        scheme(&parameters).step(&mut world, H, &mut seen).unwrap();
        assert_eq!(seen.at(Stage::Solved).1, solved);
        if relax_sweeps > 0 {
            assert_eq!(seen.at(Stage::Relaxed).1, 3);
        }
    }
    // split impulses solve their second field without friction and leave the first as it was
    let parameters = VelocityParameters {
        stabilization: Stabilization::SplitImpulse,
        ..VelocityParameters::default()
    };
    let mut world = touching(Body::fixed(Vector3::zeros()), -0.1, -3.0, 0.0);
    let progress = scheme(&parameters)
        .step(&mut world, H, &mut ())
        .unwrap()
        .progress;
    // ten sweeps over three rows, and ten over one
    assert_eq!((progress.sweeps, progress.row_updates), (20, 40));
    // nothing overlaps: no second solve
    let mut world = touching(Body::fixed(Vector3::zeros()), 0.0, -3.0, 0.0);
    let progress = scheme(&parameters)
        .step(&mut world, H, &mut ())
        .unwrap()
        .progress;
    assert_eq!((progress.sweeps, progress.row_updates), (10, 30));
}

#[test]
fn a_frequency_has_two_substeps_in_a_period() {
    let hertz = 0.5 / H;
    let outcome = |hertz: f64| {
        let spring = Softness::Frequency {
            hertz,
            damping_ratio: 1.0,
        };
        let mut world = held(1.25, 0.0, vec![rod(), rod().soft(spring)]);
        scheme(&VelocityParameters::default()).step(&mut world, H, &mut ())
    };
    assert!(outcome(hertz).is_ok());
    match outcome(hertz * 1.01) {
        Err(StepError::Scheme(SchemeError::Field(error))) => {
            let text = error.to_string();
            assert!(text.contains("joints[1].softness.hertz"), "{text}");
            assert!(text.contains("at most 32 Hz"), "{text}");
        }
        other => panic!("{other:?}"),
    }
}

/// Sequential impulses that fail in a given solve.
struct Failing {
    inner: Pgs,
    solves: u32,
}

impl ImpulseSolver for Failing {
    fn descriptor(&self) -> &SolverDescriptor {
        self.inner.descriptor()
    }
    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        self.inner.prepare(problem, start)
    }
    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        if self.solves == 0 {
            return Err(SolveError::NonFinite { row: 0 });
        }
        self.solves -= 1;
        self.inner.iterate(problem, sweeps)
    }
    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        self.inner.read_impulses(out)
    }
}

#[test]
fn a_step_that_fails_leaves_the_world_as_it_was() {
    let parameters = VelocityParameters {
        substeps: 3,
        position_sweeps: 1,
        ..VelocityParameters::default()
    };
    // a pull to the side, contacts and joints with impulses
    let world = || {
        let mut parts = hanging().into_parts();
        parts.bodies[1].force = Vector3::new(1.0, 2.0, 3.0);
        parts.bodies[1].torque = Vector3::new(0.1, 0.2, 0.3);
        parts.manifolds.push(Manifold::new(
            [1, 0],
            Vector3::x(),
            touching(Body::fixed(Vector3::zeros()), 0.0, 0.0, 0.0).manifolds()[0]
                .points
                .clone(),
            0.5,
            ContactLaw::Disc,
        ));
        parts.build().unwrap()
    };
    let failing = |solves: u32| {
        let inner = Pgs::new(Default::default()).unwrap();
        let solver = Box::new(Failing { inner, solves });
        VelocityScheme::new(parameters.clone(), solver).unwrap()
    };
    let (mut whole, mut broken) = (world(), world());
    scheme(&parameters).step(&mut whole, H, &mut ()).unwrap();
    let mut scheme = failing(5);
    scheme.step(&mut broken, H, &mut ()).unwrap();
    assert_eq!(whole.state_hash(), broken.state_hash());
    let before = broken.clone();
    // the last of the three solves of the second step
    let failed = scheme.step(&mut broken, H, &mut ());
    assert!(matches!(failed, Err(StepError::Solve(_))), "{failed:?}");
    assert_eq!(broken.state_hash(), before.state_hash());
    assert_eq!(broken.time(), before.time());
    assert_eq!(broken.joints()[0].impulses(), before.joints()[0].impulses());
    assert_eq!(
        broken.manifolds()[0].impulses(),
        before.manifolds()[0].impulses()
    );
    assert_eq!(broken.bodies()[1].velocity, before.bodies()[1].velocity);
}

#[test]
fn the_named_methods_are_what_their_sources_do() {
    let parameters = |id: &str| {
        let preset = presets().iter().find(|preset| preset.id == id);
        (preset.unwrap().parameters)()
    };
    for preset in presets() {
        (preset.parameters)().validate().unwrap();
    }
    let default = VelocityParameters::default();
    assert_eq!(parameters("pgs-baumgarte"), default);
    let slop = parameters("pgs-slop");
    assert_eq!(
        (slop.slop, slop.max_push_speed, slop.beta),
        (0.005, Some(4.0), 0.2)
    );
    // what one frame of the others does is held by numbers of their sources: here is what a frame
    // of one row does not show
    let lite = parameters("box2d-lite");
    assert_eq!(lite.order, ConstraintOrder::ContactsFirst);
    let old = parameters("box2d-2.4");
    assert_eq!(old.position_order, ConstraintOrder::ContactsFirst);
    assert_eq!(
        (old.order, old.restitution),
        (ConstraintOrder::JointsFirst, Restitution::BiasAfterForces)
    );
    for (id, anchors, friction) in [
        ("pgs-soft", AnchorMode::FixedContacts, FrictionPasses::Both),
        ("tgs-soft", AnchorMode::Rotated, FrictionPasses::Both),
        (
            "solver2d-soft-step",
            AnchorMode::FixedContacts,
            FrictionPasses::Both,
        ),
        ("box2d-3.0", AnchorMode::FixedContacts, FrictionPasses::Both),
        (
            "soft-step",
            AnchorMode::FixedContacts,
            FrictionPasses::RelaxOnly,
        ),
        (
            "box3d",
            AnchorMode::FixedContacts,
            FrictionPasses::RelaxOnly,
        ),
        (
            "rapier",
            AnchorMode::FixedContacts,
            FrictionPasses::RelaxOnly,
        ),
        ("bepu-2", AnchorMode::FixedContacts, FrictionPasses::Both),
    ] {
        let soft = parameters(id);
        // no program of this family leaves an overlap alone
        assert_eq!(
            (soft.slop, soft.stabilization),
            (0.0, Stabilization::Soft),
            "{id}"
        );
        assert_eq!((soft.anchors, soft.friction), (anchors, friction), "{id}");
        // only Rapier freezes the rows of its joints once in a substep
        let kept = if id == "rapier" {
            RelaxPoses::Kept
        } else {
            RelaxPoses::Moved
        };
        assert_eq!(soft.relax_arms, kept, "{id}");
    }
    let split = parameters("split-impulse");
    assert_eq!(
        (split.stabilization, split.slop),
        (Stabilization::SplitImpulse, 0.005)
    );
    // bullet 1.5: tau 0.3, damping 1, no warm start
    let tau = parameters("tau-damping");
    assert_eq!(tau.stabilization, Stabilization::TauDamping);
    assert_eq!(
        (tau.beta, tau.damping, tau.warm_start),
        (0.3, 1.0, WarmStart::Off)
    );
    for id in ["box2d-lite", "box2d-2.4", "pgs-ngs"] {
        assert_eq!(parameters(id).speculative_margin, Some(0.0), "{id}");
    }
}

#[test]
fn parameters_have_their_ranges() {
    type Change = fn(&mut VelocityParameters, f64);
    let good = VelocityParameters::default;
    let outcome = |change: Change, value: f64| {
        let mut parameters = good();
        change(&mut parameters, value);
        parameters.validate().is_ok()
    };
    let tiny = f64::MIN_POSITIVE;
    let positive: [Change; 7] = [
        |p, x| p.max_push_speed = Some(x),
        |p, x| p.contact_hertz = x,
        |p, x| p.contact_hertz_limit = x,
        |p, x| p.static_hertz_factor = x,
        |p, x| p.joint_hertz = x,
        |p, x| p.joint_hertz_limit = x,
        |p, x| p.position_max_correction = x,
    ];
    for change in positive {
        assert!(outcome(change, tiny) && !outcome(change, 0.0) && !outcome(change, -1.0));
        assert!(!outcome(change, f64::INFINITY) && !outcome(change, f64::NAN));
    }
    let not_negative: [Change; 9] = [
        |p, x| p.static_damping_factor = x,
        |p, x| p.position_tolerance = Some(x),
        |p, x| p.position_joint_tolerance = Some(x),
        |p, x| p.slop = x,
        |p, x| p.joint_slop = x,
        |p, x| p.contact_damping_ratio = x,
        |p, x| p.joint_damping_ratio = x,
        |p, x| p.restitution_threshold = x,
        |p, x| p.speculative_margin = Some(x),
    ];
    for change in not_negative {
        assert!(outcome(change, 0.0) && !outcome(change, -tiny));
        assert!(!outcome(change, f64::INFINITY) && !outcome(change, f64::NAN));
    }
    assert!(outcome(|p, x| p.beta = x, 2.0) && !outcome(|p, x| p.beta = x, 2.5));
    assert!(outcome(|p, x| p.position_beta = x, 1.0) && !outcome(|p, x| p.position_beta = x, 1.5));
    let damping: Change = |p, x| p.damping = x;
    assert!(outcome(damping, 1.99) && outcome(damping, tiny));
    assert!(!outcome(damping, 2.0) && !outcome(damping, 0.0));
    let counts = |change: fn(&mut VelocityParameters, u32), least: u32| {
        let outcome = |count: u32| {
            let mut parameters = good();
            change(&mut parameters, count);
            parameters.validate().is_ok()
        };
        assert!(outcome(least) && outcome(1_000_000) && !outcome(1_000_001));
        assert!(least == 0 || !outcome(least - 1));
    };
    counts(|p, n| p.substeps = n, 1);
    counts(|p, n| p.sweeps = n, 1);
    counts(|p, n| p.relax_sweeps = n, 0);
    counts(|p, n| p.position_sweeps = n, 0);
}

#[test]
fn single_precision_moves_what_nothing_touches_in_double() {
    // velocities that no f32 holds
    let velocity = Vector3::new(0.1, 0.2, -0.3);
    let mut parts = touching(Body::fixed(Vector3::zeros()), 0.0, -3.1, 0.0).into_parts();
    parts.body(ball(7.0, 0.0).moving(velocity, Vector3::zeros()));
    let mut world = parts.build().unwrap();
    let parameters = VelocityParameters {
        relax_sweeps: 1,
        ..VelocityParameters::default()
    };
    let solver = Box::new(WidePgs::new(Default::default()).unwrap());
    let mut wide = VelocityScheme::new(parameters.clone(), solver).unwrap();
    assert_eq!(wide.parameters(), &parameters);
    wide.step(&mut world, H, &mut ()).unwrap();
    let way: Vector3<f64> = world.bodies()[2].position.to_vector() - 7.0 * Vector3::x();
    assert!((way - H * velocity).norm() < 1e-15, "{way}");
    // and the touching body stops, to single precision
    assert!(world.bodies()[1].velocity.norm() < 1e-6);
    let way = world.bodies()[1].position.to_vector() - Vector3::x();
    assert!(way.norm() < 1e-7, "{way}");
}

/// Looks at one stage only.
struct One(Stage, Vec<f64>);

impl Probe for One {
    fn wants(&self, stage: Stage) -> bool {
        stage == self.0
    }
    fn at(&mut self, _: Stage, view: &StepView<'_>) {
        self.1 = view.impulses.to_vec();
    }
}

#[test]
fn a_probe_sees_the_impulses_of_its_stage() {
    for relax_sweeps in [0, 1] {
        for stage in [Stage::Solved, Stage::Integrated] {
            let parameters = VelocityParameters {
                relax_sweeps,
                ..VelocityParameters::default()
            };
            let solver = Box::new(WidePgs::new(Default::default()).unwrap());
            let mut wide = VelocityScheme::new(parameters, solver).unwrap();
            let mut seen = One(stage, Vec::new());
            wide.step(&mut hanging(), H, &mut seen).unwrap();
            assert!(
                (seen.1[0] + MASS * 8.0 * H).abs() < 1e-6,
                "{stage:?} {:?}",
                seen.1
            );
        }
    }
    // the bounce is shown as part of the last substep
    let parameters = VelocityParameters {
        substeps: 3,
        ..VelocityParameters::default()
    };
    let mut world = touching(Body::fixed(Vector3::zeros()), 0.0, -3.0, 0.5);
    let mut seen = Seen::default();
    scheme(&parameters).step(&mut world, H, &mut seen).unwrap();
    let last = seen.0.last().unwrap();
    assert_eq!((last.0, last.1), (Stage::Restituted, 2));
}
