//! Why a file is not read, a value not given, a tree not written.

use thiserror::Error;

/// Why a file gives no tree.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Another kind of file.
    #[error(
        "byte 0: this is no HDF5 file: it does not start with the signature 89 48 44 46 0d 0a 1a 0a"
    )]
    Signature,
    /// A part of the file lies behind its end.
    #[error(
        "byte {offset}: {what} takes {needed} bytes, the file ends after {left}: it is cut off or damaged"
    )]
    Truncated {
        /// Where the part begins.
        offset: u64,
        /// What it is.
        what: &'static str,
        /// Its length \[bytes\].
        needed: u64,
        /// What is there \[bytes\].
        left: u64,
    },
    /// A part of the file contradicts the format.
    #[error("byte {offset}: {what} {reason}: the file is damaged")]
    Malformed {
        /// Where the part is.
        offset: u64,
        /// What it is.
        what: &'static str,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A part of the format that is not read here.
    #[error("byte {offset}: {feature} is not read here: {advice}")]
    Unsupported {
        /// Where it is.
        offset: u64,
        /// What it is.
        feature: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// Parts of the file are used more than once, which no writer does.
    #[error(
        "byte {offset}: {what} lies where other parts of the file lie, or refers to itself: \
         the file is damaged, or made to exhaust its readers"
    )]
    Overlap {
        /// Where the part is.
        offset: u64,
        /// What it is.
        what: &'static str,
    },
}

/// How a file becomes one that is read here.
pub(crate) const REWRITE: &str =
    "rewrite it without that, for instance with h5repack -f NONE -l CONTI";

impl ReadError {
    /// An unsupported feature that rewriting the file removes.
    pub(crate) fn unsupported(offset: usize, feature: &'static str) -> Self {
        Self::Unsupported {
            offset: offset as u64,
            feature,
            advice: REWRITE,
        }
    }

    /// A contradiction to the format.
    pub(crate) fn malformed(offset: usize, what: &'static str, reason: &'static str) -> Self {
        Self::Malformed {
            offset: offset as u64,
            what,
            reason,
        }
    }
}

/// Why an array does not give the values that are asked for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ValueError {
    /// Nothing has this name.
    #[error("{path} is missing (links to other places are not followed)")]
    Missing {
        /// Where it should be.
        path: String,
    },
    /// A group stands where a dataset should, or the reverse.
    #[error("byte {offset}: {path} is a {found}, a {expected} is expected")]
    Kind {
        /// Where the object lies.
        offset: u64,
        /// Its path.
        path: String,
        /// What it is.
        found: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// Another type of numbers than asked for.
    #[error("byte {offset}: the elements are {found}, {expected} are expected")]
    Type {
        /// Where the array lies.
        offset: u64,
        /// The type found.
        found: String,
        /// What was asked for.
        expected: &'static str,
    },
    /// An integer that does not fit.
    #[error("byte {offset}: element {index} is {value}, which is no 32-bit integer")]
    Range {
        /// Where the array lies.
        offset: u64,
        /// Which element.
        index: usize,
        /// Its value.
        value: String,
    },
    /// Another number of elements than asked for.
    #[error("byte {offset}: the array has {found} elements, {expected} are expected")]
    Count {
        /// Where the array lies.
        offset: u64,
        /// Elements found \[-\].
        found: u64,
        /// Elements expected \[-\].
        expected: u64,
    },
    /// The array is stored in a way that is not read here.
    #[error("byte {offset}: {feature} is not read here: {REWRITE}")]
    Unsupported {
        /// Where the array lies.
        offset: u64,
        /// What is not read.
        feature: &'static str,
    },
}

/// Why a tree is not written.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// A name that no object can have.
    #[error(
        "{name:?} is no name of an object: it must not be empty, \".\", hold a slash or a zero byte"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// Two objects of a group, or two attributes, have one name.
    #[error("two objects are called {name:?}: rename one")]
    Twice {
        /// The name.
        name: String,
    },
    /// A group with more objects than one node of a tree holds.
    #[error("the group {name:?} has {count} objects, at most {limit} are written: nest them")]
    Crowded {
        /// The group.
        name: String,
        /// Its objects \[-\].
        count: usize,
        /// The limit \[-\].
        limit: usize,
    },
    /// An attribute, or all of an object, is larger than the format allows.
    #[error(
        "the attribute {name:?} takes {bytes} bytes, at most {limit} are allowed: make it a dataset"
    )]
    Large {
        /// The attribute.
        name: String,
        /// Its size \[bytes\].
        bytes: usize,
        /// The limit \[bytes\].
        limit: usize,
    },
    /// An array whose bytes are not those of its shape and type.
    #[error("{name:?} has {found} bytes, its shape and type ask for {expected}")]
    Bytes {
        /// The dataset or attribute.
        name: String,
        /// Its bytes \[-\].
        found: u64,
        /// Bytes of its shape and type \[-\]; `u64::MAX` stands for an overflow.
        expected: u64,
    },
    /// An array that was stored in a way that is not read here.
    #[error("{name:?} was not read, because it is {feature}")]
    Unread {
        /// The dataset or attribute.
        name: String,
        /// How it was stored.
        feature: &'static str,
    },
    /// A type that is read and not written.
    #[error("{name:?} has elements that are {kind}, which is not written")]
    Type {
        /// The dataset or attribute.
        name: String,
        /// The type.
        kind: String,
    },
}
