//! What an entry of problems is made into, before its cells are known.

use delassus_problems::NamedProblem;
use serde_json::{Map, Value};

use crate::record::ProblemLabel;

/// A problem, or why its file cannot be read, and the same under `reference_law`.
pub(super) struct LoadedProblem {
    pub(super) label: ProblemLabel,
    pub(super) content: Result<Box<NamedProblem>, String>,
    pub(super) other_law: Option<Box<NamedProblem>>,
    /// What each world has for itself, if the problem is worlds of one structure.
    pub(super) worlds: Vec<Map<String, Value>>,
}
