//! The scenes of `crates/peers/bullet` in Rapier, at its default settings. The fingers of the grasp
//! turn on hinges.

use rapier3d::prelude::{
    ColliderBuilder, JointAxis, PhysicsWorld, Pose, RevoluteJointBuilder, RigidBodyBuilder,
    RigidBodyHandle, Rotation, SphericalJointBuilder, Vector,
};

/// Makes a scene.
pub(crate) type Build = fn() -> PhysicsWorld;

/// A box; a mass of zero makes it fixed.
fn place(world: &mut PhysicsWorld, mass: f32, half: Vector, at: Vector) -> RigidBodyHandle {
    let body = match mass > 0.0 {
        true => RigidBodyBuilder::dynamic().can_sleep(false),
        false => RigidBodyBuilder::fixed(),
    };
    let shape = ColliderBuilder::cuboid(half.x, half.y, half.z).friction(0.5);
    let shape = if mass > 0.0 { shape.mass(mass) } else { shape };
    world.insert(body.translation(at), shape).0
}

fn floor(world: &mut PhysicsWorld) {
    let half = Vector::new(20.0, 1.0, 20.0);
    place(world, 0.0, half, Vector::new(0.0, -1.0, 0.0));
}

pub(crate) fn stack() -> PhysicsWorld {
    let mut world = PhysicsWorld::new();
    floor(&mut world);
    for i in 0..10 {
        let at = Vector::new(0.0, 0.5 + i as f32, 0.0);
        place(&mut world, 1.0, Vector::new(0.5, 0.5, 0.5), at);
    }
    world
}

/// Ten links, the last one a hundred times heavier, let go in a horizontal line.
pub(crate) fn chain() -> PhysicsWorld {
    let mut world = PhysicsWorld::new();
    let mut last = place(
        &mut world,
        0.0,
        Vector::new(0.1, 0.1, 0.1),
        Vector::new(0.0, 10.0, 0.0),
    );
    for i in 0..10 {
        let mass = if i == 9 { 100.0 } else { 1.0 };
        let at = Vector::new(0.5 + 0.5 * i as f32, 10.0, 0.0);
        let next = place(&mut world, mass, Vector::new(0.2, 0.1, 0.1), at);
        let arm = Vector::new(0.25, 0.0, 0.0);
        let joint = SphericalJointBuilder::new()
            .local_anchor1(arm)
            .local_anchor2(-arm)
            .contacts_enabled(false);
        world.insert_impulse_joint(last, next, joint);
        last = next;
    }
    world
}

/// A ball joint whose x axis lies along the limb, with limits of swing about y and z and of twist
/// about x.
fn ball(
    world: &mut PhysicsWorld,
    pair: [RigidBodyHandle; 2],
    anchors: [Vector; 2],
    limb: Vector,
    [swing, twist]: [f32; 2],
) {
    let turn = Rotation::from_rotation_arc(Vector::X, limb);
    let joint = SphericalJointBuilder::new()
        .local_frame1(Pose::from_parts(anchors[0], turn))
        .local_frame2(Pose::from_parts(anchors[1], turn))
        .limits(JointAxis::AngX, [-twist, twist])
        .limits(JointAxis::AngY, [-swing, swing])
        .limits(JointAxis::AngZ, [-swing, swing])
        .contacts_enabled(false);
    world.insert_impulse_joint(pair[0], pair[1], joint);
}

fn hinge(
    world: &mut PhysicsWorld,
    pair: [RigidBodyHandle; 2],
    anchors: [Vector; 2],
    axis: Vector,
    limits: [f32; 2],
) {
    let joint = RevoluteJointBuilder::new(axis)
        .local_anchor1(anchors[0])
        .local_anchor2(anchors[1])
        .limits(limits)
        .contacts_enabled(false);
    world.insert_impulse_joint(pair[0], pair[1], joint);
}

/// Torso, head, arms and legs of two parts, dropped on the floor.
pub(crate) fn ragdoll() -> PhysicsWorld {
    let (mut world, v, y) = (PhysicsWorld::new(), Vector::new, 1.3);
    floor(&mut world);
    let torso = place(&mut world, 30.0, v(0.2, 0.3, 0.12), v(0.0, y, 0.0));
    let head = place(&mut world, 5.0, v(0.1, 0.12, 0.1), v(0.0, y + 0.45, 0.0));
    let anchors = [v(0.0, 0.31, 0.0), v(0.0, -0.14, 0.0)];
    ball(&mut world, [torso, head], anchors, Vector::Y, [0.4, 0.3]);
    for s in [-1.0, 1.0] {
        let upper = place(
            &mut world,
            3.0,
            v(0.15, 0.05, 0.05),
            v(s * 0.38, y + 0.2, 0.0),
        );
        let lower = place(
            &mut world,
            2.0,
            v(0.15, 0.04, 0.04),
            v(s * 0.72, y + 0.2, 0.0),
        );
        let anchors = [v(s * 0.22, 0.2, 0.0), v(-s * 0.16, 0.0, 0.0)];
        ball(
            &mut world,
            [torso, upper],
            anchors,
            Vector::X * s,
            [1.2, 0.5],
        );
        let anchors = [v(s * 0.17, 0.0, 0.0), v(-s * 0.17, 0.0, 0.0)];
        let limits = if s < 0.0 { [-1.5, 0.0] } else { [0.0, 1.5] };
        hinge(&mut world, [upper, lower], anchors, Vector::Z, limits);
        let thigh = place(
            &mut world,
            8.0,
            v(0.07, 0.2, 0.07),
            v(s * 0.12, y - 0.52, 0.0),
        );
        let shin = place(
            &mut world,
            4.0,
            v(0.06, 0.2, 0.06),
            v(s * 0.12, y - 0.94, 0.0),
        );
        let anchors = [v(s * 0.12, -0.31, 0.0), v(0.0, 0.21, 0.0)];
        ball(&mut world, [torso, thigh], anchors, -Vector::Y, [0.6, 0.3]);
        let anchors = [v(0.0, -0.21, 0.0), v(0.0, 0.21, 0.0)];
        hinge(&mut world, [thigh, shin], anchors, Vector::X, [0.0, 1.5]);
    }
    world
}

/// A box between two fingers, which motors turn towards each other with at most 15 N·m.
pub(crate) fn grasp() -> PhysicsWorld {
    let (mut world, v) = (PhysicsWorld::new(), Vector::new);
    let palm = place(&mut world, 0.0, v(0.5, 0.1, 0.1), v(0.0, 2.0, 0.0));
    place(&mut world, 1.0, v(0.1, 0.1, 0.1), v(0.0, 1.6, 0.0));
    for s in [-1.0, 1.0] {
        let finger = place(&mut world, 0.5, v(0.05, 0.2, 0.1), v(s * 0.151, 1.65, 0.0));
        let joint = RevoluteJointBuilder::new(Vector::Z)
            .local_anchor1(v(s * 0.151, -0.1, 0.0))
            .local_anchor2(v(0.0, 0.25, 0.0))
            .motor_velocity(-2.0 * s, 1e3)
            .motor_max_force(15.0)
            .contacts_enabled(false);
        world.insert_impulse_joint(palm, finger, joint);
    }
    world
}
