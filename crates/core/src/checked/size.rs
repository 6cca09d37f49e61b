//! The size of a prepared problem, and checks of what a caller passes with it.

use crate::bodies::BodyRows;
use crate::error::SolveError;
use crate::finite::first_not_finite;
use crate::frame_solver::FrameSetup;
use crate::problem::Problem;

/// Numbers of rows, blocks and bodies of a prepared problem. A problem of another size is not the
/// prepared one.
#[derive(Debug, Clone, Copy)]
pub struct ProblemSize {
    pub(super) rows: usize,
    pub(super) blocks: usize,
    bodies: Option<usize>,
}

// Nothing here depends on the method, so that it is compiled once and not for every solver.
impl ProblemSize {
    /// Returns the size of a problem.
    pub fn of(problem: &Problem) -> Self {
        Self {
            rows: problem.rows(),
            blocks: problem.blocks().len(),
            bodies: problem.bodies().map(BodyRows::len),
        }
    }

    /// Refuses a problem of another size.
    ///
    /// # Errors
    /// A different number of rows, blocks or bodies.
    pub fn check(&self, problem: &Problem) -> Result<(), SolveError> {
        let other = Self::of(problem);
        if self.bodies.is_some() && other.bodies.is_none() {
            return Err(SolveError::NoBodies);
        }
        let bodies = (other.bodies.unwrap_or(0), self.bodies.unwrap_or(0));
        SolveError::check_length("problem", other.rows, self.rows)?;
        SolveError::check_length("blocks", other.blocks, self.blocks)?;
        SolveError::check_length("bodies", bodies.0, bodies.1)
    }

    pub(super) fn check_velocities(&self, velocities: &[f64]) -> Result<(), SolveError> {
        let bodies = self.bodies.ok_or(SolveError::NoBodies)?;
        SolveError::check_length("velocities", velocities.len(), 6 * bodies)
    }

    pub(super) fn check_frame(&self, frame: &FrameSetup<'_>) -> Result<(), SolveError> {
        let bodies = self.bodies.unwrap_or(0);
        let joints = frame.joints.len();
        SolveError::check_length("joints", joints, joints.min(self.blocks))?;
        let contacts = self.blocks - joints;
        SolveError::check_length("separations", frame.separations.len(), contacts)?;
        SolveError::check_length("anchor offsets", frame.anchor_offsets.len(), contacts)?;
        SolveError::check_length(
            "velocity increments",
            frame.velocity_increments.len(),
            bodies,
        )?;
        SolveError::check_length("gyroscopes", frame.gyroscopes.len(), bodies)
    }

    pub(super) fn check_start(&self, impulses: &[f64]) -> Result<(), SolveError> {
        SolveError::check_length("warm start", impulses.len(), self.rows)?;
        match first_not_finite(impulses) {
            Some(row) => Err(SolveError::WarmStart { row }),
            None => Ok(()),
        }
    }
}
