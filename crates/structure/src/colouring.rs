//! Greedy colouring: which groups of blocks may be solved at the same time.
//!
//! Two groups that touch a common body never have the same colour, so that the groups of one colour
//! can be solved in any order, side by side in lanes or threads, with the same result (W.1). Bodies
//! that no impulse moves are not passed in and never conflict. Every group gets the first colour
//! that its bodies leave free, in the order of the problem \[Welsh1967\]; a group that finds none
//! of the allowed colours overflows and is solved alone.
//!
//! First-fit in a fixed order depends on the groups before only. An update therefore keeps the
//! colours of the longest common beginning and colours the rest: a resting scene recolours nothing,
//! and a solver that has coloured something else before still gives the bits of a fresh one.
//!
//! Cost: one pass over the groups, one 64-bit mask per body. Limitations: first-fit may use up to
//! twice the least number of colours; a change near the beginning recolours everything after it.
//! Theory: docs/theory/14-wide.md. Source: \[Welsh1967\], \[Harada2011\].

use delassus_core::Parameters;

/// Most colours that a colouring may use \[-\]: one bit each in the mask of a body.
pub const MAX_COLOURS: usize = 64;

/// Size of a colouring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct Colours {
    /// Most colours. Units that find none are solved one by one after the colours.
    #[parameter(default = MAX_COLOURS, unit = "-", range = "[1, 64]")]
    pub colours: usize,
}

/// The colour of groups that found none.
const OVERFLOW: u8 = u8::MAX;

/// Colours of the groups of a problem, kept from one problem to the next.
#[derive(Debug, Clone)]
pub struct Colouring {
    limit: usize,
    groups: Groups,
    colours: Vec<u8>,
    masks: Vec<u64>,
    counts: ColouringCounts,
}

/// What a colouring did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ColouringCounts {
    /// Groups in all \[-\].
    pub groups: usize,
    /// Colours in use, the overflow not counted \[-\].
    pub colours: usize,
    /// Groups that are solved one by one after the colours \[-\].
    pub overflow: usize,
    /// Groups that the last update coloured anew \[-\].
    pub recoloured: usize,
}

/// What each group touches: lists of nodes, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Groups {
    nodes: usize,
    /// Offsets into `touched`, one per group and one past the end.
    first: Vec<u32>,
    touched: Vec<u32>,
}

impl Groups {
    /// No group yet; nodes are numbered below `nodes`.
    pub fn new(nodes: usize) -> Self {
        Self {
            nodes,
            first: vec![0],
            touched: Vec::new(),
        }
    }

    /// Takes all groups out; nodes are numbered below `nodes`.
    pub fn clear(&mut self, nodes: usize) {
        self.nodes = nodes;
        self.first.truncate(1);
        self.touched.clear();
    }

    /// Adds a group that touches `nodes`. Nodes out of range are ignored.
    pub fn push(&mut self, nodes: impl IntoIterator<Item = u32>) {
        let known = self.nodes;
        let inside = |node: &u32| (*node as usize) < known;
        self.touched.extend(nodes.into_iter().filter(inside));
        // fewer than 2³² entries, as the block lists of a problem
        let end = u32::try_from(self.touched.len()).unwrap_or(u32::MAX);
        self.first.push(end);
    }

    /// Number of groups \[-\].
    pub fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// True if there is no group.
    pub fn is_empty(&self) -> bool {
        self.first.len() == 1
    }

    /// The nodes that group `group` touches, as their indices.
    pub fn touched(&self, group: usize) -> &[u32] {
        &self.touched[self.first[group] as usize..self.first[group + 1] as usize]
    }

    /// Number of leading groups that are equal in both.
    fn common(&self, other: &Self) -> usize {
        if self.nodes != other.nodes {
            return 0;
        }
        let shared = self.len().min(other.len());
        let differs = |group: &usize| self.touched(*group) != other.touched(*group);
        (0..shared).find(differs).unwrap_or(shared)
    }
}

impl Colouring {
    /// Nothing coloured yet; at most `limit` colours, no more than [`MAX_COLOURS`].
    pub fn new(limit: usize) -> Self {
        Self {
            limit: limit.min(MAX_COLOURS),
            groups: Groups::new(0),
            colours: Vec::new(),
            masks: Vec::new(),
            counts: ColouringCounts::default(),
        }
    }

    /// Colours `groups`; the longest beginning that they share with the groups of the last call
    /// keeps its colours.
    pub fn update(&mut self, mut groups: Groups) {
        self.update_in(&mut groups);
    }

    /// As [`Self::update`]; `groups` holds others afterwards, which are not needed any more.
    pub fn update_in(&mut self, groups: &mut Groups) {
        let kept = self.groups.common(groups);
        self.counts.recoloured = groups.len() - kept;
        if self.counts.recoloured == 0 && groups.len() == self.groups.len() {
            return;
        }
        self.colours.truncate(kept);
        self.masks.clear();
        self.masks.resize(groups.nodes, 0);
        for group in 0..groups.len() {
            let touched = groups.touched(group);
            let colour = match self.colours.get(group) {
                Some(colour) => *colour,
                None => {
                    let colour = self.first_free(touched);
                    self.colours.push(colour);
                    colour
                }
            };
            if colour != OVERFLOW {
                for node in touched {
                    self.masks[*node as usize] |= 1 << colour;
                }
            }
        }
        let used = self.colours.iter().filter(|c| **c != OVERFLOW);
        self.counts.colours = used.map(|c| usize::from(*c) + 1).max().unwrap_or(0);
        self.counts.groups = groups.len();
        self.counts.overflow = self.colours.iter().filter(|c| **c == OVERFLOW).count();
        std::mem::swap(&mut self.groups, groups);
    }

    /// The same groups as in the last update, known without looking.
    pub fn repeat(&mut self) {
        self.counts.recoloured = 0;
    }

    /// The first colour that no earlier group on these nodes has.
    fn first_free(&self, touched: &[u32]) -> u8 {
        let taken = touched
            .iter()
            .fold(0, |mask, node| mask | self.masks[*node as usize]);
        let free = (!taken).trailing_zeros();
        match u8::try_from(free) {
            Ok(colour) if (free as usize) < self.limit => colour,
            _ => OVERFLOW,
        }
    }

    /// The colour of a group; `None` if it is solved alone.
    pub fn colour(&self, group: usize) -> Option<usize> {
        let colour = self.colours[group];
        (colour != OVERFLOW).then_some(usize::from(colour))
    }

    /// The groups that were coloured.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// What the last update did.
    pub fn counts(&self) -> ColouringCounts {
        self.counts
    }

    /// The groups in the order of a sweep: colour by colour, the overflow last; within each in the
    /// problem's order.
    pub fn order(&self) -> Vec<u32> {
        let mut order = Vec::new();
        self.order_in(&mut order);
        order
    }

    /// As [`Self::order`], in the memory of another one.
    pub fn order_in(&self, order: &mut Vec<u32>) {
        // where the next group of each colour goes; the overflow comes after all colours
        let mut next = [0; MAX_COLOURS + 2];
        let place = |colour: &u8| usize::from(*colour).min(MAX_COLOURS);
        for colour in &self.colours {
            next[place(colour) + 1] += 1;
        }
        for colour in 0..MAX_COLOURS {
            next[colour + 1] += next[colour];
        }
        order.clear();
        order.resize(self.colours.len(), 0);
        for (group, colour) in (0u32..).zip(&self.colours) {
            let at = &mut next[place(colour)];
            order[*at] = group;
            *at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Random groups of at most three of `nodes` nodes.
    fn graphs() -> impl Strategy<Value = Groups> {
        (2usize..40).prop_flat_map(|nodes| {
            let last = u32::try_from(nodes).unwrap_or(0);
            let group = prop::collection::btree_set(0..last, 0..4);
            prop::collection::vec(group, 0..120).prop_map(move |list| {
                let mut groups = Groups::new(nodes);
                for touched in list {
                    groups.push(touched);
                }
                groups
            })
        })
    }

    fn cut(groups: &Groups, len: usize) -> Groups {
        let mut part = Groups::new(groups.nodes);
        for group in 0..len.min(groups.len()) {
            part.push(groups.touched(group).iter().copied());
        }
        part
    }

    proptest! {
        #[test]
        fn no_colour_holds_two_groups_on_one_node(groups in graphs(), limit in 1usize..=64) {
            let mut colouring = Colouring::new(limit);
            colouring.update(groups.clone());
            let mut seen = std::collections::BTreeSet::new();
            for group in 0..groups.len() {
                if let Some(colour) = colouring.colour(group) {
                    prop_assert!(colour < limit);
                    for node in groups.touched(group) {
                        prop_assert!(seen.insert((colour, *node)));
                    }
                }
            }
            let order = colouring.order();
            let mut sorted = order.clone();
            sorted.sort_unstable();
            let all: Vec<u32> = (0u32..).take(groups.len()).collect();
            prop_assert_eq!(sorted, all);
            let overflow = (0..groups.len()).filter(|g| colouring.colour(*g).is_none()).count();
            prop_assert_eq!(overflow, colouring.counts().overflow);
        }

        #[test]
        fn a_group_takes_the_first_colour_that_is_free(groups in graphs()) {
            let mut colouring = Colouring::new(64);
            colouring.update(groups.clone());
            for group in 0..groups.len() {
                let touched = groups.touched(group);
                let conflicts = |other: &usize| groups.touched(*other).iter().any(|n| touched.contains(n));
                let taken: Vec<Option<usize>> =
                    (0..group).filter(conflicts).map(|g| colouring.colour(g)).collect();
                let first = (0..64).find(|c| !taken.contains(&Some(*c)));
                prop_assert_eq!(colouring.colour(group), first);
            }
        }

        #[test]
        fn history_changes_no_colour(one in graphs(), two in graphs(), at in 0usize..120) {
            let mut fresh = Colouring::new(6);
            fresh.update(two.clone());
            let mut used = Colouring::new(6);
            for earlier in [one, cut(&two, at), two.clone(), cut(&two, at)] {
                used.update(earlier);
            }
            used.update(two.clone());
            prop_assert_eq!(&fresh.colours, &used.colours);
            prop_assert_eq!(used.counts().recoloured, two.len().saturating_sub(at));
            // a scene at rest
            used.update(two.clone());
            prop_assert_eq!(used.counts().recoloured, 0);
            prop_assert_eq!(&fresh.colours, &used.colours);
            let (fresh, used) = (fresh.counts(), used.counts());
            prop_assert_eq!((fresh.colours, fresh.overflow), (used.colours, used.overflow));
        }
    }

    #[test]
    fn a_star_overflows_and_a_path_takes_two_colours() {
        let mut star = Groups::new(6);
        let mut path = Groups::new(6);
        for leaf in 1..6 {
            star.push([0, leaf]);
            path.push([leaf - 1, leaf]);
        }
        let mut colouring = Colouring::new(3);
        colouring.update(star);
        assert_eq!(colouring.counts().colours, 3);
        assert_eq!(colouring.counts().overflow, 2);
        assert_eq!(colouring.order(), [0, 1, 2, 3, 4]);
        colouring.update(path);
        assert_eq!(colouring.counts().colours, 2);
        assert_eq!(colouring.order(), [0, 2, 4, 1, 3]);
    }
}
