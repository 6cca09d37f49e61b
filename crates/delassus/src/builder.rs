//! Building the problem of one step from bodies, joints and contacts.

use delassus_core::Problem;
use delassus_dynamics::{Body, BodyHandle, BodyKey, Joint, Shape, World};
use nalgebra::Vector3;

use crate::error::Error;

/// Adds [`Problem::builder`](Self::builder).
pub trait BuildProblem {
    /// Begins the problem of one step: no bodies, no gravity.
    ///
    /// ```
    /// use delassus::prelude::*;
    ///
    /// let problem = Problem::builder().build(0.01)?;
    /// assert_eq!(problem.rows(), 0);
    /// # Ok::<(), delassus::Error>(())
    /// ```
    fn builder() -> StepBuilder;
}

impl BuildProblem for Problem {
    fn builder() -> StepBuilder {
        StepBuilder::default()
    }
}

/// Collects bodies, joints and contacts in world coordinates. [`Self::build`] makes a frozen
/// problem of them.
///
/// Each joint and contact is made for the given point and the present poses of its bodies, so its
/// position error is zero. To freeze a world with position errors, use [`World::freeze`].
///
/// ```
/// use delassus::prelude::*;
///
/// // a hammer on a hinge that falls from the horizontal: its end accelerates at 3 g / 2
/// let mut step = Problem::builder();
/// step.gravity(Vector3::new(0.0, -10.0, 0.0))?;
/// let wall = step.body(Body::fixed(Vector3::zeros()))?;
/// let rod = Inertia::new(1.0, Vector3::new(1e-6, 1.0, 1.0) / 12.0);
/// let rod = step.body(Body::dynamic(rod, Vector3::new(0.5, 0.0, 0.0)))?;
/// step.hinge(wall, rod, Vector3::zeros(), Vector3::z())?;
/// let solved = solve(&step.build(0.01)?, "block-gs", 1e-12)?;
/// let [_, y, _, _, _, spin] = solved.velocities[1];
/// assert!((y + 0.5 * spin + 1.5 * 10.0 * 0.01).abs() < 1e-9);
/// # Ok::<(), delassus::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct StepBuilder {
    world: World,
}

impl StepBuilder {
    /// Sets gravity \[m/s²\]. Default: zero.
    ///
    /// ```
    /// # use delassus::prelude::*;
    /// # let mut step = Problem::builder();
    /// # let wall = step.body(Body::fixed(Vector3::zeros()))?;
    /// # let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    /// # let arm = step.body(Body::dynamic(inertia, Vector3::x()))?;
    /// step.gravity(Vector3::new(0.0, -8.0, 0.0))?;
    /// let free = step.build(0.125)?.bodies().map(|bodies| bodies.free_velocity[7]);
    /// assert_eq!(free, Some(-1.0));
    /// # Ok::<(), delassus::Error>(())
    /// ```
    ///
    /// # Errors
    /// A number that is not finite.
    pub fn gravity(&mut self, gravity: Vector3<f64>) -> Result<&mut Self, Error> {
        self.world.set_gravity(gravity)?;
        Ok(self)
    }

    /// Adds a body with its pose and velocity. The velocities of a solution are in the order in
    /// which the bodies were added.
    ///
    /// ```
    /// # use delassus::prelude::*;
    /// # let mut step = Problem::builder();
    /// # let wall = step.body(Body::fixed(Vector3::zeros()))?;
    /// # let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    /// # let arm = step.body(Body::dynamic(inertia, Vector3::x()))?;
    /// let turned = UnitQuaternion::from_euler_angles(0.1, 0.2, 0.3);
    /// let wheel = Cylinder::new(0.05, 0.3).solid(4.0)?;
    /// let wheel = Body::dynamic(wheel, 2.0 * Vector3::x()).turned(turned);
    /// step.body(wheel.moving(Vector3::zeros(), 6.0 * Vector3::y()))?;
    /// # Ok::<(), delassus::Error>(())
    /// ```
    ///
    /// # Errors
    /// The first field with an invalid value, such as a mass of zero.
    pub fn body(&mut self, body: Body) -> Result<BodyHandle, Error> {
        Ok(self.world.add_body(body)?)
    }

    /// Adds a shape to a body. [`Self::build`] adds the contacts of shapes that touch.
    ///
    /// ```
    /// use delassus::prelude::*;
    ///
    /// let mut step = Problem::builder();
    /// let cube = Cuboid::new(0.5, 0.5, 0.5);
    /// let ground = step.body(Body::fixed(Vector3::zeros()))?;
    /// let body = step.body(Body::dynamic(cube.solid(1.0)?, 0.5 * Vector3::y()))?;
    /// step.shape(ground, HalfSpace::default())?.shape(body, cube)?;
    /// assert_eq!(step.build(0.01)?.blocks().len(), 4, "the corners of a face");
    /// # Ok::<(), delassus::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`World::add_shape`].
    pub fn shape(
        &mut self,
        body: impl BodyKey,
        shape: impl Into<Shape>,
    ) -> Result<&mut Self, Error> {
        self.world.add_shape(body, shape)?;
        Ok(self)
    }

    /// Adds any joint.
    ///
    /// ```
    /// # use delassus::prelude::*;
    /// # let mut step = Problem::builder();
    /// # let wall = step.body(Body::fixed(Vector3::zeros()))?;
    /// # let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    /// # let arm = step.body(Body::dynamic(inertia, Vector3::x()))?;
    /// let rope = constraints::Rope {
    ///     bodies: [0, 1],
    ///     anchors: [Vector3::zeros(); 2],
    ///     length: delassus::dynamics::Signal::Constant(1.5),
    /// };
    /// step.joint(Joint::new(rope).named("leash"))?;
    /// assert_eq!(step.build(0.01)?.rows(), 1);
    /// # Ok::<(), delassus::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`World::add_joint`].
    pub fn joint(&mut self, joint: Joint) -> Result<&mut Self, Error> {
        self.world.add_joint(joint)?;
        Ok(self)
    }

    /// Adds a ball joint at a point \[m\]: three rows.
    ///
    /// ```
    /// # use delassus::prelude::*;
    /// # let mut step = Problem::builder();
    /// # let wall = step.body(Body::fixed(Vector3::zeros()))?;
    /// # let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    /// # let arm = step.body(Body::dynamic(inertia, Vector3::x()))?;
    /// step.ball_joint(wall, arm, 0.5 * Vector3::x())?;
    /// assert_eq!(step.build(0.01)?.rows(), 3);
    /// # Ok::<(), delassus::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`World::ball_joint`] and [`World::add_joint`].
    pub fn ball_joint(
        &mut self,
        a: impl BodyKey,
        b: impl BodyKey,
        anchor: Vector3<f64>,
    ) -> Result<&mut Self, Error> {
        self.joint(self.world.ball_joint(a, b, anchor)?)
    }

    /// Adds a hinge at a point \[m\] that leaves the rotation about `axis` free: five rows.
    ///
    /// ```
    /// # use delassus::prelude::*;
    /// # let mut step = Problem::builder();
    /// # let wall = step.body(Body::fixed(Vector3::zeros()))?;
    /// # let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    /// # let arm = step.body(Body::dynamic(inertia, Vector3::x()))?;
    /// step.hinge(wall, arm, 0.5 * Vector3::x(), Vector3::z())?;
    /// assert_eq!(step.build(0.01)?.rows(), 5);
    /// # Ok::<(), delassus::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`World::hinge`] and [`World::add_joint`].
    pub fn hinge(
        &mut self,
        a: impl BodyKey,
        b: impl BodyKey,
        anchor: Vector3<f64>,
        axis: Vector3<f64>,
    ) -> Result<&mut Self, Error> {
        self.joint(self.world.hinge(a, b, anchor, axis)?)
    }

    /// Adds a joint that leaves nothing free: six rows.
    ///
    /// ```
    /// # use delassus::prelude::*;
    /// # let mut step = Problem::builder();
    /// # let wall = step.body(Body::fixed(Vector3::zeros()))?;
    /// # let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    /// # let arm = step.body(Body::dynamic(inertia, Vector3::x()))?;
    /// step.fixed(wall, arm)?;
    /// assert_eq!(step.build(0.01)?.rows(), 6);
    /// # Ok::<(), delassus::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`World::fixed`] and [`World::add_joint`].
    pub fn fixed(&mut self, a: impl BodyKey, b: impl BodyKey) -> Result<&mut Self, Error> {
        self.joint(self.world.fixed(a, b)?)
    }

    /// Adds a joint that leaves the displacement along `axis` free: five rows.
    ///
    /// ```
    /// # use delassus::prelude::*;
    /// # let mut step = Problem::builder();
    /// # let wall = step.body(Body::fixed(Vector3::zeros()))?;
    /// # let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    /// # let arm = step.body(Body::dynamic(inertia, Vector3::x()))?;
    /// step.slider(wall, arm, Vector3::y())?;
    /// assert_eq!(step.build(0.01)?.rows(), 5);
    /// # Ok::<(), delassus::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`World::slider`] and [`World::add_joint`].
    pub fn slider(
        &mut self,
        a: impl BodyKey,
        b: impl BodyKey,
        axis: Vector3<f64>,
    ) -> Result<&mut Self, Error> {
        self.joint(self.world.slider(a, b, axis)?)
    }

    /// Adds a rod between two points \[m\], the first of which is fixed to `a` and the second to
    /// `b`: one row.
    ///
    /// ```
    /// # use delassus::prelude::*;
    /// # let mut step = Problem::builder();
    /// # let wall = step.body(Body::fixed(Vector3::zeros()))?;
    /// # let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    /// # let arm = step.body(Body::dynamic(inertia, Vector3::x()))?;
    /// step.distance(wall, arm, Vector3::zeros(), Vector3::x())?;
    /// assert_eq!(step.build(0.01)?.rows(), 1);
    /// # Ok::<(), delassus::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`World::distance`] and [`World::add_joint`].
    pub fn distance(
        &mut self,
        a: impl BodyKey,
        b: impl BodyKey,
        from: Vector3<f64>,
        to: Vector3<f64>,
    ) -> Result<&mut Self, Error> {
        self.joint(self.world.distance(a, b, from, to)?)
    }

    /// Adds a contact at a point \[m\] with Coulomb's law: a normal row and two of friction. The
    /// normal points from `a` to `b`; `friction` is the coefficient μ \[-\].
    ///
    /// ```
    /// # use delassus::prelude::*;
    /// # let mut step = Problem::builder();
    /// # let wall = step.body(Body::fixed(Vector3::zeros()))?;
    /// # let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    /// # let arm = step.body(Body::dynamic(inertia, Vector3::x()))?;
    /// step.contact(wall, arm, 0.5 * Vector3::x(), Vector3::x(), 0.4)?;
    /// assert_eq!(step.build(0.01)?.blocks()[0].law, Law::disc(0.4));
    /// # Ok::<(), delassus::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`World::add_contact`].
    pub fn contact(
        &mut self,
        a: impl BodyKey,
        b: impl BodyKey,
        point: Vector3<f64>,
        normal: Vector3<f64>,
        friction: f64,
    ) -> Result<&mut Self, Error> {
        self.world.add_contact(a, b, point, normal, friction)?;
        Ok(self)
    }

    /// Makes the frozen problem of a step of `h` \[s\]. Its blocks are first the joints, then the
    /// contacts, each in the order in which they were added.
    ///
    /// ```
    /// # use delassus::prelude::*;
    /// # let mut step = Problem::builder();
    /// # let wall = step.body(Body::fixed(Vector3::zeros()))?;
    /// # let inertia = Inertia::new(1.0, Vector3::repeat(0.1));
    /// # let arm = step.body(Body::dynamic(inertia, Vector3::x()))?;
    /// step.fixed(wall, arm)?.contact(wall, arm, Vector3::x(), Vector3::x(), 0.0)?;
    /// let problem = step.build(1.0 / 60.0)?;
    /// assert_eq!((problem.rows(), problem.blocks().len()), (9, 2));
    /// # Ok::<(), delassus::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`World::freeze`].
    pub fn build(&self, h: f64) -> Result<Problem, Error> {
        Ok(self.world.freeze(h)?)
    }
}
