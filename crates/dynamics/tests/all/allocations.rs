//! A step of rows that stay allocates nothing after the first ones: every scheme with every
//! sweeping solver, `hybrid` among them, which factorizes joints.

use delassus_collide::{Collider, Cuboid, HalfSpace};
use delassus_core::{ImpulseSolver, Solver, SolverVisitor};
use delassus_dynamics::constraints::{AngleLimit, Gear, Hinge, Point};
use delassus_dynamics::{
    Body, ContactLaw, ContactPoint, Inertia, Joint, Manifold, Probe, Scheme, Stage, StepView,
    VelocityScheme, World, WorldParts, presets, scheme, schemes,
};
use delassus_solver_si::{Hybrid, Pgs, visit_solvers};
use delassus_solver_wide::WidePgs;
use nalgebra::Vector3;

const DT: f64 = 1.0 / 60.0;

/// Three boxes on each other, on the ground, whose contacts are handed in.
fn stack(restitution: f64) -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -9.81, 0.0),
        ..WorldParts::default()
    };
    let mut below = parts.body(Body::fixed(Vector3::new(0.0, -0.5, 0.0)));
    let corners = [(0.5, 0.5), (0.5, -0.5), (-0.5, -0.5), (-0.5, 0.5)];
    for level in 0..3 {
        let inertia = Inertia::new(1.0, Vector3::repeat(1.0 / 6.0));
        let at = Vector3::new(0.0, 0.5 + f64::from(level), 0.0);
        let above = parts.body(Body::dynamic(inertia, at));
        let points = corners.map(|(x, z)| ContactPoint {
            anchors: [Vector3::new(x, 0.5, z), Vector3::new(x, -0.5, z)],
            radii: [0.0; 2],
        });
        let points = points.to_vec();
        let bodies = [below, above];
        let mut manifold = Manifold::new(bodies, Vector3::y(), points, 0.5, ContactLaw::Disc);
        manifold.restitution = restitution;
        parts.manifolds.push(manifold);
        below = above;
    }
    parts.build().unwrap()
}

/// The same boxes as colliders, which find their contacts.
fn colliding(recycle: f64) -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -9.81, 0.0),
        ..WorldParts::default()
    };
    parts.contacts.recycle = recycle;
    let ground = parts.body(Body::fixed(Vector3::zeros()));
    parts.collider(Collider::new(ground, HalfSpace::default()));
    for level in 0..3 {
        let at = Vector3::new(0.02 * f64::from(level % 2), 0.5 + f64::from(level), 0.0);
        let inertia = Inertia::new(1.0, Vector3::repeat(1.0 / 6.0));
        let body = parts.body(Body::dynamic(inertia, at));
        parts.collider(Collider::new(body, Cuboid::new(0.5, 0.5, 0.5)));
    }
    parts.build().unwrap()
}

/// Most allocations of a step in the second after one in which memory grows with the rows.
fn allocations(scheme: &mut dyn Scheme, world: &mut World) -> u64 {
    allocations_after(60, scheme, world)
}

/// Most allocations of a step in the second after so many steps.
fn allocations_after(steps: u32, scheme: &mut dyn Scheme, world: &mut World) -> u64 {
    for _ in 0..steps {
        scheme.step(world, DT, &mut ()).unwrap();
    }
    let counts = (0..60).map(|_| {
        let counted = allocation_counter::measure(|| {
            scheme.step(world, DT, &mut ()).unwrap();
        });
        counted.count_total
    });
    counts.max().unwrap()
}

fn boxed<S: Solver>() -> Box<dyn ImpulseSolver> {
    Box::new(S::new(Default::default()).unwrap())
}

/// Every solver of a crate.
#[derive(Default)]
struct Makers(Vec<fn() -> Box<dyn ImpulseSolver>>);

impl SolverVisitor for Makers {
    fn visit<S: Solver>(&mut self) {
        self.0.push(boxed::<S>);
    }
}

#[test]
fn a_step_of_held_manifolds_allocates_nothing() {
    let mut makers = Makers::default();
    visit_solvers(&mut makers);
    delassus_solver_wide::visit_solvers(&mut makers);
    let mut pairs = 0;
    for entry in schemes() {
        let id = entry.descriptor.id;
        for make in &makers.0 {
            let solver = make();
            let name = solver.descriptor().id;
            let given = entry.descriptor.uses_solver.then_some(solver);
            let alone = given.is_none();
            let mut scheme = entry.build_with(&Default::default(), given).unwrap();
            let count = allocations(scheme.as_mut(), &mut stack(0.0));
            assert_eq!(count, 0, "{id} with {name}");
            pairs += 1;
            if alone {
                break;
            }
        }
    }
    assert!(pairs > 200, "{pairs}");
}

#[test]
fn neither_do_explicit_penalties() {
    let given = serde_json::json!({ "integration": "explicit", "substeps": 100 });
    let given = given.as_object().cloned().unwrap_or_default();
    let mut scheme = scheme("penalty").unwrap().build_with(&given, None).unwrap();
    assert_eq!(allocations(scheme.as_mut(), &mut stack(0.0)), 0);
}

/// Counts the solves in which contacts bounce.
struct Bounces(u32);

impl Probe for Bounces {
    fn wants(&self, stage: Stage) -> bool {
        stage == Stage::Restituted
    }

    fn at(&mut self, _: Stage, _: &StepView<'_>) {
        self.0 += 1;
    }
}

#[test]
fn neither_do_bounces() {
    let mut bounces = Bounces(0);
    for preset in presets() {
        let mut parameters = (preset.parameters)();
        // where rows come and go, lists grow with every new pattern, and wide-pgs makes other
        // bundles
        parameters.speculative_margin = None;
        for solver in [boxed::<Pgs>(), boxed::<WidePgs>()] {
            let mut scheme = VelocityScheme::new(parameters.clone(), solver).unwrap();
            let mut world = stack(1.0);
            // thrown down again before every step
            let down = Vector3::new(0.0, -2.0, 0.0);
            for step in 0..120 {
                world.set_velocity(1, down, Vector3::zeros()).unwrap();
                let counted = allocation_counter::measure(|| {
                    scheme.step(&mut world, DT, &mut bounces).unwrap();
                });
                let count = counted.count_total;
                assert!(step < 60 || count == 0, "{} {count}", preset.id);
            }
        }
    }
    assert!(bounces.0 > 100, "{}", bounces.0);
}

/// Three bobs below each other, which swing.
fn chain() -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -9.81, 0.0),
        ..WorldParts::default()
    };
    let mut above = parts.body(Body::fixed(Vector3::zeros()));
    for link in 1..4 {
        let at = f64::from(link) * Vector3::x();
        let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
        let bob = parts.body(Body::dynamic(inertia, at));
        parts.joint(Joint::new(Point {
            bodies: [above, bob],
            anchors: [0.5 * Vector3::x(), -0.5 * Vector3::x()],
        }));
        above = bob;
    }
    parts.build().unwrap()
}

/// A bob with two wheels on it that are geared, and stops.
fn geared() -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -9.81, 0.0),
        ..WorldParts::default()
    };
    let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    let ground = parts.body(Body::fixed(Vector3::zeros()));
    let bob = parts.body(Body::dynamic(inertia, Vector3::x()));
    parts.joint(Joint::new(Hinge {
        bodies: [ground, bob],
        anchors: [Vector3::zeros(), -Vector3::x()],
        axes: [Vector3::z(); 2],
    }));
    let wheels = [-0.3, 0.3].map(|across| {
        let arm = across * Vector3::y();
        let wheel = parts.body(Body::dynamic(inertia, Vector3::x() + arm));
        parts.joint(Joint::new(Hinge {
            bodies: [bob, wheel],
            anchors: [arm, Vector3::zeros()],
            axes: [Vector3::z(); 2],
        }));
        wheel
    });
    parts.joint(Joint::new(Gear {
        bodies: [wheels[0], wheels[1], bob],
        axes: [Vector3::z(); 2],
        frame_axes: [Vector3::z(); 2],
        teeth: [10, -20],
        phase: 0.0,
    }));
    parts.joint(Joint::new(AngleLimit {
        bodies: [ground, bob],
        axes: [Vector3::z(); 2],
        lower: -1.0,
        upper: 1.0,
        reference: 0.0,
    }));
    parts.build().unwrap()
}

#[test]
fn neither_do_joints() {
    let mut makers = Makers::default();
    visit_solvers(&mut makers);
    delassus_solver_wide::visit_solvers(&mut makers);
    // lets joints drift until numbers overflow
    let keeps = |make: &fn() -> Box<dyn ImpulseSolver>| make().descriptor().id != "naive-impulses";
    makers.0.retain(keeps);
    let (mut count, mut broken) = (0, Vec::new());
    for entry in schemes() {
        let id = entry.descriptor.id;
        for mut world in [chain(), geared()] {
            for make in &makers.0 {
                let name = make().descriptor().id;
                let solver = entry.descriptor.uses_solver.then(make);
                let alone = solver.is_none();
                let mut scheme = entry.build_with(&Default::default(), solver).unwrap();
                let found = allocations(scheme.as_mut(), &mut world);
                if found > 0 {
                    broken.push(format!("{id} with {name}: {found}"));
                }
                count += 1;
                if alone {
                    break;
                }
            }
        }
    }
    assert!(broken.is_empty(), "{broken:?}");
    assert!(count > 400, "{count}");
}

#[test]
fn neither_does_judging_sweeps() {
    let preset = presets().iter().find(|preset| preset.id == "soft-step");
    let mut parameters = (preset.unwrap().parameters)();
    parameters.stop.tolerance = Some(1e-4);
    for solver in [boxed::<WidePgs>(), boxed::<Hybrid>()] {
        let mut scheme = VelocityScheme::new(parameters.clone(), solver).unwrap();
        assert_eq!(allocations(&mut scheme, &mut stack(0.0)), 0);
    }
}

#[test]
fn neither_does_looking_for_contacts() {
    let mut count = 0;
    for entry in schemes() {
        let id = entry.descriptor.id;
        for (recycle, solver) in [(0.0, boxed::<Pgs>()), (0.01, boxed::<WidePgs>())] {
            let solver = entry.descriptor.uses_solver.then_some(solver);
            let mut scheme = entry.build_with(&Default::default(), solver).unwrap();
            // until the stack is at rest: where points come and go, lists grow with the most there
            // were
            let mut world = colliding(recycle);
            let found = allocations_after(240, scheme.as_mut(), &mut world);
            assert_eq!(found, 0, "{id}, contacts recycled within {recycle} m");
            count += 1;
        }
    }
    assert!(count > 20, "{count}");
}
