//! Cholesky factor of a shifted principal block S_FF + εI, by faer's blocked kernels on memory that
//! is made once.

use delassus_core::{SolveError, interrupt};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::matmul::matmul;
use faer::{Accum, ColMut, ColRef, MatMut, MatRef, Par};

use crate::assembly::DenseDelassus;

/// Columns begin at multiples of this many numbers: a cache line \[-\].
const ALIGNMENT: usize = 8;

/// Size of a block that all kernels take part in \[-\].
const KERNELS_AWAKE: usize = 256;

/// See the module documentation.
pub(crate) struct ShiftedFactor {
    /// Column-major; the strict upper triangle is never read.
    values: Vec<f64>,
    size: usize,
    scratch: MemBuffer,
}

impl std::fmt::Debug for ShiftedFactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShiftedFactor")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

fn stride(size: usize) -> usize {
    size.next_multiple_of(ALIGNMENT)
}

impl ShiftedFactor {
    /// Room for blocks of up to `capacity` rows.
    pub(crate) fn new(capacity: usize) -> Self {
        let scratch =
            llt::factor::cholesky_in_place_scratch::<f64>(capacity, Par::Seq, Default::default());
        let mut factor = Self {
            values: vec![0.0; capacity * stride(capacity)],
            size: 0,
            scratch: MemBuffer::new(scratch),
        };
        factor.wake_kernels(capacity.min(KERNELS_AWAKE));
        factor
    }

    /// The kernels make a buffer per thread when they first run: here, not while iterating.
    fn wake_kernels(&mut self, size: usize) {
        self.size = size;
        (0..size).for_each(|k| self.values[k * stride(size) + k] = 1.0);
        // a limit may leave no time for it
        let _ = self.decompose();
        self.size = 0;
    }

    /// Factorizes the rows and columns `free` of S with `shift` added to the diagonal, O(k³/3).
    ///
    /// # Errors
    /// A pivot that is not positive: S is more indefinite than the shift.
    pub(crate) fn factorize(
        &mut self,
        matrix: &DenseDelassus,
        free: &[usize],
        shift: f64,
    ) -> Result<(), SolveError> {
        self.size = free.len();
        self.afford()?;
        let stride = stride(self.size);
        // a whole prefix of the rows is copied without looking up columns
        let whole = free.last().is_none_or(|last| *last + 1 == free.len());
        interrupt::for_each(free.len(), free.len(), |k| {
            let column = &mut self.values[k * stride..][..self.size];
            let source = matrix.row(free[k]);
            if whole {
                column[k..].copy_from_slice(&source[k..self.size]);
            } else {
                for (target, j) in column[k..].iter_mut().zip(&free[k..]) {
                    *target = source[*j];
                }
            }
            column[k] += shift;
        })?;
        self.decompose()
    }

    /// Fails if the time that is left does not suffice for a factor of this size.
    fn afford(&self) -> Result<(), SolveError> {
        let n = self.size as f64;
        interrupt::afford_factor(n * n * n / 6.0)
    }

    fn decompose(&mut self) -> Result<(), SolveError> {
        if self.size == 0 {
            return Ok(());
        }
        self.afford()?;
        let block = MatMut::from_column_major_slice_with_stride_mut(
            &mut self.values,
            self.size,
            self.size,
            stride(self.size),
        );
        llt::factor::cholesky_in_place(
            block,
            Default::default(),
            Par::Seq,
            MemStack::new(&mut self.scratch),
            Default::default(),
        )
        .map(|_| ())
        .map_err(|_| SolveError::Factorization {
            reason: "the matrix is not positive semi-definite",
        })
    }

    /// x ← (S_FF + εI)⁻¹ x, one entry per row of the block.
    ///
    /// # Errors
    /// [`SolveError::Interrupted`] if the time that is left does not suffice.
    pub(crate) fn solve(&mut self, x: &mut [f64]) -> Result<(), SolveError> {
        if self.size == 0 {
            return Ok(());
        }
        interrupt::afford((self.size * self.size) as f64)?;
        let factor = MatRef::from_column_major_slice_with_stride(
            &self.values,
            self.size,
            self.size,
            stride(self.size),
        );
        llt::solve::solve_in_place(
            factor,
            MatMut::from_column_major_slice_mut(x, self.size, 1),
            Par::Seq,
            MemStack::new(&mut self.scratch),
        );
        Ok(())
    }
}

/// out = S x + c, by faer's kernels: the instructions of the machine, whatever the program was
/// built for.
///
/// # Errors
/// [`SolveError::Interrupted`] if the time that is left does not suffice.
pub(crate) fn velocities(
    matrix: &DenseDelassus,
    x: &[f64],
    c: &[f64],
    out: &mut [f64],
) -> Result<(), SolveError> {
    out.copy_from_slice(c);
    if out.is_empty() {
        return Ok(());
    }
    interrupt::afford((x.len() * x.len()) as f64)?;
    matmul(
        ColMut::from_slice_mut(out),
        Accum::Add,
        matrix.as_mat(),
        ColRef::from_slice(x),
        1.0,
        Par::Seq,
    );
    Ok(())
}

impl DenseDelassus {
    /// True if no eigenvalue of the scaled matrix (D.2) is below −`tolerance` \[-\], by a Cholesky
    /// factor of the matrix with this shift, O(m³/6). The matrix must be symmetric.
    ///
    /// # Errors
    /// [`SolveError::Interrupted`] if the time that is left does not suffice.
    pub fn is_semidefinite(&self, tolerance: f64) -> Result<bool, SolveError> {
        let all: Vec<usize> = (0..self.rows()).collect();
        let scaled = self.scaled(&self.scaling())?;
        let mut factor = ShiftedFactor::new(self.rows());
        match factor.factorize(&scaled, &all, tolerance) {
            Ok(()) => Ok(true),
            Err(SolveError::Factorization { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}
