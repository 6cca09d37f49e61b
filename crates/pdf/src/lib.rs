//! Pictures as PDF pages: the part of SVG that figures and strips use, with text as text.
//!
//! A picture is read into marks first ([`from_svg`] refuses what it does not know, rather than
//! leaving it out), and written after that with two fonts of its own. Equal pictures give equal
//! bytes: no date, no name of a machine.

mod attribute;
mod font;
mod page;
mod picture;
mod style;

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

/// A PDF page of a picture, as large as the picture says, in mm or in pixels of 1/96 inch; at most
/// `widest` mm wide.
///
/// # Errors
/// No XML; elements, units or numbers other than those that figures and strips are made of.
pub fn from_svg(svg: &str, widest: f64) -> Result<Vec<u8>, PdfError> {
    page::write(&picture::read(svg, widest)?)
}

#[cfg(test)]
mod tests;
