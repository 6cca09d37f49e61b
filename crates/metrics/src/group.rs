//! K as a product of groups: the rows that one scalar step ρ belongs to.

use std::ops::Range;

use delassus_core::norm::SquareSum;
use delassus_core::{AdmissibleSet, Block, Factor, Problem, Radius, SetShape};

use crate::scale::{group_scale, largest_value};
use crate::set::{FactorSet, Parts, dot, length};

/// Groups slower than this share of the fastest are judged relative to it \[-\]: next to a fast
/// body their velocity may be rounding.
const QUIET: f64 = 1e-3;

/// Rows that are judged together: a factor of K, one row of it where it bounds every row by itself,
/// or a normal row with the tangents that follow it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Group<'p> {
    /// The block that the rows belong to.
    pub(crate) block: usize,
    /// The rows, at most six.
    pub(crate) rows: Range<usize>,
    /// L \[1/kg | 1/(kg·m²)\], positive (M.2).
    pub(crate) scale: f64,
    /// √L.
    pub(crate) root_scale: f64,
    /// 1/L \[kg | kg·m²\].
    pub(crate) step: f64,
    /// Those of its normal row and of its tangents by themselves; `None` if it is no contact with
    /// friction rows.
    pub(crate) parts: Option<Parts>,
    /// First row of the block.
    first: usize,
    /// True if the first row is a normal row, before those of the factor.
    pushes: bool,
    factor: Factor<'p>,
}

impl<'p> Group<'p> {
    /// K at these impulses (P.16).
    #[inline]
    pub(crate) fn set(&self, impulses: &[f64]) -> FactorSet<'p> {
        FactorSet {
            pushes: self.pushes,
            bounds: self.factor.set_at(&impulses[self.first..]),
        }
    }

    /// The set of the disc form (M.39): Coulomb's cone is λ_n ≥ 0 and a disc.
    pub(crate) fn disc_set(&self, impulses: &[f64]) -> FactorSet<'p> {
        if !self.factor.de_saxce {
            return self.set(impulses);
        }
        let friction = self.factor.friction_of_cone();
        FactorSet {
            pushes: true,
            bounds: friction.set_at(&impulses[self.first..]),
        }
    }

    /// μ of the De Saxcé term (P.6), zero for every law but F5.
    pub(crate) fn de_saxce(&self) -> f64 {
        if self.factor.de_saxce { self.mu() } else { 0.0 }
    }

    /// μ of a contact \[-\]; zero where friction does not follow the normal impulse.
    pub(crate) fn mu(&self) -> f64 {
        match (self.factor.shape, self.factor.radius) {
            (SetShape::Cone, Radius::Fixed(mu)) => mu,
            _ => self.factor.slope(0),
        }
    }

    /// True for a contact with friction rows: a normal row, then its tangents.
    #[inline]
    pub(crate) fn is_contact(&self) -> bool {
        self.pushes || self.factor.shape == SetShape::Cone
    }

    /// True if the first row is a normal row.
    pub(crate) fn has_normal(&self) -> bool {
        self.is_contact() || self.factor == Factor::normals(self.factor.rows())
    }

    /// True if the group has rows of friction.
    pub(crate) fn has_friction(&self) -> bool {
        self.factor.has_friction()
    }

    /// The set, if it is the same for every λ and the law has no De Saxcé term: what makes a
    /// problem convex.
    pub(crate) fn convex_set(&self) -> Option<FactorSet<'p>> {
        let bounds: Option<AdmissibleSet<'p>> = self.factor.fixed_set();
        bounds
            .filter(|_| !self.factor.de_saxce)
            .map(|bounds| FactorSet {
                pushes: self.pushes,
                bounds,
            })
    }
}

/// Which rows a partition covers, and what its scales are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The rows that are solved for; L of A + R.
    Solved,
    /// Every row; L of A alone: the norm of constraint velocities.
    Motion,
}

/// L of a group and what its rows have by themselves.
pub(crate) type Scales = (f64, Option<Parts>);

/// The list of groups, and what making it needs.
#[derive(Debug, Clone, Default)]
pub(crate) struct GroupMemory<'p> {
    pub(crate) list: Vec<Group<'p>>,
    /// Those of the list, also when it is emptied.
    pub(crate) scales: Vec<Scales>,
    diagonal_block: Vec<f64>,
}

impl GroupMemory<'_> {
    /// The same memory with an empty list, for groups of another problem.
    pub(crate) fn emptied<'q>(mut self) -> GroupMemory<'q> {
        self.list.clear();
        GroupMemory {
            // of nothing, in place: the list keeps its capacity
            list: self.list.into_iter().map_while(|_| None).collect(),
            scales: self.scales,
            diagonal_block: self.diagonal_block,
        }
    }
}

/// The groups of K, in row order. `row_scales` are d_i of the same scope (M.2); without them the
/// memory is that of groups of the same problem, whose scales are taken.
pub(crate) fn groups<'p>(
    problem: &'p Problem,
    row_scales: Option<&[f64]>,
    scope: Scope,
    memory: GroupMemory<'p>,
) -> GroupMemory<'p> {
    let mut builder = Builder {
        problem,
        bound: row_scales.map_or(0.0, |_| largest_value(problem)),
        row_scales,
        scope,
        diagonal_block: memory.diagonal_block,
        scales: memory.scales,
        out: memory.list,
    };
    builder.out.clear();
    let groups = count(problem, scope);
    if row_scales.is_some() {
        builder.scales.clear();
        builder.scales.reserve(groups);
    }
    builder.out.reserve(groups);
    for (index, block) in problem.blocks().iter().enumerate() {
        builder.block(index, block);
    }
    GroupMemory {
        list: builder.out,
        scales: builder.scales,
        diagonal_block: builder.diagonal_block,
    }
}

/// Number of the groups of K \[-\].
pub(crate) fn count(problem: &Problem, scope: Scope) -> usize {
    let mut groups = 0;
    for (index, block) in problem.blocks().iter().enumerate() {
        for_each_group(block, active(problem, scope, index), |_| groups += 1);
    }
    groups
}

/// Rows of a block that a partition covers \[-\].
fn active(problem: &Problem, scope: Scope, index: usize) -> usize {
    match scope {
        Scope::Solved => problem.active_dim(index),
        Scope::Motion => problem.blocks()[index].dim,
    }
}

/// Calls `take` with the factor of each group of the first `active` rows of a block: one for the
/// rows that are projected together, or for each of them. A normal row that comes before its
/// tangents is judged with them.
fn for_each_group<'p>(block: &'p Block, active: usize, mut take: impl FnMut(Factor<'p>)) {
    if active == 0 {
        return;
    }
    let mut put = |factor: Factor<'p>| {
        if factor.with_normal || !matches!(factor.shape, SetShape::Interval { .. }) {
            return take(factor);
        }
        (0..factor.len).for_each(|row| take(factor.row(row)));
    };
    // a normal row waits for tangents that are judged with it
    let mut waiting = None;
    block.law.for_each_factor(active, |factor| {
        let before = waiting.replace(factor).filter(|_| !factor.with_normal);
        before.into_iter().for_each(&mut put);
    });
    waiting.into_iter().for_each(put);
}

struct Builder<'p, 's> {
    problem: &'p Problem,
    row_scales: Option<&'s [f64]>,
    /// Largest entry of the matrix, where scales are made of it.
    bound: f64,
    scope: Scope,
    diagonal_block: Vec<f64>,
    scales: Vec<Scales>,
    out: Vec<Group<'p>>,
}

impl<'p> Builder<'p, '_> {
    fn block(&mut self, index: usize, block: &'p Block) {
        let active = active(self.problem, self.scope, index);
        for_each_group(block, active, |factor| self.push_group(index, factor));
    }

    fn push_group(&mut self, index: usize, factor: Factor<'p>) {
        let block = &self.problem.blocks()[index];
        let pushes = factor.with_normal;
        let local = factor.first - usize::from(pushes)..factor.rows().end;
        let is_contact = pushes || factor.shape == SetShape::Cone;
        if let Some(row_scales) = self.row_scales {
            let scales = self.scales(row_scales, index, local.clone(), is_contact);
            self.scales.push(scales);
        }
        let (scale, parts) = self.scales[self.out.len()];
        self.out.push(Group {
            block: index,
            rows: block.first_row + local.start..block.first_row + local.end,
            scale,
            root_scale: scale.sqrt(),
            step: 1.0 / scale,
            parts,
            first: block.first_row,
            pushes,
            factor,
        });
    }

    /// L of local rows of a block, and what they have by themselves (M.2, M.39).
    fn scales(
        &mut self,
        row_scales: &[f64],
        index: usize,
        local: Range<usize>,
        is_contact: bool,
    ) -> Scales {
        let block = &self.problem.blocks()[index];
        let row = block.first_row + local.start;
        if local.len() == 1 {
            return (row_scales[row], None);
        }
        self.diagonal_block.resize(block.dim * block.dim, 0.0);
        self.problem.diagonal_block(index, &mut self.diagonal_block);
        if self.scope == Scope::Solved {
            self.problem.add_compliance(index, &mut self.diagonal_block);
        }
        let a = self.diagonal_block.as_slice();
        let of = |rows| group_scale(self.problem, index, a, rows, self.bound);
        let parts = is_contact.then(|| Parts {
            normal: row_scales[row].sqrt(),
            tangent: of(local.start + 1..local.end).sqrt(),
        });
        (of(local), parts)
    }
}

/// u_g, one per group, positive \[m/s | rad/s\]: the velocities that a group has to do with
/// (M.25). In the memory of `own`.
pub(crate) fn own_velocities(
    problem: &Problem,
    groups: &[Group<'_>],
    mut own: Vec<f64>,
) -> Vec<f64> {
    let blocks = problem.blocks();
    let seen = |group: &Group<'_>| {
        let free = length(&problem.b()[group.rows.clone()]);
        let Some(bodies) = problem.bodies() else {
            return free;
        };
        let first = blocks[group.block].first_row;
        let locals = group.rows.start - first..group.rows.end - first;
        let of_body = |side: usize, body: u32| {
            let v = &bodies.free_velocity[6 * body as usize..];
            let rows = locals
                .clone()
                .map(|local| dot(&bodies.row(group.block, local)[side], v));
            let mut squares = SquareSum::default();
            rows.for_each(|x| squares.add(x));
            squares.root()
        };
        let sides = (0..).zip(bodies.bodies_of(group.block));
        sides.fold(free, |most, (side, body)| most.max(of_body(side, *body)))
    };
    own.clear();
    own.extend(groups.iter().map(seen));
    let largest = own.iter().copied().fold(0.0, f64::max);
    let least = match (problem.bodies(), problem.step()) {
        (None, _) => largest,
        (Some(_), None) => QUIET * largest,
        (Some(_), Some(step)) => (step.gravity * step.dt).abs().max(QUIET * largest),
    };
    for velocity in &mut own {
        *velocity = velocity.max(least);
        if *velocity < f64::MIN_POSITIVE {
            // nothing moves: any velocity is wrong, in m/s
            *velocity = 1.0;
        }
    }
    own
}
