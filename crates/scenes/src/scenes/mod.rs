//! The scenes, one file each.

/// Declares the scenes and shows all of them to a visitor: one line registers one scene.
macro_rules! scenes {
    ($($module:ident :: $scene:ident $(, $other:ident)*;)*) => {
        $(mod $module;)*
        $(pub use $module::{$scene $(, $other)*};)*

        /// Shows every scene to `visitor`, in the order of the documentation.
        pub fn visit_scenes<V: crate::registry::SceneVisitor>(visitor: &mut V) {
            $(visitor.visit::<$scene>();)*
        }
    };
}

scenes! {
    pendulum::Pendulum, PendulumJoint;
    n_pendulum::NPendulum;
    chain::Chain;
    heavy_tip_chain::HeavyTipChain;
    bridge::Bridge, BridgeJoint;
    catenary::Catenary, CatenaryStart;
    joint_grid::JointGrid;
    ball_and_chain::BallAndChain;
    ragdoll::Ragdoll, Hold;
    wheel::Wheel;
    crank_slider::CrankSlider;
    weld_pair::WeldPair;
    spinning_top::SpinningTop, TopStart;
    dzhanibekov::Dzhanibekov;
    bead::Bead;
    two_body_spring::TwoBodySpring;
    stack::Stack;
    wall::Wall;
    pyramid::Pyramid;
    box_on_incline::BoxOnIncline;
    bouncing_ball::BouncingBall;
}
