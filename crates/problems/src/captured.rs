//! What an engine made of a problem that was captured in it.

/// The answer of the engine that a problem was captured in, and the place of the solve in its run.
///
/// It is no reference: an engine stops after a few iterations, in single precision.
/// `docs/capture.md` says how engines write it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Captured {
    /// Impulses after the pass, one per row \[N·s\].
    pub impulses: Vec<f64>,
    /// Velocities after the pass, six per body, linear and angular \[m/s, rad/s\], if they were
    /// recorded.
    pub velocities: Option<Vec<f64>>,
    /// Iterations of the solver in this pass \[-\], if they were recorded.
    pub iterations: Option<u64>,
    /// Name of the engine.
    pub engine: String,
    /// Version of the engine.
    pub version: String,
    /// Step of the run, from 0.
    pub step: u64,
    /// Substep of the step, from 0.
    pub substep: u64,
    /// Pass of the substep in the words of the engine, such as `bias` or `relax`.
    pub pass: String,
}

impl Captured {
    /// `Bullet 3.24, step 29, substep 0, pass velocity`, without what was not recorded.
    pub fn source(&self) -> String {
        let engine = format!("{} {}", self.engine, self.version);
        let place = format!("step {}, substep {}", self.step, self.substep);
        let mut parts = vec![engine.trim().to_owned(), place];
        if !self.pass.is_empty() {
            parts.push(format!("pass {}", self.pass));
        }
        parts.retain(|part| !part.is_empty());
        parts.join(", ")
    }
}
