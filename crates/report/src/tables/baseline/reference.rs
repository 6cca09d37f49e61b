//! The results file of a reference library.

use std::io::Read;
use std::path::Path;

use delassus_records::disk;
use serde::Deserialize;

use crate::record::ProblemLabel;

/// The residual by which both sides are judged: the library's own relative residual.
pub(super) const METRIC: &str = "siconos";
/// Endings of problem files, taken off one after the other.
const ENDINGS: [&str; 4] = [".dat", ".local", ".hdf5", ".dls"];

/// The columns of a results file that are used.
#[derive(Debug, Deserialize)]
pub(super) struct Line {
    pub(super) problem: String,
    pub(super) solver: String,
    pub(super) tol: f64,
    pub(super) iters: Option<f64>,
    pub(super) wall_s: Option<f64>,
    pub(super) nat_rel: Option<f64>,
}

/// What a table compares: runs of the library and of this experiment, on these problems.
#[derive(Clone, Copy)]
pub(super) struct Sides<'a> {
    pub(super) lines: &'a [Line],
    /// Solvers of the library.
    pub(super) theirs: &'a [String],
    /// Solvers of this run.
    pub(super) ours: &'a [&'a str],
    pub(super) problems: &'a [&'a str],
}

/// A problem file's name without its endings: what results files call it.
pub(super) fn stem(problem: &ProblemLabel) -> String {
    let file = problem.parameters.get("file").and_then(|v| v.as_str());
    let name = file.unwrap_or(&problem.name);
    let mut name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    while let Some(shorter) = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)) {
        name = shorter;
    }
    name.to_owned()
}

/// The bytes of a results file, or why there are none.
pub(super) fn read(file: &Path) -> Result<Vec<u8>, String> {
    disk::read_named(file).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "are not there".to_owned(),
        _ => format!("cannot be read: {error}"),
    })
}

/// The lines of a results file; one that is not of that form is an error with its number.
pub(super) fn lines(csv: impl Read) -> Result<Vec<Line>, String> {
    let mut reader = csv::Reader::from_reader(csv);
    let lines = reader.deserialize::<Line>();
    let collected: Result<Vec<Line>, csv::Error> = lines.collect();
    collected.map_err(|error| format!("are not in the expected form: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, Value};

    #[test]
    fn endings_come_off_in_any_order() {
        let named = |file: &str| {
            let mut parameters = Map::new();
            parameters.insert("file".to_owned(), Value::from(file));
            stem(&ProblemLabel {
                name: "x".to_owned(),
                source: "file".to_owned(),
                parameters,
            })
        };
        assert_eq!(named("CubeH8.hdf5.local.dat"), "CubeH8");
        assert_eq!(named("a/GFC3D_Example0.dat.local.dat"), "GFC3D_Example0");
        assert_eq!(named("Rover1039.dat"), "Rover1039");
    }
}
