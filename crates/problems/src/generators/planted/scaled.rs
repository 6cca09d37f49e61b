//! Planted problems with one scaled law (P.20), drawn from its factors.

use delassus_core::{Factor, FrictionRow, Law, LawKind, ProblemError, ScaledKind, SetShape};

use super::Planted;
use super::geometry::Shape;
use super::plant::{PlantedBlock, Sampler, State};
use crate::generators::Generated;

/// A planted problem with blocks of one scaled law in addition to those of `planted`.
#[derive(Debug, Clone, PartialEq)]
pub struct ScaledPlanted {
    /// Bodies, other blocks, and what is drawn.
    pub planted: Planted,
    /// The scaled law.
    pub law: LawKind,
    /// Rows of one of its blocks \[-\].
    pub rows: usize,
    /// Number of its blocks \[-\].
    pub blocks: usize,
    /// Compliance that the rows of every block share \[1/kg\].
    pub shared: f64,
}

impl ScaledPlanted {
    /// The problem with its solution.
    ///
    /// # Errors
    /// A number of rows that the law does not have.
    pub fn build(&self) -> Result<Generated, ProblemError> {
        let (law, dim) = (self.law, self.rows);
        let entry = ScaledKind::of(law).filter(|entry| entry.dims.contains(&dim));
        let entry = entry.ok_or(ProblemError::LawDimension { block: 0, law, dim })?;
        let shapes = vec![Shape::Scaled(entry, dim); self.blocks];
        self.planted.build_with(self.shared, &shapes)
    }
}

impl Sampler<'_> {
    /// A law of a scaled kind whose friction sticks or slips, by the projections of its factors: a
    /// point outside of a set, less its nearest point, is normal to the set there.
    pub(super) fn scaled(&mut self, entry: &ScaledKind, dim: usize) -> PlantedBlock {
        let friction = self.parameters.friction;
        let mut numbers = Vec::new();
        for row in &entry.rows[..dim - 1] {
            // lengths of a tenth of a body
            let size = match row {
                FrictionRow::Slide | FrictionRow::SecondSlide => friction,
                FrictionRow::Spin | FrictionRow::Roll | FrictionRow::SecondRoll => 0.1 * friction,
            };
            numbers.push(size * self.random.uniform(0.2, 1.0));
        }
        if entry.turned {
            numbers.push(self.random.uniform(-1.5, 1.5));
        }
        // the entry is that of its kind
        let law = Law::scaled(entry.kind, dim, &numbers).unwrap_or(Law::Equality);
        let state = self.state();
        let (mut impulses, mut velocities) = (vec![0.0; dim], vec![0.0; dim]);
        for factor in law.factors(dim).in_disc_form() {
            let rows = factor.rows();
            let (x, w) = match factor.shape {
                SetShape::Cone => self.in_cone(&factor, state),
                _ if factor.depends_on().is_empty() => {
                    let (n, w) = self.normal(state);
                    (vec![n], vec![w])
                }
                _ => self.in_friction_set(&factor, &impulses, state),
            };
            impulses[rows.clone()].copy_from_slice(&x);
            velocities[rows].copy_from_slice(&w);
        }
        PlantedBlock {
            law,
            impulses,
            velocities,
        }
    }

    fn any_direction(&mut self, rows: usize) -> Vec<f64> {
        let mut x: Vec<f64> = (0..rows).map(|_| self.any_velocity()).collect();
        x[0] += self.random.sign();
        x
    }

    /// Friction inside of its set, or on its edge with the velocity against the normal there.
    fn in_friction_set(
        &mut self,
        factor: &Factor<'_>,
        impulses: &[f64],
        state: State,
    ) -> (Vec<f64>, Vec<f64>) {
        let set = factor.set_at(impulses);
        let mut x = self.any_direction(factor.len);
        let reach = set.reach(&x);
        if state == State::Stick && set.radius > 0.0 {
            let share = set.radius * self.random.uniform(0.0, 0.9) / reach;
            x.iter_mut().for_each(|x| *x *= share);
            return (x, vec![0.0; factor.len]);
        }
        let far = (2.0 * set.radius + self.scale) / reach;
        x.iter_mut().for_each(|x| *x *= far);
        let mut nearest = x.clone();
        set.project(&mut nearest);
        let velocity = self.against(&x, &nearest);
        (nearest, velocity)
    }

    /// Impulses in a convex cone, and velocities in its dual orthogonal to them.
    fn in_cone(&mut self, factor: &Factor<'_>, state: State) -> (Vec<f64>, Vec<f64>) {
        let cone = factor.set_at(&[]);
        let direction = self.any_direction(factor.len - 1);
        let reach = cone.reach(&direction);
        let along = |normal: f64, tangent: f64| {
            let mut all = vec![normal];
            all.extend(direction.iter().map(|d| tangent * d));
            all
        };
        match state {
            State::Stick => {
                let n = self.push();
                let share = self.random.uniform(0.0, 0.9) * cone.radius * n / reach;
                (along(n, share), vec![0.0; factor.len])
            }
            State::Slide => {
                let n = self.push();
                let x = along(n, 3.0 * cone.radius * n / reach);
                let mut nearest = x.clone();
                cone.project(&mut nearest);
                let velocity = self.against(&x, &nearest);
                (nearest, velocity)
            }
            State::Open => {
                let slip = cone.radius * cone.slip(&direction);
                let lift = slip + self.speed() * self.strictness();
                (vec![0.0; factor.len], along(lift, 1.0))
            }
        }
    }

    /// A velocity against the way from the nearest point of a set to a point outside.
    fn against(&mut self, x: &[f64], nearest: &[f64]) -> Vec<f64> {
        let way = x.iter().zip(nearest).map(|(x, p)| x - p);
        let way: Vec<f64> = way.collect();
        let length = way.iter().map(|x| x * x).sum::<f64>().sqrt();
        let speed = self.speed() * self.strictness() / length;
        way.iter().map(|x| -speed * x).collect()
    }
}
