//! Which closed form belongs to a cell: the lookup from names and parameters to
//! `delassus_problems::oracles`.

use delassus_core::Parameters;
use delassus_problems::generators::{ChainProblem, FallingBoxProblem, Generator, MassRatioChain};
use delassus_problems::oracles::{Rates, falling_box};
use serde_json::Value;

use super::RATE;
use crate::record::{CellRecord, ProblemLabel, SolverLabel};

/// Links beyond which the eigenvalue of a chain is not looked up: figures ask for hundreds of them.
const MOST_LINKS: usize = 10_000;
/// A sweep that contracts more than this solves the problem: there is no rate to measure.
const LEAST_RATE: f64 = 1e-12;

/// Closed form of `quantity` for a cell, if one is known: see [`closed_form_of`].
pub fn closed_form(record: &CellRecord, quantity: &str) -> Option<f64> {
    closed_form_of(&record.problem, &record.solver, quantity)
}

/// Closed form of `quantity` for a problem and a configured solver, if one is known.
///
/// - "rate" \[-\]: Gauss–Seidel, SOR and Jacobi sweeps on axial chains and on the falling box
///   (G.17)–(G.19), (G.22);
/// - velocities of the falling box, "v\[1\].y" \[m/s\] and "w\[1\].z" \[rad/s\]: at rest, or what
///   clamped increments leave from a cold start (E.14).
pub fn closed_form_of(problem: &ProblemLabel, solver: &SolverLabel, quantity: &str) -> Option<f64> {
    if quantity == RATE {
        let rates = rates_of(problem, solver)?;
        return sweep_rate(&rates, solver).filter(|rate| *rate > LEAST_RATE);
    }
    if problem.source == FallingBoxProblem::DESCRIPTOR.id {
        return velocity_after_impact(
            &FallingBoxProblem::from_map(&problem.parameters).ok()?,
            solver,
            quantity,
        );
    }
    None
}

/// Rates of the linear iterations on the problem's matrix.
fn rates_of(problem: &ProblemLabel, solver: &SolverLabel) -> Option<Rates> {
    let source = problem.source.as_str();
    if source == ChainProblem::DESCRIPTOR.id {
        let problem: ChainProblem = Parameters::from_map(&problem.parameters).ok()?;
        if problem.chain.n > MOST_LINKS {
            return None;
        }
        return Rates::of_chain(&problem);
    }
    if source == MassRatioChain::DESCRIPTOR.id {
        let chain: MassRatioChain = Parameters::from_map(&problem.parameters).ok()?;
        return Some(Rates::two_links(chain.ratio));
    }
    if source == FallingBoxProblem::DESCRIPTOR.id && solver.id != "naive-impulses" {
        // both contacts push in the limit, so the sweeps are linear in the end
        let falling: FallingBoxProblem = Parameters::from_map(&problem.parameters).ok()?;
        let s = falling_box::shape(falling.half_width, falling.half_height);
        return Some(Rates::from_jacobi((1.0 - s).abs() / (1.0 + s)));
    }
    None
}

/// Factor per sweep of a configured solver on a matrix whose blocks are single rows.
fn sweep_rate(rates: &Rates, solver: &SolverLabel) -> Option<f64> {
    let order = solver.parameters.get("order").and_then(Value::as_str);
    let simultaneous = match order.unwrap_or("natural") {
        // the matrix is consistently ordered both ways
        "natural" | "reversed" => false,
        "simultaneous" => true,
        _ => return None,
    };
    let omega = match solver.parameters.get("omega") {
        Some(value) => value.as_f64()?,
        None => 1.0,
    };
    match solver.id.as_str() {
        "pgs" | "naive-impulses" | "dense-pgs" if simultaneous => Some(rates.jacobi()),
        "pgs" | "naive-impulses" | "dense-pgs" => Some(rates.gauss_seidel()),
        // relaxed Jacobi sweeps have no closed form there
        "psor" | "block-gs" if simultaneous => (omega == 1.0).then(|| rates.jacobi()),
        "psor" | "block-gs" => Some(rates.sor(omega)),
        _ => None,
    }
}

/// Velocities of the box after the impact.
fn velocity_after_impact(
    falling: &FallingBoxProblem,
    solver: &SolverLabel,
    quantity: &str,
) -> Option<f64> {
    if !matches!(quantity, "v[1].y" | "w[1].z") {
        return None;
    }
    if solver.id != "naive-impulses" {
        // the exact solution: at rest
        return Some(0.0);
    }
    let s = falling_box::shape(falling.half_width, falling.half_height);
    let order = solver.parameters.get("order").and_then(Value::as_str);
    let turned = match order.unwrap_or("natural") {
        "natural" => 1.0,
        "reversed" => -1.0,
        _ => return None,
    };
    Some(if quantity == "v[1].y" {
        falling_box::incremental_bounce(s) * falling.speed
    } else {
        turned * falling_box::incremental_spin(s) * falling.speed / falling.half_width
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, Value, json};

    fn map(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }

    fn look_up(
        source: &str,
        problem: Value,
        id: &str,
        solver: Value,
        quantity: &str,
    ) -> Option<f64> {
        let problem = ProblemLabel {
            name: "p".to_owned(),
            source: source.to_owned(),
            parameters: map(problem),
        };
        let solver = SolverLabel {
            label: "s".to_owned(),
            id: id.to_owned(),
            parameters: map(solver),
            device: None,
        };
        closed_form_of(&problem, &solver, quantity)
    }

    #[test]
    fn chains_have_rates() {
        let rate =
            |solver, parameters| look_up("chain", json!({ "n": 10 }), solver, parameters, "rate");
        let close = |found: Option<f64>, value: f64| {
            let found = found.expect("a closed form");
            // values printed with seven digits
            assert!((found - value).abs() < 5e-7, "{found} for {value}");
        };
        close(rate("pgs", json!({})), 0.975_528_3);
        close(rate("pgs", json!({ "order": "simultaneous" })), 0.987_688_3);
        close(rate("psor", json!({ "omega": 1.9 })), 0.9);
        close(
            rate("block-gs", json!({ "omega": 1.0, "order": "reversed" })),
            0.975_528_3,
        );
        assert_eq!(rate("pgs", json!({ "order": "symmetric" })), None);
        assert_eq!(
            rate("psor", json!({ "omega": 1.3, "order": "simultaneous" })),
            None
        );
        assert_eq!(rate("dantzig", json!({})), None);
        let two = look_up(
            "mass-ratio-chain",
            json!({ "ratio": 100.0 }),
            "pgs",
            json!({}),
            "rate",
        );
        close(two, 0.990_099_0);
        // one link: the first sweep solves it
        assert_eq!(
            look_up("chain", json!({ "n": 1 }), "pgs", json!({}), "rate"),
            None
        );
        assert_eq!(
            look_up(
                "chain",
                json!({ "n": 10, "ends": "both" }),
                "pgs",
                json!({}),
                "rate"
            ),
            None
        );
    }

    #[test]
    fn the_falling_box_bounces_under_clamped_increments() {
        let tall = json!({ "half_width": 1.0, "half_height": 2.0, "speed": 2.0 });
        let found =
            |solver, quantity| look_up("falling-box", tall.clone(), solver, json!({}), quantity);
        // s = 0.6: bounce 0.09375 v, spin −0.09375 v/a
        let near = |found: Option<f64>, value: f64| {
            assert!((found.expect("a closed form") - value).abs() < 1e-15);
        };
        near(found("naive-impulses", "v[1].y"), 0.1875);
        near(found("naive-impulses", "w[1].z"), -0.1875);
        near(found("pgs", "v[1].y"), 0.0);
        near(found("pgs", "rate"), 0.0625);
        assert_eq!(found("naive-impulses", "rate"), None);
        assert_eq!(found("pgs", "natural_map"), None);
    }

    #[test]
    fn odd_parameters_have_no_closed_form() {
        for parameters in [
            json!({ "n": -3 }),
            json!({ "n": "x" }),
            json!({ "m": 1 }),
            json!({ "n": 0 }),
        ] {
            assert_eq!(look_up("chain", parameters, "pgs", json!({}), "rate"), None);
        }
        assert_eq!(look_up("file", json!({}), "pgs", json!({}), "rate"), None);
    }
}
