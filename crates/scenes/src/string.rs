//! Strings of links in series: what chains, pendulums of many links, catenaries and ropes with a ball are made of.

use delassus_core::{Choice, Softness};
use delassus_dynamics::{Body, FieldError, Inertia, Shape, Signal, WorldParts, rotation};
use nalgebra::Vector3;

use crate::rig::{ball, rod};

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

impl Ends {
    fn first(self) -> bool {
        self != Self::Free
    }

    fn last(self) -> bool {
        self == Self::Both
    }
}

/// How a mass ratio is spread over a string, counted from its first end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum MassOrder {
    /// Mass k of n is mass · ratio^(k / (n − 1)).
    Geometric,
    /// The last mass is mass · ratio, the others mass.
    HeavyTip,
}

impl MassOrder {
    /// `count` masses \[kg\] (E.2).
    pub(crate) fn spread(self, count: usize, mass: f64, ratio: f64) -> Vec<f64> {
        let last = count.saturating_sub(1);
        let factor = |k: usize| match self {
            _ if k == 0 => 1.0,
            _ if k == last => ratio,
            Self::HeavyTip => 1.0,
            Self::Geometric => libm::pow(ratio, k as f64 / last as f64),
        };
        (0..count).map(|k| mass * factor(k)).collect()
    }
}

/// How a string is built along its nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LinkString {
    pub(crate) kind: LinkKind,
    pub(crate) ends: Ends,
    /// Length of a link \[m\]; the nodes may lie further apart: a stretched start.
    pub(crate) link: f64,
    /// Radius of a rod \[m\].
    pub(crate) radius: f64,
    pub(crate) softness: Softness,
}

impl LinkString {
    /// Number of masses of a string of `links` links \[-\].
    pub(crate) fn masses(&self, links: usize) -> usize {
        let fixed = usize::from(self.ends.first()) + usize::from(self.ends.last());
        match self.kind {
            LinkKind::Point => links + 1 - fixed,
            LinkKind::Rod => links,
        }
    }

    /// Adds the string along `nodes` in the x-y plane, one mass per body that moves \[kg\]; returns the body at the
    /// last node.
    pub(crate) fn add(
        &self,
        parts: &mut WorldParts,
        nodes: &[Vector3<f64>],
        masses: &[f64],
    ) -> Result<usize, FieldError> {
        match self.kind {
            LinkKind::Point => Ok(self.add_points(parts, nodes, masses)),
            LinkKind::Rod => self.add_rods(parts, nodes, masses),
        }
    }

    fn add_points(&self, parts: &mut WorldParts, nodes: &[Vector3<f64>], masses: &[f64]) -> usize {
        let mut masses = masses.iter();
        let mut previous = None;
        for (k, node) in nodes.iter().enumerate() {
            let fixed = (k == 0 && self.ends.first()) || (k + 1 == nodes.len() && self.ends.last());
            let mass = if fixed { None } else { masses.next() };
            let body = match mass {
                Some(mass) => {
                    Body::dynamic(Inertia::point(*mass), *node).named(format!("mass {k}"))
                }
                None => Body::fixed(*node).named("anchor"),
            };
            let body = parts.body(body);
            if let Some(previous) = previous {
                let joint = rod([previous, body], Signal::Constant(self.link));
                parts.joint(joint.named(format!("link {}", k - 1)).soft(self.softness));
            }
            previous = Some(body);
        }
        previous.unwrap_or_default()
    }

    fn add_rods(
        &self,
        parts: &mut WorldParts,
        nodes: &[Vector3<f64>],
        masses: &[f64],
    ) -> Result<usize, FieldError> {
        let shape = Shape::Cylinder {
            half_length: 0.5 * self.link,
            radius: self.radius,
        };
        let mut inertias = Vec::with_capacity(masses.len());
        for mass in masses {
            inertias.push(shape.solid(*mass)?);
        }
        let rods = self.add_bodies(parts, nodes, &inertias);
        Ok(rods.last().copied().unwrap_or_default())
    }

    /// Adds one rigid link per inertia from node to node, along its y axis, and the ball joints at the nodes; returns
    /// the links.
    pub(crate) fn add_bodies(
        &self,
        parts: &mut WorldParts,
        nodes: &[Vector3<f64>],
        inertias: &[Inertia],
    ) -> Vec<usize> {
        let half = Vector3::new(0.0, 0.5 * self.link, 0.0);
        let mut links = Vec::with_capacity(inertias.len());
        for (k, (pair, inertia)) in nodes.windows(2).zip(inertias).enumerate() {
            let along = pair[1] - pair[0];
            // turns the downward vertical to the link
            let turn = rotation::about(&Vector3::z(), libm::atan2(along.x, -along.y));
            let body = Body::dynamic(*inertia, 0.5 * (pair[0] + pair[1])).turned(turn);
            links.push(parts.body(body.named(format!("link {k}"))));
        }
        if let (true, Some(first)) = (self.ends.first(), links.first()) {
            let anchor = parts.body(Body::fixed(nodes[0]).named("anchor"));
            self.tie(parts, [anchor, *first], [Vector3::zeros(), half]);
        }
        for pair in links.windows(2) {
            self.tie(parts, [pair[0], pair[1]], [-half, half]);
        }
        if let (true, Some(last)) = (self.ends.last(), links.last()) {
            let anchor = parts.body(Body::fixed(nodes[links.len()]).named("anchor"));
            self.tie(parts, [*last, anchor], [-half, Vector3::zeros()]);
        }
        links
    }

    fn tie(&self, parts: &mut WorldParts, bodies: [usize; 2], anchors: [Vector3<f64>; 2]) {
        let joint = delassus_dynamics::constraints::Point { bodies, anchors };
        let joint = delassus_dynamics::Joint::new(joint).soft(self.softness);
        parts.joint(joint.named(format!("joint {}", parts.joints.len())));
    }
}

/// Ties a body to the last node of a string \[m\].
pub(crate) fn tie_to(
    parts: &mut WorldParts,
    bodies: [usize; 2],
    node: &Vector3<f64>,
    softness: Softness,
) {
    let joint = ball(parts, bodies, node).soft(softness);
    parts.joint(joint.named("last joint"));
}
