//! Problems at the limits of arithmetic and of solvability: whatever a solver answers is finite, or
//! an error that says why.

use std::fmt::Write;

use delassus_core::{ImpulseSolver, Law, Problem, SolveError, Start};
use delassus_metrics::Evaluator;
use delassus_problems::generate;
use delassus_problems::generators::{Generator, OperatorForm, Planted};
use delassus_registry::{Registry, SolverEntry};
use serde_json::{Map, Value, json};

use crate::pairs::on_a_device;

/// A problem with a name for messages.
type Named = (String, Problem);

fn made(id: &str, parameters: Value) -> Named {
    let map: Map<String, Value> = parameters.as_object().cloned().unwrap_or_default();
    let problem = generate(id, &map).expect("parameters in range").problem;
    (format!("{id} {parameters}"), problem)
}

/// Heavy boxes on light ones, heavy links on light ones: one to a trillion, a decade apart.
fn mass_ratios() -> Vec<Named> {
    let ratios = (0..=12).map(|decade| 10_f64.powi(decade));
    ratios
        .flat_map(|ratio| {
            let stack = json!({ "n": 3, "mass_order": "heavy-last", "mass_ratio": ratio });
            [
                made("stack", stack),
                made("mass-ratio-chain", json!({ "ratio": ratio })),
            ]
        })
        .collect()
}

/// Rows that repeat others, with and without conditions that hold twice, with equal and with
/// unequal masses.
fn redundant() -> Vec<Named> {
    let mut found = Vec::new();
    for form in [OperatorForm::Bodies, OperatorForm::Matrix] {
        for redundant in [1, 2, 3, 4, 6] {
            for degenerate in [0.0, 0.5] {
                for mass_ratio in [1.0, 1e6] {
                    let planted = Planted {
                        bodies: 4,
                        equality: 2,
                        bounds: 2,
                        coulomb: 2,
                        redundant,
                        degenerate,
                        mass_ratio,
                        friction: 0.25,
                        form,
                        ..Planted::default()
                    };
                    let name = format!(
                        "{redundant} blocks too many, {degenerate}, {mass_ratio}, {form:?}"
                    );
                    let named = planted.generate().expect("parameters of this test");
                    found.push((name, named.problem));
                }
            }
        }
    }
    found
}

/// Every row twice, each asking for what the other forbids: joints and limits that nothing
/// satisfies, and limits so weak that they give way.
fn contradictory() -> Vec<Named> {
    let limits = |most: f64| Law::Bounds {
        lower: 0.0,
        upper: most,
    };
    let mut found = Vec::new();
    for (name, law, sign) in [
        ("joints", Law::Equality, 1.0),
        ("joints in opposite directions", Law::Equality, -1.0),
        ("limits", limits(f64::INFINITY), -1.0),
        ("weak limits", limits(1.0), -1.0),
    ] {
        let (_, chain) = made("chain", json!({ "n": 3 }));
        let mut parts = chain.into_parts();
        // v = 1 and −v = 1, or v ≥ 1 and −v ≥ 1; in one direction v = 1 and v = −1
        parts.bias.iter_mut().for_each(|bias| *bias = -1.0);
        twice(&mut parts, sign);
        for block in &mut parts.blocks {
            block.law = law.clone();
        }
        let problem = Problem::new(parts).expect("a valid problem");
        found.push((format!("{name} that pull apart"), problem));
    }
    found
}

/// Every block a second time with Jacobians times `sign`, and with a bias that contradicts the
/// first.
fn twice(parts: &mut delassus_core::ProblemParts, sign: f64) {
    let delassus_core::Operator::Bodies(rows) = &mut parts.operator else {
        unreachable!("the generator makes bodies")
    };
    let (bodies, entries) = (rows.block_bodies.len(), rows.jacobian.len());
    rows.block_bodies.extend_from_within(..);
    let again: Vec<usize> = rows.first_body[1..]
        .iter()
        .map(|end| end + bodies)
        .collect();
    rows.first_body.extend(again);
    rows.jacobian.edit(|all| {
        all.extend_from_within(..);
        for entry in &mut all[entries..] {
            entry.iter_mut().for_each(|value| *value *= sign);
        }
    });
    let again: Vec<usize> = rows.first_entry[1..]
        .iter()
        .map(|end| end + entries)
        .collect();
    rows.first_entry.extend(again);
    let count = parts.bias.len();
    let more = parts.blocks.clone();
    for mut block in more {
        block.first_row += count;
        block.feature = parts.blocks.len() as u64;
        parts.blocks.push(block);
    }
    let opposite: Vec<f64> = parts.bias.iter().map(|bias| -sign * bias).collect();
    parts.bias.extend(opposite);
    parts.compliance.extend_from_within(..);
    parts.activity.clear();
}

/// Problems without a row, and with the paradox of Painlevé.
fn odd() -> Vec<Named> {
    let rod = |mu: f64| made("painleve-rod", json!({ "friction": mu }));
    let (_, chain) = made("chain", json!({ "n": 2 }));
    let mut parts = chain.into_parts();
    let delassus_core::Operator::Bodies(rows) = &mut parts.operator else {
        unreachable!("the generator makes bodies")
    };
    rows.first_body.truncate(1);
    rows.first_entry.truncate(1);
    rows.block_bodies.clear();
    rows.jacobian.edit(Vec::clear);
    parts.blocks.clear();
    parts.activity.clear();
    parts.bias.clear();
    parts.compliance.clear();
    let empty = Problem::new(parts).expect("bodies without constraints");
    vec![("no rows".to_owned(), empty), rod(0.5), rod(2.0)]
}

/// What came of one solver on one problem.
enum Outcome {
    Refused,
    Answered,
    Failed(SolveError),
}

/// Sweeps of one call: methods that stall have stalled by then.
const SWEEPS: u32 = 60;

fn attempt(solver: &mut dyn ImpulseSolver, problem: &Problem) -> Result<Outcome, String> {
    match solver.prepare(problem, Start::Cold) {
        Ok(()) => {}
        Err(SolveError::Unsupported(_)) => return Ok(Outcome::Refused),
        Err(error) => return Ok(Outcome::Failed(error)),
    }
    let mut impulses = vec![0.0; problem.rows()];
    for _ in 0..2 {
        if let Err(error) = solver.iterate(problem, SWEEPS) {
            return Ok(Outcome::Failed(error));
        }
        if let Err(error) = solver.read_impulses(&mut impulses) {
            return Ok(Outcome::Failed(error));
        }
        if let Some(row) = impulses.iter().position(|impulse| !impulse.is_finite()) {
            return Err(format!("hands out {} in row {row}", impulses[row]));
        }
    }
    // the judge, too, has an answer that is one, however bad the impulses are
    let judged = Evaluator::new(problem).and_then(|mut judge| judge.natural_map(&impulses));
    match judged {
        Ok(residual) if residual.is_nan() => Err("is judged as NaN".to_owned()),
        _ => Ok(Outcome::Answered),
    }
}

fn for_every_solver(problems: &[Named], least: usize) {
    let (mut broken, mut answered, mut failed) = (String::new(), 0, 0);
    let registry = Registry::standard();
    let on_the_processor = |entry: &&SolverEntry| !on_a_device(entry);
    for entry in registry.entries().iter().filter(on_the_processor) {
        for (name, problem) in problems {
            let mut solver = entry.build(&Map::new()).expect("defaults build");
            match attempt(solver.as_mut(), problem) {
                Ok(Outcome::Refused) => {}
                Ok(Outcome::Answered) => answered += 1,
                Ok(Outcome::Failed(error)) => {
                    failed += 1;
                    if error.to_string().is_empty() {
                        let _ = writeln!(broken, "{}, {name}: no words", entry.descriptor.id);
                    }
                }
                Err(what) => {
                    let _ = writeln!(broken, "{}, {name}: {what}", entry.descriptor.id);
                }
            }
        }
    }
    assert!(broken.is_empty(), "\n{broken}");
    eprintln!("{answered} answers, {failed} errors");
    assert!(answered >= least, "{answered} answers, {failed} errors");
}

#[test]
fn mass_ratios_to_a_trillion_end_in_numbers_or_errors() {
    let problems = mass_ratios();
    assert_eq!(problems.len(), 26);
    for_every_solver(&problems, 700);
}

#[test]
fn redundant_and_contradictory_rows_end_in_numbers_or_errors() {
    let mut problems = redundant();
    problems.extend(contradictory());
    problems.extend(odd());
    assert_eq!(problems.len(), 47);
    for_every_solver(&problems, 1000);
}

/// One ball under a hundred thousand springs.
#[test]
fn many_rows_on_one_body_are_swept() {
    let count = 100_000;
    let mut builder = delassus_core::ProblemBuilder::new();
    let inertia = nalgebra::Vector3::repeat(0.4);
    let ball = builder.body(
        delassus_core::MassProperties::aligned(1.0, inertia),
        [0.0, -1.0, 0.0, 0.0, 0.0, 0.0],
    );
    let law = Law::Bounds {
        lower: 0.0,
        upper: f64::INFINITY,
    };
    for k in 0..count {
        let lean = f64::from(k) / f64::from(count) - 0.5;
        builder.block(law.clone(), &[ball], &[[[lean, 1.0, 0.0, 0.0, 0.0, lean]]]);
    }
    let problem = builder.build().expect("a valid problem");
    let registry = Registry::standard();
    for id in [
        "pgs",
        "block-gs",
        "wide-pgs",
        "coloured-pgs",
        "jacobi",
        "jacobi-f32",
    ] {
        let entry = registry.find(id).expect("a registered solver");
        let mut solver = entry.build(&Map::new()).expect("defaults build");
        let outcome = attempt(solver.as_mut(), &problem);
        assert!(matches!(outcome, Ok(Outcome::Answered)), "{id}");
    }
}
