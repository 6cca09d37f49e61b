//! Facts by name, which files keep with their numbers.

/// A named fact.
#[derive(Debug, Clone, PartialEq)]
pub struct FileAttribute {
    /// Name.
    pub name: String,
    /// Value.
    pub value: AttributeValue,
    /// True if it is a single number and no list of one.
    pub scalar: bool,
}

/// The value of a fact, in the type of the file.
#[derive(Debug, Clone, PartialEq)]
pub enum AttributeValue {
    /// 32-bit integers.
    I32(Vec<i32>),
    /// 64-bit integers.
    I64(Vec<i64>),
    /// Numbers.
    F64(Vec<f64>),
    /// Truths.
    Bool(Vec<bool>),
    /// Text, in the bytes of the file.
    Text(Vec<u8>),
}
