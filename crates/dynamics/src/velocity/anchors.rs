//! Sticky friction: contacts that stick keep the anchors at which they first touched, and pull back
//! what they slipped since (T.26, T.27). Round surfaces sum up their slip instead (T.55).

use delassus_core::ContactLaw;
use nalgebra::Vector3;

use crate::assembly::{Assembly, RowKind, Source};
use crate::body::{Body, Pose};
use crate::contact::{ContactFrame, Manifold, PosePair};
use crate::handles::Moment;
use crate::rotation;
use crate::spatial::split_spatial;
use crate::world::World;

/// Cosine of the turn after which a manifold gets new anchors \[-\].
const TURNED: f64 = 0.98;

/// How far apart along the normal anchors may come before the manifold gets new ones \[m\].
const APART: f64 = 0.01;

/// Share of the bound of its friction at which a manifold releases its anchors \[-\].
const BOUND: f64 = 1.0 - 1e-9;

/// The anchors of a world's sticking contacts, from frame to frame.
#[derive(Debug, Clone, Default)]
pub(super) struct StickingAnchors {
    /// Per point, manifold by manifold.
    points: Vec<Option<PointAnchor>>,
    /// Those of the frame before: memory.
    earlier: Vec<Option<PointAnchor>>,
    /// Poses up to which slips are summed up, per body.
    poses: Vec<Pose>,
    /// Memory for the points of a manifold.
    vectors: Vec<Vector3<f64>>,
    frame: ContactFrame,
    /// When the last frame ended; another moment is another world.
    moment: Option<Moment>,
}

/// What a sticking point keeps.
#[derive(Debug, Clone, Copy)]
enum PointAnchor {
    /// Where its bodies first touched.
    Points(Anchor),
    /// How far B has slipped over A since \[m\], where one of them is round: its material points
    /// leave the contact as it rolls, without slip.
    Rolled(Vector3<f64>),
}

/// Where the bodies of a point first touched.
#[derive(Debug, Clone, Copy)]
struct Anchor {
    /// The two material points that faced each other, in the axes of their bodies \[m\].
    anchors: [Vector3<f64>; 2],
    /// The normal then, in the axes of both bodies.
    normals: [Vector3<f64>; 2],
}

impl StickingAnchors {
    /// Begins a frame: manifolds that stick keep their anchors, the others get new ones.
    pub(super) fn begin(&mut self, world: &World) {
        let known = self.moment == Some(world.moment());
        self.moment = Some(world.moment());
        self.follow(world);
        let Self {
            points,
            earlier: last,
            frame,
            ..
        } = self;
        std::mem::swap(points, last);
        points.clear();
        let given: usize = world.manifolds[..world.colliders.given]
            .iter()
            .map(|manifold| manifold.points.len())
            .sum();
        for manifold in &world.manifolds {
            let first = points.len();
            let earlier = |point: usize| match &manifold.origin {
                None => Some(first + point),
                Some(origin) => origin.previous.get(point).map(|p| given + p),
            };
            let kept = |point| earlier(point).and_then(|p| *last.get(p)?);
            let holds = |point| {
                kept(point).is_some_and(|anchor: PointAnchor| anchor.holds(world, manifold))
            };
            let mut own = 0..manifold.points.len();
            if manifold.surface_velocity != Vector3::zeros() {
                // a point of the body does not travel with its surface
                points.extend(manifold.points.iter().map(|_| None));
            } else if known && own.all(holds) {
                points.extend((0..manifold.points.len()).map(kept));
            } else if is_round(manifold) {
                let none = Some(PointAnchor::Rolled(Vector3::zeros()));
                points.extend(manifold.points.iter().map(|_| none));
            } else {
                let anchors = Anchor::fresh(world, manifold, frame);
                points.extend(anchors.map(|anchor| Some(PointAnchor::Points(anchor))));
            }
        }
    }

    /// Rows of friction along which contacts have slipped from their anchors, with how far \[m\]
    /// (T.26).
    pub(super) fn slips(
        &mut self,
        world: &World,
        assembly: &Assembly,
        out: &mut Vec<(usize, f64)>,
    ) {
        out.clear();
        self.roll(world, assembly);
        let offsets = &mut self.vectors;
        let mut first = 0;
        let mut rows = assembly.contact_rows().peekable();
        for (index, manifold) in world.manifolds.iter().enumerate() {
            let own = &self.points[first..first + manifold.points.len()];
            first += own.len();
            let own = own.iter().flatten();
            offsets.clear();
            offsets.extend(own.map(|anchor| anchor.offset(world, manifold)));
            let mean = offsets.iter().sum::<Vector3<f64>>() / offsets.len().max(1) as f64;
            while let Some(row) = rows.next_if(|row| of_manifold(assembly, *row, index)) {
                let Some((point, tangent)) = tangent(assembly, manifold, row) else {
                    continue;
                };
                let offset = match point {
                    Some(point) => offsets.get(point).copied().unwrap_or_default(),
                    None => mean,
                };
                out.push((row, tangent.dot(&offset)));
            }
        }
    }

    /// Adds what round surfaces have slipped since the last call (T.55).
    fn roll(&mut self, world: &World, assembly: &Assembly) {
        let mut first = 0;
        let mut rows = assembly.contact_rows().peekable();
        for (index, manifold) in world.manifolds.iter().enumerate() {
            let own = first..first + manifold.points.len();
            first = own.end;
            let round = is_round(manifold);
            while let Some(row) = rows.next_if(|row| of_manifold(assembly, *row, index)) {
                let Some((point, tangent)) = tangent(assembly, manifold, row).filter(|_| round)
                else {
                    continue;
                };
                let slipped = displacement(&self.poses, world, assembly, row) * tangent;
                let points = match point {
                    Some(point) => own.start + point..own.start + point + 1,
                    None => own.clone(),
                };
                for anchor in self.points[points].iter_mut().flatten() {
                    if let PointAnchor::Rolled(slip) = anchor {
                        *slip += slipped;
                    }
                }
            }
        }
        self.follow(world);
    }

    /// Slips are summed up as far as the present poses.
    fn follow(&mut self, world: &World) {
        self.poses.clear();
        self.poses.extend(world.bodies.iter().map(Body::pose));
    }

    /// Ends a frame: manifolds whose points all slide release their anchors.
    pub(super) fn end(&mut self, world: &World, assembly: &Assembly, impulses: &[f64]) {
        self.moment = Some(world.moment());
        self.roll(world, assembly);
        let mut first = 0;
        let mut rows = assembly.contact_rows().peekable();
        for (index, manifold) in world.manifolds.iter().enumerate() {
            let own = first..first + manifold.points.len();
            first = own.end;
            let mut load = 0.0;
            let forces = &mut self.vectors;
            forces.clear();
            forces.resize(own.len(), Vector3::zeros());
            while let Some(row) = rows.next_if(|row| of_manifold(assembly, *row, index)) {
                if matches!(assembly.rows[row].kind, RowKind::Normal { .. }) {
                    load += impulses[row];
                } else if let Some((point, tangent)) = tangent(assembly, manifold, row) {
                    forces[point.unwrap_or(0)] += impulses[row] * tangent;
                }
            }
            let friction: f64 = forces.iter().map(Vector3::norm).sum();
            if friction >= BOUND * manifold.friction * load {
                self.points[own].fill(None);
            }
        }
    }
}

impl PointAnchor {
    /// From the anchor of A to that of B \[m\].
    fn offset(&self, world: &World, manifold: &Manifold) -> Vector3<f64> {
        match self {
            Self::Points(anchor) => anchor.offset(world, manifold),
            Self::Rolled(slip) => *slip,
        }
    }

    /// True while the bodies have neither turned nor parted since, or roll on each other.
    fn holds(&self, world: &World, manifold: &Manifold) -> bool {
        match self {
            Self::Points(anchor) => !is_round(manifold) && anchor.holds(world, manifold),
            Self::Rolled(_) => is_round(manifold),
        }
    }
}

impl Anchor {
    /// Anchors of a manifold at the present poses.
    fn fresh<'a>(
        world: &World,
        manifold: &Manifold,
        frame: &'a mut ContactFrame,
    ) -> impl Iterator<Item = Self> + 'a {
        let poses = world.pair(manifold.bodies);
        manifold.frame_in(PosePair::of(&poses), 0.5, frame);
        let ContactFrame { normal, arms, .. } = frame;
        let local = move |side: usize, v: &Vector3<f64>| poses[side].unrotate(v);
        arms.iter().map(move |arms| Self {
            anchors: [0, 1].map(|side| local(side, &arms[side])),
            normals: [0, 1].map(|side| local(side, normal)),
        })
    }

    /// From the anchor of A to that of B \[m\].
    fn offset(&self, world: &World, manifold: &Manifold) -> Vector3<f64> {
        let poses = world.pair(manifold.bodies);
        let [a, b] = [0, 1].map(|side| poses[side].rotate(&self.anchors[side]));
        (poses[1].position - poses[0].position) + (b - a)
    }

    /// True while the bodies have neither turned nor parted since.
    fn holds(&self, world: &World, manifold: &Manifold) -> bool {
        let poses = world.pair(manifold.bodies);
        let [a, b] = [0, 1].map(|side| poses[side].rotate(&self.normals[side]));
        let normal = manifold.world_normal(PosePair::of(&poses));
        a.dot(&b) >= TURNED
            && a.dot(&normal) >= TURNED
            && self.offset(world, manifold).dot(&a).abs() <= APART
    }
}

/// True if points of the manifold move along the surface of a body as it rolls.
fn is_round(manifold: &Manifold) -> bool {
    let mut points = manifold.points.iter();
    manifold.rim.is_some() || points.any(|point| point.radii != [0.0; 2])
}

/// How far the bodies have moved along a row since they had these poses \[m\].
fn displacement(poses: &[Pose], world: &World, assembly: &Assembly, row: usize) -> f64 {
    let Some(bodies) = assembly.problem.bodies() else {
        return 0.0;
    };
    let block = assembly.problem.block_of_row(row);
    let local = row - assembly.problem.blocks()[block].rows().start;
    let sides = bodies.bodies_of(block).iter();
    sides
        .zip(bodies.row(block, local))
        .map(|(body, entry)| {
            let (before, now) = (&poses[*body as usize], &world.bodies[*body as usize].pose());
            let turn = now.orientation * before.orientation.inverse();
            let [along, about] = split_spatial(entry);
            along.dot(&(now.position - before.position)) + about.dot(&rotation::log(&turn))
        })
        .sum()
}

fn of_manifold(assembly: &Assembly, row: usize, index: usize) -> bool {
    assembly.rows[row].source == Source::Manifold(index)
}

/// The tangent of a row of friction in world axes, with its point where it has one; `None` for
/// other rows.
fn tangent(
    assembly: &Assembly,
    manifold: &Manifold,
    row: usize,
) -> Option<(Option<usize>, Vector3<f64>)> {
    let info = &assembly.rows[row];
    if info.kind != RowKind::Friction {
        return None;
    }
    let bodies = assembly.problem.bodies()?;
    let block = assembly.problem.block_of_row(row);
    let local = row - assembly.problem.blocks()[block].rows().start;
    let entry = bodies.row(block, local)[1];
    let along = Vector3::new(entry[0], entry[1], entry[2]);
    // a twist and rolling rows move no point
    if along == Vector3::zeros() {
        return None;
    }
    let patch = manifold.law == ContactLaw::Patch;
    Some(((!patch).then_some(info.local / 3), along))
}
