//! Writing text problems that give every bit back.

mod lines;
mod matrix;

use crate::error::WriteTextError;
use crate::field::{FieldProblem, Global, Lcp, Local, Mlcp, Relay, RowKind};
use lines::{integers, numbers};

/// Writes a problem in its text format, each matrix in its own storage; 17 digits after the point.
///
/// # Errors
/// Parts that do not fit each other; bilateral rows, for which the text formats have no place.
pub fn write(problem: &FieldProblem) -> Result<String, WriteTextError> {
    problem.validate()?;
    let mut text = String::new();
    match problem {
        FieldProblem::Local(problem) => local(&mut text, problem)?,
        FieldProblem::Global(problem) => global(&mut text, problem)?,
        FieldProblem::Lcp(problem) => lcp(&mut text, problem),
        FieldProblem::Relay(problem) => relay(&mut text, problem),
        FieldProblem::Mlcp(problem) => mlcp(&mut text, problem),
    }
    Ok(text)
}

fn local(text: &mut String, problem: &Local) -> Result<(), WriteTextError> {
    refuse_bilateral(problem.bilateral.as_ref().map(|b| b.s.len()))?;
    text.push_str(&format!("{}\n{}\n", problem.dim, problem.contacts()));
    matrix::write(text, &problem.w);
    numbers(text, &problem.q);
    numbers(text, &problem.mu);
    problem.mu_r.iter().for_each(|mu_r| numbers(text, mu_r));
    Ok(())
}

fn global(text: &mut String, problem: &Global) -> Result<(), WriteTextError> {
    refuse_bilateral(problem.bilateral.as_ref().map(|b| b.b.len()))?;
    text.push_str(&format!("{}\n{}\n", problem.dim, problem.contacts()));
    matrix::write(text, &problem.m);
    matrix::write(text, &problem.h);
    numbers(text, &problem.f);
    numbers(text, &problem.w);
    numbers(text, &problem.mu);
    problem.mu_r.iter().for_each(|mu_r| numbers(text, mu_r));
    Ok(())
}

/// Text has no place for bilateral rows.
fn refuse_bilateral(rows: Option<usize>) -> Result<(), WriteTextError> {
    match rows {
        None => Ok(()),
        Some(rows) => Err(WriteTextError::NotExpressible {
            reason: format!("it has {rows} bilateral rows; FCLIB has a place for them"),
        }),
    }
}

fn lcp(text: &mut String, problem: &Lcp) {
    text.push_str(&format!("{}\n", problem.q.len()));
    matrix::write(text, &problem.m);
    numbers(text, &problem.q);
}

fn relay(text: &mut String, problem: &Relay) {
    text.push_str(&format!("{}\n", problem.q.len()));
    matrix::write(text, &problem.m);
    numbers(text, &problem.q);
    numbers(text, &problem.lower);
    numbers(text, &problem.upper);
}

fn mlcp(text: &mut String, problem: &Mlcp) {
    let first = u8::from(problem.matrix.is_some());
    let second = u8::from(problem.parts.is_some() || !problem.trailing.is_empty());
    let (n, m) = (problem.equalities, problem.complementarities);
    text.push_str(&format!("{first}\n{second}\n{n}\n{m}\n"));
    if let Some(form) = &problem.matrix {
        let ends: Vec<u32> = std::iter::once(0)
            .chain(form.ends.iter().copied())
            .collect();
        integers(text, &ends);
        let kinds: Vec<u32> = form
            .kinds
            .iter()
            .map(|kind| match kind {
                RowKind::Equality => 0,
                RowKind::Complementarity => 1,
            })
            .collect();
        integers(text, &kinds);
        matrix::write(text, &form.m);
        numbers(text, &form.q);
    }
    if let Some(parts) = &problem.parts {
        for (values, columns) in [(&parts.a, n), (&parts.b, m), (&parts.c, m), (&parts.d, n)] {
            values
                .chunks(columns.max(1))
                .for_each(|row| numbers(text, row));
        }
        numbers(text, &parts.a_vector);
        numbers(text, &parts.b_vector);
    }
    if !problem.trailing.is_empty() {
        numbers(text, &problem.trailing);
    }
}
