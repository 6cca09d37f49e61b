//! Scenes whose bodies find their contacts, for benchmarks of whole frames: a pyramid of boxes, and
//! a heap of boxes and balls.

use delassus_collide::{Collider, Cuboid, HalfSpace, Material, ShapeGeometry, Sphere};
use delassus_core::Solver;
use delassus_dynamics::{Body, FieldError, Scheme, World, WorldParts, scheme};
use delassus_solver_wide::WidePgs;
use nalgebra::Vector3;
use serde_json::{Map, Value};

use crate::clock;

/// Pairs that moved by less than this keep their manifolds \[m\]: the default of Rapier.
pub const RECYCLE: f64 = 0.05;

/// Length of a frame \[s\].
pub const DT: f64 = 1.0 / 60.0;

/// A box or a ball of a scene.
#[derive(Debug, Clone, Copy)]
pub enum BenchBody {
    /// Halves of its edges \[m\].
    Box([f64; 3]),
    /// Its radius \[m\].
    Ball(f64),
}

/// Rows of `base`, `base` − 1, …, 1 unit boxes, each on two of the row below, with the place of
/// each \[m\].
pub fn pyramid(base: u32) -> Vec<(BenchBody, [f64; 3])> {
    boxes(base, 1.0)
}

/// The same with gaps of a tenth of an edge between the boxes of a row: the wall that the wide
/// solver is measured on.
pub fn wall(base: u32) -> Vec<(BenchBody, [f64; 3])> {
    boxes(base, 1.1)
}

fn boxes(base: u32, pitch: f64) -> Vec<(BenchBody, [f64; 3])> {
    let row = |row: u32| (0..base - row).map(move |column| (column, row));
    let place = |(column, row): (u32, u32)| {
        let x = pitch * (f64::from(column) + 0.5 * f64::from(row));
        (BenchBody::Box([0.5; 3]), [x, 0.5 + f64::from(row), 0.0])
    };
    (0..base).flat_map(row).map(place).collect()
}

/// Boxes and balls in eight layers over a square, thrown loosely together.
pub fn heap(count: u32) -> Vec<(BenchBody, [f64; 3])> {
    let side = f64::from(count / 8).sqrt().ceil();
    let mut state = 12345_u32;
    let mut random = || {
        // the constants of Numerical Recipes
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 24)
    };
    let mut piece = |k: f64| {
        let (layer, rest) = ((k / (side * side)).floor(), k % (side * side));
        let (x, z) = (rest % side, (rest / side).floor());
        let mut at = [1.15 * x, 0.6 + 1.1 * layer, 1.15 * z];
        at.iter_mut().for_each(|x| *x += 0.1 * random());
        let mut size = || 0.3 + 0.2 * random();
        let sizes = [size(), size(), size()];
        let is_box = random() < 0.5;
        (
            if is_box {
                BenchBody::Box(sizes)
            } else {
                BenchBody::Ball(sizes[0])
            },
            at,
        )
    };
    (0..count).map(|k| piece(f64::from(k))).collect()
}

/// Friction coefficient of everything \[-\].
pub const FRICTION: f64 = 0.6;

/// The pieces on the ground, at rest; pairs that move by less than `recycle` \[m\] keep their
/// manifolds.
///
/// # Errors
/// A piece that is none.
pub fn world(pieces: &[(BenchBody, [f64; 3])], recycle: f64) -> Result<World, FieldError> {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -9.81, 0.0),
        ..WorldParts::default()
    };
    parts.contacts.recycle = recycle;
    let ground = parts.body(Body::fixed(Vector3::zeros()));
    let rough = Material::rough(FRICTION);
    parts.collider(Collider::new(ground, HalfSpace::default()).of(rough));
    for (piece, at) in pieces {
        let at = Vector3::from(*at);
        match *piece {
            BenchBody::Box([x, y, z]) => add(&mut parts, Cuboid::new(x, y, z), at)?,
            BenchBody::Ball(radius) => add(&mut parts, Sphere::new(radius), at)?,
        }
    }
    parts.build()
}

fn add<S: ShapeGeometry>(
    parts: &mut WorldParts,
    shape: S,
    at: Vector3<f64>,
) -> Result<(), FieldError> {
    let body = parts.body(Body::dynamic(shape.inertia(1000.0)?, at));
    parts.collider(Collider::new(body, shape).of(Material::rough(FRICTION)));
    Ok(())
}

/// Soft Step with its defaults and the wide solver.
pub fn soft_step() -> Box<dyn Scheme> {
    soft_step_with(Map::new())
}

/// [`soft_step`] with the gyroscopic torque of Rapier: one explicit step that keeps the length of
/// the angular momentum (T.53).
pub fn soft_step_rescaled() -> Box<dyn Scheme> {
    soft_step_with(Map::from_iter([(
        "gyroscopic".to_owned(),
        "rescaled".into(),
    )]))
}

fn soft_step_with(values: Map<String, Value>) -> Box<dyn Scheme> {
    let solver = WidePgs::new(Default::default()).expect("the defaults");
    let entry = scheme("soft-step").expect("a preset");
    entry
        .build_with(&values, Some(Box::new(solver)))
        .expect("a scheme")
}

/// Processor time that the next frame takes to find its contacts \[s\].
pub fn finding(world: &World) -> f64 {
    let mut copy = world.clone();
    let mut seconds = 0.0;
    // the first time, the copy finds its memory
    for _ in 0..2 {
        let mut found: Result<(), ()> = Err(());
        seconds = clock::seconds(|| found = copy.with_contacts(|_| Ok(())));
        assert_eq!(found, Ok(()));
    }
    seconds
}

/// The pieces after some frames of Soft Step, which keeps the pairs that move by less than
/// `recycle` \[m\].
pub fn settled(pieces: &[(BenchBody, [f64; 3])], frames: u32, recycle: f64) -> World {
    let mut world = world(pieces, recycle).expect("a valid world");
    let mut scheme = soft_step();
    for _ in 0..frames {
        scheme.step(&mut world, DT, &mut ()).expect("a step");
    }
    world
}
