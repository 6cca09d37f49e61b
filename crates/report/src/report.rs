//! The report of a run: figures, tables and one self-contained page.

mod answer;
mod captions;
mod markdown;
mod mentions;
pub(crate) mod page;
mod quoted;
mod replays;
mod summary;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use delassus_pdf::PdfError;
use delassus_replay::ReplayError;
use thiserror::Error;

pub use markdown::inert_html;

use crate::bundle::Bundle;
use crate::figures::{self, DrawError, Drawn, FigureSpec, POINTS, Width};
use crate::outputs::{self, Outputs, Work};
use crate::strips::StripSpec;
use crate::tables::{self, Table, TableSpec};

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

/// A run with the figures and tables that its spec asks for.
#[derive(Debug, Clone)]
pub struct Report {
    /// What they are made from.
    pub bundle: Bundle,
    /// The figures, in order.
    pub figures: Vec<FigureSpec>,
    /// The tables, in order; the files that they read are named from here.
    pub tables: Vec<TableSpec>,
    /// The strips of stills, in order.
    pub strips: Vec<StripSpec>,
    /// Files of recorded motion, by the keys of their cells.
    pub replays: BTreeMap<String, PathBuf>,
    /// BibTeX of everything that the run uses; empty if nothing is to be cited.
    pub references: String,
    /// Widths at which every figure is drawn once more, into files with the width in their names.
    pub widths: Vec<Width>,
}

/// Bytes that the figures of the page may take together; the page stays below 2 MB.
const FIGURE_BYTES: usize = 1_200_000;
/// Points per line that are tried, finest first.
const POINT_CHOICES: [usize; 4] = [POINTS, 160, 90, 50];

/// A figure with all that the page shows of it.
#[derive(Debug)]
pub(crate) struct DrawnFigure<'a> {
    pub(crate) spec: &'a FigureSpec,
    /// File name without its ending.
    pub(crate) name: String,
    /// The picture; `None` where the page has no room for it.
    pub(crate) svg: Option<String>,
    /// The numbers of its curves, where they can be zoomed and the page has room.
    pub(crate) numbers: Option<String>,
    /// True where colours stand for values.
    pub(crate) scale: bool,
    pub(crate) data: Table,
    /// What to know before times are compared.
    pub(crate) note: Option<String>,
}

/// A table with all that the page shows of it.
#[derive(Debug)]
pub(crate) struct BuiltTable<'a> {
    pub(crate) spec: &'a TableSpec,
    /// File name without its ending.
    pub(crate) name: String,
    pub(crate) table: Table,
}

/// Writes into `dir` what a report is made of, and removes what a former report has and this one
/// does not: `figures/<id>` as `.svg` and `.pdf` with its data as `.csv` and its environment for
/// LaTeX as `.tex`, `tables/<id>` as `.csv` and `.tex`, `references.bib` and `report.html`.
///
/// Equal reports give equal bytes. Every file appears whole or not at all.
///
/// # Errors
/// A file that cannot be written; a figure that plotters refuses.
pub fn write(report: &Report, dir: &Path) -> Result<(), ReportError> {
    let mut outputs = Outputs::begin(dir, Work::Report);
    write_to(report, &mut outputs)?;
    let listed = outputs.finish("");
    listed.map_err(|source| ReportError::Write {
        path: dir.join(outputs::LIST),
        source,
    })
}

/// The same among the other files of a run.
pub fn write_to(report: &Report, dir: &mut Outputs<'_>) -> Result<(), ReportError> {
    let bundle = &report.bundle;
    let mixed = bundle.mixed_times();
    let mut drawn = Vec::new();
    for spec in &report.figures {
        let name = file_name(&spec.id);
        let Drawn {
            svg,
            numbers,
            scale,
        } = draw(report, spec, POINTS)?;
        let data = figures::data(bundle, spec);
        put_picture(dir, &name, &svg, spec.width)?;
        for width in &report.widths {
            let name = format!("{name}-{:.0}mm", width.millimetres());
            let spec = FigureSpec {
                width: *width,
                ..spec.clone()
            };
            put_picture(dir, &name, &draw(report, &spec, POINTS)?.svg, *width)?;
        }
        put(dir, &format!("figures/{name}.csv"), &tables::to_csv(&data))?;
        let tex = captions::figure(bundle, &report.figures, spec, &name);
        put(dir, &format!("figures/{name}.tex"), &tex)?;
        drawn.push(DrawnFigure {
            spec,
            name,
            svg: Some(svg),
            numbers,
            scale,
            data,
            note: mixed.clone().filter(|_| spec.plot.shows_times()),
        });
    }
    fit(report, &mut drawn)?;
    let mut built = Vec::new();
    for spec in &report.tables {
        let name = file_name(&spec.id);
        let mut table = tables::build(bundle, spec);
        let note = mixed.clone().filter(|_| spec.show.shows_times());
        table.notes.extend(note);
        put(dir, &format!("tables/{name}.csv"), &tables::to_csv(&table))?;
        let tex = tables::to_latex(&table, &name, &spec.caption);
        put(dir, &format!("tables/{name}.tex"), &tex)?;
        built.push(BuiltTable { spec, name, table });
    }
    if !report.references.is_empty() {
        put(dir, "references.bib", &report.references)?;
    }
    let motion = replays::write(report, dir)?;
    let page = page::render(bundle, &drawn, &built, &motion);
    put(dir, "report.html", &page)
}

fn draw(report: &Report, spec: &FigureSpec, points: usize) -> Result<Drawn, ReportError> {
    let Report {
        bundle, figures, ..
    } = report;
    figures::draw_with(bundle, figures, spec, points).map_err(|source| ReportError::Draw {
        figure: spec.id.clone(),
        source,
    })
}

/// Makes the figures small enough for one page: fewer points per line first, then the last figures
/// without their numbers, then without them.
fn fit(report: &Report, drawn: &mut [DrawnFigure<'_>]) -> Result<(), ReportError> {
    let size = |part: &Option<String>| part.as_ref().map_or(0, String::len);
    let total = |drawn: &[DrawnFigure<'_>]| -> usize {
        let sizes = drawn.iter().map(|f| size(&f.svg) + size(&f.numbers));
        sizes.sum()
    };
    for points in &POINT_CHOICES[1..] {
        if total(drawn) <= FIGURE_BYTES {
            return Ok(());
        }
        for figure in drawn.iter_mut() {
            let coarser = draw(report, figure.spec, *points)?;
            figure.svg = Some(coarser.svg);
            figure.numbers = coarser.numbers;
        }
    }
    for part in [
        |figure: &mut DrawnFigure<'_>| figure.numbers.take(),
        |figure: &mut DrawnFigure<'_>| figure.svg.take(),
    ] {
        for last in (0..drawn.len()).rev() {
            if total(drawn) <= FIGURE_BYTES {
                return Ok(());
            }
            part(&mut drawn[last]);
        }
    }
    Ok(())
}

/// A figure as SVG and as PDF.
fn put_picture(
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

fn put(dir: &mut Outputs<'_>, name: &str, text: &str) -> Result<(), ReportError> {
    put_bytes(dir, name, text.as_bytes())
}

fn put_bytes(dir: &mut Outputs<'_>, name: &str, bytes: &[u8]) -> Result<(), ReportError> {
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

#[cfg(test)]
mod tests;
