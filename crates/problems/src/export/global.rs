//! Friction with mass matrix and Jacobian: M, H, f, w, μ, and joints as G, b.

use delassus_core::{BodyRows, MassProperties, Problem};
use delassus_formats::{FieldProblem, Global, GlobalBilateral, StoredMatrix};
use nalgebra::DMatrix;

use super::FieldForm;
use super::friction::Contacts;
use super::order::Order;
use super::rows::narrow;
use crate::error::ProblemWriteError;

/// An entry of a matrix.
type Entry = (u32, u32, f64);

/// The freedoms of all bodies that impulses move: M v = H r + G l + f.
pub(super) fn global(problem: &Problem) -> Result<(FieldProblem, Order), ProblemWriteError> {
    let form = FieldForm::Global;
    let Some(bodies) = problem.bodies() else {
        return Err(form.refuse("it is given by its matrix: masses and Jacobians are not known"));
    };
    let contacts = Contacts::of(problem, form)?;
    let freedoms = Freedoms::new(bodies, form)?;
    let order = Order {
        contacts: Contacts::rows(problem, &contacts.contacts),
        bilateral: Contacts::rows(problem, &contacts.joints),
        freedoms: freedoms.rows.clone(),
    };
    let (h, w) = freedoms.rows_of(problem, bodies, &contacts.contacts);
    let bilateral = match contacts.joints.is_empty() {
        true => None,
        false => {
            let (g, b) = freedoms.rows_of(problem, bodies, &contacts.joints);
            Some(GlobalBilateral { g, b })
        }
    };
    let count = freedoms.rows.len();
    let f = freedoms.momenta(&bodies.free_velocity);
    let global = Global {
        dim: contacts.dim,
        m: StoredMatrix::triplets(count, count, freedoms.mass),
        h,
        f,
        w,
        mu: contacts.mu,
        mu_r: contacts.mu_r,
        bilateral,
    };
    Ok((FieldProblem::Global(global), order))
}

/// The freedoms that impulses move, and their masses.
struct Freedoms {
    /// Which of the six per body, in the order of the file.
    rows: Vec<usize>,
    /// Place in the file of each of the six per body, if it has one.
    place: Vec<Option<usize>>,
    /// The mass matrix.
    mass: Vec<Entry>,
}

impl Freedoms {
    fn new(bodies: &BodyRows, form: FieldForm) -> Result<Self, ProblemWriteError> {
        let mut found = Self {
            rows: Vec::new(),
            place: vec![None; 6 * bodies.len()],
            mass: Vec::new(),
        };
        for (body, mass) in bodies.mass.iter().enumerate() {
            let free = free_axes(mass);
            let first = found.rows.len();
            for (local, axis) in free.iter().enumerate() {
                found.place[6 * body + axis] = Some(first + local);
                found.rows.push(6 * body + axis);
            }
            let inverse = DMatrix::from_fn(free.len(), free.len(), |i, j| {
                inverse_entry(mass, free[i], free[j])
            });
            let matrix = invert(&inverse).ok_or_else(|| {
                form.refuse(format!(
                    "body {body} has an inverse inertia without an inverse, and the form needs masses"
                ))
            })?;
            for i in 0..free.len() {
                for j in 0..free.len() {
                    if matrix[(i, j)] != 0.0 {
                        let place = (narrow(first + i), narrow(first + j));
                        found.mass.push((place.0, place.1, matrix[(i, j)]));
                    }
                }
            }
        }
        Ok(found)
    }

    /// f = M v_f.
    fn momenta(&self, free_velocity: &[f64]) -> Vec<f64> {
        let mut f = vec![0.0; self.rows.len()];
        for (row, column, value) in &self.mass {
            f[*row as usize] += value * free_velocity[self.rows[*column as usize]];
        }
        f
    }

    /// The transposed Jacobian of some blocks, and what bias and bodies that nothing moves add to
    /// their velocities.
    fn rows_of(
        &self,
        problem: &Problem,
        bodies: &BodyRows,
        blocks: &[usize],
    ) -> (StoredMatrix, Vec<f64>) {
        let (mut entries, mut velocity) = (Vec::new(), Vec::new());
        for block in blocks {
            for (local, row) in problem.blocks()[*block].rows().enumerate() {
                let column = narrow(velocity.len());
                let mut sum = problem.bias()[row];
                let pairs = bodies
                    .bodies_of(*block)
                    .iter()
                    .zip(bodies.row(*block, local));
                for (body, entry) in pairs {
                    for (axis, value) in entry.iter().enumerate() {
                        let freedom = 6 * *body as usize + axis;
                        match self.place[freedom] {
                            Some(place) if *value != 0.0 => {
                                entries.push((narrow(place), column, *value));
                            }
                            Some(_) => {}
                            None => sum += value * bodies.free_velocity[freedom],
                        }
                    }
                }
                velocity.push(sum);
            }
        }
        (
            StoredMatrix::triplets(self.rows.len(), velocity.len(), entries),
            velocity,
        )
    }
}

/// The axes that some impulse moves.
fn free_axes(mass: &MassProperties) -> Vec<usize> {
    let moves = |axis: &usize| (0..6).any(|other| inverse_entry(mass, *axis, other) != 0.0);
    (0..6).filter(moves).collect()
}

/// An entry of M⁻¹ of one body.
fn inverse_entry(mass: &MassProperties, i: usize, j: usize) -> f64 {
    match (i, j) {
        (0..3, 0..3) if i == j => mass.inverse_mass[i],
        (3.., 3..) => mass.inverse_inertia[(i - 3, j - 3)],
        _ => 0.0,
    }
}

/// The mass matrix of a body, symmetric to the bit; none without one.
fn invert(inverse: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let diagonal = DMatrix::from_diagonal(&inverse.diagonal());
    let matrix = if *inverse == diagonal {
        // exact reciprocals, of which each reader makes the same inverse
        DMatrix::from_diagonal(&inverse.diagonal().map(|x| 1.0 / x))
    } else {
        let matrix = inverse.clone().cholesky()?.inverse();
        (&matrix + matrix.transpose()) * 0.5
    };
    matrix.iter().all(|x| x.is_finite()).then_some(matrix)
}
