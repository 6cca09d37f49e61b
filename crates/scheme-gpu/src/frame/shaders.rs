//! The kernels that only a frame has.

use delassus_scheme_jacobi::stepping as twin;
use delassus_solver_gpu::pipelines::Shader;
use delassus_solver_gpu::prelude as solver;
use delassus_solver_gpu::shaders::{LAYOUT, VECTORS};

/// Counts and codes of the twin, by the names that the shaders call them.
const COUNTS: &[(&str, usize)] = &[
    ("KEEPS", twin::KEEPS as usize),
    ("TURNS", twin::TURNS as usize),
    ("GYROSCOPIC", twin::GYROSCOPIC as usize),
    ("LINE", twin::LINE as usize),
    ("PERPENDICULAR", twin::PERPENDICULAR as usize),
    ("ORIENTATION", twin::ORIENTATION as usize),
    ("GRID", twin::next_frame::GRID as usize),
    (
        "FARTHEST_BITS",
        twin::next_frame::FARTHEST.to_bits() as usize,
    ),
];

fn prelude() -> String {
    solver::prelude() + &solver::counts(COUNTS)
}
pub(crate) const FRAME: &str = include_str!("frame.wgsl");
const INERTIA: &str = include_str!("inertia.wgsl");
const UNIT: &str = include_str!("unit.wgsl");
pub(crate) const EACH_BODY: &str = include_str!("each_body.wgsl");
pub(crate) const PLACES: &str = include_str!("places.wgsl");
const EACH_CONTACT: &str = include_str!("each_contact.wgsl");

macro_rules! shaders {
    ($($(#[$doc:meta])* $name:ident = $file:literal $(then $($part:ident)+)?;)*) => {
        $($(#[$doc])* pub(super) const $name: Shader = Shader {
            name: $file,
            prelude,
            parts: &[LAYOUT, VECTORS, FRAME, include_str!($file), $($($part),+)?],
        };)*
        #[cfg(test)]
        const ALL: &[Shader] = &[$($name),*];
    };
}

shaders! {
    /// Forces.
    MOTION = "motion.wgsl" then INERTIA EACH_BODY;
    /// Bias of contacts.
    SEPARATIONS = "separations.wgsl" then PLACES EACH_CONTACT;
    /// Rows of joints.
    JOINTS = "joints.wgsl";
    /// Poses.
    POSES = "poses.wgsl" then UNIT EACH_BODY;
    /// Sums of the wrenches.
    TALLY = "tally.wgsl";
    /// Velocities at the end of a substep.
    SETTLE = "settle.wgsl" then EACH_BODY;
    /// Contacts that bounce.
    RESTITUTION = "restitution.wgsl" then PLACES EACH_CONTACT;
    /// The start of the next frame.
    NEXT_FRAME = "next_frame.wgsl" then INERTIA UNIT EACH_BODY;
    /// Momentum of the iteration.
    START = "start.wgsl";
}

#[cfg(test)]
mod tests {
    use super::super::buffers::Header;
    use super::*;
    use crate::wgsl::{assert_mirrored, valid};
    use naga::valid::Capabilities;

    #[test]
    fn every_shader_is_valid_everywhere() {
        for shader in ALL {
            valid(shader.name, &shader.source(), Capabilities::empty());
        }
    }

    #[test]
    fn shaders_know_the_fields_of_the_twin() {
        let module = valid("joints", &JOINTS.source(), Capabilities::empty());
        assert_mirrored::<Header>(&module);
        assert_mirrored::<twin::Settings<f32>>(&module);
        assert_mirrored::<twin::BodyConstants<f32>>(&module);
        assert_mirrored::<twin::BodyMotion<f32>>(&module);
        assert_mirrored::<twin::FollowedContact<f32>>(&module);
        assert_mirrored::<twin::FollowedJoint<f32>>(&module);
        assert_mirrored::<twin::Total<f32>>(&module);
    }
}
