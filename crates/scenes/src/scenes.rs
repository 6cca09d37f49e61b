//! The scenes, one file each.

mod alternating_stack;
mod arch;
mod ball_and_chain;
mod bead;
mod bouncing_ball;
mod box_on_incline;
mod box_pyramid;
mod bridge;
mod card_house;
mod cart;
mod catenary;
mod chain;
mod compound_rain;
mod confined;
mod convex_pile;
mod crank_slider;
mod door;
mod double_domino;
mod dropped_ball;
mod dzhanibekov;
mod falling_box;
mod footed_box;
mod friction_ramp;
mod heavy_apex;
mod heavy_block;
mod heavy_tip_chain;
mod jenga;
mod joint_grid;
mod junkyard;
mod keva_tower;
mod many_pyramids;
mod n_pendulum;
mod newtons_cradle;
mod overlap_recovery;
mod painleve_rod;
mod pendulum;
mod planar_world;
mod ragdoll;
mod ragdoll_pile;
mod rolling;
mod rush;
mod scissor_lift;
mod see_saw;
mod single_box;
mod sliding_block;
mod soft_contact;
mod soft_joint;
mod sphere_stack;
mod spinner;
mod spinning_disc;
mod spinning_top;
mod tilted_stack;
mod tumbler;
mod two_body_spring;
mod vertical_stack;
mod voussoir_arch;
mod warm_start_energy;
mod washer;
mod weld_pair;
mod wheel;
mod wrecking_ball;

use delassus_core::parameter::Map;
use delassus_core::registry;
use delassus_dynamics::World;
use delassus_systems::{Grid, Pyramid, Stack, Wall};

use crate::boxes::BoxWorld;
use crate::error::SceneError;
use crate::scene::{SceneEntry, entry};

pub use bridge::BridgeJoint;
pub use catenary::CatenaryStart;
pub use heavy_block::Floor;
pub use pendulum::PendulumJoint;
pub use ragdoll::Hold;
pub use rolling::Roller;
pub use soft_joint::HeldBy;
pub use spinning_top::TopStart;

/// Exports the scenes and lists them, with those of systems of boxes in the middle.
macro_rules! scenes {
    (
        [$($first:ident::$First:ident,)*]
        [$($boxes:ty,)*]
        [$($later:ident::$Later:ident,)*]
    ) => {
        $(pub use $first::$First;)*
        $(pub use $later::$Later;)*

        /// Every scene, in the order of the documentation.
        pub fn scenes() -> Vec<SceneEntry> {
            vec![$(entry::<$First>(),)* $(entry::<$boxes>(),)* $(entry::<$Later>()),*]
        }
    };
}

scenes! {
    [
        pendulum::Pendulum, n_pendulum::NPendulum, chain::ChainWorld,
        heavy_tip_chain::HeavyTipChain, bridge::Bridge, catenary::Catenary,
        joint_grid::JointGridWorld, ball_and_chain::BallAndChain, ragdoll::Ragdoll, wheel::Wheel,
        crank_slider::CrankSlider, weld_pair::WeldPair, spinning_top::SpinningTop,
        dzhanibekov::Dzhanibekov, bead::BeadScene, two_body_spring::TwoBodySpring,
        soft_joint::SoftJoint, soft_contact::SoftContact,
    ]
    [BoxWorld<Stack>, BoxWorld<Wall>, BoxWorld<Pyramid>, BoxWorld<Grid>,]
    [
        box_on_incline::BoxOnIncline, bouncing_ball::BouncingBall, single_box::SingleBox,
        falling_box::FallingBox, sliding_block::SlidingBlock, dropped_ball::DroppedBall,
        rolling::Rolling, footed_box::FootedBox, spinning_disc::SpinningDisc,
        painleve_rod::PainleveRod, planar_world::PlanarWorld, vertical_stack::VerticalStack,
        tilted_stack::TiltedStack, alternating_stack::AlternatingStack, sphere_stack::SphereStack,
        jenga::Jenga, box_pyramid::BoxPyramid, many_pyramids::ManyPyramids,
        overlap_recovery::OverlapRecovery, heavy_apex::HeavyApex, heavy_block::HeavyBlock,
        warm_start_energy::WarmStartEnergy, friction_ramp::FrictionRamp,
        double_domino::DoubleDomino, arch::Arch, voussoir_arch::VoussoirArch, card_house::CardHouse,
        keva_tower::KevaTower, see_saw::SeeSaw, confined::Confined, rush::Rush,
        newtons_cradle::NewtonsCradle, wrecking_ball::WreckingBall, door::Door, cart::Cart,
        scissor_lift::ScissorLift, ragdoll_pile::RagdollPile, tumbler::Tumbler, spinner::Spinner,
        washer::Washer, junkyard::Junkyard, compound_rain::CompoundRain, convex_pile::ConvexPile,
    ]
}

/// Makes the world of the scene `id`; parameters that are not given keep their defaults.
///
/// # Errors
/// An unknown scene or parameter, a value of another type or out of range.
pub fn build(id: &str, parameters: &Map) -> Result<World, SceneError> {
    registry::find(&scenes(), id)?.build_given(parameters)
}
