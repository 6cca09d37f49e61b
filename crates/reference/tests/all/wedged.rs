//! Bodies on many points, in grooves and between walls: dimension and extent of their families,
//! against numbers that were computed independently (singular values of the active equations by
//! differences, and walks over the solutions).

use std::sync::atomic::AtomicBool;

use delassus_core::{Friction, Law, MassProperties, Problem, ProblemBuilder};
use delassus_reference::{Certified, Continuum, NoReference, ReferenceOptions, certify, continuum};
use delassus_registry::Registry;
use nalgebra::Vector3;

/// A body in contact: mass and moments, velocity before the contacts, points and their normals.
struct Held {
    mass: f64,
    moments: [f64; 3],
    velocity: [f64; 6],
    contacts: Vec<([f64; 3], [f64; 3])>,
    friction: Vec<f64>,
}

impl Held {
    fn problem(&self) -> Problem {
        let mut builder = ProblemBuilder::new();
        let moments = Vector3::from(self.moments);
        let body = MassProperties::aligned(self.mass, moments);
        let body = builder.body(body, self.velocity);
        for ((point, normal), mu) in self.contacts.iter().zip(self.friction.iter().cycle()) {
            let [arm, normal] = [*point, *normal].map(Vector3::from);
            let normal = normal.normalize();
            let side = if normal.x.abs() < 0.9 {
                Vector3::x()
            } else {
                Vector3::z()
            };
            let first = (side - side.dot(&normal) * normal).normalize();
            let row = |d: Vector3<f64>| {
                let turn = arm.cross(&d);
                [[d.x, d.y, d.z, turn.x, turn.y, turn.z]]
            };
            let rows = [normal, first, normal.cross(&first)].map(row);
            let law = Law::Contact(Friction::Coulomb { mu: *mu });
            builder.block(law, &[body], &rows);
        }
        builder.build().expect("valid")
    }

    fn verdict(&self) -> Result<Certified, NoReference> {
        let cancel = AtomicBool::new(false);
        let options = ReferenceOptions::default();
        certify(&self.problem(), &Registry::standard(), options, &cancel).reference
    }

    #[track_caller]
    fn family(&self) -> Continuum {
        match self.verdict() {
            Err(NoReference::Family { family, .. }) => family,
            other => panic!("no family: {other:?}"),
        }
    }
}

const UP: [f64; 3] = [0.0, 0.0, 1.0];

/// Corners of a box whose bottom is not a rectangle.
const CORNERS: [[f64; 3]; 4] = [
    [0.5, 0.3, -0.2],
    [0.45, -0.35, -0.2],
    [-0.55, -0.25, -0.2],
    [-0.4, 0.4, -0.2],
];

fn spinning(points: &[[f64; 3]], friction: &[f64]) -> Held {
    Held {
        mass: 2.3,
        moments: [0.11, 0.23, 0.31],
        velocity: [-0.7, 0.9, -0.6, 0.1, 0.1, -2.4],
        contacts: points.iter().map(|point| (*point, UP)).collect(),
        friction: friction.to_vec(),
    }
}

#[test]
fn a_family_on_four_points_is_as_long_as_computed() {
    let family = spinning(&CORNERS, &[0.27]).family();
    assert_eq!(family.dimension, 1);
    // both ends, where a corner lifts
    assert!(
        (family.extent / 0.027_979_2 - 1.0).abs() < 1e-3,
        "{}",
        family.extent
    );
}

#[test]
fn every_further_point_adds_a_dimension() {
    let mut points = CORNERS.to_vec();
    points.push([0.0, 0.0, -0.2]);
    let family = spinning(&points, &[0.27, 0.2, 0.3, 0.25, 0.4]).family();
    assert_eq!(family.dimension, 2);
    // at most what walks over the solutions find
    assert!(
        (0.03..=0.1103).contains(&family.extent),
        "{}",
        family.extent
    );
    // a table on six legs
    let legs = [
        [0.6965, 0.0499],
        [0.2537, 0.466],
        [-0.4664, 0.3729],
        [-0.693, 0.0706],
        [-0.3432, -0.4358],
        [0.4443, -0.3864],
    ];
    let table = Held {
        mass: 7.0,
        moments: [0.9, 1.1, 1.7],
        velocity: [0.9, -0.35, -1.1, 0.05, -0.02, 1.6],
        contacts: legs.map(|[x, y]| ([x, y, -0.4], UP)).to_vec(),
        friction: vec![0.22],
    };
    let family = table.family();
    assert_eq!(family.dimension, 3);
    assert!(
        (0.02..=0.0966).contains(&family.extent),
        "{}",
        family.extent
    );
}

/// A box in a groove with sides at 45°, with these points on either side.
fn groove(sides: [&[[f64; 3]]; 2]) -> Held {
    let normals = [[1.0, 0.0, 1.0], [-1.0, 0.0, 1.0]];
    let contacts = sides.into_iter().zip(normals);
    let contacts = contacts.flat_map(|(points, n)| points.iter().map(move |point| (*point, n)));
    Held {
        mass: 1.9,
        moments: [0.2, 0.12, 0.25],
        velocity: [0.1, 0.8, -0.9, 0.02, 0.0, 0.05],
        contacts: contacts.collect(),
        friction: vec![0.3],
    }
}

#[test]
fn a_groove_leaves_one_velocity() {
    // four normals and four equations; six and five, but what they share moves nothing
    let [left, right] = [
        [[-0.2, 0.5, -0.1], [-0.2, -0.4, -0.1], [-0.3, 0.1, 0.0]],
        [[0.2, 0.45, -0.1], [0.2, -0.55, -0.1], [0.3, 0.0, 0.0]],
    ];
    for held in [groove([&left[..2], &right[..2]]), groove([&left, &right])] {
        let found = held.verdict().expect("a reference");
        assert_eq!(found.solutions.len(), 1);
        let answer = &found.solutions[0].impulses;
        assert_eq!(continuum(&held.problem(), answer, 1e-10), None);
    }
}

/// A box between two walls that lean outwards by a `slope`, two points on each.
fn between(slope: f64, velocity: [f64; 6], mu: f64) -> Held {
    let [left, right] = [[1.0, 0.0, slope], [-1.0, 0.0, slope]];
    Held {
        mass: 1.7,
        moments: [0.1, 0.14, 0.12],
        velocity,
        contacts: vec![
            ([-0.3, 0.2, 0.1], left),
            ([-0.3, -0.25, 0.1], left),
            ([0.3, 0.2, 0.1], right),
            ([0.3, -0.25, 0.1], right),
        ],
        friction: vec![mu],
    }
}

#[test]
fn walls_may_press_what_slides_between_them() {
    // nothing pushes it against the walls; friction at pressures of any size obeys the law
    let velocity = [0.0, 0.1, -1.3, 0.0, 0.0, 0.0];
    let sliding = between(0.0, velocity, 0.3);
    let none = vec![0.0; 12];
    for family in [
        continuum(&sliding.problem(), &none, 1e-10).expect("a family"),
        sliding.family(),
    ] {
        assert_eq!(family.dimension, 2);
        assert!(family.extent > 0.1, "{}", family.extent);
        for end in &family.ends {
            let normals = end.iter().step_by(3);
            assert!(
                normals.fold(0.0_f64, |least, x| least.min(*x)) >= -1e-12,
                "{end:?}"
            );
        }
    }
    // walls that lean press with what they carry
    for (velocity, mu) in [(velocity, 0.3), ([0.0, 0.7, -1.3, 0.0, 0.0, 0.0], 0.05)] {
        let found = between(0.14, velocity, mu).verdict().expect("a reference");
        assert_eq!(found.solutions.len(), 1);
    }
    // one wall presses nothing
    let mut one = between(0.0, [0.0, 0.1, -1.3, 0.0, 0.0, 0.0], 0.3);
    one.contacts.truncate(2);
    assert_eq!(continuum(&one.problem(), &[0.0; 6], 1e-10), None);
    assert_eq!(one.verdict().expect("a reference").solutions.len(), 1);
}
