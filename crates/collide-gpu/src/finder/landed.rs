//! Manifolds of the device, in the form of the host.

use delassus_collide::{CollisionManifold, HalfSpace, PairCache, Shape, Touch};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::records::{Manifold, NONE, Point};
use crate::scene::ColliderScene;

fn vector(v: [f32; 3]) -> Vector3<f64> {
    Vector3::from(v.map(f64::from))
}

/// A manifold that the device found.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuManifold {
    /// Colliders A and B, ascending.
    pub colliders: [u32; 2],
    /// State of the pair for the search of the next frame.
    pub memory: PairCache,
    /// The manifold.
    pub touching: CollisionManifold,
    /// Per point: which point of the pair's manifold of the frame before it goes on from (T.20).
    pub previous: Vec<Option<usize>>,
}

impl GpuManifold {
    /// Bytes of a manifold on the device \[B\].
    pub const BYTES: usize = size_of::<Manifold>();

    /// The manifolds that were copied out of [`OnDevice::copies`](super::OnDevice::copies), in
    /// their order there.
    pub fn of_bytes(
        scene: &ColliderScene<'_>,
        poses: &[Isometry3<f64>],
        bytes: &[u8],
    ) -> Vec<Self> {
        let records: Vec<Manifold> = bytemuck::pod_collect_to_vec(bytes);
        let found = records.iter().map(|m| found(scene, poses, m));
        found.collect()
    }
}

/// A manifold; its points lie `radii` inside of balls, and on half-spaces in f64.
pub(super) fn found(
    scene: &ColliderScene<'_>,
    poses: &[Isometry3<f64>],
    manifold: &Manifold,
) -> GpuManifold {
    let [owner, partner] = [manifold.owner, manifold.partner];
    let colliders = [owner.min(partner), owner.max(partner)];
    let shapes = colliders.map(|index| &scene.colliders[index as usize].shape);
    let radii = shapes.map(|shape| match shape {
        Shape::Sphere(ball) => ball.radius,
        _ => 0.0,
    });
    let points = &manifold.points[..manifold.count.min(4) as usize];
    let touch = |point: &Point| Touch {
        points: [vector(point.on_a), vector(point.on_b)],
        radii,
        separation: f64::from(point.separation),
        feature: point.feature.into(),
    };
    let previous = |at: &u32| (*at != NONE).then_some((at % 4) as usize);
    let mut touching = CollisionManifold {
        // f32 leaves a length of 1 to 10⁻⁷
        normal: vector(manifold.normal).normalize(),
        points: points.iter().map(touch).collect(),
        parts: [0; 2],
    };
    match shapes {
        [Shape::HalfSpace(plane), _] => {
            let b_in_a = between(scene, poses, colliders);
            touching.normal = settle(plane, &b_in_a, &mut touching.points, [0, 1]);
        }
        [_, Shape::HalfSpace(plane)] => {
            let a_in_b = between(scene, poses, [colliders[1], colliders[0]]);
            let normal = settle(plane, &a_in_b, &mut touching.points, [1, 0]);
            touching.normal = -(a_in_b.rotation.inverse() * normal);
        }
        _ => {}
    }
    GpuManifold {
        colliders,
        memory: PairCache {
            axis: manifold.axis,
        },
        touching,
        previous: manifold.previous[..points.len()]
            .iter()
            .map(previous)
            .collect(),
    }
}

/// Pose of the second collider in the axes of the first, by a difference of positions.
fn between(
    scene: &ColliderScene<'_>,
    poses: &[Isometry3<f64>],
    colliders: [u32; 2],
) -> Isometry3<f64> {
    let [a, b] = colliders.map(|index| &scene.colliders[index as usize]);
    let [pose_a, pose_b] = [a, b].map(|collider| &poses[collider.body]);
    let back = pose_a.rotation.inverse();
    let shift = back * (pose_b.translation.vector - pose_a.translation.vector);
    let bodies = Isometry3::from_parts(shift.into(), back * pose_b.rotation);
    a.placement().inverse() * bodies * b.placement()
}

/// Puts points on a half-space below those of the other collider, whose pose in its axes is given:
/// the middle of a half-space may be far away, where f32 resolves 10⁻⁷ of the distance only.
/// Returns the normal.
fn settle(
    plane: &HalfSpace,
    pose: &Isometry3<f64>,
    points: &mut [Touch],
    [own, other]: [usize; 2],
) -> Vector3<f64> {
    let normal = plane.normal.normalize();
    for point in points {
        let above = (pose * Point3::from(point.points[other])).coords;
        let height = above.dot(&normal);
        point.points[own] = above - height * normal;
        point.separation = height - point.radii[other];
    }
    normal
}
