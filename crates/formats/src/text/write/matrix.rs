//! Matrices as text, each in its own storage.

use std::fmt::Write;

use super::{integers, numbers};
use crate::matrix::{Blocks, Compressed, MatrixEntries, StoredMatrix, Triplets};

/// What stands where other programs name their library for sparse matrices.
const LIBRARY: &str = "CSparse storage, written by Delassus";

/// Writes `storage rows columns` and the numbers.
pub(super) fn write(text: &mut String, matrix: &StoredMatrix) {
    let (rows, columns) = (matrix.rows, matrix.columns);
    let kind = match matrix.storage {
        MatrixEntries::Dense(_) => 0,
        MatrixEntries::Blocks(_) => 1,
        _ => 2,
    };
    push(text, format_args!("{kind}\n{rows}\n{columns}\n"));
    match &matrix.storage {
        MatrixEntries::Dense(values) => {
            push(text, format_args!("{rows} {columns}\n"));
            values
                .chunks(rows.max(1))
                .for_each(|column| numbers(text, column));
        }
        MatrixEntries::Blocks(blocks) => write_blocks(text, blocks),
        MatrixEntries::Triplets(entries) => triplets(text, 1, matrix, entries),
        MatrixEntries::HalfTriplets(entries) => triplets(text, 4, matrix, entries),
        MatrixEntries::Columns(entries) => compressed(text, "", "col", 2, matrix, entries),
        MatrixEntries::Rows(entries) => compressed(text, "csr: ", "row", 3, matrix, entries),
    }
}

fn write_blocks(text: &mut String, blocks: &Blocks) {
    let stored = blocks.columns.len();
    push(text, format_args!("{stored}\n"));
    if stored == 0 {
        return;
    }
    let (rows, columns) = (blocks.row_ends.len(), blocks.column_ends.len());
    push(text, format_args!("{rows}\n{columns}\n"));
    integers(text, &blocks.row_ends);
    integers(text, &blocks.column_ends);
    push(text, format_args!("{}\n{stored}\n", blocks.pointers.len()));
    integers(text, &blocks.pointers);
    integers(text, &blocks.columns);
    for (number, [_, height, _, width, offset]) in blocks.places().enumerate() {
        push(text, format_args!("{number}\n"));
        let values = &blocks.values[offset..offset + height * width];
        values
            .chunks(height)
            .for_each(|column| numbers(text, column));
    }
}

fn triplets(text: &mut String, origin: u8, matrix: &StoredMatrix, entries: &Triplets) {
    let (rows, columns) = (matrix.rows, matrix.columns);
    let (capacity, count) = (entries.capacity, entries.values.len());
    push(text, format_args!("{origin}\n{LIBRARY}\n"));
    push(
        text,
        format_args!("triplet: {rows}-by-{columns}, nzmax: {capacity} nnz: {count}\n"),
    );
    let places = entries.rows.iter().zip(&entries.columns);
    for ((row, column), value) in places.zip(&entries.values) {
        push(text, format_args!("{row} {column} : {value:.17e}\n"));
    }
}

fn compressed(
    text: &mut String,
    prefix: &str,
    word: &str,
    origin: u8,
    matrix: &StoredMatrix,
    entries: &Compressed,
) {
    let (rows, columns) = (matrix.rows, matrix.columns);
    let (capacity, count) = (entries.capacity, entries.values.len());
    let norm = one_norm(matrix);
    push(text, format_args!("{origin}\n{LIBRARY}\n"));
    push(
        text,
        format_args!(
            "{prefix}{rows}-by-{columns}, nzmax: {capacity} nnz: {count}, 1-norm: {norm:e}\n"
        ),
    );
    for (major, pair) in entries.pointers.windows(2).enumerate() {
        let last = i64::from(pair[1]) - 1;
        push(
            text,
            format_args!("{word} {major} : locations {} to {last}\n", pair[0]),
        );
        for k in pair[0] as usize..pair[1] as usize {
            let (index, value) = (entries.indices[k], entries.values[k]);
            push(text, format_args!("{index} : {value:.17e}\n"));
        }
    }
}

/// Largest sum of the magnitudes of a column.
fn one_norm(matrix: &StoredMatrix) -> f64 {
    let mut sums = vec![0.0; matrix.columns];
    for (_, column, value) in matrix.entries() {
        sums[column] += f64::abs(value);
    }
    sums.into_iter().fold(0.0, f64::max)
}

fn push(text: &mut String, line: std::fmt::Arguments<'_>) {
    // writing to a String cannot fail
    let _ = text.write_fmt(line);
}
