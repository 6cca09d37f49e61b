//! Pictures as PDF pages: the part of SVG that figures and strips use, with text as text.
//!
//! A picture is read into marks first ([`from_svg`] refuses what it does not know, rather than
//! leaving it out), and written after that with two fonts of its own. Equal pictures give equal
//! bytes: no date, no name of a machine.

mod attribute;
mod error;
mod font;
mod page;
mod picture;
mod style;

pub use error::PdfError;

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
