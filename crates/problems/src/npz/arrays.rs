//! Arrays by name.

use delassus_core::MemoryLimit;
use delassus_formats::npz::{NamedArray, NpyValues, NpzReadError, read_archive};

use super::names;
use crate::error::ProblemReadError;

/// Arrays whose elements must all be finite.
const FINITE: [&str; 7] = [
    names::DELASSUS,
    names::COMPLIANCE,
    names::CONSTANT,
    names::BIAS,
    names::JACOBIAN,
    names::INVERSE_MASS,
    names::FREE_VELOCITY,
];

/// An array of numbers.
pub(super) fn reals(name: &'static str, shape: &[usize], values: Vec<f64>) -> NamedArray {
    NamedArray {
        name: name.into(),
        shape: shape.to_vec(),
        values: NpyValues::F64(values),
    }
}

pub(super) fn bad(array: &str, reason: impl Into<String>) -> ProblemReadError {
    NpzReadError::array(array, reason).into()
}

/// The index of element `at` along each axis.
fn index(mut at: usize, shape: &[usize]) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (place, extent) in index.iter_mut().zip(shape).rev() {
        *place = at % extent;
        at /= extent;
    }
    index
}

/// The arrays of an archive.
pub(super) struct Arrays {
    all: Vec<NamedArray>,
}

impl Arrays {
    pub(super) fn read(bytes: &[u8], limit: MemoryLimit) -> Result<Self, ProblemReadError> {
        let all = read_archive(bytes, &names::ALL, limit)?;
        Ok(Self { all })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.all.iter().any(|array| array.name == name)
    }

    /// Bytes of all elements, texts as long as usual \[B\].
    pub(super) fn bytes(&self) -> u64 {
        let elements = self.all.iter().map(|array| match &array.values {
            NpyValues::F64(values) => values.len(),
            NpyValues::I64(values) => values.len(),
            NpyValues::Text(values) => 8 * values.len(),
        });
        8 * elements.sum::<usize>() as u64
    }

    pub(super) fn array(&self, name: &str) -> Result<&NamedArray, ProblemReadError> {
        let found = self.all.iter().find(|array| array.name == name);
        found.ok_or_else(|| bad(name, "is missing"))
    }

    /// Extents of an array of as many axes.
    pub(super) fn extents<const N: usize>(
        &self,
        name: &str,
    ) -> Result<[usize; N], ProblemReadError> {
        let shape = &self.array(name)?.shape;
        let extents = shape.as_slice().try_into();
        extents.map_err(|_| bad(name, format!("has shape {shape:?}, expected {N} axes")))
    }

    /// The numbers of an array of this shape.
    pub(super) fn reals(&self, name: &str, shape: &[usize]) -> Result<Vec<f64>, ProblemReadError> {
        let array = self.array(name)?;
        if array.shape != shape {
            let found = &array.shape;
            return Err(bad(
                name,
                format!("has shape {found:?}, expected {shape:?}"),
            ));
        }
        match &array.values {
            NpyValues::F64(values) => {
                let is_wrong = |x: &f64| FINITE.contains(&name) && !x.is_finite();
                match values.iter().position(is_wrong) {
                    Some(at) => Err(bad(
                        name,
                        format!("is {} at {:?}", values[at], index(at, shape)),
                    )),
                    None => Ok(values.clone()),
                }
            }
            NpyValues::I64(values) => Ok(values.iter().map(|x| *x as f64).collect()),
            NpyValues::Text(_) => Err(bad(name, "has texts, expected numbers")),
        }
    }

    /// The same of an array that may be missing.
    pub(super) fn optional(
        &self,
        name: &str,
        shape: &[usize],
    ) -> Result<Option<Vec<f64>>, ProblemReadError> {
        let found = self.has(name).then(|| self.reals(name, shape));
        found.transpose()
    }
}
