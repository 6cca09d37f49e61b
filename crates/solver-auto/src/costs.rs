//! What the methods cost on a problem, by counting multiplications (U.42).

use crate::facts::{Class, Facts};
use crate::stage::Stage;

/// A step in the velocities of the bodies is cheap if it costs no more than so many sweeps \[-\].
const CHEAP: f64 = 18.0;

/// What a step of a Newton method costs whatever the size of its system \[-\].
const STEP: f64 = 4e4;

impl Facts {
    /// What eight steps of a Newton method on the impulses cost, in units of a multiplication in a
    /// dense product; `closed` are the rows that are not at zero (U.42) \[-\].
    fn newton(&self, closed: usize) -> f64 {
        let rows = self.rows as f64;
        // S is assembled and scaled, and eight systems are factorized
        60.0 * rows * rows + 8.0 * self.newton_step(closed)
    }

    fn newton_step(&self, closed: usize) -> f64 {
        let closed = closed as f64;
        STEP + closed * closed * (closed / 3.0 + 20.0)
    }

    /// What a step in the velocities of the bodies costs: assembly from the rows, and the sparse
    /// factor, which fills more in heaps of contacts than along joints \[-\].
    fn primal_step(&self) -> f64 {
        let (rows, bodies) = (self.rows as f64, self.moving.unwrap_or(0) as f64);
        let factor = match self.joints {
            true => 100.0 * bodies * bodies,
            // contacts of discs in a plane have two rows
            false if self.rows <= 2 * self.blocks => 50.0 * rows * bodies,
            false => 20.0 * rows * bodies,
        };
        2000.0 * rows + factor
    }

    /// What a sweep of Gauss–Seidel costs \[-\].
    fn sweep(&self) -> f64 {
        let (rows, blocks) = (self.rows as f64, self.blocks as f64);
        match self.entries {
            Some(entries) => 2.0 * entries as f64 + 130.0 * blocks,
            None => 250.0 * rows,
        }
    }

    /// True if a step in the velocities of the bodies costs no more than some sweeps.
    pub(crate) fn newton_is_cheap(&self) -> bool {
        self.moving.is_some() && self.primal_step() <= CHEAP * self.sweep()
    }

    /// What a unit of work of `stage` costs, in units of a multiplication in a dense product (U.42)
    /// \[-\].
    pub(crate) fn unit(&self, stage: Stage, closed: usize) -> f64 {
        let rows = self.rows as f64;
        let factor = rows * rows * (rows / 3.0 + 20.0);
        match stage {
            Stage::Conjugate => 1.3 * self.sweep(),
            Stage::Extrapolated => 2.3 * self.sweep(),
            Stage::Gradient => 1.5 * self.sweep(),
            Stage::Scalar | Stage::Relaxed => self.sweep(),
            Stage::Sweeps | Stage::First => 1.2 * self.sweep(),
            Stage::Primal => self.primal_step(),
            Stage::Newton
            | Stage::OtherNewton
            | Stage::Again
            | Stage::LongNewton
            | Stage::Fresh => 10.0 * rows * rows + self.newton_step(closed),
            Stage::Smooth => 2.0 * factor,
            Stage::Cones | Stage::Interior => 1.5 * factor,
            Stage::Pivoting | Stage::Sets => factor,
            Stage::Spectral => 30.0 * factor,
            Stage::Path => 5.0 * factor,
            // friction in 32 directions
            Stage::Polygons => 5e3 * factor,
            // a system per combination, three modes a row at most
            Stage::Modes => libm::pow(3.0, rows) * factor,
        }
    }

    /// What preparing `stage` costs (U.42) \[-\].
    pub(crate) fn setup(&self, stage: Stage) -> f64 {
        let rows = self.rows as f64;
        match stage {
            // order and pattern of the factor
            Stage::Primal => 3.0 * self.primal_step(),
            stage if stage.is_sweeps() => self.sweep(),
            _ => 60.0 * rows * rows,
        }
    }

    /// What `stage` costs before it can have an answer (U.42) \[-\].
    pub(crate) fn entry(&self, stage: Stage, closed: usize) -> f64 {
        let unit = self.unit(stage, closed);
        match stage {
            Stage::Conjugate => 20.0 * unit,
            Stage::Extrapolated => 60.0 * unit,
            Stage::Relaxed => 10.0 * unit,
            Stage::Gradient => 30.0 * unit,
            Stage::First => unit,
            Stage::Sweeps => 100.0 * unit,
            Stage::Scalar => 1000.0 * unit,
            Stage::Primal if self.class == Class::Equalities => unit,
            Stage::Primal => 8.0 * unit,
            Stage::Newton
            | Stage::OtherNewton
            | Stage::Again
            | Stage::LongNewton
            | Stage::Fresh => self.newton(closed),
            // it is what arrives on uneven cones
            Stage::Interior if self.uneven => 6.0 * unit,
            Stage::Cones | Stage::Interior | Stage::Smooth => 20.0 * unit,
            Stage::Pivoting
            | Stage::Sets
            | Stage::Spectral
            | Stage::Path
            | Stage::Polygons
            | Stage::Modes => unit,
        }
    }
}
