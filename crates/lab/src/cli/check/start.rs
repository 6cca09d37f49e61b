//! A world before its first step, in numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use delassus_dynamics::{BodyKind, ForceKind, World};

use super::gap::Gap;
use super::groups::connected;

/// Bodies closer than this are connected \[m\].
const NEAR: f64 = 1e-3;
/// Overlaps and joint errors up to this are rounding \[m | rad\].
const ROUNDING: f64 = 1e-6;

/// A joint that is apart at the start.
pub(super) struct Apart {
    pub(super) joint: usize,
    pub(super) gap: Gap,
}

/// A world before its first step.
pub(crate) struct Start {
    pub(super) world: World,
    /// Bodies of each kind.
    pub(super) kinds: [(&'static str, usize); 3],
    /// The lightest and the heaviest dynamic body; `None` without any.
    pub(super) masses: Option<[usize; 2]>,
    /// The two connected bodies whose masses differ most, with their ratio.
    pub(super) steepest: Option<([usize; 2], f64)>,
    /// Connected groups of dynamic bodies.
    pub(super) groups: Vec<Vec<usize>>,
    /// The largest error of a joint or limit \[m | rad\].
    pub(super) largest_error: f64,
    /// Joints that are apart, the worst first.
    pub(super) apart: Vec<Apart>,
    /// Contact points that touch or nearly do.
    pub(super) contacts: usize,
    /// Pairs of bodies that overlap, with the depth \[m\], the deepest first.
    pub(super) overlaps: Vec<([usize; 2], f64)>,
    /// True if it is a structure under gravity: two or more dynamic bodies at rest, each of which
    /// touches another body, and no joints.
    pub(crate) is_structure: bool,
}

impl Start {
    /// Looks at a world.
    pub(crate) fn of(mut world: World) -> Self {
        let touching = touching(&mut world);
        let apart = errors(&world);
        let sizes = apart.iter().map(|a| a.gap.size());
        let largest_error = sizes.fold(0.0, f64::max);
        let dynamic: Vec<bool> = world
            .bodies()
            .iter()
            .map(|body| body.is_dynamic())
            .collect();
        let mut links: Vec<[usize; 2]> = Vec::new();
        for joint in world.joints() {
            let bodies = joint.constraint.bodies();
            links.extend(bodies.iter().skip(1).map(|body| [bodies[0], *body]));
        }
        let near = touching.iter().filter(|(_, found)| found.nearest < NEAR);
        links.extend(near.map(|(pair, _)| *pair));
        let is_structure = world.joints().is_empty() && is_structure(&world, &links);
        let mut overlaps: Vec<([usize; 2], f64)> = touching
            .iter()
            .map(|(pair, found)| (*pair, -found.nearest))
            .filter(|(_, depth)| *depth > ROUNDING)
            .collect();
        overlaps.sort_by(|a, b| b.1.total_cmp(&a.1));
        Self {
            kinds: kinds(&world),
            masses: masses(&world),
            steepest: steepest(&world, &links),
            groups: connected(&dynamic, links.into_iter()),
            largest_error,
            apart: worst(apart),
            contacts: touching.values().map(|found| found.points).sum(),
            overlaps,
            is_structure,
            world,
        }
    }

    /// The heaviest mass over the lightest \[-\]; 1 without any.
    pub(super) fn ratio(&self) -> f64 {
        self.masses.map_or(1.0, |[light, heavy]| {
            let mass = |body: usize| self.world.bodies()[body].inertia.mass;
            mass(heavy) / mass(light)
        })
    }
}

/// True of two or more dynamic bodies under gravity that rest and all have a link.
fn is_structure(world: &World, links: &[[usize; 2]]) -> bool {
    let linked: BTreeSet<usize> = links.iter().flatten().copied().collect();
    let all = world.bodies().iter().enumerate();
    let dynamic = || all.clone().filter(|(_, body)| body.is_dynamic());
    let stands = dynamic().all(|(index, body)| {
        body.velocity.norm() == 0.0 && body.spin.norm() == 0.0 && linked.contains(&index)
    });
    stands && dynamic().count() > 1 && world.gravity().norm() > 0.0
}

/// What two bodies have in common.
struct Found {
    /// The smallest separation \[m\].
    nearest: f64,
    /// Points closer than [`NEAR`].
    points: usize,
}

/// The contacts at the start, by bodies.
fn touching(world: &mut World) -> BTreeMap<[usize; 2], Found> {
    let read = |world: &mut World| {
        let mut pairs: BTreeMap<[usize; 2], Found> = BTreeMap::new();
        for manifold in world.manifolds() {
            let poses = manifold.bodies.map(|body| world.bodies()[body].pose());
            let separations = manifold.frame(poses).separations;
            let [a, b] = manifold.bodies;
            let found = pairs.entry([a.min(b), a.max(b)]).or_insert(Found {
                nearest: f64::INFINITY,
                points: 0,
            });
            found.nearest = separations.iter().copied().fold(found.nearest, f64::min);
            found.points += separations.iter().filter(|s| **s < NEAR).count();
        }
        Ok::<_, Infallible>(pairs)
    };
    let Ok(pairs) = world.with_contacts(read);
    pairs
}

/// The gaps of every joint and limit; drives are away from their targets on purpose.
fn errors(world: &World) -> Vec<Apart> {
    let all: Vec<f64> = world
        .joint_errors()
        .iter()
        .map(|(_, error)| *error)
        .collect();
    let mut rest = all.as_slice();
    let mut found = Vec::new();
    for (joint, entry) in world.joints().iter().enumerate() {
        let descriptor = entry.constraint.descriptor();
        let (rows, others) = rest.split_at(descriptor.units.len().min(rest.len()));
        rest = others;
        if descriptor.force != ForceKind::Drive {
            let gap = Gap::of(&entry.constraint, descriptor, rows);
            found.push(Apart { joint, gap });
        }
    }
    found
}

/// Those that are apart by more than rounding, the worst first.
fn worst(mut errors: Vec<Apart>) -> Vec<Apart> {
    errors.retain(|apart| apart.gap.size() > ROUNDING);
    errors.sort_by(|a, b| b.gap.size().total_cmp(&a.gap.size()));
    errors
}

fn kinds(world: &World) -> [(&'static str, usize); 3] {
    let number = |kind| {
        world
            .bodies()
            .iter()
            .filter(|body| body.kind == kind)
            .count()
    };
    [
        ("dynamic", number(BodyKind::Dynamic)),
        ("kinematic", number(BodyKind::Kinematic)),
        ("static", number(BodyKind::Static)),
    ]
}

/// The lightest and the heaviest dynamic body, the first of several.
fn masses(world: &World) -> Option<[usize; 2]> {
    let mass = |body: usize| world.bodies()[body].inertia.mass;
    let mut found: Option<[usize; 2]> = None;
    for body in (0..world.bodies().len()).filter(|body| world.bodies()[*body].is_dynamic()) {
        let [light, heavy] = found.get_or_insert([body; 2]);
        if mass(body) < mass(*light) {
            *light = body;
        }
        if mass(body) > mass(*heavy) {
            *heavy = body;
        }
    }
    found
}

/// The two connected dynamic bodies whose masses differ most.
fn steepest(world: &World, links: &[[usize; 2]]) -> Option<([usize; 2], f64)> {
    let mut most: Option<([usize; 2], f64)> = None;
    for link in links {
        let bodies = link.map(|body| &world.bodies()[body]);
        if !bodies.iter().all(|body| body.is_dynamic()) {
            continue;
        }
        let [a, b] = bodies.map(|body| body.inertia.mass);
        let ratio = (a / b).max(b / a);
        if most.is_none_or(|(_, before)| ratio > before) {
            most = Some((*link, ratio));
        }
    }
    most
}

/// A body by its name and its number.
pub(super) fn named(world: &World, body: usize) -> String {
    match world.bodies()[body].name.as_str() {
        "" => format!("body [{body}]"),
        name => format!("{name} [{body}]"),
    }
}
