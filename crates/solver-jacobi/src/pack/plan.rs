//! Cutting the units of a problem into pieces: manifolds, and row blocks for everything else.

use std::ops::Range;

use delassus_core::{BodyRows, Problem};
use delassus_structure::{
    Groups, Units,
    geometry::{self, Arms, cross},
};

use super::extras::needs_extras;
use super::law;
use super::threads::PackThreads;

/// Points of a manifold at most \[-\].
pub const MAX_POINTS: usize = 4;

/// How far two points of a manifold may differ in what lies between the centres of the bodies,
/// relative to it or one \[-\]. It is the same vector; positions a kilometre from the origin leave
/// rounding of 1e-13 m.
pub(super) const SAME_CENTRES: f64 = 1e-12;

/// Blocks that one thread solves.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct UnitBlocks {
    /// Its blocks, all between the same bodies.
    pub(crate) blocks: Range<u32>,
}

/// One manifold: contact points with one frame and one law.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ManifoldPlan {
    pub(crate) piece: UnitBlocks,
    /// Normal and two tangents, right-handed.
    pub(crate) frame: [[f64; 3]; 3],
    /// From the centre of the first body to that of the second \[m\].
    pub(crate) between: [f64; 3],
    /// From the centre of the second body to each point \[m\]; zero where there are fewer.
    pub(crate) arms: [[f64; 3]; MAX_POINTS],
    pub(crate) law: u32,
    pub(crate) mu: f64,
    /// True if a point has a limit, or tangents with bias or compliance.
    pub(crate) extra: bool,
}

impl ManifoldPlan {
    /// Number of points \[-\].
    pub(crate) fn points(&self) -> usize {
        self.piece.blocks.len()
    }
}

/// Memory for cutting a problem.
#[derive(Debug, Clone)]
pub(crate) struct Grouping {
    units: Units,
    groups: Groups,
}

impl Default for Grouping {
    fn default() -> Self {
        Self {
            units: Units::default(),
            groups: Groups::new(0),
        }
    }
}

/// The pieces of a problem, manifolds first.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct PiecePlan {
    pub(crate) manifolds: Vec<ManifoldPlan>,
    pub(crate) units: Vec<UnitBlocks>,
    /// True if the problem gives its points: then there are no plans, and the heads of the
    /// manifolds say all.
    pub(crate) given: bool,
}

impl PiecePlan {
    /// Cuts a problem, in the memory of the plan of another.
    pub(crate) fn cut(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        threads: PackThreads,
        Grouping { units, groups }: &mut Grouping,
    ) {
        self.clear();
        units.update(problem, groups);
        let count = groups.len();
        if count <= threads.chunk(count) {
            self.add_units(problem, bodies, units, 0..count);
            return;
        }
        // a piece never reaches over the border of a unit, so chunks of units are cut by themselves
        let chunks = threads.map(count, |chunk| {
            let mut plan = Self::default();
            plan.add_units(problem, bodies, units, chunk);
            plan
        });
        self.manifolds
            .reserve_exact(chunks.iter().map(|plan| plan.manifolds.len()).sum());
        for mut chunk in chunks {
            self.manifolds.append(&mut chunk.manifolds);
            self.units.append(&mut chunk.units);
        }
    }

    fn add_units(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        units: &Units,
        chunk: Range<usize>,
    ) {
        for unit in chunk {
            let (first_manifold, first_unit) = (self.manifolds.len(), self.units.len());
            for block in units.blocks(unit) {
                match point_of(problem, bodies, block) {
                    Some(point) => add_point(&mut self.manifolds, first_manifold, block, point),
                    None => add_block(&mut self.units, first_unit, block),
                }
            }
        }
    }

    /// Makes every block a piece.
    pub(crate) fn cut_blocks(&mut self, problem: &Problem) {
        self.clear();
        let blocks = index(problem.blocks().len());
        self.units
            .extend((0..blocks).map(|b| UnitBlocks { blocks: b..b + 1 }));
    }

    /// Takes over the friction coefficients of the manifolds.
    pub(crate) fn set_friction(&mut self, problem: &Problem) {
        for manifold in &mut self.manifolds {
            let block = manifold.piece.blocks.start as usize;
            manifold.mu = problem.blocks()[block].law.mu();
        }
    }

    /// Takes everything out.
    pub(crate) fn clear(&mut self) {
        self.manifolds.clear();
        self.units.clear();
        self.given = false;
    }

    /// All pieces, in the order of their slots.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &UnitBlocks> {
        self.manifolds.iter().map(|m| &m.piece).chain(&self.units)
    }
}

/// A recognised contact point, its arms in world axes.
struct PlannedPoint {
    frame: [[f64; 3]; 3],
    arms: Arms,
    law: u32,
    mu: f64,
    extra: bool,
}

fn add_point(manifolds: &mut Vec<ManifoldPlan>, first: usize, block: u32, point: PlannedPoint) {
    if let Some(last) = manifolds[first..].last_mut() {
        let joins = last.piece.blocks.end == block
            && last.points() < MAX_POINTS
            && last.frame == point.frame
            && last.law == point.law
            && last.mu == point.mu
            && close(last.between, point.arms.between);
        if joins {
            last.arms[last.points()] = point.arms.arm;
            last.piece.blocks.end = block + 1;
            last.extra |= point.extra;
            return;
        }
    }
    let mut arms = [[0.0; 3]; MAX_POINTS];
    arms[0] = point.arms.arm;
    manifolds.push(ManifoldPlan {
        piece: UnitBlocks {
            blocks: block..block + 1,
        },
        frame: point.frame,
        between: point.arms.between,
        arms,
        law: point.law,
        mu: point.mu,
        extra: point.extra,
    });
}

fn add_block(units: &mut Vec<UnitBlocks>, first: usize, block: u32) {
    match units[first..].last_mut() {
        Some(last) if last.blocks.end == block => last.blocks.end = block + 1,
        _ => units.push(UnitBlocks {
            blocks: block..block + 1,
        }),
    }
}

pub(super) fn close(one: [f64; 3], other: [f64; 3]) -> bool {
    let size = one[0].abs() + one[1].abs() + one[2].abs();
    (0..3).all(|axis| (one[axis] - other[axis]).abs() <= SAME_CENTRES * (1.0 + size))
}

/// The contact point that a block stands for, if the manifold kernel solves it.
fn point_of(problem: &Problem, bodies: &BodyRows, block: u32) -> Option<PlannedPoint> {
    let index = block as usize;
    let entry = &problem.blocks()[index];
    // a point has room for three numbers of compliance
    if problem.coupled_compliance().of(index).is_some() {
        return None;
    }
    let code = law::of(&entry.law);
    if !law::is_of_manifold(code) {
        return None;
    }
    geometry::pair(bodies, index)?;
    let (frame, arms) = match entry.dim {
        1 => normal_only(bodies, index)?,
        3 => {
            let frame = geometry::directions(bodies, index);
            if !geometry::is_frame(&frame) {
                return None;
            }
            let Arms { arm, between } = geometry::arms(bodies, index, &frame)?;
            let arms = Arms {
                arm: in_world(&frame, arm),
                between: in_world(&frame, between),
            };
            (frame, arms)
        }
        _ => return None,
    };
    Some(PlannedPoint {
        frame,
        arms,
        law: code,
        mu: entry.law.mu(),
        extra: needs_extras(problem, index),
    })
}

/// Coordinates in a frame, in world axes.
pub(super) fn in_world([n, t, s]: &[[f64; 3]; 3], x: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|axis| x[0] * n[axis] + x[1] * t[axis] + x[2] * s[axis])
}

/// How far a normal row may miss a unit normal and an arm, relative to the arm or one \[-\]; as in
/// `delassus_structure::geometry`.
const EXACT: f64 = 1e-10;

/// A single normal row: the shortest arm that has its angular part.
fn normal_only(bodies: &BodyRows, block: usize) -> Option<([[f64; 3]; 3], Arms)> {
    let row = bodies.row(block, 0);
    let (second, first) = match row {
        [b] => (b, None),
        [a, b] => (b, Some(a)),
        _ => return None,
    };
    let n = [second[0], second[1], second[2]];
    if (geometry::dot(n, n) - 1.0).abs() > EXACT {
        return None;
    }
    let arm = shortest_arm(n, [second[3], second[4], second[5]])?;
    let between = match first {
        None => [0.0; 3],
        Some(a) => {
            if a[0] != -n[0] || a[1] != -n[1] || a[2] != -n[2] {
                return None;
            }
            let other = shortest_arm(n, [-a[3], -a[4], -a[5]])?;
            [other[0] - arm[0], other[1] - arm[1], other[2] - arm[2]]
        }
    };
    let tangent = any_tangent(n);
    let frame = [n, tangent, cross(n, tangent)];
    Some((frame, Arms { arm, between }))
}

/// r = n × a, which has r × n = a if a ⊥ n.
fn shortest_arm(n: [f64; 3], angular: [f64; 3]) -> Option<[f64; 3]> {
    let size = angular[0].abs() + angular[1].abs() + angular[2].abs();
    (geometry::dot(n, angular).abs() <= EXACT * (1.0 + size)).then(|| cross(n, angular))
}

/// Some unit vector across n; its row has no impulse.
fn any_tangent(n: [f64; 3]) -> [f64; 3] {
    let axis = if n[0].abs() < 0.6 {
        [1.0, 0.0, 0.0]
    } else {
        [0.0, 1.0, 0.0]
    };
    let t = cross(n, axis);
    let length = geometry::dot(t, t).sqrt();
    [t[0] / length, t[1] / length, t[2] / length]
}

/// Indices fit: `Pack::new` has refused larger problems.
#[inline(always)]
pub(crate) fn index(x: usize) -> u32 {
    u32::try_from(x).unwrap_or(u32::MAX)
}
