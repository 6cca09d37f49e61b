//! The texts of the kernels that pack rows.

use delassus_collide_gpu::{NONE, PLANE, RECORDS, SPHERE};
use delassus_scheme_jacobi::stepping;
use delassus_solver_gpu::pipelines::Shader;
use delassus_solver_gpu::prelude as solver;
use delassus_solver_gpu::shaders::{LAYOUT, VECTORS};
use delassus_solver_jacobi::rule::{FactorRule, Splitting};

use crate::frame::shaders::{EACH_BODY, FRAME, PLACES};

/// Codes of the search and of the step rule.
const COUNTS: &[(&str, usize)] = &[
    ("NONE", NONE as usize),
    ("SPHERE", SPHERE as usize),
    ("PLANE", PLANE as usize),
    ("COUNT", FactorRule::Count as usize),
    ("MAX_COUNT", FactorRule::MaxCount as usize),
    ("MASS_SPLIT", FactorRule::MassSplit as usize),
    ("SPLIT_BLOCKS", Splitting::Blocks as usize),
    ("LINE", stepping::LINE as usize),
    ("PERPENDICULAR", stepping::PERPENDICULAR as usize),
    ("ROD", stepping::ROD as usize),
];

fn prelude() -> String {
    solver::prelude() + &solver::counts(COUNTS)
}

const ROWS: &str = include_str!("rows.wgsl");
const EACH_MANIFOLD: &str = include_str!("each_manifold.wgsl");
const FACTORS: &str = include_str!("factors.wgsl");

macro_rules! shaders {
    ($($(#[$doc:meta])* $name:ident = $file:literal $(then $($part:ident)+)?;)*) => {
        $($(#[$doc])* pub(super) const $name: Shader = Shader {
            name: $file,
            prelude,
            parts: &[LAYOUT, VECTORS, FRAME, RECORDS, ROWS, include_str!($file), $($($part),+)?],
        };)*
        #[cfg(test)]
        const ALL: &[Shader] = &[$($name),*];
    };
}

shaders! {
    /// Manifolds into world axes.
    PLACE = "place.wgsl" then EACH_MANIFOLD;
    /// Slots of the bodies.
    SLOTS = "slots.wgsl";
    /// Their order.
    ORDER = "order.wgsl";
    /// Counts of the step rule.
    SHARES = "shares.wgsl" then EACH_BODY;
    /// Rows of a pass.
    PACK = "pack.wgsl" then FACTORS PLACES EACH_MANIFOLD;
    /// Speeds that contacts bounce with.
    APPROACH = "approach.wgsl" then EACH_MANIFOLD;
    /// Impulses from frame to frame.
    IMPULSES = "impulses.wgsl" then PLACES EACH_MANIFOLD;
    /// Joints into world axes.
    PLACE_JOINTS = "place_joints.wgsl";
    /// Their slots and factors.
    SHARE_JOINTS = "share_joints.wgsl" then FACTORS;
    /// Their impulses from frame to frame.
    JOINT_IMPULSES = "joint_impulses.wgsl";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::records;
    use crate::wgsl::{assert_mirrored, valid};
    use naga::valid::Capabilities;

    #[test]
    fn every_shader_is_valid_everywhere() {
        for shader in ALL {
            valid(shader.name, &shader.source(), Capabilities::empty());
        }
    }

    #[test]
    fn shaders_know_the_records_by_name_and_place() {
        let module = valid("place", &PLACE.source(), Capabilities::empty());
        assert_mirrored::<records::RowSettings>(&module);
        assert_mirrored::<records::Placed>(&module);
        assert_mirrored::<records::Kept>(&module);
    }
}
