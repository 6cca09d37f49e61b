//! How far the bodies have gone from where they started.

use delassus_dynamics::{Inertia, Pose, World, rotation};
use nalgebra::{Matrix3, Vector3};

/// Cosine of the tilt from which on a body has toppled, 45° \[-\]: a face that settles tilts less.
const LEAST_UPRIGHT: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// The places of the dynamic bodies at the start.
#[derive(Debug, Clone)]
pub(super) struct Places {
    bodies: Vec<BodyPlace>,
    mass: f64,
    momentum: Vector3<f64>,
    time: f64,
}

#[derive(Debug, Clone)]
struct BodyPlace {
    body: usize,
    mass: f64,
    /// About the centre of mass, world axes \[kg·m²\].
    inertia: Matrix3<f64>,
    /// Smallest half extent \[m\]; zero of a point.
    half: f64,
    /// RMS distance of its matter from the centre of mass \[m\] (R.52).
    size: f64,
    pose: Pose,
}

impl Places {
    pub(super) fn new(world: &World) -> Self {
        let dynamic = world.bodies().iter().enumerate();
        let bodies: Vec<BodyPlace> = dynamic
            .filter(|(_, body)| body.is_dynamic())
            .map(|(index, body)| BodyPlace {
                body: index,
                mass: body.inertia.mass,
                inertia: body.world_inertia(),
                half: half_extent(&body.inertia),
                size: size(&body.inertia),
                pose: body.pose(),
            })
            .collect();
        Self {
            mass: bodies.iter().map(|place| place.mass).sum(),
            bodies,
            momentum: world.momentum().linear,
            time: world.time(),
        }
    }

    /// Distance of the centre of mass from where the momentum of the start takes it (R.17) \[m\];
    /// `None` without dynamic bodies.
    pub(super) fn centre_of_mass_shift(&self, world: &World) -> Option<f64> {
        let mut moment = -(world.time() - self.time) * self.momentum;
        for (place, displacement) in self.displacements(world) {
            moment += place.mass * displacement;
        }
        (self.mass > 0.0).then(|| moment.norm() / self.mass)
    }

    /// Angle between the way of the centre of mass and the momentum of the start, both across
    /// gravity (R.32) \[rad\]; `None` where one of them is zero.
    pub(super) fn course_change(&self, world: &World) -> Option<f64> {
        let gravity = world.gravity();
        let across = |v: Vector3<f64>| match gravity.norm_squared() {
            0.0 => v,
            square => v - v.dot(&gravity) / square * gravity,
        };
        let way = self.displacements(world);
        let way: Vector3<f64> = way.map(|(place, moved)| place.mass * moved).sum();
        let [way, course] = [across(way), across(self.momentum)];
        let known = way.norm() > 0.0 && course.norm() > 0.0;
        known.then(|| libm::atan2(course.cross(&way).norm(), course.dot(&way)))
    }

    /// Distance from the start in the metric of the masses (R.18) \[√kg·m\]; `None` without dynamic
    /// bodies.
    pub(super) fn motion(&self, world: &World) -> Option<f64> {
        let mut sum = 0.0;
        for (place, displacement) in self.displacements(world) {
            let now = &world.bodies()[place.body].orientation;
            let turn = rotation::log(&(now * place.pose.orientation.inverse()));
            sum += place.mass * displacement.norm_squared() + turn.dot(&(place.inertia * turn));
        }
        (self.mass > 0.0).then(|| sum.sqrt())
    }

    /// Number of bodies that have moved by more than half of their smallest half extent (R.30)
    /// \[-\]; `None` without dynamic bodies that have an extent.
    pub(super) fn fallen(&self, world: &World) -> Option<usize> {
        let solid = || {
            let all = self.displacements(world);
            all.filter(|(place, _)| place.half > 0.0)
        };
        solid().next()?;
        // a place that is not a number is not that of the start
        let stands = |(place, moved): &(&BodyPlace, Vector3<f64>)| moved.norm() <= 0.5 * place.half;
        Some(solid().filter(|body| !stands(body)).count())
    }

    /// Number of bodies that have toppled, slid away or dropped, as no settling makes them (R.52)
    /// \[-\]; `None` without gravity or dynamic bodies that have an extent.
    pub(super) fn toppled(&self, world: &World) -> Option<usize> {
        let up = -world.gravity().try_normalize(0.0)?;
        let solid = || {
            let all = self.displacements(world);
            all.filter(|(place, _)| place.half > 0.0)
        };
        // gaps of a stack add up when it settles, down to its lowest body
        let origin = solid().next()?.0.pose.position;
        let height = |place: &BodyPlace| (place.pose.position - origin).dot(&up);
        let thickness = |place: &BodyPlace| 2.0 * place.half_extent_along(&up);
        let lowest = solid()
            .map(|(place, _)| height(place))
            .min_by(f64::total_cmp)?;
        // a place that is not a number is not that of the start
        let stands = |(place, moved): &(&BodyPlace, Vector3<f64>)| {
            let rise = moved.dot(&up);
            let aside = (moved - rise * up).norm();
            let turn = world.bodies()[place.body].orientation * place.pose.orientation.inverse();
            let upright = (turn * up).dot(&up) >= LEAST_UPRIGHT;
            let on_top = height(place) + rise >= lowest - thickness(place);
            aside <= place.size && on_top && upright
        };
        Some(solid().filter(|body| !stands(body)).count())
    }

    fn displacements<'a>(
        &'a self,
        world: &'a World,
    ) -> impl Iterator<Item = (&'a BodyPlace, Vector3<f64>)> + 'a {
        let displacement =
            |place: &BodyPlace| world.bodies()[place.body].position - place.pose.position;
        self.bodies
            .iter()
            .map(move |place| (place, displacement(place)))
    }
}

impl BodyPlace {
    /// Half extent at the start along a unit vector \[m\] (R.52): that of a box whose edge has this
    /// direction.
    fn half_extent_along(&self, along: &Vector3<f64>) -> f64 {
        let about = along.dot(&(self.inertia * along));
        let square = 3.0 * (0.5 * self.inertia.trace() - about) / self.mass;
        square.max(0.0).sqrt()
    }
}

/// RMS distance of the matter of a body from its centre of mass \[m\] (R.52).
fn size(inertia: &Inertia) -> f64 {
    (0.5 * inertia.moments.sum() / inertia.mass).sqrt()
}

/// Smallest half extent of the box with the mass and the moments of a body \[m\] (R.30).
fn half_extent(inertia: &Inertia) -> f64 {
    let square = 3.0 * (0.5 * inertia.moments.sum() - inertia.moments.max()) / inertia.mass;
    square.max(0.0).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use delassus_core::Solver;
    use delassus_dynamics::{Body, Scheme, VelocityParameters, VelocityScheme, WorldParts};
    use delassus_solver_si::Pgs;

    /// Bodies of 1 kg and 3 kg; the second turns about its z axis, with 0.7 kg·m².
    fn pair(second: Vector3<f64>, turn: f64, velocity: Vector3<f64>) -> World {
        let mut parts = WorldParts::default();
        parts.body(Body::fixed(Vector3::new(9.0, 9.0, 9.0)));
        let point = Body::dynamic(Inertia::point(1.0), Vector3::x());
        parts.body(point.moving(velocity, Vector3::zeros()));
        let inertia = Inertia::new(3.0, Vector3::new(0.5, 0.6, 0.7));
        let turn = rotation::about(&Vector3::z(), turn);
        parts.body(Body::dynamic(inertia, second).turned(turn));
        parts.build().unwrap()
    }

    #[test]
    fn displacements_count_by_mass_and_turns_by_inertia() {
        let places = Places::new(&pair(Vector3::zeros(), 0.3, Vector3::zeros()));
        let later = pair(Vector3::new(0.0, 2.0, 0.0), 1.3, Vector3::zeros());
        let shift = places.centre_of_mass_shift(&later).unwrap();
        assert!((shift - 3.0 * 2.0 / 4.0).abs() < 1e-15, "{shift}");
        let motion = places.motion(&later).unwrap();
        let exact = (3.0 * 4.0 + 0.7_f64).sqrt();
        assert!((motion - exact).abs() < 1e-14, "{motion}, exact {exact}");
        let same = pair(Vector3::zeros(), 0.3, Vector3::zeros());
        assert_eq!(places.centre_of_mass_shift(&same), Some(0.0));
        assert!(places.motion(&same).unwrap() < 1e-15);
        let nothing = WorldParts::default().build().unwrap();
        let places = Places::new(&nothing);
        assert_eq!(places.centre_of_mass_shift(&nothing), None);
        assert_eq!(places.motion(&nothing), None);
    }

    #[test]
    fn a_body_has_fallen_when_it_is_half_of_its_smallest_half_extent_away() {
        // 2 kg, 0.3 m × 0.5 m × 0.8 m
        let half = Vector3::new(0.15, 0.25, 0.4);
        let [x, y, z] = [0, 1, 2].map(|axis| half[axis] * half[axis] * 2.0 / 3.0);
        let inertia = Inertia::new(2.0, Vector3::new(y + z, x + z, x + y));
        assert!((half_extent(&inertia) - 0.15).abs() < 1e-15);
        assert_eq!(half_extent(&Inertia::point(1.0)), 0.0);
        let at = |shift: f64| {
            let mut parts = WorldParts::default();
            parts.body(Body::dynamic(
                Inertia::point(1.0),
                7.0 * shift * Vector3::x(),
            ));
            parts.body(Body::dynamic(inertia, Vector3::new(0.0, shift, 0.0)));
            parts.body(Body::dynamic(inertia, Vector3::new(0.0, 0.0, -9.0 * shift)));
            parts.build().unwrap()
        };
        let places = Places::new(&at(0.0));
        let fallen = [0.0, 0.0083, 0.0084, 0.0749, 0.0751].map(|shift| places.fallen(&at(shift)));
        assert_eq!(fallen, [Some(0), Some(0), Some(1), Some(1), Some(2)]);
        // a point is nowhere in particular
        let mut parts = WorldParts::default();
        parts.body(Body::dynamic(Inertia::point(1.0), Vector3::zeros()));
        let world = parts.build().unwrap();
        assert_eq!(Places::new(&world).fallen(&world), None);
    }

    #[test]
    fn a_body_that_settles_has_not_toppled() {
        // 2 kg, 0.3 m × 0.5 m × 0.8 m: 0.5 m along gravity, and an RMS distance of 0.2858 m
        let inertia = Inertia::new(2.0, Vector3::new(0.89, 0.73, 0.34) / 6.0);
        let at = |moved: [f64; 3], tilt: f64, axis: Vector3<f64>| {
            let mut parts = WorldParts {
                gravity: Vector3::new(0.0, -9.81, 0.0),
                ..WorldParts::default()
            };
            let body = Body::dynamic(inertia, Vector3::new(1.0, 2.0, 3.0) + Vector3::from(moved));
            parts.body(body.turned(rotation::about(&axis, tilt.to_radians())));
            parts.build().unwrap()
        };
        let start = at([0.0; 3], 0.0, Vector3::x());
        let places = Places::new(&start);
        assert!(
            (places.bodies[0].half - 0.15).abs() < 1e-12,
            "{}",
            places.bodies[0].half
        );
        for (moved, tilt, axis, expected) in [
            // sinks by nearly its height, and tilts: it settles
            ([0.2, -0.49, 0.2], 40.0, Vector3::x(), 0),
            // turns about the vertical, and rises
            ([0.0, 5.0, 0.0], 170.0, Vector3::y(), 0),
            ([0.0, -0.51, 0.0], 0.0, Vector3::x(), 1),
            ([0.285, 0.0, 0.0], 0.0, Vector3::x(), 0),
            ([0.0, 0.0, 0.287], 0.0, Vector3::x(), 1),
            ([0.0, 0.0, 0.0], 46.0, Vector3::z(), 1),
            ([0.0, 0.0, 0.0], 44.0, Vector3::z(), 0),
        ] {
            let found = places.toppled(&at(moved, tilt, axis));
            assert_eq!(found, Some(expected), "{moved:?} {tilt}");
        }
        // what only settles has left its place for the other count
        let settled = at([0.0, -0.2, 0.0], 0.0, Vector3::x());
        assert_eq!(
            (places.fallen(&settled), places.toppled(&settled)),
            (Some(1), Some(0))
        );
        // a plate that leans, 0.1 m × 0.002 m × 0.06 m: its foot slides by three thicknesses
        let plate = Vector3::new(0.05, 0.001, 0.03);
        let [x, y, z] = [0, 1, 2].map(|axis| plate[axis] * plate[axis] / 3.0);
        let inertia_of_plate = Inertia::new(1.0, Vector3::new(y + z, x + z, x + y));
        let leaning = |moved: f64, tilt: f64| {
            let mut parts = WorldParts {
                gravity: Vector3::new(0.0, -9.81, 0.0),
                ..WorldParts::default()
            };
            let body = Body::dynamic(inertia_of_plate, Vector3::new(moved, -moved, 0.0));
            parts.body(body.turned(rotation::about(&Vector3::z(), tilt.to_radians())));
            parts.build().unwrap()
        };
        let plates = Places::new(&leaning(0.0, 70.0));
        assert_eq!(plates.toppled(&leaning(0.006, 73.0)), Some(0));
        assert_eq!(plates.toppled(&leaning(0.006, 0.0)), Some(1));
        // gaps below the upper of two bodies close: it sinks by three thicknesses
        let two = |height: f64| {
            let mut parts = at([0.0; 3], 0.0, Vector3::x()).into_parts();
            parts.body(Body::dynamic(inertia, Vector3::new(1.0, height, 3.0)));
            parts.build().unwrap()
        };
        let places_of_two = Places::new(&two(4.0));
        assert_eq!(places_of_two.toppled(&two(3.1)), Some(0));
        assert_eq!(places_of_two.toppled(&two(1.4)), Some(1));
        // without gravity nothing is above
        let mut parts = start.into_parts();
        parts.gravity = Vector3::zeros();
        assert_eq!(places.toppled(&parts.build().unwrap()), None);
    }

    #[test]
    fn a_course_is_seen_from_above() {
        let heavy = |world: World| {
            let mut parts = world.into_parts();
            parts.gravity = Vector3::new(0.0, -9.81, 0.0);
            parts.build().unwrap()
        };
        let start = pair(Vector3::zeros(), 0.0, Vector3::new(2.0, -5.0, 0.0));
        let places = Places::new(&start);
        assert_eq!(places.course_change(&heavy(start)), None);
        // 3 kg move by (1, 1, −1): 45° from +x, however far they rise
        let later = pair(Vector3::new(1.0, 1.0, -1.0), 0.0, Vector3::zeros());
        let angle = places.course_change(&heavy(later.clone())).unwrap();
        let difference = angle - std::f64::consts::FRAC_PI_4;
        assert!(difference.abs() < 1e-15, "{angle}");
        // without gravity all three axes count
        let angle = places.course_change(&later).unwrap();
        let exact = libm::acos(-3.0 / (3.0_f64 * 29.0).sqrt());
        assert!((angle - exact).abs() < 1e-14, "{angle} {exact}");
        let resting = Places::new(&pair(Vector3::zeros(), 0.0, Vector3::zeros()));
        assert_eq!(resting.course_change(&heavy(later)), None);
    }

    #[test]
    fn a_steady_momentum_is_no_shift() {
        let mut world = pair(Vector3::zeros(), 0.0, Vector3::new(4.0, -2.0, 0.0));
        let places = Places::new(&world);
        let solver = Box::new(Pgs::new(Default::default()).unwrap());
        let mut scheme = VelocityScheme::new(VelocityParameters::default(), solver).unwrap();
        for _ in 0..100 {
            scheme.step(&mut world, 0.01, &mut ()).unwrap();
        }
        let shift = places.centre_of_mass_shift(&world).unwrap();
        assert!(shift < 1e-14, "{shift}");
        let motion = places.motion(&world).unwrap();
        assert!((motion - 20.0_f64.sqrt()).abs() < 1e-13, "{motion}");
    }
}
