//! Codes of the laws in kernels and shaders, and the laws that can be packed.

use std::ops::Range;

use delassus_core::{Law, LawForm};

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

/// The code of a law.
pub fn of(law: &Law) -> u32 {
    match law.form() {
        LawForm::Free => FREE,
        LawForm::Interval => BOUNDS,
        LawForm::Normal => FRICTIONLESS,
        LawForm::FixedIntervals | LawForm::Intervals => BOX,
        LawForm::Ball | LawForm::CoulombCone => DISC,
        // of more than three rows it is refused
        LawForm::Cone => CONE,
        LawForm::SharedFriction => PATCH,
        LawForm::Polygon => FACETS,
        LawForm::SeveralFrictions => ROLLING,
    }
}

/// True for the codes of contact points that the manifold kernel solves; only units have polygons.
pub(crate) fn is_of_manifold(code: u32) -> bool {
    matches!(code, FRICTIONLESS | BOX | DISC | CONE)
}

/// Rows that share one step, in at most two groups.
pub(crate) fn coupled(law: &Law, dim: usize) -> [Range<usize>; 2] {
    let points = law.contact_points();
    match of(law) {
        CONE => [0..dim, 0..0],
        DISC => [1..dim, 0..0],
        // on a line the polygon is an interval
        FACETS if dim > 2 => [1..dim, 0..0],
        PATCH => [points..points + 2, 0..0],
        ROLLING => [1..3, 3..5],
        _ => [0..0, 0..0],
    }
}
