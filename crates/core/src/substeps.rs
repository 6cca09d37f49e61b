//! Substeps that a solver makes by itself, positions included (T.32)–(T.37).
//!
//! A scheme that goes substep by substep moves poses, computes separations and hands the solver a
//! new bias each time. A solver that keeps velocities can do all of that beside them:
//! [`crate::ImpulseSolver::carry`] is the offer. Contacts alone are carried: every block of the
//! problem is one contact point, its first row the normal.
//!
//! Theory: docs/theory/10-time-stepping.md.

use std::ops::Range;

/// What closed contacts are like in the sweeps with bias, as shares of A_ii of each (T.34).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CarriedSpring {
    /// Bias velocity per overlap \[1/s\]; ≥ 0.
    pub bias_rate: f64,
    /// Compliance over A_ii \[-\]; ≥ 0.
    pub softness: f64,
    /// Largest bias velocity that pushes \[m/s\]; may be infinite.
    pub push_limit: f64,
}

/// The substeps of a frame, all of one length.
#[derive(Debug, Clone, Copy)]
pub struct Substeps<'a> {
    /// Length of a substep \[s\].
    pub h: f64,
    /// Sweeps of the two solves of a substep: with bias, and without it after the poses have moved
    /// \[-\].
    pub sweeps: [u32; 2],
    /// True if the solve with bias holds friction.
    pub holds_friction: bool,
    /// Of contacts between two bodies that move, and of those with a body that does not.
    pub springs: [CarriedSpring; 2],
    /// Overlap that is left alone \[m\].
    pub slop: f64,
    /// True if open contacts are as soft as closed ones in the solve with bias.
    pub soft_when_open: bool,
    /// Per block: the separation at the start of the frame \[m\].
    pub separations: &'a [f64],
    /// Per block: how far the anchor of the second body is from where the impulse acts, along the
    /// normal \[m\].
    pub lifts: &'a [f64],
    /// Per body: what forces add to its velocity in every substep but the first, whose free
    /// velocity is the problem's \[m/s\].
    pub kicks: &'a [[f64; 3]],
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

/// Halves of substeps: the solve with bias of substep k, with which the poses then move, is 2k,
/// that without is 2k + 1.
pub type Halves = Range<u32>;

/// Where a body is, told from the start of the frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CarriedBody {
    /// Displacement \[m\].
    pub displacement: [f64; 3],
    /// Sum of the displacements at the starts of the substeps so far \[m\].
    pub path: [f64; 3],
    /// Turn in world axes: a quaternion x, y, z, w of unit length up to rounding.
    pub turn: [f64; 4],
    /// What the gyroscopic torque has added to the angular velocity so far \[rad/s\].
    pub spun: [f64; 3],
}

impl CarriedBody {
    /// A body that has not moved.
    pub const STILL: Self = Self {
        displacement: [0.0; 3],
        path: [0.0; 3],
        turn: [0.0, 0.0, 0.0, 1.0],
        spun: [0.0; 3],
    };
}

/// What comes back from substeps.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Carried {
    /// Per body.
    pub bodies: Vec<CarriedBody>,
    /// Per row: the sum of the impulses at the ends of the substeps \[N·s\].
    pub impulses: Vec<f64>,
}
