//! The numbers in which worlds of one structure differ.

use delassus_core::{
    BodyRows, Law, LawForm, MassProperties, Operator, Problem, ProblemError, ProblemParts, Renewal,
    StepScale,
};

use super::WorldError;

/// Numbers of many worlds that have the blocks, bodies and geometry of one problem, the structure.
///
/// Each list has the numbers of one world after those of the world before. An empty list leaves the
/// numbers of the structure to all worlds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WorldParameters {
    /// Number of worlds \[-\].
    pub worlds: usize,
    /// μ of all contacts of a world, one number per world \[-\]. Laws without a single coefficient
    /// stay as they are.
    pub friction: Vec<f64>,
    /// Inverse masses and inertias of the bodies of a world. A body that nothing moves must be one
    /// in all worlds.
    pub masses: Vec<MassProperties>,
    /// v_f, six numbers per body \[m/s, rad/s\].
    pub free_velocity: Vec<f64>,
    /// b_pos, one number per row \[m/s | rad/s\].
    pub bias: Vec<f64>,
}

impl WorldParameters {
    /// Worlds that do not differ yet.
    pub fn of(worlds: usize) -> Self {
        Self {
            worlds,
            ..Self::default()
        }
    }

    /// Checks the lengths of all lists, and that masses do not move what the structure holds.
    ///
    /// # Errors
    /// The first list of a wrong length; the first world with another immovable body.
    pub fn check(&self, structure: &Problem) -> Result<(), WorldError> {
        let bodies = structure.bodies();
        let bodies =
            bodies.ok_or_else(|| WorldError::of(0, delassus_core::SolveError::NoBodies))?;
        let lists = [
            ("the friction", self.friction.len(), 1),
            ("the masses", self.masses.len(), bodies.len()),
            (
                "the free velocity",
                self.free_velocity.len(),
                6 * bodies.len(),
            ),
            ("the bias", self.bias.len(), structure.rows()),
        ];
        for (what, found, each) in lists {
            let expected = each * self.worlds;
            if found != 0 && found != expected {
                return Err(WorldError::Length {
                    what,
                    found,
                    expected,
                });
            }
        }
        self.check_masses(bodies)?;
        self.check_laws(structure)
    }

    fn check_masses(&self, bodies: &BodyRows) -> Result<(), WorldError> {
        let each = bodies.len().max(1);
        for (world, masses) in self.masses.chunks(each).enumerate() {
            let mut pairs = masses.iter().zip(&bodies.mass);
            if pairs.any(|(own, mass)| own.is_immovable() != mass.is_immovable()) {
                let reason = "the masses move a body that the structure holds, or hold one that it moves; \
                              prepare such a world as a problem of its own";
                return Err(WorldError::Structure { world, reason });
            }
        }
        Ok(())
    }

    /// Points with a fixed limit and points with a coefficient of zero have one law.
    fn check_laws(&self, structure: &Problem) -> Result<(), WorldError> {
        let has = |form| structure.laws().any(|law| law.form() == form);
        let both = has(LawForm::FixedIntervals) && has(LawForm::Intervals);
        if self.friction.contains(&0.0) && both {
            let world = self.friction.iter().position(|mu| *mu == 0.0);
            let reason = "a friction of zero makes pyramids equal to fixed limits, which the structure has, too; \
                          prepare such a world as a problem of its own";
            return Err(WorldError::Structure {
                world: world.unwrap_or_default(),
                reason,
            });
        }
        Ok(())
    }

    /// A world as a problem of its own.
    ///
    /// # Errors
    /// Those of [`Self::check`]; no such world; parameters that make no valid problem.
    pub fn problem(&self, structure: &Problem, world: usize) -> Result<Problem, WorldError> {
        self.check(structure)?;
        if world >= self.worlds {
            return Err(WorldError::Length {
                what: "the list",
                found: self.worlds,
                expected: world + 1,
            });
        }
        let made = self.rebuilt(structure.clone(), structure, world);
        let made = made.and_then(|problem| self.moved(problem, world));
        made.map_err(|error| WorldError::Problem { world, error })
    }

    /// A world in the memory of another world of the same structure.
    pub(super) fn write(
        &self,
        memory: Problem,
        structure: &Problem,
        world: usize,
    ) -> Result<Problem, ProblemError> {
        if self.friction.is_empty() && self.masses.is_empty() {
            return self.moved(memory, world);
        }
        // what the numbers of another instant do not keep
        let kept = structure.all_active() && structure.coupled_compliance().is_empty();
        let problem = match structure.step().filter(|_| kept) {
            Some(step) => self.renewed(memory, structure, world, step)?,
            None => self.rebuilt(memory, structure, world)?,
        };
        self.moved(problem, world)
    }

    /// Friction and masses, with all checks of a new problem.
    fn rebuilt(
        &self,
        memory: Problem,
        structure: &Problem,
        world: usize,
    ) -> Result<Problem, ProblemError> {
        if self.friction.is_empty() && self.masses.is_empty() {
            return Ok(memory);
        }
        memory.rebuild(|parts| {
            self.edit(parts, structure, world);
            Ok(())
        })
    }

    /// The same with the checks of numbers alone, which takes less time.
    fn renewed(
        &self,
        memory: Problem,
        structure: &Problem,
        world: usize,
        step: StepScale,
    ) -> Result<Problem, ProblemError> {
        let renewal = memory.with_values(step, |numbers| {
            if let Some(masses) = own(&self.masses, self.worlds, world) {
                numbers.mass.copy_from_slice(masses);
            }
            if let Some(mu) = self.friction.get(world) {
                for (block, entry) in structure.blocks().iter().enumerate() {
                    let mut law = entry.law.clone();
                    set_coefficient(&mut law, *mu);
                    numbers.set_law(block, law);
                }
            }
            true
        })?;
        let Renewal::Problem(mut problem) = renewal else {
            return self.rebuilt(structure.clone(), structure, world);
        };
        if structure.bias().iter().any(|bias| *bias != 0.0) {
            problem.set_bias(structure.bias())?;
        }
        if !structure.is_rigid() {
            problem.set_compliance(structure.compliance())?;
        }
        Ok(problem)
    }

    /// Free velocities and bias.
    fn moved(&self, mut problem: Problem, world: usize) -> Result<Problem, ProblemError> {
        if let Some(velocity) = own(&self.free_velocity, self.worlds, world) {
            problem.set_free_velocity(velocity)?;
        }
        if let Some(bias) = own(&self.bias, self.worlds, world) {
            problem.set_bias(bias)?;
        }
        Ok(problem)
    }

    /// Writes what [`Problem`] cannot replace by itself. Rows that nothing moves depend on masses,
    /// so bias and compliance begin as those of the structure.
    fn edit(&self, parts: &mut ProblemParts, structure: &Problem, world: usize) {
        parts.bias.copy_from_slice(structure.bias());
        parts.compliance.copy_from_slice(structure.compliance());
        if let Some(mu) = self.friction.get(world) {
            for block in &mut parts.blocks {
                set_coefficient(&mut block.law, *mu);
            }
        }
        let Operator::Bodies(bodies) = &mut parts.operator else {
            return;
        };
        if let Some(masses) = own(&self.masses, self.worlds, world) {
            bodies.mass.copy_from_slice(masses);
        }
    }
}

/// The part of a list that belongs to a world; `None` of an empty list.
pub(super) fn own<T>(list: &[T], worlds: usize, world: usize) -> Option<&[T]> {
    let each = list.len().checked_div(worlds)?;
    if each == 0 {
        return None;
    }
    list.chunks(each).nth(world)
}

/// True if a law has one coefficient of friction.
pub(super) fn has_coefficient(law: &Law) -> bool {
    coefficient(law).is_some()
}

/// The coefficient of friction of a law that has one \[-\].
pub(super) fn coefficient(law: &Law) -> Option<f64> {
    law.clone().only_mu_mut().copied()
}

/// The law with a coefficient of zero, if it has one.
pub(super) fn without_coefficient(law: &Law) -> Law {
    let mut law = law.clone();
    set_coefficient(&mut law, 0.0);
    law
}

fn set_coefficient(law: &mut Law, to: f64) {
    if let Some(mu) = law.only_mu_mut() {
        *mu = to;
    }
}
