//! The numbers of a pack that the parameters of worlds change.

use std::ops::Range;

use super::{COMPUTED, WorldTemplate};
use crate::pack::{
    BODY_FREE, BODY_MASS, FIXED, FRAME_QUADS, POINT_QUADS, count_of, law, law_of, plan::index,
};
use crate::worlds::parameters::has_coefficient;

impl WorldTemplate {
    /// Finds the numbers that the parameters change.
    pub(super) fn find_own(&mut self) {
        let [friction, masses, free, bias] = self.kinds;
        if friction {
            self.own_friction();
        }
        if masses {
            self.own_masses();
            if self.device_steps.is_some() {
                self.computed_steps();
            } else {
                self.own_steps();
            }
        }
        if free {
            let bodies = self.pack.bodies.len() - 1;
            for quad in 0..BODY_FREE * bodies {
                self.own_numbers(self.parts[4] + quad, 0..3);
            }
        }
        if bias {
            self.own_bias();
        }
    }

    /// A new value, which some numbers of a quad are.
    fn own_value(&mut self, quad: usize, components: Range<usize>) {
        let value = index(self.places.len());
        let place = [quad, components.start].map(index);
        self.places.push((place[0], place[1]));
        for component in components {
            self.sources[quad][component] = value;
        }
    }

    /// A new value for each of some numbers of a quad.
    fn own_numbers(&mut self, quad: usize, components: Range<usize>) {
        for component in components {
            self.own_value(quad, component..component + 1);
        }
    }

    /// One value, which is μ everywhere.
    fn own_friction(&mut self) {
        let law_of_row = |row: u32| {
            let block = self.structure.block_of_row((row & !FIXED) as usize);
            &self.structure.blocks()[block].law
        };
        let mut quads = Vec::new();
        let manifolds = &self.pack.manifolds;
        for (manifold, head) in manifolds.heads.iter().enumerate() {
            if has_coefficient(law_of_row(manifolds.first_row[head[0] as usize])) {
                let at = FRAME_QUADS * manifold + POINT_QUADS * head[0] as usize;
                quads.push((self.parts[0] + at, 3));
            }
        }
        let units = &self.pack.units;
        for block in units.active_blocks() {
            if has_coefficient(law_of_row(units.rows[block.first_row])) {
                quads.push((self.parts[2] + block.numbers, 2));
            }
        }
        let Some((first, component)) = quads.first().copied() else {
            return;
        };
        self.has_friction = true;
        self.own_value(first, component..component + 1);
        let value = self.sources[first][component];
        for (quad, component) in quads {
            self.sources[quad][component] = value;
        }
    }

    fn own_masses(&mut self) {
        for body in 0..self.pack.bodies.len() - 1 {
            let first = self.parts[3] + BODY_MASS * body;
            self.own_numbers(first, 0..4);
            self.own_numbers(first + 1, 0..4);
            self.own_numbers(first + 2, 0..1);
        }
    }

    /// Steps that the device computes.
    fn computed_steps(&mut self) {
        for (manifold, head) in self.pack.manifolds.heads.iter().enumerate() {
            for point in 0..count_of(head[1]) as usize {
                let point = head[0] as usize + point;
                let quad = FRAME_QUADS * (manifold + 1) + POINT_QUADS * point + 1;
                self.sources[quad][..3].fill(COMPUTED);
            }
        }
    }

    /// Steps follow from masses; rows that a law couples share one.
    fn own_steps(&mut self) {
        for (manifold, head) in self.pack.manifolds.heads.clone().into_iter().enumerate() {
            for point in 0..count_of(head[1]) as usize {
                let point = head[0] as usize + point;
                let quad = FRAME_QUADS * (manifold + 1) + POINT_QUADS * point + 1;
                match law_of(head[1]) {
                    law::CONE => self.own_value(quad, 0..3),
                    law::DISC => {
                        self.own_value(quad, 0..1);
                        self.own_value(quad, 1..3);
                    }
                    _ => self.own_numbers(quad, 0..3),
                }
            }
        }
        for quad in self.unit_rows() {
            self.own_numbers(quad, 2..3);
        }
    }

    fn own_bias(&mut self) {
        for (manifold, head) in self.pack.manifolds.heads.clone().into_iter().enumerate() {
            for point in 0..count_of(head[1]) as usize {
                let point = head[0] as usize + point;
                let quad = FRAME_QUADS * (manifold + 1) + POINT_QUADS * point;
                self.own_numbers(quad, 3..4);
                if !self.pack.manifolds.extras.is_empty() {
                    self.own_numbers(self.parts[1] + 2 * point, 1..3);
                }
            }
        }
        for quad in self.unit_rows() {
            self.own_numbers(quad, 0..1);
        }
    }

    /// The quads of the rows of all units.
    fn unit_rows(&self) -> Vec<usize> {
        let units = &self.pack.units;
        let heads = &units.heads[units.len()..units.len() + units.blocks()];
        let quads = heads.iter().flat_map(|[_, rows, _, numbers]| {
            let first = self.parts[2] + *numbers as usize + 1;
            first..first + *rows as usize
        });
        quads.collect()
    }
}
