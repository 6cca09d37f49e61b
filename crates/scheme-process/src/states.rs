//! States of bodies as engines send them: 13 numbers per body.

use delassus_dynamics::{Body, BodyUpdate, World};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// Numbers of a body: position, orientation (i, j, k, w), velocity, angular velocity \[-\].
pub(crate) const NUMBERS: usize = 13;
/// How far the length of an orientation may be from 1 \[-\]: engines in f32 keep it to 1e-6.
pub(crate) const OFF_UNIT: f64 = 1e-4;

/// Where the bodies of a world land that get these states; what the engine says of bodies that are
/// not dynamic is not read.
///
/// # Errors
/// An orientation that is none. A state that is not finite passes, and the world refuses it.
pub(crate) fn updates(world: &World, states: &[f64]) -> Result<Vec<BodyUpdate>, String> {
    let bodies = world.bodies().iter().zip(states.chunks_exact(NUMBERS));
    let landed = bodies.enumerate().map(|(index, (body, state))| {
        if body.is_dynamic() {
            update(body, state).map_err(|length| {
                format!("the orientation of body {index} has the length {length}, which must be 1")
            })
        } else {
            Ok(still(body))
        }
    });
    landed.collect()
}

fn still(body: &Body) -> BodyUpdate {
    BodyUpdate {
        displacement: Vector3::zeros(),
        turn: UnitQuaternion::identity(),
        velocity: body.velocity,
        spin: body.spin,
    }
}

fn update(body: &Body, state: &[f64]) -> Result<BodyUpdate, f64> {
    let vector = |from: usize| Vector3::from_column_slice(&state[from..from + 3]);
    let orientation = Quaternion::new(state[6], state[3], state[4], state[5]);
    let length = orientation.norm();
    if (length - 1.0).abs() > OFF_UNIT {
        return Err(length);
    }
    // equal bits are no turn, however they are rounded
    let turn = match orientation == body.orientation.into_inner() {
        true => UnitQuaternion::identity(),
        false => {
            let turned = orientation * body.orientation.into_inner().conjugate();
            UnitQuaternion::new_normalize(turned)
        }
    };
    Ok(BodyUpdate {
        displacement: vector(0) - body.position.to_vector(),
        turn,
        velocity: vector(7),
        spin: vector(10),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use delassus_dynamics::{Inertia, WorldParts, rotation};

    #[test]
    fn bodies_land_where_the_states_say() {
        let mut parts = WorldParts::default();
        parts.body(Body::fixed(Vector3::x()));
        let turned = rotation::about(&Vector3::y(), 0.4);
        let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
        parts.body(Body::dynamic(inertia, Vector3::new(1.0, 2.0, 3.0)).turned(turned));
        let mut world = parts.build().unwrap();
        let goal = rotation::about(&Vector3::z(), -1.1);
        let q = goal.coords;
        let body = [
            0.5, 2.5, 3.5, q.x, q.y, q.z, q.w, 0.1, 0.2, 0.3, 4.0, 5.0, 6.0,
        ];
        let states = [[7.0; NUMBERS], body].concat();
        let updates = updates(&world, &states).unwrap();
        world.write_back(&updates, &[], 0.01, 1).unwrap();
        let [fixed, moved] = [&world.bodies()[0], &world.bodies()[1]];
        assert_eq!(fixed.position.to_vector(), Vector3::x());
        let off = moved.position.to_vector() - Vector3::new(0.5, 2.5, 3.5);
        assert!(off.norm() < 1e-15 && moved.orientation.angle_to(&goal) < 1e-7);
        assert_eq!(moved.velocity, Vector3::new(0.1, 0.2, 0.3));
        assert_eq!(moved.spin, Vector3::new(4.0, 5.0, 6.0));
    }

    #[test]
    fn an_orientation_that_is_none_is_named() {
        let mut parts = WorldParts::default();
        parts.body(Body::dynamic(Inertia::point(1.0), Vector3::zeros()));
        let world = parts.build().unwrap();
        let mut states = [0.0; NUMBERS];
        states[6] = 0.9;
        let fault = updates(&world, &states).unwrap_err();
        assert!(fault.contains("body 0 has the length 0.9"), "{fault}");
        states[6] = f64::NAN;
        assert!(updates(&world, &states).is_ok());
    }
}
