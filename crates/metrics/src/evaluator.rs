//! The evaluator: scales and buffers of one problem, and all residuals of an iterate in one pass.

use std::cell::OnceCell;

use delassus_core::{Law, Operator, Problem};

use crate::error::{MetricError, check_input, check_range, finite, larger};
use crate::factor::{Factor, Role, Scope, factors, own_velocities};
use crate::fischer_burmeister;
use crate::residuals::Residuals;
use crate::scale::{EnergyScale, energy_scale, row_scales};
use crate::set::{dot, length};

/// Norms up to here are not divided by: the literature's guard \[Acary2018\] \[m/s, N·s\].
const NORM_GUARD: f64 = f64::EPSILON;

/// Judges impulses of one problem.
///
/// Construction computes the scales (M.2, M.3) and the buffers; a change of the problem needs a new evaluator. The
/// evaluator knows no solver and reads no clock.
///
/// ```
/// use delassus_core::{Friction, Law, MassProperties, ProblemBuilder};
/// use delassus_metrics::Evaluator;
/// use nalgebra::Vector3;
///
/// // a mass of 2 kg that falls at 1 m/s on a frictionless contact: λ = 2 N·s stops it
/// let mut builder = ProblemBuilder::new();
/// let mass = MassProperties::aligned(2.0, Vector3::repeat(1.0));
/// let body = builder.body(mass, [0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
/// builder.block(Law::Contact(Friction::Frictionless), &[body], &[[[0.0, 1.0, 0.0, 0.0, 0.0, 0.0]]]);
/// let problem = builder.build()?;
/// let mut evaluator = Evaluator::new(&problem)?;
/// assert_eq!(evaluator.evaluate(&[2.0])?.natural_map, 0.0);
/// // without an impulse the whole energy is missing
/// assert_eq!(evaluator.evaluate(&[0.0])?.natural_map, 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Evaluator<'p> {
    pub(crate) problem: &'p Problem,
    pub(crate) factors: Vec<Factor<'p>>,
    pub(crate) energy: EnergyScale,
    row_scales: Vec<f64>,
    /// True if every block is a row with bounds [0, ∞): the literature then uses (M.8).
    pure_lcp: bool,
    /// ‖b‖ over the rows that are solved for \[m/s\].
    norm_b: f64,
    /// u_g, one per factor \[m/s | rad/s\] (M.25).
    own_velocities: Vec<f64>,
    /// Factors of the norm of constraint velocities, made when first needed (M.20).
    pub(crate) motion: OnceCell<Vec<Factor<'p>>>,
    /// w of the last evaluation.
    velocity: Vec<f64>,
    /// Velocities and impulses of the other metrics.
    pub(crate) work: Vec<f64>,
    pub(crate) scratch: Vec<f64>,
    pub(crate) momentum: Vec<f64>,
}

impl<'p> Evaluator<'p> {
    /// Computes the scales of `problem`.
    ///
    /// # Errors
    /// [`MetricError::EnergyScale`] if the data are so large that the scale overflows: every residual would pass.
    pub fn new(problem: &'p Problem) -> Result<Self, MetricError> {
        let row_scales = row_scales(problem, true);
        let energy = energy_scale(problem, &row_scales)?;
        let factors = factors(problem, &row_scales, Scope::Solved);
        let norm_b = norm_over(&factors, problem.b());
        let own_velocities = own_velocities(problem, &factors);
        let bodies = problem.bodies().map_or(0, |b| b.len());
        Ok(Self {
            energy,
            own_velocities,
            pure_lcp: problem.blocks().iter().all(|b| b.law == Law::UNILATERAL),
            norm_b: finite("the norm of b", norm_b)?,
            motion: OnceCell::new(),
            velocity: vec![0.0; problem.rows()],
            work: vec![0.0; problem.rows()],
            scratch: vec![0.0; problem.rows()],
            momentum: vec![0.0; 6 * bodies],
            factors,
            row_scales,
            problem,
        })
    }

    /// The problem that is judged.
    pub fn problem(&self) -> &'p Problem {
        self.problem
    }

    /// E_s (M.3).
    pub fn energy_scale(&self) -> EnergyScale {
        self.energy
    }

    /// w = (A + R)λ + b of the impulses that were evaluated last without an error \[m/s | rad/s\]; zeros before.
    pub fn constraint_velocities(&self) -> &[f64] {
        &self.velocity
    }

    /// All residuals of `impulses`, one per row \[N·s\]: w once, then one pass over the blocks.
    ///
    /// # Errors
    /// A wrong length; impulses that are not finite ([`MetricError::NonFinite`]) or so large that their residuals
    /// are not ([`MetricError::Overflow`]).
    pub fn evaluate(&mut self, impulses: &[f64]) -> Result<Residuals, MetricError> {
        check_input("impulses", impulses, self.problem.rows())?;
        check_range("an impulse", impulses)?;
        shifted_velocity(
            self.problem,
            impulses,
            &mut self.momentum,
            &mut self.velocity,
        );
        check_range("a constraint velocity", &self.velocity)?;
        let mut sums = Sums::default();
        for (factor, own_velocity) in self.factors.iter().zip(&self.own_velocities) {
            let scales = &self.row_scales[factor.rows.clone()];
            sums.add(factor, impulses, &self.velocity, scales, *own_velocity)?;
        }
        let norm_r = norm_over(&self.factors, impulses);
        let norm_u = norm_over(&self.factors, &self.velocity);
        let residuals = sums.finish(&Norms {
            energy: (2.0 * self.energy.joules).sqrt(),
            q: self.norm_b,
            siconos: if self.pure_lcp {
                self.norm_b
            } else {
                self.norm_b.max(norm_r).max(norm_u)
            },
        });
        for (metric, value) in residuals.iter() {
            finite(metric.doc().id, value)?;
        }
        Ok(residuals)
    }
}

/// out = w = (A + R)λ + b, with a buffer of 6 per body (P.2).
pub(crate) fn shifted_velocity(
    problem: &Problem,
    impulses: &[f64],
    momentum: &mut [f64],
    out: &mut [f64],
) {
    apply_delassus(problem, impulses, momentum, out);
    let data = problem.compliance().iter().zip(problem.b());
    for ((w, x), (r, b)) in out.iter_mut().zip(impulses).zip(data) {
        *w += r * x + b;
    }
}

/// out = Aλ, with a buffer of 6 per body.
pub(crate) fn apply_delassus(
    problem: &Problem,
    impulses: &[f64],
    momentum: &mut [f64],
    out: &mut [f64],
) {
    match problem.operator() {
        Operator::Bodies(bodies) => {
            momentum.fill(0.0);
            bodies.add_transposed(problem.blocks(), impulses, momentum);
            bodies.apply_inverse_mass(momentum);
            bodies.multiply(problem.blocks(), momentum, out);
        }
        Operator::Matrix(matrix) => matrix.delassus.multiply(impulses, out),
    }
}

/// Euclidean norm over the rows that are solved for.
fn norm_over(factors: &[Factor<'_>], values: &[f64]) -> f64 {
    let squares = factors.iter().map(|factor| {
        let part = &values[factor.rows.clone()];
        dot(part, part)
    });
    squares.sum::<f64>().sqrt()
}

/// What the sums are divided by.
struct Norms {
    /// √(2E_s) \[√J\].
    energy: f64,
    /// ‖q‖ \[m/s\].
    q: f64,
    /// The divisor of (M.7) or (M.8).
    siconos: f64,
}

/// Sums and maxima over the factors.
struct Sums {
    energy: f64,
    energy_max: f64,
    own_max: f64,
    impulse_max: f64,
    scaled: f64,
    natural_one: f64,
    fischer_burmeister: Option<f64>,
    complementarity: f64,
    signorini: Option<f64>,
    dissipation: Option<f64>,
    primal: f64,
    dual: f64,
    worst_block: Option<usize>,
    worst_own_block: Option<usize>,
}

impl Default for Sums {
    fn default() -> Self {
        Self {
            energy: 0.0,
            energy_max: 0.0,
            own_max: 0.0,
            impulse_max: 0.0,
            scaled: 0.0,
            natural_one: 0.0,
            fischer_burmeister: Some(0.0),
            complementarity: 0.0,
            signorini: None,
            dissipation: None,
            primal: 0.0,
            dual: 0.0,
            worst_block: None,
            worst_own_block: None,
        }
    }
}

impl Sums {
    fn add(
        &mut self,
        factor: &Factor<'_>,
        impulses: &[f64],
        velocities: &[f64],
        row_scales: &[f64],
        own_velocity: f64,
    ) -> Result<(), MetricError> {
        let set = factor.set(impulses);
        let impulse = &impulses[factor.rows.clone()];
        let velocity = &velocities[factor.rows.clone()];
        let mut shifted = [0.0; 3];
        let shifted = &mut shifted[..velocity.len()];
        shifted.copy_from_slice(velocity);
        shifted[0] += factor.de_saxce() * length(&velocity[1..]);

        // natural map, with the factor's own step and with that of the literature
        let own = length(&set.natural_map(impulse, shifted, 1.0 / factor.scale)?);
        let one = set.natural_map(impulse, shifted, 1.0)?;
        let energy = own * factor.scale.sqrt();
        self.energy += energy * energy;
        if energy > self.energy_max {
            self.energy_max = energy;
            self.worst_block = Some(factor.block);
        }
        let relative = factor.scale * own / own_velocity;
        if relative > self.own_max {
            self.own_max = relative;
            self.worst_own_block = Some(factor.block);
        }
        self.impulse_max = larger(self.impulse_max, own);
        self.scaled += own * factor.scale * (own * factor.scale);
        self.natural_one += dot(&one, &one);

        // the Fischer–Burmeister function adds the De Saxcé term of F3 itself
        let phi = fischer_burmeister::squared(&set, impulse, shifted, factor.scale, row_scales);
        self.fischer_burmeister = self.fischer_burmeister.zip(phi).map(|(a, b)| a + b);

        let product = set.complementarity(impulse, shifted);
        self.complementarity = larger(self.complementarity, product);
        if matches!(factor.role, Role::Normal | Role::Contact) {
            raise(&mut self.signorini, (impulse[0] * velocity[0]).abs());
        }
        if factor.has_friction() {
            raise(&mut self.dissipation, set.dissipation(impulse, velocity));
        }
        self.primal = larger(self.primal, set.primal(impulse));
        self.dual = larger(self.dual, set.dual(shifted));
        Ok(())
    }

    fn finish(self, norms: &Norms) -> Residuals {
        let guarded = |value: f64, norm: f64| {
            if norm > NORM_GUARD {
                value / norm
            } else {
                value
            }
        };
        let natural_one = self.natural_one.sqrt();
        Residuals {
            natural_map: self.energy.sqrt() / norms.energy,
            natural_map_max: self.energy_max / norms.energy,
            natural_map_block: self.own_max,
            natural_map_impulse: self.impulse_max,
            siconos: guarded(natural_one, norms.siconos),
            nat_q: guarded(natural_one, norms.q),
            scaled_q: guarded(self.scaled.sqrt(), norms.q),
            fischer_burmeister: self.fischer_burmeister.map(f64::sqrt),
            complementarity: self.complementarity,
            signorini: self.signorini,
            dissipation: self.dissipation,
            primal: self.primal,
            dual: self.dual,
            worst_block: self.worst_block,
            worst_own_block: self.worst_own_block,
        }
    }
}

/// Raises a maximum that starts as "does not apply".
fn raise(maximum: &mut Option<f64>, value: f64) {
    *maximum = Some(maximum.map_or(value, |m| larger(m, value)));
}
