//! Boxes on inclines: one to four points below the centre of mass.

use std::f64::consts::PI;

use delassus_core::{
    Choice, ContactLaw, Friction, Law, LawKind, MassProperties, Problem, ProblemBuilder,
};
use nalgebra::{Matrix3, Vector3};

use super::FrictionCase;
use super::forces::{Shape, shorter};

/// Mass of the box \[kg\].
pub(super) const MASS: f64 = 2.0;
/// What gravity adds to a velocity in the step, g h \[m/s\].
pub(super) const FALL: f64 = 0.1635;
/// Friction coefficient \[-\].
pub(super) const MU: f64 = 0.4;
/// Principal moments of the box over its mass \[m²\].
const GYRATION: [f64; 3] = [0.06, 0.14, 0.09];
/// Distance of the points from the middle of the face \[m\].
const RING: f64 = 0.45;
/// Height of the centre of mass over the points \[m\]; low enough not to topple.
const HEIGHT: f64 = 0.1;
/// Lever of rolling and spinning resistance of points that resist it \[m\]: long enough to hold a
/// box on one point.
const RESISTANCE: f64 = 1.0;
/// Slopes over the slope where the law begins to slide \[-\].
const SLOPES: [f64; 3] = [0.97, 1.03, 1.6];
/// Directions of the slope from the first tangent \[rad\].
const DIRECTIONS: [f64; 4] = [0.0, PI / 12.0, PI / 6.0, PI / 4.0];

/// The laws in space; the fixed box is the only one whose strength does not depend on the weight.
const LAWS: [ContactLaw; 10] = [
    ContactLaw::Frictionless,
    ContactLaw::FixedBox,
    ContactLaw::Pyramid,
    ContactLaw::Disc,
    ContactLaw::Coulomb,
    ContactLaw::ConvexCone,
    ContactLaw::Patch,
    ContactLaw::Facets4,
    ContactLaw::Facets8,
    ContactLaw::Facets16,
];

/// A box on its points, with everything that makes its problem.
#[derive(Debug, Clone, Copy)]
struct BoxOnPlane {
    shape: Shape,
    points: usize,
    /// Every point resists rolling and spinning too.
    rolling: bool,
    /// Angle of the plane \[rad\].
    slope: f64,
    /// Direction down the slope from the first tangent \[rad\].
    direction: f64,
    /// Angular velocity about the normal before the step \[rad/s\].
    spin: f64,
}

/// Boxes at rest on slopes on both sides of the one where they begin to slide.
pub(super) fn sloping() -> Vec<FrictionCase> {
    let mut cases = Vec::new();
    for points in 1..=4 {
        for law in LAWS {
            for tangents in [2, 1] {
                let shape = Shape { law, tangents };
                if tangents == 2 || law != ContactLaw::Patch {
                    slide(shape, points, false, &mut cases);
                }
            }
        }
        let coulomb = Shape {
            law: ContactLaw::Coulomb,
            tangents: 2,
        };
        slide(coulomb, points, true, &mut cases);
    }
    cases
}

fn slide(shape: Shape, points: usize, rolling: bool, cases: &mut Vec<FrictionCase>) {
    let isotropic = matches!(
        shape.law,
        ContactLaw::Frictionless
            | ContactLaw::Disc
            | ContactLaw::Coulomb
            | ContactLaw::ConvexCone
            | ContactLaw::Patch
    );
    let directions: &[f64] = match (shape.tangents, isotropic) {
        (1, _) => &DIRECTIONS[..1],
        (_, true) => &DIRECTIONS[2..3],
        _ => &DIRECTIONS,
    };
    for direction in directions {
        for factor in SLOPES {
            let limit = factor * MU * shape.strength(*direction);
            // friction of a fixed limit holds up to a force, the others up to a share of the normal
            // force
            let slope = match shape.law {
                ContactLaw::FixedBox => libm::asin(limit),
                _ => libm::atan(limit),
            };
            let on_plane = BoxOnPlane {
                shape,
                points,
                rolling,
                slope,
                direction: *direction,
                spin: 0.0,
            };
            cases.push(on_plane.case(on_plane.slid()));
        }
    }
}

/// Boxes on level ground that spin about the normal and, with a patch, on a slope down which they
/// slide at the same time.
pub(super) fn spinning() -> Vec<FrictionCase> {
    let mut cases = Vec::new();
    for points in 2..=4 {
        for law in [
            ContactLaw::Disc,
            ContactLaw::Coulomb,
            ContactLaw::ConvexCone,
            ContactLaw::Patch,
        ] {
            let slope = if law == ContactLaw::Patch { 0.5 } else { 0.0 };
            // what friction takes away on level ground
            let brake = MU * FALL * RING / GYRATION[1];
            for share in [0.9, 1.2, 3.0] {
                let shape = Shape { law, tangents: 2 };
                let on_plane = BoxOnPlane {
                    shape,
                    points,
                    rolling: false,
                    slope,
                    direction: 0.5,
                    spin: share * brake,
                };
                cases.push(on_plane.case(on_plane.spun()));
            }
        }
    }
    cases
}

impl BoxOnPlane {
    /// Free velocity down the slope, along both tangents, and into the plane \[m/s\].
    fn free(&self) -> ([f64; 2], f64) {
        let (sine, cosine) = libm::sincos(self.slope);
        let (across, along) = libm::sincos(self.direction);
        let down = FALL * sine;
        ([down * along, down * across], FALL * cosine)
    }

    /// Velocity after the step of a box that did not spin.
    fn slid(&self) -> [f64; 6] {
        let (free, press) = self.free();
        let reach = match self.shape.law {
            ContactLaw::FixedBox => MU * FALL,
            _ => MU * press,
        };
        let [x, z] = self.shape.left(free, reach);
        if self.shape.law == ContactLaw::ConvexCone {
            // it lifts with μ times its speed, and pays for that with the same share of friction
            let [x, z] = [x, z].map(|v| v / (1.0 + MU * MU));
            return [x, MU * libm::hypot(x, z), z, 0.0, 0.0, 0.0];
        }
        [x, 0.0, z, 0.0, 0.0, 0.0]
    }

    /// Velocity after the step of a box that spins: all points have the same lever.
    fn spun(&self) -> [f64; 6] {
        let (_, press) = self.free();
        let mut velocity = self.slid();
        let spin = shorter(self.spin, MU * press * RING / GYRATION[1]);
        velocity[4] = spin;
        if self.shape.law == ContactLaw::ConvexCone {
            let spin = spin / (1.0 + MU * MU * RING * RING / GYRATION[1]);
            velocity[1] = MU * RING * spin.abs();
            velocity[4] = spin;
        }
        velocity
    }

    /// Axes about which the box does not turn: it would fall off one point or two.
    fn locked(&self) -> [bool; 3] {
        if self.rolling {
            return [false; 3];
        }
        let plane = self.shape.tangents == 1;
        let patch = self.shape.law == ContactLaw::Patch;
        match self.points {
            1 => [true, !patch, true],
            // two points in line: what slides across it would turn, unless friction is taken at the
            // centre
            2 => [true, !patch && self.spin == 0.0, false],
            _ => [plane, plane, false],
        }
    }

    /// Places of the points below the centre of mass \[m\]: evenly around in space, in a line in
    /// the plane.
    fn places(&self) -> Vec<Vector3<f64>> {
        if self.points == 1 {
            return vec![Vector3::new(0.0, -HEIGHT, 0.0)];
        }
        let count = self.points as f64;
        let place = |i: usize| {
            if self.shape.tangents == 1 {
                let x = RING * (1.0 - 2.0 * i as f64 / (count - 1.0));
                return Vector3::new(x, -HEIGHT, 0.0);
            }
            // four points are a rectangle, whose normals are redundant
            let angle = match (self.points, i) {
                (4, _) => [0.6, PI - 0.6, PI + 0.6, -0.6][i],
                _ => 2.0 * PI * i as f64 / count,
            };
            let (sine, cosine) = libm::sincos(angle);
            Vector3::new(RING * cosine, -HEIGHT, RING * sine)
        };
        (0..self.points).map(place).collect()
    }

    fn law(&self) -> Law {
        if self.rolling {
            return Law::rolling(MU, RESISTANCE, Some(RESISTANCE));
        }
        let limit = || MU * MASS * FALL / self.points as f64;
        Law::Contact(self.shape.law.friction(MU, limit))
    }

    fn problem(&self) -> Problem {
        let ([x, z], press) = self.free();
        let mut builder = ProblemBuilder::new();
        let ground = builder.body(MassProperties::immovable(), [0.0; 6]);
        let locked = self.locked();
        let inverse = |axis: usize| {
            if locked[axis] {
                0.0
            } else {
                1.0 / (MASS * GYRATION[axis])
            }
        };
        let mut mass = MassProperties::aligned(MASS, Vector3::repeat(1.0));
        let inverse = Vector3::new(inverse(0), inverse(1), inverse(2));
        mass.inverse_inertia = Matrix3::from_diagonal(&inverse);
        if self.shape.tangents == 1 {
            mass.inverse_mass.z = 0.0;
        }
        let body = builder.body(mass, [x, -press, z, 0.0, self.spin, 0.0]);
        let places = self.places();
        let tangents = &[Vector3::x(), Vector3::z()][..self.shape.tangents];
        if self.shape.law == ContactLaw::Patch {
            let lever = if self.points == 1 { 0.0 } else { RING };
            let patch = Law::patch(MU, vec![lever; self.points]);
            let centre = Vector3::new(0.0, -HEIGHT, 0.0);
            let mut rows: Vec<_> = places.iter().map(|r| row(&Vector3::y(), r)).collect();
            rows.extend(tangents.iter().map(|t| row(t, &centre)));
            rows.push(turning(&Vector3::y()));
            builder.block(patch, &[ground, body], &rows);
        } else {
            for place in &places {
                let mut rows = vec![row(&Vector3::y(), place)];
                rows.extend(tangents.iter().map(|t| row(t, place)));
                if self.rolling {
                    rows.extend(tangents.iter().chain(&[Vector3::y()]).map(turning));
                }
                builder.block(self.law(), &[ground, body], &rows);
            }
        }
        builder.build().expect("a problem of this crate")
    }

    fn case(&self, velocity: [f64; 6]) -> FrictionCase {
        let law = if self.rolling {
            LawKind::Rolling
        } else {
            self.shape.kind()
        };
        let name = match self.shape.law {
            ContactLaw::Facets4 | ContactLaw::Facets8 | ContactLaw::Facets16 => {
                self.shape.law.name()
            }
            _ => law.id(),
        };
        FrictionCase {
            name: format!(
                "{name}, {} points, {}D, slope {:.3}, direction {:.3}, spin {:.3}",
                self.points,
                self.shape.tangents + 1,
                self.slope,
                self.direction,
                self.spin
            ),
            law,
            points: self.points,
            sticks: velocity == [0.0; 6],
            problem: self.problem(),
            velocity,
        }
    }
}

/// Entries of the row that measures the velocity of the body's point along `axis`, for ground and
/// body.
pub(super) fn row(axis: &Vector3<f64>, arm: &Vector3<f64>) -> [[f64; 6]; 2] {
    let moment = arm.cross(axis);
    let entry = [axis.x, axis.y, axis.z, moment.x, moment.y, moment.z];
    // the ground does not move, so where its point lies plays no part
    let ground = [-axis.x, -axis.y, -axis.z, 0.0, 0.0, 0.0];
    [ground, entry]
}

/// The same for the angular velocity about `axis`.
pub(super) fn turning(axis: &Vector3<f64>) -> [[f64; 6]; 2] {
    let entry = |sign: f64| [0.0, 0.0, 0.0, sign * axis.x, sign * axis.y, sign * axis.z];
    [entry(-1.0), entry(1.0)]
}

/// Friction of one point without resistance to rolling.
pub(super) fn point(law: ContactLaw, limit: f64) -> Friction {
    law.friction(MU, || limit)
}
