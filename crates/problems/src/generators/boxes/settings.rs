//! Settings of all parts of a frozen pile of boxes.

use delassus_core::{ContactLaw, MassProperties, Parameters};
use delassus_systems::Boxes;
use nalgebra::Vector3;

use super::super::softness::SoftnessParameters;

/// What a frozen pile of boxes has in addition to the pile.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct Freezing {
    /// Softness of every normal row.
    #[parameter(flatten)]
    pub softness: SoftnessParameters,
    /// Share of an overlap that one step removes, unless hertz sets it.
    #[parameter(default = 0.2, unit = "-", range = "[0, 1]")]
    pub recovery: f64,
    /// Extra downward force, shared equally by the boxes of the top layer.
    #[parameter(default = 0.0, unit = "N")]
    pub load: f64,
    /// Time step.
    #[parameter(default = 1.0 / 60.0, unit = "s", range = "> 0")]
    pub dt: f64,
}

/// The pile and the step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    pub(super) boxes: Boxes,
    pub(super) step: Freezing,
}

impl Settings {
    /// True if every box stays where it is with v⁺ = 0 and vertical impulses (E.5).
    pub(super) fn is_at_rest(&self) -> bool {
        self.boxes.tilt == 0.0
            && self.boxes.speed == 0.0
            && self.boxes.gap == 0.0
            && self.step.load >= 0.0
            && self.step.softness.is_rigid()
    }
}

/// One box of a pile; index 0 is the ground.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BoxBody {
    pub(super) center: Vector3<f64>,
    pub(super) mass: MassProperties,
    /// Downward impulse of gravity and load over one step \[N·s\].
    pub(super) weight: f64,
}

/// Rows of one manifold \[-\].
pub(super) fn rows_per_manifold(law: ContactLaw) -> usize {
    match law {
        ContactLaw::Frictionless => 4,
        ContactLaw::Patch => 7,
        _ => 12,
    }
}

/// Row of the normal of contact point `point` within a manifold of law `law` \[-\].
pub(super) fn normal_row(law: ContactLaw, point: usize) -> usize {
    match law {
        ContactLaw::Frictionless | ContactLaw::Patch => point,
        _ => 3 * point,
    }
}
