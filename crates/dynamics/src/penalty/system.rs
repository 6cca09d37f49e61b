//! The linear system of an implicit substep: a block of six per dynamic body, eliminated in the order of least degree.

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::{Cholesky, Matrix6, U6, Vector6};

use super::springs::{Spring, Springs};
use crate::body::Body;
use crate::world::World;

/// (M + Σ Jᵀ s J) x = r, symmetric and positive definite; coordinates that nothing moves are left out.
#[derive(Debug)]
pub(super) struct System {
    /// Blocks of both triangles, row by row; none of bodies that are not dynamic.
    rows: Vec<BTreeMap<usize, Matrix6<f64>>>,
    right: Vec<Vector6<f64>>,
    /// Which coordinates of a body move.
    free: Vec<[bool; 6]>,
}

impl System {
    /// The mass matrix and no force.
    pub(super) fn new(world: &World) -> Self {
        let free: Vec<[bool; 6]> = world.bodies.iter().map(free).collect();
        let mass = |(index, body): (usize, &Body)| {
            let mut row = BTreeMap::new();
            if body.is_dynamic() {
                row.insert(index, mass(body, &free[index]));
            }
            row
        };
        Self {
            rows: world.bodies.iter().enumerate().map(mass).collect(),
            right: vec![Vector6::zeros(); world.bodies.len()],
            free,
        }
    }

    /// Adds a force f − s J x along a row, as impulses: `force` \[N·s\] and `slope` \[N·s²/m\], or the same of torques.
    pub(super) fn add(&mut self, springs: &Springs, spring: &Spring, force: f64, slope: f64) {
        for (a, row) in springs.touched(spring) {
            let Some(row) = self.moving(a, row) else {
                continue;
            };
            self.right[a] += force * row;
            for (b, column) in springs.touched(spring) {
                let column = self.moving(b, column);
                if let (Some(column), true) = (column, slope != 0.0) {
                    let block = self.rows[a].entry(b).or_insert_with(Matrix6::zeros);
                    *block += slope * row * column.transpose();
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

    /// The solution, 6 per body; `None` where the matrix is not positive definite, which numbers that are none make it.
    pub(super) fn solve(mut self) -> Option<Vec<f64>> {
        let dynamic = (0..self.rows.len()).filter(|body| !self.rows[*body].is_empty());
        // least degree first, the order of the world among equals
        let mut open: BTreeSet<(usize, usize)> =
            dynamic.map(|body| (self.rows[body].len(), body)).collect();
        let mut done = Vec::with_capacity(open.len());
        while let Some((_, body)) = open.pop_first() {
            done.push(self.eliminate(body, &mut open)?);
        }
        let mut out = vec![0.0; 6 * self.rows.len()];
        for step in done.into_iter().rev() {
            let mut right = self.right[step.body];
            for (other, block) in &step.others {
                right -= block * Vector6::from_column_slice(&out[6 * other..6 * other + 6]);
            }
            let x = step.factor.solve(&right);
            out[6 * step.body..6 * step.body + 6].copy_from_slice(x.as_slice());
        }
        Some(out)
    }

    fn eliminate(
        &mut self,
        body: usize,
        open: &mut BTreeSet<(usize, usize)>,
    ) -> Option<Eliminated> {
        let mut others = std::mem::take(&mut self.rows[body]);
        let factor = Cholesky::new(others.remove(&body)?)?;
        let right = self.right[body];
        for (a, block) in &others {
            // S_ab −= S_ka ᵀ D⁻¹ S_kb
            let left = factor.solve(block).transpose();
            self.right[*a] -= left * right;
            let row = &mut self.rows[*a];
            open.remove(&(row.len(), *a));
            row.remove(&body);
            for (b, column) in &others {
                *row.entry(*b).or_insert_with(Matrix6::zeros) -= left * column;
            }
            open.insert((row.len(), *a));
        }
        Some(Eliminated {
            body,
            factor,
            others,
        })
    }
}

/// A body that has been eliminated: D x = r − Σ S x over the others.
struct Eliminated {
    body: usize,
    factor: Cholesky<f64, U6>,
    others: BTreeMap<usize, Matrix6<f64>>,
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
        let mut system = System::new(&world);
        for (index, spring) in (1..).zip(&springs.list) {
            system.add(&springs, spring, f64::from(index), 10.0 * f64::from(index));
        }
        let mut matrix = DMatrix::identity(36, 36);
        let mut right = DVector::zeros(36);
        for (body, row) in system.rows.iter().enumerate() {
            right.rows_mut(6 * body, 6).copy_from(&system.right[body]);
            for (other, block) in row {
                let mut view = matrix.view_mut((6 * body, 6 * other), (6, 6));
                view.copy_from(block);
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
        let mut system = System::new(&world);
        system.add(&springs, &springs.list[0], 1.0, f64::NAN);
        assert_eq!(system.solve(), None);
    }
}
