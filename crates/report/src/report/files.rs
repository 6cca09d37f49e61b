//! The files of a report, and why one could not be written.

use std::io;
use std::path::PathBuf;

use delassus_pdf::PdfError;
use delassus_replay::ReplayError;
use thiserror::Error;

use crate::figures::{DrawError, Width};
use crate::outputs::Outputs;

/// Why a report could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A file could not be written.
    #[error("cannot write {path}: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A figure could not be drawn.
    #[error("figure {figure}: {source}")]
    Draw {
        /// Identifier of the figure.
        figure: String,
        /// What went wrong.
        #[source]
        source: DrawError,
    },
    /// A picture could not be written as PDF.
    #[error("figure {figure} as PDF: {source}")]
    Pdf {
        /// Identifier of the figure or strip.
        figure: String,
        /// What went wrong.
        #[source]
        source: PdfError,
    },
    /// The replay of a cell could not be shown.
    #[error("the replay of {cell}: {source}")]
    Replay {
        /// Scene and method.
        cell: String,
        /// What is wrong with it.
        #[source]
        source: ReplayError,
    },
}

/// A figure as SVG and as PDF.
pub(super) fn put_picture(
    dir: &mut Outputs<'_>,
    name: &str,
    svg: &str,
    width: Width,
) -> Result<(), ReportError> {
    put(dir, &format!("figures/{name}.svg"), svg)?;
    let pdf = delassus_pdf::from_svg(svg, width.millimetres());
    let pdf = pdf.map_err(|source| ReportError::Pdf {
        figure: name.to_owned(),
        source,
    })?;
    put_bytes(dir, &format!("figures/{name}.pdf"), &pdf)
}

pub(super) fn put(dir: &mut Outputs<'_>, name: &str, text: &str) -> Result<(), ReportError> {
    put_bytes(dir, name, text.as_bytes())
}

pub(super) fn put_bytes(
    dir: &mut Outputs<'_>,
    name: &str,
    bytes: &[u8],
) -> Result<(), ReportError> {
    let written = dir.put(name, bytes);
    written.map_err(|source| ReportError::Write {
        path: dir.path(name),
        source,
    })
}

/// A file name made of letters, digits, hyphens, underscores and full stops, none of them first: it
/// leads nowhere.
pub fn file_name(id: &str) -> String {
    let kept = id.chars().map(|c| {
        let plain = c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if plain { c } else { '-' }
    });
    let name: String = kept.collect();
    match name.trim_start_matches('.') {
        "" => "unnamed".to_owned(),
        rest => rest.to_owned(),
    }
}
