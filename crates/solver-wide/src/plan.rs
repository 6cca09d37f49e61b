//! The plan of a sweep: which block goes into which bundle of which colour and thread.

use delassus_core::{BodyRows, Problem};
use delassus_structure::{Colouring, Units};

use super::batch::{BundleMatch, BundleShape, Candidate};
use super::kinds::KINDS;
use super::manifolds::may_be_point;

/// One lane's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Item {
    /// `None` for the overflow.
    pub(crate) colour: Option<usize>,
    /// The thread.
    pub(crate) part: usize,
    /// Its place among the items of its unit, which are solved one after the other.
    slot: usize,
    pub(crate) shape: BundleShape,
    pub(crate) first_block: u32,
}

/// Items of one kind that are solved together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) colour: Option<usize>,
    pub(crate) part: usize,
    pub(crate) shape: BundleShape,
    pub(crate) first_blocks: Vec<u32>,
}

/// How units are to be spread.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnitSpread<'a> {
    pub(crate) units: &'a Units,
    pub(crate) colouring: &'a Colouring,
    pub(crate) lanes: usize,
    pub(crate) threads: usize,
    /// True if bundles may keep arms in the place of rows.
    pub(crate) arms: bool,
    /// False if rows that look like those of a manifold are taken for it, and packing finds out
    /// whether they are.
    pub(crate) thorough: bool,
}

/// A part of a unit.
#[derive(Debug, Clone, Copy)]
struct Cut {
    shape: BundleShape,
    first_block: u32,
}

/// The items of a problem, and where its contact points are.
#[derive(Debug, Clone, Default)]
pub(crate) struct ItemPlan {
    items: Vec<Item>,
    next: Vec<Item>,
    /// Parts of the units, and the first of each unit.
    cuts: Vec<Cut>,
    first_cut: Vec<usize>,
    bodies: usize,
    /// What the last problem touched, by which a scene whose contacts stay is known.
    touched: Touched,
    work: Vec<f64>,
    /// Memory for the bundles of the bodies.
    last: Vec<u64>,
    /// Blocks of which packing does not look at what they are.
    singles: Vec<Cut>,
    /// True if no manifold could take in more.
    closed: bool,
    /// True if bundles may keep arms.
    arms: bool,
}

/// Which bodies the blocks of a problem touch, and which of them move.
#[derive(Debug, Clone, Default)]
struct Touched {
    first_body: Vec<usize>,
    block_bodies: Vec<u32>,
    movable: Vec<bool>,
}

/// Where items of one thread stand in a sweep.
struct Filling {
    lanes: usize,
    /// Per body: place of the last bundle that touches it, 0 before the first.
    last: Vec<u64>,
    /// The last group of every shape.
    open: Vec<(BundleShape, usize)>,
}

impl Filling {
    /// The place in the sweep of the bundle that the next item of a group goes into.
    fn place(&self, groups: &[Group], index: usize) -> u64 {
        let bundle = groups[index].first_blocks.len() / self.lanes;
        (index as u64 + 1) << 32 | bundle as u64
    }

    /// A group whose last bundle has room, and comes after all that touches these bodies.
    fn earlier(
        &self,
        groups: &[Group],
        shape: BundleShape,
        mut bodies: impl Iterator<Item = usize>,
    ) -> Option<usize> {
        let (_, index) = *self.open.iter().find(|(open, _)| *open == shape)?;
        let room = !groups[index].first_blocks.len().is_multiple_of(self.lanes);
        let place = self.place(groups, index);
        (room && bodies.all(|body| self.last[body] < place)).then_some(index)
    }

    /// Notes that the next item of a group touches these bodies.
    fn note(&mut self, groups: &[Group], index: usize, bodies: impl Iterator<Item = usize>) {
        let place = self.place(groups, index);
        for body in bodies {
            self.last[body] = place;
        }
        let shape = groups[index].shape;
        match self.open.iter_mut().find(|(open, _)| *open == shape) {
            Some((_, last)) => *last = index,
            None => self.open.push((shape, index)),
        }
    }
}

impl Touched {
    /// The bodies of a block that impulses move.
    fn of(&self, block: u32) -> impl Iterator<Item = usize> + Clone {
        let block = block as usize;
        let bodies = &self.block_bodies[self.first_body[block]..self.first_body[block + 1]];
        let movable = |body: &usize| self.movable[*body];
        bodies.iter().map(|body| *body as usize).filter(movable)
    }

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

impl ItemPlan {
    /// True if the plan is that of this problem too, provided that packing finds every manifold
    /// where it was.
    ///
    /// Units and colours depend on the bodies alone. A manifold that is shorter than it could be
    /// must end its unit, and a point that is none must not occur: one more point may then have to
    /// be taken in, and only a new plan sees it.
    pub(crate) fn holds(&mut self, problem: &Problem, bodies: &BodyRows) -> bool {
        if !(self.closed && self.touched.same(bodies)) {
            return false;
        }
        let mut singles = std::mem::take(&mut self.singles);
        let holds = singles.iter().all(|cut| {
            let block = cut.first_block as usize;
            let candidate = Candidate {
                problem,
                bodies,
                block,
                left: 1,
                thorough: true,
            };
            let point = self.arms && may_be_point(problem, block);
            !point && self.find(&candidate).0 == cut.shape
        });
        std::mem::swap(&mut singles, &mut self.singles);
        holds
    }

    /// Plans a problem; true if nothing changed since the last call.
    pub(crate) fn update(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        spread: &UnitSpread<'_>,
    ) -> bool {
        let units = spread.units;
        self.touched.set(bodies);
        self.singles.clear();
        self.closed = true;
        self.arms = spread.arms;
        // in the order in which the rows lie in memory: this reads every Jacobian
        self.cuts.clear();
        self.first_cut.clear();
        for unit in 0..units.first_block.len() - 1 {
            self.first_cut.push(self.cuts.len());
            self.cut(problem, bodies, units.blocks(unit), spread.thorough);
        }
        self.first_cut.push(self.cuts.len());
        self.order(spread.colouring, spread.lanes, spread.threads);
        // empty lanes point to the slot after the last body
        let unchanged = self.items == self.next && self.bodies == bodies.len();
        self.bodies = bodies.len();
        std::mem::swap(&mut self.items, &mut self.next);
        unchanged
    }

    /// The next items, colour after colour.
    fn order(&mut self, colouring: &Colouring, lanes: usize, threads: usize) {
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
                    shape: cut.shape,
                    first_block: cut.first_block,
                });
                self.next.extend(items);
            }
            if colour.is_some() {
                // units of a colour are independent, the items of a unit are not
                self.next[start..].sort_by_key(|item| (item.part, item.slot, item.shape));
            }
            first += count;
        }
    }

    /// Items of one kind that follow each other, together, in bundles of so many lanes.
    ///
    /// One thread solves bundle after bundle, and what is not full at the end of a colour takes in
    /// items of later ones, where everything on their bodies that comes before them has been solved
    /// by then: the sweep is the same, in fewer bundles.
    pub(crate) fn groups(&mut self, lanes: usize, threads: usize) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let mut filling = Filling {
            lanes,
            last: std::mem::take(&mut self.last),
            open: Vec::new(),
        };
        filling.last.clear();
        filling.last.resize(self.bodies, 0);
        let mut slot = 0;
        for item in &self.items {
            let bodies = self.touched.of(item.first_block);
            let earlier = (threads == 1 && item.colour.is_some())
                .then(|| filling.earlier(&groups, item.shape, bodies.clone()))
                .flatten();
            let index = earlier.unwrap_or_else(|| {
                let continues = groups.last().is_some_and(|group| {
                    (group.colour, group.part, group.shape, slot)
                        == (item.colour, item.part, item.shape, item.slot)
                        || item.colour.is_none()
                            && (group.colour, group.shape) == (None, item.shape)
                });
                if !continues {
                    groups.push(Group {
                        colour: item.colour,
                        part: item.part,
                        shape: item.shape,
                        first_blocks: Vec::new(),
                    });
                }
                slot = item.slot;
                groups.len() - 1
            });
            filling.note(&groups, index, bodies);
            groups[index].first_blocks.push(item.first_block);
        }
        self.last = filling.last;
        groups
    }

    /// Cuts a unit into what bundles hold.
    fn cut(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        blocks: std::ops::Range<u32>,
        thorough: bool,
    ) {
        let mut block = blocks.start;
        while block < blocks.end {
            let candidate = Candidate {
                problem,
                bodies,
                block: block as usize,
                left: (blocks.end - block) as usize,
                thorough,
            };
            let (shape, found) = self.find(&candidate);
            let cut = Cut {
                shape,
                first_block: block,
            };
            self.cuts.push(cut);
            // at most as many as are left
            block += u32::try_from(found.blocks).unwrap_or(1);
            if KINDS[shape.kind].packing_finds {
                self.closed &= found.full || block == blocks.end;
            } else {
                self.closed &= !(self.arms && may_be_point(problem, candidate.block));
                self.singles.push(cut);
            }
        }
    }

    /// What begins with a block: the first kind that takes it.
    fn find(&mut self, candidate: &Candidate<'_>) -> (BundleShape, BundleMatch) {
        let work = &mut self.work;
        let mut kinds = KINDS.iter().enumerate();
        let found = kinds.find_map(|(kind, entry)| {
            let found =
                (self.arms || !entry.keeps_arms).then(|| (entry.find)(candidate, work))??;
            Some((kind, found))
        });
        let (kind, found) = found.unwrap_or((KINDS.len() - 1, BundleMatch::ALONE));
        let BundleMatch { size, variant, .. } = found;
        let shape = BundleShape {
            kind,
            size,
            variant,
        };
        (shape, found)
    }
}
