//! Solids as faces, for what is drawn without a graphics library.

use std::f64::consts::PI;

use nalgebra::Vector3;

use crate::stage::{SolidShape, count, index};

/// Flat faces of a solid \[m\].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Faces {
    /// Corners.
    pub corners: Vec<Vector3<f64>>,
    /// Corners of each face, counter-clockwise seen from outside.
    pub faces: Vec<Vec<u32>>,
}

/// Sides of a round solid.
const SIDES: usize = 20;
/// Rings of a half ball.
const RINGS: usize = 4;

/// The faces of a form in its own axes. A ball is drawn as a disc and has none, nor has a plane.
pub fn faces(form: &SolidShape) -> Faces {
    match form {
        SolidShape::Sphere { .. } | SolidShape::Plane { .. } => Faces::default(),
        SolidShape::Box { half } => cuboid(half.map(f64::from)),
        SolidShape::Cylinder {
            half_length,
            radius,
        } => {
            let (half, radius) = (f64::from(*half_length), f64::from(*radius));
            turned(&[[radius, -half], [radius, half]])
        }
        SolidShape::Capsule {
            half_length,
            radius,
        } => capsule(f64::from(*half_length), f64::from(*radius)),
        SolidShape::Mesh {
            vertices,
            triangles,
            ..
        } => Faces {
            corners: vertices.iter().map(|v| v.map(f64::from).into()).collect(),
            faces: triangles.iter().map(|t| t.to_vec()).collect(),
        },
    }
}

fn cuboid([x, y, z]: [f64; 3]) -> Faces {
    let sign = |k: u32, bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
    let corner = |k| Vector3::new(x * sign(k, 0), y * sign(k, 1), z * sign(k, 2));
    let faces = [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ];
    Faces {
        corners: (0..8).map(corner).collect(),
        faces: faces.map(Vec::from).into(),
    }
}

fn capsule(half: f64, radius: f64) -> Faces {
    let angle = |ring: usize| 0.5 * PI * count(ring) / count(RINGS);
    let below = (1..=RINGS).map(|ring| {
        let (sin, cos) = libm::sincos(angle(ring));
        [radius * sin, -half - radius * cos]
    });
    let above = (0..RINGS).map(|ring| {
        let (sin, cos) = libm::sincos(angle(ring));
        [radius * cos, half + radius * sin]
    });
    turned(&below.chain(above).collect::<Vec<_>>())
}

/// The solid of a profile (radius, height) that turns about y, closed below and above.
fn turned(profile: &[[f64; 2]]) -> Faces {
    let mut solid = Faces::default();
    for [radius, height] in profile {
        for side in 0..SIDES {
            let (sin, cos) = libm::sincos(2.0 * PI * count(side) / count(SIDES));
            let corner = Vector3::new(radius * sin, *height, radius * cos);
            solid.corners.push(corner);
        }
    }
    let at = |ring: usize, side: usize| index(ring * SIDES + side % SIDES);
    for ring in 1..profile.len() {
        for side in 0..SIDES {
            let (a, b) = (at(ring - 1, side), at(ring - 1, side + 1));
            let (c, d) = (at(ring, side + 1), at(ring, side));
            solid.faces.push(vec![a, b, c, d]);
        }
    }
    let last = profile.len() - 1;
    solid
        .faces
        .push((0..SIDES).rev().map(|s| at(0, s)).collect());
    solid.faces.push((0..SIDES).map(|s| at(last, s)).collect());
    solid
}

impl Faces {
    /// Unit normal of a face, to the outside; the y axis where it has no area.
    pub fn normal(&self, face: &[u32]) -> Vector3<f64> {
        let mut sum = Vector3::zeros();
        let first = self.corners[face[0] as usize];
        for pair in face[1..].windows(2) {
            let [a, b] = [pair[0], pair[1]].map(|k| self.corners[k as usize] - first);
            sum += a.cross(&b);
        }
        sum.try_normalize(0.0).unwrap_or_else(Vector3::y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Volume by the divergence theorem: one sixth of the sum of the triple products.
    fn volume(solid: &Faces) -> f64 {
        let mut sum = 0.0;
        for face in &solid.faces {
            let corner = |k: usize| solid.corners[face[k] as usize];
            for k in 1..face.len() - 1 {
                sum += corner(0).dot(&corner(k).cross(&corner(k + 1)));
            }
        }
        sum / 6.0
    }

    #[test]
    fn faces_enclose_the_volume_and_look_outwards() {
        let half = [0.5, 1.0, 2.0];
        assert!((volume(&faces(&SolidShape::Box { half })) - 8.0).abs() < 1e-12);
        // a regular polygon in place of the circle
        let disc = 0.5 * count(SIDES) * libm::sin(2.0 * PI / count(SIDES));
        let cylinder = faces(&SolidShape::Cylinder {
            half_length: 1.0,
            radius: 1.0,
        });
        assert!((volume(&cylinder) - 2.0 * disc).abs() < 1e-12);
        let capsule = faces(&SolidShape::Capsule {
            half_length: 1.0,
            radius: 1.0,
        });
        let exact = 2.0 * PI + 4.0 / 3.0 * PI;
        assert!((volume(&capsule) / exact - 1.0).abs() < 0.05);
        for face in &capsule.faces {
            let middle: Vector3<f64> = face.iter().map(|k| capsule.corners[*k as usize]).sum();
            assert!(capsule.normal(face).dot(&middle) > 0.0);
        }
    }
}
