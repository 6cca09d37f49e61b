//! Packing of problems that give their contact points: axes and arms are read, and no row that
//! follows from them.
//!
//! Recognising a point in its rows is most of a packing, and the rows of a problem that gives
//! points are 288 bytes per point which nothing else may need. Here a first pass cuts the blocks
//! into manifolds, and a second one computes the numbers of a manifold, its points side by side in
//! lanes. Both run in chunks on all threads. What comes out has the bits of `plan` and `own`, which
//! read rows, operation by operation.

use std::ops::Range;

use delassus_core::{BodyRows, ContactArms, Friction, Law, MassProperties, Problem};
use delassus_structure::geometry::{self, FIXED, cross};

use super::extras::needs_extras;
use super::manifolds::{EXTRA, FRAME_QUADS, Manifolds, POINT_QUADS, Part, count_of, law_of};
use super::own::{inverse, largest_eigenvalue_bound};
use super::plan::{MAX_POINTS, SAME_CENTRES, close, in_world, index};
use super::threads::PackThreads;
use super::{fit, law};
use crate::real::{Real, quad};
use crate::rule::{Counts, LocalSweep};

/// Blocks between the same bodies after which a new unit begins, as in
/// [`delassus_structure::Units`] \[-\].
const UNIT: usize = 64;

/// One number per point of a manifold.
type Lanes = [f64; MAX_POINTS];

/// Three numbers per point of a manifold.
type Lanes3 = [Lanes; 3];

/// Normal and tangents.
type Axes = [[f64; 3]; 3];

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
    let own = friction(problem, first)?;
    let point = bodies.jacobian.point(first)?;
    let axes: Axes = point.axes.map(Into::into);
    if !geometry::is_frame(&axes) {
        return None;
    }
    let (code, mu) = (law::of_friction(own), own.mu());
    let joins = |block: usize| {
        let same = |other: &Friction| law::of_friction(other) == code && other.mu() == mu;
        friction(problem, block).is_some_and(same)
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

/// The friction of a block that the manifold kernel solves.
fn friction(problem: &Problem, block: usize) -> Option<&Friction> {
    match &problem.blocks()[block].law {
        Law::Contact(Friction::Facets { .. }) => None,
        Law::Contact(friction) => Some(friction),
        _ => None,
    }
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
            let (Some(given), Some(law)) = (
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
            frame[0] = quad(n, law.mu());
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

/// Numbers of the rows of a manifold, per point.
struct RowNumbers {
    /// Of the normals.
    bias: Lanes,
    compliance: Lanes3,
}

impl RowNumbers {
    #[inline(always)]
    fn of(problem: &Problem, first_row: usize, count: usize) -> Self {
        let mut numbers = Self {
            bias: [0.0; MAX_POINTS],
            compliance: [[0.0; MAX_POINTS]; 3],
        };
        let rows = first_row..first_row + 3 * count;
        let bias = problem.bias()[rows.clone()].as_chunks::<3>().0;
        for (to, from) in numbers.bias.iter_mut().zip(bias) {
            *to = from[0];
        }
        if !problem.is_rigid() {
            let compliance = problem.compliance()[rows].as_chunks::<3>().0;
            for (lane, from) in compliance.iter().enumerate().take(MAX_POINTS) {
                for row in 0..3 {
                    numbers.compliance[row][lane] = from[row];
                }
            }
        }
        numbers
    }
}

/// The points of a manifold side by side.
struct PointLanes {
    axes: Axes,
    /// r × d of both bodies and the three axes d: the angular parts of the rows.
    turning: [[Lanes3; 3]; 2],
}

impl PointLanes {
    #[inline(always)]
    fn new(axes: Axes, given: &[ContactArms]) -> Self {
        let mut arms = [[[0.0; MAX_POINTS]; 3]; 2];
        for (lane, given) in given.iter().enumerate().take(MAX_POINTS) {
            for side in 0..2 {
                for axis in 0..3 {
                    arms[side][axis][lane] = given[side][axis];
                }
            }
        }
        let mut turning = [[[[0.0; MAX_POINTS]; 3]; 3]; 2];
        for side in 0..2 {
            let [x, y, z] = &arms[side];
            for (axis, d) in axes.iter().enumerate() {
                let to = &mut turning[side][axis];
                for lane in 0..MAX_POINTS {
                    to[0][lane] = y[lane] * d[2] - z[lane] * d[1];
                    to[1][lane] = z[lane] * d[0] - x[lane] * d[2];
                    to[2][lane] = x[lane] * d[1] - y[lane] * d[0];
                }
            }
        }
        Self { axes, turning }
    }

    /// The arms of one body in the axes.
    #[inline(always)]
    fn in_axes(&self, side: usize) -> Lanes3 {
        let [_, t, s] = &self.axes;
        let [on_n, on_t, _] = &self.turning[side];
        let dot = |lanes: &Lanes3, d: &[f64; 3], lane: usize| {
            lanes[0][lane] * d[0] + lanes[1][lane] * d[1] + lanes[2][lane] * d[2]
        };
        let mut arms = [[0.0; MAX_POINTS]; 3];
        for lane in 0..MAX_POINTS {
            arms[0][lane] = dot(on_t, s, lane);
            arms[1][lane] = -dot(on_n, s, lane);
            arms[2][lane] = dot(on_n, t, lane);
        }
        arms
    }

    /// From the centre of the second body to each point, world axes \[m\].
    #[inline(always)]
    fn arms(&self) -> Lanes3 {
        let ([n, t, s], x) = (&self.axes, self.in_axes(1));
        let mut arms = [[0.0; MAX_POINTS]; 3];
        for axis in 0..3 {
            for lane in 0..MAX_POINTS {
                arms[axis][lane] =
                    x[0][lane] * n[axis] + x[1][lane] * t[axis] + x[2][lane] * s[axis];
            }
        }
        arms
    }

    /// From the centre of the first body to that of the second, as the first point has it \[m\].
    #[inline(always)]
    fn between(&self) -> [f64; 3] {
        let [a, b] = [self.in_axes(0), self.in_axes(1)];
        in_world(&self.axes, [0, 1, 2].map(|axis| a[axis][0] - b[axis][0]))
    }

    /// Steps of the rows \[kg\], as [`super::own::steps`] computes them.
    #[inline(always)]
    fn steps(
        &self,
        law: u32,
        masses: [&MassProperties; 2],
        factors: [f64; 2],
        numbers: &RowNumbers,
        omega: f64,
    ) -> Lanes3 {
        let moved = [self.moved(0, masses[0]), self.moved(1, masses[1])];
        let entry = |i: usize, j: usize| {
            let mut entry = [0.0; MAX_POINTS];
            for side in 0..2 {
                let linear = self.linear(i, j, masses[side]);
                let (on, to) = (&self.turning[side][i], &moved[side][j]);
                for lane in 0..MAX_POINTS {
                    let mut share = linear;
                    for axis in 0..3 {
                        share += on[axis][lane] * to[axis][lane];
                    }
                    entry[lane] += factors[side] * share;
                }
            }
            entry
        };
        let diagonal = |row: usize| {
            let mut entry = entry(row, row);
            for lane in 0..MAX_POINTS {
                entry[lane] += numbers.compliance[row][lane] / omega;
            }
            entry
        };
        let own = [diagonal(0), diagonal(1), diagonal(2)];
        let mut steps = [[0.0; MAX_POINTS]; 3];
        let coupled = match law {
            law::DISC => 1,
            law::CONE => 0,
            _ => 3,
        };
        for row in 0..coupled {
            steps[row] = own[row].map(inverse);
        }
        if coupled < 3 {
            let ts = entry(1, 2);
            let [nt, ns] = match coupled {
                0 => [entry(0, 1), entry(0, 2)],
                _ => [[0.0; MAX_POINTS]; 2],
            };
            for lane in 0..MAX_POINTS {
                let [n, t, s] = own.map(|row| row[lane]);
                let [nt, ns, ts] = [nt[lane], ns[lane], ts[lane]];
                let bound = match coupled {
                    0 => largest_eigenvalue_bound(&[[n, nt, ns], [nt, t, ts], [ns, ts, s]], 3),
                    _ => largest_eigenvalue_bound(&[[t, ts, 0.0], [ts, s, 0.0], [0.0; 3]], 2),
                };
                for row in coupled..3 {
                    steps[row][lane] = inverse(bound);
                }
            }
        }
        steps
    }

    /// What the angular parts of the three rows do to one body.
    #[inline(always)]
    fn moved(&self, side: usize, mass: &MassProperties) -> [Lanes3; 3] {
        let mut moved = [[[0.0; MAX_POINTS]; 3]; 3];
        let inertia = &mass.inverse_inertia;
        for (to, [x, y, z]) in moved.iter_mut().zip(&self.turning[side]) {
            for axis in 0..3 {
                let [a, b, c] = [0, 1, 2].map(|column| inertia[(axis, column)]);
                for lane in 0..MAX_POINTS {
                    to[axis][lane] = a * x[lane] + b * y[lane] + c * z[lane];
                }
            }
        }
        moved
    }

    /// The share of the linear parts of two rows, which all points have.
    #[inline(always)]
    fn linear(&self, i: usize, j: usize, mass: &MassProperties) -> f64 {
        let ([a, b], m) = ([&self.axes[i], &self.axes[j]], &mass.inverse_mass);
        a[0] * (m.x * b[0]) + a[1] * (m.y * b[1]) + a[2] * (m.z * b[2])
    }
}
