//! Solves to a tolerance: what they reach is seen from outside, and the trajectories tend to those
//! of exact solves.

use delassus_core::{ContactLaw, ImpulseSolver, Parameters, Solver};
use delassus_dynamics::constraints::Point;
use delassus_dynamics::{
    Body, Cuboid, Inertia, Joint, Material, Probe, Scheme, SolveCounts, SolveStop, Stabilization,
    Stage, StepView, ToleranceKind, VelocityParameters, VelocityScheme, World, WorldParts, presets,
};
use delassus_metrics::Evaluator;
use delassus_solver_dense::DenseDirect;
use delassus_solver_si::{BlockGs, Pgs};
use delassus_solver_wide::WidePgs;
use nalgebra::Vector3;

use super::super::colliding::standing::stack;
use super::super::colliding::{DT, add, plane};

/// Rods of a metre and 1 kg that hang from the origin, straight out along x.
pub(super) fn chain(links: u32) -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -9.81, 0.0),
        ..WorldParts::default()
    };
    let mut last = parts.body(Body::fixed(Vector3::zeros()));
    let inertia = Inertia::new(1.0, Vector3::new(0.02, 0.09, 0.09));
    for link in 0..links {
        let at = Vector3::new(0.5 + f64::from(link), 0.0, 0.0);
        let body = parts.body(Body::dynamic(inertia, at));
        let end = if link == 0 { 0.0 } else { 0.5 };
        let anchors = [end * Vector3::x(), -0.5 * Vector3::x()];
        parts.joint(Joint::new(Point {
            bodies: [last, body],
            anchors,
        }));
        last = body;
    }
    parts.build().unwrap()
}

pub(super) fn pgs() -> Box<dyn ImpulseSolver> {
    Box::new(Pgs::new(Default::default()).unwrap())
}

pub(super) fn stopping(tolerance: f64, max_sweeps: u32) -> SolveStop {
    SolveStop {
        tolerance: Some(tolerance),
        max_sweeps,
        ..SolveStop::default()
    }
}

pub(super) fn preset(id: &str) -> VelocityParameters {
    let preset = presets().iter().find(|preset| preset.id == id).unwrap();
    (preset.parameters)()
}

/// The largest residual (M.39) of the solves that are shown, and their number.
#[derive(Default)]
struct Outside {
    worst: f64,
    solves: u32,
}

impl Probe for Outside {
    fn wants(&self, stage: Stage) -> bool {
        matches!(stage, Stage::Solved | Stage::Relaxed | Stage::Restituted)
    }

    fn at(&mut self, _: Stage, view: &StepView<'_>) {
        let mut evaluator = Evaluator::new(view.problem.unwrap()).unwrap();
        let residual = evaluator.deciding_natural_map(view.impulses).unwrap();
        self.worst = self.worst.max(residual);
        self.solves += 1;
    }
}

/// Steps a world and looks at every solve from outside; how they ended.
fn watched(
    mut world: World,
    id: &str,
    tolerance: f64,
    solver: Box<dyn ImpulseSolver>,
) -> SolveCounts {
    let mut parameters = preset(id);
    parameters.stop = stopping(tolerance, 2000);
    let mut scheme = VelocityScheme::new(parameters, solver).unwrap();
    let mut total = SolveCounts::default();
    for _ in 0..40 {
        let mut outside = Outside::default();
        let report = scheme.step(&mut world, DT, &mut outside).unwrap();
        let solves = report.solves.unwrap();
        assert_eq!(solves.by_count + solves.by_solver, 0);
        // the second velocity field of split impulses is not shown
        let hidden = solves.by_tolerance + solves.by_limit - outside.solves;
        assert!(hidden <= u32::from(id == "split-impulse"), "{id}");
        if solves.by_limit == 0 {
            let reached = solves.residual.unwrap();
            assert!(reached <= tolerance, "{id}: {reached}");
            assert!(outside.worst <= reached, "{id}: {}", outside.worst);
            assert!(hidden == 1 || outside.worst == reached, "{id}");
        }
        total.add(&solves);
    }
    total
}

#[test]
fn every_solve_is_within_its_tolerance_as_seen_from_outside() {
    for preset in presets() {
        let solves = watched(chain(4), preset.id, 1e-6, pgs());
        assert_eq!(solves.by_limit, 0, "{}", preset.id);
        // in f32
        let wide = Box::new(WidePgs::new(Default::default()).unwrap());
        let solves = watched(chain(4), preset.id, 1e-3, wide);
        assert_eq!(solves.by_limit, 0, "{}", preset.id);
        // boxes that land and may be caught between sticking and slipping: no sweep helps there
        let landing = stack(3, 0.01, ContactLaw::Disc);
        let solves = watched(landing, preset.id, 1e-5, pgs());
        assert!(solves.by_limit < solves.by_tolerance, "{}", preset.id);
    }
}

#[test]
fn a_floor_of_any_friction_carries_what_is_thrown_on_it() {
    // it sticks where it touches, rocks about an edge and comes to rest on its face
    for (law, friction) in [
        (ContactLaw::Coulomb, 2e6),
        (ContactLaw::Coulomb, 7e8),
        (ContactLaw::Disc, 7e8),
        (ContactLaw::Pyramid, 7e8),
        (ContactLaw::Patch, 7e8),
    ] {
        let mut parts = plane(0.0, law);
        let material = Material {
            friction,
            ..Material::default()
        };
        let half = 0.2;
        let body = add(&mut parts, Cuboid::new(half, half, half), half, material);
        parts.bodies[body].velocity = Vector3::new(1.3, 0.0, -0.4);
        let mut world = parts.build().unwrap();
        let parameters = VelocityParameters {
            stop: stopping(1e-6, 2000),
            ..VelocityParameters::default()
        };
        let mut scheme = VelocityScheme::new(parameters, pgs()).unwrap();
        for frame in 0..120 {
            scheme.step(&mut world, DT, &mut ()).unwrap();
            let height = world.bodies()[body].position.to_vector().y;
            assert!(
                height > 0.95 * half,
                "{law:?} {friction:e} {frame}: {height}"
            );
        }
        let at = world.bodies()[body].position.to_vector();
        assert!(
            at.x.abs() < 0.05 && at.z.abs() < 0.05,
            "{law:?} {friction:e}: {at}"
        );
        assert!(at.y < 1.2 * half, "{law:?} {friction:e}: {at}");
    }
}

#[test]
fn a_count_that_a_tolerance_needs_gives_the_same_bits() {
    // one solve per frame, so that the count of the one is that of the other
    let mut parameters = preset("pgs-baumgarte");
    parameters.stop = stopping(1e-7, 100_000);
    for start in [chain(4), stack(3, 0.0, ContactLaw::Disc)] {
        let (mut judged, mut counted) = (start.clone(), start);
        let mut scheme = VelocityScheme::new(parameters.clone(), pgs()).unwrap();
        for _ in 0..30 {
            let report = scheme.step(&mut judged, DT, &mut ()).unwrap();
            let sweeps = report.progress.sweeps;
            if sweeps == 0 {
                // at rest: the start is within the tolerance
                break;
            }
            let fixed = VelocityParameters {
                sweeps,
                ..preset("pgs-baumgarte")
            };
            let mut fixed = VelocityScheme::new(fixed, pgs()).unwrap();
            let fixed = fixed.step(&mut counted, DT, &mut ()).unwrap();
            let solves = SolveCounts {
                by_count: 1,
                most_sweeps: sweeps,
                ..SolveCounts::default()
            };
            assert_eq!(fixed.solves, Some(solves));
            assert_eq!(judged.state_hash(), counted.state_hash());
        }
    }
}

#[test]
fn without_a_tolerance_only_the_counts_are_new() {
    let parameters = preset("soft-step");
    let other = VelocityParameters {
        stop: SolveStop {
            tolerance_kind: ToleranceKind::Relative,
            max_sweeps: 1,
            ..SolveStop::default()
        },
        ..parameters.clone()
    };
    let (mut a, mut b) = (chain(4), chain(4));
    let mut first = VelocityScheme::new(parameters, pgs()).unwrap();
    let mut second = VelocityScheme::new(other, pgs()).unwrap();
    for _ in 0..20 {
        let report = first.step(&mut a, DT, &mut ()).unwrap();
        assert_eq!(report, second.step(&mut b, DT, &mut ()).unwrap());
        let solves = report.solves.unwrap();
        assert_eq!((solves.by_count, solves.most_sweeps), (8, 1));
        assert_eq!(solves.residual, None);
        assert_eq!(report.progress.sweeps, 8);
    }
    assert_eq!(a.state_hash(), b.state_hash());
}

/// Largest distance of the bodies of two worlds \[m\].
fn apart(a: &World, b: &World) -> f64 {
    let pairs = a.bodies().iter().zip(b.bodies());
    let distances = pairs.map(|(a, b)| (a.position - b.position).norm());
    distances.fold(0.0, f64::max)
}

fn run(mut world: World, parameters: VelocityParameters, solver: Box<dyn ImpulseSolver>) -> World {
    let mut scheme = VelocityScheme::new(parameters, solver).unwrap();
    for _ in 0..60 {
        scheme.step(&mut world, DT, &mut ()).unwrap();
    }
    world
}

fn block_gs() -> Box<dyn ImpulseSolver> {
    Box::new(BlockGs::new(Default::default()).unwrap())
}

#[test]
fn trajectories_tend_to_those_of_exact_solves() {
    let direct = DenseDirect::new(Default::default()).unwrap();
    let landing = || stack(4, 0.01, ContactLaw::Disc);
    let to = |tolerance| {
        let mut parameters = preset("pgs-baumgarte");
        parameters.stop = stopping(tolerance, 100_000);
        parameters
    };
    let hanging = run(chain(6), preset("pgs-baumgarte"), Box::new(direct));
    let standing = run(landing(), to(1e-13), block_gs());
    let mut before = [f64::INFINITY; 2];
    for tolerance in [1e-2, 1e-4, 1e-6, 1e-8, 1e-10] {
        let errors = [
            apart(&hanging, &run(chain(6), to(tolerance), pgs())),
            apart(&standing, &run(landing(), to(tolerance), block_gs())),
        ];
        for (error, before) in errors.iter().zip(&mut before) {
            // in proportion, whatever the number of sweeps
            assert!(*error < 0.1 * *before, "{tolerance}: {error}, {before}");
            assert!(*error < tolerance, "{tolerance}: {error}");
            *before = *error;
        }
    }
}

#[test]
fn a_limit_is_told_from_a_tolerance_and_a_solver_that_has_ended() {
    let mut parameters = preset("pgs-baumgarte");
    parameters.stop = stopping(1e-12, 3);
    let mut scheme = VelocityScheme::new(parameters.clone(), pgs()).unwrap();
    let mut outside = Outside::default();
    let report = scheme.step(&mut chain(6), DT, &mut outside).unwrap();
    let solves = report.solves.unwrap();
    assert_eq!((solves.by_limit, solves.most_sweeps), (1, 3));
    assert_eq!(solves.residual, Some(outside.worst));
    assert!(outside.worst > 1e-12);
    // below rounding: a direct method ends and says so
    parameters.stop = stopping(1e-30, 1000);
    let direct = Box::new(DenseDirect::new(Default::default()).unwrap());
    let mut scheme = VelocityScheme::new(parameters, direct).unwrap();
    let report = scheme.step(&mut chain(6), DT, &mut ()).unwrap();
    let solves = report.solves.unwrap();
    assert_eq!((solves.by_solver, solves.most_sweeps), (1, 1));
    assert!(solves.residual.unwrap() < 1e-13);
}

#[test]
fn a_relative_tolerance_is_a_share_of_the_residual_of_zero_impulses() {
    let mut parameters = preset("pgs-baumgarte");
    parameters.stabilization = Stabilization::None;
    let mut world = chain(4);
    for _ in 0..5 {
        let mut zero = Zero::default();
        let mut absolute = parameters.clone();
        absolute.stop = stopping(1.0, 1);
        let mut scheme = VelocityScheme::new(absolute, pgs()).unwrap();
        scheme.step(&mut world.clone(), DT, &mut zero).unwrap();
        // both kinds end alike where the tolerances are the same number
        let mut relative = parameters.clone();
        relative.stop = SolveStop {
            tolerance_kind: ToleranceKind::Relative,
            ..stopping(1e-5, 100_000)
        };
        let mut absolute = parameters.clone();
        absolute.stop = stopping(1e-5 * zero.0, 100_000);
        let mut other = world.clone();
        let reports = [(&mut world, relative), (&mut other, absolute)].map(|(world, p)| {
            let mut scheme = VelocityScheme::new(p, pgs()).unwrap();
            scheme.step(world, DT, &mut ()).unwrap()
        });
        assert!(zero.0 < 0.9, "not the same as the scale: {}", zero.0);
        assert_eq!(reports[0], reports[1]);
        assert!(reports[0].progress.sweeps > 0);
        assert_eq!(world.state_hash(), other.state_hash());
    }
}

/// The natural map of zero impulses.
#[derive(Default)]
struct Zero(f64);

impl Probe for Zero {
    fn wants(&self, stage: Stage) -> bool {
        stage == Stage::Assembled
    }

    fn at(&mut self, _: Stage, view: &StepView<'_>) {
        let problem = view.problem.unwrap();
        let mut evaluator = Evaluator::new(problem).unwrap();
        let zero = vec![0.0; problem.rows()];
        self.0 = evaluator.evaluate(&zero).unwrap().natural_map;
    }
}

#[test]
fn what_zero_impulses_solve_is_within_any_relative_tolerance() {
    // nothing pulls: the impulses of a warm start have to go
    let mut parts = WorldParts::default();
    parts.body(Body::fixed(Vector3::zeros()));
    let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    let moving = Vector3::new(1.0, -2.0, 0.5);
    let body = Body::dynamic(inertia, Vector3::x());
    parts.body(body.moving(moving, Vector3::zeros()));
    parts.joint(Joint::new(Point {
        bodies: [0, 1],
        anchors: [Vector3::zeros(), -Vector3::x()],
    }));
    let mut world = parts.build().unwrap();
    let mut parameters = preset("pgs-baumgarte");
    parameters.stabilization = Stabilization::None;
    parameters.stop = SolveStop {
        tolerance_kind: ToleranceKind::Relative,
        ..stopping(1e-9, 1000)
    };
    let mut scheme = VelocityScheme::new(parameters, pgs()).unwrap();
    scheme.step(&mut world, DT, &mut ()).unwrap();
    assert!(world.joints()[0].impulses()[0] != 0.0);
    world
        .set_velocity(1, Vector3::zeros(), Vector3::zeros())
        .unwrap();
    let report = scheme.step(&mut world, DT, &mut ()).unwrap();
    let solves = report.solves.unwrap();
    assert!(solves.most_sweeps > 0);
    assert_eq!(solves.by_tolerance, 1);
    assert!(solves.residual.unwrap() <= 1e-15);
}

#[test]
fn tolerances_that_mean_nothing_are_refused_by_name() {
    for (stop, path) in [
        (stopping(0.0, 1), "tolerance"),
        (stopping(-1e-3, 1), "tolerance"),
        (stopping(1.5, 1), "tolerance"),
        (stopping(f64::NAN, 1), "tolerance"),
        (stopping(1e-3, 0), "max_sweeps"),
    ] {
        let parameters = VelocityParameters {
            stop,
            ..VelocityParameters::default()
        };
        let refused = parameters.validate().unwrap_err().to_string();
        assert!(refused.contains(path), "{refused}");
        assert!(VelocityScheme::new(parameters, pgs()).is_err());
    }
}
