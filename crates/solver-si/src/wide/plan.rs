//! The plan of a sweep: which block goes into which bundle of which colour and thread.

use delassus_core::{BodyRows, Friction, Law, Problem};

use super::manifold::MAX_POINTS;
use super::rows::{RowLaw, row_law};
use delassus_structure::geometry::{
    self, SAME_CENTRES, is_frame, is_isotropic, is_point_law, pair,
};
use delassus_structure::joints::{PointJoint, point_joint};
use delassus_structure::normals::{MAX_NORMALS, normal_manifold};
use delassus_structure::{Colouring, Units};

/// What a bundle holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A manifold of so many points.
    Manifold { points: usize, boxed: bool },
    /// A manifold of so many normals, without friction or with that of a patch.
    Normals { points: usize, patch: bool },
    /// A joint that holds a point, with so many rows of rotation.
    Joint { turning: usize },
    /// A block of so many rows.
    Rows { dim: usize, law: RowLaw },
    /// A block that no bundle holds.
    Loose,
}

/// One lane's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Item {
    /// `None` for the overflow.
    pub(crate) colour: Option<usize>,
    /// The thread.
    pub(crate) part: usize,
    /// Its place among the items of its unit, which are solved one after the other.
    slot: usize,
    pub(crate) kind: Kind,
    pub(crate) first_block: u32,
}

/// Items of one kind that are solved together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) colour: Option<usize>,
    pub(crate) part: usize,
    pub(crate) kind: Kind,
    pub(crate) first_blocks: Vec<u32>,
}

/// A part of a unit.
#[derive(Debug, Clone, Copy)]
struct Cut {
    kind: Kind,
    first_block: u32,
}

/// What solves the items of a colour side by side.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Width {
    /// Items of a bundle \[-\].
    pub(crate) lanes: usize,
    pub(crate) threads: usize,
}

/// The items of a problem, and where its contact points are.
#[derive(Debug, Clone, Default)]
pub(crate) struct Plan {
    items: Vec<Item>,
    next: Vec<Item>,
    /// Parts of the units, and the first of each unit.
    cuts: Vec<Cut>,
    first_cut: Vec<usize>,
    bodies: usize,
    /// What the last problem touched, by which a scene whose contacts stay is known.
    touched: Touched,
    work: Vec<f64>,
    /// Blocks that are neither manifolds nor joints: packing does not look at what they are.
    singles: Vec<Cut>,
    /// True if no manifold could take in more.
    closed: bool,
    /// True if manifolds and joints are looked for.
    points: bool,
}

/// Which bodies the blocks of a problem touch, and which of them move.
#[derive(Debug, Clone, Default)]
struct Touched {
    first_body: Vec<usize>,
    block_bodies: Vec<u32>,
    movable: Vec<bool>,
}

impl Touched {
    fn same(&self, bodies: &BodyRows) -> bool {
        let movable = bodies.mass.iter().map(|mass| !mass.is_immovable());
        self.first_body == bodies.first_body
            && self.block_bodies == bodies.block_bodies
            && self.movable.len() == bodies.len()
            && self.movable.iter().zip(movable).all(|(a, b)| *a == b)
    }

    fn set(&mut self, bodies: &BodyRows) {
        self.first_body.clone_from(&bodies.first_body);
        self.block_bodies.clone_from(&bodies.block_bodies);
        let movable = bodies.mass.iter().map(|mass| !mass.is_immovable());
        self.movable.clear();
        self.movable.extend(movable);
    }
}

impl Plan {
    /// True if the plan is that of this problem too, provided that packing finds every manifold where it was.
    ///
    /// Units and colours depend on the bodies alone. A manifold that is shorter than it could be must end its unit, and
    /// a point that is none must not occur: one more point may then have to be taken in, and only a new plan sees it.
    pub(crate) fn holds(&mut self, problem: &Problem, bodies: &BodyRows) -> bool {
        if !(self.closed && self.touched.same(bodies)) {
            return false;
        }
        let mut singles = std::mem::take(&mut self.singles);
        let holds = singles.iter().all(|cut| {
            let block = cut.first_block as usize;
            let entry = &problem.blocks()[block];
            let point = self.points && entry.dim == 3 && is_manifold_law(&entry.law);
            !point && self.other(problem, bodies, block, 1) == cut.kind
        });
        std::mem::swap(&mut singles, &mut self.singles);
        holds
    }

    /// Plans a problem; true if nothing changed since the last call.
    pub(crate) fn update(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        units: &Units,
        colouring: &Colouring,
        Width { lanes, threads }: Width,
        points: bool,
    ) -> bool {
        self.touched.set(bodies);
        self.singles.clear();
        self.closed = true;
        self.points = points;
        // in the order in which the rows lie in memory: this reads every Jacobian
        self.cuts.clear();
        self.first_cut.clear();
        for unit in 0..units.first_block.len() - 1 {
            self.first_cut.push(self.cuts.len());
            self.cut(problem, bodies, units.blocks(unit), points);
        }
        self.first_cut.push(self.cuts.len());
        self.next.clear();
        let order = colouring.order();
        let mut first = 0;
        while first < order.len() {
            let colour = colouring.colour(order[first] as usize);
            let same = |unit: &u32| colouring.colour(*unit as usize) == colour;
            let count = order[first..].iter().take_while(|unit| same(unit)).count();
            // whole bundles for every thread, as equal as they go
            let share = count.div_ceil(lanes).div_ceil(threads) * lanes;
            let start = self.next.len();
            for (index, unit) in order[first..first + count].iter().enumerate() {
                let part = if colour.is_some() { index / share } else { 0 };
                let unit = *unit as usize;
                let cuts = &self.cuts[self.first_cut[unit]..self.first_cut[unit + 1]];
                let items = cuts.iter().enumerate().map(|(slot, cut)| Item {
                    colour,
                    part,
                    slot,
                    kind: cut.kind,
                    first_block: cut.first_block,
                });
                self.next.extend(items);
            }
            if colour.is_some() {
                // units of a colour are independent, the items of a unit are not
                self.next[start..].sort_by_key(|item| (item.part, item.slot, item.kind));
            }
            first += count;
        }
        // empty lanes point to the slot after the last body
        let unchanged = self.items == self.next && self.bodies == bodies.len();
        self.bodies = bodies.len();
        std::mem::swap(&mut self.items, &mut self.next);
        unchanged
    }

    /// Items of one kind that follow each other, together.
    pub(crate) fn groups(&self) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let mut slot = 0;
        for item in &self.items {
            match groups.last_mut() {
                Some(group)
                    if (group.colour, group.part, group.kind, slot)
                        == (item.colour, item.part, item.kind, item.slot)
                        || item.colour.is_none()
                            && (group.colour, group.kind) == (None, item.kind) =>
                {
                    group.first_blocks.push(item.first_block);
                }
                _ => groups.push(Group {
                    colour: item.colour,
                    part: item.part,
                    kind: item.kind,
                    first_blocks: vec![item.first_block],
                }),
            }
            slot = item.slot;
        }
        groups
    }

    /// Cuts a unit into what bundles hold.
    fn cut(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        blocks: std::ops::Range<u32>,
        points: bool,
    ) {
        let mut block = blocks.start;
        while block < blocks.end {
            let left = (blocks.end - block) as usize;
            let run = if points {
                self.manifold(problem, bodies, block as usize, left)
            } else {
                0
            };
            let kind = if run > 0 {
                let boxed = is_boxed(&problem.blocks()[block as usize].law);
                Kind::Manifold { points: run, boxed }
            } else {
                self.other(problem, bodies, block as usize, left)
            };
            let taken = match kind {
                Kind::Manifold { points, .. }
                | Kind::Normals {
                    points,
                    patch: false,
                } => u32::try_from(points).unwrap_or(1),
                _ => 1,
            };
            let cut = Cut {
                kind,
                first_block: block,
            };
            self.cuts.push(cut);
            let last = block + taken == blocks.end;
            match kind {
                Kind::Manifold { points, .. } => self.closed &= points == MAX_POINTS || last,
                Kind::Normals { points, patch } => {
                    self.closed &= patch || points == MAX_NORMALS || last;
                }
                Kind::Joint { .. } => {}
                Kind::Rows { .. } | Kind::Loose => {
                    let entry = &problem.blocks()[block as usize];
                    self.closed &= !(points && entry.dim == 3 && is_manifold_law(&entry.law));
                    self.singles.push(cut);
                }
            }
            block += taken;
        }
    }

    /// What the block is, if it begins no manifold of points with friction; of normals it begins `most` at most.
    fn other(&mut self, problem: &Problem, bodies: &BodyRows, block: usize, most: usize) -> Kind {
        if pair(bodies, block).is_none() {
            return Kind::Loose;
        }
        if self.points
            && let Some(found) = normal_manifold(problem, bodies, block, most)
        {
            let (points, patch) = (found.points, found.patch);
            return Kind::Normals { points, patch };
        }
        let dim = problem.blocks()[block].dim;
        match row_law(problem, block, &mut self.work) {
            Some(RowLaw::Solved) if self.points => match point_joint(problem, bodies, block) {
                Some(PointJoint { turning, .. }) => Kind::Joint { turning },
                None => Kind::Rows {
                    dim,
                    law: RowLaw::Solved,
                },
            },
            Some(law) => Kind::Rows { dim, law },
            None => Kind::Loose,
        }
    }

    /// Number of blocks from `first` on that are points of one manifold.
    fn manifold(&self, problem: &Problem, bodies: &BodyRows, first: usize, left: usize) -> usize {
        let blocks = problem.blocks();
        let is_point = |block: usize| blocks[block].dim == 3 && is_manifold_law(&blocks[block].law);
        if !is_point(first) {
            return 0;
        }
        let Some(pair) = pair(bodies, first) else {
            return 0;
        };
        let frame = geometry::directions(bodies, first);
        if !is_frame(&frame) || !pair.mass.iter().all(|mass| is_isotropic(*mass)) {
            return 0;
        }
        let mut centres = [0.0; 3];
        let mut count = 0;
        while count < left.min(MAX_POINTS) {
            let block = first + count;
            let fits = is_point(block)
                && same_friction(&blocks[first].law, &blocks[block].law)
                && geometry::directions(bodies, block) == frame;
            let Some(arms) = geometry::arms(bodies, block, &frame).filter(|_| fits) else {
                break;
            };
            if count > 0 && !close(&arms.between, &centres) {
                break;
            }
            if count == 0 {
                centres = arms.between;
            }
            count += 1;
        }
        count
    }
}

/// True if tangents are bounded one by one.
fn is_boxed(law: &Law) -> bool {
    matches!(
        law,
        Law::Contact(Friction::FixedBox { .. } | Friction::Pyramid { .. } | Friction::Frictionless)
    )
}

/// True for the laws of three rows that the manifold kernel solves: without friction the tangents are in a box of zero.
#[inline]
pub(crate) fn is_manifold_law(law: &Law) -> bool {
    is_point_law(law) || *law == Law::Contact(Friction::Frictionless)
}

/// True if one μ serves both; limits in N·s are kept per point.
#[inline]
pub(crate) fn same_friction(a: &Law, b: &Law) -> bool {
    match (a, b) {
        (Law::Contact(a), Law::Contact(b)) => {
            a.mu() == b.mu() && std::mem::discriminant(a) == std::mem::discriminant(b)
        }
        _ => false,
    }
}

/// Centres of mass that differ by rounding only.
fn close(a: &[f64; 3], b: &[f64; 3]) -> bool {
    let size = 1.0 + b[0].abs() + b[1].abs() + b[2].abs();
    (0..3).all(|axis| (a[axis] - b[axis]).abs() <= SAME_CENTRES * size)
}
