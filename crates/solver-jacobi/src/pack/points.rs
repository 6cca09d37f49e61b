//! Packing of problems that give their contact points: axes and arms are read, and no row that
//! follows from them.
//!
//! Recognising a point in its rows is most of a packing, and the rows of a problem that gives
//! points are 288 bytes per point which nothing else may need. Here a first pass cuts the blocks
//! into manifolds, and a second one computes the numbers of a manifold, its points side by side in
//! lanes. Both run in chunks on all threads. What comes out has the bits of `plan` and `own`, which
//! read rows, operation by operation.

mod lanes;

use std::ops::Range;

use delassus_core::{BodyRows, ContactArms, Problem};
use delassus_structure::geometry::{self, FIXED, cross};

use super::extras::needs_extras;
use super::manifolds::{EXTRA, FRAME_QUADS, Manifolds, POINT_QUADS, Part, count_of, law_of};
use super::plan::{MAX_POINTS, SAME_CENTRES, close, in_world, index};
use super::threads::PackThreads;
use super::{fit, law};
use crate::real::{Real, quad};
use crate::rule::{Counts, LocalSweep};
use lanes::{Axes, Lanes3, PointLanes, RowNumbers};

/// Blocks between the same bodies after which a new unit begins, as in
/// [`delassus_structure::Units`] \[-\].
const UNIT: usize = 64;

impl<T: Real> Manifolds<T> {
    /// Takes over the structure of a problem that gives its points. False, with no manifold, if it
    /// gives none or if one of its blocks is no point of a manifold.
    pub(super) fn pack_points(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        threads: PackThreads,
    ) -> bool {
        self.heads.clear();
        if !bodies.jacobian.has_points() || !problem.coupled_compliance().is_empty() {
            return false;
        }
        if !cut(problem, bodies, threads, &mut self.heads) {
            self.heads.clear();
            return false;
        }
        let points = problem.blocks().len();
        self.first_row.clear();
        let rows = problem.blocks().iter().map(|block| index(block.first_row));
        self.first_row.extend(rows);
        let quads = FRAME_QUADS * self.heads.len() + POINT_QUADS * points;
        fit(&mut self.numbers, quads);
        let extra = self.heads.iter().any(|head| head[1] & EXTRA != 0);
        fit(&mut self.extras, if extra { 2 * points } else { 0 });
        true
    }

    /// As [`Manifolds::fill`] for a problem that gives its points.
    pub(super) fn fill_points(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        counts: &Counts,
        threads: PackThreads,
    ) {
        let fill = |mut part: Part<'_, T>| {
            part.fill_points(problem, bodies, counts);
            if !part.extras.is_empty() {
                part.fill_bias(problem);
            }
        };
        let chunk = threads.chunk(self.len());
        if self.len() <= chunk {
            fill(self.whole());
        } else {
            threads.each(self.whole().cut(chunk).into_iter(), fill);
        }
    }
}

/// Cuts the blocks of a problem into manifolds, whose heads do not say yet which rows are active.
/// False if a block is no point of a manifold.
fn cut(
    problem: &Problem,
    bodies: &BodyRows,
    threads: PackThreads,
    heads: &mut Vec<[u32; 4]>,
) -> bool {
    let count = problem.blocks().len();
    if count <= threads.chunk(count) {
        return add_heads(problem, bodies, 0..count, heads);
    }
    let pairs = bodies.block_bodies.as_chunks::<2>().0;
    // a unit begins where the bodies are others, so chunks that end there are cut by themselves
    let border = |from: usize| {
        let begins = |block: &usize| *block == 0 || pairs[*block] != pairs[block - 1];
        (from..count).find(begins).unwrap_or(count)
    };
    let chunks = threads.map(count, |chunk| {
        let mut heads = Vec::with_capacity(chunk.len());
        let range = border(chunk.start)..border(chunk.end);
        add_heads(problem, bodies, range, &mut heads).then_some(heads)
    });
    for chunk in chunks {
        match chunk {
            Some(chunk) => heads.extend_from_slice(&chunk),
            None => return false,
        }
    }
    true
}

/// Adds the heads of manifolds of some blocks, which begin and end with a unit.
fn add_heads(
    problem: &Problem,
    bodies: &BodyRows,
    range: Range<usize>,
    heads: &mut Vec<[u32; 4]>,
) -> bool {
    let pairs = bodies.block_bodies.as_chunks::<2>().0;
    let mut block = range.start;
    while block < range.end {
        let limit = range.end.min(block + UNIT);
        let other = |next: &usize| pairs[*next] != pairs[block];
        let unit = (block + 1..limit).find(other).unwrap_or(limit);
        while block < unit {
            let Some(head) = head(problem, bodies, block..unit) else {
                return false;
            };
            block += count_of(head[1]) as usize;
            heads.push(head);
        }
    }
    true
}

/// The head of the manifold that the first of some blocks of a unit begins; `None` if the manifold
/// kernel does not solve it.
fn head(problem: &Problem, bodies: &BodyRows, blocks: Range<usize>) -> Option<[u32; 4]> {
    let first = blocks.start;
    let (code, mu) = friction(problem, first)?;
    let point = bodies.jacobian.point(first)?;
    let axes: Axes = point.axes.map(Into::into);
    if !geometry::is_frame(&axes) {
        return None;
    }
    let joins = |block: usize| {
        friction(problem, block) == Some((code, mu))
            && bodies.jacobian.point(block).is_some_and(|other| {
                other.axes == point.axes && same_centres(&axes, [point.arms, other.arms])
            })
    };
    let mut extra = needs_extras(problem, first);
    let mut last = first + 1;
    while last < blocks.end.min(first + MAX_POINTS) && joins(last) {
        extra |= needs_extras(problem, last);
        last += 1;
    }
    let pair = geometry::pair(bodies, first)?;
    let extra = if extra { EXTRA } else { 0 };
    let flags = index(last - first) | code << 4 | extra;
    Some([index(first), flags, pair.slots[0], pair.slots[1]])
}

/// Code and μ of a block that the manifold kernel solves.
fn friction(problem: &Problem, block: usize) -> Option<(u32, f64)> {
    let law = &problem.blocks()[block].law;
    let code = law::of(law);
    law::is_of_manifold(code).then(|| (code, law.mu()))
}

/// True if two points of the same axes have the same centres of mass, as `plan` decides it.
fn same_centres(axes: &Axes, points: [&ContactArms; 2]) -> bool {
    let size = |[x, y, z]: [f64; 3]| x.abs() + y.abs() + z.abs();
    let [one, other] = points.map(|[a, b]| [a.x - b.x, a.y - b.y, a.z - b.z]);
    let miss = [0, 1, 2].map(|axis| one[axis] - other[axis]);
    let lengths = points.map(|arms| arms.map(|arm| size(arm.into())));
    let bound = SAME_CENTRES * (1.0 + size(one));
    // in the axes these are the same but for rounding, which may decide only close to the bound
    if size(miss) <= 0.5 * bound
        && 1e-14 * lengths.as_flattened().iter().sum::<f64>() <= 0.25 * bound
    {
        return true;
    }
    let [one, other] = points.map(|arms| {
        let [a, b] = arms.map(|arm| in_axes(axes, arm.into()));
        in_world(axes, [a[0] - b[0], a[1] - b[1], a[2] - b[2]])
    });
    close(one, other)
}

/// An arm in the axes, by the products that give it from rows (W.3).
fn in_axes([n, t, s]: &Axes, arm: [f64; 3]) -> [f64; 3] {
    let (on_n, on_t) = (cross(arm, *n), cross(arm, *t));
    let dot = geometry::dot;
    [dot(on_t, *s), -dot(on_n, *s), dot(on_n, *t)]
}

impl<T: Real> Part<'_, T> {
    /// Fills everything but the extras.
    fn fill_points(&mut self, problem: &Problem, bodies: &BodyRows, counts: &Counts) {
        let sequential = counts.rule().sweep == LocalSweep::Block;
        let omega = counts.rule().omega;
        let mut at = 0;
        for head in &mut *self.heads {
            let count = count_of(head[1]) as usize;
            let first = head[0] as usize;
            let blocks = first..first + count;
            let (Some(given), Some((_, mu))) = (
                bodies.jacobian.points(blocks.clone()),
                friction(problem, first),
            ) else {
                continue;
            };
            head[1] &= 0xffff;
            let mut rows = 0;
            for (point, block) in blocks.enumerate() {
                let active = problem.active_dim(block);
                head[1] |= index(active) << (16 + 2 * point);
                rows += active;
            }
            let touched = [head[2], head[3]].map(|slot| slot & !FIXED);
            let factor = counts.factor(&touched, rows, sequential);
            let factors = [factor(&touched[0]), factor(&touched[1])];
            let points = PointLanes::new(given.axes.map(Into::into), given.arms);
            let masses = touched.map(|body| &bodies.mass[body as usize]);
            let numbers = RowNumbers::of(problem, 3 * first, count);
            let steps = points.steps(law_of(head[1]), masses, factors, &numbers, omega);
            let frame = &mut self.numbers[at..][..FRAME_QUADS + POINT_QUADS * count];
            at += frame.len();
            let [n, t, _] = points.axes;
            frame[0] = quad(n, mu);
            frame[1] = quad(t, factors[0]);
            frame[2] = quad(points.between(), factors[1]);
            let arms = points.arms();
            for (point, place) in frame[FRAME_QUADS..]
                .as_chunks_mut()
                .0
                .iter_mut()
                .enumerate()
            {
                let of = |lanes: &Lanes3| [lanes[0][point], lanes[1][point], lanes[2][point]];
                let [arm, step]: &mut [_; POINT_QUADS] = place;
                *arm = quad(of(&arms), numbers.bias[point]);
                *step = quad(of(&steps), numbers.compliance[0][point]);
            }
        }
    }
}
