//! From a problem to an HDF5 file.

use delassus_hdf5::{Array, Group};

use super::error::WriteFclibError;
use super::facts::attribute_array;
use super::matrix::{self, Instead, narrow};
use super::{NUMBER_OF_GUESSES, groups};
use crate::field::{FieldFile, FieldProblem, Global, Info, Local, StoredSolution};

/// The bytes of an FCLIB file: groups, names, types and shapes are those that the library writes.
///
/// Matrices keep the storage that the format knows (triplets, columns, rows). Others are rewritten
/// without a change of a value: by rows in a local problem, as triplets in a global one; zeros of a
/// dense matrix are left out.
///
/// # Errors
/// A problem of a kind that the format has no form for, or whose parts do not fit each other.
pub fn write(file: &FieldFile) -> Result<Vec<u8>, WriteFclibError> {
    file.validate()?;
    let mut root = Group::default();
    let (name, mut group, dim) = match &file.problem {
        FieldProblem::Local(problem) if problem.dim < 5 => {
            (groups::LOCAL, local(problem)?, problem.dim)
        }
        FieldProblem::Global(problem) => {
            let name = match problem.mu_r {
                Some(_) => groups::GLOBAL_ROLLING,
                None => groups::GLOBAL,
            };
            (name, global(problem)?, problem.dim)
        }
        FieldProblem::Local(_) => {
            return Err(refused(
                file,
                "rolling friction is global there, or rfc3d text",
            ));
        }
        FieldProblem::Lcp(_) | FieldProblem::Relay(_) | FieldProblem::Mlcp(_) => {
            return Err(refused(file, "it holds friction; write text"));
        }
    };
    let dim = file.declared_dimension.map_or(dim as u64, u64::from);
    group.add("spacedim", Array::i32s(&[narrow("the dimension", dim)?]));
    if let Some(info) = &file.info {
        group.add_group("info", self::info(info));
    }
    root.add_group(name, group);
    if let Some(solution) = &file.solution {
        root.add_group(groups::SOLUTION, unknowns(solution));
    }
    if !file.guesses.is_empty() {
        root.add_group(groups::GUESSES, guesses(&file.guesses)?);
    }
    Ok(delassus_hdf5::write(&root)?)
}

fn refused(file: &FieldFile, advice: &'static str) -> WriteFclibError {
    let kind = file.problem.kind().name();
    WriteFclibError::Kind { kind, advice }
}

fn local(problem: &Local) -> Result<Group<'static>, WriteFclibError> {
    let mut group = Group::default();
    let mut vectors = Group::default();
    group.add_group("W", matrix::write(&problem.w, Instead::Rows)?);
    vectors.add("q", Array::f64s(&problem.q));
    vectors.add("mu", Array::f64s(&problem.mu));
    if let Some(bilateral) = &problem.bilateral {
        group.add_group("V", matrix::write(&bilateral.v, Instead::Rows)?);
        group.add_group("R", matrix::write(&bilateral.r, Instead::Rows)?);
        vectors.add("s", Array::f64s(&bilateral.s));
    }
    group.add_group("vectors", vectors);
    Ok(group)
}

fn global(problem: &Global) -> Result<Group<'static>, WriteFclibError> {
    let mut group = Group::default();
    let mut vectors = Group::default();
    group.add_group("M", matrix::write(&problem.m, Instead::Triplets)?);
    group.add_group("H", matrix::write(&problem.h, Instead::Triplets)?);
    vectors.add("f", Array::f64s(&problem.f));
    vectors.add("w", Array::f64s(&problem.w));
    vectors.add("mu", Array::f64s(&problem.mu));
    if let Some(mu_r) = &problem.mu_r {
        vectors.add("mu_r", Array::f64s(mu_r));
    }
    if let Some(bilateral) = &problem.bilateral {
        group.add_group("G", matrix::write(&bilateral.g, Instead::Triplets)?);
        vectors.add("b", Array::f64s(&bilateral.b));
    }
    group.add_group("vectors", vectors);
    Ok(group)
}

fn info(info: &Info) -> Group<'static> {
    let mut group = Group::default();
    let texts = [
        ("title", &info.title),
        ("description", &info.description),
        ("math_info", &info.math_info),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            group.add(name, Array::text(text));
        }
    }
    for fact in &info.attributes {
        group.add_attribute(fact.name.clone(), attribute_array(fact));
    }
    group
}

fn guesses(guesses: &[StoredSolution]) -> Result<Group<'static>, WriteFclibError> {
    let mut group = Group::default();
    let count = narrow("the number of guesses", guesses.len() as u64)?;
    group.add(NUMBER_OF_GUESSES, Array::i32s(&[count]));
    for (index, guess) in guesses.iter().enumerate() {
        group.add_group((index + 1).to_string(), unknowns(guess));
    }
    Ok(group)
}

fn unknowns(solution: &StoredSolution) -> Group<'static> {
    let mut group = Group::default();
    group.add("u", Array::f64s(&solution.u));
    group.add("r", Array::f64s(&solution.r));
    if let Some(v) = &solution.v {
        group.add("v", Array::f64s(v));
    }
    if let Some(l) = &solution.l {
        group.add("l", Array::f64s(l));
    }
    group
}
