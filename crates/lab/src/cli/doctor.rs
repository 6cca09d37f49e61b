//! `delassus doctor`: what this machine and this build offer, and what stands in the way of a fair
//! timing.

use delassus_solver_wide::{VARIABLE, VectorLevel};
use serde_json::{Value, json};

mod adapters;
mod fact;

use super::args::DoctorVerb;
use super::diagnostic::print_diagnostic;
use super::failure::Failure;
use super::output::{Output, aligned, printable};
use super::probe;
use crate::built::BUILD;
use crate::machine;
use delassus_records::machine::load;
use fact::{Fact, fact};

/// Noise floor above which timings of one run say little \[-\].
const NOISY: f64 = 0.1;
/// Step of the clock above which a solve of a small problem cannot be timed \[s\].
const COARSE: f64 = 1e-6;

/// Runs the verb.
pub(crate) fn run(verb: &DoctorVerb, output: &mut Output) -> Result<(), Failure> {
    let mut warnings = Vec::new();
    let mut facts = build_facts(&mut warnings);
    facts.extend(machine_facts(&mut warnings));
    facts.extend(adapters::facts(&mut warnings));
    let (tried, written) = probe::writable(&verb.out);
    let out = printable(&verb.out.to_string_lossy());
    let tried = printable(&tried.to_string_lossy());
    let state = match &written {
        Ok(()) => "writable".to_owned(),
        Err(error) => format!("not writable: {tried}: {error}"),
    };
    facts.push(fact(
        "results",
        format!("{out} ({state})"),
        json!({
            "folder": verb.out.to_string_lossy(),
            "writable": written.is_ok(),
        }),
    ));
    if verb.json {
        let pairs = facts
            .into_iter()
            .filter(|fact| !fact.key.is_empty())
            .map(|fact| (fact.key.replace(' ', "_"), fact.json));
        let mut object: serde_json::Map<String, Value> = pairs.collect();
        object.insert("warnings".to_owned(), json!(warnings));
        output.json(&object)?;
    } else {
        let rows = facts
            .iter()
            .filter(|fact| !fact.shown.is_empty())
            .map(|fact| vec![fact.key.to_owned(), fact.shown.clone()]);
        output.text(&aligned(&rows.collect::<Vec<_>>()))?;
        for warning in &warnings {
            print_diagnostic(&format!("warning: {warning}"));
        }
    }
    match written {
        Ok(()) => Ok(()),
        Err(error) => Err(Failure::Store(format!(
            "results cannot be written to {out}: {tried}: {error}; name another folder with --out"
        ))),
    }
}

fn build_facts(warnings: &mut Vec<String>) -> Vec<Fact> {
    let build = BUILD;
    if build.profile != "release" {
        warnings.push(
            "this is a debug build: times mean nothing; build with `cargo build --release`"
                .to_owned(),
        );
    }
    let modified = match build.modified() {
        Some(true) => ", modified",
        Some(false) => "",
        None => ", not known whether modified",
    };
    vec![
        fact("delassus", build.version, build.version),
        fact(
            "commit",
            format!(
                "{}{modified}; the last that changed the program",
                build.commit
            ),
            build.commit,
        ),
        // in words the line of the commit has said it
        fact("modified", "", build.modified()),
        fact("compiler", build.rustc, build.rustc),
        fact("target", build.target, build.target),
        fact(
            "profile",
            format!(
                "{}, solvers at optimisation level {}",
                build.profile, build.solver_opt_level
            ),
            build.profile,
        ),
        // in words the line of the profile has said it
        fact("solver opt level", "", build.solver_opt_level),
    ]
}

fn machine_facts(warnings: &mut Vec<String>) -> Vec<Fact> {
    let machine = machine::machine();
    let mut facts = vec![
        fact("processor", machine.cpu.clone(), machine.cpu),
        fact(
            "vector level",
            machine.vector_level.clone(),
            machine.vector_level,
        ),
        solver_level(machine.solver_level),
        fact(
            "logical cores",
            machine.logical_cores.to_string(),
            machine.logical_cores,
        ),
        memory(),
        fact("system", machine.os.clone(), machine.os),
    ];
    facts.extend(timing_facts(machine.logical_cores, warnings));
    facts
}

/// The vector level of the wide solvers, and the others that can be asked for.
fn solver_level(level: String) -> Fact {
    let levels = VectorLevel::available();
    let available: Vec<&str> = levels.iter().map(|level| level.id()).collect();
    let shown = format!("{level} (of {}; {VARIABLE} chooses)", available.join(", "));
    fact(
        "solver level",
        shown,
        json!({ "level": level, "available": available }),
    )
}

/// What decides how far a timing can be trusted.
fn timing_facts(logical_cores: usize, warnings: &mut Vec<String>) -> Vec<Fact> {
    let (governor, load) = (probe::governor(), load());
    let (clock, noise) = (probe::clock_resolution(), machine::noise_floor());
    let cores = u32::try_from(logical_cores).map_or(f64::INFINITY, f64::from);
    let percent = noise.map_or(f64::INFINITY, |noise| 100.0 * noise);
    let checks = [
        (
            governor.as_ref().is_some_and(|name| name != "performance"),
            "the processor's frequency follows the load (governor): times of short runs vary"
                .to_owned(),
        ),
        (
            load.is_some_and(|load| load > 0.5 * cores),
            "other programs are running: compare sweeps rather than seconds".to_owned(),
        ),
        (
            noise.is_none_or(|noise| noise > NOISY),
            format!(
                "differences of times below {percent:.0} % mean nothing here: use more repetitions, or compare sweeps"
            ),
        ),
        (
            clock > COARSE,
            format!("the clock moves in steps of {clock:.0e} s: time longer solves"),
        ),
    ];
    warnings.extend(
        checks
            .into_iter()
            .filter(|(met, _)| *met)
            .map(|(_, text)| text),
    );
    let unknown = || "unknown".to_owned();
    let load_shown = load.map_or_else(unknown, |load| format!("{load} (tasks, one minute)"));
    vec![
        fact(
            "governor",
            governor.clone().unwrap_or_else(unknown),
            governor,
        ),
        fact("load", load_shown, load),
        fact("clock", format!("steps of {:.0} ns", 1e9 * clock), clock),
        fact(
            "noise",
            format!("{percent:.1} % (smaller differences of times are none)"),
            noise,
        ),
    ]
}

fn memory() -> Fact {
    let (total, available) = probe::memory();
    let shown = match (total, available) {
        (Some(total), Some(available)) => {
            let (total, available) = (gibibytes(total), gibibytes(available));
            format!("{total} GiB, {available} GiB available")
        }
        _ => "unknown".to_owned(),
    };
    fact(
        "memory",
        shown,
        json!({ "total_bytes": total, "available_bytes": available }),
    )
}

/// Tenths of a GiB, without floating-point rounding of large numbers.
fn gibibytes(bytes: u64) -> String {
    let tenths = bytes / (1 << 20) * 10 / 1024;
    format!("{}.{}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_in_tenths() {
        assert_eq!(gibibytes(3 << 30), "3.0");
        assert_eq!(gibibytes((3 << 30) + (512 << 20)), "3.5");
    }
}
