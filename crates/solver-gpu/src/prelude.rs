//! Constants that shaders and host share, as WGSL: those of the twins, and the few that no twin
//! has.
//!
//! Written down once, so that the two cannot drift apart.

use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::kernels::PASSES;
use delassus_solver_jacobi::kernels::bodies::HUB;
use delassus_solver_jacobi::kernels::coloured::UNIT;
use delassus_solver_jacobi::kernels::control::{DELAY, FIRST_HOLD, LARGEST_RHO, RISE};
use delassus_solver_jacobi::kernels::sums::CHUNK;
use delassus_solver_jacobi::pack::{self, law};
use delassus_solver_jacobi::real::Real;
use delassus_solver_jacobi::worlds::{COMPUTED, SHARED};

use crate::tiles::{ISOTROPIC_QUADS, TILE, TILE_QUADS};

/// Bodies of a problem that one workgroup solves at most, with the world \[-\].
pub(crate) const MAX_BODIES: usize = 512;

/// Largest sum of contributions, in units of the fixed point \[-\]: a little below 2³¹, and a
/// number of f32.
pub(crate) const RANGE: f32 = 2_147_480_064.0;

/// Number of the iteration before the first.
pub(crate) const NO_ITERATION: u32 = u32::MAX;

/// Spans that one number of the count goes up to \[-\].
pub(crate) const COUNT_ROUND: f64 = 1_048_576.0;

/// Counts and codes of the twins, by the names that the shaders call them.
const COUNTS: &[(&str, usize)] = &[
    ("DELAY", DELAY as usize),
    ("FIRST_HOLD", FIRST_HOLD as usize),
    ("CHUNK", CHUNK),
    ("HUB", HUB),
    // sweeps of a block: forwards, then backwards
    ("BLOCK_PASSES", PASSES as usize),
    ("NESTEROV", Acceleration::Nesterov.code() as usize),
    ("CHEBYSHEV", Acceleration::Chebyshev.code() as usize),
    ("MAX_BODIES", MAX_BODIES),
    // marks beside an index
    ("FIXED", pack::FIXED as usize),
    ("UNIT", UNIT as usize),
    ("NO_ITERATION", NO_ITERATION as usize),
    ("SHARED", SHARED as usize),
    ("COMPUTED", COMPUTED as usize),
    ("BODY_QUADS", pack::BODY_FREE),
    ("MASS_QUADS", pack::BODY_MASS),
    ("FRAME_QUADS", pack::FRAME_QUADS),
    ("POINT_QUADS", pack::POINT_QUADS),
    ("MAX_POINTS", pack::MAX_POINTS),
    ("MAX_SIDES", pack::MAX_SIDES),
    ("ISOTROPIC_QUADS", ISOTROPIC_QUADS),
    ("TILE", TILE),
    ("TILE_QUADS", TILE_QUADS),
    ("EXTRA", pack::EXTRA as usize),
    ("FREE", law::FREE as usize),
    ("BOUNDS", law::BOUNDS as usize),
    ("FRICTIONLESS", law::FRICTIONLESS as usize),
    ("BOX", law::BOX as usize),
    ("DISC", law::DISC as usize),
    ("CONE", law::CONE as usize),
    ("PATCH", law::PATCH as usize),
];

/// A constant of f32: the shortest digits that round to the number that the twin has.
pub fn float(name: &str, x: f64) -> String {
    format!("const {name}: f32 = {:?};\n", f32::of(x))
}

/// Constants of whole numbers, as WGSL.
pub fn counts(all: &[(&str, usize)]) -> String {
    let line = |(name, n): &(&str, usize)| format!("const {name}: u32 = {n}u;\n");
    all.iter().map(line).collect()
}

/// What stands before every shader of the crate.
pub fn prelude() -> String {
    let floats = [
        ("RISE", RISE),
        ("LARGEST_RHO", LARGEST_RHO),
        ("RANGE", f64::from(RANGE)),
        ("COUNT_ROUND", COUNT_ROUND),
    ];
    let floats: String = floats.iter().map(|(name, x)| float(name, *x)).collect();
    floats + &counts(COUNTS)
}
