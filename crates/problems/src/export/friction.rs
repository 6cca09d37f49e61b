//! Friction in Delassus form: W, q, μ, and joints as V, R, s.

use delassus_core::{Friction, Law, Problem};
use delassus_formats::{FieldProblem, Local, LocalBilateral, StoredMatrix};

use super::order::Order;
use super::rows::{Rows, narrow};
use super::{FieldForm, MatrixStorage};
use crate::error::ProblemWriteError;

/// What the contacts of a problem have in common, and which blocks are joints.
pub(super) struct Contacts {
    /// Rows of a contact.
    pub(super) dim: usize,
    /// Blocks of contacts.
    pub(super) contacts: Vec<usize>,
    /// Blocks of joints.
    pub(super) joints: Vec<usize>,
    /// Coefficients of the contacts.
    pub(super) mu: Vec<f64>,
    /// Those of rolling friction.
    pub(super) mu_r: Option<Vec<f64>>,
}

impl Contacts {
    /// Sorts the blocks of a problem.
    pub(super) fn of(problem: &Problem, form: FieldForm) -> Result<Self, ProblemWriteError> {
        let blocks = problem.blocks();
        let first = blocks.iter().find(|block| block.law != Law::Equality);
        let dim = first.map_or(3, |block| block.dim);
        let mut found = Self {
            dim,
            contacts: Vec::new(),
            joints: Vec::new(),
            mu: Vec::new(),
            mu_r: (dim == 5).then(Vec::new),
        };
        for (index, block) in blocks.iter().enumerate() {
            match (&block.law, &mut found.mu_r) {
                (Law::Equality, _) => {
                    found.joints.push(index);
                    continue;
                }
                (Law::Contact(Friction::Coulomb { mu } | Friction::Disc { mu }), None)
                    if block.dim == dim && dim > 1 =>
                {
                    found.mu.push(*mu);
                }
                (Law::Rolling(rolling), Some(mu_r)) if rolling.spinning.is_none() => {
                    found.mu.push(rolling.mu);
                    mu_r.push(rolling.rolling);
                }
                _ => {
                    let law = block.law.kind();
                    let rows = block.dim;
                    return Err(form.refuse(format!("block {index} is {law} with {rows} rows")));
                }
            }
            found.contacts.push(index);
        }
        Ok(found)
    }

    /// The rows of some blocks.
    pub(super) fn rows(problem: &Problem, blocks: &[usize]) -> Vec<usize> {
        let rows = blocks
            .iter()
            .flat_map(|block| problem.blocks()[*block].rows());
        rows.collect()
    }
}

/// Contacts first, then joints.
pub(super) fn local(
    problem: &Problem,
    storage: MatrixStorage,
) -> Result<(FieldProblem, Order), ProblemWriteError> {
    let form = FieldForm::Local;
    let contacts = Contacts::of(problem, form)?;
    let rows = Rows::new(problem, form)?;
    let order = Order {
        contacts: Contacts::rows(problem, &contacts.contacts),
        bilateral: Contacts::rows(problem, &contacts.joints),
        freedoms: Vec::new(),
    };
    let take = |some: &[usize]| some.iter().map(|row| rows.q[*row]).collect::<Vec<f64>>();
    let bilateral = match contacts.joints.is_empty() {
        true => None,
        false => Some(LocalBilateral {
            v: mixed(&rows, &order, form)?,
            r: rows.square(&contacts.joints, MatrixStorage::BlockSparse),
            s: take(&order.bilateral),
        }),
    };
    let local = Local {
        dim: contacts.dim,
        w: rows.square(&contacts.contacts, storage),
        q: take(&order.contacts),
        mu: contacts.mu,
        mu_r: contacts.mu_r,
        bilateral,
    };
    Ok((FieldProblem::Local(local), order))
}

/// V, which must be the transpose of what stands below the diagonal.
fn mixed(rows: &Rows, order: &Order, form: FieldForm) -> Result<StoredMatrix, ProblemWriteError> {
    let mut position = vec![usize::MAX; rows.q.len()];
    let both = [&order.contacts, &order.bilateral];
    for (index, row) in both.into_iter().flat_map(|rows| rows.iter().enumerate()) {
        position[*row] = index;
    }
    let mut joint = vec![false; rows.q.len()];
    order.bilateral.iter().for_each(|row| joint[*row] = true);
    let (mut above, mut below) = (Vec::new(), Vec::new());
    for ((block, i), (other, j), value) in rows.entries().filter(|entry| entry.2 != 0.0) {
        let (row, column) = (rows.start(block) + i, rows.start(other) + j);
        let place = (narrow(position[row]), narrow(position[column]));
        match (joint[row], joint[column]) {
            (false, true) => above.push((place.0, place.1, value)),
            (true, false) => below.push((place.1, place.0, value)),
            _ => {}
        }
    }
    for entries in [&mut above, &mut below] {
        entries.sort_by_key(|(row, column, _)| (*row, *column));
    }
    if above != below {
        return Err(form.refuse("its matrix couples contacts and joints in an unsymmetric way"));
    }
    Ok(StoredMatrix::triplets(
        order.contacts.len(),
        order.bilateral.len(),
        above,
    ))
}
