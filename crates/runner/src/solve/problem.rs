//! One problem of the matrix, with what its cells share.

use std::sync::OnceLock;

use delassus_problems::NamedProblem;
use serde_json::{Map, Value};

use super::plan::StartKind;
use crate::driver::Options;
use crate::record::{ProblemFacts, ProblemLabel};

/// One problem of the matrix.
#[derive(Debug)]
pub struct MatrixProblem {
    /// Name and origin.
    pub label: ProblemLabel,
    /// The problem; the reason if its file is of a format that is recognised and not supported.
    pub content: Result<Box<NamedProblem>, String>,
    /// The same problem under another law, whose reference is that of this one.
    pub(super) other_law: Option<Box<NamedProblem>>,
    /// What each world has for itself, if the problem is worlds of one structure.
    pub(crate) worlds: Vec<Map<String, Value>>,
    /// What tables print about it.
    pub facts: ProblemFacts,
    /// Hash of its numbers, and of those of the problem that its reference is of.
    pub digest: String,
    /// The impulses that solves start from.
    pub start: StartKind,
    /// Metrics that must be within the tolerance.
    pub criteria: Vec<String>,
    /// How its cells run.
    pub options: Options,
    /// What velocity errors are measured against, once a cell has asked for it.
    pub(super) reference: OnceLock<KnownAnswer>,
}

impl MatrixProblem {
    /// Bytes that the problem takes; none if its file could not be read \[B\].
    pub(super) fn memory(&self) -> u64 {
        let all = self.content.iter().chain(&self.other_law);
        all.map(|named| named.problem.memory()).sum()
    }

    /// Impulses to start from that come with the problem: its warm start, those of an engine, or
    /// its known solution \[N·s\].
    pub(super) fn stored(&self) -> Option<&[f64]> {
        let content = self.content.as_ref().ok()?;
        match self.start {
            StartKind::Warm => content.warm_start.as_deref(),
            StartKind::Captured => {
                let captured = content.captured.as_ref();
                captured.map(|captured| captured.impulses.as_slice())
            }
            _ => content.reference_impulses(),
        }
    }
}

/// The reference of one problem.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum KnownAnswer {
    /// The spec asks for none.
    NotWanted,
    /// Impulses of one solution or several, and where they come from.
    Known {
        /// Of each, one per row \[N·s\].
        impulses: Vec<Vec<f64>>,
        /// Where they come from.
        source: String,
    },
    /// There is none, and why.
    Unknown(String),
}
