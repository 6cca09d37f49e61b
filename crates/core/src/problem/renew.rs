//! Replaces the numbers of a problem by those of another instant with the same structure, in the
//! same memory.

use super::{Activity, Operator, Problem, ProblemParts, StepScale, validate};
use crate::bodies::MassProperties;
use crate::builder::ProblemBuilder;
use crate::error::ProblemError;
use crate::jacobian::{ContactArms, ContactAxes, Jacobian, POINT_ENTRIES, relative};
use crate::law::{Block, Law};

/// The numbers of a problem that differ between two instants. The caller overwrites them.
#[derive(Debug)]
pub struct Renewed<'a> {
    /// Inverse mass and inertia of every body \[1/kg, 1/(kg·m²)\].
    pub mass: &'a mut [MassProperties],
    /// v_f, 6 per body \[m/s, rad/s\].
    pub free_velocity: &'a mut [f64],
    jacobian: &'a mut Jacobian,
    blocks: &'a mut [Block],
    first_body: &'a [usize],
    block_bodies: &'a [u32],
    first_entry: &'a [usize],
}

impl Renewed<'_> {
    /// Replaces law and entries of a block, row by row as in [`crate::BodyRows`]. Returns false,
    /// with nothing changed, if the block touches other bodies, has another number of rows, or is
    /// given as a contact point.
    pub fn set_block(
        &mut self,
        block: usize,
        law: Law,
        bodies: &[usize],
        jacobian: &[[f64; 6]],
    ) -> bool {
        let (Some(entry), Some(rows)) = (self.blocks.get_mut(block), self.jacobian.rows_mut())
        else {
            return false;
        };
        let touched = &self.block_bodies[self.first_body[block]..self.first_body[block + 1]];
        let same = touched.iter().map(|body| *body as usize);
        let place = self.first_entry[block]..self.first_entry[block + 1];
        if !same.eq(bodies.iter().copied()) || place.len() != jacobian.len() {
            return false;
        }
        rows[place].copy_from_slice(jacobian);
        entry.law = law;
        true
    }

    /// Replaces the geometry of a manifold, whose first point is block `first`. Manifolds are
    /// numbered in the order in which [`ProblemBuilder::axes`] was called.
    ///
    /// # Panics
    /// If there are no such points.
    #[inline]
    pub fn set_points<'b>(
        &mut self,
        manifold: usize,
        axes: &ContactAxes,
        first: usize,
        arms: impl Iterator<Item = &'b ContactArms>,
    ) {
        let Some(rows) = self.jacobian.rows_mut() else {
            self.jacobian.set_points(manifold, axes, first, arms);
            return;
        };
        let places = rows[self.first_entry[first]..]
            .as_chunks_mut::<POINT_ENTRIES>()
            .0;
        for (to, arms) in places.iter_mut().zip(arms) {
            for (pair, axis) in to.as_chunks_mut::<2>().0.iter_mut().zip(axes) {
                *pair = relative(axis, arms);
            }
        }
    }

    /// Changes the entries of all rows, which are ordered as in [`crate::BodyRows`].
    pub fn edit(&mut self, change: impl FnOnce(&mut [[f64; 6]])) {
        self.jacobian.edit(|entries| change(entries));
    }

    /// Replaces the law of a block.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn set_law(&mut self, block: usize, law: Law) {
        self.blocks[block].law = law;
    }
}

/// Result of [`Problem::with_values`].
#[derive(Debug)]
pub enum Renewal {
    /// The problem at another instant.
    Problem(Problem),
    /// An empty builder that reuses the memory of the problem, because the structure has changed or
    /// the problem has no bodies.
    Memory(ProblemBuilder),
}

impl Problem {
    /// Returns the problem of another instant, with the same blocks, bodies and rows. `write`
    /// replaces the numbers, and returns false if the structure has changed. Bias and compliance of
    /// the result are zero, and all rows are active.
    ///
    /// # Errors
    /// Those of [`Self::new`].
    pub fn with_values(
        mut self,
        step: StepScale,
        write: impl FnOnce(&mut Renewed<'_>) -> bool,
    ) -> Result<Renewal, ProblemError> {
        let parts = &mut self.parts;
        let Operator::Bodies(bodies) = &mut parts.operator else {
            return Ok(Renewal::Memory(ProblemBuilder::new()));
        };
        let mut numbers = Renewed {
            mass: &mut bodies.mass,
            free_velocity: &mut bodies.free_velocity,
            jacobian: &mut bodies.jacobian,
            blocks: &mut parts.blocks,
            first_body: &bodies.first_body,
            block_bodies: &bodies.block_bodies,
            first_entry: &bodies.first_entry,
        };
        if !write(&mut numbers) {
            return Ok(Renewal::Memory(ProblemBuilder::in_memory_of(self)));
        }
        parts.bias.fill(0.0);
        parts.compliance.fill(0.0);
        parts.coupled_compliance.clear();
        parts.activity.fill(Activity::Solve);
        parts.step = Some(step);
        validate::renewed(parts)?;
        self.derived.renew_numbers(parts)?;
        self.check_b()?;
        self.renew_round()?;
        Ok(Renewal::Problem(self))
    }

    /// Creates a different problem, with bodies or with a matrix, in the memory of this one.
    /// `write` changes the old parts into the new ones.
    ///
    /// # Errors
    /// Those of `write` and of [`Self::new`].
    pub fn rebuild(
        self,
        write: impl FnOnce(&mut ProblemParts) -> Result<(), ProblemError>,
    ) -> Result<Self, ProblemError> {
        let (mut parts, memory) = self.into_memory();
        write(&mut parts)?;
        Self::new_in(parts, memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Friction;
    use nalgebra::Vector3;

    /// Two contact points of a body on another one.
    fn problem(height: f64, mu: f64) -> Problem {
        let mut builder = ProblemBuilder::new();
        let mass = MassProperties::aligned(2.0 + height, Vector3::new(0.3, 0.4, 0.5));
        let bodies =
            [0.0, 1.0].map(|up| builder.body(mass, [0.0, up - height, 0.0, 0.1, 0.0, 0.0]));
        for x in [0.5, -0.5] {
            let rows = [0, 1, 2].map(|axis| {
                let mut row = [0.0; 6];
                (row[axis], row[3 + axis]) = (1.0, x * height);
                [row.map(|x: f64| -x), row]
            });
            builder.block(Law::Contact(Friction::Disc { mu }), &bodies, &rows);
        }
        builder.step(0.01, 9.81);
        builder.build().expect("valid")
    }

    fn renewed(mut from: Problem, to: &Problem) -> Result<Renewal, ProblemError> {
        let rows = from.rows();
        from.set_bias(&vec![0.5; rows]).expect("finite");
        from.set_compliance(&vec![0.1; rows]).expect("positive");
        from.set_all_activity(Activity::NormalsOnly);
        assert!(from.b()[0].is_finite());
        let step = to.step().expect("known");
        from.with_values(step, |numbers| {
            let bodies = to.bodies().expect("has bodies");
            numbers.mass.copy_from_slice(&bodies.mass);
            numbers.free_velocity.copy_from_slice(&bodies.free_velocity);
            numbers.edit(|rows| rows.copy_from_slice(&bodies.jacobian));
            for (index, block) in to.blocks().iter().enumerate() {
                numbers.set_law(index, block.law.clone());
            }
            let rows = &bodies.jacobian[..6];
            let law = to.blocks()[0].law.clone();
            assert!(!numbers.set_block(0, law.clone(), &[1, 0], rows));
            assert!(!numbers.set_block(0, law.clone(), &[0, 1], &rows[..4]));
            assert!(!numbers.set_block(2, law.clone(), &[0, 1], rows));
            numbers.set_block(0, law, &[0, 1], rows)
        })
    }

    #[test]
    fn a_renewed_problem_is_the_new_one() {
        let new = problem(0.7, 0.25);
        let Renewal::Problem(found) = renewed(problem(0.2, 0.5), &new).expect("valid") else {
            panic!("the structure is the same");
        };
        assert_eq!(found, new);
        assert_eq!(found.diagonal(), new.diagonal());
        assert_eq!(found.b(), new.b());
        assert!(found.is_rigid() && found.all_active());
    }

    #[test]
    fn numbers_are_checked_as_those_of_a_new_problem() {
        let step = StepScale {
            dt: 0.01,
            gravity: 0.0,
        };
        let spoiled = problem(0.2, 0.5).with_values(step, |numbers| {
            numbers.edit(|rows| rows[3][2] = f64::NAN);
            true
        });
        assert!(matches!(spoiled, Err(ProblemError::NonFinite { .. })));
        let spoiled = problem(0.2, 0.5).with_values(step, |numbers| {
            numbers.set_law(1, Law::Contact(Friction::Disc { mu: -1.0 }));
            true
        });
        assert!(matches!(
            spoiled,
            Err(ProblemError::FrictionCoefficient { block: 1, .. })
        ));
        let other = problem(0.2, 0.5).with_values(step, |_| false);
        assert!(matches!(other, Ok(Renewal::Memory(_))));
    }
}
