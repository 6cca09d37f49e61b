//! Frames that the solver integrates (T.32)–(T.37) against the same frames substep by substep.

use delassus_core::{
    ImpulseSolver, Problem, Progress, SolveError, Solver, SolverDescriptor, SolverUpdate, Start,
};
use delassus_dynamics::{
    Body, BodyKind, Collider, ContactLaw, Cuboid, FrictionPasses, Gyroscopic, HalfSpace, Inertia,
    Probe, Scheme, Sphere, Stage, StepReport, StepView, VelocityParameters, VelocityScheme, World,
    WorldParts,
};
use delassus_solver_wide::wide_pgs::WidePgsParameters;
use delassus_solver_wide::{VectorLevel, WidePgs};
use nalgebra::{UnitQuaternion, Vector3};

use super::tolerance::preset;

pub(super) const DT: f64 = 1.0 / 60.0;

/// The solver without its offer.
struct Plain(WidePgs);

impl ImpulseSolver for Plain {
    fn descriptor(&self) -> &SolverDescriptor {
        self.0.descriptor()
    }
    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        self.0.prepare(problem, start)
    }
    fn update(&mut self, problem: &Problem, update: SolverUpdate<'_>) -> Result<(), SolveError> {
        self.0.update(problem, update)
    }
    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        self.0.iterate(problem, sweeps)
    }
    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        self.0.read_impulses(out)
    }
    fn read_velocities(&mut self, problem: &Problem, out: &mut [f64]) -> Result<(), SolveError> {
        self.0.read_velocities(problem, out)
    }
}

pub(super) fn wide(threads: usize, level: VectorLevel) -> WidePgs {
    let parameters = WidePgsParameters {
        threads,
        level,
        ..WidePgsParameters::default()
    };
    WidePgs::new(parameters).unwrap()
}

fn integrating() -> Box<dyn ImpulseSolver> {
    Box::new(wide(1, VectorLevel::Auto))
}

fn plain() -> Box<dyn ImpulseSolver> {
    Box::new(Plain(wide(1, VectorLevel::Auto)))
}

fn soft_step() -> VelocityParameters {
    preset("soft-step")
}

/// Cubes and balls that spin, slide, land and roll, a third of them with three different moments of
/// inertia; one ball flies past all others.
fn heap(recycle: f64) -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -9.81, 0.0),
        ..WorldParts::default()
    };
    parts.contacts.recycle = recycle;
    parts.contacts.law = ContactLaw::Coulomb;
    let ground = parts.body(Body::fixed(Vector3::zeros()));
    parts.collider(Collider::new(ground, HalfSpace::default()));
    for index in 0..12_u32 {
        let (x, z) = (f64::from(index % 3), f64::from(index / 3 % 2));
        let at = Vector3::new(1.02 * x, 0.495 + 0.99 * f64::from(index / 6), 1.01 * z);
        let mut inertia = Inertia::new(1.0 + 0.1 * x, Vector3::repeat(1.0 / 6.0));
        if index % 3 == 1 {
            inertia.moments = Vector3::new(0.1, 0.2, 0.25);
            inertia.axes = UnitQuaternion::from_euler_angles(0.3, -0.2, 1.1);
        }
        let spin = Vector3::new(2.0 - x, 3.0 * z, 1.0 - x);
        let body = Body::dynamic(inertia, at).moving(Vector3::new(0.3 * x, 0.0, 0.1), spin);
        let body = parts.body(body);
        if index % 4 == 3 {
            parts.collider(Collider::new(body, Sphere::new(0.5)));
        } else {
            parts.collider(Collider::new(body, Cuboid::new(0.5, 0.5, 0.5)));
        }
    }
    let lonely = Inertia::new(1.0, Vector3::new(0.1, 0.2, 0.3));
    let mut lonely = Body::dynamic(lonely, Vector3::new(50.0, 80.0, 0.0))
        .moving(Vector3::new(1.0, 2.0, 3.0), Vector3::new(3.0, 1.0, 0.2));
    lonely.force = Vector3::new(0.0, 1.0, 0.0);
    lonely.linear_damping = 0.3;
    parts.body(lonely);
    parts.build().unwrap()
}

pub(super) fn run(
    world: &mut World,
    solver: Box<dyn ImpulseSolver>,
    parameters: &VelocityParameters,
    frames: u32,
    probe: &mut dyn Probe,
) -> StepReport {
    let mut scheme = VelocityScheme::new(parameters.clone(), solver).unwrap();
    let mut report = StepReport::default();
    for _ in 0..frames {
        report.add(&scheme.step(world, DT, probe).unwrap());
    }
    report
}

/// Largest difference of positions \[m\], orientations \[-\] and velocities \[m/s\] of two worlds.
fn apart(a: &World, b: &World) -> [f64; 3] {
    let mut most = [0.0_f64; 3];
    for (a, b) in a.bodies().iter().zip(b.bodies()) {
        let turn = a.orientation.angle_to(&b.orientation);
        let speed = (a.velocity - b.velocity).norm() + (a.spin - b.spin).norm();
        for (most, now) in most
            .iter_mut()
            .zip([(a.position - b.position).norm(), turn, speed])
        {
            *most = most.max(now);
        }
    }
    most
}

/// Balls deep in plates of these kinds, far from each other.
fn pressed(kinds: &[BodyKind]) -> World {
    let mut parts = WorldParts::default();
    for (kind, x) in kinds.iter().zip([0.0, 10.0]) {
        let mut plate = Body::fixed(Vector3::new(x, -0.5, 0.0));
        plate.kind = *kind;
        let plate = parts.body(plate);
        parts.collider(Collider::new(plate, Cuboid::new(2.0, 0.5, 2.0)));
        let inertia = Inertia::new(1.5, Vector3::repeat(0.06));
        let ball = parts.body(Body::dynamic(inertia, Vector3::new(x, 0.27, 0.0)));
        parts.collider(Collider::new(ball, Sphere::new(0.3)));
    }
    parts.build().unwrap()
}

#[test]
fn contacts_with_kinematic_bodies_have_the_same_spring() {
    use BodyKind::{Kinematic, Static};
    let parameters = soft_step();
    let mut heights = Vec::new();
    for kinds in [&[Static, Kinematic][..], &[Kinematic], &[Static]] {
        let [mut found, mut expected] = [pressed(kinds), pressed(kinds)];
        run(&mut found, integrating(), &parameters, 3, &mut ());
        run(&mut expected, plain(), &parameters, 3, &mut ());
        let [position, _, _] = apart(&found, &expected);
        assert!(position < 1e-6, "{kinds:?}: {position}");
        let balls = found.bodies().iter().skip(1).step_by(2);
        heights.extend(balls.map(|ball| ball.position.to_vector().y));
    }
    let [still, moving, alone, also_still] = heights[..] else {
        panic!("four balls")
    };
    assert!((still - also_still).abs() < 1e-6 && (moving - alone).abs() < 1e-6);
    assert!(still - moving > 1e-3, "{still} {moving}");
}

#[test]
fn an_integrated_frame_is_the_frame_substep_by_substep() {
    let mut both = soft_step();
    both.friction = FrictionPasses::Both;
    (both.sweeps, both.relax_sweeps, both.substeps) = (3, 2, 7);
    for (parameters, recycle) in [
        (soft_step(), 0.0),
        (soft_step(), 1e-3),
        (both, 0.0),
        (preset("rapier"), 0.0),
        (preset("bepu-2"), 0.0),
        (preset("solver2d-soft-step"), 0.0),
    ] {
        let (mut one, mut other) = (heap(recycle), heap(recycle));
        let scheme = |solver| VelocityScheme::new(parameters.clone(), solver).unwrap();
        let (mut integrated, mut stepping) = (scheme(integrating()), scheme(plain()));
        // balls and cubes part ways sooner or later
        for frame in 0..12 {
            let found = integrated.step(&mut one, DT, &mut ()).unwrap();
            let expected = stepping.step(&mut other, DT, &mut ()).unwrap();
            assert_ne!(
                one.state_hash(),
                other.state_hash(),
                "no frame was integrated"
            );
            let [moved, turned, sped] = apart(&one, &other);
            let most = 1e-6 * f64::from(frame + 1) * f64::from(frame + 1);
            assert!(moved < most && turned < most, "{frame}: {moved} {turned}");
            assert!(sped < 3e2 * most, "{frame}: {sped}");
            assert_eq!(found.rows, expected.rows);
            assert_eq!(found.progress, expected.progress);
            assert_eq!(found.solves, expected.solves);
            let external = (found.external.linear - expected.external.linear).norm();
            let angular = (found.external.angular - expected.external.angular).norm();
            // twelve bodies, each as fast as above, at arms of a few metres
            assert!(
                external + angular < 10.0 * most,
                "{frame}: {external} {angular}"
            );
            let work = (found.applied_work - expected.applied_work).abs();
            assert!(work < 1e-12 && found.drive_work == 0.0, "{work}");
            other = one.clone();
        }
    }
}

/// A stage, its substep, the impulses, heights and the sum of the bias.
type Look = (Stage, u32, Vec<f64>, Vec<f64>, f64);

/// Keeps what it sees of every stage.
#[derive(Default)]
struct Seen(Vec<Look>);

impl Probe for Seen {
    fn wants(&self, _: Stage) -> bool {
        true
    }
    fn at(&mut self, stage: Stage, view: &StepView<'_>) {
        let problem = view.problem.unwrap();
        let bodies = view.world.bodies().iter();
        let heights = bodies.map(|body| body.position.to_vector().y).collect();
        let bias = problem.bias().iter().sum();
        let impulses = view.impulses.to_vec();
        self.0.push((stage, view.substep, impulses, heights, bias));
    }
}

#[test]
fn a_probe_sees_every_stage_and_changes_no_bit() {
    let (mut alone, mut watched, mut other) = (heap(0.0), heap(0.0), heap(0.0));
    let (mut seen, mut expected) = (Seen::default(), Seen::default());
    let report = run(&mut alone, integrating(), &soft_step(), 6, &mut ());
    let same = run(&mut watched, integrating(), &soft_step(), 6, &mut seen);
    assert_eq!(alone.state_hash(), watched.state_hash());
    assert_eq!(alone.time(), watched.time());
    assert_eq!(report, same);
    run(&mut other, plain(), &soft_step(), 6, &mut expected);
    assert_eq!(seen.0.len(), 6 * 4 * 4);
    for (found, expected) in seen.0.iter().zip(&expected.0).take(2 * 16) {
        let (stage, substep, impulses, heights, bias) = found;
        assert_eq!((*stage, *substep), (expected.0, expected.1));
        for (found, expected) in impulses.iter().zip(&expected.2) {
            assert!(
                (found - expected).abs() < 1e-3,
                "{stage:?} {found} {expected}"
            );
        }
        for (found, expected) in heights.iter().zip(&expected.3) {
            assert!(
                (found - expected).abs() < 1e-5,
                "{stage:?} {found} {expected}"
            );
        }
        assert!(
            (bias - expected.4).abs() < 1e-2,
            "{stage:?} {bias} {}",
            expected.4
        );
    }
}

#[test]
fn the_bits_are_those_of_every_level_and_number_of_threads() {
    let mut parameters = soft_step();
    // more than 64 sweeps: velocities are summed anew on the way
    (parameters.sweeps, parameters.substeps) = (10, 8);
    let hash = |threads: usize, level: VectorLevel| {
        let mut world = heap(0.0);
        run(
            &mut world,
            Box::new(wide(threads, level)),
            &parameters,
            20,
            &mut (),
        );
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

#[test]
fn momentum_comes_from_outside_or_not_at_all() {
    let mut world = heap(0.0);
    let momentum = |world: &World| world.momentum().linear;
    let before = momentum(&world);
    let mut parts = world.into_parts();
    for body in &mut parts.bodies {
        body.linear_damping = 0.0;
    }
    world = parts.build().unwrap();
    let report = run(&mut world, integrating(), &soft_step(), 10, &mut ());
    let error = momentum(&world) - before - report.external.linear;
    assert!(error.norm() < 1e-12, "{error}");
}

#[test]
fn tops_turn_as_they_do_substep_by_substep() {
    // two tops in zero gravity, held together by a weightless touch: nothing but the gyroscopic
    // torque turns their axes
    let spinning = || {
        let mut parts = WorldParts::default();
        for x in [0.0, 0.999] {
            let inertia = Inertia::new(1.0, Vector3::new(0.1, 0.2, 0.25));
            let spin = Vector3::new(9.0, 1.0, 0.0);
            let body = Body::dynamic(inertia, Vector3::new(x, 0.0, 0.0));
            let body = parts.body(body.moving(Vector3::zeros(), spin));
            parts.collider(Collider::new(body, Sphere::new(0.5)));
        }
        parts.contacts.law = ContactLaw::Coulomb;
        parts.build().unwrap()
    };
    let modes = [
        Gyroscopic::Momentum,
        Gyroscopic::Rescaled,
        Gyroscopic::Implicit,
        Gyroscopic::Explicit,
        Gyroscopic::None,
    ];
    for mode in modes {
        let mut parameters = soft_step();
        parameters.gyroscopic = mode;
        let (mut one, mut other) = (spinning(), spinning());
        run(&mut one, integrating(), &parameters, 5, &mut ());
        run(&mut other, plain(), &parameters, 5, &mut ());
        assert_ne!(
            one.state_hash(),
            other.state_hash(),
            "no frame was integrated"
        );
        let [moved, turned, sped] = apart(&one, &other);
        assert!(
            moved < 1e-6 && turned < 1e-6 && sped < 2e-5,
            "{mode:?}: {moved} {turned} {sped}"
        );
        let turn = one.bodies()[0].spin - Vector3::new(9.0, 1.0, 0.0);
        assert_eq!(
            turn.norm() > 0.1,
            mode != Gyroscopic::None,
            "{mode:?}: {turn}"
        );
    }
}
