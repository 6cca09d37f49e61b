//! Codes of the laws in kernels and shaders, and the laws that can be packed.

use std::ops::Range;

use delassus_core::{Friction, Law, SetShape};

/// λ free.
pub const FREE: u32 = 0;
/// λ in \[lower, upper\].
pub const BOUNDS: u32 = 1;
/// λ_n ≥ 0, λ_t = 0.
pub const FRICTIONLESS: u32 = 2;
/// |λ_t,i| ≤ limit + μ λ_n: F1 with μ zero, F2 with limit zero.
pub const BOX: u32 = 3;
/// ‖λ_t‖ ≤ μ λ_n: F3 and F5, which have the same solutions.
pub const DISC: u32 = 4;
/// (λ_n, λ_t) in the convex cone: F6.
pub const CONE: u32 = 5;
/// Normals, two tangents and a twist of a patch.
pub const PATCH: u32 = 6;
/// λ_t in μ λ_n times a polygon: F4. No shader has it.
pub const FACETS: u32 = 7;
/// A normal, tangents, rolling rows and a spin: F8. No shader has it.
pub const ROLLING: u32 = 8;

/// The code of a friction law.
pub fn of_friction(friction: &Friction) -> u32 {
    match friction {
        Friction::Frictionless => FRICTIONLESS,
        Friction::FixedBox { .. } | Friction::Pyramid { .. } => BOX,
        Friction::Disc { .. } | Friction::Coulomb { .. } => DISC,
        Friction::ConvexCone { .. } => CONE,
        Friction::Facets { .. } => FACETS,
    }
}

/// Rows that share one step, in at most two groups.
pub(crate) fn coupled(law: &Law, dim: usize) -> [Range<usize>; 2] {
    let one = |rows| [rows, 0..0];
    match law {
        Law::Contact(friction) => match friction.shape(dim) {
            SetShape::Interval { .. } => one(0..0),
            SetShape::Ball | SetShape::Polygon(_) => one(1..dim),
            SetShape::Cone => one(0..dim),
        },
        Law::Patch(patch) => one(patch.levers.len()..patch.levers.len() + 2),
        Law::Rolling(_) => [1..3, 3..5],
        Law::Equality | Law::Bounds { .. } | Law::Scaled(_) => one(0..0),
    }
}

/// The code of a law.
pub fn of(law: &Law) -> u32 {
    match law {
        // cones of more than three rows are refused
        Law::Equality | Law::Scaled(_) => FREE,
        Law::Bounds { .. } => BOUNDS,
        Law::Contact(friction) => of_friction(friction),
        Law::Patch(_) => PATCH,
        Law::Rolling(_) => ROLLING,
    }
}
