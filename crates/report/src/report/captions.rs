//! Figures for LaTeX: the picture with a caption that says how much there is.

use std::collections::BTreeMap;

use delassus_core::Status;

use crate::bundle::Bundle;
use crate::figures::{self, FigureSpec, Width};
use crate::record::CellRecord;
use crate::tables::is_good;
use crate::tex::{label, sentence};
use crate::view::Kind;

/// The environment `figure` of a figure, to be read with `\input` next to its PDF; needs the
/// package `graphicx`.
///
/// `name` is that of its files. What a reader who does not see it is told stands in a comment, for
/// programs that take alternative texts.
pub(crate) fn figure(bundle: &Bundle, all: &[FigureSpec], spec: &FigureSpec, name: &str) -> String {
    let alternative = figures::words(bundle, all, spec);
    environment(name, &alternative, &page(bundle, spec), spec.width)
}

/// The environment of a strip of stills, of the spec's caption and the names of its rows.
pub(crate) fn strip(caption: &str, rows: &[String], name: &str) -> String {
    let text = full_stop(caption.trim());
    let rows = format!("Rows from the top: {}.", rows.join("; "));
    let width = Width::default();
    environment(name, &rows, format!("{text} {rows}").trim_start(), width)
}

fn environment(name: &str, alternative: &str, caption: &str, width: Width) -> String {
    let comment: String = alternative
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let place = match width {
        Width::Page => "% 174 mm wide: in two columns, write figure* in place of figure\n",
        Width::Column => "",
    };
    format!(
        "% needs \\usepackage{{graphicx}}\n{place}% alternative text: {comment}\n\\begin{{figure}}\n  \\centering\n  \
         \\includegraphics{{figures/{name}.pdf}}\n  \\caption{{{}}}\n  \\label{{fig:{}}}\n\\end{{figure}}\n",
        sentence(caption),
        label(name),
    )
}

/// The caption of a figure: what the spec says, and how much there is. What marks mean and what was
/// left out stands in the picture.
pub(crate) fn page(bundle: &Bundle, spec: &FigureSpec) -> String {
    let text = full_stop(spec.caption.trim());
    let cells = cells(bundle, spec);
    format!("{text} {cells}").trim_start().to_owned()
}

/// How many cells a figure shows, and how those ended that did not get where they should.
fn cells(bundle: &Bundle, spec: &FigureSpec) -> String {
    let shows = |record: &&CellRecord| spec.plot.selection().shows(record);
    let shown: Vec<&CellRecord> = bundle.records.iter().filter(shows).collect();
    let different = |of: fn(&CellRecord) -> &str| {
        let mut names: Vec<&str> = shown.iter().map(|record| of(record)).collect();
        names.sort_unstable();
        names.dedup();
        names.len()
    };
    let problems = different(|record| &record.problem.name);
    let methods = different(CellRecord::method);
    let subject = bundle.kind().subject();
    let mut text = format!(
        "n = {}: {}, {}",
        counted(shown.len(), "cell"),
        counted(problems, subject),
        counted(methods, "method")
    );
    let mut endings: BTreeMap<String, usize> = BTreeMap::new();
    for record in &shown {
        let ending = record.ending();
        if !is_good(&ending) {
            *endings.entry(ending.replace('_', " ")).or_default() += 1;
        }
    }
    if !endings.is_empty() {
        let good = match bundle.kind() {
            Kind::Solves => Status::Solved.id(),
            Kind::Timings | Kind::Trajectories => "at the end",
        };
        let parts = endings
            .iter()
            .map(|(ending, count)| format!("{count} {ending}"));
        let total: usize = endings.values().sum();
        text += &format!(
            "; {total} not {good} ({})",
            parts.collect::<Vec<_>>().join(", ")
        );
    }
    text.push('.');
    if bundle.missing > 0 {
        text += &format!(
            " {} of the run did not run yet.",
            counted(bundle.missing, "cell")
        );
    }
    text
}

fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

fn full_stop(text: &str) -> String {
    let ended = text.is_empty() || text.ends_with(['.', '?', '!']);
    format!("{text}{}", if ended { "" } else { "." })
}
