//! The kernels' texts.

use delassus_solver_gpu::pipelines::Shader;
use delassus_solver_gpu::prelude::counts;

use crate::records::{BOX, NONE, PLANE, SPHERE};

fn prelude() -> String {
    counts(&[
        ("SPHERE", SPHERE as usize),
        ("BOX", BOX as usize),
        ("PLANE", PLANE as usize),
        ("NONE", NONE as usize),
    ])
}

/// `records.rs` as WGSL: bodies, colliders, points, manifolds.
pub const RECORDS: &str = include_str!("shaders/records.wgsl");
const COMMON: &str = include_str!("shaders/common.wgsl");
const RELATIVE: &str = include_str!("shaders/relative.wgsl");
const ROUND: &str = include_str!("shaders/round.wgsl");
const PLANE_POINTS: &str = include_str!("shaders/plane.wgsl");
const AXES: &str = include_str!("shaders/axes.wgsl");
const CLIP: &str = include_str!("shaders/clip.wgsl");
const REDUCE: &str = include_str!("shaders/reduce.wgsl");

macro_rules! shaders {
    ($($(#[$doc:meta])* $name:ident = [$($part:ident),*] $file:literal;)*) => {
        $($(#[$doc])* pub(crate) const $name: Shader = Shader {
            name: $file,
            prelude,
            parts: &[RECORDS, COMMON, $($part,)* include_str!(concat!("shaders/", $file))],
        };)*
        #[cfg(test)]
        const ALL: &[Shader] = &[$($name),*];
    };
}

shaders! {
    /// Boxes along the axes of the world, cells.
    BOUNDS = [] "bounds.wgsl";
    /// Prefix sums.
    SCAN = [] "scan.wgsl";
    /// Colliders into their buckets.
    PLACE = [] "place.wgsl";
    /// Pairs of near colliders.
    PAIRS = [] "pairs.wgsl";
    /// Their order.
    ORDER = [] "order.wgsl";
    /// Manifolds.
    NARROW = [RELATIVE, ROUND, PLANE_POINTS, AXES, CLIP, REDUCE] "narrow.wgsl";
    /// Those that there are, one behind the other.
    COMPACT = [] "compact.wgsl";
}

#[cfg(test)]
#[path = "../../solver-gpu/src/testing/wgsl.rs"]
mod wgsl;

#[cfg(test)]
mod tests {
    use super::wgsl::{assert_mirrored, valid};
    use super::*;
    use crate::records;
    use naga::valid::Capabilities;

    #[test]
    fn every_shader_is_valid_everywhere() {
        for shader in ALL {
            valid(shader.name, &shader.source(), Capabilities::empty());
        }
    }

    #[test]
    fn shaders_know_the_records_by_name_and_place() {
        let module = valid("narrow", &NARROW.source(), Capabilities::empty());
        assert_mirrored::<records::Header>(&module);
        assert_mirrored::<records::BodyPose>(&module);
        assert_mirrored::<records::Solid>(&module);
        assert_mirrored::<records::Point>(&module);
        assert_mirrored::<records::Manifold>(&module);
        let module = valid("bounds", &BOUNDS.source(), Capabilities::empty());
        let mut types = module.types.iter().map(|(_, of)| of);
        let bound = types.find(|of| of.name.as_deref() == Some("Bound"));
        let size = bound.map(|of| of.inner.size(module.to_ctx()));
        assert_eq!(size.map(u64::from), Some(records::BOUND_BYTES));
    }
}
