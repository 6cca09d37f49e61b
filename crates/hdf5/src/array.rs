//! Arrays: shape, type, bytes, and the values in them.

use std::borrow::Cow;
use std::fmt;

use crate::error::ValueError;

/// An array of a dataset or an attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct Array<'a> {
    /// Extents, slowest first; none for a single value.
    pub shape: Vec<u64>,
    /// Type of the elements.
    pub kind: Type,
    /// The elements, row-major, as they are in the file.
    pub content: ArrayData<'a>,
    /// Where it lies in the file it was read from \[bytes\].
    pub offset: usize,
}

/// The elements of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArrayData<'a> {
    /// Their bytes, of one [`Type::size`] each; of a text of variable length its bytes.
    Bytes(Cow<'a, [u8]>),
    /// They are stored in a way that is not read here, which is named.
    Unsupported(&'static str),
}

/// Type of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// A whole number of 1, 2, 4 or 8 bytes.
    Integer {
        /// Its size \[bytes\].
        bytes: u8,
        /// Two's complement.
        signed: bool,
        /// Order of its bytes.
        order: ByteOrder,
    },
    /// An IEEE number of 4 or 8 bytes.
    Float {
        /// Its size \[bytes\].
        bytes: u8,
        /// Order of its bytes.
        order: ByteOrder,
    },
    /// False or true: the enumeration of a byte that Python writes.
    Boolean,
    /// A text of fixed length.
    Text {
        /// Its length \[bytes\].
        length: u32,
        /// What fills it.
        padding: Padding,
        /// What its bytes mean.
        charset: Charset,
    },
    /// A text of any length.
    VariableText {
        /// What its bytes mean.
        charset: Charset,
    },
    /// A type that is not read here: the number of its class in the format.
    Other(u8),
}

/// Order of the bytes of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteOrder {
    /// The lowest first.
    Little,
    /// The highest first.
    Big,
}

/// What follows a text that is shorter than its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Padding {
    /// A zero byte ends it.
    NullTerminated,
    /// Zero bytes fill it.
    Null,
    /// Blanks fill it.
    Space,
}

/// What the bytes of a text are said to mean. Programs do not always keep to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    /// ASCII.
    Ascii,
    /// UTF-8.
    Utf8,
}

impl Type {
    /// A little-endian signed integer of 32 bits.
    pub const I32: Self = Self::integer(4);
    /// A little-endian signed integer of 64 bits.
    pub const I64: Self = Self::integer(8);
    /// A little-endian IEEE number of 64 bits.
    pub const F64: Self = Self::Float {
        bytes: 8,
        order: ByteOrder::Little,
    };

    const fn integer(bytes: u8) -> Self {
        Self::Integer {
            bytes,
            signed: true,
            order: ByteOrder::Little,
        }
    }

    /// Size of an element \[bytes\], if all have one.
    #[must_use]
    pub fn size(self) -> Option<u64> {
        match self {
            Self::Integer { bytes, .. } | Self::Float { bytes, .. } => Some(bytes.into()),
            Self::Boolean => Some(1),
            Self::Text { length, .. } => Some(length.into()),
            Self::VariableText { .. } | Self::Other(_) => None,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer { bytes, signed, .. } => {
                let sign = if *signed { "signed" } else { "unsigned" };
                write!(f, "{sign} integers of {bytes} bytes")
            }
            Self::Float { bytes, .. } => write!(f, "real numbers of {bytes} bytes"),
            Self::Boolean => write!(f, "booleans"),
            Self::Text { length, .. } => write!(f, "texts of {length} bytes"),
            Self::VariableText { .. } => write!(f, "texts of variable length"),
            Self::Other(class) => write!(f, "of a type of class {class}"),
        }
    }
}

impl<'a> Array<'a> {
    /// An array of these bytes, little-endian.
    #[must_use]
    pub fn new(shape: Vec<u64>, kind: Type, bytes: impl Into<Cow<'a, [u8]>>) -> Self {
        Self {
            shape,
            kind,
            content: ArrayData::Bytes(bytes.into()),
            offset: 0,
        }
    }

    /// One row of 32-bit integers.
    #[must_use]
    pub fn i32s(values: &[i32]) -> Self {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        Self::new(vec![values.len() as u64], Type::I32, bytes)
    }

    /// One row of 64-bit IEEE numbers.
    #[must_use]
    pub fn f64s(values: &[f64]) -> Self {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        Self::new(vec![values.len() as u64], Type::F64, bytes)
    }

    /// A text as a single value: a zero byte ends it, or, where it holds zeros itself, the padding
    /// that keeps them.
    #[must_use]
    pub fn text(text: &[u8]) -> Self {
        let mut bytes = text.to_vec();
        // padding goes from the end, so that it must not be the last byte of the text
        let padding = match (text.contains(&0), text.last()) {
            (false, _) => Padding::NullTerminated,
            (true, Some(0)) => Padding::Space,
            (true, _) => Padding::Null,
        };
        if padding == Padding::NullTerminated {
            bytes.push(0);
        }
        let kind = Type::Text {
            length: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
            padding,
            charset: Charset::Ascii,
        };
        Self::new(Vec::new(), kind, bytes)
    }

    /// Number of elements \[-\]; `u64::MAX` stands for an overflow.
    #[must_use]
    pub fn count(&self) -> u64 {
        let product = |a: u64, b: &u64| a.checked_mul(*b);
        self.shape.iter().try_fold(1, product).unwrap_or(u64::MAX)
    }

    /// The bytes of the elements.
    ///
    /// # Errors
    /// [`ValueError::Unsupported`] with what is not read here.
    pub fn bytes(&self) -> Result<&[u8], ValueError> {
        match &self.content {
            ArrayData::Bytes(bytes) => Ok(bytes),
            ArrayData::Unsupported(feature) => Err(ValueError::Unsupported {
                offset: self.offset as u64,
                feature,
            }),
        }
    }

    /// The elements of an array of real numbers, f32 widened.
    ///
    /// # Errors
    /// [`ValueError::Type`] for other elements; [`ValueError::Unsupported`].
    pub fn to_f64s(&self) -> Result<Vec<f64>, ValueError> {
        let bytes = self.bytes()?;
        match self.kind {
            Type::Float { bytes: 8, order } => {
                Ok(words(bytes, order).map(f64::from_bits).collect())
            }
            Type::Float { bytes: 4, order } => Ok(half_words(bytes, order)
                .map(|bits| f64::from(f32::from_bits(bits)))
                .collect()),
            _ => Err(self.not("real numbers of 4 or 8 bytes")),
        }
    }

    /// The elements of an array of integers that all fit in 32 bits.
    ///
    /// # Errors
    /// [`ValueError::Type`] for other elements; [`ValueError::Range`]; [`ValueError::Unsupported`].
    pub fn to_i32s(&self) -> Result<Vec<i32>, ValueError> {
        let bytes = self.bytes()?;
        let (size, signed, order) = match self.kind {
            Type::Integer {
                bytes: size @ (4 | 8),
                signed,
                order,
            } => (size, signed, order),
            _ => return Err(self.not("integers of 4 or 8 bytes")),
        };
        let range = |index: usize, value: String| ValueError::Range {
            offset: self.offset as u64,
            index,
            value,
        };
        let mut values = Vec::with_capacity(bytes.len() / usize::from(size));
        if size == 4 {
            for (index, bits) in half_words(bytes, order).enumerate() {
                let value = bits.cast_signed();
                if value < 0 && !signed {
                    return Err(range(index, bits.to_string()));
                }
                values.push(value);
            }
        } else {
            for (index, bits) in words(bytes, order).enumerate() {
                let value = bits.cast_signed();
                let small = i32::try_from(value).ok().filter(|_| signed || value >= 0);
                values.push(small.ok_or_else(|| range(index, value.to_string()))?);
            }
        }
        Ok(values)
    }

    /// The only element of an array of integers.
    ///
    /// # Errors
    /// [`ValueError::Count`] for more or none; those of [`Array::to_i32s`].
    pub fn to_i32(&self) -> Result<i32, ValueError> {
        self.single()?;
        Ok(self.to_i32s()?[0])
    }

    /// The only element of an array of texts, without what fills its place; its bytes may be of any
    /// character set.
    ///
    /// # Errors
    /// [`ValueError::Count`] for more or none; [`ValueError::Type`] for other elements;
    /// [`ValueError::Unsupported`].
    pub fn to_text(&self) -> Result<&[u8], ValueError> {
        self.single()?;
        let bytes = self.bytes()?;
        let padding = match self.kind {
            Type::Text { padding, .. } => padding,
            Type::VariableText { .. } => return Ok(bytes),
            _ => return Err(self.not("texts")),
        };
        let end = match padding {
            Padding::NullTerminated => bytes.iter().position(|byte| *byte == 0),
            Padding::Null => bytes.iter().rposition(|byte| *byte != 0).map(|at| at + 1),
            Padding::Space => bytes
                .iter()
                .rposition(|byte| *byte != b' ')
                .map(|at| at + 1),
        };
        let empty = match padding {
            Padding::NullTerminated => bytes.len(),
            Padding::Null | Padding::Space => 0,
        };
        Ok(&bytes[..end.unwrap_or(empty)])
    }

    fn single(&self) -> Result<(), ValueError> {
        if self.count() == 1 {
            return Ok(());
        }
        Err(ValueError::Count {
            offset: self.offset as u64,
            found: self.count(),
            expected: 1,
        })
    }

    fn not(&self, expected: &'static str) -> ValueError {
        ValueError::Type {
            offset: self.offset as u64,
            found: self.kind.to_string(),
            expected,
        }
    }
}

/// Numbers of 8 bytes.
fn words(bytes: &[u8], order: ByteOrder) -> impl ExactSizeIterator<Item = u64> {
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().map(move |word| match order {
        ByteOrder::Little => u64::from_le_bytes(*word),
        ByteOrder::Big => u64::from_be_bytes(*word),
    })
}

/// Numbers of 4 bytes.
fn half_words(bytes: &[u8], order: ByteOrder) -> impl ExactSizeIterator<Item = u32> {
    let (words, _) = bytes.as_chunks::<4>();
    words.iter().map(move |word| match order {
        ByteOrder::Little => u32::from_le_bytes(*word),
        ByteOrder::Big => u32::from_be_bytes(*word),
    })
}
