//! Which wrenches each body sums: bodies → slots, ascending.

use delassus_core::{BodyRows, Problem};
use delassus_structure::geometry::FIXED;

use super::plan::{PiecePlan, index};

/// Slots of the bodies as compressed rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Slots {
    /// Offsets into `slots`: one per body, one for the world and one past the end.
    pub first_slot: Vec<u32>,
    /// Slots of the bodies, ascending within each body.
    pub slots: Vec<u32>,
    /// Body of every slot, with [`FIXED`] where nothing moves it: such a slot is never written or read.
    pub body: Vec<u32>,
}

impl Slots {
    pub(crate) fn new(problem: &Problem, bodies: &BodyRows, plan: &PiecePlan) -> Self {
        debug_assert_eq!(problem.blocks().len() + 1, bodies.first_body.len());
        let world = index(bodies.len()) | FIXED;
        let marked = |body: &u32| {
            let fixed = bodies.mass[*body as usize].is_immovable();
            *body | if fixed { FIXED } else { 0 }
        };
        let mut body: Vec<u32> = Vec::new();
        for manifold in &plan.manifolds {
            match bodies.bodies_of(manifold.piece.blocks.start as usize) {
                [b] => body.extend([world, marked(b)]),
                touched => body.extend(touched.iter().map(marked)),
            }
        }
        for unit in &plan.units {
            let touched = bodies.bodies_of(unit.blocks.start as usize);
            body.extend(touched.iter().map(marked));
        }
        let (first_slot, slots) = adjacency(&body, bodies.len() + 1);
        Self {
            first_slot,
            slots,
            body,
        }
    }
}

/// Counting sort: stable, so that the slots of a body ascend.
fn adjacency(body: &[u32], bodies: usize) -> (Vec<u32>, Vec<u32>) {
    let mut first = vec![0_u32; bodies + 1];
    let movable = || {
        let slots = (0_u32..).zip(body);
        slots.filter(|(_, body)| *body & FIXED == 0)
    };
    for (_, body) in movable() {
        first[*body as usize + 1] += 1;
    }
    for body in 0..bodies {
        first[body + 1] += first[body];
    }
    let mut next = first.clone();
    let mut slots = vec![0; first[bodies] as usize];
    for (slot, body) in movable() {
        let place = &mut next[*body as usize];
        slots[*place as usize] = slot;
        *place += 1;
    }
    (first, slots)
}
