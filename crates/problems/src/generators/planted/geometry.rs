//! Random bodies, and random rows between them.

use delassus_core::{FrictionRow, LawKind, MassProperties, ScaledKind};
use delassus_systems::SeededRng;
use nalgebra::{Matrix3, Vector3};

use super::super::softness::diagonal;

/// What a block is, before its law has numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Three equality rows between two bodies.
    BallJoint,
    /// One equality row between three bodies.
    Gear,
    /// One row with bounds between two bodies.
    Row,
    /// A contact point with this friction law.
    Contact(LawKind),
    /// Four normals, two tangents, one twist.
    Patch,
    /// A contact point with two rolling rows.
    Rolling,
    /// The same with a spinning row.
    Spinning,
    /// A contact point with a scaled law over so many rows.
    Scaled(&'static ScaledKind, usize),
}

/// A block without numbers: bodies, rows, and the levers of a patch.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Draft {
    pub(crate) shape: Shape,
    pub(crate) bodies: Vec<usize>,
    /// One entry per row and touched body.
    pub(crate) rows: Vec<Vec<[f64; 6]>>,
    pub(crate) levers: Vec<f64>,
}

/// Bodies with their free velocities; the ground comes first.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct World {
    pub(crate) bodies: Vec<(MassProperties, [f64; 6])>,
}

const GROUND: usize = 0;

impl World {
    pub(crate) fn new(random: &mut SeededRng, count: usize, mass_ratio: f64) -> Self {
        let mut bodies = vec![(MassProperties::immovable(), [0.0; 6])];
        for _ in 0..count {
            let exponent = random.uniform(0.0, 1.0);
            let mass = libm::pow(mass_ratio, exponent);
            let velocity = [(); 6].map(|()| random.uniform(-1.0, 1.0));
            bodies.push((body(random, mass), velocity));
        }
        Self { bodies }
    }

    /// A typical impulse of the block \[N·s\]: what changes its velocities by about 1 m/s.
    pub(crate) fn scale(&self, draft: &Draft) -> f64 {
        let touched: Vec<&MassProperties> =
            draft.bodies.iter().map(|b| &self.bodies[*b].0).collect();
        let trace: f64 = draft.rows.iter().map(|row| diagonal(row, &touched)).sum();
        draft.rows.len() as f64 / trace
    }

    pub(crate) fn draft(
        &self,
        random: &mut SeededRng,
        shape: Shape,
        contact_dim: usize,
        grounded: f64,
    ) -> Draft {
        let bodies = match shape {
            Shape::Gear => self.choose_three(random),
            _ => self.choose_two(random, grounded),
        };
        let (mut rows, mut levers) = (Vec::new(), Vec::new());
        match shape {
            Shape::BallJoint => {
                let arms = [random.in_cube(0.5), random.in_cube(0.5)];
                for axis in [Vector3::x(), Vector3::y(), Vector3::z()] {
                    rows.push(pair(axis, arms));
                }
            }
            Shape::Gear => {
                let ratios = [1.0, random.uniform(0.5, 2.0), random.uniform(0.5, 2.0)];
                rows.push(
                    ratios
                        .map(|ratio| spin(ratio * random.direction()))
                        .to_vec(),
                );
            }
            Shape::Row => {
                let arms = [random.in_cube(0.5), random.in_cube(0.5)];
                rows.push(pair(random.direction(), arms));
            }
            Shape::Contact(_) => {
                let arms = [random.in_cube(0.5), random.in_cube(0.5)];
                let frame = frame(random);
                rows.extend(frame.iter().take(contact_dim).map(|axis| pair(*axis, arms)));
            }
            Shape::Patch => levers = patch(random, &mut rows),
            Shape::Rolling => rolling(random, &mut rows, 2),
            Shape::Spinning => rolling(random, &mut rows, 3),
            Shape::Scaled(entry, dim) => scaled(random, &mut rows, &entry.rows[..dim - 1]),
        }
        Draft {
            shape,
            bodies,
            rows,
            levers,
        }
    }

    /// Two different bodies, the first of them movable; the second is the ground with probability
    /// `grounded`.
    fn choose_two(&self, random: &mut SeededRng, grounded: f64) -> Vec<usize> {
        let movable = self.bodies.len() - 1;
        let first = 1 + random.index(movable);
        if movable == 1 || random.chance(grounded) {
            return vec![GROUND, first];
        }
        let other = 1 + (first + random.index(movable - 1)) % movable;
        vec![first, other]
    }

    /// Three different bodies.
    fn choose_three(&self, random: &mut SeededRng) -> Vec<usize> {
        let mut all: Vec<usize> = (0..self.bodies.len()).collect();
        // a partial shuffle: the first three
        for i in 0..3 {
            let other = i + random.index(all.len() - i);
            all.swap(i, other);
        }
        all.truncate(3);
        all
    }
}

/// A body of random shape (the moments of a box) and orientation.
fn body(random: &mut SeededRng, mass: f64) -> MassProperties {
    let half = [(); 3].map(|()| random.uniform(0.25, 0.5));
    let square = half.map(|h| h * h);
    let third = mass / 3.0;
    let inverse = Vector3::new(
        1.0 / (third * (square[1] + square[2])),
        1.0 / (third * (square[2] + square[0])),
        1.0 / (third * (square[0] + square[1])),
    );
    let rotation = random.rotation();
    let world = rotation * Matrix3::from_diagonal(&inverse) * rotation.transpose();
    MassProperties {
        inverse_mass: Vector3::repeat(1.0 / mass),
        inverse_inertia: 0.5 * (world + world.transpose()),
    }
}

fn frame(random: &mut SeededRng) -> [Vector3<f64>; 3] {
    let normal = random.direction();
    loop {
        let other = random.direction();
        let across = normal.cross(&other);
        let length = across.norm();
        if length > 0.1 {
            let tangent = across / length;
            return [normal, tangent, normal.cross(&tangent)];
        }
    }
}

fn spin(axis: Vector3<f64>) -> [f64; 6] {
    [0.0, 0.0, 0.0, axis.x, axis.y, axis.z]
}

fn pair(axis: Vector3<f64>, arms: [Vector3<f64>; 2]) -> Vec<[f64; 6]> {
    let [a, b] = arms.map(|arm| {
        let angular = arm.cross(&axis);
        [axis.x, axis.y, axis.z, angular.x, angular.y, angular.z]
    });
    vec![a.map(|x| -x), b]
}

/// Normal and tangents, then `turning` rotations: about the two tangents, about the normal.
fn rolling(random: &mut SeededRng, rows: &mut Vec<Vec<[f64; 6]>>, turning: usize) {
    let arms = [random.in_cube(0.5), random.in_cube(0.5)];
    let [normal, t1, t2] = frame(random);
    rows.extend([normal, t1, t2].map(|axis| pair(axis, arms)));
    let axes = [t1, t2, normal].into_iter().take(turning);
    rows.extend(axes.map(|axis| vec![spin(-axis), spin(axis)]));
}

/// Normal, then the rows of friction of a scaled law.
fn scaled(random: &mut SeededRng, rows: &mut Vec<Vec<[f64; 6]>>, friction: &[FrictionRow]) {
    let arms = [random.in_cube(0.5), random.in_cube(0.5)];
    let [normal, t1, t2] = frame(random);
    let turning = |axis: Vector3<f64>| vec![spin(-axis), spin(axis)];
    rows.push(pair(normal, arms));
    rows.extend(friction.iter().map(|row| match row {
        FrictionRow::Slide => pair(t1, arms),
        FrictionRow::SecondSlide => pair(t2, arms),
        FrictionRow::Spin => turning(normal),
        FrictionRow::Roll => turning(t1),
        FrictionRow::SecondRoll => turning(t2),
    }));
}

/// Four normals at the corners of a rectangle, two tangents and the twist at its centre; returns
/// the levers.
fn patch(random: &mut SeededRng, rows: &mut Vec<Vec<[f64; 6]>>) -> Vec<f64> {
    let [normal, t1, t2] = frame(random);
    let arms = [random.in_cube(0.5), random.in_cube(0.5)];
    let (width, depth) = (random.uniform(0.1, 0.4), random.uniform(0.1, 0.4));
    let mut levers = Vec::new();
    for [a, b] in [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]] {
        let offset = a * width * t1 + b * depth * t2;
        levers.push(offset.norm());
        rows.push(pair(normal, arms.map(|arm| arm + offset)));
    }
    rows.push(pair(t1, arms));
    rows.push(pair(t2, arms));
    let twist = spin(normal);
    rows.push(vec![twist.map(|x| -x), twist]);
    levers
}
