//! Joints and contacts between bodies where they are, from points and directions of the world:
//! nobody computes anchors in the axes of bodies.

use nalgebra::Vector3;

use crate::body::Pose;
use crate::constraints::{Distance, Hinge, Point, Slider, Weld};
use crate::contact::{ContactPoint, Manifold};
use crate::error::{EditError, FieldError};
use crate::joint::Joint;
use crate::keys::BodyKey;
use crate::position::Position;
use crate::signal::Signal;
use crate::world::World;

impl World {
    /// A ball joint at a point of the world \[m\], for [`Self::add_joint`].
    ///
    /// ```
    /// # use delassus_dynamics::{Body, Inertia, World};
    /// # use nalgebra::Vector3;
    /// # let mut world = World::default();
    /// # let wall = world.add_body(Body::fixed(Vector3::zeros()))?;
    /// # let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    /// # let arm = world.add_body(Body::dynamic(inertia, Vector3::x()))?;
    /// let joint = world.ball_joint(wall, arm, 0.5 * Vector3::x())?;
    /// world.add_joint(joint.named("shoulder"))?;
    /// # Ok::<(), delassus_dynamics::EditError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`BodyKey::index_in`], or a number that is not finite.
    pub fn ball_joint(
        &self,
        a: impl BodyKey,
        b: impl BodyKey,
        anchor: Vector3<f64>,
    ) -> Result<Joint, EditError> {
        let (bodies, poses) = self.ends(a, b)?;
        let anchors = local(&poses, [("anchor", anchor); 2])?;
        Ok(Joint::new(Point { bodies, anchors }))
    }

    /// A hinge at a point of the world \[m\] that leaves the rotation about `axis` free, for
    /// [`Self::add_joint`]. The axis may have any length.
    ///
    /// ```
    /// # use delassus_dynamics::{Body, Inertia, World};
    /// # use nalgebra::Vector3;
    /// # let mut world = World::default();
    /// # let wall = world.add_body(Body::fixed(Vector3::zeros()))?;
    /// # let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    /// # let arm = world.add_body(Body::dynamic(inertia, Vector3::x()))?;
    /// world.add_joint(world.hinge(wall, arm, Vector3::zeros(), Vector3::z())?)?;
    /// # Ok::<(), delassus_dynamics::EditError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`BodyKey::index_in`], a number that is not finite, or an axis without length.
    pub fn hinge(
        &self,
        a: impl BodyKey,
        b: impl BodyKey,
        anchor: Vector3<f64>,
        axis: Vector3<f64>,
    ) -> Result<Joint, EditError> {
        let (bodies, poses) = self.ends(a, b)?;
        let axis = unit("axis", axis)?;
        Ok(Joint::new(Hinge {
            bodies,
            anchors: local(&poses, [("anchor", anchor); 2])?,
            axes: poses.map(|pose| pose.unrotate(&axis)),
        }))
    }

    /// A joint that keeps the second body where it is as seen from the first, for
    /// [`Self::add_joint`].
    ///
    /// ```
    /// # use delassus_dynamics::{Body, Inertia, World};
    /// # use nalgebra::Vector3;
    /// # let mut world = World::default();
    /// # let wall = world.add_body(Body::fixed(Vector3::zeros()))?;
    /// # let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    /// # let arm = world.add_body(Body::dynamic(inertia, Vector3::x()))?;
    /// world.add_joint(world.fixed(wall, arm)?.limited(200.0))?;
    /// # Ok::<(), delassus_dynamics::EditError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`BodyKey::index_in`].
    pub fn fixed(&self, a: impl BodyKey, b: impl BodyKey) -> Result<Joint, EditError> {
        let (bodies, poses) = self.ends(a, b)?;
        Ok(Joint::new(Weld {
            bodies,
            anchors: at_second(&poses),
            orientation: poses[0].orientation.inverse() * poses[1].orientation,
        }))
    }

    /// A joint along which the second body slides in the direction `axis`, without turning against
    /// the first, for [`Self::add_joint`]. The axis may have any length.
    ///
    /// ```
    /// # use delassus_dynamics::{Body, Inertia, World};
    /// # use nalgebra::Vector3;
    /// # let mut world = World::default();
    /// # let wall = world.add_body(Body::fixed(Vector3::zeros()))?;
    /// # let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    /// # let arm = world.add_body(Body::dynamic(inertia, Vector3::x()))?;
    /// world.add_joint(world.slider(wall, arm, Vector3::y())?)?;
    /// # Ok::<(), delassus_dynamics::EditError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`BodyKey::index_in`], a number that is not finite, or an axis without length.
    pub fn slider(
        &self,
        a: impl BodyKey,
        b: impl BodyKey,
        axis: Vector3<f64>,
    ) -> Result<Joint, EditError> {
        let (bodies, poses) = self.ends(a, b)?;
        Ok(Joint::new(Slider {
            bodies,
            anchors: at_second(&poses),
            axis: poses[0].unrotate(&unit("axis", axis)?),
            orientation: poses[0].orientation.inverse() * poses[1].orientation,
        }))
    }

    /// A rod between two points of the world \[m\], the first of which is fixed to `a` and the
    /// second to `b`, for [`Self::add_joint`].
    ///
    /// ```
    /// # use delassus_dynamics::{Body, Inertia, World};
    /// # use nalgebra::Vector3;
    /// # let mut world = World::default();
    /// # let wall = world.add_body(Body::fixed(Vector3::zeros()))?;
    /// # let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    /// # let arm = world.add_body(Body::dynamic(inertia, Vector3::x()))?;
    /// world.add_joint(world.distance(wall, arm, Vector3::zeros(), Vector3::x())?)?;
    /// # Ok::<(), delassus_dynamics::EditError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`BodyKey::index_in`], a number that is not finite, or two points at one place.
    pub fn distance(
        &self,
        a: impl BodyKey,
        b: impl BodyKey,
        from: Vector3<f64>,
        to: Vector3<f64>,
    ) -> Result<Joint, EditError> {
        let (bodies, poses) = self.ends(a, b)?;
        let anchors = local(&poses, [("from", from), ("to", to)])?;
        let length = (to - from).norm();
        FieldError::positive("the distance of the points", length)?;
        Ok(Joint::new(Distance {
            bodies,
            anchors,
            length: Signal::Constant(length),
        }))
    }

    /// Adds a contact at a point of the world \[m\] that stays until one of its bodies is removed.
    /// The normal points from `a` to `b` and may have any length; `friction` is the coefficient of
    /// friction μ \[-\]. The law is that of [`Self::contact_settings`]: Coulomb's, unless the world
    /// was built with another one.
    ///
    /// ```
    /// # use delassus_dynamics::{Body, Inertia, World};
    /// # use nalgebra::Vector3;
    /// # let mut world = World::default();
    /// # let wall = world.add_body(Body::fixed(Vector3::zeros()))?;
    /// # let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    /// # let arm = world.add_body(Body::dynamic(inertia, Vector3::x()))?;
    /// world.add_contact(wall, arm, 0.5 * Vector3::x(), Vector3::x(), 0.4)?;
    /// assert_eq!(world.manifolds().len(), 1);
    /// # Ok::<(), delassus_dynamics::EditError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`BodyKey::index_in`], a number that is not finite, a normal without length, a
    /// negative coefficient, or two bodies that nothing moves.
    pub fn add_contact(
        &mut self,
        a: impl BodyKey,
        b: impl BodyKey,
        point: Vector3<f64>,
        normal: Vector3<f64>,
        friction: f64,
    ) -> Result<(), EditError> {
        let (bodies, poses) = self.ends(a, b)?;
        let normal = poses[0].unrotate(&unit("normal", normal)?);
        let point = ContactPoint {
            anchors: local(&poses, [("point", point); 2])?,
            radii: [0.0; 2],
        };
        let law = self.contact_settings().law;
        self.add_manifold(Manifold::new(bodies, normal, vec![point], friction, law))
    }

    /// Indices and poses of two bodies.
    fn ends(&self, a: impl BodyKey, b: impl BodyKey) -> Result<([usize; 2], [Pose; 2]), EditError> {
        let bodies = [a.index_in(self)?, b.index_in(self)?];
        Ok((bodies, self.pair(bodies)))
    }
}

/// Points of the world, with their names, in the axes of two bodies \[m\].
fn local(
    poses: &[Pose; 2],
    points: [(&str, Vector3<f64>); 2],
) -> Result<[Vector3<f64>; 2], FieldError> {
    for (name, point) in &points {
        FieldError::finite_vector(name, point)?;
    }
    Ok([0, 1].map(|side| {
        let arm = Position::from(points[side].1) - poses[side].position;
        poses[side].unrotate(&arm)
    }))
}

/// The centre of mass of the second body in the axes of both \[m\].
fn at_second(poses: &[Pose; 2]) -> [Vector3<f64>; 2] {
    let between = poses[1].position - poses[0].position;
    [poses[0].unrotate(&between), Vector3::zeros()]
}

/// The unit vector of a direction.
fn unit(name: &str, direction: Vector3<f64>) -> Result<Vector3<f64>, FieldError> {
    FieldError::finite_vector(name, &direction)?;
    // large and small numbers keep their squares in range
    let scaled = direction / direction.amax();
    if scaled.iter().all(|x| x.is_finite()) {
        return Ok(scaled.normalize());
    }
    let expected = "a direction: a vector that is not zero";
    Err(FieldError::new(name, "zero", expected))
}
