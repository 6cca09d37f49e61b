//! Changes of a live world between frames: bodies, shapes, joints and contacts come and go.
//!
//! What stays keeps its impulses, so that warm starts survive: those of joints, and those of
//! contacts that were found, by the features that touch. The next frame finds contacts at the
//! present poses, and velocity-level schemes freeze their rows again. State that schemes keep
//! outside the world is reset after an edit: the penalties of AVBD, and the points where friction
//! sticks.
//!
//! Lists stay in their order without gaps. A world without the body that was removed computes the
//! same bits for all bodies that nothing connects with it.

use delassus_collide::{Collider, Shape};
use nalgebra::Vector3;

use crate::body::Body;
use crate::colliders::Colliders;
use crate::constraint::Track;
use crate::contact::Manifold;
use crate::contact_reuse::ContactVersion;
use crate::error::{EditError, FieldError, StepError};
use crate::handles::{BodyHandle, Handles, JointHandle};
use crate::joint::Joint;
use crate::keys::BodyKey;
use crate::scheme::{Scheme, StepReport};
use crate::world::{
    World, check_moves, check_resistance, check_surface, finite_inertia, other_form,
};

/// An empty world without gravity.
impl Default for World {
    fn default() -> Self {
        Self {
            gravity: Vector3::zeros(),
            bodies: Vec::new(),
            joints: Vec::new(),
            manifolds: Vec::new(),
            colliders: Colliders::empty(),
            time: 0.0,
            impulse_step: 0.0,
            handles: Handles::new(0, 0),
        }
    }
}

impl World {
    /// An empty world with this gravity \[m/s²\].
    ///
    /// ```
    /// use delassus_dynamics::{Body, Cuboid, HalfSpace, ShapeGeometry, World};
    /// use nalgebra::Vector3;
    ///
    /// let mut world = World::new(Vector3::new(0.0, -9.81, 0.0))?;
    /// let ground = world.add_body(Body::fixed(Vector3::zeros()))?;
    /// world.add_shape(ground, HalfSpace::default())?;
    /// let cube = Cuboid::new(0.5, 0.5, 0.5);
    /// let body = world.add_body(Body::dynamic(cube.solid(2.0)?, Vector3::new(0.0, 3.0, 0.0)))?;
    /// world.add_shape(body, cube)?;
    /// assert_eq!(world.body(body)?.position.to_vector().y, 3.0);
    /// # Ok::<(), delassus_dynamics::EditError>(())
    /// ```
    ///
    /// # Errors
    /// A gravity that is not finite.
    pub fn new(gravity: Vector3<f64>) -> Result<Self, FieldError> {
        let mut world = Self::default();
        world.set_gravity(gravity)?;
        Ok(world)
    }

    /// Advances the world by one frame of `dt` \[s\] with a scheme.
    ///
    /// ```
    /// use delassus_dynamics::{Body, Inertia, World, scheme};
    /// use nalgebra::Vector3;
    ///
    /// let mut world = World::new(Vector3::new(0.0, -10.0, 0.0))?;
    /// let stone = world.add_body(Body::dynamic(Inertia::point(1.0), Vector3::zeros()))?;
    /// let mut xpbd = scheme("xpbd")?.build_with(&Default::default(), None)?;
    /// world.step(&mut xpbd, 0.1)?;
    /// assert!((world.body(stone)?.velocity.y + 1.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Scheme::step`]; the world is then as it was before.
    pub fn step(&mut self, scheme: &mut dyn Scheme, dt: f64) -> Result<StepReport, StepError> {
        scheme.step(self, dt, &mut ())
    }

    /// Adds a body without shapes. A dynamic body has a mass, for example that of
    /// [`ShapeGeometry::solid`](delassus_collide::ShapeGeometry::solid).
    ///
    /// # Errors
    /// The first field that makes no sense, with its path from `body`.
    pub fn add_body(&mut self, body: Body) -> Result<BodyHandle, EditError> {
        let checked = finite_inertia(&body).and_then(|()| body.validate());
        checked.map_err(|error| error.within("body"))?;
        self.bodies.push(body);
        self.edited();
        Ok(BodyHandle(self.handles.bodies.push()))
    }

    /// Removes a body with its shapes, and with the joints and contacts that touch it; their
    /// handles are those of nothing from now on. Contacts that end with it are no events.
    ///
    /// ```
    /// use delassus_dynamics::{Body, EditError, Inertia, World};
    /// use nalgebra::Vector3;
    ///
    /// let mut world = World::default();
    /// let [a, b] = [0.0, 1.0].map(|x| Body::dynamic(Inertia::point(1.0), x * Vector3::x()));
    /// let (a, b) = (world.add_body(a)?, world.add_body(b)?);
    /// world.remove_body(a)?;
    /// assert_eq!(world.body_index(b)?, 0);
    /// assert_eq!(world.body(a), Err(EditError::Removed { what: "body" }));
    /// # Ok::<(), EditError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`BodyKey::index_in`].
    pub fn remove_body(&mut self, body: impl BodyKey) -> Result<Body, EditError> {
        let index = body.index_in(self)?;
        for joint in (0..self.joints.len()).rev() {
            if self.joints[joint].constraint.bodies().contains(&index) {
                self.joints.remove(joint);
                self.handles.joints.remove(joint);
            }
        }
        let touches = |manifold: &Manifold| manifold.bodies.contains(&index);
        let given = self.manifolds.iter().take(self.colliders.given);
        self.colliders.given -= given.filter(|manifold| touches(manifold)).count();
        self.manifolds.retain(|manifold| !touches(manifold));
        let colliders = self.colliders.remove_body(index);
        for manifold in &mut self.manifolds {
            let origin = manifold.origin.as_mut();
            for own in origin.into_iter().flat_map(|origin| &mut origin.colliders) {
                // those of a body that is gone went with its manifolds
                *own = colliders[*own as usize].unwrap_or(*own);
            }
        }
        let joined = self.joints.iter_mut();
        let joined = joined.flat_map(|joint| joint.constraint.bodies_mut());
        let touching = self.manifolds.iter_mut().flat_map(|m| &mut m.bodies);
        for other in joined.chain(touching) {
            *other -= usize::from(*other > index);
        }
        self.find_apart();
        self.handles.bodies.remove(index);
        self.edited();
        Ok(self.bodies.remove(index))
    }

    /// Adds a shape at the centre of mass of a body, with the default surface; the mass of the body
    /// stays as it is.
    ///
    /// # Errors
    /// Those of [`Self::add_collider`].
    pub fn add_shape(
        &mut self,
        body: impl BodyKey,
        shape: impl Into<Shape>,
    ) -> Result<(), EditError> {
        self.add_collider(body, Collider::new(0, shape))
    }

    /// Adds a shape with its place, surface and filter to a body, whatever body the collider names;
    /// the mass of the body stays as it is.
    ///
    /// ```
    /// # use delassus_dynamics::{Body, Inertia, World};
    /// # use nalgebra::{UnitQuaternion, Vector3};
    /// # let mut world = World::default();
    /// # let wall = world.add_body(Body::fixed(Vector3::zeros()))?;
    /// # let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    /// # let arm = world.add_body(Body::dynamic(inertia, Vector3::x()))?;
    /// use delassus_dynamics::{Collider, Cuboid, Material};
    ///
    /// let plate = Collider::new(0, Cuboid::new(0.2, 0.01, 0.2)).of(Material::rough(0.8));
    /// world.add_collider(arm, plate.at(0.5 * Vector3::y()))?;
    /// # Ok::<(), delassus_dynamics::EditError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`BodyKey::index_in`], the first field that makes no sense, with its path from
    /// `collider`.
    pub fn add_collider(
        &mut self,
        body: impl BodyKey,
        collider: Collider,
    ) -> Result<(), EditError> {
        let body = body.index_in(self)?;
        let collider = Collider { body, ..collider };
        self.check_collider(&collider)
            .and_then(|()| check_resistance(&collider, &self.colliders.settings))
            .map_err(|error| error.within("collider"))?;
        let pushed = self.colliders.push(collider);
        pushed.map_err(|error| error.within("collider"))?;
        if self.colliders.list.len() == 1 {
            self.find_apart();
        }
        self.edited();
        Ok(())
    }

    fn check_collider(&self, collider: &Collider) -> Result<(), FieldError> {
        collider.validate(self.bodies.len())?;
        check_surface(collider, &self.bodies[collider.body])?;
        let softness = &collider.material.softness;
        let mut others = self.colliders.list.iter().enumerate();
        let soft = others.find(|(_, other)| !other.material.softness.is_rigid());
        match soft {
            Some((index, other))
                if !softness.is_rigid() && other.material.softness.form() != softness.form() =>
            {
                Err(other_form(collider, index, other))
            }
            _ => Ok(()),
        }
    }

    /// Adds a joint, which starts without impulses at the present poses. Its bodies do not touch
    /// each other as long as it is there.
    ///
    /// ```
    /// use delassus_dynamics::{Body, Inertia, World};
    /// use nalgebra::Vector3;
    ///
    /// let mut world = World::new(Vector3::new(0.0, -9.81, 0.0))?;
    /// let wall = world.add_body(Body::fixed(Vector3::zeros()))?;
    /// let inertia = Inertia::new(2.0, Vector3::repeat(0.1));
    /// let arm = world.add_body(Body::dynamic(inertia, Vector3::x()))?;
    /// let hinge = world.hinge(wall, arm, Vector3::zeros(), Vector3::z())?;
    /// let hinge = world.add_joint(hinge.named("elbow").limited(500.0))?;
    /// assert_eq!(world.joint(hinge)?.name, "elbow");
    /// # Ok::<(), delassus_dynamics::EditError>(())
    /// ```
    ///
    /// # Errors
    /// The first field that makes no sense, with its path from `joint`.
    pub fn add_joint(&mut self, mut joint: Joint) -> Result<JointHandle, EditError> {
        let count = self.bodies.len();
        let bodies = joint.constraint.bodies();
        let checked = joint
            .validate(count)
            .and_then(|()| check_moves(&self.bodies, "constraint.bodies", bodies));
        checked.map_err(|error| error.within("joint"))?;
        joint.impulses.clear();
        joint.track = self.track(&joint);
        let checked = self.check_error(&joint);
        checked.map_err(|error| error.within("joint"))?;
        self.colliders.join(joint.constraint.bodies());
        self.joints.push(joint);
        self.edited();
        Ok(JointHandle(self.handles.joints.push()))
    }

    /// Removes a joint; its bodies may touch each other from now on.
    ///
    /// ```
    /// # use delassus_dynamics::{Body, Inertia, World};
    /// # use nalgebra::{UnitQuaternion, Vector3};
    /// # let mut world = World::default();
    /// # let wall = world.add_body(Body::fixed(Vector3::zeros()))?;
    /// # let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    /// # let arm = world.add_body(Body::dynamic(inertia, Vector3::x()))?;
    /// let joint = world.add_joint(world.fixed(wall, arm)?)?;
    /// assert_eq!(world.remove_joint(joint)?.constraint.bodies(), [0, 1]);
    /// assert!(world.joint(joint).is_err());
    /// # Ok::<(), delassus_dynamics::EditError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Self::joint_index`].
    pub fn remove_joint(&mut self, joint: JointHandle) -> Result<Joint, EditError> {
        let index = self.joint_index(joint)?;
        let joint = self.joints.remove(index);
        self.handles.joints.remove(index);
        self.find_apart();
        self.edited();
        Ok(joint)
    }

    /// Adds a contact manifold, which stays until one of its bodies is removed.
    ///
    /// # Errors
    /// The first field that makes no sense, with its path from `contact`.
    pub fn add_manifold(&mut self, mut manifold: Manifold) -> Result<(), EditError> {
        let checked = manifold
            .validate(self.bodies.len())
            .and_then(|()| check_moves(&self.bodies, "bodies", &manifold.bodies));
        checked.map_err(|error| error.within("contact"))?;
        manifold.impulses.clear();
        manifold.straighten_tangent();
        self.manifolds.insert(self.colliders.given, manifold);
        self.colliders.given += 1;
        self.edited();
        Ok(())
    }

    /// The stored state of a joint that starts at the present poses.
    pub(crate) fn track(&self, joint: &Joint) -> Track {
        let constraint = &joint.constraint;
        constraint.start(&self.poses_of(constraint.bodies()), self.time)
    }

    /// Finds the pairs of bodies that do not touch.
    fn find_apart(&mut self) {
        let joined = self.joints.iter().map(|joint| joint.constraint.bodies());
        self.colliders.set_apart(joined);
    }

    /// Marks the world as edited, so that schemes drop the state of the world before.
    pub(crate) fn edited(&mut self) {
        self.handles.edit();
        self.colliders.version = ContactVersion::fresh();
    }
}
