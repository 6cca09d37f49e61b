//! The same scenes in Rapier and here, stepped alike: 60 frames a second, four substeps, contacts
//! found by each engine.
//!
//! `cargo test --manifest-path crates/peers/rapier/Cargo.toml -- --nocapture` prints what both
//! found. The models differ in this: Rapier computes in f32 and has friction per patch; here a
//! point has Coulomb's cone. What does not hang on that has to agree.

use delassus_bench::contacts::{BenchBody, DT, heap, soft_step};
use delassus_collide::{Collider, CombineRule, Cuboid, HalfSpace, Material, ShapeGeometry, Sphere};
use delassus_dynamics::{Body, World, WorldParts};
use nalgebra::Vector3;
use rapier3d::prelude::{
    CoefficientCombineRule, ColliderBuilder, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle,
    SharedShape, Vector,
};

const G: f64 = 9.81;

/// Surfaces closer than this touch \[m\].
const NEAR: f64 = 0.005;

/// A body of both engines: its shape, place \[m\] and friction coefficient.
struct Thing {
    piece: BenchBody,
    at: [f64; 3],
    friction: f64,
}

/// The same bodies on a plane in both engines; gravity is that of a slope that falls along x by
/// `angle` \[rad\].
struct Both {
    theirs: PhysicsWorld,
    bodies: Vec<RigidBodyHandle>,
    ours: World,
}

fn single(x: [f64; 3]) -> Vector {
    let [x, y, z] = x.map(|x| {
        #[expect(clippy::cast_possible_truncation, reason = "Rapier computes in f32")]
        let x = x as f32;
        x
    });
    Vector::new(x, y, z)
}

impl Both {
    fn new(things: &[Thing], angle: f64) -> Self {
        let gravity = [G * angle.sin(), -G * angle.cos(), 0.0];
        let (theirs, bodies) = theirs(things, gravity);
        Self {
            theirs,
            bodies,
            ours: ours(things, gravity),
        }
    }

    fn run(&mut self, frames: u32) {
        let mut scheme = soft_step();
        for _ in 0..frames {
            self.theirs.step();
            scheme.step(&mut self.ours, DT, &mut ()).expect("a step");
        }
    }

    /// Where a thing is in each engine \[m\].
    fn places(&self, thing: usize) -> [Vector3<f64>; 2] {
        let theirs = self.theirs.bodies[self.bodies[thing]].translation();
        let theirs = Vector3::new(theirs.x, theirs.y, theirs.z).cast();
        [theirs, self.ours.bodies()[1 + thing].position.to_vector()]
    }

    /// How fast it moves along x \[m/s\].
    fn speeds(&self, thing: usize) -> [f64; 2] {
        let theirs = self.theirs.bodies[self.bodies[thing]].linvel();
        [
            f64::from(theirs.x),
            self.ours.bodies()[1 + thing].velocity.x,
        ]
    }

    /// Pairs of bodies whose surfaces are closer than `gap` \[m\], and the points between them that
    /// are.
    fn contacts(&self, gap: f64) -> [(usize, usize); 2] {
        let mut theirs = (0, 0);
        for pair in self.theirs.narrow_phase.contact_pairs() {
            let points = pair.manifolds().iter().flat_map(|m| &m.points);
            let near = points.filter(|point| f64::from(point.dist) < gap).count();
            theirs.0 += usize::from(near > 0);
            theirs.1 += near;
        }
        let mut ours = (0, 0);
        for manifold in self.ours.manifolds() {
            let poses = manifold.bodies.map(|body| self.ours.bodies()[body].pose());
            let separations = manifold.frame(poses).separations;
            let near = separations.iter().filter(|s| **s < gap).count();
            ours.0 += usize::from(near > 0);
            ours.1 += near;
        }
        [theirs, ours]
    }
}

/// Friction coefficient of the ground: with the smaller of two, a pair has that of the thing \[-\].
const GROUND: f64 = 10.0;

fn theirs(things: &[Thing], gravity: [f64; 3]) -> (PhysicsWorld, Vec<RigidBodyHandle>) {
    let mut world = PhysicsWorld {
        gravity: single(gravity),
        ..PhysicsWorld::default()
    };
    // distances that are up to date
    world.integration_parameters.contact_recycling = false;
    let plane = ColliderBuilder::new(SharedShape::halfspace(Vector::new(0.0, 1.0, 0.0)));
    let rough = |builder: ColliderBuilder, friction: f64| {
        let friction = single([friction; 3]).x;
        builder
            .friction(friction)
            .friction_combine_rule(CoefficientCombineRule::Min)
    };
    world.insert(RigidBodyBuilder::fixed(), rough(plane, GROUND));
    let mut bodies = Vec::new();
    for thing in things {
        let shape = match thing.piece {
            BenchBody::Box(half) => {
                let half = single(half);
                ColliderBuilder::cuboid(half.x, half.y, half.z)
            }
            BenchBody::Ball(radius) => ColliderBuilder::ball(single([radius; 3]).x),
        };
        let body = RigidBodyBuilder::dynamic().translation(single(thing.at));
        let shape = rough(shape.density(1000.0), thing.friction);
        bodies.push(world.insert(body.can_sleep(false), shape).0);
    }
    (world, bodies)
}

fn ours(things: &[Thing], gravity: [f64; 3]) -> World {
    let mut parts = WorldParts {
        gravity: gravity.into(),
        ..WorldParts::default()
    };
    parts.contacts.combining.friction = CombineRule::Minimum;
    let ground = parts.body(Body::fixed(Vector3::zeros()));
    let plane = Collider::new(ground, HalfSpace::default());
    parts.collider(plane.of(Material::rough(GROUND)));
    for thing in things {
        match thing.piece {
            BenchBody::Box([x, y, z]) => add(&mut parts, Cuboid::new(x, y, z), thing),
            BenchBody::Ball(radius) => add(&mut parts, Sphere::new(radius), thing),
        }
    }
    parts.build().expect("a valid world")
}

fn add<S: ShapeGeometry>(parts: &mut WorldParts, shape: S, thing: &Thing) {
    let inertia = shape.inertia(1000.0).expect("a solid");
    let body = parts.body(Body::dynamic(inertia, thing.at.into()));
    parts.collider(Collider::new(body, shape).of(Material::rough(thing.friction)));
}

fn cube(at: [f64; 3], friction: f64) -> Thing {
    let piece = BenchBody::Box([0.5; 3]);
    Thing {
        piece,
        at,
        friction,
    }
}

/// Six rows of 8, 7, … 3 cubes, a tenth of a metre apart.
#[test]
fn a_wall_comes_to_rest_in_the_same_place_with_the_same_contacts() {
    let row = |row: u32| {
        (0..8 - row).map(move |column| {
            let x = 1.1 * (f64::from(column) + 0.5 * f64::from(row));
            cube([x, 0.5 + f64::from(row), 0.0], 0.6)
        })
    };
    let things: Vec<Thing> = (0..6).flat_map(row).collect();
    let mut both = Both::new(&things, 0.0);
    both.run(180);
    let counts = both.contacts(NEAR);
    println!("wall: pairs and points {counts:?}");
    // 8 cubes on the ground, every other one on two
    let pairs = 8 + 2 * (7 + 6 + 5 + 4 + 3);
    assert_eq!(counts[0], (pairs, 4 * pairs));
    assert_eq!(counts[0], counts[1]);
    let (mut aside, mut down): (f64, f64) = (0.0, 0.0);
    for thing in 0..things.len() {
        let [a, b] = both.places(thing);
        let apart = a - b;
        aside = aside.max(apart.xz().norm());
        down = down.max(apart.y.abs());
    }
    println!("wall: places differ by at most {aside:.4} m aside, {down:.4} m down");
    // the same springs; friction per patch or per point
    assert!(aside < 0.005, "{aside}");
    assert!(down < 0.001, "{down}");
}

#[test]
fn a_pile_is_as_high_and_as_dense() {
    let things: Vec<Thing> = heap(400)
        .into_iter()
        .map(|(piece, at)| Thing {
            piece,
            at,
            friction: 0.6,
        })
        .collect();
    let mut both = Both::new(&things, 0.0);
    both.run(480);
    let count = things.len() as f64;
    let mean = |engine: usize| {
        let heights = (0..things.len()).map(|thing| both.places(thing)[engine].y);
        heights.sum::<f64>() / count
    };
    let heights = [mean(0), mean(1)];
    let [theirs, ours] = both.contacts(NEAR);
    println!("pile: mean heights {heights:?} m, pairs and points {theirs:?} {ours:?}");
    assert!((heights[0] / heights[1] - 1.0).abs() < 0.1, "{heights:?}");
    let pairs = [theirs.0, ours.0].map(|pairs| pairs as f64 / count);
    assert!((pairs[0] / pairs[1] - 1.0).abs() < 0.1, "{pairs:?}");
}

#[test]
fn cubes_on_a_ramp_stick_and_slide_alike() {
    let slope: f64 = 0.5;
    let frictions = [0.75, 0.55, 0.45, 0.3, 0.1, 0.0];
    let things: Vec<Thing> = (0_u32..)
        .zip(frictions)
        .map(|(k, friction)| {
            let piece = BenchBody::Box([0.5, 0.2, 0.5]);
            let at = [0.0, 0.2, 2.0 * f64::from(k)];
            Thing {
                piece,
                at,
                friction,
            }
        })
        .collect();
    let angle = slope.atan();
    let mut both = Both::new(&things, angle);
    both.run(120);
    for (thing, friction) in frictions.into_iter().enumerate() {
        let speeds = both.speeds(thing);
        let gain = (angle.sin() - friction * angle.cos()).max(0.0);
        let expected = 2.0 * G * gain;
        println!("ramp, mu {friction}: {speeds:.4?} m/s, closed form {expected:.4}");
        for speed in speeds {
            if friction > slope {
                assert!(speed.abs() < 0.01, "mu {friction}: {speed}");
            } else {
                assert!(
                    (speed - expected).abs() < 0.02 * expected,
                    "mu {friction}: {speed}"
                );
            }
        }
    }
}

#[test]
fn a_ball_on_an_incline_rolls_and_slips_alike() {
    let friction = 0.2;
    // rolling needs tan < 3.5 mu = 0.7
    for slope in [0.2_f64, 0.5, 0.65, 0.8, 1.0] {
        let piece = BenchBody::Ball(0.5);
        let at = [0.0, 0.5, 0.0];
        let angle = slope.atan();
        let mut both = Both::new(
            &[Thing {
                piece,
                at,
                friction,
            }],
            angle,
        );
        both.run(120);
        let speeds = both.speeds(0);
        let rolling = 5.0 / 7.0 * G * angle.sin();
        let slipping = G * (angle.sin() - friction * angle.cos());
        let expected = 2.0 * rolling.max(slipping);
        println!("ball, slope {slope}: {speeds:.4?} m/s, closed form {expected:.4}");
        for speed in speeds {
            assert!(
                (speed - expected).abs() < 0.02 * expected,
                "{slope}: {speed} {expected}"
            );
        }
    }
}
