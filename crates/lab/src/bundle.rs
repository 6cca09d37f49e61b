//! Everything that figures, tables and reports are made from.

use serde_json::Value;

use crate::record::CellRecord;
use crate::view::{FigureSpec, TableSpec};

/// One finished (or partly finished) run, loaded from its folder.
#[derive(Debug, Clone)]
pub struct Bundle {
    /// Identifier: the name of the experiment's folder.
    pub id: String,
    /// Title of the experiment.
    pub title: String,
    /// The question that it answers.
    pub question: String,
    /// The experiment's README (question, method, finding) as Markdown, if it has one.
    pub readme: Option<String>,
    /// The spec, as written by its author.
    pub spec: String,
    /// The command that reproduces the run from the project's root.
    pub command: String,
    /// Tolerance of `Solved` \[-\].
    pub tolerance: f64,
    /// Metrics that must all be within the tolerance.
    pub criteria: Vec<String>,
    /// Where and with what it ran: commit, compiler, CPU, vector level, threads, hashes, versions.
    pub manifest: Value,
    /// Figures that the spec asks for.
    pub figures: Vec<FigureSpec>,
    /// Tables that the spec asks for.
    pub tables: Vec<TableSpec>,
    /// The finished cells, in the order of the matrix.
    pub records: Vec<CellRecord>,
    /// Cells of the matrix that have no record yet.
    pub missing: usize,
}
