//! Worlds that change between frames.

use delassus::core::parameter::Map;
use delassus::dynamics::EditError;
use delassus::prelude::*;

const H: f64 = 1.0 / 60.0;

/// A ground, and a stack of three boxes at each x; the bodies, stack by stack.
fn stacks(places: &[f64]) -> (World, Vec<BodyHandle>) {
    let mut world = World::new(Vector3::new(0.0, -9.81, 0.0)).unwrap();
    let ground = world.add_body(Body::fixed(Vector3::zeros())).unwrap();
    world.add_shape(ground, HalfSpace::default()).unwrap();
    let mut bodies = Vec::new();
    for x in places {
        for level in 0..3 {
            bodies.push(add_box(&mut world, *x, 0.31 + 0.605 * f64::from(level)));
        }
    }
    (world, bodies)
}

fn add_box(world: &mut World, x: f64, y: f64) -> BodyHandle {
    let cube = Cuboid::new(0.4, 0.3, 0.5);
    let at = Vector3::new(x, y, 0.0);
    let spin = Vector3::new(0.0, 0.2, 0.0);
    let body = Body::dynamic(cube.solid(5.0).unwrap(), at).moving(Vector3::zeros(), spin);
    let body = world.add_body(body).unwrap();
    world.add_shape(body, cube).unwrap();
    body
}

fn bits(world: &World, bodies: &[BodyHandle]) -> Vec<u64> {
    let state = |body: &BodyHandle| {
        let body = world.body(*body).unwrap();
        let (q, v, w) = (body.orientation.coords, body.velocity, body.spin);
        let numbers = q.iter().chain(&v).chain(&w).map(|x| x.to_bits());
        body.position.bits().chain(numbers).collect::<Vec<_>>()
    };
    bodies.iter().flat_map(state).collect()
}

#[test]
fn bodies_that_nothing_connects_with_an_edit_move_on_with_the_same_bits() {
    for (name, inner) in [("soft-step", "pgs"), ("pgs-baumgarte", "block-gs")] {
        let (mut left_alone, bodies) = stacks(&[0.0, 5.0, 10.0]);
        // some presets freeze rows more often in worlds with joints
        let [a, b] = [0.4, 1.4].map(|y| add_box(&mut left_alone, 20.0, y));
        let rod = left_alone.distance(a, b, 20.0 * Vector3::x(), Vector3::new(20.0, 1.4, 0.0));
        left_alone.add_joint(rod.unwrap()).unwrap();
        let mut world = left_alone.clone();
        let mut schemes = [0, 1].map(|_| scheme(name, inner).unwrap());
        // the first stack stands before the others in every list, so that they move up
        let (others, mut first) = (&bodies[3..], bodies[..3].to_vec());
        let mut rods = Vec::new();
        for frame in 0..90 {
            match frame {
                20 | 40 => {
                    world.remove_body(first.remove(0)).unwrap();
                }
                25 | 45 => first.push(add_box(&mut world, -3.0, 0.3 + 0.01 * f64::from(frame))),
                30 => {
                    let rod = world.distance(first[0], first[1], Vector3::y(), Vector3::x());
                    rods.push(world.add_joint(rod.unwrap()).unwrap());
                }
                35 => {
                    world.remove_joint(rods.remove(0)).unwrap();
                    let q = UnitQuaternion::identity();
                    world
                        .set_pose(first[0], Vector3::new(-9.0, 2.0, 0.0), q)
                        .unwrap();
                }
                _ => {}
            }
            left_alone.step(&mut schemes[0], H).unwrap();
            world.step(&mut schemes[1], H).unwrap();
            let expected = bits(&left_alone, others);
            assert_eq!(bits(&world, others), expected, "{name}, frame {frame}");
        }
        assert_eq!(world.bodies().len(), 12);
        // and they stand, because their contacts push
        let impulses = |world: &World| world.manifolds().len();
        assert!(impulses(&world) >= 6, "{}", impulses(&world));
    }
}

#[test]
fn handles_name_what_they_named() {
    let (mut world, bodies) = stacks(&[0.0]);
    let hinge = world.hinge(bodies[0], bodies[1], Vector3::zeros(), Vector3::x());
    let hinge = world.add_joint(hinge.unwrap()).unwrap();
    let ball = world.ball_joint(bodies[1], bodies[2], Vector3::zeros());
    let ball = world.add_joint(ball.unwrap().named("ball")).unwrap();
    let copy = world.clone();
    let other = stacks(&[0.0]).0;
    assert_eq!(world.body_handle(2), Some(bodies[1]));
    let gone = world.remove_body(bodies[0]).unwrap();
    assert_eq!(gone, copy.bodies()[1]);
    let removed = |what| EditError::Removed { what };
    assert_eq!(world.body(bodies[0]), Err(removed("body")));
    assert_eq!(world.joint(hinge), Err(removed("joint")));
    assert_eq!(world.joint(ball).unwrap().name, "ball");
    assert_eq!(world.joint(ball).unwrap().constraint.bodies(), [1, 2]);
    assert_eq!(world.colliders().len(), 3);
    let again = add_box(&mut world, 7.0, 1.0);
    assert_eq!(world.body(bodies[0]), Err(removed("body")));
    assert_eq!(world.body_index(again), Ok(3));
    // a copy has the handles of before, another world has others
    assert_eq!(copy.body_index(bodies[0]), Ok(1));
    let error = other.body(bodies[1]).unwrap_err();
    assert_eq!(error, EditError::OtherWorld { what: "body" });
    assert!(world.remove_joint(hinge).is_err() && world.remove_body(bodies[0]).is_err());
    assert_eq!(world.remove_joint(ball).unwrap().name, "ball");
    assert!(world.remove_joint(ball).is_err());
}

#[test]
fn joined_bodies_touch_again_without_their_joint() {
    let (mut world, bodies) = stacks(&[0.0]);
    let rod = world.distance(bodies[0], bodies[1], Vector3::zeros(), Vector3::y());
    let rod = world.add_joint(rod.unwrap()).unwrap();
    assert_eq!(world.apart(), [[1, 2]]);
    world.remove_joint(rod).unwrap();
    assert!(world.apart().is_empty());
    let rod = world.distance(bodies[1], bodies[2], Vector3::zeros(), Vector3::y());
    world.add_joint(rod.unwrap()).unwrap();
    world.remove_body(bodies[0]).unwrap();
    assert_eq!(world.apart(), [[1, 2]]);
}

#[test]
fn a_world_of_edits_is_the_world_of_its_parts() {
    let (mut world, bodies) = stacks(&[0.0, 4.0]);
    let point = Vector3::new(0.0, 0.6, 0.1);
    world
        .add_contact(bodies[3], bodies[4], point, Vector3::y(), 0.3)
        .unwrap();
    let hinge = world.hinge(bodies[1], bodies[5], point, Vector3::z());
    world.add_joint(hinge.unwrap()).unwrap();
    world.remove_body(bodies[0]).unwrap();
    let mut built = world.clone().into_parts().build().unwrap();
    assert_eq!(built, world);
    let mut schemes = [0, 1].map(|_| scheme("soft-step", "pgs").unwrap());
    for _ in 0..30 {
        world.step(&mut schemes[0], H).unwrap();
        built.step(&mut schemes[1], H).unwrap();
        assert_eq!(built.state_hash(), world.state_hash());
    }
}

#[test]
fn every_scheme_steps_a_world_that_changes() {
    let mut tried = 0;
    for entry in delassus::registry::schemes() {
        let id = entry.descriptor.id;
        let inner = entry.descriptor.uses_solver.then(|| solver("pgs").unwrap());
        let mut scheme = entry.build_with(&Map::new(), inner).unwrap();
        let (mut world, mut bodies) = stacks(&[0.0, 3.0]);
        if scheme.check(&world).is_err() {
            continue;
        }
        tried += 1;
        for frame in 0..24_u32 {
            // as many bodies as before, so that nobody notices by their number
            if frame % 3 == 2 {
                let index = frame as usize % bodies.len();
                world.remove_body(bodies.remove(index)).unwrap();
                bodies.push(add_box(&mut world, 6.0 + f64::from(frame), 0.4));
            }
            let stepped = world.step(&mut scheme, H);
            assert!(stepped.is_ok(), "{id}, frame {frame}: {stepped:?}");
        }
        for body in world.bodies() {
            let height = body.position.to_vector().y;
            assert!((-0.1..4.0).contains(&height), "{id}: {height}");
        }
    }
    assert!(tried > 20, "{tried} schemes");
}
