//! Axes that separated pairs at the last look save work and change nothing.

use delassus_core::ContactLaw;
use delassus_dynamics::{
    Body, Collider, Cuboid, Hull, Material, Scheme, Shape, ShapeGeometry, World,
};
use nalgebra::Vector3;

use super::{DT, accurate, plane, turn};

/// Boxes and hulls thrown together; manifolds of pairs that move by less than `recycle` \[m\] stay.
fn heap(recycle: f64) -> World {
    let mut parts = plane(0.0, ContactLaw::Coulomb);
    parts.contacts.recycle = recycle;
    for k in 0..36_u32 {
        let [x, z] = [k % 3, k / 3 % 3].map(|place| 0.9 * f64::from(place));
        let at = Vector3::new(x, 0.6 + 0.9 * f64::from(k / 9), z);
        let half = 0.3 + 0.01 * f64::from(k % 7);
        let wedge = [
            [-1, -1, -1],
            [1, -1, -1],
            [0, 1, -1],
            [-1, -1, 1],
            [1, -1, 1],
            [0, 1, 1],
        ];
        let corner = |place: [i32; 3]| half * Vector3::from(place.map(f64::from));
        let (solid, shape): (_, Shape) = if k % 2 == 0 {
            let cuboid = Cuboid::new(half, 0.3, 0.35);
            (cuboid.solid(2.0).expect("a box"), cuboid.into())
        } else {
            let hull = Hull::new(wedge.map(corner).to_vec());
            (hull.solid(2.0).expect("a wedge"), hull.into())
        };
        let mut body = Body::dynamic(solid, at);
        body.orientation = turn(0.1 * f64::from(k % 5), 0.2 * f64::from(k % 3), 0.0);
        let body = parts.body(body);
        parts.collider(Collider::new(body, shape).of(Material::rough(0.5)));
    }
    parts.build().expect("a heap")
}

#[test]
fn heaps_move_as_without_axes_of_the_last_look() {
    for recycle in [0.0, 0.05] {
        let mut world = heap(recycle);
        let mut forgetful = world.clone();
        let mut schemes = [(); 2].map(|()| accurate(|p| p.sweeps = 8));
        let mut tests = [0; 2];
        for frame in 0..120 {
            let before = world.axis_tests();
            schemes[0].step(&mut world, DT, &mut ()).expect("a step");
            tests[0] += world.axis_tests() - before;
            // a copy has the state and no axes
            forgetful = forgetful.clone();
            schemes[1]
                .step(&mut forgetful, DT, &mut ())
                .expect("a step");
            tests[1] += forgetful.axis_tests();
            // the text of a number tells its bits
            assert!(world == forgetful, "frame {frame}");
            let texts = [&world, &forgetful].map(|world| format!("{:?}", world.bodies()));
            assert_eq!(texts[0], texts[1], "frame {frame}");
        }
        assert!(!world.manifolds().is_empty());
        let [with, without] = tests;
        assert!(10 * with < 9 * without, "{with} of {without}");
    }
}
