//! Single tensors of a snapshot.

use safetensors::Dtype;

use super::Snapshot;
use crate::error::ProblemReadError;

impl Snapshot<'_> {
    /// True if there is a tensor of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.tensors.tensor(name).is_ok()
    }

    /// Offset of the data of a tensor; of the header if it is missing.
    pub(super) fn offset(&self, name: &str) -> usize {
        let info = self.metadata.info(name);
        info.map_or(8, |info| self.start + info.data_offsets.0)
    }

    pub(super) fn bad(&self, name: &str, reason: &str) -> ProblemReadError {
        ProblemReadError::Tensor {
            offset: self.offset(name),
            tensor: name.to_owned(),
            reason: reason.to_owned(),
        }
    }

    pub(super) fn shape(&self, name: &str) -> &[usize] {
        let info = self.metadata.info(name);
        info.map_or(&[], |info| info.shape.as_slice())
    }

    /// First extent of a tensor; zero if it is missing, which the next read reports.
    pub(super) fn extent(&self, name: &str) -> usize {
        self.shape(name).first().copied().unwrap_or(0)
    }

    fn data(
        &self,
        name: &str,
        dtype: Dtype,
        shape: Option<&[usize]>,
    ) -> Result<&[u8], ProblemReadError> {
        let view = self
            .tensors
            .tensor(name)
            .map_err(|_| self.bad(name, "is missing"))?;
        if view.dtype() != dtype {
            return Err(self.bad(name, &format!("is {}, expected {dtype}", view.dtype())));
        }
        match shape {
            Some(shape) if view.shape() != shape => {
                let reason = format!("has shape {:?}, expected {shape:?}", view.shape());
                Err(self.bad(name, &reason))
            }
            None if view.shape().len() != 1 => Err(self.bad(name, "is not a vector")),
            _ => Ok(view.data()),
        }
    }

    pub(super) fn reals(&self, name: &str, shape: &[usize]) -> Result<Vec<f64>, ProblemReadError> {
        let data = self.data(name, Dtype::F64, Some(shape))?;
        Ok(words(data).map(f64::from_le_bytes).collect())
    }

    pub(super) fn wholes(
        &self,
        name: &str,
        count: Option<usize>,
    ) -> Result<Vec<u64>, ProblemReadError> {
        let shape = count.map(|count| [count]);
        let shape = shape.as_ref().map(|shape| shape.as_slice());
        let data = self.data(name, Dtype::U64, shape)?;
        Ok(words(data).map(u64::from_le_bytes).collect())
    }

    pub(super) fn counts(&self, name: &str) -> Result<Vec<usize>, ProblemReadError> {
        let wholes = self.wholes(name, None)?;
        let counts = wholes.into_iter().map(usize::try_from);
        let counts: Result<Vec<usize>, _> = counts.collect();
        counts.map_err(|_| self.bad(name, "holds a number that does not fit this machine"))
    }

    pub(super) fn indices(&self, name: &str) -> Result<Vec<u32>, ProblemReadError> {
        let data = self.data(name, Dtype::U32, None)?;
        Ok(words(data).map(u32::from_le_bytes).collect())
    }

    pub(super) fn bytes(&self, name: &str, count: usize) -> Result<Vec<u8>, ProblemReadError> {
        Ok(self.data(name, Dtype::U8, Some(&[count]))?.to_vec())
    }
}

/// Consecutive words of N bytes.
fn words<const N: usize>(data: &[u8]) -> impl Iterator<Item = [u8; N]> + '_ {
    data.chunks_exact(N).map(|chunk| {
        let mut word = [0; N];
        word.copy_from_slice(chunk);
        word
    })
}
