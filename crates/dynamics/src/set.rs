//! Changes of numbers of a live world between frames: poses, velocities, forces and gravity.

use nalgebra::{UnitQuaternion, Vector3};

use crate::body::Body;
use crate::error::{EditError, FieldError};
use crate::keys::BodyKey;
use crate::world::World;

impl World {
    /// Changes gravity \[m/s²\].
    ///
    /// # Errors
    /// A number that is not finite.
    pub fn set_gravity(&mut self, gravity: Vector3<f64>) -> Result<(), FieldError> {
        FieldError::finite_vector("gravity", &gravity)?;
        self.gravity = gravity;
        Ok(())
    }

    /// Puts the centre of mass of a body elsewhere \[m\] and turns the body; its velocity stays, as
    /// do the impulses of its joints and contacts. Joints that count turns start again at this
    /// pose.
    ///
    /// ```
    /// # use delassus_dynamics::{Body, Inertia, World};
    /// # use nalgebra::{UnitQuaternion, Vector3};
    /// # let mut world = World::default();
    /// # let wall = world.add_body(Body::fixed(Vector3::zeros()))?;
    /// # let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    /// # let arm = world.add_body(Body::dynamic(inertia, Vector3::x()))?;
    /// let turned = UnitQuaternion::from_euler_angles(0.0, 0.0, 1.0);
    /// world.set_pose(arm, 2.0 * Vector3::y(), turned)?;
    /// assert_eq!(world.body(arm)?.orientation, turned);
    /// # Ok::<(), delassus_dynamics::EditError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`BodyKey::index_in`], or a number that is not finite.
    pub fn set_pose(
        &mut self,
        body: impl BodyKey,
        position: Vector3<f64>,
        orientation: UnitQuaternion<f64>,
    ) -> Result<(), EditError> {
        let index = self.change_body(body, |body| {
            (body.position, body.orientation) = (position.into(), orientation);
        })?;
        for joint in 0..self.joints.len() {
            if self.joints[joint].constraint.bodies().contains(&index) {
                self.joints[joint].track = self.track(&self.joints[joint]);
            }
        }
        self.edited();
        Ok(())
    }

    /// Changes the velocity of a body \[m/s\], \[rad/s\].
    ///
    /// ```
    /// # use delassus_dynamics::{Body, Inertia, World};
    /// # use nalgebra::{UnitQuaternion, Vector3};
    /// # let mut world = World::default();
    /// # let wall = world.add_body(Body::fixed(Vector3::zeros()))?;
    /// # let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    /// # let arm = world.add_body(Body::dynamic(inertia, Vector3::x()))?;
    /// world.set_velocity(arm, Vector3::x(), 3.0 * Vector3::z())?;
    /// assert_eq!(world.momentum().linear, Vector3::x());
    /// # Ok::<(), delassus_dynamics::EditError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`BodyKey::index_in`], a body that is static, or a number that is not finite.
    pub fn set_velocity(
        &mut self,
        body: impl BodyKey,
        velocity: Vector3<f64>,
        spin: Vector3<f64>,
    ) -> Result<(), EditError> {
        self.change_body(body, |body| (body.velocity, body.spin) = (velocity, spin))?;
        Ok(())
    }

    /// Changes what acts on a body from outside \[N\], \[N·m\].
    ///
    /// ```
    /// # use delassus_dynamics::{Body, Inertia, World};
    /// # use nalgebra::{UnitQuaternion, Vector3};
    /// # let mut world = World::default();
    /// # let wall = world.add_body(Body::fixed(Vector3::zeros()))?;
    /// # let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    /// # let arm = world.add_body(Body::dynamic(inertia, Vector3::x()))?;
    /// world.set_wrench(arm, 5.0 * Vector3::y(), Vector3::zeros())?;
    /// assert_eq!(world.body(arm)?.force.y, 5.0);
    /// # Ok::<(), delassus_dynamics::EditError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`BodyKey::index_in`], or a number that is not finite.
    pub fn set_wrench(
        &mut self,
        body: impl BodyKey,
        force: Vector3<f64>,
        torque: Vector3<f64>,
    ) -> Result<(), EditError> {
        FieldError::finite_vector("force", &force)?;
        FieldError::finite_vector("torque", &torque)?;
        let index = body.index_in(self)?;
        let target = &mut self.bodies[index];
        (target.force, target.torque) = (force, torque);
        Ok(())
    }

    /// Changes a body if that makes sense; returns its index.
    fn change_body(
        &mut self,
        body: impl BodyKey,
        change: impl FnOnce(&mut Body),
    ) -> Result<usize, EditError> {
        let index = body.index_in(self)?;
        let mut changed = self.bodies[index].clone();
        change(&mut changed);
        let checked = changed.validate();
        checked.map_err(|error| error.within(&format!("bodies[{index}]")))?;
        self.bodies[index] = changed;
        Ok(index)
    }
}
