//! The scenes: the wall and the net of `delassus-problems`, as bodies, colliders and joints of
//! Rapier.

use rapier3d::prelude::{
    ColliderBuilder, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, SphericalJointBuilder, Vector,
};

/// Distance of neighbours in a row of the wall \[m\].
const PITCH: f32 = 1.1;
/// Friction coefficient of every collider \[-\].
const FRICTION: f32 = 0.5;
/// Bodies in the middle of the net's top row that are fixed \[-\].
const FIXED: usize = 7;

/// Rows of base, base − 1, …, 1 unit boxes on a floor, each box resting on two below.
pub(crate) fn wall(base: usize) -> PhysicsWorld {
    let mut world = PhysicsWorld::new();
    let width = PITCH * base as f32;
    world.insert(
        RigidBodyBuilder::fixed().translation(Vector::new(0.5 * width, -0.5, 0.0)),
        ColliderBuilder::cuboid(width, 0.5, 10.0).friction(FRICTION),
    );
    for layer in 0..base {
        for i in 0..base - layer {
            let x = PITCH * (i as f32 + 0.5 * layer as f32);
            world.insert(
                RigidBodyBuilder::dynamic()
                    .translation(Vector::new(x, layer as f32 + 0.5, 0.0))
                    .can_sleep(false),
                ColliderBuilder::cuboid(0.5, 0.5, 0.5)
                    .density(1.0)
                    .friction(FRICTION),
            );
        }
    }
    world
}

/// n × n spheres in a vertical plane, each tied by ball joints to its right and its lower
/// neighbour; they do not collide, as their colliders are sensors of mass alone.
pub(crate) fn net(n: usize) -> PhysicsWorld {
    let mut world = PhysicsWorld::new();
    let first = n.saturating_sub(FIXED) / 2;
    let fixed = |index: usize| index >= first && index < first + FIXED;
    let mut bodies = Vec::with_capacity(n * n);
    for row in 0..n {
        for column in 0..n {
            let place = Vector::new(column as f32, -(row as f32), 0.0);
            let body = if row == 0 && fixed(column) {
                RigidBodyBuilder::fixed()
            } else {
                RigidBodyBuilder::dynamic().can_sleep(false)
            };
            let ball = ColliderBuilder::ball(0.4).mass(1.0).sensor(true);
            bodies.push(world.insert(body.translation(place), ball).0);
        }
    }
    for row in 0..n {
        for column in 0..n {
            let body = row * n + column;
            if column + 1 < n && !(row == 0 && fixed(column) && fixed(column + 1)) {
                let arm = Vector::new(0.5, 0.0, 0.0);
                tie(&mut world, [bodies[body], bodies[body + 1]], arm);
            }
            if row + 1 < n {
                let arm = Vector::new(0.0, -0.5, 0.0);
                tie(&mut world, [bodies[body], bodies[body + n]], arm);
            }
        }
    }
    world
}

fn tie(world: &mut PhysicsWorld, [a, b]: [RigidBodyHandle; 2], arm: Vector) {
    let joint = SphericalJointBuilder::new()
        .local_anchor1(arm)
        .local_anchor2(-arm)
        .contacts_enabled(false);
    world.insert_impulse_joint(a, b, joint);
}
