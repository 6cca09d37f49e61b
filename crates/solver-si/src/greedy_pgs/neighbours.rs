//! Whose velocities change when the impulses of a block do.

use delassus_core::{Operator, Problem};

/// Blocks and what they have in common: movable bodies, or columns of a matrix.
#[derive(Debug, Clone, Default)]
pub(super) struct Neighbours {
    /// What a block moves.
    moves: Lists,
    /// Which blocks see it move, in ascending order.
    seen_by: Lists,
    /// The search in which a block was last met.
    met: Vec<u64>,
    search: u64,
    /// Memory for pairs.
    moved: Vec<(u32, u32)>,
    seen: Vec<(u32, u32)>,
}

/// Lists of numbers, one behind the other.
#[derive(Debug, Clone, Default)]
struct Lists {
    first: Vec<usize>,
    items: Vec<u32>,
    /// Where the next item of each list goes.
    next: Vec<usize>,
}

impl Lists {
    /// From pairs (list, item).
    fn fill(&mut self, lists: usize, pairs: &[(u32, u32)]) {
        let Self { first, items, next } = self;
        first.clear();
        first.resize(lists + 1, 0);
        for (list, _) in pairs {
            first[*list as usize + 1] += 1;
        }
        for list in 0..lists {
            first[list + 1] += first[list];
        }
        next.clone_from(first);
        items.clear();
        items.resize(pairs.len(), 0);
        for (list, item) in pairs {
            let place = &mut next[*list as usize];
            items[*place] = *item;
            *place += 1;
        }
    }

    fn of(&self, list: usize) -> &[u32] {
        &self.items[self.first[list]..self.first[list + 1]]
    }
}

impl Neighbours {
    /// Finds those of a problem.
    pub(super) fn find(&mut self, problem: &Problem) {
        let blocks = problem.blocks().len();
        let numbers = (0u32..).zip(problem.blocks());
        let Self { moved, seen, .. } = self;
        moved.clear();
        seen.clear();
        let things = match problem.operator() {
            Operator::Bodies(bodies) => {
                for (block, _) in numbers {
                    let movable = |body: &&u32| !bodies.mass[**body as usize].is_immovable();
                    for body in bodies.bodies_of(block as usize).iter().filter(movable) {
                        moved.push((block, *body));
                        seen.push((*body, block));
                    }
                }
                bodies.len()
            }
            Operator::Matrix(matrix) => {
                for (block, _) in numbers {
                    moved.push((block, block));
                    let columns = matrix.delassus.row(block as usize);
                    // fewer than 2²⁹ blocks: nothing is cut off
                    seen.extend(
                        columns.map(|(j, _)| (u32::try_from(j).unwrap_or(u32::MAX), block)),
                    );
                }
                blocks
            }
        };
        self.moves.fill(blocks, moved);
        self.seen_by.fill(things, seen);
        self.met.clear();
        self.met.resize(blocks, 0);
        self.search = 0;
    }

    /// Bytes that it takes of a problem, about \[B\].
    pub(super) fn memory(problem: &Problem) -> u64 {
        let links = match problem.operator() {
            Operator::Bodies(bodies) => bodies.block_bodies.len() + bodies.len(),
            Operator::Matrix(matrix) => matrix.delassus.stored_blocks(),
        };
        // two lists, and the pairs that they are made of
        (32 * links + 64 * problem.blocks().len()) as u64
    }

    /// Writes the blocks whose velocities a block changes, itself first, each once.
    pub(super) fn of(&mut self, block: usize, found: &mut Vec<u32>) {
        found.clear();
        self.search += 1;
        self.met[block] = self.search;
        found.push(u32::try_from(block).unwrap_or(u32::MAX));
        for thing in self.moves.of(block) {
            for other in self.seen_by.of(*thing as usize) {
                let met = &mut self.met[*other as usize];
                if *met != self.search {
                    *met = self.search;
                    found.push(*other);
                }
            }
        }
    }
}
