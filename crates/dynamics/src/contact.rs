//! Contact manifolds: points with a common normal, whose separations follow the bodies. Those
//! handed to a world from outside stay for a run, those that it finds for a frame.

use delassus_collide::check_softness;
use delassus_core::{Choice, ContactLaw, Softness};
use nalgebra::{UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use crate::body::Pose;
use crate::error::FieldError;
use crate::origin::Origin;
use crate::position::Position;
use crate::rim::Rim;

/// A contact point of a world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PointIndex {
    pub(crate) manifold: usize,
    /// Its place in the manifold.
    pub(crate) point: usize,
}

/// Contact points of two bodies with one common normal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifold {
    /// Bodies A and B.
    pub bodies: [usize; 2],
    /// Unit normal from A to B, in the axes of body A, with which it turns \[-\].
    pub normal: Vector3<f64>,
    /// The points.
    pub points: Vec<ContactPoint>,
    /// Friction coefficient \[-\]; ≥ 0.
    pub friction: f64,
    /// Coefficient of restitution \[-\], in \[0, 1\].
    #[serde(default)]
    pub restitution: f64,
    /// Largest rolling torque over the normal force \[m\]; ≥ 0. Above zero, as with the next one,
    /// every point has Coulomb's law with resistance to rolling (P.11).
    #[serde(default)]
    pub rolling_friction: f64,
    /// Largest torque about the normal over the normal force \[m\]; ≥ 0.
    #[serde(default)]
    pub spinning_friction: f64,
    /// How soft each point is along the normal: physics, not stabilisation, which is the scheme's.
    /// A soft contact bounces by its damping and has no restitution.
    #[serde(default, skip_serializing_if = "Softness::is_rigid")]
    pub softness: Softness,
    /// Friction law.
    #[serde(default, deserialize_with = "ContactLaw::deserialize_of_world")]
    pub law: ContactLaw,
    /// The first tangent, a unit vector across the normal in the axes of body A, with which it
    /// turns \[-\]; without one it follows from the normal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tangent: Option<Vector3<f64>>,
    /// Impulses of the last substep, in the order of the rows \[N·s | N·m·s\].
    #[serde(skip)]
    pub(crate) impulses: Vec<f64>,
    /// The tangents that their friction is along, in world axes.
    #[serde(skip)]
    pub(crate) impulse_tangents: [Vector3<f64>; 2],
    /// Velocity of B's surface against A's that is not that of the bodies, in the axes of A
    /// \[m/s\].
    #[serde(skip)]
    pub(crate) surface_velocity: Vector3<f64>,
    /// From the axes of A to those of B when the manifold was made, where B carries the plane and A
    /// the points: A is round and B is flat and not dynamic. Normal and tangents then turn with B.
    #[serde(skip)]
    pub(crate) flat: Option<UnitQuaternion<f64>>,
    /// Circles of the body with the points that these move along as it turns; `None` if all turn
    /// with it.
    #[serde(skip)]
    pub(crate) rim: Option<Rim>,
    /// What touches; `None` for a manifold handed in from outside.
    #[serde(skip)]
    pub(crate) origin: Option<Box<Origin>>,
}

/// One contact point: the two material points that face each other.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContactPoint {
    /// The point of each body in its axes, from its centre of mass \[m\].
    pub anchors: [Vector3<f64>; 2],
    /// How far the surface of each body is from its anchor, along the normal towards the other body
    /// \[m\]; ≥ 0. The centre of a ball and its radius: a point that does not turn with the ball.
    #[serde(default)]
    pub radii: [f64; 2],
}

/// Where in the gap between two surfaces the impulses of a contact act. Both bodies have them at
/// one place, along one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum ContactPlace {
    /// In its middle, as in the programs that presets are named after: a ball that lands sliding
    /// rolls on with up to 4.5 % too little or too much speed (T.45).
    Middle,
    /// On the surface of the body that turns; two bodies that turn divide the gap by their moments
    /// of inertia (T.44).
    #[default]
    Surface,
}

/// A manifold at one instant, in world axes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContactFrame {
    /// Normal from A to B.
    pub normal: Vector3<f64>,
    /// Tangents that complete it to a right-handed frame.
    pub tangents: [Vector3<f64>; 2],
    /// Per point: the lever arms from both centres of mass to where the impulses act \[m\].
    pub arms: Vec<[Vector3<f64>; 2]>,
    /// Per point: the separation \[m\]; negative where the bodies overlap.
    pub separations: Vec<f64>,
    /// How far from the surface of B the impulses act, as a share of the separation \[-\].
    pub(crate) share: f64,
    /// The first tangent in the axes of A.
    pub(crate) first_tangent: Vector3<f64>,
}

/// How high the plane is above the centre of its body, with the radii: the same in any axes, since
/// the plane turns with its body \[m\].
#[inline(always)]
fn top(normal: &Vector3<f64>, point: &ContactPoint, plane: usize) -> f64 {
    normal.dot(&point.anchors[plane]) + (point.radii[0] + point.radii[1])
}

/// The poses of two bodies, where they are stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PosePair<'a> {
    pub(crate) positions: [&'a Position; 2],
    pub(crate) orientations: [&'a UnitQuaternion<f64>; 2],
}

impl<'a> PosePair<'a> {
    pub(crate) fn of([a, b]: &'a [Pose; 2]) -> Self {
        Self {
            positions: [&a.position, &b.position],
            orientations: [&a.orientation, &b.orientation],
        }
    }
}

impl ContactFrame {
    /// Normal and tangents.
    pub(crate) fn axes(&self) -> [Vector3<f64>; 3] {
        let [t, s] = self.tangents;
        [self.normal, t, s]
    }
}

impl Manifold {
    /// A manifold without restitution.
    pub fn new(
        bodies: [usize; 2],
        normal: Vector3<f64>,
        points: Vec<ContactPoint>,
        friction: f64,
        law: ContactLaw,
    ) -> Self {
        Self {
            bodies,
            normal,
            points,
            friction,
            restitution: 0.0,
            rolling_friction: 0.0,
            spinning_friction: 0.0,
            softness: Softness::Rigid,
            law,
            tangent: None,
            impulses: Vec::new(),
            impulse_tangents: [Vector3::zeros(); 2],
            surface_velocity: Vector3::zeros(),
            flat: None,
            rim: None,
            origin: None,
        }
    }

    /// The manifold at the given poses.
    ///
    /// Body A carries the plane, body B the point: the separation is the height of B's anchor above
    /// the plane through A's, less the radii. A round A on a flat B that is not dynamic has the
    /// point, since no plane turns with a ball. Impulses act on both bodies at the same place,
    /// above B's anchor, here in the middle of the gap; the normal row is then the exact derivative
    /// of the separation however far the bodies slide, and friction creates no angular momentum.
    pub fn frame(&self, poses: [Pose; 2]) -> ContactFrame {
        let mut frame = ContactFrame {
            arms: Vec::with_capacity(self.points.len()),
            separations: Vec::with_capacity(self.points.len()),
            ..ContactFrame::default()
        };
        self.frame_in(PosePair::of(&poses), 0.5, &mut frame);
        frame
    }

    /// The sides with the plane and with the points.
    pub(crate) fn sides(&self) -> [usize; 2] {
        if self.flat.is_some() { [1, 0] } else { [0, 1] }
    }

    /// Unit normal out of the plane towards the points, in the axes of the body with the plane.
    pub(crate) fn outward(&self) -> Vector3<f64> {
        self.flat.map_or(self.normal, |flat| -(flat * self.normal))
    }

    /// Unit normal from A to B, in world axes.
    pub(crate) fn world_normal(&self, poses: PosePair<'_>) -> Vector3<f64> {
        let [plane, _] = self.sides();
        let outward = poses.orientations[plane] * self.outward();
        if plane == 0 { outward } else { -outward }
    }

    /// As [`Self::frame`], in reused memory; impulses act at a share of the separation
    /// from the surface of B.
    pub(crate) fn frame_in(&self, poses: PosePair<'_>, share: f64, out: &mut ContactFrame) {
        self.frame_along(poses, share, self.first_tangent(), out);
    }

    /// The first tangent in the axes of A: the given one, or one that follows from the normal.
    #[inline]
    pub(crate) fn first_tangent(&self) -> Vector3<f64> {
        match &self.tangent {
            Some(tangent) => *tangent,
            None => crate::rotation::tangents(&self.normal)[0],
        }
    }

    /// As [`Self::frame_in`], for a caller that knows [`Self::first_tangent`].
    #[inline]
    pub(crate) fn frame_along(
        &self,
        poses: PosePair<'_>,
        share: f64,
        tangent: Vector3<f64>,
        out: &mut ContactFrame,
    ) {
        let PosePair {
            positions,
            orientations,
        } = poses;
        let [plane, round] = self.sides();
        let normal = self.outward();
        let of_round = if round == 1 { share } else { 1.0 - share };
        let outward = orientations[plane] * normal;
        let between = *positions[round] - *positions[plane];
        let level = between.dot(&outward);
        let turn = orientations[round].to_rotation_matrix();
        let down = self.rim.as_ref().map(|rim| {
            let towards = orientations[round].inverse_transform_vector(&outward);
            (rim, rim.down(&towards).0)
        });
        // no list grows while it is filled
        out.arms.resize(self.points.len(), Default::default());
        out.separations.resize(self.points.len(), 0.0);
        let places = out.arms.iter_mut().zip(&mut out.separations);
        if let Some((rim, down)) = down {
            for (index, (point, (arms, height))) in self.points.iter().zip(places).enumerate() {
                let (centre, radius) = rim.circle(index, &point.anchors[round]);
                let anchor = turn * (centre + radius * down);
                let top = top(&normal, point, plane);
                let separation = (level + anchor.dot(&outward)) - top;
                *height = separation;
                let arm = anchor - (point.radii[round] + of_round * separation) * outward;
                arms[plane] = between + arm;
                arms[round] = arm;
            }
        } else if plane == 0 {
            // sides that are known when this is compiled
            for (point, (arms, height)) in self.points.iter().zip(places) {
                let anchor = turn * point.anchors[1];
                let separation = (level + anchor.dot(&outward)) - top(&normal, point, 0);
                *height = separation;
                let arm = anchor - (point.radii[1] + of_round * separation) * outward;
                *arms = [between + arm, arm];
            }
        } else {
            for (point, (arms, height)) in self.points.iter().zip(places) {
                let anchor = turn * point.anchors[0];
                let separation = (level + anchor.dot(&outward)) - top(&normal, point, 1);
                *height = separation;
                let arm = anchor - (point.radii[0] + of_round * separation) * outward;
                *arms = [arm, between + arm];
            }
        }
        out.normal = if plane == 0 { outward } else { -outward };
        (out.share, out.first_tangent) = (share, tangent);
        out.tangents = self.tangents_along(poses, &out.normal, &tangent);
    }

    /// The anchor of B's point in its axes, for who follows separations by points that turn with B:
    /// on the side of a cylinder it is the centre of the circle that touches (T.54) \[m\]. `normal`
    /// is in world axes.
    pub fn anchor_of_b(&self, point: usize, pose: &Pose, normal: &Vector3<f64>) -> Vector3<f64> {
        let anchor = self.points[point].anchors[1];
        match &self.rim {
            Some(rim) if self.flat.is_none() => rim.centre(point, &anchor, &pose.unrotate(normal)),
            _ => anchor,
        }
    }

    /// The same manifold with springs as its points.
    #[must_use]
    pub fn soft(mut self, softness: Softness) -> Self {
        self.softness = softness;
        self
    }

    /// True if points resist rolling or spinning.
    pub fn resists_rolling(&self) -> bool {
        self.rolling_friction > 0.0 || self.spinning_friction > 0.0
    }

    /// Tangents that complete the normal, in world axes.
    pub(crate) fn tangents(&self, poses: PosePair<'_>, normal: &Vector3<f64>) -> [Vector3<f64>; 2] {
        self.tangents_along(poses, normal, &self.first_tangent())
    }

    // always: otherwise its result is read from memory in other pieces than it was written in
    #[inline(always)]
    fn tangents_along(
        &self,
        poses: PosePair<'_>,
        normal: &Vector3<f64>,
        first: &Vector3<f64>,
    ) -> [Vector3<f64>; 2] {
        let [a, b] = poses.orientations;
        let first = match &self.flat {
            Some(flat) => b * (flat * first),
            None => a * first,
        };
        [first, normal.cross(&first)]
    }

    /// Takes out what rounding of a file left of a tangent along the normal.
    pub(crate) fn straighten_tangent(&mut self) {
        let across = |tangent: Vector3<f64>| tangent - tangent.dot(&self.normal) * self.normal;
        self.tangent = self.tangent.map(|tangent| across(tangent).normalize());
    }

    pub(crate) fn validate(&self, bodies: usize) -> Result<(), FieldError> {
        for (side, body) in self.bodies.iter().enumerate() {
            if *body >= bodies {
                let path = format!("bodies[{side}]");
                let expected = format!("the world has {bodies} bodies, numbered from 0");
                return Err(FieldError::new(path, body, &expected));
            }
        }
        if self.bodies[0] == self.bodies[1] {
            let expected = "a contact is between different bodies";
            return Err(FieldError::new("bodies[1]", self.bodies[1], expected));
        }
        FieldError::unit_vector("normal", &self.normal)?;
        if let Some(tangent) = &self.tangent {
            FieldError::unit_vector("tangent", tangent)?;
            let along = tangent.dot(&self.normal);
            if along.abs() > 1e-6 {
                let expected = "a vector at right angles to the normal: this is its share along it";
                return Err(FieldError::new("tangent", along, expected));
            }
        }
        FieldError::coefficient("friction", self.friction)?;
        FieldError::coefficient("rolling_friction", self.rolling_friction)?;
        FieldError::coefficient("spinning_friction", self.spinning_friction)?;
        let (rolling, spinning) = (self.rolling_friction, self.spinning_friction);
        crate::contact_settings::check_resistances(self.law, rolling, spinning)?;
        if self.law == ContactLaw::FixedBox {
            return Err(crate::contact_settings::fixed_box(self.law));
        }
        if !(0.0..=1.0).contains(&self.restitution) {
            let expected = "a coefficient of restitution lies in [0, 1]";
            return Err(FieldError::new("restitution", self.restitution, expected));
        }
        check_softness(&self.softness, self.restitution)?;
        for (index, point) in self.points.iter().enumerate() {
            let checked = FieldError::finite_vector("anchors[0]", &point.anchors[0])
                .and_then(|()| FieldError::finite_vector("anchors[1]", &point.anchors[1]))
                .and_then(|()| FieldError::non_negative("radii[0]", point.radii[0]))
                .and_then(|()| FieldError::non_negative("radii[1]", point.radii[1]));
            checked.map_err(|error| error.within(&format!("points[{index}]")))?;
        }
        Ok(())
    }
}
