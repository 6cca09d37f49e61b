//! Closed forms of what solvers do on generated problems: which of [`crate::oracles`] belongs to a
//! generator and its parameters.

use delassus_core::Parameters;
use delassus_core::parameter::Map;

use crate::generators::{ChainProblem, FallingBoxProblem, Generator, MassRatioChain};
use crate::oracles::{Rates, falling_box};

/// Links beyond which the eigenvalue of a chain is not computed: figures ask for hundreds of them.
const MOST_LINKS: usize = 10_000;
/// A sweep that contracts more than this solves the problem: there is no rate to measure.
const LEAST_RATE: f64 = 1e-12;

/// How a solver sweeps over the rows of a problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowSweeps {
    /// The order of the rows.
    pub order: LinearSweepOrder,
    /// Relaxation ω \[-\]; 1 without relaxation.
    pub omega: f64,
    /// True if the increment of each update is clamped, false if the accumulated impulse is.
    pub clamps_increments: bool,
}

/// The order in which a sweep updates rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinearSweepOrder {
    /// As in the problem.
    Natural,
    /// From the last row to the first.
    Reversed,
    /// All rows from the velocities before the sweep.
    Simultaneous,
    /// Any other order.
    Other,
}

/// Asymptotic factor per sweep \[-\] on a problem of the generator `id`, if it is known: on axial
/// chains and on the falling box (G.17)–(G.19), (G.22).
pub fn sweep_rate(id: &str, parameters: &Map, sweeps: RowSweeps) -> Option<f64> {
    let rates = rates_of(id, parameters, sweeps)?;
    let rate = match (sweeps.order, sweeps.omega == 1.0) {
        // the matrix is consistently ordered both ways
        (LinearSweepOrder::Natural | LinearSweepOrder::Reversed, _) => rates.sor(sweeps.omega),
        (LinearSweepOrder::Simultaneous, true) => rates.jacobi(),
        // relaxed Jacobi sweeps have no closed form there
        (LinearSweepOrder::Simultaneous, false) | (LinearSweepOrder::Other, _) => return None,
    };
    Some(rate).filter(|rate| *rate > LEAST_RATE)
}

/// Rates of the linear iterations on the problem's matrix.
fn rates_of(id: &str, parameters: &Map, sweeps: RowSweeps) -> Option<Rates> {
    if id == ChainProblem::DESCRIPTOR.id {
        let problem = ChainProblem::from_map(parameters).ok()?;
        if problem.chain.n > MOST_LINKS {
            return None;
        }
        return Rates::of_chain(&problem);
    }
    if id == MassRatioChain::DESCRIPTOR.id {
        let chain = MassRatioChain::from_map(parameters).ok()?;
        return Some(Rates::two_links(chain.ratio));
    }
    if id == FallingBoxProblem::DESCRIPTOR.id && !sweeps.clamps_increments {
        // both contacts push in the limit, so the sweeps are linear in the end
        let falling = FallingBoxProblem::from_map(parameters).ok()?;
        let s = falling_box::shape(falling.half_width, falling.half_height);
        return Some(Rates::from_jacobi((1.0 - s).abs() / (1.0 + s)));
    }
    None
}

/// A body velocity that a solver ends with on a problem of the generator `id`, if it is known.
///
/// Of the falling box, "v\[1\].y" \[m/s\] and "w\[1\].z" \[rad/s\]: at rest, or what clamped
/// increments leave from a cold start (E.14). `sweeps` is `None` for solvers that do not sweep over
/// rows.
pub fn final_velocity(
    id: &str,
    parameters: &Map,
    sweeps: Option<RowSweeps>,
    quantity: &str,
) -> Option<f64> {
    if id != FallingBoxProblem::DESCRIPTOR.id || !matches!(quantity, "v[1].y" | "w[1].z") {
        return None;
    }
    let falling = FallingBoxProblem::from_map(parameters).ok()?;
    let Some(sweeps) = sweeps.filter(|sweeps| sweeps.clamps_increments) else {
        // the exact solution: at rest
        return Some(0.0);
    };
    let s = falling_box::shape(falling.half_width, falling.half_height);
    let turned = match sweeps.order {
        LinearSweepOrder::Natural => 1.0,
        LinearSweepOrder::Reversed => -1.0,
        LinearSweepOrder::Simultaneous | LinearSweepOrder::Other => return None,
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
    use serde_json::{Value, json};

    const PLAIN: RowSweeps = RowSweeps {
        order: LinearSweepOrder::Natural,
        omega: 1.0,
        clamps_increments: false,
    };
    const INCREMENTS: RowSweeps = RowSweeps {
        clamps_increments: true,
        ..PLAIN
    };

    fn map(value: Value) -> Map {
        match value {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }

    fn rate(id: &str, problem: Value, sweeps: RowSweeps) -> Option<f64> {
        sweep_rate(id, &map(problem), sweeps)
    }

    #[test]
    fn chains_have_rates() {
        let of = |order, omega| {
            let sweeps = RowSweeps {
                order,
                omega,
                ..PLAIN
            };
            rate("chain", json!({ "n": 10 }), sweeps)
        };
        let close = |found: Option<f64>, value: f64| {
            let found = found.expect("a closed form");
            // values printed with seven digits
            assert!((found - value).abs() < 5e-7, "{found} for {value}");
        };
        close(of(LinearSweepOrder::Natural, 1.0), 0.975_528_3);
        close(of(LinearSweepOrder::Reversed, 1.0), 0.975_528_3);
        close(of(LinearSweepOrder::Simultaneous, 1.0), 0.987_688_3);
        close(of(LinearSweepOrder::Natural, 1.9), 0.9);
        assert_eq!(of(LinearSweepOrder::Simultaneous, 1.3), None);
        assert_eq!(of(LinearSweepOrder::Other, 1.0), None);
        let two = rate("mass-ratio-chain", json!({ "ratio": 100.0 }), PLAIN);
        close(two, 0.990_099_0);
        // one link: the first sweep solves it
        assert_eq!(rate("chain", json!({ "n": 1 }), PLAIN), None);
        let fixed = json!({ "n": 10, "ends": "both" });
        assert_eq!(rate("chain", fixed, PLAIN), None);
    }

    #[test]
    fn the_falling_box_bounces_under_clamped_increments() {
        let tall = map(json!({ "half_width": 1.0, "half_height": 2.0, "speed": 2.0 }));
        let found = |sweeps, quantity| final_velocity("falling-box", &tall, sweeps, quantity);
        // s = 0.6: bounce 0.09375 v, spin −0.09375 v/a
        let near = |found: Option<f64>, value: f64| {
            assert!((found.expect("a closed form") - value).abs() < 1e-15);
        };
        near(found(Some(INCREMENTS), "v[1].y"), 0.1875);
        near(found(Some(INCREMENTS), "w[1].z"), -0.1875);
        near(found(Some(PLAIN), "v[1].y"), 0.0);
        near(found(None, "v[1].y"), 0.0);
        let simultaneous = RowSweeps {
            order: LinearSweepOrder::Simultaneous,
            ..INCREMENTS
        };
        assert_eq!(found(Some(simultaneous), "v[1].y"), None);
        near(sweep_rate("falling-box", &tall, PLAIN), 0.0625);
        assert_eq!(sweep_rate("falling-box", &tall, INCREMENTS), None);
        assert_eq!(found(Some(PLAIN), "natural_map"), None);
    }

    #[test]
    fn odd_parameters_have_no_closed_form() {
        for parameters in [
            json!({ "n": -3 }),
            json!({ "n": "x" }),
            json!({ "m": 1 }),
            json!({ "n": 0 }),
        ] {
            assert_eq!(rate("chain", parameters, PLAIN), None);
        }
        assert_eq!(rate("file", json!({}), PLAIN), None);
        let unknown = map(json!({ "height": 1.0 }));
        assert_eq!(
            final_velocity("falling-box", &unknown, None, "v[1].y"),
            None
        );
    }
}
