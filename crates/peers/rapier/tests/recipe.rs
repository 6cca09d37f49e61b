//! Trajectories beside Rapier's: its solver states the recipe of Soft Step, and the preset `rapier`
//! is meant to be it.
//!
//! `cargo test --release --manifest-path crates/peers/rapier/Cargo.toml --test recipe --
//! --nocapture` prints how far apart the engines are. What is left between them: Rapier computes in
//! f32 and visits the points of a manifold and the rows of a joint in another order, which one
//! sweep shows and a hundred do not.

use delassus_collide::{Collider, Cuboid, HalfSpace, Material, ShapeGeometry};
use delassus_core::{ContactLaw, Solver};
use delassus_dynamics::constraints::Point;
use delassus_dynamics::{
    Body, Joint, Scheme, VelocityParameters, VelocityScheme, World, WorldParts, presets,
};
use delassus_solver_si::Pgs;
use nalgebra::Vector3;
use rapier3d::prelude::{
    ColliderBuilder, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, SharedShape,
    SphericalJointBuilder, Vector,
};

const G: f64 = 9.81;
const DT: f64 = 1.0 / 60.0;

fn single(x: Vector3<f64>) -> Vector {
    let x: Vector3<f32> = x.cast();
    Vector::new(x.x, x.y, x.z)
}

fn rapier() -> PhysicsWorld {
    let mut world = PhysicsWorld {
        gravity: single(-G * Vector3::y()),
        ..PhysicsWorld::default()
    };
    world.integration_parameters.contact_recycling = false;
    world
}

/// Places of every body after every frame, in both engines.
struct Paths {
    theirs: Vec<Vec<Vector3<f64>>>,
    ours: Vec<Vec<Vector3<f64>>>,
}

impl Paths {
    fn run(
        theirs: &mut PhysicsWorld,
        handles: &[RigidBodyHandle],
        (ours, scheme): (&mut World, &mut VelocityScheme),
        frames: usize,
    ) -> Self {
        let mut paths = Self {
            theirs: Vec::new(),
            ours: Vec::new(),
        };
        for _ in 0..frames {
            theirs.step();
            scheme.step(ours, DT, &mut ()).expect("a step");
            let place = |handle: &RigidBodyHandle| {
                let at = theirs.bodies[*handle].translation();
                Vector3::new(at.x, at.y, at.z).cast()
            };
            paths.theirs.push(handles.iter().map(place).collect());
            let bodies = ours.bodies()[1..].iter();
            let places = bodies.map(|body| body.position.to_vector());
            paths.ours.push(places.collect());
        }
        paths
    }

    /// Largest distance between the engines over all bodies and the frames up to a time \[m\].
    fn apart(&self, time: f64) -> f64 {
        let frames = self.theirs.iter().zip(&self.ours).zip(1_u32..);
        let until = frames.take_while(|(_, frame)| f64::from(*frame) * DT <= time + 1e-9);
        let pairs = until.flat_map(|((a, b), _)| a.iter().zip(b));
        pairs.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
    }
}

/// Cubes of one metre above each other with these gaps \[m\], on a plane.
fn stacks(gap: f64, count: u32) -> (PhysicsWorld, Vec<RigidBodyHandle>, World) {
    let mut theirs = rapier();
    let plane = ColliderBuilder::new(SharedShape::halfspace(Vector::new(0.0, 1.0, 0.0)));
    theirs.insert(RigidBodyBuilder::fixed(), plane.friction(0.6));
    let mut parts = WorldParts {
        gravity: -G * Vector3::y(),
        ..WorldParts::default()
    };
    parts.contacts.law = ContactLaw::Patch;
    let ground = parts.body(Body::fixed(Vector3::zeros()));
    let rough = Material::rough(0.6);
    parts.collider(Collider::new(ground, HalfSpace::default()).of(rough));
    let mut handles = Vec::new();
    let shape = Cuboid::cube(0.5);
    for level in 0..count {
        let at = Vector3::new(0.0, 0.5 + gap + f64::from(level) * (1.0 + gap), 0.0);
        let body = RigidBodyBuilder::dynamic().translation(single(at));
        let cube = ColliderBuilder::cuboid(0.5, 0.5, 0.5).density(1000.0);
        let inserted = theirs.insert(body.can_sleep(false), cube.friction(0.6));
        handles.push(inserted.0);
        let body = parts.body(Body::dynamic(shape.inertia(1000.0).expect("a solid"), at));
        parts.collider(Collider::new(body, shape).of(rough));
    }
    (theirs, handles, parts.build().expect("a valid world"))
}

/// A chain of boxes, 0.4 m long, on ball joints, that hangs level from a fixed point and falls.
fn chains(count: u32) -> (PhysicsWorld, Vec<RigidBodyHandle>, World) {
    let mut theirs = rapier();
    let mut last = theirs.insert_body(RigidBodyBuilder::fixed());
    let mut parts = WorldParts {
        gravity: -G * Vector3::y(),
        ..WorldParts::default()
    };
    parts.body(Body::fixed(Vector3::zeros()));
    let half = Vector3::new(0.2, 0.05, 0.05);
    let shape = Cuboid::new(half.x, half.y, half.z);
    let mut handles = Vec::new();
    for link in 0..count {
        let at = Vector3::new(0.2 + 0.4 * f64::from(link), 0.0, 0.0);
        let body = RigidBodyBuilder::dynamic().translation(single(at));
        let sides = single(half);
        let solid = ColliderBuilder::cuboid(sides.x, sides.y, sides.z)
            .density(1000.0)
            // nothing touches
            .sensor(true);
        let handle = theirs.insert(body.can_sleep(false), solid).0;
        let before = if link == 0 {
            Vector3::zeros()
        } else {
            0.2 * Vector3::x()
        };
        let joint = SphericalJointBuilder::new()
            .local_anchor1(single(before))
            .local_anchor2(single(-0.2 * Vector3::x()));
        theirs.insert_impulse_joint(last, handle, joint);
        last = handle;
        handles.push(handle);
        let body = parts.body(Body::dynamic(shape.inertia(1000.0).expect("a solid"), at));
        parts.joint(Joint::new(Point {
            bodies: [body - 1, body],
            anchors: [before, -0.2 * Vector3::x()],
        }));
    }
    (theirs, handles, parts.build().expect("a valid world"))
}

/// A run of both engines with as many sweeps in every pass.
fn follow(
    (mut theirs, handles, mut ours): (PhysicsWorld, Vec<RigidBodyHandle>, World),
    preset: &str,
    sweeps: u32,
) -> Paths {
    let settings = &mut theirs.integration_parameters;
    settings.num_internal_pgs_iterations = sweeps as usize;
    settings.num_internal_stabilization_iterations = sweeps as usize;
    let preset = presets().iter().find(|known| known.id == preset);
    let parameters = VelocityParameters {
        sweeps,
        relax_sweeps: sweeps,
        ..(preset.expect("a preset").parameters)()
    };
    let solver = Box::new(Pgs::new(Default::default()).expect("the defaults"));
    let mut scheme = VelocityScheme::new(parameters, solver).expect("a scheme");
    Paths::run(&mut theirs, &handles, (&mut ours, &mut scheme), 120)
}

impl Paths {
    fn tell(&self, what: &str) {
        let apart = [0.25, 0.5, 1.0, 2.0].map(|time| format!("{:.1e}", self.apart(time)));
        println!("{what}: {apart:?} m apart within 1/4, 1/2, 1, 2 s");
    }
}

/// With solves that have converged nothing of the recipe may differ: what is left is f32.
#[test]
fn solved_to_the_end_the_engines_agree() {
    for (gap, limit) in [(0.0, 1e-6), (0.05, 1e-5)] {
        let paths = follow(stacks(gap, 1), "rapier", 100);
        paths.tell(&format!("a cube from {gap} m, 100 sweeps"));
        assert!(paths.apart(2.0) < limit, "{}", paths.apart(2.0));
    }
    for (count, limits) in [(1, [1e-5, 1e-4]), (2, [1e-5, 2e-4]), (5, [1e-5, 2e-3])] {
        let paths = follow(chains(count), "rapier", 100);
        paths.tell(&format!("a chain of {count}, 100 sweeps"));
        for (time, limit) in [0.25, 2.0].into_iter().zip(limits) {
            let apart = paths.apart(time);
            assert!(apart < limit, "chain of {count}, {time} s: {apart}");
        }
    }
    // 20 contact points at once: corners that are visited in another order still push cubes aside
    // by fractions of a millimetre
    let paths = follow(stacks(0.05, 5), "rapier", 100);
    paths.tell("five cubes from 0.05 m, 100 sweeps");
    assert!(paths.apart(2.0) < 3e-3, "{}", paths.apart(2.0));
}

/// One sweep a pass, as both engines have it: the order of the visits is seen.
#[test]
fn with_one_sweep_they_follow_each_other() {
    // soft-step relaxes joints along the arms of the moved poses, Rapier along the old ones
    for (preset, swing) in [("rapier", 0.03), ("soft-step", 0.1)] {
        for (gap, count, limit) in [(0.0, 1, 1e-4), (0.05, 1, 5e-3), (0.05, 5, 0.02)] {
            let paths = follow(stacks(gap, count), preset, 1);
            paths.tell(&format!("{preset}, {count} cubes from {gap} m"));
            assert!(
                paths.apart(2.0) < limit,
                "{preset} {count}: {}",
                paths.apart(2.0)
            );
        }
        for count in [1, 2, 5] {
            let paths = follow(chains(count), preset, 1);
            paths.tell(&format!("{preset}, a chain of {count}"));
            // of lengths of 0.4 to 2 m that swing through a half circle
            assert!(
                paths.apart(2.0) < swing,
                "{preset} {count}: {}",
                paths.apart(2.0)
            );
        }
    }
}

/// A detail of another preset is seen at once where the solves have converged.
#[test]
fn another_recipe_is_told_apart() {
    let same = follow(chains(2), "rapier", 100).apart(0.5);
    for preset in ["soft-step", "solver2d-soft-step", "tgs-soft"] {
        let paths = follow(chains(2), preset, 100);
        paths.tell(&format!("{preset}, a chain of 2, 100 sweeps"));
        assert!(
            paths.apart(0.5) > 10.0 * same,
            "{preset}: {}",
            paths.apart(0.5)
        );
    }
}
