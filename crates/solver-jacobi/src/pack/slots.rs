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
    /// Body of every slot, with [`FIXED`] where nothing moves it: such a slot is never written or
    /// read.
    pub body: Vec<u32>,
}

impl Slots {
    /// Takes over the slots of a plan.
    pub(crate) fn pack(&mut self, problem: &Problem, bodies: &BodyRows, plan: &PiecePlan) {
        debug_assert_eq!(problem.blocks().len() + 1, bodies.first_body.len());
        let world = index(bodies.len()) | FIXED;
        let marked = |body: &u32| {
            let fixed = bodies.mass[*body as usize].is_immovable();
            *body | if fixed { FIXED } else { 0 }
        };
        let body = &mut self.body;
        body.clear();
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
        let (first, slots) = (&mut self.first_slot, &mut self.slots);
        adjacency(&self.body, bodies.len() + 1, first, slots);
    }
}

/// Counting sort: stable, so that the slots of a body ascend.
fn adjacency(body: &[u32], bodies: usize, first: &mut Vec<u32>, slots: &mut Vec<u32>) {
    let movable = || {
        let slots = (0_u32..).zip(body);
        slots.filter(|(_, body)| *body & FIXED == 0)
    };
    // one place further than they belong: filling the slots moves every offset to the next body's
    first.clear();
    first.resize(bodies + 2, 0);
    for (_, body) in movable() {
        first[*body as usize + 2] += 1;
    }
    for body in 0..bodies {
        first[body + 2] += first[body + 1];
    }
    slots.clear();
    slots.resize(first[bodies + 1] as usize, 0);
    for (slot, body) in movable() {
        let place = &mut first[*body as usize + 1];
        slots[*place as usize] = slot;
        *place += 1;
    }
    first.truncate(bodies + 1);
}
