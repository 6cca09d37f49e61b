//! The trees of a world: which body hangs on which, and what this scheme refuses.

use delassus_dynamics::{Body, Position, SchemeError, World};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use std::ops::Range;

use crate::bodies::{frame_of, is_point};
use crate::coordinates::{Coordinates, RotationFreedom, Slides};
use crate::form;
use crate::refusals::{self, refuse};

/// What acts on a body and what it weighs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Load {
    /// \[kg\]
    pub(crate) mass: f64,
    /// In the axes of the body \[kg·m²\].
    pub(crate) tensor: Matrix3<f64>,
    /// Weight \[N\].
    pub(crate) weight: Vector3<f64>,
    /// Applied force \[N\].
    pub(crate) force: Vector3<f64>,
    /// Applied torque \[N·m\].
    pub(crate) torque: Vector3<f64>,
    /// Decay rates of the linear and the angular velocity \[1/s\].
    pub(crate) damping: [f64; 2],
}

/// A body of a tree, with the joint that it hangs on.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// Index of the body.
    pub(crate) body: usize,
    /// Index of the node that it hangs on; the root hangs on the base.
    pub(crate) parent: Option<usize>,
    /// Index of the joint and which of its bodies this one is; none for the root of a floating
    /// tree.
    pub(crate) joint: Option<(usize, usize)>,
    pub(crate) coordinates: Coordinates,
    pub(crate) numbers: Range<usize>,
    pub(crate) speeds: Range<usize>,
    pub(crate) load: Load,
}

impl Node {
    pub(crate) fn is_point(&self) -> bool {
        self.coordinates.turn == RotationFreedom::Point
    }
}

/// Bodies that joints connect without a loop, parents first.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    /// Where its positions count from: the fixed body, or the root at the start of the frame.
    pub(crate) origin: Position,
    /// Orientation of the fixed body.
    pub(crate) base: UnitQuaternion<f64>,
    /// True if nothing holds it.
    pub(crate) floating: bool,
}

impl Tree {
    pub(crate) fn numbers(&self) -> usize {
        self.nodes.last().map_or(0, |node| node.numbers.end)
    }

    pub(crate) fn speeds(&self) -> usize {
        self.nodes.last().map_or(0, |node| node.speeds.end)
    }

    /// Writes the coordinates of the start of the frame.
    pub(crate) fn begin(&self) -> Vec<f64> {
        let mut y = vec![0.0; self.numbers()];
        for node in &self.nodes {
            node.coordinates.begin(&mut y[node.numbers.clone()]);
        }
        y
    }
}

/// A joint as seen from one of its bodies.
#[derive(Debug, Clone, Copy)]
struct Tie {
    joint: usize,
    /// Which of the joint's bodies this one is.
    side: usize,
    other: usize,
}

/// The trees of a world, by their first bodies.
///
/// # Errors
/// The first thing in the world that this scheme has no meaning for.
pub(crate) fn trees(world: &World) -> Result<Vec<Tree>, SchemeError> {
    refusals::check(world)?;
    let ties = ties(world);
    let mut seen = vec![false; world.bodies().len()];
    let mut trees = Vec::new();
    for body in 0..world.bodies().len() {
        if world.bodies()[body].is_dynamic() && !seen[body] {
            trees.push(tree(world, &ties, body, &mut seen)?);
        }
    }
    Ok(trees)
}

fn ties(world: &World) -> Vec<Vec<Tie>> {
    let mut ties = vec![Vec::new(); world.bodies().len()];
    for (joint, found) in world.joints().iter().enumerate() {
        if let [a, b] = *found.constraint.bodies() {
            for (side, body, other) in [(0, a, b), (1, b, a)] {
                ties[body].push(Tie { joint, side, other });
            }
        }
    }
    ties
}

/// The tree that `first` belongs to: its bodies in the order of a walk from the held one, or from
/// the first one.
fn tree(
    world: &World,
    ties: &[Vec<Tie>],
    first: usize,
    seen: &mut [bool],
) -> Result<Tree, SchemeError> {
    let held = holding(world, ties, first)?;
    let mut tree = match held {
        Some(Tie { joint, side, other }) => {
            let base = &world.bodies()[other];
            let root = world.joints()[joint].constraint.bodies()[side];
            let mut tree = Tree {
                nodes: Vec::new(),
                origin: base.position,
                base: base.orientation,
                floating: false,
            };
            let coordinates = form::coordinates(world, joint, side)?;
            tree.hang(world, root, None, Some((joint, side)), coordinates);
            tree
        }
        None => {
            let root = &world.bodies()[first];
            let mut tree = Tree {
                nodes: Vec::new(),
                origin: root.position,
                base: UnitQuaternion::identity(),
                floating: true,
            };
            tree.hang(world, first, None, None, free(root));
            tree
        }
    };
    seen[tree.nodes[0].body] = true;
    let mut next = 0;
    while next < tree.nodes.len() {
        let (body, own) = (tree.nodes[next].body, tree.nodes[next].joint);
        for tie in &ties[body] {
            if own.is_some_and(|(joint, _)| joint == tie.joint) {
                continue;
            }
            // the bodies that hold the tree are leaves: `holding` has counted them
            if seen[tie.other] || !world.bodies()[tie.other].is_dynamic() {
                return Err(loop_at(world, tie.joint));
            }
            seen[tie.other] = true;
            let side = 1 - tie.side;
            let coordinates = form::coordinates(world, tie.joint, side)?;
            tree.hang(
                world,
                tie.other,
                Some(next),
                Some((tie.joint, side)),
                coordinates,
            );
        }
        next += 1;
    }
    Ok(tree)
}

fn loop_at(world: &World, joint: usize) -> SchemeError {
    let reason = "closes a loop, which a tree of joints does not have: leave one joint of the loop out, or use a scheme in maximal coordinates";
    refuse(refusals::joint(world, joint), reason)
}

/// The joint that ties the bodies connected with `first` to a body that does not move, as seen from
/// the tree.
fn holding(world: &World, ties: &[Vec<Tie>], first: usize) -> Result<Option<Tie>, SchemeError> {
    let mut reached = std::collections::BTreeSet::from([first]);
    let (mut open, mut found) = (vec![first], None);
    while let Some(body) = open.pop() {
        for tie in &ties[body] {
            if world.bodies()[tie.other].is_dynamic() {
                if reached.insert(tie.other) {
                    open.push(tie.other);
                }
            } else if found.is_some_and(|held: Tie| held.joint != tie.joint) {
                let later = found.map_or(tie.joint, |held| held.joint.max(tie.joint));
                return Err(loop_at(world, later));
            } else {
                found = Some(*tie);
            }
        }
    }
    Ok(found)
}

/// The coordinates of a body that nothing holds: the way from where it starts, and its orientation.
fn free(body: &Body) -> Coordinates {
    let turn = if is_point(body) {
        RotationFreedom::Point
    } else {
        RotationFreedom::Ball
    };
    let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
    Coordinates {
        anchors: [Vector3::zeros(); 2],
        turn,
        slides: Slides {
            axes,
            count: 3,
            on_child: false,
        },
        rod: None,
        start: frame_of(body),
        slid: [0.0; 3],
    }
}

impl Tree {
    fn hang(
        &mut self,
        world: &World,
        body: usize,
        parent: Option<usize>,
        joint: Option<(usize, usize)>,
        coordinates: Coordinates,
    ) {
        let found = &world.bodies()[body];
        let tensor = if is_point(found) {
            Matrix3::zeros()
        } else {
            found.inertia.tensor()
        };
        let (numbers, speeds) = (self.numbers(), self.speeds());
        self.nodes.push(Node {
            body,
            parent,
            joint,
            numbers: numbers..numbers + coordinates.numbers(),
            speeds: speeds..speeds + coordinates.speeds(),
            coordinates,
            load: Load {
                mass: found.inertia.mass,
                tensor,
                weight: found.inertia.mass * found.gravity_scale * world.gravity(),
                force: found.force,
                torque: found.torque,
                damping: [found.linear_damping, found.angular_damping],
            },
        });
    }
}
