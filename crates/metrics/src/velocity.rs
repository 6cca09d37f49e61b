//! Metrics of velocities: error against a reference, agreement of two answers, closure of the equations of motion.

use delassus_core::{BodyRows, MassProperties, Operator};

use crate::eigen::Eigen;
use crate::error::{MetricError, check_input, check_range, finite, larger};
use crate::evaluator::{Evaluator, apply_delassus, shifted_velocity};
use crate::factor::{Scope, factors};
use crate::scale::row_scales;
use crate::set::dot;

/// Below this multiple of √E_s the reference's own velocity change is not divided by \[-\] (M.19).
const REFERENCE_FLOOR: f64 = 1e-12;

/// An eigenvalue of an inverse inertia below this multiple of the largest one is a locked axis \[-\].
///
/// It is the rounding that a problem's validation accepts in an inverse inertia.
const LOCKED: f64 = 1e-9;

/// What a velocity error is measured against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reference<'a> {
    /// Impulses of a trusted solution, one per row \[N·s\]. They need not be unique; their velocities are.
    Impulses(&'a [f64]),
    /// Velocities of a trusted solution: v⁺, 6 per body \[m/s, rad/s\], or w per row of a matrix problem \[m/s\].
    Velocities(&'a [f64]),
}

/// How well velocities and impulses satisfy the equations of motion (M.22, M.23).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closure {
    /// ‖P(M(v⁺ − v_f) − Jᵀλ)‖_∞ over the movable axes \[N·s | N·m·s\].
    pub absolute: f64,
    /// The same, relative to what was summed \[-\].
    pub relative: f64,
    /// Largest |v⁺ − v_f| along an axis that no impulse moves \[m/s | rad/s\].
    pub immovable: f64,
}

impl Evaluator<'_> {
    /// How far the velocities of `impulses` are from those of a reference \[-\] (M.19, M.20).
    ///
    /// With a reference of impulses the difference of the impulses is formed before the operator is applied, so
    /// that nothing cancels; velocities carry their own rounding.
    ///
    /// # Errors
    /// Wrong lengths, numbers that are not finite or overflow.
    pub fn velocity_error(
        &mut self,
        impulses: &[f64],
        reference: Reference<'_>,
    ) -> Result<f64, MetricError> {
        check_input("impulses", impulses, self.problem.rows())?;
        check_range("an impulse", impulses)?;
        let (error, change) = match (self.problem.operator(), reference) {
            (Operator::Bodies(bodies), Reference::Impulses(reference)) => {
                self.difference(impulses, reference)?;
                let scratch = std::mem::take(&mut self.scratch);
                let error = self.impulse_norm(bodies, &scratch);
                self.scratch = scratch;
                (error, self.impulse_norm(bodies, reference))
            }
            (Operator::Bodies(bodies), Reference::Velocities(reference)) => {
                check_input("reference velocities", reference, 6 * bodies.len())?;
                check_range("a reference velocity", reference)?;
                self.body_velocities(bodies, impulses);
                (
                    mass_norm(bodies, &self.momentum, reference),
                    mass_norm(bodies, reference, &bodies.free_velocity),
                )
            }
            (Operator::Matrix(_), Reference::Impulses(reference)) => {
                self.difference(impulses, reference)?;
                self.delassus_of_scratch();
                let error = self.motion_norm(&self.work);
                apply_delassus(self.problem, reference, &mut self.momentum, &mut self.work);
                (error, self.motion_norm(&self.work))
            }
            (Operator::Matrix(_), Reference::Velocities(reference)) => {
                check_input("reference velocities", reference, self.problem.rows())?;
                check_range("a reference velocity", reference)?;
                shifted_velocity(self.problem, impulses, &mut self.momentum, &mut self.work);
                subtract(&self.work, reference, &mut self.scratch);
                let error = self.motion_norm(&self.scratch);
                subtract(reference, self.problem.b(), &mut self.scratch);
                (error, self.motion_norm(&self.scratch))
            }
        };
        let error = finite("the velocity error", error)?;
        let change = finite("the reference's velocity change", change)?;
        let floor = self.energy.joules.sqrt() * REFERENCE_FLOOR;
        finite("the velocity error", error / change.max(floor))
    }

    /// Difference of the constraint velocities of two answers in energy units \[-\] (M.21).
    ///
    /// Impulses that differ by a null vector of A agree: only what moves the bodies is compared.
    ///
    /// # Errors
    /// Wrong lengths, numbers that are not finite or overflow.
    pub fn agreement(&mut self, a: &[f64], b: &[f64]) -> Result<f64, MetricError> {
        check_input("impulses", a, self.problem.rows())?;
        check_range("an impulse", a)?;
        self.difference(a, b)?;
        self.delassus_of_scratch();
        let norm = self.motion_norm(&self.work) / (2.0 * self.energy.joules).sqrt();
        finite("the agreement", norm)
    }

    /// How well the velocities that a solver reports, 6 per body, fit its impulses (M.22, M.23).
    ///
    /// # Errors
    /// A matrix problem, wrong lengths, numbers that are not finite or overflow.
    pub fn closure(
        &mut self,
        impulses: &[f64],
        velocities: &[f64],
    ) -> Result<Closure, MetricError> {
        let bodies = self.problem.bodies().ok_or(MetricError::NoBodies)?;
        check_input("impulses", impulses, self.problem.rows())?;
        check_input("velocities", velocities, 6 * bodies.len())?;
        check_range("an impulse", impulses)?;
        check_range("a velocity", velocities)?;
        self.momentum.fill(0.0);
        bodies.add_transposed(self.problem.blocks(), impulses, &mut self.momentum);
        let summed = summed_magnitude(bodies, self.problem, impulses);
        let (mut absolute, mut scale, mut immovable) = (0.0f64, 0.0f64, 0.0f64);
        for (body, mass) in bodies.mass.iter().enumerate() {
            let axes = Axes::new(mass);
            let at = 6 * body..6 * body + 6;
            let (v, free) = (&velocities[at.clone()], &bodies.free_velocity[at.clone()]);
            let change: [f64; 6] = std::array::from_fn(|i| v[i] - free[i]);
            let (momentum, still) = axes.momentum(&change);
            let impulse = axes.movable_part(&self.momentum[at.clone()]);
            for i in 0..6 {
                absolute = larger(absolute, (momentum[i] - impulse[i]).abs());
                scale = larger(scale, momentum[i].abs());
                if !mass.is_immovable() {
                    scale = larger(scale, summed[at.start + i]);
                }
            }
            immovable = larger(immovable, still);
        }
        let relative = if absolute > 0.0 {
            absolute / scale
        } else {
            0.0
        };
        Ok(Closure {
            absolute: finite("the closure", absolute)?,
            relative: finite("the closure", relative)?,
            immovable: finite("the closure", immovable)?,
        })
    }

    /// λ − λ_ref into `self.scratch`.
    fn difference(&mut self, impulses: &[f64], reference: &[f64]) -> Result<(), MetricError> {
        check_input("reference impulses", reference, self.problem.rows())?;
        check_range("a reference impulse", reference)?;
        subtract(impulses, reference, &mut self.scratch);
        Ok(())
    }

    /// A·scratch into `self.work`.
    fn delassus_of_scratch(&mut self) {
        apply_delassus(
            self.problem,
            &self.scratch,
            &mut self.momentum,
            &mut self.work,
        );
    }

    /// ‖M⁻¹Jᵀx‖_M = √(pᵀM⁻¹p) with p = Jᵀx.
    fn impulse_norm(&mut self, bodies: &BodyRows, x: &[f64]) -> f64 {
        self.momentum.fill(0.0);
        bodies.add_transposed(self.problem.blocks(), x, &mut self.momentum);
        let mut sum = 0.0;
        for (mass, p) in bodies.mass.iter().zip(self.momentum.chunks_exact(6)) {
            let mut wrench = [0.0; 6];
            wrench.copy_from_slice(p);
            sum += dot(p, &mass.times(&wrench));
        }
        root(sum)
    }

    /// v⁺ into `self.momentum` (P.1).
    fn body_velocities(&mut self, bodies: &BodyRows, impulses: &[f64]) {
        self.momentum.fill(0.0);
        bodies.add_transposed(self.problem.blocks(), impulses, &mut self.momentum);
        bodies.apply_inverse_mass(&mut self.momentum);
        for (v, free) in self.momentum.iter_mut().zip(&bodies.free_velocity) {
            *v += free;
        }
    }

    /// √Σ ‖Δw_g‖²/L_g with L of A alone, over every row.
    fn motion_norm(&self, difference: &[f64]) -> f64 {
        let terms = self.motion.get_or_init(|| {
            let scales = row_scales(self.problem, false);
            factors(self.problem, &scales, Scope::Motion)
        });
        let squares = terms.iter().map(|factor| {
            let part = &difference[factor.rows.clone()];
            dot(part, part) / factor.scale
        });
        squares.sum::<f64>().sqrt()
    }
}

fn subtract(a: &[f64], b: &[f64], out: &mut [f64]) {
    for (out, (a, b)) in out.iter_mut().zip(a.iter().zip(b)) {
        *out = a - b;
    }
}

/// Square root of a sum that only rounding can make negative; NaN stays NaN.
fn root(sum: f64) -> f64 {
    if sum < 0.0 { 0.0 } else { sum.sqrt() }
}

/// |J|ᵀ|λ|, 6 per body: what a sum over the rows is accurate relative to.
fn summed_magnitude(
    bodies: &BodyRows,
    problem: &delassus_core::Problem,
    impulses: &[f64],
) -> Vec<f64> {
    let mut out = vec![0.0; 6 * bodies.len()];
    for (index, block) in problem.blocks().iter().enumerate() {
        for local in 0..block.dim {
            let factor = impulses[block.first_row + local];
            for (entry, body) in bodies.row(index, local).iter().zip(bodies.bodies_of(index)) {
                let target = &mut out[6 * *body as usize..][..6];
                for axis in 0..6 {
                    target[axis] += (entry[axis] * factor).abs();
                }
            }
        }
    }
    out
}

/// ‖a − b‖_M over the movable axes.
fn mass_norm(bodies: &BodyRows, a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (body, mass) in bodies.mass.iter().enumerate() {
        let at = 6 * body;
        let difference: [f64; 6] = std::array::from_fn(|i| a[at + i] - b[at + i]);
        let (momentum, _) = Axes::new(mass).momentum(&difference);
        sum += dot(&momentum, &difference);
    }
    root(sum)
}

/// The axes along which impulses move a body, with their masses.
struct Axes {
    linear: [Option<f64>; 3],
    angular: [Option<f64>; 3],
    directions: [[f64; 3]; 3],
}

impl Axes {
    fn new(mass: &MassProperties) -> Self {
        let inertia = &mass.inverse_inertia;
        let eigen = Eigen::new(std::array::from_fn(|i| {
            std::array::from_fn(|j| inertia[(i, j)])
        }));
        let threshold = LOCKED * eigen.largest();
        let movable = |inverse: f64, threshold: f64| (inverse > threshold).then(|| 1.0 / inverse);
        Self {
            linear: std::array::from_fn(|i| movable(mass.inverse_mass[i], 0.0)),
            angular: eigen.values.map(|value| movable(value, threshold)),
            directions: eigen.vectors,
        }
    }

    /// M x over the movable axes, and the largest component of x along the others.
    fn momentum(&self, x: &[f64; 6]) -> ([f64; 6], f64) {
        let (mut out, mut still) = ([0.0; 6], 0.0f64);
        for i in 0..3 {
            match self.linear[i] {
                Some(mass) => out[i] = mass * x[i],
                None => still = larger(still, x[i].abs()),
            }
            let along = dot(&self.directions[i], &x[3..]);
            match self.angular[i] {
                Some(inertia) => {
                    for k in 0..3 {
                        out[3 + k] += inertia * along * self.directions[i][k];
                    }
                }
                None => still = larger(still, along.abs()),
            }
        }
        (out, still)
    }

    /// P x: what is left of an impulse after the locked axes have taken theirs.
    fn movable_part(&self, x: &[f64]) -> [f64; 6] {
        let mut out = [0.0; 6];
        let free = self.angular.iter().all(Option::is_some);
        for i in 0..3 {
            if self.linear[i].is_some() {
                out[i] = x[i];
            }
            if free {
                out[3 + i] = x[3 + i];
            } else if self.angular[i].is_some() {
                let along = dot(&self.directions[i], &x[3..]);
                for k in 0..3 {
                    out[3 + k] += along * self.directions[i][k];
                }
            }
        }
        out
    }
}
