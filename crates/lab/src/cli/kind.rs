//! What a file is by its name and its keys, and which verbs take it.

use std::fs;
use std::path::Path;

use delassus_core::file_kind::read_at_most;
use delassus_problems::is_problem_ending;

use super::failure::Failure;
use super::output::printable;
use crate::results;
use delassus_records::folder::is_results;

/// Keys of which the spec of an experiment has some, and a scene none.
const OF_SPECS: [&str; 10] = [
    "title", "problem", "scene", "scheme", "solver", "simulate", "measure", "timing", "figure",
    "table",
];
/// Keys of which a scene file has some.
const OF_SCENES: [&str; 2] = ["bodies", "include"];

/// Bytes that are read of a file; a longer one, which is cut, has no keys.
const MOST: u64 = 4 << 20;

/// What a file or a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// A frozen problem.
    Problem,
    /// A scene.
    Scene,
    /// The spec of an experiment.
    Spec,
    /// The results folder of a run.
    Results,
}

impl FileKind {
    /// What is at this path; `None` of what is nothing of that, or is not there.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let facts = fs::metadata(path).ok()?;
        if facts.is_dir() {
            let holds = is_results(path) || results::holds_results(path);
            return holds.then_some(Self::Results);
        }
        if !facts.is_file() {
            return None;
        }
        if is_scene_file(path) {
            return Self::of_keys(&keys(path));
        }
        let ending = path.extension()?.to_str()?;
        // anything may be a text
        let is_problem = is_problem_ending(ending) && ending != "txt";
        is_problem.then_some(Self::Problem)
    }

    fn of_keys(keys: &[String]) -> Option<Self> {
        let has = |some: &[&str]| keys.iter().any(|key| some.contains(&key.as_str()));
        match (has(&OF_SPECS), has(&OF_SCENES)) {
            (true, false) => Some(Self::Spec),
            (false, true) => Some(Self::Scene),
            _ => None,
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Problem => "a problem file",
            Self::Scene => "a scene file",
            Self::Spec => "the spec of an experiment",
            Self::Results => "a results folder",
        }
    }

    /// The verbs that take the file `shown`.
    fn verbs(self, shown: &str) -> String {
        match self {
            Self::Problem => format!(
                "`delassus inspect {shown}` describes it, `delassus solve {shown}` solves it"
            ),
            Self::Scene => format!(
                "`delassus check {shown}` looks at it, `delassus play {shown}` steps it, \
                 `delassus export {shown} --frame 30` freezes the problem of a frame"
            ),
            Self::Spec => format!(
                "`delassus run {shown} --dry-run` checks it and lists its cells, `delassus run {shown}` runs it"
            ),
            Self::Results => {
                format!(
                    "`delassus show {shown}` lists its cells, `delassus report {shown}` draws it"
                )
            }
        }
    }
}

/// Refuses a path at which something else than `wanted` is known to be.
pub(crate) fn require(path: &Path, wanted: FileKind) -> Result<(), Failure> {
    match FileKind::of(path) {
        Some(kind) if kind != wanted => {
            let shown = printable(&path.to_string_lossy());
            let (is, not, verbs) = (kind.noun(), wanted.noun(), kind.verbs(&shown));
            Err(Failure::request(format!(
                "{shown}: is {is}, not {not}; {verbs}"
            )))
        }
        _ => Ok(()),
    }
}

/// True if a name is that of a scene file and no identifier of a scene.
pub(crate) fn is_scene_file(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    matches!(ending, Some("toml" | "json"))
}

/// The keys of a TOML or JSON file; none of what is neither.
fn keys(path: &Path) -> Vec<String> {
    let bytes = read_at_most(path, MOST).unwrap_or_default();
    let Ok(text) = String::from_utf8(bytes) else {
        return Vec::new();
    };
    if let Ok(table) = text.parse::<toml::Table>() {
        return table.keys().cloned().collect();
    }
    let value: Result<serde_json::Map<String, serde_json::Value>, _> = serde_json::from_str(&text);
    value.map_or_else(|_| Vec::new(), |map| map.keys().cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_apart_by_their_keys() {
        let folder = tempfile::tempdir().unwrap();
        let kind = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            FileKind::of(&path)
        };
        assert_eq!(kind("a.dls", ""), Some(FileKind::Problem));
        assert_eq!(kind("a.toml", "bodies = []"), Some(FileKind::Scene));
        assert_eq!(kind("b.json", "{\"bodies\": []}"), Some(FileKind::Scene));
        assert_eq!(
            kind("c.toml", "[[solver]]\nuse = \"pgs\""),
            Some(FileKind::Spec)
        );
        assert_eq!(kind("d.toml", "x = "), None);
        assert_eq!(kind("e.md", "bodies = []"), None);
        assert_eq!(FileKind::of(folder.path()), None);
        assert_eq!(FileKind::of(&folder.path().join("none.dls")), None);
    }
}
