//! The laws of conformance on a solver of Python.

use std::sync::Arc;

use delassus_conformance::{
    Case, Make, Rewriting, Verdict, cases, chunks, convergence, friction, immobile, momentum,
    refusal, repetition, restart, rewriting, scaling, sharing, unit_map, warm_start,
};
use delassus_core::ImpulseSolver;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Entries, of_matrix};
use crate::errors::refused;
use crate::solver::{Declaration, PythonSolver, Raised, take};

/// The laws by number. Laws 3 and 6 are about the oracles and about memory that Python manages,
/// and law 11 about states that Python solvers do not show.
const LAWS: [(u32, &str); 13] = [
    (1, "chunks of sweeps do not matter"),
    (2, "a warm start from the solution stays there"),
    (4, "converges to the known velocities, and stays there"),
    (
        5,
        "equal inputs give equal bits, also after another problem",
    ),
    (7, "masses times c give impulses times c"),
    (8, "refuses what it cannot solve, and bad input"),
    (9, "keeps the momentum of an isolated system"),
    (10, "bodies stick and slide by their law of friction"),
    (12, "takes over compliance that rows share"),
    (13, "a warm start is a preparation"),
    (14, "other writings of a problem have its velocities"),
    (15, "friction that nothing moves stays at zero"),
    (16, "stays only at solutions"),
];

/// What a law has found.
struct Finding {
    held: usize,
    /// The case and what is wrong there.
    broken: Option<(String, String)>,
    /// Why it applies nowhere.
    reason: String,
}

/// A problem whose matrix is not symmetric, with rows λ ≥ 0 ⊥ w ≥ 0 and one solution: A is strictly
/// diagonally dominant.
fn unsymmetric() -> PyResult<Case> {
    let solution = [1.0, 0.0, 0.5, 0.0, 2.0, 0.25];
    let velocity = [0.0, 0.75, 0.0, 0.375, 0.0, 0.0];
    let coupling = |i: u32, j: u32| {
        // eleven values between −1/4 and 1/4, other ones across the diagonal
        f64::from((7 * i + 3 * j + 1) % 11) / 20.0 - 0.25
    };
    let entry = |i: u32, j: u32| if i == j { 2.0 } else { coupling(i, j) };
    let pairs: Vec<(u32, u32)> = (0..6).flat_map(|i| (0..6).map(move |j| (i, j))).collect();
    let values: Vec<f64> = pairs.iter().map(|(i, j)| entry(*i, *j)).collect();
    let (rows, columns): (Vec<i64>, Vec<i64>) = pairs
        .iter()
        .map(|(i, j)| (i64::from(*i), i64::from(*j)))
        .unzip();
    let free = velocity
        .iter()
        .zip(values.chunks_exact(6))
        .map(|(w, line)| {
            let products = line.iter().zip(&solution).map(|(a, x)| a * x);
            w - products.sum::<f64>()
        });
    let matrix = Entries {
        name: "A",
        rows: &rows,
        columns: &columns,
        values: &values,
        shape: (6, 6),
    };
    let blocks = vec![("bounds".to_owned(), 1, vec![0.0, f64::INFINITY]); 6];
    Ok(Case {
        name: "bounds, matrix that is not symmetric".into(),
        problem: of_matrix(&matrix, &free.collect::<Vec<f64>>(), None, &blocks)?,
        solution: Some(solution.to_vec()),
        centres: None,
    })
}

/// The verdict of a law on a case.
fn on_case(law: u32, make: Make<'_>, case: &Case, first: &Case) -> Verdict {
    match law {
        1 => chunks(make, case),
        2 => warm_start(make, case),
        4 => convergence(make, case),
        5 => repetition(make, case, first),
        7 => scaling(make, case),
        9 => momentum(make, case),
        12 => sharing(make, case),
        13 => restart(make, case),
        14 => all_rewritings(make, case),
        15 => immobile(make, case),
        16 if make().descriptor().unit_is_map => unit_map(make, case),
        _ => Verdict::NotApplicable("it declares that its unit is no map".into()),
    }
}

fn all_rewritings(make: Make<'_>, case: &Case) -> Verdict {
    let plain =
        case.name.ends_with("compliant, bodies") || case.name == "joints and contacts, bodies";
    if !plain || make().check(&case.problem).is_err() {
        return Verdict::NotApplicable("has no other writings".into());
    }
    let mut last = Verdict::NotApplicable("has no other writings".into());
    for way in Rewriting::ALL {
        match rewriting(make, case, way) {
            Verdict::Violated(what) => return Verdict::Violated(format!("{way:?}: {what}")),
            Verdict::Holds => last = Verdict::Holds,
            Verdict::NotApplicable(_) | Verdict::Unavailable(_) => {}
        }
    }
    last
}

/// Runs a law on one in `share` cases until one breaks it or `stop` says so.
fn run(
    law: u32,
    make: Make<'_>,
    cases: &[Case],
    share: usize,
    stop: &mut dyn FnMut() -> bool,
) -> Finding {
    let mut finding = Finding {
        held: 0,
        broken: None,
        reason: String::new(),
    };
    let mut take = |case: &str, verdict: Verdict| match verdict {
        Verdict::Holds => finding.held += 1,
        Verdict::NotApplicable(why) | Verdict::Unavailable(why) => finding.reason = why,
        Verdict::Violated(what) => finding.broken = Some((case.to_owned(), what)),
    };
    match law {
        8 => take("all cases", refusal(make)),
        10 => take("boxes and balls", friction(make, share)),
        _ => {
            // the cases that are more than a law with a form stand at the end
            let chosen = cases.iter().rev().step_by(share);
            for case in chosen {
                let verdict = on_case(law, make, case, &cases[0]);
                let broken = matches!(verdict, Verdict::Violated(_));
                take(&case.name, verdict);
                if broken || stop() {
                    break;
                }
            }
        }
    }
    finding
}

/// The verdict of each law in `wanted` (all if it is empty) as a list of dictionaries.
#[pyfunction]
pub(crate) fn check<'py>(
    py: Python<'py>,
    make: Py<PyAny>,
    declaration: Declaration,
    wanted: Vec<u32>,
    share: usize,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    for law in &wanted {
        if !LAWS.iter().any(|(number, _)| number == law) {
            let known: Vec<String> = LAWS.iter().map(|(n, _)| n.to_string()).collect();
            let known = known.join(", ");
            return Err(refused(format!("there is no law {law} here: {known}")));
        }
    }
    if share == 0 {
        return Err(refused("share = 0: one case in how many is met, 1 or more"));
    }
    let descriptor = declaration.descriptor()?;
    let raised = Raised::default();
    drop(PythonSolver::new(&make, descriptor, &raised));
    if let Some(error) = take(&raised) {
        return Err(error);
    }
    let mut all = cases();
    all.push(unsymmetric()?);
    let mut found = Vec::new();
    for (law, title) in LAWS {
        if !wanted.is_empty() && !wanted.contains(&law) {
            continue;
        }
        let raised = Raised::default();
        let (finding, signal) = py.detach(|| {
            let mut signal = None;
            let mut stop = || {
                signal = Python::attach(|py| py.check_signals()).err();
                signal.is_some()
            };
            let own = Arc::clone(&raised);
            let make = || -> Box<dyn ImpulseSolver> {
                Box::new(PythonSolver::new(&make, descriptor, &own))
            };
            let finding = run(law, &make, &all, share, &mut stop);
            (finding, signal)
        });
        if let Some(signal) = signal {
            return Err(signal);
        }
        found.push(verdict_dict(py, law, title, finding, take(&raised))?);
    }
    Ok(found)
}

fn verdict_dict<'py>(
    py: Python<'py>,
    law: u32,
    title: &str,
    finding: Finding,
    raised: Option<PyErr>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("law", law)?;
    dict.set_item("title", title)?;
    dict.set_item("cases", finding.held)?;
    let (verdict, case, message) = match finding.broken {
        Some((case, what)) => ("broken", case, what),
        None if finding.held > 0 => ("holds", String::new(), String::new()),
        None => ("not applicable", String::new(), finding.reason),
    };
    dict.set_item("verdict", verdict)?;
    dict.set_item("case", case)?;
    dict.set_item("message", message)?;
    let raised = raised.filter(|_| verdict == "broken");
    dict.set_item("exception", raised.map(|error| error.into_value(py)))?;
    Ok(dict)
}
