//! How bodies and joints of a world are named: by handles, and bodies also by their index.

use crate::body::Body;
use crate::error::{EditError, FieldError};
use crate::handles::{BodyHandle, JointHandle};
use crate::joint::Joint;
use crate::world::World;

/// What names a body of a world: its handle, or its present index in [`World::bodies`].
///
/// An index names another body as soon as one before it is removed; a handle does not.
pub trait BodyKey: Copy {
    /// The present index of the body in the world.
    ///
    /// # Errors
    /// A handle of a body that was removed or is of another world, an index that no body has.
    fn index_in(self, world: &World) -> Result<usize, EditError>;
}

impl BodyKey for BodyHandle {
    fn index_in(self, world: &World) -> Result<usize, EditError> {
        world.handles.bodies.index(self.0)
    }
}

impl BodyKey for usize {
    fn index_in(self, world: &World) -> Result<usize, EditError> {
        let count = world.bodies.len();
        if self < count {
            return Ok(self);
        }
        let expected = format!("the world has {count} bodies, numbered from 0");
        Err(FieldError::new("body", self, &expected).into())
    }
}

impl World {
    /// The present index of a body in [`Self::bodies`], and in whatever is listed per body.
    ///
    /// ```
    /// # use delassus_dynamics::{Body, Inertia, World};
    /// # use nalgebra::{UnitQuaternion, Vector3};
    /// # let mut world = World::default();
    /// # let wall = world.add_body(Body::fixed(Vector3::zeros()))?;
    /// # let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    /// # let arm = world.add_body(Body::dynamic(inertia, Vector3::x()))?;
    /// assert_eq!(world.body_index(arm)?, 1);
    /// # Ok::<(), delassus_dynamics::EditError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`BodyKey::index_in`].
    pub fn body_index(&self, body: impl BodyKey) -> Result<usize, EditError> {
        body.index_in(self)
    }

    /// A body.
    ///
    /// # Errors
    /// Those of [`BodyKey::index_in`].
    pub fn body(&self, body: impl BodyKey) -> Result<&Body, EditError> {
        Ok(&self.bodies[body.index_in(self)?])
    }

    /// The handle of the body at a present index; `None` if there is none.
    ///
    /// ```
    /// # use delassus_dynamics::{Body, Inertia, World};
    /// # use nalgebra::{UnitQuaternion, Vector3};
    /// # let mut world = World::default();
    /// # let wall = world.add_body(Body::fixed(Vector3::zeros()))?;
    /// # let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    /// # let arm = world.add_body(Body::dynamic(inertia, Vector3::x()))?;
    /// assert_eq!(world.body_handle(1), Some(arm));
    /// # Ok::<(), delassus_dynamics::EditError>(())
    /// ```
    pub fn body_handle(&self, index: usize) -> Option<BodyHandle> {
        self.handles.bodies.handle(index).map(BodyHandle)
    }

    /// The present index of a joint in [`Self::joints`].
    ///
    /// # Errors
    /// A handle of a joint that was removed, with a body or by itself, or is of another world.
    pub fn joint_index(&self, joint: JointHandle) -> Result<usize, EditError> {
        self.handles.joints.index(joint.0)
    }

    /// A joint.
    ///
    /// # Errors
    /// Those of [`Self::joint_index`].
    pub fn joint(&self, joint: JointHandle) -> Result<&Joint, EditError> {
        Ok(&self.joints[self.joint_index(joint)?])
    }

    /// The handle of the joint at a present index; `None` if there is none.
    pub fn joint_handle(&self, index: usize) -> Option<JointHandle> {
        self.handles.joints.handle(index).map(JointHandle)
    }
}
