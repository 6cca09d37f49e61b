//! The parameters of penalty contacts, as data.

use delassus_core::{Choice, Parameters};

use crate::velocity::Gyroscopic;

/// How a substep takes the forces in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum Integration {
    /// Forces of its start, symplectic Euler (H.3): unstable beyond (H.5).
    Explicit,
    /// Forces linear in the velocities of its end, one linear system (H.7): stable at any step.
    Implicit,
}

/// The normal force of an overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum NormalForce {
    /// A spring in parallel with a damper (H.1).
    KelvinVoigt,
    /// A spring whose damping grows with the overlap (H.2).
    HuntCrossley,
}

/// Parameters of [`super::Penalty`].
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct PenaltyParameters {
    /// Substeps per frame.
    #[parameter(default = 8, unit = "-", range = ">= 1")]
    pub substeps: u32,
    /// How a substep takes the forces in.
    #[parameter(default = Integration::Implicit)]
    pub integration: Integration,
    /// Normal force of an overlap.
    #[parameter(default = NormalForce::KelvinVoigt)]
    pub normal_force: NormalForce,
    /// Stiffness of a contact point.
    #[parameter(default = 1e6, unit = "N/m", range = "> 0")]
    pub contact_stiffness: f64,
    /// Damping of a contact point of the law of Kelvin and Voigt.
    #[parameter(default = 1e3, unit = "N.s/m", range = ">= 0")]
    pub contact_damping: f64,
    /// Dissipation of a contact point of the law of Hunt and Crossley: damping over spring force.
    #[parameter(default = 0.5, unit = "s/m", range = ">= 0")]
    pub contact_dissipation: f64,
    /// Slip speed from which on friction is that of the cone. Below, it is proportional to the
    /// speed.
    #[parameter(default = 1e-3, unit = "m/s", range = "> 0")]
    pub slip_speed: f64,
    /// Stiffness of rigid joint rows in metres.
    #[parameter(default = 1e6, unit = "N/m", range = "> 0")]
    pub joint_stiffness: f64,
    /// Their damping.
    #[parameter(default = 1e3, unit = "N.s/m", range = ">= 0")]
    pub joint_damping: f64,
    /// Stiffness of rigid joint rows in radians.
    #[parameter(default = 1e5, unit = "N.m/rad", range = "> 0")]
    pub joint_angular_stiffness: f64,
    /// Their damping.
    #[parameter(default = 1e2, unit = "N.m.s/rad", range = ">= 0")]
    pub joint_angular_damping: f64,
    /// Gyroscopic torque.
    #[parameter(default = Gyroscopic::Momentum)]
    pub gyroscopic: Gyroscopic,
}
