//! Problems whose friction rows are scaled so that all coefficients of a contact are equal (P.20).

use std::ops::Range;

use super::{MatrixRows, Operator, Problem, ProblemParts};
use crate::bodies::BodyRows;
use crate::coupled::CoupledCompliance;
use crate::descriptor::Precision;
use crate::error::{ProblemError, SolveError};
use crate::law::{Block, Law, RowMap, ScaledKind};
use crate::sparse::BlockSparse;
use crate::start::Start;

impl Problem {
    /// Returns the problem in round rows: the friction rows of scaled laws are transformed so that
    /// all coefficients of a contact are equal (P.20). Blocks and bodies are the same. Without
    /// scaled laws, this is the problem itself. [`crate::Checked`] gives this problem to a method.
    pub fn round(&self) -> &Self {
        self.round.as_deref().unwrap_or(self)
    }

    /// Makes the problem of [`Self::round`].
    ///
    /// # Errors
    /// Numbers that are not finite in round rows.
    pub(super) fn renew_round(&mut self) -> Result<(), ProblemError> {
        self.round = None;
        let is_scaled = self.laws().any(|kind| ScaledKind::of(kind).is_some());
        if is_scaled && self.parts.blocks.iter().any(|b| map_of(b).is_some()) {
            let round = Self::new(parts_in_round_rows(&self.parts)?)?;
            self.round = Some(Box::new(round));
        }
        Ok(())
    }

    /// Changes the problem and then its round form; nothing changes where that fails.
    pub(super) fn change_with_round(
        &mut self,
        change: impl FnOnce(&mut Self) -> Result<(), ProblemError>,
    ) -> Result<(), ProblemError> {
        let kept = self.clone();
        self.round = None;
        let changed = change(self).and_then(|()| self.renew_round());
        if changed.is_err() {
            *self = kept;
        }
        changed
    }
}

/// The rows of friction of a block, and their map from round rows; `None` where they are round.
fn map_of(block: &Block) -> Option<(Range<usize>, RowMap)> {
    let Law::Scaled(law) = &block.law else {
        return None;
    };
    let friction = block.first_row + 1..block.rows().end;
    (block.law != law.round()).then(|| (friction, law.map()))
}

fn parts_in_round_rows(parts: &ProblemParts) -> Result<ProblemParts, ProblemError> {
    let mut round = parts.clone();
    round.coupled_compliance = CoupledCompliance::new();
    for (index, block) in parts.blocks.iter().enumerate() {
        let coupled = parts.coupled_compliance.of(index);
        if let (Some((friction, map)), Law::Scaled(law)) = (map_of(block), &block.law) {
            round.blocks[index].law = law.round();
            map.pull(&mut round.bias[friction]);
            pull_compliance(&mut round, index, block, coupled, &map);
            if let Operator::Bodies(bodies) = &mut round.operator {
                pull_jacobian(bodies, index, block, &map);
            }
        } else if let Some(lower) = coupled {
            round.coupled_compliance.push(index, lower);
        }
    }
    if let Operator::Matrix(matrix) = &parts.operator {
        round.operator = Operator::Matrix(pulled_matrix(matrix, &parts.blocks)?);
    }
    Ok(round)
}

/// TᵀRT of one block.
fn pull_compliance(
    round: &mut ProblemParts,
    index: usize,
    block: &Block,
    lower: Option<&[f64]>,
    map: &RowMap,
) {
    let dim = block.dim;
    let own = &mut round.compliance[block.rows()];
    let mut matrix = vec![0.0; dim * dim];
    let mut lower = lower.unwrap_or_default().iter();
    for i in 0..dim {
        matrix[i * dim + i] = own[i];
        for j in 0..i {
            let entry = lower.next().copied().unwrap_or_default();
            (matrix[i * dim + j], matrix[j * dim + i]) = (entry, entry);
        }
    }
    // equal springs along both tangents are the same in turned rows, without rounding
    let is_even = dim > 2 && matrix[dim + 1] == matrix[2 * dim + 2];
    let alone = |row: usize| (0..dim).all(|j| j == row || matrix[row * dim + j] == 0.0);
    let kept = is_even && map.turns() && alone(1) && alone(2);
    let map = if kept { map.without_turn() } else { *map };
    pull_both_sides(&map, &mut matrix, dim);
    let mut triangle = Vec::with_capacity(CoupledCompliance::packed_len(dim));
    for i in 0..dim {
        own[i] = matrix[i * dim + i];
        triangle.extend_from_slice(&matrix[i * dim..i * dim + i]);
    }
    round.coupled_compliance.push(index, &triangle);
}

/// TᵀST of a square whose first row and column belong to the normal.
fn pull_both_sides(map: &RowMap, matrix: &mut [f64], dim: usize) {
    for row in matrix.chunks_exact_mut(dim) {
        map.pull(&mut row[1..]);
    }
    pull_rows(map, matrix, dim);
}

/// Tᵀ applied to the rows of a matrix after the first, `width` numbers each.
fn pull_rows(map: &RowMap, matrix: &mut [f64], width: usize) {
    let mut column = vec![0.0; matrix.len() / width - 1];
    for j in 0..width {
        for (i, x) in column.iter_mut().enumerate() {
            *x = matrix[(i + 1) * width + j];
        }
        map.pull(&mut column);
        for (i, x) in column.iter().enumerate() {
            matrix[(i + 1) * width + j] = *x;
        }
    }
}

fn pull_jacobian(bodies: &mut BodyRows, index: usize, block: &Block, map: &RowMap) {
    let width = 6 * bodies.bodies_of(index).len();
    let entries = bodies.first_entry[index]..bodies.first_entry[index + 1];
    bodies.jacobian.edit(|all| {
        let rows = all[entries].as_flattened_mut();
        debug_assert_eq!(rows.len(), width * block.dim);
        pull_rows(map, rows, width);
    });
}

fn pulled_matrix(matrix: &MatrixRows, blocks: &[Block]) -> Result<MatrixRows, ProblemError> {
    let maps: Vec<_> = blocks.iter().map(map_of).collect();
    let dims: Vec<usize> = blocks.iter().map(|block| block.dim).collect();
    let mut free_velocity = matrix.free_velocity.clone();
    let mut pulled = Vec::with_capacity(matrix.delassus.stored_blocks());
    for (i, row_map) in maps.iter().enumerate() {
        if let Some((friction, map)) = row_map {
            map.pull(&mut free_velocity[friction.clone()]);
        }
        for (j, values) in matrix.delassus.row(i) {
            let mut values = values.to_vec();
            if let Some((_, map)) = &maps[j] {
                let rows = values.chunks_exact_mut(dims[j]);
                rows.for_each(|row| map.pull(&mut row[1..]));
            }
            if let Some((_, map)) = row_map {
                pull_rows(map, &mut values, dims[j]);
            }
            pulled.push((i, j, values));
        }
    }
    Ok(MatrixRows {
        delassus: BlockSparse::from_blocks(&dims, pulled)?,
        free_velocity,
    })
}

/// The maps between the impulses of a problem and those in round rows ([`Problem::round`], P.20).
#[derive(Debug, Clone, Default)]
pub struct RoundRows {
    maps: Vec<(Range<usize>, RowMap)>,
    /// The start, in the rows of the problem and in round rows.
    start: [Vec<f64>; 2],
    /// True if the method rounds its start to f32.
    single: bool,
}

impl RoundRows {
    /// Returns the maps of a problem; they change nothing if the problem has no scaled laws.
    pub fn of(problem: &Problem) -> Self {
        let mut rows = Self::default();
        rows.renew(problem, Precision::F64);
        rows
    }

    /// Those of another problem, in the same memory, for a method of this precision: a start in
    /// round rows is rounded as the method rounds it, so that [`Self::give`] recognises it.
    pub(crate) fn renew(&mut self, problem: &Problem, precision: Precision) {
        self.single = precision == Precision::F32;
        self.maps.clear();
        for list in &mut self.start {
            list.clear();
        }
        if problem.round.is_some() {
            self.maps.reserve(problem.blocks().len());
            self.maps.extend(problem.blocks().iter().filter_map(map_of));
            for list in &mut self.start {
                list.reserve(problem.rows());
            }
        }
    }

    /// True if the maps change nothing, because the problem has no scaled laws.
    pub fn is_empty(&self) -> bool {
        self.maps.is_empty()
    }

    /// Converts a start to round rows.
    ///
    /// # Errors
    /// Those of [`Start::check`].
    pub fn start<'s>(&'s mut self, start: Start<'s>, rows: usize) -> Result<Start<'s>, SolveError> {
        let (Start::Warm(impulses), false) = (start, self.is_empty()) else {
            return Ok(start);
        };
        start.check(rows)?;
        let [given, round] = &mut self.start;
        for list in [&mut *given, &mut *round] {
            list.clear();
            list.extend_from_slice(impulses);
        }
        for (friction, map) in &self.maps {
            map.take(&mut round[friction.clone()]);
            let lists = [&mut *given, &mut *round];
            for x in lists
                .into_iter()
                .flat_map(|list| &mut list[friction.clone()])
            {
                *x = if self.single { nearest_single(*x) } else { *x };
            }
        }
        Ok(Start::Warm(round))
    }

    /// Converts impulses in round rows to those of the problem, in place. If a row still has its
    /// starting impulse, it gets exactly the impulse that was passed to [`Self::start`].
    pub fn give(&self, impulses: &mut [f64]) {
        let [given, round] = &self.start;
        for (friction, map) in &self.maps {
            let own = &mut impulses[friction.clone()];
            let started = round.get(friction.clone());
            let bits = |x: &f64| x.to_bits();
            if started.is_some_and(|start| start.iter().map(bits).eq(own.iter().map(bits))) {
                own.copy_from_slice(&given[friction.clone()]);
            } else {
                map.give(own);
            }
        }
    }
}

/// The nearest number of f32; numbers that f32 holds in other units alone stay as they are.
#[expect(clippy::cast_possible_truncation, reason = "it rounds to f32")]
fn nearest_single(x: f64) -> f64 {
    let single = x as f32;
    if single.is_normal() {
        f64::from(single)
    } else {
        x
    }
}
