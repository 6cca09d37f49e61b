//! Compliance that couples the rows of one block: the off-diagonal entries of R.

/// Off-diagonal entries R_ij of the blocks whose compliance is not diagonal (P.13) \[1/kg |
/// 1/(kg·m) | 1/(kg·m²)\]. Each of these blocks stores its strict lower triangle, row by row (R_10,
/// R_20, R_21, R_30, …). Other blocks take no memory.
#[derive(Debug, Default, PartialEq)]
pub struct CoupledCompliance {
    /// Blocks with entries, ascending once validated.
    blocks: Vec<usize>,
    /// End of the entries of each of them.
    ends: Vec<usize>,
    entries: Vec<f64>,
}

impl Clone for CoupledCompliance {
    fn clone(&self) -> Self {
        Self {
            blocks: self.blocks.clone(),
            ends: self.ends.clone(),
            entries: self.entries.clone(),
        }
    }

    /// Reuses the memory of `self`, because schemes replace the compliance in every solve.
    fn clone_from(&mut self, source: &Self) {
        self.blocks.clone_from(&source.blocks);
        self.ends.clone_from(&source.ends);
        self.entries.clone_from(&source.entries);
    }
}

impl CoupledCompliance {
    /// Creates a compliance without off-diagonal entries.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the strict lower triangle of a block. Add the blocks in ascending order. A triangle of
    /// zeros is not stored, because the compliance of this block is diagonal.
    pub fn push(&mut self, block: usize, lower: &[f64]) {
        if lower.iter().all(|r| *r == 0.0) {
            return;
        }
        self.blocks.push(block);
        self.entries.extend_from_slice(lower);
        self.ends.push(self.entries.len());
    }

    /// True if R is diagonal.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Number of blocks whose compliance is not diagonal \[-\].
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Iterates over the blocks whose compliance is not diagonal, with their strict lower
    /// triangles.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[f64])> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges = starts.zip(&self.ends);
        let triangles = ranges.map(|(start, end)| &self.entries[start..*end]);
        self.blocks.iter().copied().zip(triangles)
    }

    /// The strict lower triangle of a block; `None` if its compliance is diagonal.
    pub fn of(&self, block: usize) -> Option<&[f64]> {
        let at = self.blocks.binary_search(&block).ok()?;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        Some(&self.entries[start..self.ends[at]])
    }

    /// All triangles one after the other \[1/kg | 1/(kg·m) | 1/(kg·m²)\].
    pub fn entries(&self) -> &[f64] {
        &self.entries
    }

    /// Multiplies every entry by `factor`.
    pub fn scale(&mut self, factor: f64) {
        self.entries.iter_mut().for_each(|r| *r *= factor);
    }

    /// Removes all blocks and keeps the memory.
    pub fn clear(&mut self) {
        self.blocks.clear();
        self.ends.clear();
        self.entries.clear();
    }

    /// Removes the last block if its index is `block`.
    pub(crate) fn remove_last(&mut self, block: usize) {
        if self.blocks.last() == Some(&block) {
            self.blocks.pop();
            self.ends.pop();
            self.entries
                .truncate(self.ends.last().copied().unwrap_or(0));
        }
    }

    /// Memory that the compliance takes \[B\].
    pub(crate) fn memory(&self) -> usize {
        size_of_val(self.blocks.as_slice())
            + size_of_val(self.ends.as_slice())
            + size_of_val(self.entries.as_slice())
    }

    /// Number of entries in the strict lower triangle of a block with `dim` rows \[-\].
    pub fn packed_len(dim: usize) -> usize {
        dim * dim.saturating_sub(1) / 2
    }

    /// Iterates over the indices (i, j), i > j, of a strict lower triangle, row by row.
    pub fn lower_indices() -> impl Iterator<Item = (usize, usize)> {
        (1..).flat_map(|i| (0..i).map(move |j| (i, j)))
    }
}

/// Smallest pivot of diag(r)^(-1/2) R diag(r)^(-1/2) that counts as zero instead of negative \[-\].
const TOLERANCE: f64 = 1e-12;

/// Rows of a block whose factor needs no memory of its own \[-\]: contacts, joints, and what
/// resists rolling.
const SMALL: usize = 6;

/// True if R with this diagonal and strict lower triangle has no negative eigenvalue beyond
/// rounding, and no entry in a row whose diagonal is zero.
pub(crate) fn is_semidefinite(diagonal: &[f64], lower: &[f64]) -> bool {
    let dim = diagonal.len();
    if dim <= SMALL {
        return has_factor(diagonal, lower, &mut [0.0; SMALL * SMALL]);
    }
    has_factor(diagonal, lower, &mut vec![0.0; dim * dim])
}

/// The same with zeros for a factor.
fn has_factor(diagonal: &[f64], lower: &[f64], factor: &mut [f64]) -> bool {
    let dim = diagonal.len();
    // Cholesky of the matrix with a unit diagonal, raised by what rounding may have taken
    let mut entries = lower.iter();
    for i in 0..dim {
        for j in 0..i {
            let Some(r) = entries.next() else {
                return false;
            };
            let (root_i, root_j) = (diagonal[i].sqrt(), diagonal[j].sqrt());
            let scaled = match (*r == 0.0, root_i * root_j > 0.0) {
                (true, _) => 0.0,
                (false, true) => r / root_i / root_j,
                (false, false) => return false,
            };
            let known: f64 = (0..j)
                .map(|k| factor[i * dim + k] * factor[j * dim + k])
                .sum();
            factor[i * dim + j] = (scaled - known) / factor[j * dim + j];
        }
        let known: f64 = (0..i)
            .map(|k| factor[i * dim + k] * factor[i * dim + k])
            .sum();
        let pivot = 1.0 + dim as f64 * TOLERANCE - known;
        if pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        factor[i * dim + i] = pivot.sqrt();
    }
    true
}
