//! `delassus compare`: two solvers, or two runs, in a sentence, a table and a figure.

use std::collections::BTreeSet;
use std::path::Path;

use delassus_core::suggest::{list, nearest};
use delassus_core::{Choice, is_engine};
use serde_json::{Value, json};

use super::args::CompareVerb;
use super::diagnostic::print_diagnostic;
use super::experiment::note_unfinished;
use super::failure::Failure;
use super::output::{Output, aligned_within, count, finite, printable, wrapped};
use crate::bundle::Bundle;
use crate::comparison::{
    Comparison, Ending, Goal, Interval, Pair, Side, compare, doubts, left_out, pair_table,
    pairwise_table, sentence,
};
use crate::figures::draw_comparisons;
use crate::registry::Registry;
use crate::tables::{Table, to_csv, to_text};
use crate::view::{Kind, Work, headline};
use crate::{results, store};
use delassus_core::numbers::shown;

/// Version of the objects of `--json`.
const SCHEMA: &str = "compare/1";
/// Problems up to which the table of a single pair is printed \[-\].
const PRINTED: usize = 40;
/// Columns of the notes below a table \[-\].
const WIDTH: usize = 100;

/// Runs the verb.
pub(crate) fn run(
    verb: &CompareVerb,
    registry: &Registry,
    output: &mut Output,
) -> Result<(), Failure> {
    different(verb)?;
    let mut bundles = Vec::with_capacity(2);
    for folder in &verb.folders {
        bundles.push(results::load(folder, registry)?.bundle);
        note_unfinished(folder);
    }
    let (first, last) = (&bundles[0], &bundles[bundles.len() - 1]);
    let goal = goal(verb, first)?;
    let methods = methods(verb, first, last)?;
    let names: Vec<[String; 2]> = methods.iter().map(|pair| named(verb, pair)).collect();
    let sides = methods.iter().zip(&names);
    let sides = sides.map(|([a, b], [name_a, name_b])| {
        let side = |bundle, method, name| Side {
            bundle,
            method,
            name,
        };
        (side(first, *a, name_a), side(last, *b, name_b))
    });
    let sides: Vec<(Side<'_>, Side<'_>)> = sides.collect();
    let both_ways = sides.iter().flat_map(|(a, b)| [(a, b), (b, a)]);
    let alone = both_ways.filter_map(|(one, other)| alone(one, other));
    for remark in left_out(&sides).into_iter().chain(alone) {
        print_diagnostic(&printable(&remark));
    }
    let compared = compare(&sides, &goal);
    let compared = compared.map_err(|error| Failure::request(printable(&error.to_string())))?;
    if let Some(folder) = &verb.out {
        write(folder, &compared, &goal)?;
    }
    let doubts = doubts(&sides, &goal);
    if verb.json {
        return compared.iter().try_for_each(|comparison| {
            let mut object = object(comparison, &goal);
            object["doubts"] = json!(doubts);
            output.json(&object)
        });
    }
    for comparison in &compared {
        output.line(&printable(&sentence(comparison, &goal)))?;
    }
    let untried = untried(&bundles, &compared, &goal);
    doubts
        .into_iter()
        .chain(untried)
        .try_for_each(|note| output.line(&printable(&note)))?;
    output.line("")?;
    let (table, names) = match compared.as_slice() {
        [only] if only.pairs.len() <= PRINTED => (pair_table(only, &goal), 1),
        all => (pairwise_table(all, &goal), 2),
    };
    print(&table, names, output)?;
    print_diagnostic(&match &verb.out {
        Some(folder) => printable(&format!("figure: {}", folder.join(FIGURE).display())),
        None => "the figure and the tables as CSV: add --out FOLDER".to_owned(),
    });
    Ok(())
}

/// Says how many problems one side alone has, which nothing is compared with.
fn alone(one: &Side<'_>, other: &Side<'_>) -> Option<String> {
    let problems = |side: &Side<'_>| -> BTreeSet<String> {
        let own = side.bundle.records.iter();
        let own = own.filter(|record| record.method() == side.method);
        own.map(|record| record.problem.name.clone()).collect()
    };
    let alone = problems(one).difference(&problems(other)).count();
    (alone > 0).then(|| {
        let problems = count(alone as u64, "problem");
        format!(
            "Left out: {problems} that {} has and {} has not.",
            one.name, other.name
        )
    })
}

/// Says that a run stopped its solves at a larger tolerance than this one, which somebody missed.
fn untried(bundles: &[Bundle], compared: &[Comparison], goal: &Goal) -> Option<String> {
    let missed = compared.iter().any(|one| one.unsolved() != [0; 3]);
    let solves = bundles
        .iter()
        .filter(|bundle| bundle.kind() == Kind::Solves);
    let stopped = solves.map(|bundle| bundle.tolerance).max_by(f64::total_cmp);
    let stopped = stopped.filter(|stopped| missed && *stopped > goal.tolerance)?;
    let (stopped, wanted) = (shown(stopped), shown(goal.tolerance));
    Some(format!(
        "The solves of the run stopped at a tolerance of {stopped}, so {wanted} was not tried: write tolerance = {wanted} \
         into [stop] of the spec, and run it again."
    ))
}

/// Refuses a comparison of something with itself.
fn different(verb: &CompareVerb) -> Result<(), Failure> {
    if let [first, last] = verb.folders.as_slice()
        && let (Ok(one), Ok(other)) = (first.canonicalize(), last.canonicalize())
        && one == other
    {
        return Err(Failure::request(printable(&format!(
            "{} is named twice; name it once to compare its solvers, or name two runs",
            last.display()
        ))));
    }
    match verb.solvers.as_deref() {
        Some([a, b]) if a == b && verb.folders.len() < 2 => Err(Failure::request(printable(
            &format!("--solvers: {a:?} is named twice; name two different solvers, or two runs"),
        ))),
        _ => Ok(()),
    }
}

fn goal(verb: &CompareVerb, bundle: &Bundle) -> Result<Goal, Failure> {
    let tolerance = verb.tolerance.unwrap_or(bundle.tolerance);
    if !(tolerance.is_finite() && tolerance > 0.0) {
        return Err(Failure::request(format!(
            "--tolerance {}: it must be finite and above zero",
            shown(tolerance)
        )));
    }
    if bundle.kind() != Kind::Solves && (verb.metric.is_some() || verb.tolerance.is_some()) {
        let (option, runs) = match (&verb.metric, bundle.kind()) {
            (Some(_), Kind::Timings) => ("--metric", "sweeps that were timed"),
            (None, Kind::Timings) => ("--tolerance", "sweeps that were timed"),
            (Some(_), _) => ("--metric", "runs over time"),
            (None, _) => ("--tolerance", "runs over time"),
        };
        return Err(Failure::request(format!(
            "{option}: these are {runs}, which have no residual to reach; leave it out to compare what they cost, \
             or draw errors against work with `delassus plot DIR work-precision`"
        )));
    }
    Ok(Goal {
        cost: cost(verb, bundle)?,
        metric: verb.metric.clone().unwrap_or_else(headline),
        tolerance,
    })
}

/// What the methods are compared by: what is asked for, or row updates where all count them.
fn cost(verb: &CompareVerb, bundle: &Bundle) -> Result<Work, Failure> {
    let tried = bundle
        .records
        .iter()
        .filter(|record| record.was_attempted());
    let mut schemes = tried.filter_map(|record| record.scheme());
    let engine = schemes.find(|scheme| is_engine(&scheme.id));
    let usual = match (bundle.kind(), engine) {
        (Kind::Timings, _) | (_, Some(_)) => Work::Seconds,
        (Kind::Solves | Kind::Trajectories, None) => Work::RowUpdates,
    };
    match (verb.cost.map_or(usual, |cost| cost.work()), engine) {
        (Work::Sweeps | Work::RowUpdates, Some(scheme)) => Err(Failure::request(format!(
            "--cost: the engine {:?} counts no sweeps and no row updates; compare times: --cost seconds",
            scheme.label
        ))),
        (cost, _) => Ok(cost),
    }
}

/// The pairs of methods that are asked for.
fn methods<'b>(
    verb: &CompareVerb,
    first: &'b Bundle,
    last: &'b Bundle,
) -> Result<Vec<[&'b str; 2]>, Failure> {
    if let Some([a, b]) = verb.solvers.as_deref() {
        return Ok(vec![[find(a, first)?, find(b, last)?]]);
    }
    let (of_first, of_last) = (with_results(first), with_results(last));
    leave_out(verb, first, last);
    let pairs: Vec<[&str; 2]> = if verb.folders.len() == 2 {
        let shared = of_first.iter().filter(|method| of_last.contains(method));
        shared.map(|method| [*method; 2]).collect()
    } else {
        let later = |i: usize| of_first[i + 1..].iter().copied();
        (0..of_first.len())
            .flat_map(|i| later(i).map(move |b| (i, b)))
            .map(|(i, b)| [of_first[i], b])
            .collect()
    };
    if pairs.is_empty() {
        let names = [of_first, of_last].map(list);
        return Err(Failure::request(match verb.folders.len() {
            2 => format!(
                "nothing to compare: the solvers are {} and {}; name two with --solvers A B",
                names[0], names[1]
            ),
            _ => format!(
                "nothing to compare: the only solver with results is {}; name a second run, or add \
                 a solver to the spec",
                names[0]
            ),
        }));
    }
    Ok(pairs)
}

/// The methods that have tried a problem.
fn with_results(bundle: &Bundle) -> Vec<&str> {
    let skipped = bundle.skipped_solvers();
    let has_results = |method: &&str| !skipped.iter().any(|(name, _)| name == method);
    bundle.solvers().into_iter().filter(has_results).collect()
}

/// Says which methods are not compared, and why.
fn leave_out(verb: &CompareVerb, first: &Bundle, last: &Bundle) {
    let bundles = [first, last].into_iter().take(verb.folders.len());
    for (bundle, folder) in bundles.zip(&verb.folders) {
        for (method, reason) in bundle.skipped_solvers() {
            print_diagnostic(&printable(&format!(
                "left out: {method} has no results in {}: {reason}",
                folder.display()
            )));
        }
    }
}

/// The method of this label.
fn find<'b>(name: &str, bundle: &'b Bundle) -> Result<&'b str, Failure> {
    let methods = bundle.solvers();
    if let Some((_, reason)) = bundle
        .skipped_solvers()
        .iter()
        .find(|(own, _)| *own == name)
    {
        return Err(Failure::request(printable(&format!(
            "--solvers: {name:?} has no results, because all of its cells are unsupported: {reason}"
        ))));
    }
    let found = methods.iter().copied().find(|method| *method == name);
    found.ok_or_else(|| {
        let known = methods.iter().copied();
        Failure::request(match nearest(name, known.clone()) {
            Some(meant) => format!("no cell of a solver {name:?}; did you mean {meant:?}?"),
            None => format!("no cell of a solver {name:?}; there are {}", list(known)),
        })
    })
}

/// What the sides of a pair are called: with the folder where there are two.
fn named(verb: &CompareVerb, pair: &[&str; 2]) -> [String; 2] {
    match verb.folders.as_slice() {
        [a, b] => [
            format!("{} of {}", pair[0], a.display()),
            format!("{} of {}", pair[1], b.display()),
        ],
        _ => pair.map(str::to_owned),
    }
}

/// Prints a table whose first `names` columns name its rows.
fn print(table: &Table, names: usize, output: &mut Output) -> Result<(), Failure> {
    let rows: Vec<Vec<String>> = to_text(table)
        .into_iter()
        .map(|row| row.iter().map(|cell| printable(cell)).collect())
        .collect();
    output.text(&aligned_within(&rows, names, WIDTH))?;
    // what marks in the cells stand for
    let notes = table.notes.iter();
    notes
        .map(|note| wrapped(&printable(&note.replace('`', "")), 0, WIDTH))
        .try_for_each(|note| output.line(&note))
}

const FIGURE: &str = "comparison.svg";

fn write(folder: &Path, compared: &[Comparison], goal: &Goal) -> Result<(), Failure> {
    let figure =
        draw_comparisons(compared, goal).map_err(|error| Failure::run(error.to_string()))?;
    let mut files = vec![
        (FIGURE, figure),
        ("comparison.csv", to_csv(&pairwise_table(compared, goal))),
    ];
    if let [only] = compared {
        files.push(("problems.csv", to_csv(&pair_table(only, goal))));
    }
    for (name, content) in files {
        let path = folder.join(name);
        store::write_atomic(&path, content.as_bytes())
            .map_err(|error| Failure::unwritten(&path, &error))?;
    }
    Ok(())
}

/// A ratio of two costs; null where only one of the two is known, as `for_a` says.
fn ratio(value: Option<f64>) -> Value {
    finite(value.filter(|ratio| *ratio > 0.0))
}

fn object(comparison: &Comparison, goal: &Goal) -> Value {
    let [a, b, both] = comparison.unsolved();
    let interval = |own: &Option<Interval>| {
        own.map(|i| json!({ "low": finite(Some(i.low)), "high": finite(Some(i.high)), "coverage": i.coverage }))
    };
    let pair = |pair: &Pair| {
        json!({
            "problem": pair.problem,
            "a": finite(pair.a),
            "b": finite(pair.b),
            "ratio": ratio(pair.ratio),
            "interval": interval(&pair.interval),
            "for_a": pair.ending.name(),
            "row_updates_a": finite(pair.updates[0]),
            "row_updates_b": finite(pair.updates[1]),
            "factorizations_a": pair.factorizations[0],
            "factorizations_b": pair.factorizations[1],
        })
    };
    json!({
        "schema": SCHEMA,
        "a": comparison.a,
        "b": comparison.b,
        "cost": goal.cost.id(),
        "metric": goal.metric,
        "tolerance": goal.tolerance,
        "sentence": sentence(comparison, goal),
        "ratio": ratio(comparison.ratio),
        "interval": interval(&comparison.interval),
        "noise_floor": comparison.floor.share,
        "p": comparison.p,
        "p_holm": comparison.adjusted,
        "wins": comparison.count(Ending::Win),
        "ties": comparison.count(Ending::Tie),
        "losses": comparison.count(Ending::Loss),
        "unsolved_a": a,
        "unsolved_b": b,
        "unsolved_both": both,
        "problems": comparison.pairs.iter().map(pair).collect::<Vec<_>>(),
    })
}
