//! Whole frames of scenes with joints, of Delassus, Rapier and Box3D, in one run.
//!
//! `cargo bench --manifest-path crates/peers/rapier/Cargo.toml --bench joints` prints a Markdown
//! table; words after `--` keep the scenes whose names hold one of them. All engines start from the
//! same scene and take the same frames of 1/60 s with four substeps, in turn. A time is the median
//! of the processor times of the frames, with their least. The gap is the largest distance of the
//! two anchors of a joint in the measured frames, so that a time can be judged with what it buys.
//! Rapier and Box3D run with their defaults on one thread, without sleeping. Delassus is Soft Step
//! with `wide-pgs`, with every pair looked at in every frame, and with pairs kept as Rapier and
//! Box3D keep them.
//!
//! What differs: the ground of Box3D is a box, and that of the others a half-space. Box3D checks
//! its own conditions unless it is built with `CFLAGS=-DNDEBUG`.

#[path = "joints/box3d.rs"]
mod box3d;

use box3d::Box3d;
use delassus_bench::clock::{self, ThreadClock};
use delassus_bench::contacts::{BenchBody, DT, FRICTION, RECYCLE, soft_step};
use delassus_bench::joints::{
    BenchJoint, DENSITY, JointKind, JointScene, bridges, carts, chains, cloth, humans,
};
use delassus_dynamics::{Scheme, World};
use rapier3d::prelude::{
    ColliderBuilder, GenericJoint, MassProperties, PhysicsWorld, RevoluteJointBuilder,
    RigidBodyBuilder, RigidBodyHandle, SharedShape, SphericalJointBuilder, Vector,
};

/// Frames before the measured ones, and measured ones.
const FRAMES: [usize; 2] = [60, 61];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    println!(
        "| scene | engine | joints | points | frame, ms | least, ms | µs per joint or point | gap, mm |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let scenes: [(&str, JointScene); 8] = [
        ("10 chains", chains(10)),
        ("500 chains", chains(500)),
        ("100 bridges", bridges(100)),
        ("500 carts", carts(500)),
        ("20 humans", humans(20)),
        ("300 humans", humans(300)),
        ("cloth of 20 × 20", cloth(20)),
        ("cloth of 60 × 60", cloth(60)),
    ];
    for (name, scene) in scenes {
        if words.is_empty() || words.iter().any(|word| name.contains(word.as_str())) {
            compare(name, &scene);
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "Rapier computes in f32")]
fn vector(x: [f64; 3]) -> Vector {
    let [x, y, z] = x.map(|x| x as f32);
    Vector::new(x, y, z)
}

/// Rapier's copy of a scene: the world, the ground and the bodies.
struct Theirs {
    world: PhysicsWorld,
    ground: RigidBodyHandle,
    bodies: Vec<RigidBodyHandle>,
}

impl Theirs {
    fn new(scene: &JointScene) -> Self {
        let mut world = PhysicsWorld::new();
        let ground = world.insert_body(RigidBodyBuilder::fixed());
        let mut theirs = Self {
            world,
            ground,
            bodies: Vec::new(),
        };
        if scene.contacts {
            let plane = SharedShape::halfspace(Vector::new(0.0, 1.0, 0.0));
            theirs.cover(ground, ColliderBuilder::new(plane));
        }
        for (piece, at) in &scene.pieces {
            theirs.add(scene, piece, *at);
        }
        for joint in &scene.joints {
            theirs.join(scene, joint);
        }
        theirs.world.physics_pipeline.counters.enable();
        theirs
    }

    #[expect(clippy::cast_possible_truncation, reason = "Rapier computes in f32")]
    fn add(&mut self, scene: &JointScene, piece: &BenchBody, at: [f64; 3]) {
        let density = DENSITY as f32;
        let body = RigidBodyBuilder::dynamic()
            .translation(vector(at))
            .linvel(vector([scene.speed, 0.0, 0.0]))
            .can_sleep(false);
        let (mass, shape) = match *piece {
            BenchBody::Box(half) => {
                let [x, y, z] = half.map(|x| x as f32);
                let mass = MassProperties::from_cuboid(density, vector(half));
                (mass, ColliderBuilder::cuboid(x, y, z))
            }
            BenchBody::Ball(radius) => {
                let mass = MassProperties::from_ball(density, radius as f32);
                (mass, ColliderBuilder::ball(radius as f32))
            }
        };
        if scene.contacts {
            let body = self.world.insert_body(body);
            self.cover(body, shape.density(density));
            self.bodies.push(body);
        } else {
            // a body without collider gets its mass by itself
            let body = self
                .world
                .insert_body(body.additional_mass_properties(mass));
            self.bodies.push(body);
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "Rapier computes in f32")]
    fn cover(&mut self, body: RigidBodyHandle, collider: ColliderBuilder) {
        let collider = collider.friction(FRICTION as f32);
        let world = &mut self.world;
        world
            .colliders
            .insert_with_parent(collider, body, &mut world.bodies);
    }

    fn join(&mut self, scene: &JointScene, joint: &BenchJoint) {
        let [a, b] = joint.bodies.map(|body| match body {
            Some(body) => self.bodies[body],
            None => self.ground,
        });
        let [first, second] = scene.anchors(joint).map(vector);
        let made: GenericJoint = match joint.kind {
            JointKind::Ball => SphericalJointBuilder::new()
                .local_anchor1(first)
                .local_anchor2(second)
                .contacts_enabled(false)
                .into(),
            JointKind::Hinge => hinge(first, second).into(),
            #[expect(clippy::cast_possible_truncation, reason = "Rapier computes in f32")]
            JointKind::Limited(range) => hinge(first, second)
                .limits(range.map(|angle| angle as f32))
                .into(),
        };
        self.world.insert_impulse_joint(a, b, made);
    }

    /// Largest distance of the anchors of a joint \[m\].
    fn gap(&self, scene: &JointScene) -> f64 {
        let gaps = scene.joints.iter().map(|joint| {
            let local = scene.anchors(joint).map(vector);
            let bodies = joint.bodies;
            let place = |side: usize| {
                let body = bodies[side].map_or(self.ground, |body| self.bodies[body]);
                self.world.bodies[body].position() * local[side]
            };
            f64::from((place(0) - place(1)).length())
        });
        gaps.fold(0.0, f64::max)
    }
}

fn hinge(first: Vector, second: Vector) -> RevoluteJointBuilder {
    RevoluteJointBuilder::new(Vector::new(0.0, 0.0, 1.0))
        .local_anchor1(first)
        .local_anchor2(second)
        .contacts_enabled(false)
}

/// Times of the measured frames \[s\], and the largest gap in them \[m\].
#[derive(Default)]
struct Measured {
    times: Vec<f64>,
    gap: f64,
}

impl Measured {
    fn push(&mut self, time: f64, gap: f64) {
        self.times.push(time);
        self.gap = self.gap.max(gap);
    }
}

/// One of ours, with its scheme.
struct Ours {
    name: &'static str,
    world: World,
    scheme: Box<dyn Scheme>,
    measured: Measured,
}

impl Ours {
    fn new(name: &'static str, scene: &JointScene, recycle: f64) -> Self {
        Self {
            name,
            world: scene.world(recycle).expect("a valid world"),
            scheme: soft_step(),
            measured: Measured::default(),
        }
    }

    fn step(&mut self, scene: &JointScene, measured: bool) {
        let clock = ThreadClock::start();
        let step = self.scheme.step(&mut self.world, DT, &mut ());
        let time = clock.seconds();
        step.expect("a step");
        if measured {
            let gap = self.gap(scene);
            self.measured.push(time, gap);
        }
    }

    /// Largest distance of the anchors of a joint \[m\].
    fn gap(&self, scene: &JointScene) -> f64 {
        let gaps = scene.joints.iter().map(|joint| {
            let local = scene.anchors(joint);
            let place = |side: usize| {
                let body = &self.world.bodies()[joint.bodies[side].map_or(0, |body| body + 1)];
                body.position.to_vector() + body.orientation * nalgebra::Vector3::from(local[side])
            };
            (place(0) - place(1)).norm()
        });
        gaps.fold(0.0, f64::max)
    }
}

fn compare(name: &str, scene: &JointScene) {
    let mut theirs = Theirs::new(scene);
    let mut box3d = Box3d::new(scene).expect("a valid world");
    let mut measured = [Measured::default(), Measured::default()];
    let mut ours = vec![Ours::new("Delassus", scene, 0.0)];
    if scene.contacts {
        ours.push(Ours::new("Delassus, keeping pairs", scene, RECYCLE));
    }
    for frame in 0..FRAMES[0] + FRAMES[1] {
        let counts = frame >= FRAMES[0];
        let rapier = clock::seconds(|| theirs.world.step());
        let box3d_time = clock::seconds(|| box3d.step().expect("a step"));
        if counts {
            let [of_rapier, of_box3d] = &mut measured;
            of_rapier.push(rapier, theirs.gap(scene));
            of_box3d.push(box3d_time, box3d.gap(scene).expect("a valid body"));
        }
        for engine in &mut ours {
            engine.step(scene, counts);
        }
    }
    let joints = scene.joints.len();
    let points = theirs.world.physics_pipeline.counters.solver.ncontacts;
    let [of_rapier, of_box3d] = measured;
    row([name, "Rapier"], [joints, points], of_rapier);
    let points = box3d.points().expect("a valid body");
    row([name, "Box3D"], [joints, points], of_box3d);
    for engine in ours {
        let points = engine.world.manifolds().iter().map(|m| m.points.len());
        row([name, engine.name], [joints, points.sum()], engine.measured);
    }
}

fn row([scene, engine]: [&str; 2], [joints, points]: [usize; 2], mut measured: Measured) {
    measured.times.sort_by(f64::total_cmp);
    let frame = measured.times[measured.times.len() / 2];
    println!(
        "| {scene} | {engine} | {joints} | {points} | {:.3} | {:.3} | {:.2} | {:.3} |",
        1e3 * frame,
        1e3 * measured.times[0],
        1e6 * frame / (joints + points) as f64,
        1e3 * measured.gap,
    );
}
