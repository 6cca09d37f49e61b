//! Units in which a problem fits into the range of f32. Mass and velocity are multiplied by powers
//! of two, so that nothing is rounded.

use std::borrow::Cow;

use crate::bodies::MassProperties;
use crate::error::{ProblemError, SolveError, Unsupported};
use crate::extremes::largest_magnitude;
use crate::problem::{Operator, Problem};
use crate::start::Start;

/// Exponents of the powers of two that scale masses and velocities for an f32 method. Impulses are
/// scaled by the sum of both exponents.
///
/// Both are zero if the numbers of a problem and their squares fit into f32. The results of such a
/// problem keep their bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PowerScale {
    mass: i32,
    velocity: i32,
}

/// Exponents of velocities \[m/s\], inverse effective masses \[1/kg\] and impulses \[N·s\] that
/// need no scaling: squares of numbers a millionth as large have the full precision of f32, whose
/// exponents end at ±126.
const ROOM: i32 = 40;

/// Largest exponent of a ratio of effective masses \[-\]: half of it on each side has room.
const MOST: i32 = 2 * ROOM;

/// Largest exponent that is scaled: powers of two beyond would leave f64.
const REACH: i32 = 480;

impl PowerScale {
    /// No scaling: the caller's units.
    pub const IDENTITY: Self = Self {
        mass: 0,
        velocity: 0,
    };

    /// Returns the scale of a problem for a solver that computes in f32.
    ///
    /// # Errors
    /// [`Unsupported::Range`], which names the numbers that do not fit into f32 together, and says
    /// what to do.
    pub fn of(solver: &'static str, problem: &Problem) -> Result<Self, Unsupported> {
        Self::choose(problem).map_err(|reason| Unsupported::Range { solver, reason })
    }

    fn choose(problem: &Problem) -> Result<Self, String> {
        let (least, largest) = problem.inverse_masses();
        let speed = speed(problem);
        // without rows there is nothing to solve, and without motion nothing to scale by
        if largest <= 0.0 {
            return Ok(Self::default());
        }
        let (low, high) = (exponent(least), exponent(largest));
        let fast = if speed > 0.0 { exponent(speed) } else { 0 };
        let velocity = fast.abs() > ROOM;
        let impulses = [fast - low, fast - high];
        let mass = low.abs().max(high.abs()) > ROOM || impulses.iter().any(|e| e.abs() > ROOM);
        if !velocity && !mass {
            return Ok(Self::default());
        }
        if high - low > MOST {
            return Err(format!(
                "whose squares cannot hold effective masses from {:.1e} to {:.1e} kg together (ratio above 2^{MOST}); \
                 split the problem, or take an f64 solver",
                1.0 / largest,
                1.0 / least
            ));
        }
        let scale = Self {
            mass: (low + high).div_euclid(2),
            // just into the room: a warm start may be far larger than what these velocities ask for
            velocity: fast.clamp(-ROOM, ROOM) - fast,
        };
        if scale.mass.abs().max(scale.velocity.abs()) > REACH {
            return Err(format!(
                "and the problem has effective masses near {:.1e} kg and velocities up to {speed:.1e} m/s, beyond 2^{REACH}; \
                 choose other units",
                1.0 / largest
            ));
        }
        Ok(scale)
    }

    /// True if nothing is scaled.
    pub fn is_identity(self) -> bool {
        self == Self::default()
    }

    /// Factor of velocities \[-\].
    pub fn velocities(self) -> f64 {
        power(self.velocity)
    }

    /// Factor of impulses \[-\].
    pub fn impulses(self) -> f64 {
        power(self.mass + self.velocity)
    }

    /// Returns the problem in the scaled units, or the problem itself if nothing is scaled.
    ///
    /// # Errors
    /// [`Unsupported::Range`] if scaled numbers exceed even the range of f64.
    pub fn apply<'p>(
        self,
        solver: &'static str,
        problem: &'p Problem,
    ) -> Result<Cow<'p, Problem>, Unsupported> {
        if self.is_identity() {
            return Ok(Cow::Borrowed(problem));
        }
        let scaled = self.scaled(problem).map_err(|error| Unsupported::Range {
            solver,
            reason: format!("and cannot scale the problem: {error}"),
        });
        scaled.map(Cow::Owned)
    }

    fn scaled(self, problem: &Problem) -> Result<Problem, ProblemError> {
        let (velocities, impulses) = (self.velocities(), self.impulses());
        let inverse_mass = power(-self.mass);
        let mut parts = problem.clone().into_parts();
        match &mut parts.operator {
            Operator::Bodies(bodies) => {
                bodies.mass.iter_mut().for_each(|mass| {
                    *mass = MassProperties {
                        inverse_mass: mass.inverse_mass * inverse_mass,
                        inverse_inertia: mass.inverse_inertia * inverse_mass,
                    };
                });
                scale(&mut bodies.free_velocity, velocities);
            }
            Operator::Matrix(matrix) => {
                matrix.delassus.scale(inverse_mass);
                scale(&mut matrix.free_velocity, velocities);
            }
        }
        for block in &mut parts.blocks {
            block.law.scale_impulses(impulses);
        }
        scale(&mut parts.bias, velocities);
        scale(&mut parts.compliance, inverse_mass);
        parts.coupled_compliance.scale(inverse_mass);
        Problem::new(parts)
    }

    /// Returns the starting impulses in the scaled units, one per row.
    ///
    /// # Errors
    /// Those of [`Start::write`].
    pub fn start(self, start: Start<'_>, rows: usize) -> Result<Vec<f64>, SolveError> {
        let mut impulses = Vec::new();
        self.start_in(start, rows, &mut impulses)?;
        Ok(impulses)
    }

    /// As [`Self::start`], without a copy where the impulses of the caller need no scaling; scaled
    /// impulses are written to `memory`.
    ///
    /// # Errors
    /// Those of [`Start::write`].
    pub(crate) fn lend_start<'s>(
        self,
        start: Start<'s>,
        rows: usize,
        memory: &'s mut Vec<f64>,
    ) -> Result<&'s [f64], SolveError> {
        if let (Start::Warm(impulses), true) = (start, self.is_identity()) {
            start.check(rows)?;
            return Ok(impulses);
        }
        self.start_in(start, rows, memory)?;
        Ok(memory)
    }

    /// As [`Self::start`], written to `impulses`.
    fn start_in(
        self,
        start: Start<'_>,
        rows: usize,
        impulses: &mut Vec<f64>,
    ) -> Result<(), SolveError> {
        impulses.clear();
        impulses.resize(rows, 0.0);
        start.write(impulses)?;
        if !self.is_identity() {
            scale(impulses, self.impulses());
        }
        Ok(())
    }

    /// Converts impulses to the units of the caller, in place.
    pub fn unscale_impulses(self, impulses: &mut [f64]) {
        if !self.is_identity() {
            scale(impulses, 1.0 / self.impulses());
        }
    }

    /// Converts velocities to the units of the caller, in place.
    pub fn unscale_velocities(self, velocities: &mut [f64]) {
        if !self.is_identity() {
            scale(velocities, 1.0 / self.velocities());
        }
    }
}

fn scale(numbers: &mut [f64], factor: f64) {
    numbers.iter_mut().for_each(|x| *x *= factor);
}

/// Exponent of a positive number: 1 for one \[-\].
fn exponent(x: f64) -> i32 {
    let bits = (x.to_bits() >> 52) & 0x7ff;
    i32::try_from(bits).unwrap_or(0) - 1022
}

/// Two to the power of an exponent within [`REACH`] twice.
fn power(exponent: i32) -> f64 {
    f64::from_bits(u64::try_from(exponent + 1023).unwrap_or(0) << 52)
}

/// Largest velocity of a body or row \[m/s | rad/s\].
fn speed(problem: &Problem) -> f64 {
    let free = match problem.operator() {
        Operator::Bodies(bodies) => &bodies.free_velocity,
        Operator::Matrix(matrix) => &matrix.free_velocity,
    };
    f64::max(largest_magnitude(free), largest_magnitude(problem.bias()))
}
