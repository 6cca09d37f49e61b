//! Contact manifolds: one frame, one law, one to four points.

use delassus_core::{BodyRows, Problem};
use delassus_structure::geometry::{self, FIXED};

use super::extras::{Extras, needs_extras, point_extras};
use super::own;
use super::plan::{ManifoldPlan, index};
use super::threads::PackThreads;
use crate::real::{Quad, Real, quad};
use crate::rule::{Counts, LocalSweep};

/// Quads of a manifold before its points.
pub const FRAME_QUADS: usize = 3;

/// Quads of a point of a manifold.
pub const POINT_QUADS: usize = 2;

/// Flag of the second word of a head: the points have extras.
pub const EXTRA: u32 = 1 << 8;

/// Number of points of a manifold \[-\], from its flags.
#[inline(always)]
pub fn count_of(flags: u32) -> u32 {
    flags & 15
}

/// Law of a manifold, a code of [`super::law`].
#[inline(always)]
pub fn law_of(flags: u32) -> u32 {
    (flags >> 4) & 15
}

/// True if the points have a limit, or tangents with bias or compliance.
#[inline(always)]
pub fn has_extras(flags: u32) -> bool {
    flags & EXTRA != 0
}

/// Leading rows of point `point` that are solved for: 0, 1 or 3.
#[inline(always)]
pub fn active_of(flags: u32, point: u32) -> u32 {
    (flags >> (16 + 2 * point)) & 3
}

/// The manifolds of a problem.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Manifolds<T> {
    /// Four words per manifold: first point; count, law, flags; the two bodies, with [`FIXED`]
    /// where nothing moves them.
    pub heads: Vec<[u32; 4]>,
    /// Manifold m starts at 3 m + 2 p, where p is its first point: frame, then points.
    pub numbers: Vec<Quad<T>>,
    /// Two quads per point of the problem, or none at all.
    pub extras: Vec<Quad<T>>,
    /// First row of every point \[-\]; a point of one row is marked by [`FIXED`].
    pub first_row: Vec<u32>,
}

impl<T: Real> Manifolds<T> {
    /// Takes over the structure of a plan.
    pub(crate) fn pack(&mut self, problem: &Problem, bodies: &BodyRows, plans: &[ManifoldPlan]) {
        let world = index(bodies.len()) | FIXED;
        let zero = [T::ZERO; 4];
        self.heads.clear();
        self.heads.reserve_exact(plans.len());
        let points = plans.iter().map(ManifoldPlan::points).sum();
        self.first_row.clear();
        self.first_row.reserve_exact(points);
        for plan in plans {
            let block = plan.piece.blocks.start as usize;
            let slots = geometry::pair(bodies, block).map_or([world; 2], |pair| pair.slots);
            let extra = if plan.extra { EXTRA } else { 0 };
            let flags = index(plan.points()) | plan.law << 4 | extra;
            let first = index(self.first_row.len());
            self.heads.push([first, flags, slots[0], slots[1]]);
            for block in plan.piece.blocks.clone() {
                let entry = &problem.blocks()[block as usize];
                let mark = if entry.dim == 1 { FIXED } else { 0 };
                self.first_row.push(index(entry.first_row) | mark);
            }
        }
        let quads = FRAME_QUADS * plans.len() + POINT_QUADS * points;
        self.numbers.clear();
        self.numbers.resize(quads, zero);
        let extra = plans.iter().any(|plan| plan.extra);
        self.extras.clear();
        self.extras.resize(if extra { 2 * points } else { 0 }, zero);
    }

    /// Number of manifolds \[-\].
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// True if there is no manifold.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Number of contact points \[-\].
    pub fn points(&self) -> usize {
        self.first_row.len()
    }

    /// First quad of the numbers of a manifold.
    #[inline(always)]
    pub fn first_number(manifold: usize, first_point: u32) -> usize {
        FRAME_QUADS * manifold + POINT_QUADS * first_point as usize
    }

    /// Steps of the rows of a point \[kg\].
    pub(crate) fn steps(&self, manifold: usize, first_point: u32, point: u32) -> Quad<T> {
        let at = Self::first_number(manifold, first_point) + FRAME_QUADS;
        self.numbers[at + POINT_QUADS * point as usize + 1]
    }

    /// False if a point needs extras that its manifold does not have.
    pub(crate) fn fits(&self, problem: &Problem) -> bool {
        self.heads.iter().all(|head| {
            let first = head[0] as usize;
            let rows = &self.first_row[first..first + count_of(head[1]) as usize];
            let block = |row: &u32| problem.block_of_row((row & !FIXED) as usize);
            has_extras(head[1])
                || rows
                    .iter()
                    .all(|row| point_extras(problem, block(row)) == Extras::default())
        })
    }

    /// True if exactly those manifolds need extras that have them.
    pub(crate) fn has_extras_of(&self, problem: &Problem) -> bool {
        self.heads.iter().all(|head| {
            let first = head[0] as usize;
            let rows = &self.first_row[first..first + count_of(head[1]) as usize];
            let block = |row: &u32| problem.block_of_row((row & !FIXED) as usize);
            let needed = rows.iter().any(|row| needs_extras(problem, block(row)));
            needed == has_extras(head[1])
        })
    }

    /// Fills everything that follows from masses, compliance, activity and the step rule, and the
    /// bias.
    pub(crate) fn fill(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        plans: &[ManifoldPlan],
        counts: &Counts,
        threads: PackThreads,
    ) {
        let fill = |mut part: Part<'_, T>| {
            let end = part.first + part.heads.len();
            part.fill(problem, bodies, &plans[part.first..end], counts);
            part.fill_bias(problem);
        };
        let chunk = threads.chunk(plans.len());
        if plans.len() <= chunk {
            fill(self.whole());
        } else {
            threads.each(self.whole().cut(chunk).into_iter(), fill);
        }
    }

    /// Fills the bias, and all extras.
    pub(crate) fn fill_bias(&mut self, problem: &Problem) {
        self.whole().fill_bias(problem);
    }

    pub(super) fn whole(&mut self) -> Part<'_, T> {
        Part {
            first: 0,
            first_point: 0,
            heads: &mut self.heads,
            numbers: &mut self.numbers,
            extras: &mut self.extras,
            first_row: &self.first_row,
        }
    }
}

/// Some manifolds that follow each other.
pub(super) struct Part<'m, T> {
    /// The first of them, and its first point.
    first: usize,
    first_point: usize,
    pub(super) heads: &'m mut [[u32; 4]],
    pub(super) numbers: &'m mut [Quad<T>],
    pub(super) extras: &'m mut [Quad<T>],
    first_row: &'m [u32],
}

impl<T: Real> Part<'_, T> {
    /// Parts of `chunk` manifolds each, the last of what is left.
    pub(super) fn cut(self, chunk: usize) -> Vec<Self> {
        let mut parts = Vec::new();
        let mut rest = self;
        while rest.heads.len() > chunk {
            let points = rest.heads[chunk][0] as usize - rest.first_point;
            let (heads, more_heads) = rest.heads.split_at_mut(chunk);
            let numbers = FRAME_QUADS * chunk + POINT_QUADS * points;
            let (numbers, more_numbers) = rest.numbers.split_at_mut(numbers);
            let extras = (2 * points).min(rest.extras.len());
            let (extras, more_extras) = rest.extras.split_at_mut(extras);
            let (first_row, more_rows) = rest.first_row.split_at(points);
            parts.push(Self {
                first: rest.first,
                first_point: rest.first_point,
                heads,
                numbers,
                extras,
                first_row,
            });
            rest = Self {
                first: rest.first + chunk,
                first_point: rest.first_point + points,
                heads: more_heads,
                numbers: more_numbers,
                extras: more_extras,
                first_row: more_rows,
            };
        }
        parts.push(rest);
        parts
    }

    fn fill(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        plans: &[ManifoldPlan],
        counts: &Counts,
    ) {
        let sequential = counts.rule().sweep == LocalSweep::Block;
        let omega = counts.rule().omega;
        let mut at = 0;
        for (head, plan) in self.heads.iter_mut().zip(plans) {
            let blocks = plan.piece.blocks.clone();
            let touched = bodies.bodies_of(blocks.start as usize);
            let rows = blocks.clone().map(|b| problem.active_dim(b as usize)).sum();
            let factor = counts.factor(touched, rows, sequential);
            let sides = match touched {
                [b] => [0.0, factor(b)],
                [a, b, ..] => [factor(a), factor(b)],
                [] => [0.0; 2],
            };
            let factors = &sides[2 - touched.len().min(2)..];
            let frame = &mut self.numbers[at..];
            at += FRAME_QUADS + POINT_QUADS * plan.points();
            frame[0] = quad(plan.frame[0], plan.mu);
            frame[1] = quad(plan.frame[1], sides[0]);
            frame[2] = quad(plan.between, sides[1]);
            head[1] &= 0xffff;
            for (point, block) in blocks.enumerate() {
                let block = block as usize;
                let active = index(problem.active_dim(block));
                head[1] |= active << (16 + 2 * point);
                let entry = &problem.blocks()[block];
                let mut steps = [0.0; 3];
                let rows = &mut steps[..entry.dim];
                own::steps(problem, bodies, block, factors, omega, rows);
                let compliance = problem.compliance()[entry.first_row];
                let place = &mut frame[FRAME_QUADS + POINT_QUADS * point..];
                place[0] = quad(plan.arms[point], 0.0);
                place[1] = quad(steps, compliance);
            }
        }
    }

    pub(super) fn fill_bias(&mut self, problem: &Problem) {
        let mut at = 0;
        for head in &*self.heads {
            at += FRAME_QUADS;
            for point in 0..count_of(head[1]) as usize {
                let index = head[0] as usize + point - self.first_point;
                let row = (self.first_row[index] & !FIXED) as usize;
                self.numbers[at][3] = T::of(problem.bias()[row]);
                at += POINT_QUADS;
                if !self.extras.is_empty() {
                    let e = point_extras(problem, problem.block_of_row(row));
                    let limit = e.limit;
                    self.extras[2 * index] = quad([limit, e.bias[0], e.bias[1]], 0.0);
                    self.extras[2 * index + 1] = quad([0.0, e.compliance[0], e.compliance[1]], 0.0);
                }
            }
        }
    }
}
