//! Global problems whose mass matrix is that of rigid bodies: bodies and Jacobians, and no matrix.

use std::collections::BTreeMap;

use delassus_core::{Block, ContactLaw, MassProperties, MemoryLimit, Problem, ProblemBuilder};
use delassus_formats::{Global, StoredMatrix};
use nalgebra::{Matrix3, Vector3};

use super::freeze::equalities;
use super::friction::contacts;
use crate::error::ProblemReadError;

/// Bodies that a block may touch for its Jacobian to stay small \[-\].
const MAX_BODIES: usize = 8;

/// The problem and its number of bodies; none where M is not that of rigid bodies, or a block
/// touches no body or too many.
///
/// A body has six freedoms, three linear ones whose mass couples with nothing and three angular
/// ones; in the plane three, two linear and one angular, which become x, y and the angle about z.
pub(super) fn problem(
    global: &Global,
    law: ContactLaw,
    limit: MemoryLimit,
) -> Result<Option<(Problem, usize)>, ProblemReadError> {
    let planar = global.dim == 2;
    let per_body = if planar { 3 } else { 6 };
    let freedoms = global.f.len();
    if freedoms == 0 || !freedoms.is_multiple_of(per_body) {
        return Ok(None);
    }
    let bodies = freedoms / per_body;
    // the mass matrix and the momenta of each body, and its properties
    limit.admit("the bodies of the problem", 600 * bodies as u64)?;
    let Some(masses) = masses(&global.m, bodies, planar) else {
        return Ok(None);
    };
    let rows = Rows::new(global, per_body, limit)?;
    let mut builder = ProblemBuilder::new();
    for (body, mass) in masses.iter().enumerate() {
        let mut momentum = [0.0; 6];
        for local in 0..per_body {
            momentum[place(local, planar)] = global.f[body * per_body + local];
        }
        builder.body(*mass, mass.apply_inverse(&momentum));
    }
    for block in rows.blocks(global, law) {
        let Some((touched, jacobian)) = rows.jacobian(&block, planar) else {
            return Ok(None);
        };
        let bias = &rows.bias[block.rows()];
        builder.block(block.law.clone(), &touched, &jacobian);
        builder.bias(bias).feature(block.feature);
    }
    match builder.build() {
        Ok(problem) => Ok(Some((problem, bodies))),
        // rows that no body moves, an inertia with a negative moment: a matrix may have them
        Err(_) => Ok(None),
    }
}

/// Where a freedom of a body stands among its six.
fn place(local: usize, planar: bool) -> usize {
    if planar && local == 2 { 5 } else { local }
}

/// Inverse masses and inertias; none where M couples bodies, or linear freedoms, or has no inverse.
fn masses(matrix: &StoredMatrix, bodies: usize, planar: bool) -> Option<Vec<MassProperties>> {
    let per_body = if planar { 3 } else { 6 };
    let mut linear = vec![[0.0; 3]; bodies];
    let mut angular = vec![Matrix3::<f64>::zeros(); bodies];
    for (row, column, value) in matrix.entries().filter(|entry| entry.2 != 0.0) {
        let (body, other) = (row / per_body, column / per_body);
        let (i, j) = (
            place(row % per_body, planar),
            place(column % per_body, planar),
        );
        match (i, j) {
            _ if body != other => return None,
            (0..3, 0..3) if i == j => linear[body][i] += value,
            (3..6, 3..6) => angular[body][(i - 3, j - 3)] += value,
            _ => return None,
        }
    }
    let pairs = linear.iter().zip(&angular);
    pairs
        .map(|(linear, angular)| properties(*linear, *angular, planar))
        .collect()
}

/// The inverse of one body's mass matrix.
fn properties(linear: [f64; 3], inertia: Matrix3<f64>, planar: bool) -> Option<MassProperties> {
    let moves = if planar { 2 } else { 3 };
    if linear[..moves].iter().any(|mass| *mass <= 0.0) || inertia != inertia.transpose() {
        return None;
    }
    let inverse = |mass: f64| if mass > 0.0 { 1.0 / mass } else { 0.0 };
    let inverse_inertia = if planar {
        let about_z = inertia[(2, 2)];
        let moment = (about_z > 0.0).then(|| 1.0 / about_z)?;
        Matrix3::from_diagonal(&Vector3::new(0.0, 0.0, moment))
    } else if inertia == Matrix3::from_diagonal(&inertia.diagonal()) {
        let moments = inertia.diagonal();
        if moments.min() <= 0.0 {
            return None;
        }
        Matrix3::from_diagonal(&moments.map(|moment| 1.0 / moment))
    } else {
        let inverse = inertia.cholesky()?.inverse();
        // symmetric to the bit, as the mass matrix is
        (inverse + inverse.transpose()) * 0.5
    };
    Some(MassProperties {
        inverse_mass: Vector3::from(linear.map(inverse)),
        inverse_inertia,
    })
}

/// The bodies of a block, and per row an entry for each of them.
type Jacobian = (Vec<usize>, Vec<Vec<[f64; 6]>>);

/// The rows of [H G]ᵀ.
struct Rows {
    /// Body, freedom in its body, value; row by row.
    entries: Vec<Vec<(usize, usize, f64)>>,
    /// w, then b.
    bias: Vec<f64>,
}

impl Rows {
    fn new(global: &Global, per_body: usize, limit: MemoryLimit) -> Result<Self, ProblemReadError> {
        let bilateral = global.bilateral.as_ref();
        let contacts = global.w.len();
        let mut bias = global.w.clone();
        bias.extend(bilateral.iter().flat_map(|b| &b.b));
        let stored = global.h.stored() + bilateral.map_or(0, |b| b.g.stored());
        limit.admit(
            "the Jacobian of the problem",
            72 * (stored + bias.len()) as u64,
        )?;
        let mut entries = vec![Vec::new(); bias.len()];
        let extra = bilateral.iter().flat_map(|b| b.g.entries());
        let extra = extra.map(|(freedom, row, value)| (freedom, contacts + row, value));
        let all = global.h.entries().chain(extra);
        for (freedom, row, value) in all.filter(|entry| entry.2 != 0.0) {
            entries[row].push((freedom / per_body, freedom % per_body, value));
        }
        Ok(Self { entries, bias })
    }

    /// The contacts; bilateral rows that touch the same bodies one after the other are one block.
    fn blocks(&self, global: &Global, law: ContactLaw) -> Vec<Block> {
        let mut blocks = contacts(global.dim, &global.mu, global.mu_r.as_deref(), law);
        let mut first = global.w.len();
        while first < self.bias.len() {
            let own = self.bodies(first..first + 1);
            let rest = first + 1..self.bias.len();
            // as many as a joint has at most
            let same = rest
                .take(5)
                .take_while(|row| self.bodies(*row..row + 1) == own);
            let count = 1 + same.count();
            blocks.extend(equalities(first, count));
            first += count;
        }
        blocks
    }

    /// The bodies that some rows touch, ascending.
    fn bodies(&self, rows: std::ops::Range<usize>) -> Vec<usize> {
        let entries = self.entries[rows].iter().flatten();
        let mut bodies: Vec<usize> = entries.map(|entry| entry.0).collect();
        bodies.sort_unstable();
        bodies.dedup();
        bodies
    }

    /// The bodies of a block and its rows for each of them.
    fn jacobian(&self, block: &Block, planar: bool) -> Option<Jacobian> {
        let touched = self.bodies(block.rows());
        if touched.is_empty() || touched.len() > MAX_BODIES {
            return None;
        }
        let position: BTreeMap<usize, usize> = touched.iter().copied().zip(0..).collect();
        let rows = self.entries[block.rows()].iter().map(|entries| {
            let mut row = vec![[0.0; 6]; touched.len()];
            for (body, freedom, value) in entries {
                row[position[body]][place(*freedom, planar)] += value;
            }
            row
        });
        let rows = rows.collect();
        Some((touched, rows))
    }
}
