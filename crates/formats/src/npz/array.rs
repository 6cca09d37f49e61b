//! An array in memory.

use std::borrow::Cow;

/// An array with its name.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedArray {
    /// Name, the key of the archive.
    pub name: Cow<'static, str>,
    /// Extent of each axis, the last one running fastest \[-\].
    pub shape: Vec<usize>,
    /// Numbers.
    pub values: NpyValues,
}

/// The numbers of an array, row by row.
#[derive(Debug, Clone, PartialEq)]
pub enum NpyValues {
    /// Numbers of 64 bits.
    F64(Vec<f64>),
    /// Whole numbers of 64 bits.
    I64(Vec<i64>),
    /// Texts.
    Text(Vec<String>),
}
