//! Closure of the equations of motion (M.22).

use delassus_core::{BodyRows, Problem};

use crate::definition::{MetricDoc, MetricInput, MetricValue, Needs, RequestedMetric};
use crate::error::{MetricError, check_input, check_range, finite, larger};
use crate::evaluator::Evaluator;
use crate::velocity::Axes;

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

impl RequestedMetric for Closure {
    const DOC: MetricDoc = MetricDoc {
        id: "closure",
        name: "closure of the equations of motion",
        formula: "‖M(v⁺ − v_f) − Jᵀλ‖_∞ over the movable axes",
        theory: &["M.22"],
        unit: "N·s",
        needs: Needs::Velocities,
        applies: "problems with bodies, solvers that keep velocities",
        misleads: "says nothing about the laws: any λ with its own velocities closes",
        ..MetricDoc::BASE
    };

    fn value(evaluator: &mut Evaluator<'_>, answer: &MetricInput<'_>) -> MetricValue {
        let closure = |velocities| evaluator.closure(answer.impulses, velocities);
        let closure = answer.velocities.map(closure).transpose()?;
        Ok(closure.map(|closure| closure.absolute))
    }
}

impl Evaluator<'_> {
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
}

/// |J|ᵀ|λ|, 6 per body: what a sum over the rows is accurate relative to.
fn summed_magnitude(bodies: &BodyRows, problem: &Problem, impulses: &[f64]) -> Vec<f64> {
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
