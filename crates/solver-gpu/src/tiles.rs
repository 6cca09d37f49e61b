//! Manifolds in tiles: what [`TILE`] neighbours have lies side by side.
//!
//! A thread that solves a manifold reads its quads one after the other. If they follow each other
//! in memory, the threads of a warp read as many lines of cache with every load as they are; in
//! tiles they read quads that follow each other, four lines of 128 bytes. A tile has room for four
//! points per manifold, and impulses take three numbers instead of four. Bodies that all have one
//! inverse mass for all axes take two quads of it instead of three.

use delassus_core::Choice;
use delassus_solver_jacobi::pack::{
    BODY_MASS, FRAME_QUADS, MAX_POINTS, Manifolds, POINT_QUADS, Pack, count_of,
};

use crate::buffers::GpuQuad;

/// Manifolds of a tile \[-\]: threads of a warp.
pub const TILE: usize = 32;

/// Quads of a manifold in a tile \[-\].
pub const TILE_QUADS: usize = FRAME_QUADS + POINT_QUADS * MAX_POINTS;

/// Quads of an inverse mass that is one for all axes \[-\].
pub const ISOTROPIC_QUADS: usize = 2;

/// Numbers of an impulse in a tile \[-\].
const IMPULSE: usize = 3;

/// How the numbers of manifolds lie on the device; changes no bit of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum ManifoldLayout {
    /// Those of a manifold follow each other, as the host packs them.
    #[default]
    Manifolds,
    /// In tiles of 32 manifolds, so that neighbouring threads read neighbouring numbers.
    Tiles,
}

impl ManifoldLayout {
    /// Where quad `quad` of a manifold lies, whose first point is `first_point`: three of its
    /// frame, then two per point.
    pub fn quad_index(self, manifold: usize, first_point: u32, quad: usize) -> usize {
        match self {
            Self::Manifolds => Manifolds::<f32>::first_number(manifold, first_point) + quad,
            Self::Tiles => TILE * (TILE_QUADS * (manifold / TILE) + quad) + manifold % TILE,
        }
    }

    /// Where number `row` of the impulse of point `point` of a manifold lies, in single numbers.
    pub fn impulse_index(
        self,
        manifold: usize,
        first_point: u32,
        point: usize,
        row: usize,
    ) -> usize {
        match self {
            Self::Manifolds => 4 * (first_point as usize + point) + row,
            Self::Tiles => {
                let plane = IMPULSE * (MAX_POINTS * (manifold / TILE) + point) + row;
                TILE * plane + manifold % TILE
            }
        }
    }

    /// Points that a half of the impulses of so many manifolds and points has room for \[-\].
    pub fn points_of(self, manifolds: usize, points: usize) -> usize {
        match self {
            Self::Manifolds => points,
            Self::Tiles => TILE * MAX_POINTS * manifolds.div_ceil(TILE),
        }
    }

    /// Numbers of a half of the impulses of so many manifolds and points \[-\].
    pub fn impulses_of(self, manifolds: usize, points: usize) -> usize {
        let numbers = match self {
            Self::Manifolds => 4,
            Self::Tiles => IMPULSE,
        };
        numbers * self.points_of(manifolds, points)
    }

    /// Quads of the frames and points of so many manifolds and points \[-\].
    pub fn quads_of(self, manifolds: usize, points: usize) -> usize {
        match self {
            Self::Manifolds => FRAME_QUADS * manifolds + POINT_QUADS * points,
            Self::Tiles => TILE * TILE_QUADS * manifolds.div_ceil(TILE),
        }
    }

    /// Those of a pack.
    pub(crate) fn impulses(self, pack: &Pack<f32>) -> usize {
        self.impulses_of(pack.manifolds.len(), pack.manifolds.points())
    }

    /// Those of a pack.
    pub(crate) fn quads(self, pack: &Pack<f32>) -> usize {
        self.quads_of(pack.manifolds.len(), pack.manifolds.points())
    }
}

/// True if every body has one inverse mass for all axes.
pub(crate) fn is_isotropic(pack: &Pack<f32>) -> bool {
    let masses = pack.bodies.mass.as_chunks::<BODY_MASS>().0;
    let one = |[first, ..]: &[GpuQuad; BODY_MASS]| first[0] == first[1] && first[0] == first[2];
    masses.iter().all(one)
}

/// Inverse masses that are one for all axes: mass, then the inverse inertia.
pub(crate) fn isotropic(pack: &Pack<f32>) -> Vec<GpuQuad> {
    let masses = pack.bodies.mass.as_chunks::<BODY_MASS>().0;
    let of = |[a, b, c]: &[GpuQuad; BODY_MASS]| [[a[0], a[3], b[0], b[1]], [b[2], b[3], c[0], 0.0]];
    masses.iter().flat_map(of).collect()
}

/// Frames and points of a pack in tiles.
pub(crate) fn tiled(pack: &Pack<f32>) -> Vec<GpuQuad> {
    let layout = ManifoldLayout::Tiles;
    let mut quads = vec![[0.0; 4]; layout.quads(pack)];
    for (manifold, head) in pack.manifolds.heads.iter().enumerate() {
        let first = Manifolds::<f32>::first_number(manifold, head[0]);
        let count = FRAME_QUADS + POINT_QUADS * count_of(head[1]) as usize;
        let own = &pack.manifolds.numbers[first..first + count];
        for (quad, from) in own.iter().enumerate() {
            quads[layout.quad_index(manifold, head[0], quad)] = *from;
        }
    }
    quads
}

/// Impulses of points, a quad each, in tiles.
pub(crate) fn tiled_impulses(pack: &Pack<f32>, points: &[GpuQuad]) -> Vec<f32> {
    let mut numbers = vec![0.0; ManifoldLayout::Tiles.impulses(pack)];
    each_impulse(pack, |point, row, at| numbers[at] = points[point][row]);
    numbers
}

/// A quad per point of impulses in tiles.
pub(crate) fn untiled_impulses(pack: &Pack<f32>, numbers: &[f32]) -> Vec<GpuQuad> {
    let mut points = vec![[0.0; 4]; pack.manifolds.points()];
    each_impulse(pack, |point, row, at| points[point][row] = numbers[at]);
    points
}

/// Shows every number of every impulse: its point, its row, and where it is in tiles.
fn each_impulse(pack: &Pack<f32>, mut show: impl FnMut(usize, usize, usize)) {
    for (manifold, head) in pack.manifolds.heads.iter().enumerate() {
        for local in 0..count_of(head[1]) as usize {
            for row in 0..IMPULSE {
                let at = ManifoldLayout::Tiles.impulse_index(manifold, head[0], local, row);
                show(head[0] as usize + local, row, at);
            }
        }
    }
}
