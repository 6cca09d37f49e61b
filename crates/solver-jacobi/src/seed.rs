//! The 2021 tutorial step: accelerations from contact forces, with its flaws, and with each of them
//! repaired.
//!
//! \[PeriDyno2021\] solves J B λ = η for *forces* λ by Jacobi steps on the accelerations and
//! integrates them afterwards (J.18). Three things in it can be seen from outside: gravity is added
//! after the solve, so that a resting body sinks until the correction of the overlap carries it, by
//! 15 g h² (J.19); the normal force of a contact is cut at 250 N per kilogram of both bodies, so
//! that fast impacts are not stopped (J.20); and the clamp of friction is commented out, so that
//! nothing slides. [`SeedScheme`] holds one switch for each.
//!
//! It is no solver: its unknowns are forces, its right side holds the time step and the overlap,
//! and what it leaves out is the integration around it. A frozen problem gives it the rows, the
//! masses and the velocities.
//!
//! Cost: one pass over all rows per iteration. Nearest sibling: `jacobi` with rule = "count", which
//! solves the frozen problem. Limitations: the kernel that the tutorial shows corrects no position
//! error but the overlap of contacts, so joints keep velocities and drift; patches are not known; a
//! time step that is not near 1/60 s makes the cut bite at other speeds. Theory:
//! docs/theory/15-jacobi.md. Source: \[PeriDyno2021\].

use delassus_core::{BodyRows, Problem, SolveError};

/// The tutorial's step, or a repaired one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeedScheme {
    /// Iterations \[-\].
    pub iterations: usize,
    /// Acceleration of free bodies that the right side contains \[m/s²\]; zero in the tutorial.
    pub known_gravity: [f64; 3],
    /// Largest normal force per kilogram of both bodies \[N/kg\]; infinity repairs it.
    pub force_limit: f64,
    /// Friction coefficient \[-\]; the tutorial's is infinite.
    pub friction: f64,
}

/// Overlap over (this · h²) is the acceleration that removes it \[-\].
const RECOVERY: f64 = 15.0;

impl SeedScheme {
    /// The tutorial as it is.
    pub const TUTORIAL: Self = Self {
        iterations: 400,
        known_gravity: [0.0; 3],
        force_limit: 250.0,
        friction: f64::INFINITY,
    };

    /// All three repaired.
    pub fn repaired(gravity: [f64; 3], friction: f64) -> Self {
        Self {
            known_gravity: gravity,
            force_limit: f64::INFINITY,
            friction,
            ..Self::TUTORIAL
        }
    }

    /// Accelerations by contact forces, six per body \[m/s², rad/s²\]. The free velocity of
    /// `problem` is the velocity of the bodies before the step, without gravity; `overlap` holds
    /// one depth per block \[m\]; `dt` is h \[s\].
    ///
    /// # Errors
    /// A problem without bodies, or one overlap too many or too few.
    pub fn accelerations(
        &self,
        problem: &Problem,
        overlap: &[f64],
        dt: f64,
    ) -> Result<Vec<f64>, SolveError> {
        let bodies = problem.bodies().ok_or(SolveError::NoBodies)?;
        SolveError::check_length("overlaps", overlap.len(), problem.blocks().len())?;
        let counts = contacts_per_body(problem, bodies);
        let right = self.right_side(problem, bodies, overlap, dt);
        let mut force = vec![0.0; problem.rows()];
        let mut change = vec![0.0; problem.rows()];
        let mut acceleration = vec![0.0; 6 * bodies.len()];
        let mut seen = vec![0.0; problem.rows()];
        for _ in 0..self.iterations {
            bodies.multiply(problem.blocks(), &acceleration, &mut seen);
            for (index, block) in problem.blocks().iter().enumerate() {
                let touched = bodies.bodies_of(index);
                let step: f64 = touched.iter().map(|b| counts[*b as usize]).sum();
                let mass: f64 = touched.iter().map(|b| mass_of(bodies, *b)).sum();
                for row in block.rows() {
                    let free =
                        force[row] + (right[row] - seen[row]) / (problem.diagonal()[row] * step);
                    let limit = match block.law.row_bounds() {
                        Some(bounds) => bounds.map(|bound| bound / dt),
                        None if row == block.first_row => [0.0, self.force_limit * mass],
                        None => {
                            let radius = friction_limit(self.friction, force[block.first_row]);
                            [-radius, radius]
                        }
                    };
                    let new = free.max(limit[0]).min(limit[1]);
                    change[row] = new - force[row];
                }
                for row in block.rows() {
                    force[row] += change[row];
                }
            }
            let mut added = vec![0.0; 6 * bodies.len()];
            bodies.add_transposed(problem.blocks(), &change, &mut added);
            bodies.apply_inverse_mass(&mut added);
            for (sum, more) in acceleration.iter_mut().zip(&added) {
                *sum += more;
            }
        }
        Ok(acceleration)
    }

    /// η = −J (v/h + g) + overlap/(15 h²) on normal rows (J.18).
    fn right_side(
        &self,
        problem: &Problem,
        bodies: &BodyRows,
        overlap: &[f64],
        dt: f64,
    ) -> Vec<f64> {
        let mut rate: Vec<f64> = bodies.free_velocity.iter().map(|v| v / dt).collect();
        for (body, rate) in rate.as_chunks_mut::<6>().0.iter_mut().enumerate() {
            if !bodies.mass[body].is_immovable() {
                for axis in 0..3 {
                    rate[axis] += self.known_gravity[axis];
                }
            }
        }
        let mut right = vec![0.0; problem.rows()];
        bodies.multiply(problem.blocks(), &rate, &mut right);
        right.iter_mut().for_each(|x| *x = -*x);
        for (block, depth) in problem.blocks().iter().zip(overlap) {
            if block.law.contact_points() == 1 {
                right[block.first_row] += depth / (RECOVERY * dt * dt);
            }
        }
        right
    }
}

/// μ λ_n, and no bound for an infinite μ, whatever λ_n is.
fn friction_limit(friction: f64, normal: f64) -> f64 {
    if friction.is_finite() {
        friction * normal
    } else {
        f64::INFINITY
    }
}

fn contacts_per_body(problem: &Problem, bodies: &BodyRows) -> Vec<f64> {
    let mut counts = vec![0.0; bodies.len()];
    for index in 0..problem.blocks().len() {
        for body in bodies.bodies_of(index) {
            if !bodies.mass[*body as usize].is_immovable() {
                counts[*body as usize] += 1.0;
            }
        }
    }
    counts
}

/// Mass, zero for a static body \[kg\].
fn mass_of(bodies: &BodyRows, body: u32) -> f64 {
    let inverse = bodies.mass[body as usize].inverse_mass.max();
    if inverse > 0.0 { 1.0 / inverse } else { 0.0 }
}
