//! Frames whose substeps a solver integrates itself, positions included (T.32)–(T.37).
//!
//! Usually a scheme moves the poses, computes the separations and gives the solver a new bias in
//! every substep. A solver that stores body velocities can do all of this while it sweeps. It then
//! returns a [`FrameSolver`] from [`crate::ImpulseSolver::as_frame_solver`]. The problem has the
//! blocks of joints first, then those of contact points, whose first row is the normal. A joint
//! holds a point or bounds an angle ([`FrameJoint`]).
//!
//! Theory: docs/theory/10-time-stepping.md.

use std::ops::Range;

use crate::error::SolveError;
use crate::problem::Problem;

/// A solver that integrates the substeps of a frame itself, from the problem that it has prepared.
pub trait FrameSolver {
    /// Integrates half-steps of a frame, including the motion of the bodies and the separations.
    /// The problem has the free velocity of substep 0. Pass consecutive ranges that begin with 0.
    /// The caller may read the impulses between two calls.
    ///
    /// From then on, until the next `prepare` or `update` of its numbers, the solver ignores the
    /// bias and compliance of the problem. Returns false, with nothing changed, if the solver
    /// cannot integrate this problem.
    ///
    /// # Errors
    /// Not prepared, slices of the wrong length, a velocity or position that is not finite.
    fn integrate(
        &mut self,
        problem: &Problem,
        setup: &FrameSetup<'_>,
        half_steps: HalfSteps,
    ) -> Result<bool, SolveError>;

    /// Reads the motion of the bodies and the summed impulses since the frame began.
    ///
    /// # Errors
    /// Nothing was integrated.
    fn read_motion(&mut self, out: &mut FrameMotion) -> Result<(), SolveError>;
}

/// Softness of closed contacts in the biased solve, relative to A_ii of each row (T.34).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameSpring {
    /// Bias velocity divided by the overlap \[1/s\]; ≥ 0.
    pub bias_rate: f64,
    /// Compliance divided by A_ii \[-\]; ≥ 0.
    pub softness: f64,
    /// Largest magnitude of a separating bias velocity \[m/s\]; may be infinite.
    pub push_limit: f64,
}

/// The geometry of a joint at the start of a frame, in world axes (T.59).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FrameJoint {
    /// Three rows that hold a point. Each further row keeps a direction of the first body
    /// perpendicular to one of the second.
    Point {
        /// From the point on the first body to the point on the second \[m\].
        gap: [f64; 3],
        /// Per further row: a direction of the first body \[-\].
        across: [[f64; 3]; 2],
        /// The direction of the second body that stays perpendicular to both of `across` \[-\].
        axis: [f64; 3],
    },
    /// Two rows that bound an angle from below and from above (T.61).
    Limit {
        /// Errors of the row of the lower and of the upper bound \[rad\]; positive within the
        /// bounds.
        errors: [f64; 2],
    },
}

/// The substeps of a frame, all of one length.
#[derive(Debug, Clone, Copy)]
pub struct FrameSetup<'a> {
    /// Length of a substep \[s\].
    pub h: f64,
    /// Sweeps of the two solves of a substep \[-\]: the biased solve, and the relax solve after the
    /// poses have moved.
    pub sweeps: [u32; 2],
    /// True if friction is inactive in the biased solve, so that its impulses stay fixed.
    pub holds_friction: bool,
    /// Softness of contacts between two movable bodies, and of contacts with an immovable body.
    pub springs: [FrameSpring; 2],
    /// Overlap that is not corrected \[m\].
    pub slop: f64,
    /// True if open contacts are as soft as closed contacts in the biased solve.
    pub soft_when_open: bool,
    /// Geometry of each joint, one entry per block of a joint. These blocks come before the
    /// contacts.
    pub joints: &'a [FrameJoint],
    /// Softness of the joints in the biased solve: R = softness · A in each block (S.16), and in
    /// each row of a limit.
    pub joint_spring: FrameSpring,
    /// Per contact: the separation at the start of the frame \[m\].
    pub separations: &'a [f64],
    /// Per contact: distance along the normal from the point where the impulse acts to the anchor
    /// on the second body \[m\].
    pub anchor_offsets: &'a [f64],
    /// Per body: the velocity that forces add in every substep after the first \[m/s\]. The free
    /// velocity of the problem already contains the velocity that they add in the first substep.
    pub velocity_increments: &'a [[f64; 3]],
    /// Per body: its gyroscopic torque, which acts in every substep after the first.
    pub gyroscopes: &'a [Gyroscope],
    /// How the gyroscopic torque is integrated.
    pub gyroscopic: GyroscopicTorque,
}

/// How a substep integrates the gyroscopic torque.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GyroscopicTorque {
    /// Explicitly, with the torque at the start of the substep (T.5).
    Explicit,
    /// Explicitly, then scaled so that the magnitude of the angular momentum is constant (T.53).
    Rescaled,
    /// Implicitly, by one Newton step (T.6).
    Implicit,
    /// By free rotation with constant angular momentum (T.51).
    #[default]
    Momentum,
}

/// The gyroscopic torque of a body (T.37).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gyroscope {
    /// (I₃ − I₂)/I₁ and its cyclic permutations, from the principal moments \[-\]; zero for a body
    /// without this torque.
    pub ratios: [f64; 3],
    /// Principal moments \[kg·m²\].
    pub moments: [f64; 3],
    /// Angular momentum after the forces of the first substep, world axes \[kg·m²/s\].
    pub momentum: [f64; 3],
    /// Rotation from the principal axes to the world axes at the start of the frame: a quaternion
    /// x, y, z, w.
    pub axes: [f64; 4],
}

impl Gyroscope {
    /// A body without gyroscopic torque.
    pub const NONE: Self = Self {
        ratios: [0.0; 3],
        moments: [1.0; 3],
        momentum: [0.0; 3],
        axes: [0.0, 0.0, 0.0, 1.0],
    };
}

/// Half-steps of a frame. Half-step 2k solves substep k with bias and moves the bodies; half-step
/// 2k + 1 solves it again without bias.
pub type HalfSteps = Range<u32>;

/// The motion of a body since the start of the frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyDisplacement {
    /// Displacement \[m\].
    pub displacement: [f64; 3],
    /// Sum of the displacements that the body had at the start of each substep so far \[m\]; the
    /// torque of the forces about the origin is computed from it.
    pub path: [f64; 3],
    /// Rotation in world axes: a quaternion x, y, z, w of unit length up to rounding.
    pub rotation: [f64; 4],
    /// Angular velocity that the gyroscopic torque has added so far \[rad/s\].
    pub gyroscopic_increment: [f64; 3],
    /// Change of the angular momentum so far because the momentum was rotated with the body (T.63)
    /// \[kg·m²/s\].
    pub momentum_turned: [f64; 3],
}

/// Impulses that a joint applied to its bodies since the start of the frame (T.60).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointImpulse {
    /// Impulse on the second body \[N·s\]; the first body gets the opposite impulse.
    pub linear: [f64; 3],
    /// Per body: angular impulse about its centre of mass \[N·m·s\]. The entry of the first body
    /// has the opposite sign.
    pub angular: [[f64; 3]; 2],
}

impl JointImpulse {
    /// Linear and angular impulse on the first or second body \[N·s, N·m·s\].
    pub fn on(&self, side: usize) -> [f64; 6] {
        let sign = if side == 0 { -1.0 } else { 1.0 };
        let [x, y, z] = self.linear.map(|x| sign * x);
        let [p, q, r] = self.angular[side.min(1)].map(|x| sign * x);
        [x, y, z, p, q, r]
    }
}

/// The motion of all bodies over the substeps integrated so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrameMotion {
    /// Motion of each body.
    pub bodies: Vec<BodyDisplacement>,
    /// Per row of a contact: the sum of the impulses at the ends of the substeps \[N·s\]. Zero for
    /// rows of joints.
    pub impulses: Vec<f64>,
    /// Impulses of each joint, one entry per block of a joint.
    pub joints: Vec<JointImpulse>,
}
