//! Boxes on redundant contacts: whose velocities are a family, whose are not, and what is one
//! solution.

use std::sync::atomic::AtomicBool;

use delassus_core::{Friction, Law, MassProperties, Problem, ProblemBuilder};
use delassus_metrics::Evaluator;
use delassus_reference::{NoReference, ReferenceOptions, ReferenceSearch, certify, continuum};
use delassus_registry::Registry;
use nalgebra::Vector3;

const MASS: f64 = 3.0;
const HALF: [f64; 3] = [0.6, 0.35, 0.25];
const CORNERS: [[f64; 2]; 4] = [[1.0, 1.0], [1.0, -1.0], [-1.0, -1.0], [-1.0, 1.0]];

/// A box on these corners of its bottom, z up; velocities are those before the contacts.
fn resting(corners: &[[f64; 2]], friction: Friction, velocity: [f64; 6]) -> Problem {
    let [x, y, z] = HALF;
    let inertia = |a: f64, b: f64| MASS / 3.0 * (a * a + b * b);
    let inertia = Vector3::new(inertia(y, z), inertia(x, z), inertia(x, y));
    let mut builder = ProblemBuilder::new();
    let body = builder.body(MassProperties::aligned(MASS, inertia), velocity);
    for [side_x, side_y] in corners {
        let arm = Vector3::new(side_x * x, side_y * y, -z);
        let row = |d: Vector3<f64>| {
            let turn = arm.cross(&d);
            [[d.x, d.y, d.z, turn.x, turn.y, turn.z]]
        };
        let rows = [Vector3::z(), Vector3::x(), Vector3::y()].map(row);
        builder.block(Law::Contact(friction), &[body], &rows);
    }
    builder.build().expect("valid")
}

fn verdict(problem: &Problem) -> ReferenceSearch {
    let cancel = AtomicBool::new(false);
    let options = ReferenceOptions::default();
    certify(problem, &Registry::standard(), options, &cancel)
}

/// Sliding and spinning, and falling at 0.8 m/s.
const SPINNING: [f64; 6] = [0.4, -0.1, -0.8, 0.0, 0.0, 2.1];

#[test]
fn a_box_that_slides_and_spins_on_four_points_is_a_family() {
    let mu = 0.35;
    for friction in [Friction::Coulomb { mu }, Friction::Disc { mu }] {
        let problem = resting(&CORNERS, friction, SPINNING);
        let Err(NoReference::Family { family, .. }) = verdict(&problem).reference else {
            panic!("a family");
        };
        assert_eq!(family.dimension, 1);
        assert!(family.extent > 1e-3, "{}", family.extent);
        let mut evaluator = Evaluator::new(&problem).unwrap();
        let [a, b] = &family.ends;
        assert_eq!(evaluator.agreement(a, b), Ok(family.extent));
        for end in &family.ends {
            let mut w = vec![0.0; problem.rows()];
            problem.shifted_velocity(end, &mut w);
            let mut weight = 0.0;
            for (x, w) in end.chunks_exact(3).zip(w.chunks_exact(3)) {
                weight += x[0];
                assert!(x[0] >= 0.0 && w[0].abs() < 1e-9, "{x:?} {w:?}");
                // friction is against the slip and as large as it may be
                let slip = (w[1] * w[1] + w[2] * w[2]).sqrt();
                for i in [1, 2] {
                    assert!((x[i] + mu * x[0] * w[i] / slip).abs() < 1e-8, "{x:?} {w:?}");
                }
            }
            assert!((weight - MASS * 0.8).abs() < 1e-8, "{weight}");
            // the family ends where a corner lifts
            let normals = end.iter().step_by(3);
            let least = normals.fold(f64::INFINITY, |least, x| least.min(*x));
            assert!(least < 1e-3 * weight, "{least}");
        }
        // of any of its points
        assert!(continuum(&problem, a, 1e-10).is_none_or(|same| same.dimension == 1));
    }
}

#[test]
fn boxes_that_stick_or_stand_on_three_points_are_no_family() {
    let coulomb = |mu| Friction::Coulomb { mu };
    let sticking = resting(&CORNERS, coulomb(0.9), [0.1, 0.05, -0.8, 0.0, 0.0, 0.2]);
    let three = resting(&CORNERS[..3], coulomb(0.35), SPINNING);
    // four points that only slide: redundant, with one velocity
    let sliding = resting(&CORNERS, coulomb(0.05), [1.5, 0.3, -0.8, 0.0, 0.0, 0.0]);
    for problem in [sticking, three, sliding] {
        let found = verdict(&problem).reference.expect("a reference");
        assert_eq!(found.solutions.len(), 1);
        let answer = &found.solutions[0];
        assert_eq!(continuum(&problem, &answer.impulses, 1e-10), None);
    }
    // nor what is convex, or no solution
    let cone = resting(&CORNERS, Friction::ConvexCone { mu: 0.35 }, SPINNING);
    assert_eq!(continuum(&cone, &[0.0; 12], 1e9), None);
    let none = resting(&CORNERS, coulomb(0.35), SPINNING);
    assert_eq!(continuum(&none, &[0.0; 12], 1e-6), None);
}

#[test]
fn a_solution_at_the_edge_of_its_cone_is_counted_once() {
    // the slip vanishes just where friction is used up: methods end 1e-9 apart, on both sides
    let mu = 0.3;
    let speed = mu * 0.8;
    let velocity = [0.6 * speed, 0.8 * speed, -0.8, 0.0, 0.0, 0.0];
    let problem = resting(&CORNERS, Friction::Coulomb { mu }, velocity);
    let found = verdict(&problem).reference.expect("a reference");
    assert_eq!(found.solutions.len(), 1);
}

#[test]
fn two_boxes_apart_are_a_family_of_two_dimensions() {
    // each slides and spins on its own; neither knows of the other
    let coulomb = |mu| Friction::Coulomb { mu };
    let other = [-0.3, 0.25, -0.5, 0.0, 0.0, -1.7];
    let one = resting(&CORNERS, coulomb(0.35), SPINNING);
    let two = resting(&CORNERS, coulomb(0.2), other);
    let both = Problem::concatenate([one, two]).expect("a problem");
    let Err(NoReference::Family { family, .. }) = verdict(&both).reference else {
        panic!("a family");
    };
    assert_eq!(family.dimension, 2);
    // next to a box that is at one point
    let three = resting(&CORNERS[..3], coulomb(0.35), SPINNING);
    let one = resting(&CORNERS, coulomb(0.35), SPINNING);
    let beside = Problem::concatenate([three, one]).expect("a problem");
    let Err(NoReference::Family { family, .. }) = verdict(&beside).reference else {
        panic!("a family");
    };
    assert_eq!(family.dimension, 1);
}
