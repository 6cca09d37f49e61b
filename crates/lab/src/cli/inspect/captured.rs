//! How far the impulses of the engine are from a solution of its own problem.

use delassus_core::Problem;
use delassus_core::norm::norm;
use delassus_metrics::{Evaluator, MetricError};
use delassus_problems::{Captured, NamedProblem};
use serde_json::{Value, json};

use crate::cli::cells::scientific;
use crate::cli::output::{count, printable};

/// The engine's answer, judged by the residuals that judge every solver.
pub(super) struct EngineAnswer {
    captured: Captured,
    judged: Result<Judged, MetricError>,
}

/// What the metrics make of the engine's impulses.
struct Judged {
    /// Relative, in energy units (M.4) \[-\].
    relative: f64,
    /// The largest of a contact or joint \[N·s\] (M.6).
    impulse: f64,
    /// √Σ L_g²‖r_g‖² over all contacts and joints \[m/s | rad/s\]: the numerator of M.10.
    velocity: f64,
    /// Largest difference between the recorded velocities of the bodies and those that the impulses
    /// give \[m/s | rad/s\]: rounding, unless the capture left something out.
    mismatch: Option<f64>,
}

impl EngineAnswer {
    /// Judges the captured impulses; `None` if the file has none.
    pub(super) fn of(named: &NamedProblem) -> Option<Self> {
        let captured = named.captured.clone()?;
        let judged = judge(&named.problem, &captured);
        Some(Self { captured, judged })
    }

    /// The sentence for a reader.
    pub(super) fn part(&self) -> String {
        let source = printable(&self.captured.source());
        let head = format!("the engine's own impulses ({source}): ");
        let judged = match &self.judged {
            Ok(judged) => judged,
            Err(error) => return format!("{head}not judged: {}", printable(&error.to_string())),
        };
        let [velocity, impulse, relative] =
            [judged.velocity, judged.impulse, judged.relative].map(scientific);
        let mut text =
            format!("{head}natural map {velocity} m/s, {impulse} N·s, {relative} relative");
        if let Some(iterations) = self.captured.iterations {
            text.push_str(&format!(", after {}", count(iterations, "iteration")));
        }
        if let Some(mismatch) = judged.mismatch {
            let mismatch = scientific(mismatch);
            text.push_str(&format!(
                "; its velocities are within {mismatch} m/s of those of its impulses"
            ));
        }
        text
    }

    /// The same for a program.
    pub(super) fn json(&self) -> Value {
        let captured = &self.captured;
        let mut object = json!({
            "engine": captured.engine,
            "version": captured.version,
            "step": captured.step,
            "substep": captured.substep,
            "pass": captured.pass,
            "iterations": captured.iterations,
        });
        match &self.judged {
            Ok(judged) => {
                object["natural_map"] = json!(judged.relative);
                object["natural_map_impulse"] = json!(judged.impulse);
                object["natural_map_velocity"] = json!(judged.velocity);
                object["velocity_mismatch"] = json!(judged.mismatch);
            }
            Err(error) => object["message"] = json!(error.to_string()),
        }
        object
    }
}

fn judge(problem: &Problem, captured: &Captured) -> Result<Judged, MetricError> {
    let mut evaluator = Evaluator::new(problem)?;
    let residuals = evaluator.evaluate(&captured.impulses)?;
    let q = norm(problem.b());
    Ok(Judged {
        relative: residuals.natural_map,
        impulse: residuals.natural_map_impulse,
        velocity: residuals.scaled_q * q,
        mismatch: mismatch(problem, captured),
    })
}

/// ‖v_captured − (v_f + M⁻¹Jᵀλ)‖∞, if there are bodies and velocities.
fn mismatch(problem: &Problem, captured: &Captured) -> Option<f64> {
    let (bodies, recorded) = (problem.bodies()?, captured.velocities.as_ref()?);
    let mut velocity = vec![0.0; recorded.len()];
    bodies.add_transposed(problem.blocks(), &captured.impulses, &mut velocity);
    bodies.apply_inverse_mass(&mut velocity);
    let found = velocity.iter().zip(&bodies.free_velocity);
    let differences = found.zip(recorded).map(|((dv, v), r)| (dv + v - r).abs());
    Some(differences.fold(0.0, f64::max))
}
