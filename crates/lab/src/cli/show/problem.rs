//! A problem file at a glance: what it holds, the active set of a solution, and the rows that miss
//! it most.

use std::sync::atomic::AtomicBool;

use delassus_core::{Problem, Status};
use delassus_metrics::{ActiveCounts, Evaluator};
use delassus_problems::{NamedProblem, read_file_within};
use serde_json::{Value, json};

use super::page::{Line, SCHEMA, page};
use crate::cli::args::{ShowVerb, SolveVerb};
use crate::cli::cells::scientific;
use crate::cli::failure::Failure;
use crate::cli::inspect::{Inspection, inspection};
use crate::cli::output::{Output, count, printable};
use crate::cli::request::{Request, law};
use crate::cli::solve;
use crate::memory;
use crate::registry::Registry;

/// Blocks that are shown \[-\].
const WORST: usize = 5;

/// A solution of the problem, and where it comes from.
struct Answer {
    source: String,
    impulses: Vec<f64>,
}

/// What the metrics make of it.
struct Judged {
    source: String,
    natural_map: f64,
    active: ActiveCounts,
    /// Blocks by their residual, the largest first: block, residual, impulses, velocities.
    worst: Vec<(usize, f64, Vec<f64>, Vec<f64>)>,
}

/// Prints the page, or one object.
pub(super) fn show(
    verb: &ShowVerb,
    registry: &Registry,
    output: &mut Output,
    cancel: &AtomicBool,
) -> Result<(), Failure> {
    let file = verb.path.to_string_lossy();
    let read = read_file_within(&verb.path, law(&verb.law)?, memory::limit());
    let named = read.map_err(|error| Failure::run(format!("{}: {error}", printable(&file))))?;
    let found = inspection(&named, memory::limit(), verb.max_rows);
    let judged = match answer(verb, &named, registry, cancel)? {
        Ok(answer) => judge(&named.problem, answer),
        Err(reason) => Err(reason),
    };
    if verb.json {
        return output.json(&object(&file, &named, &found, &judged));
    }
    let mut lines: Vec<Line> = found
        .parts()
        .into_iter()
        .map(|text| ("holds", text))
        .collect();
    lines.insert(0, ("from", printable(&named.provenance)));
    lines.push(("memory", format!("{} bytes", named.problem.memory())));
    match &judged {
        Ok(judged) => lines.extend(pages_of(judged, &named.problem)),
        Err(reason) => lines.push(("solution", printable(reason))),
    }
    page(&printable(&file), &lines, output)
}

/// The solution that is looked at; why there is none.
fn answer(
    verb: &ShowVerb,
    named: &NamedProblem,
    registry: &Registry,
    cancel: &AtomicBool,
) -> Result<Result<Answer, String>, Failure> {
    if let (None, Some(known)) = (&verb.solver, &named.reference) {
        return Ok(Ok(Answer {
            source: format!("stored: {}", known.provenance),
            impulses: known.impulses.clone(),
        }));
    }
    if verb.solver.is_none() && named.problem.rows() > verb.max_rows {
        return Ok(Err(format!(
            "none is stored, and {} are more than --max-rows {}; --solver auto solves it",
            count(named.problem.rows() as u64, "row"),
            verb.max_rows
        )));
    }
    let solver = verb.solver.as_deref().unwrap_or("auto");
    let request = Request::new(&SolveVerb::plain(&verb.path, solver)?, registry)?;
    let (outcome, impulses) = solve::solve(&request, named, cancel);
    if outcome.status == Status::Cancelled {
        return Err(Failure::Interrupted("interrupted".to_owned()));
    }
    if impulses.len() != named.problem.rows() {
        let message = outcome.message.unwrap_or_default();
        return Ok(Err(format!("{solver} ended {}: {message}", outcome.status)));
    }
    let status = outcome.status;
    Ok(Ok(Answer {
        source: format!(
            "{solver}, {status} after {}",
            count(outcome.sweeps, "sweep")
        ),
        impulses,
    }))
}

fn judge(problem: &Problem, answer: Answer) -> Result<Judged, String> {
    let Answer { source, impulses } = answer;
    let refused = |error: delassus_metrics::MetricError| error.to_string();
    let mut evaluator = Evaluator::new(problem).map_err(refused)?;
    let natural_map = evaluator.natural_map(&impulses).map_err(refused)?;
    let active = evaluator.active_counts(&impulses).map_err(refused)?;
    let residuals = evaluator
        .natural_map_of_blocks(&impulses)
        .map_err(refused)?;
    let mut order: Vec<usize> = (0..residuals.len()).collect();
    // equal residuals in the order of the blocks
    order.sort_by(|a, b| residuals[*b].total_cmp(&residuals[*a]));
    let velocities = evaluator.constraint_velocities();
    let worst = order.into_iter().take(WORST).map(|index| {
        let block = &problem.blocks()[index];
        let rows = block.first_row..block.first_row + block.dim;
        let (impulse, velocity) = (&impulses[rows.clone()], &velocities[rows]);
        (index, residuals[index], impulse.to_vec(), velocity.to_vec())
    });
    Ok(Judged {
        source,
        natural_map,
        active,
        worst: worst.collect(),
    })
}

fn pages_of(judged: &Judged, problem: &Problem) -> Vec<Line> {
    let natural_map = scientific(judged.natural_map);
    let source = printable(&judged.source);
    let mut lines = vec![("solution", format!("{source}; natural_map {natural_map}"))];
    let ActiveCounts {
        free,
        lower,
        upper,
        open,
        stick,
        slip,
    } = judged.active;
    if free + lower + upper > 0 {
        let text = format!(
            "rows: {free} between their bounds, {lower} at the lower, {upper} at the upper"
        );
        lines.push(("active set", text));
    }
    if open + stick + slip > 0 {
        let text = format!("friction: {stick} stick, {slip} slip, {open} open");
        lines.push(("active set", text));
    }
    for (block, residual, impulses, velocities) in &judged.worst {
        let law = problem.blocks()[*block].law.kind();
        let first = problem.blocks()[*block].first_row;
        let list = |values: &[f64]| {
            let values = values.iter().map(|value| scientific(*value));
            values.collect::<Vec<_>>().join(" ")
        };
        lines.push((
            "worst rows",
            format!(
                "block {block}, {law}, from row {first}: {}, λ = {}, w = {}",
                scientific(*residual),
                list(impulses),
                list(velocities)
            ),
        ));
    }
    lines
}

fn object(
    file: &str,
    named: &NamedProblem,
    found: &Inspection,
    judged: &Result<Judged, String>,
) -> Value {
    let mut all = found.json(file);
    all["schema"] = json!(SCHEMA);
    all["provenance"] = json!(named.provenance);
    all["bytes"] = json!(named.problem.memory());
    all["solution"] = match judged {
        Err(reason) => json!({ "message": reason }),
        Ok(judged) => {
            let ActiveCounts {
                free,
                lower,
                upper,
                open,
                stick,
                slip,
            } = judged.active;
            let worst = judged.worst.iter().map(|(block, residual, impulses, velocities)| {
                json!({ "block": block, "residual": residual, "impulses": impulses, "velocities": velocities })
            });
            json!({
                "source": judged.source,
                "natural_map": judged.natural_map,
                "active_set": {
                    "free": free, "lower": lower, "upper": upper,
                    "open": open, "stick": stick, "slip": slip,
                },
                "worst": worst.collect::<Vec<_>>(),
            })
        }
    };
    all
}
