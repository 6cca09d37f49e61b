//! Linear, bounded and mixed complementarity problems.

use delassus_core::{Friction, Law, Problem};
use delassus_formats::{FieldProblem, Lcp, MatrixForm, Mlcp, Relay, RowKind};

use super::order::Order;
use super::rows::{Rows, narrow};
use super::{FieldForm, MatrixStorage};
use crate::error::ProblemWriteError;

/// True for a block of rows λ ≥ 0 ⊥ w ≥ 0, a frictionless normal row among them.
pub(super) fn is_unilateral(problem: &Problem, block: usize) -> bool {
    let block = &problem.blocks()[block];
    let normal = block.law == Law::Contact(Friction::Frictionless) && block.dim == 1;
    normal || block.law == Law::UNILATERAL
}

/// Every row in the order of the problem.
fn all(problem: &Problem) -> Order {
    Order {
        contacts: (0..problem.rows()).collect(),
        bilateral: Vec::new(),
        freedoms: Vec::new(),
    }
}

/// The block whose law the form does not know.
fn unknown(problem: &Problem, block: usize, form: FieldForm) -> ProblemWriteError {
    let law = problem.blocks()[block].law.kind();
    form.refuse(format!("block {block} is {law}"))
}

pub(super) fn lcp(
    problem: &Problem,
    storage: MatrixStorage,
) -> Result<(FieldProblem, Order), ProblemWriteError> {
    let form = FieldForm::Lcp;
    let mut blocks = 0..problem.blocks().len();
    if let Some(other) = blocks.find(|block| !is_unilateral(problem, *block)) {
        return Err(unknown(problem, other, form));
    }
    let rows = Rows::new(problem, form)?;
    let m = rows.whole(storage);
    Ok((FieldProblem::Lcp(Lcp { m, q: rows.q }), all(problem)))
}

pub(super) fn relay(
    problem: &Problem,
    storage: MatrixStorage,
) -> Result<(FieldProblem, Order), ProblemWriteError> {
    let form = FieldForm::Relay;
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for (index, block) in problem.blocks().iter().enumerate() {
        let unilateral = is_unilateral(problem, index).then_some([0.0, f64::INFINITY]);
        let bounds = block.law.row_bounds().or(unilateral);
        let [least, most] = bounds.ok_or_else(|| unknown(problem, index, form))?;
        lower.extend(std::iter::repeat_n(least, block.dim));
        upper.extend(std::iter::repeat_n(most, block.dim));
    }
    let rows = Rows::new(problem, form)?;
    let relay = Relay {
        m: rows.whole(storage),
        q: rows.q,
        lower,
        upper,
    };
    Ok((FieldProblem::Relay(relay), all(problem)))
}

pub(super) fn mlcp(
    problem: &Problem,
    storage: MatrixStorage,
) -> Result<(FieldProblem, Order), ProblemWriteError> {
    let form = FieldForm::Mlcp;
    let (mut ends, mut kinds) = (Vec::new(), Vec::new());
    let mut equalities = 0;
    for (index, block) in problem.blocks().iter().enumerate() {
        kinds.push(match block.law {
            Law::Equality => RowKind::Equality,
            _ if is_unilateral(problem, index) => RowKind::Complementarity,
            _ => return Err(unknown(problem, index, form)),
        });
        if block.law == Law::Equality {
            equalities += block.dim;
        }
        ends.push(narrow(block.rows().end));
    }
    let rows = Rows::new(problem, form)?;
    let m = rows.whole(storage);
    let mlcp = Mlcp {
        equalities,
        complementarities: problem.rows() - equalities,
        matrix: Some(MatrixForm {
            ends,
            kinds,
            m,
            q: rows.q,
        }),
        parts: None,
        trailing: Vec::new(),
    };
    Ok((FieldProblem::Mlcp(mlcp), all(problem)))
}
