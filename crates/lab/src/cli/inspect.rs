//! `delassus inspect`: what problem files hold, which of their rows are redundant, and how far the
//! engine of a captured one was from a solution.

mod captured;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use delassus_core::{ContactLaw, MemoryLimit};
use delassus_problems::{Facts, NamedProblem, read_file_within};
use delassus_solver_dense::assembly::{Redundancy, normal_rows, redundancy_of};
use serde_json::{Value, json};

use super::args::InspectVerb;
use super::failure::Failure;
use super::files;
use super::output::{Output, count, printable};
use super::request::law;
use crate::guard::caught;
use crate::memory;
use captured::EngineAnswer;

/// Runs the verb.
pub(crate) fn run(
    verb: &InspectVerb,
    output: &mut Output,
    cancel: &AtomicBool,
) -> Result<(), Failure> {
    let law = law(&verb.law)?;
    files::check(&verb.problems)?;
    files::only_problems(&verb.problems)?;
    let mut unreadable = 0;
    for (index, path) in verb.problems.iter().enumerate() {
        if cancel.load(Ordering::Relaxed) {
            let files = count(verb.problems.len() as u64, "file");
            let done = format!("interrupted: {index} of {files} done");
            return Err(Failure::Interrupted(done));
        }
        let file = path.to_string_lossy();
        match inspect(path, law, memory::limit(), verb.max_rows) {
            Ok(found) if verb.json => output.json(&found.json(&file))?,
            Ok(found) => output.line(&found.line(&file))?,
            Err(message) => {
                unreadable += 1;
                if verb.json {
                    output.json(&json!({ "file": file, "message": message }))?;
                } else {
                    let line = format!("{}  unreadable  {}", printable(&file), printable(&message));
                    output.line(&line)?;
                }
            }
        }
    }
    if unreadable > 0 {
        let files = count(verb.problems.len() as u64, "file");
        return Err(Failure::run(format!("{unreadable} of {files} unreadable")));
    }
    Ok(())
}

/// Rank of some rows, or why it was not found.
type Rank = Result<Redundancy, String>;

/// What is said of a file.
pub(super) struct Inspection {
    facts: Facts,
    max_rows: usize,
    all: Rank,
    normals: Rank,
    /// Normal rows of contacts \[-\].
    normal_rows: usize,
    /// What the engine made of the problem, if it was captured in one.
    engine: Option<EngineAnswer>,
}

fn inspect(
    path: &Path,
    law: ContactLaw,
    limit: MemoryLimit,
    max_rows: usize,
) -> Result<Inspection, String> {
    let named = read_file_within(path, law, limit).map_err(|error| error.to_string())?;
    Ok(inspection(&named, limit, max_rows))
}

/// What there is to say of a problem; ranks of at most `max_rows` rows.
pub(super) fn inspection(named: &NamedProblem, limit: MemoryLimit, max_rows: usize) -> Inspection {
    let rows: Vec<usize> = (0..named.problem.rows()).collect();
    let normals = normal_rows(&named.problem);
    Inspection {
        facts: named.facts(),
        max_rows,
        all: rank(named, &rows, limit, max_rows),
        normals: rank(named, &normals, limit, max_rows),
        normal_rows: normals.len(),
        engine: EngineAnswer::of(named),
    }
}

fn rank(named: &NamedProblem, rows: &[usize], limit: MemoryLimit, most: usize) -> Rank {
    if rows.len() > most {
        return Err(format!(
            "{} are more than --max-rows {most}",
            count(rows.len() as u64, "row")
        ));
    }
    // the matrix, its scaled copy and the workspace of the singular values
    let size = rows.len() as u64;
    let needed = size.saturating_mul(size).saturating_mul(4 * 8);
    limit
        .admit("the dense matrix", needed)
        .map_err(|error| error.to_string())?;
    let found = caught(|| redundancy_of(&named.problem, rows));
    found?.map_err(|error| error.to_string())
}

impl Inspection {
    /// The line for a reader.
    fn line(&self, file: &str) -> String {
        format!("{}  {}", printable(file), self.parts().join("; "))
    }

    /// What is said, one thing after the other.
    pub(super) fn parts(&self) -> Vec<String> {
        let facts = &self.facts;
        let laws = facts.laws.iter();
        let laws: Vec<String> = laws
            .map(|(law, blocks)| format!("{blocks} {law}"))
            .collect();
        let mut parts = vec![rank_of("row", facts.rows, &self.all)];
        parts.push(match self.normal_rows {
            0 => "no contacts".to_owned(),
            rows => rank_of("normal", rows, &self.normals),
        });
        if facts.soft_rows > 0 {
            parts.push(count(facts.soft_rows as u64, "soft row"));
        }
        if facts.coupled_blocks > 0 {
            let blocks = count(facts.coupled_blocks as u64, "block");
            parts.push(format!("{blocks} with shared compliance"));
        }
        if facts.symmetry_defect > 0.0 {
            parts.push(format!("unsymmetric by {:.1e}", facts.symmetry_defect));
        }
        if !laws.is_empty() {
            parts.push(laws.join(", "));
        }
        parts.extend(self.engine.as_ref().map(EngineAnswer::part));
        parts
    }

    /// The same for a program; what was not found is null, with a reason.
    pub(super) fn json(&self, file: &str) -> Value {
        let facts = &self.facts;
        let laws = facts.laws.iter();
        let laws: serde_json::Map<String, Value> = laws
            .map(|(law, blocks)| (law.id().to_owned(), json!(blocks)))
            .collect();
        json!({
            "file": file,
            "rows": facts.rows,
            "blocks": facts.blocks,
            "bodies": facts.bodies,
            "contacts": facts.contacts,
            "laws": laws,
            "soft_rows": facts.soft_rows,
            "coupled_blocks": facts.coupled_blocks,
            "symmetry_defect": facts.symmetry_defect,
            "max_rows": self.max_rows,
            "all": object(facts.rows, &self.all),
            "normals": object(self.normal_rows, &self.normals),
            "captured": self.engine.as_ref().map(EngineAnswer::json),
        })
    }
}

/// `4 normals of rank 3, 1 redundant`.
fn rank_of(noun: &str, rows: usize, rank: &Rank) -> String {
    let rows = count(rows as u64, noun);
    match rank {
        Ok(found) => match found.null_dimension() {
            0 => format!("{rows} of full rank"),
            null => format!("{rows} of rank {}, {null} redundant", found.rank),
        },
        Err(why) => format!("{rows} of unknown rank ({})", printable(why)),
    }
}

fn object(rows: usize, rank: &Rank) -> Value {
    match rank {
        Ok(found) => json!({
            "rows": rows,
            "rank": found.rank,
            "null": found.null_dimension(),
            "condition": found.condition(),
        }),
        Err(why) => json!({ "rows": rows, "rank": null, "null": null, "message": why }),
    }
}
