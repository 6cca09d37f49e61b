//! What a run has before its first frame. It follows from world, scheme and observables, so that
//! whoever checks a record makes it again without stepping anything.

use delassus_dynamics::SchemeError;

use super::trace::Trace;
use super::{Simulation, resolve};

/// What a run has before its first frame.
#[derive(Debug, Clone, PartialEq)]
pub struct RunStart {
    /// What scheme and solver solve instead of what the scene asks for; empty if they are exact.
    pub approximations: Vec<String>,
    /// What a run that comes to its end says of columns without values, if there are some.
    pub message: Option<String>,
    /// Time of the world \[s\].
    pub time: f64,
    /// The first sample, one value per observable.
    pub values: Vec<Option<f64>>,
}

/// Makes the start of a run; `None` where the world does not have what an observable asks for.
///
/// # Errors
/// A scheme that cannot be built, or refuses the world.
pub fn start(simulation: &Simulation<'_>) -> Result<Option<RunStart>, SchemeError> {
    let Ok(observables) = resolve::all_resolved(simulation.world, simulation.observables) else {
        return Ok(None);
    };
    let scheme = (simulation.scheme)()?;
    let mut trace = Trace::new(simulation.world, observables);
    let message = trace.begin(scheme.as_ref(), simulation.observables)?;
    let sample = trace.samples.pop().zip(trace.moments.pop());
    Ok(sample.map(|(sample, moment)| RunStart {
        approximations: trace.approximations,
        message,
        time: moment.time,
        values: sample.values,
    }))
}
