//! Colliders in the form of the device.

use delassus_collide::{Collider, Shape};
use nalgebra::{Isometry3, Vector3};

use crate::SIZES;
use crate::error::CollisionError;
use crate::records::{BOX, BodyPose, PLANE, SPHERE, Solid};

/// What is looked at.
#[derive(Debug, Clone, Copy)]
pub struct ColliderScene<'a> {
    /// Valid colliders.
    pub colliders: &'a [Collider],
    /// Per body: true if forces move it.
    pub moves: &'a [bool],
    /// Pairs of bodies that do not touch, each ascending, in ascending order.
    pub apart: &'a [[usize; 2]],
    /// Per collider a number that kernels behind the search find with it; empty: zeros.
    pub marks: &'a [u32],
    /// Surfaces farther apart than this are left out \[m\].
    pub margin: f64,
    /// By how much the features of the frame before are preferred \[-\].
    pub persistence: f64,
}

/// The same for the device.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct UploadedScene {
    pub(crate) solids: Vec<Solid>,
    /// Sizes of cells with their inverses, as bits, pairs of bodies, half-spaces.
    pub(crate) tables: Vec<[u32; 2]>,
    pub(crate) levels: u32,
    pub(crate) apart: u32,
    pub(crate) planes: u32,
    pub(crate) margin: f32,
    pub(crate) persistence: f32,
    /// Size of the smallest cells \[m\].
    pub(crate) cell: f64,
    /// How far a collider lies from the centre of its body at most \[m\].
    pub(crate) farthest: f64,
}

/// Cells of the smallest size from the origin to where the error of a position, 2⁻⁴⁸ of itself, is
/// as large as the rounding of a cell size in f32 \[-\]; cell numbers have room for it.
const CELLS: f64 = 536_870_912.0;

/// Room for rounding between the size of a collider and that of its cell \[-\].
const ROUNDING: f64 = 1e-5;

impl UploadedScene {
    pub(crate) fn new(scene: &ColliderScene<'_>) -> Result<Self, CollisionError> {
        let mut solids = Vec::with_capacity(scene.colliders.len());
        let mut exponents = Vec::with_capacity(scene.colliders.len());
        for (index, collider) in scene.colliders.iter().enumerate() {
            let (mut solid, extent) = solid(scene, index, collider)?;
            solid.mark = scene.marks.get(index).copied().unwrap_or(0);
            solids.push(solid);
            let size = |extent| 2.0 * (1.0 + ROUNDING) * (extent + 0.5 * scene.margin);
            // a half-space is in no cell, and above all levels
            exponents.push(extent.map_or(i32::MAX, |extent| exponent(size(extent))));
        }
        let mut levels = exponents.clone();
        levels.retain(|level| *level < i32::MAX);
        levels.sort_unstable();
        levels.dedup();
        for (solid, exponent) in solids.iter_mut().zip(&exponents) {
            solid.level = word("levels", levels.partition_point(|level| level < exponent))?;
        }
        let size = |exponent: &i32| 2_f64.powi(*exponent);
        let bits = |x: f64| narrow(x).to_bits();
        let cells = levels.iter().map(size);
        let mut tables: Vec<[u32; 2]> = cells.map(|x| [bits(x), bits(1.0 / x)]).collect();
        for pair in scene.apart {
            tables.push([word("bodies", pair[0])?, word("bodies", pair[1])?]);
        }
        let mut planes = 0;
        for (index, _) in (0_u32..)
            .zip(&solids)
            .filter(|(_, solid)| solid.kind == PLANE)
        {
            tables.push([index, 0]);
            planes += 1;
        }
        let places = scene.colliders.iter().map(|c| c.position.norm());
        Ok(Self {
            solids,
            tables,
            levels: word("levels", levels.len())?,
            apart: word("pairs of bodies", scene.apart.len())?,
            planes,
            margin: narrow(scene.margin),
            persistence: narrow(scene.persistence),
            cell: levels.first().map_or(1.0, size),
            farthest: places.fold(0.0, f64::max),
        })
    }

    /// The collider that finds a pair, and the other one.
    pub(crate) fn owner_first(&self, [a, b]: [u32; 2]) -> [u32; 2] {
        let key = |index: u32| (self.solids[index as usize].level, index);
        if key(a) < key(b) { [a, b] } else { [b, a] }
    }

    /// Poses of bodies for the device.
    pub(crate) fn poses(&self, poses: &[Isometry3<f64>]) -> Result<Vec<BodyPose>, CollisionError> {
        let reach = CELLS * self.cell;
        let pose = |(body, pose): (usize, &Isometry3<f64>)| {
            let position = pose.translation.vector;
            let larger = |most: f64, x: &f64| {
                if most.is_nan() || x.abs() <= most {
                    most
                } else {
                    x.abs()
                }
            };
            // not a number is too far as well, and stays one
            let distance = position.iter().fold(0.0, larger) + self.farthest;
            if distance.is_nan() || distance >= reach {
                let cell = self.cell;
                return Err(CollisionError::TooFar {
                    body,
                    distance,
                    cell,
                    reach,
                });
            }
            let high = position.map(narrow);
            let low = position - high.map(f64::from);
            let q = pose.rotation.quaternion();
            Ok(BodyPose {
                high: [high.x, high.y, high.z, 0.0],
                low: quad(&low),
                orientation: [q.i, q.j, q.k, q.w].map(narrow),
            })
        };
        poses.iter().enumerate().map(pose).collect()
    }
}

/// The nearest number of f32.
#[allow(
    clippy::cast_possible_truncation,
    reason = "rounding is what is asked for"
)]
pub(crate) fn narrow(x: f64) -> f32 {
    x as f32
}

fn quad(v: &Vector3<f64>) -> [f32; 4] {
    [narrow(v.x), narrow(v.y), narrow(v.z), 0.0]
}

pub(crate) fn triple(v: &Vector3<f64>) -> [f32; 3] {
    [narrow(v.x), narrow(v.y), narrow(v.z)]
}

/// An index of 32 bits.
pub(crate) fn word(what: &'static str, x: usize) -> Result<u32, CollisionError> {
    u32::try_from(x).map_err(|_| CollisionError::Length {
        what,
        found: x,
        expected: u32::MAX as usize,
    })
}

/// The least power of two that is not below a size above zero.
fn exponent(size: f64) -> i32 {
    let mut exponent = 0;
    while 2_f64.powi(exponent) < size {
        exponent += 1;
    }
    while 2_f64.powi(exponent - 1) >= size {
        exponent -= 1;
    }
    exponent
}

/// A collider, without its level, and how far it reaches from its middle \[m\], if it has one.
fn solid(
    scene: &ColliderScene<'_>,
    index: usize,
    collider: &Collider,
) -> Result<(Solid, Option<f64>), CollisionError> {
    let (kind, half, extent) = match &collider.shape {
        Shape::Sphere(ball) => (SPHERE, Vector3::repeat(ball.radius), Some(ball.radius)),
        Shape::Box(cuboid) => (BOX, cuboid.half, Some(cuboid.half.norm())),
        Shape::HalfSpace(plane) => (PLANE, plane.normal.normalize(), None),
        other => {
            return Err(CollisionError::Shape {
                collider: index,
                shape: name(other),
            });
        }
    };
    let strange = |x: &&f64| extent.is_some() && !(SIZES[0]..=SIZES[1]).contains(*x);
    if let Some(size) = half.iter().find(strange) {
        return Err(CollisionError::Size {
            collider: index,
            size: *size,
        });
    }
    let Some(moves) = scene.moves.get(collider.body) else {
        return Err(CollisionError::Length {
            what: "bodies",
            found: scene.moves.len(),
            expected: collider.body + 1,
        });
    };
    let q = collider.orientation.quaternion();
    let solid = Solid {
        half: triple(&half),
        kind,
        place: triple(&collider.position),
        body: word("bodies", collider.body)?,
        turn: [q.i, q.j, q.k, q.w].map(narrow),
        moves: u32::from(*moves),
        group: collider.filter.group,
        category: collider.filter.category,
        mask: collider.filter.mask,
        grown: narrow(0.5 * scene.margin),
        ..Solid::default()
    };
    Ok((solid, extent))
}

fn name(shape: &Shape) -> &'static str {
    match shape {
        Shape::Sphere(_) => "sphere",
        Shape::Box(_) => "box",
        Shape::Capsule(_) => "capsule",
        Shape::Cylinder(_) => "cylinder",
        Shape::Hull(_) => "hull",
        Shape::HalfSpace(_) => "half-space",
        Shape::Mesh(_) => "mesh",
        Shape::HeightField(_) => "height-field",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_the_next_powers_of_two() {
        for (size, expected) in [(1.0, 0), (1.0001, 1), (0.5, -1), (0.3, -1), (1e-9, -29)] {
            assert_eq!(exponent(size), expected, "{size}");
        }
    }

    #[test]
    fn the_smaller_collider_finds_a_pair() {
        use delassus_collide::Sphere;
        let colliders = [5.0, 0.1, 0.1].map(|radius| Collider::new(0, Sphere::new(radius)));
        let scene = ColliderScene {
            colliders: &colliders,
            moves: &[true],
            apart: &[],
            marks: &[],
            margin: 0.02,
            persistence: 0.0,
        };
        let loaded = UploadedScene::new(&scene).expect("spheres");
        assert_eq!(loaded.levels, 2);
        assert_eq!(loaded.owner_first([0, 1]), [1, 0]);
        assert_eq!(loaded.owner_first([2, 1]), [1, 2]);
    }
}
