//! Global problems in Delassus form: W = Hᵀ M⁻¹ H, q = Hᵀ M⁻¹ f + w, and the same with G.

mod error;
mod factor;

use delassus_core::MemoryLimit;

use crate::field::{Global, Local, LocalBilateral};
use crate::matrix::{Blocks, MatrixEntries, StoredMatrix};
pub use error::ReduceError;
use factor::Factor;
pub use factor::Factorization;

/// A problem in Delassus form, and how it came to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Reduced {
    /// The problem; W in blocks of a contact, symmetric to the bit where M is.
    pub local: Local,
    /// How M was factorized.
    pub factorization: Factorization,
}

/// Right-hand sides that are solved for together \[-\].
const CHUNK: usize = 32;

impl Global {
    /// The problem in Delassus form, within `limit`.
    ///
    /// # Errors
    /// Parts that do not fit each other, a singular M, bilateral rows with an unsymmetric M, memory
    /// beyond the limit.
    pub fn reduce(&self, limit: MemoryLimit) -> Result<Reduced, ReduceError> {
        self.validate()?;
        let factor = Factor::new(&self.m, limit)?;
        let symmetric = factor.is_symmetric();
        if self.bilateral.is_some() && !symmetric {
            return Err(ReduceError::Unsymmetric);
        }
        let columns = Columns::new(self);
        let couplings = columns.couple(&factor, limit)?;
        let mut velocity = self.f.clone();
        factor.solve(&mut velocity, 1)?;
        let mut free = vec![0.0; columns.count()];
        columns.multiply_transposed(&velocity, &mut free);
        let rows = self.w.len();
        let (contact, bilateral) = free.split_at(rows);
        let q = contact.iter().zip(&self.w).map(|(free, w)| free + w);
        let local = Local {
            dim: self.dim,
            w: couplings.contacts(self.dim, self.contacts()),
            q: q.collect(),
            mu: self.mu.clone(),
            mu_r: self.mu_r.clone(),
            bilateral: self.bilateral.as_ref().map(|given| LocalBilateral {
                v: couplings.mixed(self.contacts(), rows, given.b.len()),
                r: couplings.bilateral(self.contacts(), given.b.len()),
                s: bilateral.iter().zip(&given.b).map(|(s, b)| s + b).collect(),
            }),
        };
        Ok(Reduced {
            local,
            factorization: factor.kind(),
        })
    }
}

/// The columns of H and G, in groups: a contact, or one bilateral row.
struct Columns {
    /// First column of each group, and one past the last.
    starts: Vec<usize>,
    /// Group of each column.
    group: Vec<usize>,
    /// Entries by row: offsets, columns, values.
    first: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Columns {
    fn new(global: &Global) -> Self {
        let rows = global.w.len();
        let mut starts: Vec<usize> = (0..=global.contacts()).map(|c| c * global.dim).collect();
        let bilateral = global.bilateral.as_ref();
        let count = bilateral.map_or(0, |b| b.b.len());
        starts.extend((1..=count).map(|row| rows + row));
        let groups = starts.windows(2).enumerate();
        let group = groups.flat_map(|(group, pair)| (pair[0]..pair[1]).map(move |_| group));
        let extra = bilateral.iter().flat_map(|b| b.g.entries());
        let extra = extra.map(|(row, column, value)| (row, rows + column, value));
        let entries = global.h.entries().chain(extra);
        let mut entries: Vec<_> = entries.filter(|entry| entry.2 != 0.0).collect();
        entries.sort_by_key(|(row, column, _)| (*row, *column));
        let mut first = vec![0; global.f.len() + 1];
        for (row, _, _) in &entries {
            first[row + 1] += 1;
        }
        for row in 0..global.f.len() {
            first[row + 1] += first[row];
        }
        Self {
            group: group.collect(),
            starts,
            first,
            columns: entries.iter().map(|entry| entry.1).collect(),
            values: entries.iter().map(|entry| entry.2).collect(),
        }
    }

    fn count(&self) -> usize {
        self.group.len()
    }

    /// out += [H G]ᵀ x.
    fn multiply_transposed(&self, x: &[f64], out: &mut [f64]) {
        for (row, x) in x.iter().enumerate() {
            // most of a column of M⁻¹ H is zero
            if *x != 0.0 {
                for k in self.first[row]..self.first[row + 1] {
                    out[self.columns[k]] += self.values[k] * x;
                }
            }
        }
    }

    /// Every block of [H G]ᵀ M⁻¹ [H G] that is not zero.
    fn couple(&self, factor: &Factor, limit: MemoryLimit) -> Result<Couplings, ReduceError> {
        let freedoms = self.first.len() - 1;
        let mut found = Couplings::default();
        let mut bytes = 0u64;
        let mut right = vec![0.0; freedoms * CHUNK.min(self.count())];
        let by_column = self.by_column();
        let mut out = vec![0.0; self.count()];
        // columns of one group, as they are found: first row of the other group, values
        for begin in (0..self.count()).step_by(CHUNK) {
            let width = CHUNK.min(self.count() - begin);
            let right = &mut right[..freedoms * width];
            right.fill(0.0);
            for (local, column) in (begin..begin + width).enumerate() {
                for (row, value) in &by_column[column] {
                    right[local * freedoms + row] += value;
                }
            }
            factor.solve(right, width)?;
            for (local, column) in (begin..begin + width).enumerate() {
                out.fill(0.0);
                let x = &right[local * freedoms..][..freedoms];
                self.multiply_transposed(x, &mut out);
                bytes += found.take(self, column, &out, factor.is_symmetric());
                limit.admit("the Delassus matrix W", bytes)?;
            }
        }
        found.mirror(self, factor.is_symmetric());
        Ok(found)
    }

    /// The entries of each column.
    fn by_column(&self) -> Vec<Vec<(usize, f64)>> {
        let mut by_column = vec![Vec::new(); self.count()];
        for row in 0..self.first.len() - 1 {
            for k in self.first[row]..self.first[row + 1] {
                by_column[self.columns[k]].push((row, self.values[k]));
            }
        }
        by_column
    }
}

/// Blocks of groups by (row, column), each column by column.
#[derive(Default)]
struct Couplings(std::collections::BTreeMap<(usize, usize), Vec<f64>>);

impl Couplings {
    /// Takes the entries of a column that are not zero; returns the bytes that they take.
    fn take(&mut self, columns: &Columns, column: usize, out: &[f64], symmetric: bool) -> u64 {
        let own = columns.group[column];
        let (left, width) = (
            columns.starts[own],
            columns.starts[own + 1] - columns.starts[own],
        );
        let groups = if symmetric {
            own + 1
        } else {
            columns.starts.len() - 1
        };
        let mut bytes = 0;
        for group in 0..groups {
            let rows = columns.starts[group]..columns.starts[group + 1];
            let height = rows.len();
            if out[rows.clone()].iter().all(|x| *x == 0.0) {
                continue;
            }
            let block = self.0.entry((group, own)).or_insert_with(|| {
                // with its mirror and its place in the tree
                bytes += 16 * (height * width) as u64 + 128;
                vec![0.0; height * width]
            });
            block[(column - left) * height..][..height].copy_from_slice(&out[rows]);
        }
        bytes
    }

    /// The lower triangle of a symmetric matrix from its upper one.
    fn mirror(&mut self, columns: &Columns, symmetric: bool) {
        if !symmetric {
            return;
        }
        let mut mirrored = Vec::new();
        for ((row, column), values) in &mut self.0 {
            let height = columns.starts[row + 1] - columns.starts[*row];
            let width = columns.starts[column + 1] - columns.starts[*column];
            if row == column {
                for j in 0..width {
                    for i in j + 1..height {
                        values[j * height + i] = values[i * height + j];
                    }
                }
            } else {
                let transposed =
                    (0..values.len()).map(|k| values[(k % width) * height + k / width]);
                mirrored.push(((*column, *row), transposed.collect()));
            }
        }
        self.0.extend(mirrored);
    }

    /// W, of `count` contacts of `dim` rows.
    fn contacts(&self, dim: usize, count: usize) -> StoredMatrix {
        let index = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
        let ends: Vec<u32> = (1..=count).map(|contact| index(contact * dim)).collect();
        let mut blocks = Blocks {
            row_ends: ends.clone(),
            column_ends: ends,
            pointers: vec![0],
            ..Blocks::default()
        };
        let mut stored = self.0.range(..(count, 0)).peekable();
        for contact in 0..count {
            while let Some(((_, column), values)) = stored.next_if(|((row, _), _)| *row == contact)
            {
                if *column < count {
                    blocks.columns.push(index(*column));
                    blocks.values.extend(values);
                }
            }
            blocks.pointers.push(index(blocks.columns.len()));
        }
        let blocks = if blocks.columns.is_empty() {
            Blocks::default()
        } else {
            blocks
        };
        StoredMatrix::new(count * dim, count * dim, MatrixEntries::Blocks(blocks))
    }

    /// V: rows of contacts, columns of bilateral rows.
    fn mixed(&self, contacts: usize, rows: usize, count: usize) -> StoredMatrix {
        let dim = rows.checked_div(contacts).unwrap_or(0);
        let blocks = self
            .0
            .iter()
            .filter(|((row, column), _)| *row < contacts && *column >= contacts);
        let entries = blocks.flat_map(|((row, column), values)| {
            let values = values.iter().enumerate();
            values.map(move |(i, value)| (row * dim + i, column - contacts, *value))
        });
        triplets(rows, count, entries)
    }

    /// R: rows and columns of bilateral rows.
    fn bilateral(&self, contacts: usize, count: usize) -> StoredMatrix {
        let blocks = self.0.range((contacts, 0)..);
        let blocks = blocks.filter(|((_, column), _)| *column >= contacts);
        let entries = blocks.flat_map(|((row, column), values)| {
            values
                .iter()
                .map(move |value| (row - contacts, column - contacts, *value))
        });
        triplets(count, count, entries)
    }
}

/// A matrix of these entries; all indices of a problem that was validated fit 32 bits.
fn triplets(
    rows: usize,
    columns: usize,
    entries: impl Iterator<Item = (usize, usize, f64)>,
) -> StoredMatrix {
    let index = |i: usize| u32::try_from(i).unwrap_or(u32::MAX);
    let entries = entries.map(|(row, column, value)| (index(row), index(column), value));
    StoredMatrix::triplets(rows, columns, entries)
}
