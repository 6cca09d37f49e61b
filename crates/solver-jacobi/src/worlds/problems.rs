//! The parameters of worlds that are there as problems of their own.

use delassus_core::Problem;

use super::parameters::{WorldParameters, coefficient};
use super::{StructureDifference, WorldError};

impl WorldParameters {
    /// The parameters of worlds from their problems; the first is the structure. A list is empty
    /// if all worlds agree in it.
    ///
    /// # Errors
    /// The first problem of another structure, and in what it differs.
    pub fn of_problems(problems: &[&Problem]) -> Result<Self, WorldError> {
        let mut worlds = Self::of(problems.len());
        let Some(structure) = problems.first() else {
            return Ok(worlds);
        };
        let mut all = Vec::with_capacity(problems.len());
        for (world, problem) in problems.iter().enumerate() {
            let differs = |difference| WorldError::Differs { world, difference };
            let bodies = problem.bodies();
            all.push(bodies.ok_or(differs(StructureDifference::Matrix))?);
            if let Some(difference) = StructureDifference::between(structure, problem) {
                return Err(differs(difference));
            }
        }
        worlds.friction = friction(problems)?;
        let masses = all.iter().map(|bodies| bodies.mass.as_slice());
        worlds.masses = listed(masses, |mass| {
            let numbers = mass.inverse_mass.iter().chain(mass.inverse_inertia.iter());
            numbers.map(f64_bits).collect::<Vec<_>>()
        });
        let velocities = all.iter().map(|bodies| bodies.free_velocity.as_slice());
        worlds.free_velocity = listed(velocities, f64_bits);
        worlds.bias = listed(problems.iter().map(|problem| problem.bias()), f64_bits);
        Ok(worlds)
    }
}

/// The lists of all worlds, one after the other; empty if all have the `bits` of the first.
fn listed<'w, T: Copy + 'w, B: PartialEq>(
    worlds: impl Iterator<Item = &'w [T]> + Clone,
    bits: impl Fn(&T) -> B,
) -> Vec<T> {
    let first = worlds.clone().next().unwrap_or_default();
    let same = |(own, first): (&T, &T)| bits(own) == bits(first);
    if worlds.clone().all(|own| own.iter().zip(first).all(same)) {
        return Vec::new();
    }
    worlds.flatten().copied().collect()
}

fn f64_bits(number: &f64) -> u64 {
    number.to_bits()
}

/// μ of every world; empty if the blocks of all worlds have the coefficients of the first.
fn friction(problems: &[&Problem]) -> Result<Vec<f64>, WorldError> {
    let coefficients = |problem: &Problem| -> Vec<Option<f64>> {
        let laws = problem.blocks().iter().map(|block| coefficient(&block.law));
        laws.collect()
    };
    let Some(first) = problems.first().map(|first| coefficients(first)) else {
        return Ok(Vec::new());
    };
    let mut all = Vec::with_capacity(problems.len());
    // the first world, and a block of it, with another coefficient than world 0
    let mut other = None;
    let mut several = None;
    for (world, problem) in problems.iter().enumerate() {
        let own = coefficients(problem);
        let differs = own.iter().zip(&first).position(|(own, first)| own != first);
        other = other.or(differs.map(|block| (world, block)));
        let mut known = own.iter().flatten();
        let one = known.next().copied().unwrap_or_default();
        if known.any(|mu| *mu != one) {
            several = several.or(Some(world));
        }
        all.push(one);
    }
    match (other, several) {
        (None, _) => Ok(Vec::new()),
        (Some(_), None) => Ok(all),
        (Some((world, block)), Some(_)) => {
            let difference = StructureDifference::Friction { block };
            Err(WorldError::Differs { world, difference })
        }
    }
}
