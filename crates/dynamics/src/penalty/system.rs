//! The linear system of an implicit substep: a block of six per dynamic body, eliminated in the
//! order of least degree.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use nalgebra::{Cholesky, Matrix6, U6, Vector6};

use super::springs::{Spring, Springs};
use crate::body::Body;
use crate::world::World;

/// (M + Σ Jᵀ s J) x = r, symmetric and positive definite; coordinates that nothing moves are left
/// out. The next system reuses its memory.
#[derive(Debug, Clone, Default)]
pub(super) struct System {
    /// Columns of both triangles, row by row and ascending, and where their blocks are; none of
    /// bodies that are not dynamic.
    rows: Vec<Vec<(usize, usize)>>,
    blocks: Vec<Matrix6<f64>>,
    right: Vec<Vector6<f64>>,
    /// Which coordinates of a body move.
    free: Vec<[bool; 6]>,
    /// Bodies by the length of their rows; numbers of rows that have changed since mean nothing.
    open: BinaryHeap<Reverse<(usize, usize)>>,
    /// Per body: true if it has been eliminated. Its row then holds D x = r − Σ S x over the
    /// others.
    eliminated: Vec<bool>,
    /// Those bodies in turn, with the factors of D.
    factors: Vec<(usize, Cholesky<f64, U6>)>,
    solution: Vec<f64>,
}

impl System {
    /// The mass matrix and no force.
    pub(super) fn begin(&mut self, world: &World) {
        let bodies = world.bodies.len();
        self.rows.iter_mut().for_each(Vec::clear);
        self.rows.resize_with(bodies, Vec::new);
        self.blocks.clear();
        self.right.clear();
        self.right.resize(bodies, Vector6::zeros());
        self.free.clear();
        self.free.extend(world.bodies.iter().map(free));
        for (index, body) in world.bodies.iter().enumerate() {
            if body.is_dynamic() {
                let place = self.place(index, index);
                self.blocks[place] = mass(body, &self.free[index]);
            }
        }
    }

    /// Where the block of a row and a column is: zero if it is new.
    fn place(&mut self, row: usize, column: usize) -> usize {
        let row = &mut self.rows[row];
        match row.binary_search_by_key(&column, |(other, _)| *other) {
            Ok(at) => row[at].1,
            Err(at) => {
                let place = self.blocks.len();
                self.blocks.push(Matrix6::zeros());
                row.insert(at, (column, place));
                place
            }
        }
    }

    /// Adds a force f − s J x along a row, as impulses: `force` \[N·s\] and `slope` \[N·s²/m\], or
    /// the same of torques.
    pub(super) fn add(&mut self, springs: &Springs, spring: &Spring, force: f64, slope: f64) {
        for (a, row) in springs.touched(spring) {
            let Some(row) = self.moving(a, row) else {
                continue;
            };
            self.right[a] += force * row;
            for (b, column) in springs.touched(spring) {
                let column = self.moving(b, column);
                if let (Some(column), true) = (column, slope != 0.0) {
                    let place = self.place(a, b);
                    self.blocks[place] += slope * row * column.transpose();
                }
            }
        }
    }

    /// A row as far as it moves the body; `None` for bodies that are not dynamic.
    fn moving(&self, body: usize, entry: &[f64; 6]) -> Option<Vector6<f64>> {
        let free = &self.free[body];
        (!self.rows[body].is_empty())
            .then(|| Vector6::from_fn(|axis, _| if free[axis] { entry[axis] } else { 0.0 }))
    }

    /// The solution, 6 per body; `None` where the matrix is not positive definite, which numbers
    /// that are none make it.
    pub(super) fn solve(&mut self) -> Option<&[f64]> {
        self.eliminate_all()?;
        let Self {
            rows,
            blocks,
            right,
            factors,
            solution,
            ..
        } = self;
        solution.clear();
        solution.resize(6 * rows.len(), 0.0);
        for (body, factor) in factors.iter().rev() {
            let mut right = right[*body];
            for (other, place) in rows[*body].iter().filter(|(other, _)| other != body) {
                let known = &solution[6 * other..6 * other + 6];
                right -= blocks[*place] * Vector6::from_column_slice(known);
            }
            let x = factor.solve(&right);
            solution[6 * body..6 * body + 6].copy_from_slice(x.as_slice());
        }
        Some(solution)
    }

    /// Eliminates body after body: least degree first, the order of the world among equals.
    fn eliminate_all(&mut self) -> Option<()> {
        self.factors.clear();
        self.eliminated.clear();
        self.eliminated.resize(self.rows.len(), false);
        self.open.clear();
        let rows = self.rows.iter().enumerate();
        let dynamic = rows.filter(|(_, row)| !row.is_empty());
        self.open
            .extend(dynamic.map(|(body, row)| Reverse((row.len(), body))));
        while let Some(Reverse((degree, body))) = self.open.pop() {
            if self.eliminated[body] || self.rows[body].len() != degree {
                continue;
            }
            let own = self.place(body, body);
            let factor = Cholesky::new(self.blocks[own])?;
            let row = std::mem::take(&mut self.rows[body]);
            self.eliminate(body, &factor, &row);
            self.rows[body] = row;
            self.eliminated[body] = true;
            self.factors.push((body, factor));
        }
        Some(())
    }

    fn eliminate(&mut self, body: usize, factor: &Cholesky<f64, U6>, row: &[(usize, usize)]) {
        let right = self.right[body];
        let others = || row.iter().filter(|(other, _)| *other != body);
        for (a, block) in others() {
            // S_ab −= S_ka ᵀ D⁻¹ S_kb
            let left = factor.solve(&self.blocks[*block]).transpose();
            self.right[*a] -= left * right;
            self.rows[*a].retain(|(other, _)| *other != body);
            for (b, column) in others() {
                let change = left * self.blocks[*column];
                let place = self.place(*a, *b);
                self.blocks[place] -= change;
            }
            self.open.push(Reverse((self.rows[*a].len(), *a)));
        }
    }
}

/// Coordinates along which forces move a body.
fn free(body: &Body) -> [bool; 6] {
    let turns = body.is_dynamic() && body.inertia.moments != nalgebra::Vector3::zeros();
    std::array::from_fn(|axis| match axis {
        0..3 => body.is_dynamic() && !body.lock_translation[axis],
        _ => turns && !body.lock_rotation[axis - 3],
    })
}

/// Mass and inertia in world axes; 1 where nothing moves.
fn mass(body: &Body, free: &[bool; 6]) -> Matrix6<f64> {
    let inertia = body.world_inertia();
    Matrix6::from_fn(|i, j| {
        if !(free[i] && free[j]) {
            return if i == j { 1.0 } else { 0.0 };
        }
        match (i, j) {
            (3.., 3..) => inertia[(i - 3, j - 3)],
            _ if i == j => body.inertia.mass,
            _ => 0.0,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Inertia, WorldParts};
    use nalgebra::{DMatrix, DVector, Vector3};

    /// Five bodies in a ring with a chord: one that is fixed, one with locks, one without inertia.
    fn ring() -> (World, Springs) {
        let mut parts = WorldParts::default();
        for index in 0..5_u8 {
            let moments = Vector3::new(0.2, 0.3, 0.4) * f64::from(index % 4);
            let inertia = Inertia::new(1.0 + f64::from(index), moments);
            let mut body = Body::dynamic(inertia, Vector3::x() * f64::from(index));
            body.orientation = crate::rotation::exp(&Vector3::new(0.3, -0.2, f64::from(index)));
            if index == 2 {
                body = body.planar();
            }
            parts.body(body);
        }
        parts.body(Body::fixed(Vector3::zeros()));
        let pairs = [[0, 1], [1, 2], [2, 3], [3, 4], [4, 0], [1, 3], [0, 5]];
        let mut seed = 1.0_f64;
        let mut next = || {
            seed = (seed * 997.0 + 0.123) % 7.0;
            seed - 3.5
        };
        let mut springs = Springs::default();
        for bodies in pairs {
            let entries: [[f64; 6]; 2] = std::array::from_fn(|_| std::array::from_fn(|_| next()));
            let touched = springs.touch(&bodies, &entries);
            springs.list.push(Spring::slack(touched));
        }
        (parts.build().unwrap(), springs)
    }

    #[test]
    fn elimination_solves_what_a_dense_factorization_does() {
        let (world, springs) = ring();
        let mut system = System::default();
        system.begin(&world);
        for (index, spring) in (1..).zip(&springs.list) {
            system.add(&springs, spring, f64::from(index), 10.0 * f64::from(index));
        }
        let mut matrix = DMatrix::identity(36, 36);
        let mut right = DVector::zeros(36);
        for (body, row) in system.rows.iter().enumerate() {
            right.rows_mut(6 * body, 6).copy_from(&system.right[body]);
            for (other, place) in row {
                let mut view = matrix.view_mut((6 * body, 6 * other), (6, 6));
                view.copy_from(&system.blocks[*place]);
            }
        }
        let expected = matrix.clone().cholesky().unwrap().solve(&right);
        let found = system.solve().unwrap();
        for (x, y) in found.iter().zip(expected.iter()) {
            assert!((x - y).abs() < 1e-12, "{x}, {y}");
        }
        // neither the fixed body nor what is locked moves
        assert!(found[30..].iter().all(|x| *x == 0.0));
        assert!([14, 15, 16].iter().all(|axis| found[*axis] == 0.0));
        assert!(found[3..6].iter().all(|x| *x == 0.0), "no inertia");
        assert!(found[12..14].iter().all(|x| *x != 0.0));
    }

    #[test]
    fn numbers_that_are_none_are_no_solution() {
        let (world, springs) = ring();
        let mut system = System::default();
        system.begin(&world);
        system.add(&springs, &springs.list[0], 1.0, f64::NAN);
        assert_eq!(system.solve(), None);
    }
}
