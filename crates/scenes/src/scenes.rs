//! The scenes, one file each.

mod ball_and_chain;
mod bead;
mod bouncing_ball;
mod box_on_incline;
mod bridge;
mod catenary;
mod chain;
mod crank_slider;
mod dzhanibekov;
mod heavy_tip_chain;
mod joint_grid;
mod n_pendulum;
mod pendulum;
mod ragdoll;
mod spinning_top;
mod two_body_spring;
mod weld_pair;
mod wheel;

use delassus_systems::{Grid, Pyramid, Stack, Wall};

use crate::boxes::BoxWorld;
use crate::scene::SceneVisitor;

pub use ball_and_chain::BallAndChain;
pub use bead::Bead;
pub use bouncing_ball::BouncingBall;
pub use box_on_incline::BoxOnIncline;
pub use bridge::{Bridge, BridgeJoint};
pub use catenary::{Catenary, CatenaryStart};
pub use chain::ChainWorld;
pub use crank_slider::CrankSlider;
pub use dzhanibekov::Dzhanibekov;
pub use heavy_tip_chain::HeavyTipChain;
pub use joint_grid::JointGridWorld;
pub use n_pendulum::NPendulum;
pub use pendulum::{Pendulum, PendulumJoint};
pub use ragdoll::{Hold, Ragdoll};
pub use spinning_top::{SpinningTop, TopStart};
pub use two_body_spring::TwoBodySpring;
pub use weld_pair::WeldPair;
pub use wheel::Wheel;

/// Shows every scene to `visitor`, in the order of the documentation.
pub fn visit_scenes<V: SceneVisitor>(visitor: &mut V) {
    visitor.visit::<Pendulum>();
    visitor.visit::<NPendulum>();
    visitor.visit::<ChainWorld>();
    visitor.visit::<HeavyTipChain>();
    visitor.visit::<Bridge>();
    visitor.visit::<Catenary>();
    visitor.visit::<JointGridWorld>();
    visitor.visit::<BallAndChain>();
    visitor.visit::<Ragdoll>();
    visitor.visit::<Wheel>();
    visitor.visit::<CrankSlider>();
    visitor.visit::<WeldPair>();
    visitor.visit::<SpinningTop>();
    visitor.visit::<Dzhanibekov>();
    visitor.visit::<Bead>();
    visitor.visit::<TwoBodySpring>();
    visitor.visit::<BoxWorld<Stack>>();
    visitor.visit::<BoxWorld<Wall>>();
    visitor.visit::<BoxWorld<Pyramid>>();
    visitor.visit::<BoxWorld<Grid>>();
    visitor.visit::<BoxOnIncline>();
    visitor.visit::<BouncingBall>();
}
