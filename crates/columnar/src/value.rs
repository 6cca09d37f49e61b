//! Values of columns, their types, and what is wrong with them.

use std::io;

use thiserror::Error;

use crate::thrift::Writer;

/// Type of the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Texts.
    Text,
    /// Whole numbers.
    Whole,
    /// Numbers, bit for bit.
    Real,
    /// Yes or no.
    Flag,
}

/// A value of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'t> {
    /// A text.
    Text(&'t str),
    /// A whole number.
    Whole(i64),
    /// A number.
    Real(f64),
    /// Yes or no.
    Flag(bool),
}

/// Why a table has no file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ColumnarError {
    /// A row has another number of values than there are columns.
    #[error("a row has {found} values, and there are {expected} columns")]
    Row {
        /// Its values.
        found: usize,
        /// Columns.
        expected: usize,
    },
    /// A value is not of the type of its column.
    #[error("a value of column {name:?} is not of its type")]
    Type {
        /// Name of the column.
        name: String,
    },
    /// Two columns have one name.
    #[error("two columns are named {name:?}")]
    Name {
        /// The name.
        name: String,
    },
    /// A page of so many bytes has no place in the format.
    #[error("the values of column {name:?} take more than 2 GiB in one group of rows")]
    Large {
        /// Name of the column.
        name: String,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
}

impl ColumnKind {
    /// The physical type.
    pub(crate) fn physical(self) -> i32 {
        match self {
            Self::Flag => 0,
            Self::Whole => 2,
            Self::Real => 5,
            Self::Text => 6,
        }
    }

    /// An element of the schema, without its end.
    pub(crate) fn schema(self, out: &mut Writer, name: &str) {
        out.i32(1, self.physical());
        // optional
        out.i32(3, 1);
        out.text(4, name);
        if self == Self::Text {
            // UTF-8, for old readers and for new ones
            out.i32(6, 0);
            out.structure(10, |out| out.structure(1, |_| {}));
        }
    }
}
