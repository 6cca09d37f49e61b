//! Strings of links in series: what chains, pendulums of many links, catenaries and ropes with a
//! ball are made of.

use delassus_core::Choice;

/// What the links of a string are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum LinkKind {
    /// Point masses at the nodes, massless rods between them: one row per link.
    Point,
    /// Rigid rods from node to node with ball joints at the nodes: three rows per joint.
    Rod,
}

/// What the ends of a string are tied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum Ends {
    /// The first end hangs from a fixed point.
    Anchored,
    /// Nothing: the string falls.
    Free,
    /// Both ends hang from fixed points.
    Both,
}

/// How a string is tied together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkString {
    /// What the links are.
    pub kind: LinkKind,
    /// What the ends are tied to.
    pub ends: Ends,
}

/// A piece of a string with its index in the sink.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StringLink {
    /// A fixed point, without extent.
    Fixed(usize),
    /// A mass: a point, or a rod with an upper end (towards the first node) and a lower one.
    Mass(usize),
}

/// What takes a string, link by link.
pub trait LinkSink {
    /// Adds a fixed point at node `node`; returns its index.
    fn fix(&mut self, node: usize) -> usize;

    /// Adds mass `index`: the point at node `node`, or the rod below it; returns its index in the
    /// sink.
    fn hang(&mut self, index: usize, node: usize) -> usize;

    /// Ties the lower end of the first to the upper end of the second.
    fn tie(&mut self, pair: [StringLink; 2]);
}

impl LinkString {
    fn first(self) -> usize {
        usize::from(self.ends != Ends::Free)
    }

    fn last(self) -> usize {
        usize::from(self.ends == Ends::Both)
    }

    /// Number of masses of a string of `links` links \[-\].
    pub fn masses(self, links: usize) -> usize {
        match self.kind {
            LinkKind::Point => links + 1 - self.first() - self.last(),
            LinkKind::Rod => links,
        }
    }

    /// Number of links of a string of `masses` masses \[-\].
    pub fn links(self, masses: usize) -> usize {
        match self.kind {
            LinkKind::Point => masses + self.first() + self.last() - 1,
            LinkKind::Rod => masses,
        }
    }

    /// Lays a string of `count` masses from its first node to its last.
    pub fn lay(self, count: usize, sink: &mut impl LinkSink) {
        match self.kind {
            LinkKind::Point => self.lay_points(count, sink),
            LinkKind::Rod => self.lay_rods(count, sink),
        }
    }

    fn lay_points(self, count: usize, sink: &mut impl LinkSink) {
        let mut previous = None;
        for node in 0..self.first() + count + self.last() {
            let masses = self.first()..self.first() + count;
            let link = if masses.contains(&node) {
                StringLink::Mass(sink.hang(node - self.first(), node))
            } else {
                StringLink::Fixed(sink.fix(node))
            };
            if let Some(previous) = previous {
                sink.tie([previous, link]);
            }
            previous = Some(link);
        }
    }

    fn lay_rods(self, count: usize, sink: &mut impl LinkSink) {
        let rods: Vec<StringLink> = (0..count)
            .map(|k| StringLink::Mass(sink.hang(k, k)))
            .collect();
        if let (1, Some(first)) = (self.first(), rods.first()) {
            let anchor = StringLink::Fixed(sink.fix(0));
            sink.tie([anchor, *first]);
        }
        for pair in rods.windows(2) {
            sink.tie([pair[0], pair[1]]);
        }
        if let (1, Some(last)) = (self.last(), rods.last()) {
            let anchor = StringLink::Fixed(sink.fix(count));
            sink.tie([*last, anchor]);
        }
    }
}
