//! Frozen problems against closed forms and against the kinematics of rigid bodies.

use delassus::prelude::*;

const H: f64 = 0.013;
const G: f64 = 9.37;

/// A body of three different moments, turned and moving.
fn body(at: Vector3<f64>, seed: f64) -> Body {
    let wave = |k: f64| libm::sin(seed + k);
    let inertia = Inertia::new(1.0 + 0.3 * seed, Vector3::new(0.21, 0.32, 0.43));
    Body::dynamic(inertia, at)
        .turned(UnitQuaternion::from_euler_angles(
            wave(1.0),
            wave(2.0),
            wave(3.0),
        ))
        .moving(
            Vector3::new(wave(4.0), wave(5.0), wave(6.0)),
            Vector3::new(wave(7.0), wave(8.0), wave(9.0)),
        )
}

/// Linear and angular velocity of a body in a solution.
fn velocity(solved: &SolveOutcome, body: usize) -> (Vector3<f64>, Vector3<f64>) {
    let v = &solved.velocities[body];
    (
        Vector3::new(v[0], v[1], v[2]),
        Vector3::new(v[3], v[4], v[5]),
    )
}

#[test]
fn a_contact_slows_a_sliding_body_by_friction() {
    // on an incline, in its axes; a body without extent has one row per direction
    let (slope, mu, speed) = (0.37_f64, 0.21, 1.9);
    let gravity = G * Vector3::new(libm::sin(slope), -libm::cos(slope), 0.0);
    for name in ["pgs", "block-gs", "auto", "projected-gradient"] {
        let mut step = Problem::builder();
        step.gravity(gravity).unwrap();
        let ground = step.body(Body::fixed(Vector3::zeros())).unwrap();
        let box_ = Body::dynamic(Inertia::point(3.7), Vector3::new(0.2, 0.0, 0.1));
        let box_ = box_.moving(speed * Vector3::x(), Vector3::zeros());
        let box_ = step.body(box_).unwrap();
        let point = Vector3::new(0.2, 0.0, 0.1);
        step.contact(ground, box_, point, 2.5 * Vector3::y(), mu)
            .unwrap();
        let solved = solve(&step.build(H).unwrap(), name, 1e-11).unwrap();
        assert_eq!(solved.status, Status::Solved, "{name}");
        let expected = speed + H * G * (libm::sin(slope) - mu * libm::cos(slope));
        let (v, _) = velocity(&solved, 1);
        assert!((v - expected * Vector3::x()).norm() < 1e-9, "{name}: {v}");
    }
}

#[test]
fn two_balls_meet_without_bouncing() {
    let (m, n) = (1.3, 4.1);
    let mut step = Problem::builder();
    let ball = |mass, x: f64, v: f64| {
        let inertia = Sphere::new(0.5).solid(mass).unwrap();
        Body::dynamic(inertia, x * Vector3::x()).moving(v * Vector3::x(), Vector3::zeros())
    };
    let a = step.body(ball(m, -0.5, 2.0)).unwrap();
    let b = step.body(ball(n, 0.5, -1.0)).unwrap();
    step.shape(a, Sphere::new(0.5)).unwrap();
    step.shape(b, Sphere::new(0.5)).unwrap();
    let solved = solve(&step.build(H).unwrap(), "pgs", 1e-12).unwrap();
    let common = (2.0 * m - n) / (m + n);
    for body in [0, 1] {
        assert!((velocity(&solved, body).0.x - common).abs() < 1e-12);
    }
    assert!((solved.impulses[0] - m * (2.0 - common)).abs() < 1e-12);
}

#[test]
fn joints_keep_what_their_names_say_and_the_momentum() {
    let (at, to) = (Vector3::new(0.1, -0.4, 0.7), Vector3::new(1.3, 0.2, -0.5));
    let (anchor, axis) = (Vector3::new(0.6, 0.3, 0.2), Vector3::new(1.0, -2.0, 0.5));
    let far = Vector3::new(2.0, 0.4, -0.1);
    for kind in ["ball", "hinge", "fixed", "slider", "distance"] {
        let mut step = Problem::builder();
        let bodies = [body(at, 0.4), body(to, 1.7)];
        let [a, b] = bodies.clone().map(|body| step.body(body).unwrap());
        match kind {
            "ball" => step.ball_joint(a, b, anchor),
            "hinge" => step.hinge(a, b, anchor, axis),
            "fixed" => step.fixed(a, b),
            "slider" => step.slider(a, b, axis),
            _ => step.distance(a, b, anchor, far),
        }
        .unwrap();
        let problem = step.build(H).unwrap();
        let free = problem.bodies().unwrap().free_velocity.clone();
        let solved = solve(&problem, "block-gs", 1e-13).unwrap();
        assert_eq!(solved.status, Status::Solved, "{kind}");
        let [(v, w), (u, s)] = [0, 1].map(|body| velocity(&solved, body));
        // of the points of both bodies at one place of the world
        let gap = |point: Vector3<f64>| u + s.cross(&(point - to)) - v - w.cross(&(point - at));
        let unit = axis.normalize();
        let rod = u + s.cross(&(far - to)) - v - w.cross(&(anchor - at));
        let (kept, broken) = match kind {
            "ball" => (gap(anchor).norm(), gap(far).norm()),
            "hinge" => (
                gap(anchor).norm() + gap(anchor + axis).norm(),
                gap(far).norm(),
            ),
            "fixed" => ((s - w).norm() + gap(anchor).norm(), 1.0),
            "slider" => (
                (s - w).norm() + gap(to).cross(&unit).norm(),
                gap(to).dot(&unit).abs(),
            ),
            _ => (rod.dot(&(far - anchor)).abs(), rod.norm()),
        };
        assert!(kept < 1e-10, "{kind}: {kept:e}");
        assert!(broken > 1e-3, "{kind} leaves nothing free");
        let momentum = |numbers: &[f64]| {
            let part = |k: usize| Vector3::new(numbers[k], numbers[k + 1], numbers[k + 2]);
            let mass = bodies.clone().map(|body| body.inertia.mass);
            let turn = bodies.clone().map(|body| body.world_inertia());
            let linear = mass[0] * part(0) + mass[1] * part(6);
            let angular = mass[0] * at.cross(&part(0)) + mass[1] * to.cross(&part(6));
            (linear, angular + turn[0] * part(3) + turn[1] * part(9))
        };
        let (before, after) = (momentum(&free), momentum(solved.velocities.as_flattened()));
        assert!((before.0 - after.0).norm() < 1e-12, "{kind}");
        assert!((before.1 - after.1).norm() < 1e-11, "{kind}");
    }
}

#[test]
fn the_frozen_problem_is_that_of_a_scheme_that_corrects_nothing() {
    use delassus::core::parameter::Map;
    use delassus::dynamics::{Probe, Scheme, StepView};

    #[derive(Default)]
    struct First(Option<Problem>);
    impl Probe for First {
        fn wants(&self, stage: delassus::dynamics::Stage) -> bool {
            stage == delassus::dynamics::Stage::Assembled
        }
        fn at(&mut self, _: delassus::dynamics::Stage, view: &StepView<'_>) {
            self.0.get_or_insert_with(|| view.problem.unwrap().clone());
        }
    }

    let mut world = World::new(Vector3::new(0.3, -G, 0.0)).unwrap();
    let ground = world.add_body(Body::fixed(Vector3::zeros())).unwrap();
    world.add_shape(ground, HalfSpace::default()).unwrap();
    let cube = Cuboid::new(0.3, 0.4, 0.5);
    // one overlaps the ground, one is a little above it
    for (x, y) in [(0.0, 0.399), (3.0, 0.401)] {
        let at = Vector3::new(x, y, 0.0);
        let body = Body::dynamic(cube.solid(2.0).unwrap(), at);
        let body = world
            .add_body(body.moving(Vector3::x(), Vector3::y()))
            .unwrap();
        world.add_shape(body, cube).unwrap();
    }
    let joint = world.hinge(1, 2, Vector3::new(1.5, 0.4, 0.0), Vector3::z());
    world.add_joint(joint.unwrap()).unwrap();
    let frozen = world.freeze(H).unwrap();
    let none = Map::from_iter([("stabilization".to_owned(), "none".into())]);
    let velocity = delassus::registry::scheme("velocity").unwrap();
    let mut scheme = velocity
        .build_with(&none, Some(solver("pgs").unwrap()))
        .unwrap();
    let mut first = First::default();
    scheme.step(&mut world, H, &mut first).unwrap();
    assert_eq!(first.0, Some(frozen.clone()));
    assert_eq!(frozen.rows(), 5 + 8 * 3);
    // the gap of the second box, over the step
    let gap = 0.001 / H;
    assert!(frozen.bias().iter().any(|b| (b - gap).abs() < 1e-9));
}

#[test]
fn history_and_limits_say_how_far_a_solve_came() {
    let mut step = Problem::builder();
    step.gravity(-G * Vector3::y()).unwrap();
    let mut last = step.body(Body::fixed(Vector3::zeros())).unwrap();
    for link in 1..=12 {
        // the longer a hanging chain, the slower sequential impulses
        let at = -f64::from(link) * Vector3::y();
        let inertia = Capsule::new(0.4, 0.05).solid(1.0).unwrap();
        let next = step.body(Body::dynamic(inertia, at)).unwrap();
        step.ball_joint(last, next, at + 0.5 * Vector3::y())
            .unwrap();
        last = next;
    }
    let problem = step.build(H).unwrap();
    let limits = SolveLimits {
        max_sweeps: 40,
        ..SolveLimits::default()
    };
    let mut pgs = solver("pgs").unwrap();
    let short = solve_with(&problem, &mut pgs, Start::Cold, &limits).unwrap();
    assert_eq!((short.status, short.sweeps), (Status::MaxSweeps, 40));
    assert!(short.row_updates >= 40 * problem.rows() as u64);
    assert_eq!(short.history[0].sweeps, 0);
    let sweeps = short.history.windows(2).all(|p| p[0].sweeps < p[1].sweeps);
    assert!(sweeps && short.residual > limits.tolerance);
    let start = Start::Warm(&short.impulses);
    let on = solve_with(&problem, &mut pgs, start, &SolveLimits::default()).unwrap();
    assert!(on.is_solved());
    assert_eq!(on.history[0].residual, short.residual);
    let direct = solve(&problem, "dense-direct", 1e-10).unwrap();
    for (a, b) in on.velocities.iter().zip(&direct.velocities) {
        for (a, b) in a.iter().zip(b) {
            assert!((a - b).abs() < 1e-4, "{a} {b}");
        }
    }
    // an own evaluation, outside the library's loop
    let mut evaluator = Evaluator::new(&problem).unwrap();
    let residuals = evaluator.evaluate(&on.impulses).unwrap();
    assert_eq!(residuals, on.residuals);
}
