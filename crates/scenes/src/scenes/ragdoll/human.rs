//! The bones of a human, and their mass, centre and inertia from capsules.

use delassus_dynamics::{Capsule, FieldError, Inertia, ShapeGeometry, rotation};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

/// A capsule in the plane of symmetry of a bone: both ends from the centre of the bone, and the
/// radius \[m\].
type Flesh = ([f64; 2], [f64; 2], f64);

/// A part of the body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bone {
    pub(super) name: &'static str,
    /// The bone it hangs on, by index; the root hangs on none.
    pub(super) parent: Option<usize>,
    /// Height of its centre above the soles \[m\].
    pub(super) height: f64,
    /// Its distance to the left (−z) of the plane of symmetry \[m\].
    pub(super) side: f64,
    pub(super) flesh: &'static [Flesh],
    /// Height of the joint with its parent \[m\].
    pub(super) pivot: f64,
    /// Range of its angle to its parent about +z \[π rad\].
    pub(super) range: [f64; 2],
    /// Friction torque in its joint, as a share \[-\].
    pub(super) friction: f64,
    /// True for a hinge, false for a ball joint.
    pub(super) hinge: bool,
}

/// Distance of the legs and of the arms from the plane of symmetry \[m\]; the planar source has
/// none.
const LEGS: f64 = 0.08;
const ARMS: f64 = 0.14;

const fn bone(
    name: &'static str,
    parent: Option<usize>,
    [height, side]: [f64; 2],
    flesh: &'static [Flesh],
    pivot: f64,
    range: [f64; 2],
    friction: f64,
) -> Bone {
    Bone {
        name,
        parent,
        height,
        side,
        flesh,
        pivot,
        range,
        friction,
        hinge: false,
    }
}

const fn hinged(bone: Bone) -> Bone {
    Bone {
        hinge: true,
        ..bone
    }
}

const HIP: &[Flesh] = &[([0.0, -0.02], [0.0, 0.025], 0.095)];
const TORSO: &[Flesh] = &[([0.0, -0.135], [0.0, 0.135], 0.09)];
const HEAD: &[Flesh] = &[
    ([0.0, -0.0325], [0.0, 0.0325], 0.08),
    ([0.0, -0.12], [0.0, -0.08], 0.05),
];
const UPPER_LEG: &[Flesh] = &[([0.0, -0.125], [0.0, 0.125], 0.055)];
const LOWER_LEG: &[Flesh] = &[
    ([0.0, -0.14], [0.0, 0.125], 0.045),
    ([-0.02, -0.175], [0.13, -0.175], 0.03),
];
const UPPER_ARM: &[Flesh] = &[([0.0, -0.125], [0.0, 0.125], 0.035)];
const LOWER_ARM: &[Flesh] = &[([0.0, -0.125], [0.0, 0.125], 0.03)];

/// Legs and arms of the left side, upper parts first.
const LEFT: [Bone; 4] = [
    bone(
        "upper left leg",
        Some(0),
        [0.775, LEGS],
        UPPER_LEG,
        0.9,
        [-0.05, 0.4],
        1.0,
    ),
    hinged(bone(
        "lower left leg",
        Some(3),
        [0.475, LEGS],
        LOWER_LEG,
        0.625,
        [-0.5, -0.02],
        0.5,
    )),
    bone(
        "upper left arm",
        Some(1),
        [1.225, ARMS],
        UPPER_ARM,
        1.35,
        [-0.05, 0.8],
        0.25,
    ),
    hinged(bone(
        "lower left arm",
        Some(7),
        [0.975, ARMS],
        LOWER_ARM,
        1.1,
        [0.01, 0.5],
        0.1,
    )),
];

/// The bone of the other side.
const fn mirrored(bone: Bone, name: &'static str, parent: usize) -> Bone {
    Bone {
        name,
        parent: Some(parent),
        side: -bone.side,
        ..bone
    }
}

/// The human of Solver2D's samples, with its limbs on both sides. It looks along +x; the left side
/// is −z.
pub(super) const BONES: [Bone; 11] = [
    bone("hip", None, [0.95, 0.0], HIP, 0.95, [0.0, 0.0], 0.0),
    bone(
        "torso",
        Some(0),
        [1.2, 0.0],
        TORSO,
        1.025,
        [-0.25, 0.0],
        0.5,
    ),
    bone("head", Some(1), [1.5, 0.0], HEAD, 1.4, [-0.3, 0.1], 0.25),
    LEFT[0],
    LEFT[1],
    mirrored(LEFT[0], "upper right leg", 0),
    mirrored(LEFT[1], "lower right leg", 5),
    LEFT[2],
    LEFT[3],
    mirrored(LEFT[2], "upper right arm", 1),
    mirrored(LEFT[3], "lower right arm", 9),
];

/// A capsule of a bone.
pub(super) struct BoneCapsule {
    pub(super) shape: Capsule,
    /// Its middle from the centre of the bone \[m\].
    pub(super) middle: Vector3<f64>,
    pub(super) turn: UnitQuaternion<f64>,
}

impl Bone {
    /// Inertia at a density \[kg/m³\] and the centre of mass of the upright bone \[m\], its sizes
    /// times `scale`.
    ///
    /// The capsules overlap, and their common part counts twice, as in engines that sum the shapes
    /// of a body.
    pub(super) fn solid(
        &self,
        density: f64,
        scale: f64,
    ) -> Result<(Inertia, Vector3<f64>), FieldError> {
        let mut parts = Vec::with_capacity(self.flesh.len());
        for BoneCapsule {
            shape,
            middle,
            turn,
        } in self.capsules(scale)
        {
            let mut inertia = shape.inertia(density)?;
            inertia.axes = turn;
            parts.push((inertia, middle));
        }
        let mass: f64 = parts.iter().map(|(inertia, _)| inertia.mass).sum();
        let moment: Vector3<f64> = parts.iter().map(|(part, at)| part.mass * at).sum();
        let centre = moment / mass;
        let tensor: Matrix3<f64> = parts
            .iter()
            .map(|(part, at)| part.tensor() + point_tensor(part.mass, &(at - centre)))
            .sum();
        Ok((planar(mass, &tensor), self.middle(scale) + centre))
    }

    /// The capsules of the upright bone.
    pub(super) fn capsules(&self, scale: f64) -> impl Iterator<Item = BoneCapsule> {
        self.flesh.iter().map(move |(from, to, radius)| {
            let [from, to] = [from, to].map(|end| scale * Vector3::new(end[0], end[1], 0.0));
            let along = to - from;
            BoneCapsule {
                shape: Capsule {
                    half_length: 0.5 * along.norm(),
                    radius: scale * radius,
                },
                middle: 0.5 * (from + to),
                turn: rotation::about(&Vector3::z(), libm::atan2(-along.x, along.y)),
            }
        })
    }

    /// Its centre, upright, from the soles \[m\].
    pub(super) fn middle(&self, scale: f64) -> Vector3<f64> {
        Vector3::new(0.0, self.height * scale, -self.side * scale)
    }

    /// Angle to the parent at the start: upright, or the nearest angle of the range \[rad\].
    pub(super) fn start(&self) -> f64 {
        std::f64::consts::PI * 0.0_f64.clamp(self.range[0], self.range[1])
    }
}

/// Inertia of a point mass about the origin (parallel-axis theorem) \[kg·m²\].
fn point_tensor(mass: f64, at: &Vector3<f64>) -> Matrix3<f64> {
    mass * (at.norm_squared() * Matrix3::identity() - at * at.transpose())
}

/// Principal axes of a tensor with z as one of them.
fn planar(mass: f64, tensor: &Matrix3<f64>) -> Inertia {
    let (xx, xy, yy) = (tensor[(0, 0)], tensor[(0, 1)], tensor[(1, 1)]);
    let (mean, half) = (0.5 * (xx + yy), 0.5 * (xx - yy));
    let radius = (half * half + xy * xy).sqrt();
    let moments = Vector3::new(mean + radius, mean - radius, tensor[(2, 2)]);
    let mut inertia = Inertia::new(mass, moments);
    inertia.axes = rotation::about(&Vector3::z(), 0.5 * libm::atan2(xy, half));
    inertia
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_axes_give_the_tensor_back() {
        let foot = &BONES[4];
        let (inertia, centre) = foot.solid(1000.0, 1.0).unwrap();
        assert!(centre.x > 0.0 && inertia.axes.quaternion().k.abs() > 1e-3);
        // the same sums by hand: the shank upright, the foot level
        let shank = Capsule {
            half_length: 0.1325,
            radius: 0.045,
        };
        let toes = Capsule {
            half_length: 0.075,
            radius: 0.03,
        };
        let (shank, toes) = (
            shank.inertia(1000.0).unwrap(),
            toes.inertia(1000.0).unwrap(),
        );
        let across = Matrix3::from_diagonal(&Vector3::new(
            toes.moments.y,
            toes.moments.x,
            toes.moments.z,
        ));
        let middle = Vector3::new(0.0, foot.height, -foot.side);
        let at = |x: f64, y: f64| Vector3::new(x, y, 0.0) + middle - centre;
        let expected = shank.tensor()
            + point_tensor(shank.mass, &at(0.0, -0.0075))
            + across
            + point_tensor(toes.mass, &at(0.055, -0.175));
        let error = inertia.tensor() - expected;
        assert!(error.norm() < 1e-14 * expected.norm(), "{error}");
        assert!((inertia.mass - shank.mass - toes.mass).abs() < 1e-14);
    }
}
