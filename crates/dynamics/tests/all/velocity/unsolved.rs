//! What becomes of solves that miss their tolerance, against closed forms.

use delassus_core::parameter::{Map, Value};
use delassus_core::{Choice, ContactLaw, ImpulseSolver, Solver};
use delassus_dynamics::{
    Cuboid, Material, OnUnsolved, Probe, Scheme, SolveCounts, SolveStop, Stabilization, Stage,
    StepError, StepReport, StepView, StoppedBy, VelocityParameters, VelocityScheme, WarmStart,
    World, scheme,
};
use delassus_solver_dense::DenseDirect;
use nalgebra::Vector3;

use super::super::colliding::standing::stack;
use super::super::colliding::{DT, G, add, plane};
use super::tolerance::{chain, pgs, preset, stopping};

/// One solve per step, which ends above its tolerance after so many sweeps, unless it is lucky.
fn starved(on_unsolved: OnUnsolved, tolerance: f64, max_sweeps: u32) -> VelocityParameters {
    VelocityParameters {
        stop: SolveStop {
            on_unsolved,
            ..stopping(tolerance, max_sweeps)
        },
        ..preset("pgs-baumgarte")
    }
}

fn direct() -> Box<dyn ImpulseSolver> {
    Box::new(DenseDirect::new(Default::default()).unwrap())
}

fn built(parameters: VelocityParameters, solver: Box<dyn ImpulseSolver>) -> VelocityScheme {
    VelocityScheme::new(parameters, solver).unwrap()
}

/// Steps a world; the sum of the reports.
fn steps(scheme: &mut VelocityScheme, world: &mut World, dt: f64, frames: u32) -> StepReport {
    let mut total = StepReport::default();
    for _ in 0..frames {
        total.add(&scheme.step(world, dt, &mut ()).unwrap());
    }
    total
}

#[test]
fn an_exact_solver_never_triggers_any_choice() {
    let mut plain = chain(6);
    steps(
        &mut built(preset("pgs-baumgarte"), direct()),
        &mut plain,
        DT,
        30,
    );
    for policy in OnUnsolved::ALL {
        let mut world = chain(6);
        let mut scheme = built(starved(*policy, 1e-10, 1), direct());
        let solves = steps(&mut scheme, &mut world, DT, 30).solves.unwrap();
        assert_eq!(
            (solves.unsolved, solves.repeated, solves.by_tolerance),
            (0, 0, 30)
        );
        assert_eq!(world.state_hash(), plain.state_hash(), "{policy:?}");
    }
}

#[test]
fn a_step_that_never_meets_its_tolerance_ends_in_the_shortest_parts() {
    // halves of halves, of which none is solved: four steps of a quarter, to the bit
    let mut parameters = starved(OnUnsolved::Halve, 1e-15, 1);
    parameters.stop.max_halvings = 2;
    for id in ["pgs-baumgarte", "soft-step", "split-impulse"] {
        let parameters = VelocityParameters {
            stop: parameters.stop.clone(),
            ..preset(id)
        };
        let quarters = VelocityParameters {
            stop: stopping(1e-15, 1),
            ..preset(id)
        };
        let (mut halved, mut plain) = (chain(6), chain(6));
        let (mut a, mut b) = (built(parameters, pgs()), built(quarters, pgs()));
        for frame in 0..10 {
            let report = a.step(&mut halved, DT, &mut ()).unwrap();
            let parts = steps(&mut b, &mut plain, DT / 4.0, 4);
            assert_eq!(halved.state_hash(), plain.state_hash(), "{id} {frame}");
            // the whole and both halves are given up after their first solve
            let (solves, parts) = (report.solves.unwrap(), parts.solves.unwrap());
            assert_eq!((solves.repeated, solves.by_limit), (3, parts.by_limit));
            assert_eq!(solves.unsolved, 3 + parts.unsolved);
        }
    }
}

#[test]
fn a_starved_solver_meets_its_tolerance_in_shorter_steps() {
    let (tolerance, frames) = (3e-3, 60);
    let run = |policy| {
        let mut world = chain(6);
        let mut scheme = built(starved(policy, tolerance, 12), pgs());
        // cold, no length helps: the first steps begin with the load of nothing
        steps(&mut scheme, &mut world, DT, 5);
        let mut total = SolveCounts::default();
        for _ in 0..frames {
            let report = scheme.step(&mut world, DT, &mut ()).unwrap();
            let solves = report.solves.unwrap();
            assert_eq!(solves.by_limit == 0, solves.residual.unwrap() <= tolerance);
            total.add(&solves);
        }
        let time = (5.0 + f64::from(frames)) * DT;
        assert!((world.time() - time).abs() < 1e-12, "{}", world.time());
        total
    };
    let (applied, halved) = (run(OnUnsolved::Apply), run(OnUnsolved::Halve));
    assert!(applied.by_limit > 8 * applied.by_tolerance, "{applied:?}");
    assert_eq!((applied.repeated, applied.unsolved), (0, applied.by_limit));
    // a short step after a long one may miss: what that left within its tolerance is large for it
    assert!(30 * halved.by_limit < halved.by_tolerance, "{halved:?}");
    // a rejected step has one solve
    assert_eq!(halved.unsolved, halved.repeated + halved.by_limit);
}

#[test]
fn a_refused_step_says_why_and_leaves_the_world_alone() {
    let mut world = chain(6);
    let before = world.state_hash();
    let mut scheme = built(starved(OnUnsolved::Refuse, 1e-12, 3), pgs());
    let refused = scheme.step(&mut world, DT, &mut ()).unwrap_err();
    let StepError::Unsolved {
        substep,
        sweeps,
        residual,
        tolerance,
        by,
    } = refused
    else {
        panic!("{refused}");
    };
    assert_eq!((substep, sweeps, tolerance), (0, 3, 1e-12));
    assert_eq!(by, StoppedBy::Limit);
    assert_eq!(world.state_hash(), before);
    let mut applied = built(starved(OnUnsolved::Apply, 1e-12, 3), pgs());
    let report = applied.step(&mut world, DT, &mut ()).unwrap();
    assert_eq!(report.solves.unwrap().residual, Some(residual));
    // a direct method that ends above it
    let mut scheme = built(starved(OnUnsolved::Refuse, 1e-30, 3), direct());
    let refused = scheme.step(&mut chain(6), DT, &mut ()).unwrap_err();
    let by_solver = |error: &StepError| {
        matches!(
            error,
            StepError::Unsolved {
                by: StoppedBy::Solver,
                ..
            }
        )
    };
    assert!(by_solver(&refused), "{refused}");
}

#[test]
fn held_impulses_are_those_of_the_last_good_solve() {
    let mut world = chain(6);
    steps(
        &mut built(preset("pgs-baumgarte"), direct()),
        &mut world,
        DT,
        10,
    );
    let impulses = |world: &World| -> Vec<Vec<f64>> {
        let joints = world.joints().iter();
        joints.map(|joint| joint.impulses().to_vec()).collect()
    };
    let momentum = |world: &World| -> Vector3<f64> {
        let bodies = world.bodies()[1..].iter();
        bodies.map(|body| body.velocity).sum()
    };
    let good = impulses(&world);
    let mut scheme = built(starved(OnUnsolved::Hold, 1e-15, 1), pgs());
    for _ in 0..5 {
        let before = momentum(&world);
        let report = scheme.step(&mut world, DT, &mut ()).unwrap();
        assert_eq!(report.solves.unwrap().unsolved, 1);
        assert_eq!(impulses(&world), good);
        // weight and the impulse of the first joint: all others are inside
        let weight = 6.0 * G * DT * -Vector3::y();
        let changed = momentum(&world) - before - weight;
        let held = Vector3::from_column_slice(&good[0]);
        assert!((changed - held).norm() < 1e-12 * held.norm(), "{changed}");
    }
    // at half the length they are half of it (T.9)
    scheme.step(&mut world, 0.5 * DT, &mut ()).unwrap();
    for (now, good) in impulses(&world).iter().zip(&good) {
        let half: Vec<f64> = good.iter().map(|x| x * 0.5).collect();
        assert_eq!(now, &half);
    }
}

#[test]
fn a_contact_that_is_new_holds_nothing() {
    // no solve is good enough: what falls on a floor goes through it
    let mut parts = plane(0.0, ContactLaw::Disc);
    let shape = Cuboid::new(0.3, 0.2, 0.25);
    let height = 0.201;
    let body = add(&mut parts, shape, height, Material::rough(0.5));
    parts.bodies[body].velocity = Vector3::new(0.7, -0.5, 0.0);
    let mut world = parts.build().unwrap();
    let mut scheme = built(starved(OnUnsolved::Hold, 1e-15, 1), pgs());
    let report = steps(&mut scheme, &mut world, DT, 10);
    assert!(report.solves.unwrap().unsolved >= 9);
    let (n, fallen) = (10.0, world.bodies()[body].position.to_vector().y - height);
    let free = -0.5 * n * DT - G * DT * DT * n * (n + 1.0) / 2.0;
    assert!((fallen - free).abs() < 1e-12, "{fallen} {free}");
}

/// Work of the impulses on the velocities that a solve leaves \[J\], the largest, and of what
/// scale they are.
#[derive(Default)]
struct Work(f64, f64);

impl Probe for Work {
    fn wants(&self, stage: Stage) -> bool {
        stage == Stage::Solved
    }

    fn at(&mut self, _: Stage, view: &StepView<'_>) {
        let problem = view.problem.unwrap();
        let mut w = vec![0.0; problem.rows()];
        problem.shifted_velocity(view.impulses, &mut w);
        let products = || view.impulses.iter().zip(&w).map(|(a, b)| a * b);
        self.0 = self.0.max(products().sum());
        self.1 = self.1.max(products().map(f64::abs).sum());
    }
}

#[test]
fn scaled_impulses_do_no_work_and_gain_no_energy() {
    let run = |policy| {
        let mut parameters = starved(policy, 1e-12, 2);
        parameters.stabilization = Stabilization::None;
        let mut scheme = built(parameters, pgs());
        let (mut world, mut work, mut gained) =
            (stack(4, 0.0, ContactLaw::Disc), Work::default(), 0.0_f64);
        // pushes upwards, so that the impulses of the frame before are too large
        for frame in 0..60 {
            let push = if frame % 7 == 0 { 0.4 } else { 0.0 };
            let [v, w] = [world.bodies()[2].velocity, world.bodies()[2].spin];
            world.set_velocity(2, v + push * Vector3::y(), w).unwrap();
            let before = world.energy().kinetic;
            let weight: Vec<f64> = world.bodies().iter().map(|body| body.velocity.y).collect();
            scheme.step(&mut world, DT, &mut work).unwrap();
            // free motion has v − h g, and the impulses add nothing to its energy
            let free: f64 = weight[1..]
                .iter()
                .map(|v| 0.5 * (-2.0 * v * G * DT + (G * DT).powi(2)))
                .sum();
            gained = gained.max(world.energy().kinetic - before - free);
        }
        (work, gained)
    };
    let (applied, scaled) = (run(OnUnsolved::Apply), run(OnUnsolved::Scale));
    assert!(applied.0.0 > 1e-3 * applied.0.1, "{}", applied.0.0);
    assert!(scaled.0.0 < 1e-14, "{}", scaled.0.0);
    assert!(scaled.1 < 1e-12, "{}", scaled.1);
}

#[test]
fn choices_without_a_meaning_and_other_schemes_refuse_the_key() {
    let refusal = |parameters: VelocityParameters| {
        let refused = VelocityScheme::new(parameters, pgs()).unwrap_err();
        assert_eq!(refused.parameter, "on_unsolved");
        refused.to_string()
    };
    for policy in &OnUnsolved::ALL[1..] {
        let mut parameters = starved(*policy, 1e-3, 10);
        parameters.stop.tolerance = None;
        let refused = refusal(parameters);
        assert!(refused.contains("set tolerance"), "{refused}");
    }
    let mut parameters = starved(OnUnsolved::Hold, 1e-3, 10);
    parameters.warm_start = WarmStart::Off;
    let refused = refusal(parameters);
    assert!(refused.contains("warm_start"), "{refused}");
    for id in ["xpbd", "avbd", "penalty"] {
        let key = Map::from_iter([("on_unsolved".to_owned(), Value::from("hold"))]);
        let refused = scheme(id).unwrap().build_with(&key, None).err().unwrap();
        assert!(refused.to_string().contains("on_unsolved"), "{refused}");
    }
}

#[test]
fn counts_of_two_steps_add_up() {
    let one = SolveCounts {
        unsolved: 2,
        repeated: 1,
        ..SolveCounts::default()
    };
    let mut sum = one;
    sum.add(&one);
    assert_eq!((sum.unsolved, sum.repeated), (4, 2));
}
