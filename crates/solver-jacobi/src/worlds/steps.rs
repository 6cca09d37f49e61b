//! Where the steps of worlds with masses of their own are computed, and which masses need no check
//! of their range.

use delassus_core::{Choice, MassProperties, Problem};

/// Where the steps of worlds that differ in masses are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum WorldSteps {
    /// On the processor in f64, from a pack of each world: the bits of a problem of its own.
    #[default]
    Processor,
    /// On the device in f32, from masses, frames and arms: fewer bytes and no pack per world, equal
    /// to rounding. Row blocks, and worlds with bias of their own, are computed on the processor.
    Device,
}

/// Exponent of numbers that f32 holds with their squares, whatever the others are \[-\]: half the
/// room that [`delassus_core::PowerScale`] leaves as it is, less two for rounding.
const ROOM: i32 = 18;

/// Masses of the structure, to which those of a world are compared.
///
/// If each inverse mass matrix of a world lies between `low` and `high` times that of the
/// structure, so does every effective inverse mass of its rows.
#[derive(Debug, Clone)]
pub(super) struct MassRange {
    masses: Vec<MassProperties>,
    /// Least and largest effective inverse mass of the rows \[1/kg\].
    rows: [f64; 2],
    /// Largest compliance \[1/kg\].
    compliance: f64,
    /// Largest bias and free velocity of the structure \[m/s | rad/s\].
    speeds: [f64; 2],
}

fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |most, x| most.max(x.abs()))
}

impl MassRange {
    pub(super) fn of(structure: &Problem) -> Self {
        let bodies = structure.bodies();
        let moved = structure.diagonal().iter().copied().filter(|d| *d > 0.0);
        let least = moved.clone().fold(f64::INFINITY, f64::min);
        Self {
            masses: bodies.map_or_else(Vec::new, |bodies| bodies.mass.clone()),
            rows: [least, moved.fold(0.0, f64::max)],
            compliance: largest(structure.compliance()),
            speeds: [
                largest(structure.bias()),
                bodies.map_or(0.0, |bodies| largest(&bodies.free_velocity)),
            ],
        }
    }

    /// True if a world with these masses, and with its free velocity if it has one, is valid and
    /// needs no other units in f32. False does not mean that the world is invalid: its problem
    /// is then built and checked.
    pub(super) fn holds(&self, masses: &[MassProperties], free_velocity: Option<&[f64]>) -> bool {
        let free = match free_velocity {
            Some(own) if own.iter().all(|v| v.is_finite()) => largest(own),
            Some(_) => return false,
            None => self.speeds[1],
        };
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for (own, mass) in masses.iter().zip(&self.masses) {
            let Some([least, most]) = ratios(own, mass) else {
                return false;
            };
            (low, high) = (low.min(least), high.max(most));
        }
        let room = f64::from(ROOM).exp2();
        let small = |x: f64| (1.0 / room..=room).contains(&x);
        let speed = free.max(self.speeds[0]);
        small(low * self.rows[0])
            && small(high * self.rows[1] + self.compliance)
            && (speed == 0.0 || small(speed))
    }
}

/// True if all leading minors of the inverse inertia are positive.
fn is_positive(mass: &MassProperties) -> bool {
    let a = &mass.inverse_inertia;
    let minor = a[(0, 0)] * a[(1, 1)] - a[(0, 1)] * a[(1, 0)];
    a[(0, 0)] > 0.0 && minor > 0.0 && a.determinant() > 0.0
}

/// Bounds of the ratio of xᵀM⁻¹x between two masses, for all x; `None` where they are not positive
/// in all directions. A body that nothing moves has none, and bounds nothing.
fn ratios(own: &MassProperties, mass: &MassProperties) -> Option<[f64; 2]> {
    if mass.is_immovable() && own.is_immovable() {
        return Some([f64::INFINITY, 0.0]);
    }
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    for (own, mass) in own.inverse_mass.iter().zip(&mass.inverse_mass) {
        let ratio = own / mass;
        if !(ratio > 0.0 && ratio.is_finite()) {
            return None;
        }
        (low, high) = (low.min(ratio), high.max(ratio));
    }
    if !is_positive(own) || !is_positive(mass) {
        return None;
    }
    let [own, mass] = [own.inverse_inertia, mass.inverse_inertia];
    if own != own.transpose() {
        return None;
    }
    // eigenvalues are positive: none is above their sum, and none of their inverses above that of
    // the inverses
    let (inverse_own, inverse_mass) = (own.try_inverse()?, mass.try_inverse()?);
    let (most, most_inverse) = ((inverse_mass * own).trace(), (inverse_own * mass).trace());
    let fits = most > 0.0 && most.is_finite() && most_inverse > 0.0 && most_inverse.is_finite();
    fits.then_some([low.min(1.0 / most_inverse), high.max(most)])
}
