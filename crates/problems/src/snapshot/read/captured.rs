//! What an engine made of the problem: the arrays `captured/…` and their metadata.

use super::Snapshot;
use crate::captured::Captured;
use crate::error::ProblemReadError;
use crate::snapshot::{keys, names, place};

impl Snapshot<'_> {
    /// The engine's answer to a problem of `rows` rows and `bodies` bodies, if the file has one.
    pub(super) fn captured(
        &self,
        rows: usize,
        bodies: usize,
    ) -> Result<Option<Captured>, ProblemReadError> {
        let Some(impulses) = self.impulses(names::CAPTURED_IMPULSES, rows)? else {
            return Ok(None);
        };
        let iterations = match self.has(names::CAPTURED_ITERATIONS) {
            true => {
                let counts = self.wholes(names::CAPTURED_ITERATIONS, Some(1))?;
                counts.first().copied()
            }
            false => None,
        };
        Ok(Some(Captured {
            impulses,
            velocities: self.velocities(bodies)?,
            iterations,
            engine: self.text(keys::CAPTURED_ENGINE).to_owned(),
            version: self.text(keys::CAPTURED_VERSION).to_owned(),
            step: self.place(keys::CAPTURED_STEP)?,
            substep: self.place(keys::CAPTURED_SUBSTEP)?,
            pass: self.text(keys::CAPTURED_PASS).to_owned(),
        }))
    }

    fn velocities(&self, bodies: usize) -> Result<Option<Vec<f64>>, ProblemReadError> {
        if !self.has(names::CAPTURED_VELOCITIES) {
            return Ok(None);
        }
        let velocities = self.reals(names::CAPTURED_VELOCITIES, &[bodies, 6])?;
        if velocities.iter().any(|x| !x.is_finite()) {
            let reason = "holds a number that is not finite";
            return Err(self.bad(names::CAPTURED_VELOCITIES, reason));
        }
        Ok(Some(velocities))
    }

    /// A number in the metadata; zero where it is not recorded.
    fn place(&self, key: &str) -> Result<u64, ProblemReadError> {
        let text = self.text.get(key).copied().unwrap_or("0");
        text.parse().map_err(|_| ProblemReadError::Container {
            offset: place::of_entry(self.header, key),
            reason: format!("{key} is not a whole number"),
        })
    }
}
