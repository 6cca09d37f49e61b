//! Writing text problems that any reader of these formats reads back to the last bit.

use std::fmt::Write;

use delassus_core::{
    Activity, BlockSparse, Friction, Law, MatrixRows, Operator, Problem, ProblemParts,
};

use crate::error::WriteError;
use crate::matrix::to_matrix;

/// How a matrix is stored in a text file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatrixStorage {
    /// Every number, column by column.
    Dense,
    /// The blocks that are not zero, each column by column.
    BlockSparse,
}

/// Writes the local friction-contact format (fc3d, or fc2d for contacts of two rows).
///
/// # Errors
/// Laws other than Coulomb friction (F3 and F5 alike), contacts of different dimensions, compliance, held rows.
pub fn contact_text(problem: &Problem, storage: MatrixStorage) -> Result<String, WriteError> {
    const FORMAT: &str = "the friction-contact text format";
    let refuse = |reason: String| WriteError::NotExpressible {
        format: FORMAT,
        reason,
    };
    let dim = problem.blocks().first().map_or(3, |block| block.dim);
    let mut coefficients = Vec::with_capacity(problem.blocks().len());
    for (index, block) in problem.blocks().iter().enumerate() {
        match block.law {
            Law::Contact(Friction::Coulomb { mu } | Friction::Disc { mu }) if block.dim == dim => {
                coefficients.push(mu);
            }
            _ => {
                let law = block.law.kind();
                let rows = block.dim;
                return Err(refuse(format!("block {index} is {law} with {rows} rows")));
            }
        }
    }
    let (matrix, parts) = matrix_form(problem, FORMAT)?;
    let mut text = format!("{dim}\n{}\n", coefficients.len());
    write_matrix(&mut text, &matrix, storage);
    write_numbers(&mut text, &q(&parts));
    write_numbers(&mut text, &coefficients);
    Ok(text)
}

/// Writes the format of linear complementarity problems.
///
/// # Errors
/// Laws other than λ ≥ 0 ⊥ w ≥ 0, compliance, held rows.
pub fn lcp_text(problem: &Problem, storage: MatrixStorage) -> Result<String, WriteError> {
    const FORMAT: &str = "the LCP text format";
    for (index, block) in problem.blocks().iter().enumerate() {
        let normal = block.law == Law::Contact(Friction::Frictionless) && block.dim == 1;
        if block.law != Law::UNILATERAL && !normal {
            return Err(WriteError::NotExpressible {
                format: FORMAT,
                reason: format!("block {index} is {}", block.law.kind()),
            });
        }
    }
    let (matrix, parts) = matrix_form(problem, FORMAT)?;
    let mut text = format!("{}\n", problem.rows());
    write_matrix(&mut text, &matrix, storage);
    write_numbers(&mut text, &q(&parts));
    Ok(text)
}

fn matrix_form(
    problem: &Problem,
    format: &'static str,
) -> Result<(BlockSparse, ProblemParts), WriteError> {
    let refuse = |reason: &str| WriteError::NotExpressible {
        format,
        reason: reason.to_owned(),
    };
    if problem.compliance().iter().any(|r| *r != 0.0) {
        return Err(refuse("it has no place for compliance"));
    }
    if problem.activity().iter().any(|a| *a != Activity::Solve) {
        return Err(refuse("it has no place for held rows"));
    }
    let mut parts = to_matrix(problem)?.into_parts();
    let empty = BlockSparse::from_blocks(&[], Vec::new())?;
    match &mut parts.operator {
        Operator::Matrix(MatrixRows { delassus, .. }) => {
            let matrix = std::mem::replace(delassus, empty);
            Ok((matrix, parts))
        }
        Operator::Bodies(_) => Err(refuse("its matrix is not known")),
    }
}

/// q = b = J v_f + b_pos (P.2).
fn q(parts: &ProblemParts) -> Vec<f64> {
    let free_velocity = match &parts.operator {
        Operator::Matrix(matrix) => matrix.free_velocity.as_slice(),
        Operator::Bodies(_) => &[],
    };
    let pairs = free_velocity.iter().zip(&parts.bias);
    pairs.map(|(free, bias)| free + bias).collect()
}

fn write_matrix(text: &mut String, matrix: &BlockSparse, storage: MatrixStorage) {
    let rows = matrix.rows();
    match storage {
        MatrixStorage::Dense => {
            let mut columns = vec![vec![0.0; rows]; rows];
            for i in 0..matrix.block_rows() {
                for (j, values) in matrix.row(i) {
                    for (k, value) in values.iter().enumerate() {
                        let (row, column) = (k / matrix.dim(j), k % matrix.dim(j));
                        columns[matrix.start(j) + column][matrix.start(i) + row] = *value;
                    }
                }
            }
            push(text, &format!("0\n{rows}\n{rows}\n{rows} {rows}\n"));
            for column in columns {
                write_numbers(text, &column);
            }
        }
        MatrixStorage::BlockSparse => {
            let (blocks, stored) = (matrix.block_rows(), matrix.stored_blocks());
            push(
                text,
                &format!("1\n{rows}\n{rows}\n{stored}\n{blocks}\n{blocks}\n"),
            );
            let ends: Vec<usize> = (0..blocks)
                .map(|i| matrix.start(i) + matrix.dim(i))
                .collect();
            write_integers(text, &ends);
            write_integers(text, &ends);
            let mut pointers = vec![0];
            let mut columns = Vec::with_capacity(stored);
            for i in 0..blocks {
                columns.extend(matrix.row(i).map(|(j, _)| j));
                pointers.push(columns.len());
            }
            push(text, &format!("{}\n{stored}\n", blocks + 1));
            write_integers(text, &pointers);
            write_integers(text, &columns);
            let mut number = 0;
            for i in 0..blocks {
                for (j, values) in matrix.row(i) {
                    push(text, &format!("{number}\n"));
                    number += 1;
                    for column in 0..matrix.dim(j) {
                        let stride = values.iter().skip(column).step_by(matrix.dim(j));
                        let column: Vec<f64> = stride.copied().collect();
                        write_numbers(text, &column);
                    }
                }
            }
        }
    }
}

fn push(text: &mut String, line: &str) {
    text.push_str(line);
}

fn write_integers(text: &mut String, values: &[usize]) {
    let words: Vec<String> = values.iter().map(usize::to_string).collect();
    push(text, &words.join(" "));
    text.push('\n');
}

/// One line of numbers with 17 digits after the point: more than enough to give every bit back.
fn write_numbers(text: &mut String, values: &[f64]) {
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            text.push(' ');
        }
        // writing to a String cannot fail
        let _ = write!(text, "{value:.17e}");
    }
    text.push('\n');
}
