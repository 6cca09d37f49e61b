//! Frames whose substeps a solver integrates itself, positions included (T.32)–(T.37).
//!
//! A scheme that goes substep by substep moves poses, computes separations and hands the solver a
//! new bias each time. A solver that keeps velocities can do all of that while it sweeps: it offers
//! [`FrameSolver`] through [`crate::ImpulseSolver::as_frame_solver`]. Only contacts are integrated:
//! every block of the problem is one contact point, its first row the normal.
//!
//! Theory: docs/theory/10-time-stepping.md.

use std::ops::Range;

use crate::error::SolveError;
use crate::problem::Problem;

/// A solver that integrates the substeps of a frame itself, from the problem that it has prepared.
pub trait FrameSolver {
    /// Integrates half-steps of a frame, bodies and separations included. The problem has the free
    /// velocity of substep 0. Pass consecutive ranges, from 0 on; impulses may be read in between.
    ///
    /// Until the next `prepare` or `update` of its numbers, the solver ignores bias and compliance
    /// of the problem. Returns false, with nothing changed, if it cannot integrate this problem.
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

/// What closed contacts are like in the sweeps with bias, as shares of A_ii of each (T.34).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameSpring {
    /// Bias velocity per overlap \[1/s\]; ≥ 0.
    pub bias_rate: f64,
    /// Compliance over A_ii \[-\]; ≥ 0.
    pub softness: f64,
    /// Largest bias velocity that pushes \[m/s\]; may be infinite.
    pub push_limit: f64,
}

/// The substeps of a frame, all of one length.
#[derive(Debug, Clone, Copy)]
pub struct FrameSetup<'a> {
    /// Length of a substep \[s\].
    pub h: f64,
    /// Sweeps of the two solves of a substep: with bias, and without it after the poses have moved
    /// \[-\].
    pub sweeps: [u32; 2],
    /// True if the solve with bias holds friction.
    pub holds_friction: bool,
    /// Of contacts between two bodies that move, and of those with a body that does not.
    pub springs: [FrameSpring; 2],
    /// Overlap that is left alone \[m\].
    pub slop: f64,
    /// True if open contacts are as soft as closed ones in the solve with bias.
    pub soft_when_open: bool,
    /// Per block: the separation at the start of the frame \[m\].
    pub separations: &'a [f64],
    /// Per block: the offset of the anchor of the second body from where the impulse acts, along
    /// the normal \[m\].
    pub anchor_offsets: &'a [f64],
    /// Per body: what forces add to its velocity in every substep but the first, whose free
    /// velocity is the problem's \[m/s\].
    pub velocity_increments: &'a [[f64; 3]],
    /// Per body: what turns its axis of rotation in every substep but the first.
    pub gyroscopes: &'a [Gyroscope],
    /// How the gyroscopic torque enters.
    pub gyroscopic: GyroscopicTorque,
}

/// How a substep takes the gyroscopic torque in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GyroscopicTorque {
    /// As that of the start (T.5).
    Explicit,
    /// The same, with the length of the momentum kept (T.53).
    Rescaled,
    /// By one Newton step on the equations of the end (T.6).
    Implicit,
    /// By free rotation with the momentum kept (T.51).
    #[default]
    Momentum,
}

/// The gyroscopic torque of a body (T.37).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gyroscope {
    /// (I₃ − I₂)/I₁ and so on around, of the principal moments \[-\]; zero for a body that feels
    /// none.
    pub ratios: [f64; 3],
    /// Principal moments \[kg·m²\].
    pub moments: [f64; 3],
    /// Angular momentum after the forces of the first substep, world axes \[kg·m²/s\].
    pub momentum: [f64; 3],
    /// Principal axes at the start of the frame in world axes: a quaternion x, y, z, w.
    pub axes: [f64; 4],
}

impl Gyroscope {
    /// A body without the torque.
    pub const NONE: Self = Self {
        ratios: [0.0; 3],
        moments: [1.0; 3],
        momentum: [0.0; 3],
        axes: [0.0, 0.0, 0.0, 1.0],
    };
}

/// Half-steps of a frame: 2k solves substep k with bias and moves the bodies, 2k + 1 solves it
/// again without bias.
pub type HalfSteps = Range<u32>;

/// The motion of a body since the start of the frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyDisplacement {
    /// Displacement \[m\].
    pub displacement: [f64; 3],
    /// Sum of the displacements at the starts of the substeps so far \[m\].
    pub path: [f64; 3],
    /// Rotation in world axes: a quaternion x, y, z, w of unit length up to rounding.
    pub rotation: [f64; 4],
    /// What the gyroscopic torque has added to the angular velocity so far \[rad/s\].
    pub gyroscopic_increment: [f64; 3],
}

/// The motion of all bodies over the substeps integrated so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrameMotion {
    /// Per body.
    pub bodies: Vec<BodyDisplacement>,
    /// Per row: the sum of the impulses at the ends of the substeps \[N·s\].
    pub impulses: Vec<f64>,
}
