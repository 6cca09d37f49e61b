//! Strings of links that move.

use delassus_core::Softness;
use delassus_dynamics::constraints::Point;
use delassus_dynamics::{
    Body, Cylinder, FieldError, Inertia, Joint, ShapeGeometry, Signal, WorldParts, rotation,
};
use delassus_systems::{Ends, LinkKind, LinkSink, LinkString, StringLink};
use nalgebra::Vector3;

use crate::rig::{ball, rod};

/// How a string is built along its nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rope {
    pub(crate) kind: LinkKind,
    pub(crate) ends: Ends,
    /// Length of a link \[m\]; the nodes may lie further apart: a stretched start.
    pub(crate) link: f64,
    /// Radius of a rod \[m\].
    pub(crate) radius: f64,
    pub(crate) softness: Softness,
}

impl Rope {
    /// How it is tied together.
    pub(crate) fn string(&self) -> LinkString {
        let Self { kind, ends, .. } = *self;
        LinkString { kind, ends }
    }

    /// Adds the string along `nodes` in the x-y plane, one mass per body that moves \[kg\].
    pub(crate) fn add(
        &self,
        parts: &mut WorldParts,
        nodes: &[Vector3<f64>],
        masses: &[f64],
    ) -> Result<(), FieldError> {
        let shape = Cylinder {
            half_length: 0.5 * self.link,
            radius: self.radius,
        };
        let inertias = masses.iter().map(|mass| match self.kind {
            LinkKind::Point => Ok(Inertia::point(*mass)),
            LinkKind::Rod => shape.solid(*mass),
        });
        let inertias = inertias.collect::<Result<Vec<_>, _>>()?;
        self.add_bodies(parts, nodes, &inertias);
        Ok(())
    }

    /// The same with an inertia per body that moves, rods along their y axes; returns these bodies.
    pub(crate) fn add_bodies(
        &self,
        parts: &mut WorldParts,
        nodes: &[Vector3<f64>],
        inertias: &[Inertia],
    ) -> Vec<usize> {
        let mut hung = Hung {
            rope: self,
            parts,
            nodes,
            inertias,
            links: Vec::with_capacity(inertias.len()),
        };
        self.string().lay(inertias.len(), &mut hung);
        hung.links
    }
}

/// Takes a string link by link.
struct Hung<'a> {
    rope: &'a Rope,
    parts: &'a mut WorldParts,
    nodes: &'a [Vector3<f64>],
    inertias: &'a [Inertia],
    links: Vec<usize>,
}

impl LinkSink for Hung<'_> {
    fn fix(&mut self, node: usize) -> usize {
        let anchor = Body::fixed(self.nodes[node]).named("anchor");
        self.parts.body(anchor)
    }

    fn hang(&mut self, index: usize, node: usize) -> usize {
        let inertia = self.inertias[index];
        let start = self.nodes[node];
        let body = match self.rope.kind {
            LinkKind::Point => Body::dynamic(inertia, start).named(format!("mass {node}")),
            LinkKind::Rod => {
                let end = self.nodes[node + 1];
                let along = end - start;
                // turns the downward vertical to the link
                let turn = rotation::about(&Vector3::z(), libm::atan2(along.x, -along.y));
                let body = Body::dynamic(inertia, 0.5 * (start + end)).turned(turn);
                body.named(format!("link {index}"))
            }
        };
        let body = self.parts.body(body);
        self.links.push(body);
        body
    }

    fn tie(&mut self, pair: [StringLink; 2]) {
        let bodies = pair.map(|(StringLink::Fixed(body) | StringLink::Mass(body))| body);
        let count = self.parts.joints.len();
        let joint = match self.rope.kind {
            LinkKind::Point => {
                rod(bodies, Signal::Constant(self.rope.link)).named(format!("link {count}"))
            }
            LinkKind::Rod => {
                let half = Vector3::new(0.0, 0.5 * self.rope.link, 0.0);
                let end = |link: StringLink, end: Vector3<f64>| match link {
                    StringLink::Fixed(_) => Vector3::zeros(),
                    StringLink::Mass(_) => end,
                };
                let anchors = [end(pair[0], -half), end(pair[1], half)];
                Joint::new(Point { bodies, anchors }).named(format!("joint {count}"))
            }
        };
        self.parts.joint(joint.soft(self.rope.softness));
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
