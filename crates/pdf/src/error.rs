//! Why a picture has no PDF.

use thiserror::Error;

/// Why a picture has no PDF.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PdfError {
    /// The text is no XML.
    #[error("not an SVG file: {0}")]
    Xml(#[from] roxmltree::Error),
    /// An element, an attribute or a value that figures do not use.
    #[error("line {line}: {what} is not part of the SVG that is written here")]
    Unknown {
        /// Line of the picture.
        line: u32,
        /// What stands there.
        what: String,
    },
    /// The fonts of the program are damaged.
    #[error("the font: {0}")]
    Font(String),
}
