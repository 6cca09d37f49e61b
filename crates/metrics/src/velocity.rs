//! Norms of velocities, and the agreement of two answers.

use delassus_core::norm::root_of_form;
use delassus_core::{BodyRows, MassProperties};

use crate::eigen::Eigen;
use crate::error::{MetricError, check_input, check_range, finite, larger};
use crate::evaluator::{Evaluator, apply_delassus};
use crate::group::{GroupMemory, Scope, groups};
use crate::scale::row_scales;
use crate::set::dot;

/// An eigenvalue of an inverse inertia below this multiple of the largest one is a locked axis
/// \[-\].
///
/// It is the rounding that a problem's validation accepts in an inverse inertia.
const LOCKED: f64 = 1e-9;

impl Evaluator<'_> {
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
        let norm = self.motion_norm(&self.work) / self.energy.root;
        finite("the agreement", norm)
    }

    /// λ − λ_ref into `self.scratch`.
    pub(crate) fn difference(
        &mut self,
        impulses: &[f64],
        reference: &[f64],
    ) -> Result<(), MetricError> {
        check_input("reference impulses", reference, self.problem.rows())?;
        check_range("a reference impulse", reference)?;
        subtract(impulses, reference, &mut self.scratch);
        Ok(())
    }

    /// A·scratch into `self.work`.
    pub(crate) fn delassus_of_scratch(&mut self) {
        apply_delassus(
            self.problem,
            &self.scratch,
            &mut self.momentum,
            &mut self.work,
        );
    }

    /// ‖M⁻¹Jᵀx‖_M = √(pᵀM⁻¹p) with p = Jᵀx.
    pub(crate) fn impulse_norm(&mut self, bodies: &BodyRows, x: &[f64]) -> f64 {
        self.momentum.fill(0.0);
        bodies.add_transposed(self.problem.blocks(), x, &mut self.momentum);
        root_of_form(&self.momentum, |scale| {
            let wrenches = bodies.mass.iter().zip(self.momentum.chunks_exact(6));
            let energies = wrenches.map(|(mass, p)| {
                let wrench: [f64; 6] = std::array::from_fn(|i| scale * p[i]);
                dot(&wrench, &mass.apply_inverse(&wrench))
            });
            energies.sum()
        })
    }

    /// v⁺ into `self.momentum` (P.1).
    pub(crate) fn body_velocities(&mut self, bodies: &BodyRows, impulses: &[f64]) {
        self.momentum.fill(0.0);
        bodies.add_transposed(self.problem.blocks(), impulses, &mut self.momentum);
        bodies.apply_inverse_mass(&mut self.momentum);
        for (v, free) in self.momentum.iter_mut().zip(&bodies.free_velocity) {
            *v += free;
        }
    }

    /// √Σ ‖Δw_g‖²/L_g with L of A alone, over every row.
    pub(crate) fn motion_norm(&self, difference: &[f64]) -> f64 {
        let terms = self.motion.get_or_init(|| {
            let scales = row_scales(self.problem, false, Vec::new());
            groups(
                self.problem,
                Some(&scales),
                Scope::Motion,
                GroupMemory::default(),
            )
            .list
        });
        root_of_form(difference, |scale| {
            let squares = terms.iter().map(|group| {
                let part = difference[group.rows.clone()].iter();
                let square: f64 = part.map(|w| (scale * w) * (scale * w)).sum();
                square / group.scale
            });
            squares.sum()
        })
    }
}

pub(crate) fn subtract(a: &[f64], b: &[f64], out: &mut [f64]) {
    for (out, (a, b)) in out.iter_mut().zip(a.iter().zip(b)) {
        *out = a - b;
    }
}

/// ‖a − b‖_M over the movable axes.
pub(crate) fn mass_norm(bodies: &BodyRows, a: &[f64], b: &[f64]) -> f64 {
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    root_of_form(&differences, |scale| {
        let parts = bodies.mass.iter().zip(differences.chunks_exact(6));
        let energies = parts.map(|(mass, part)| {
            let difference: [f64; 6] = std::array::from_fn(|i| scale * part[i]);
            let (momentum, _) = Axes::new(mass).momentum(&difference);
            dot(&momentum, &difference)
        });
        energies.sum()
    })
}

/// The axes along which impulses move a body, with their masses.
pub(crate) struct Axes {
    linear: [Option<f64>; 3],
    angular: [Option<f64>; 3],
    directions: [[f64; 3]; 3],
}

impl Axes {
    pub(crate) fn new(mass: &MassProperties) -> Self {
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
    pub(crate) fn momentum(&self, x: &[f64; 6]) -> ([f64; 6], f64) {
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
    pub(crate) fn movable_part(&self, x: &[f64]) -> [f64; 6] {
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
