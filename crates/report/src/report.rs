//! The report of a run: figures, tables and one self-contained page.

mod answer;
mod captions;
mod files;
mod markdown;
mod mentions;
pub(crate) mod page;
mod quoted;
mod replays;
mod reproduce;
mod summary;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use answer::WORDS as ANSWER_WORDS;
pub use files::{ReportError, file_name};
pub use markdown::inert_html;

use crate::bundle::Bundle;
use crate::figures::{self, Drawn, FigureSpec, POINTS, Width};
use crate::outputs::{self, Outputs, Work};
use crate::strips::StripSpec;
use crate::tables::{self, TableSpec};
use files::{put, put_picture};
use page::{BuiltTable, DrawnFigure};

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
    let motion = replays::write(bundle, &report.strips, &report.replays, dir)?;
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

#[cfg(test)]
mod tests;
