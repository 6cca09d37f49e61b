//! Laws with one coefficient per friction row (P.20).

use super::factor::{Factor, Radius};
use super::set::{NO_TURN, SetShape, turn_to_axes, turn_to_rows};
use super::{Law, LawForm, LawKind};

/// What a row of friction measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrictionRow {
    /// Sliding along the first tangent \[m/s\].
    Slide,
    /// Sliding along the second tangent \[m/s\].
    SecondSlide,
    /// Rotation about the normal \[rad/s\].
    Spin,
    /// Rotation about the first tangent \[rad/s\].
    Roll,
    /// Rotation about the second tangent \[rad/s\].
    SecondRoll,
}

/// Description of a law of [`Law::Scaled`], without its coefficients. The form of such a law
/// ([`LawKind::form`]) is [`LawForm::Intervals`], [`LawForm::CoulombCone`] or [`LawForm::Cone`].
///
/// A block has a normal row, then the first `dim` − 1 of [`Self::rows`]. The numbers of a law are
/// one positive coefficient per friction row \[- | m\]. A law with [`Self::turned`] also has the
/// angle from the first friction row to the first axis \[rad\].
#[derive(Debug, PartialEq, Eq)]
pub struct ScaledKind {
    /// The law.
    pub kind: LawKind,
    /// Rows of friction, in their order.
    pub rows: &'static [FrictionRow],
    /// Rows that a block may have \[-\].
    pub dims: &'static [usize],
    /// True if the last number is an angle that rotates the axes of the first two friction rows.
    pub turned: bool,
}

impl ScaledKind {
    /// How many numbers the law has on a block of `dim` rows \[-\].
    pub fn numbers(&self, dim: usize) -> usize {
        dim.saturating_sub(1) + usize::from(self.turned)
    }
}

/// A law with one coefficient per friction row, and optionally rotated axes (P.20).
#[derive(Debug, Clone, PartialEq)]
pub struct ScaledLaw {
    entry: &'static ScaledKind,
    numbers: Vec<f64>,
}

impl ScaledLaw {
    pub(super) const fn new(entry: &'static ScaledKind, numbers: Vec<f64>) -> Self {
        Self { entry, numbers }
    }

    /// The description of this kind of law.
    pub fn entry(&self) -> &'static ScaledKind {
        self.entry
    }

    /// Coefficients per row of friction \[- | m\], then the angle \[rad\] of a turned law.
    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    /// Coefficient of each row of friction \[- | m\].
    pub fn coefficients(&self) -> &[f64] {
        let turned = usize::from(self.entry.turned);
        &self.numbers[..self.numbers.len().saturating_sub(turned)]
    }

    /// True if a block of `dim` rows can have the law.
    pub(crate) fn fits(&self, dim: usize) -> bool {
        self.entry.dims.contains(&dim) && self.numbers.len() == self.entry.numbers(dim)
    }

    /// The first number that is not allowed: a coefficient outside [`Law::COEFFICIENTS`], or an
    /// angle that is not finite.
    pub(crate) fn wrong_number(&self) -> Option<f64> {
        let coefficients = self.coefficients().len();
        let wrong = |(index, x): &(usize, f64)| {
            !x.is_finite() || (*index < coefficients && !Law::COEFFICIENTS.contains(x))
        };
        let mut numbers = self.numbers.iter().copied().enumerate();
        numbers.find(wrong).map(|(_, x)| x)
    }

    /// True if all rows of friction have one coefficient.
    pub(crate) fn is_even(&self) -> bool {
        self.coefficients()
            .windows(2)
            .all(|pair| pair[0] == pair[1])
    }

    pub(super) fn slope(&self) -> f64 {
        self.numbers.first().copied().unwrap_or_default()
    }

    fn turn(&self) -> [f64; 2] {
        match self.numbers.last() {
            Some(angle) if self.entry.turned => {
                let (sine, cosine) = libm::sincos(*angle);
                [cosine, sine]
            }
            _ => NO_TURN,
        }
    }

    /// The map from round rows to those of the block (P.20).
    pub(crate) fn map(&self) -> RowMap {
        let mut ratios = [1.0; MOST_FRICTION];
        for (ratio, coefficient) in ratios.iter_mut().zip(self.coefficients()) {
            *ratio = coefficient / self.slope();
        }
        RowMap {
            ratios,
            turn: if self.is_even() { NO_TURN } else { self.turn() },
        }
    }

    /// The law in round rows: of its form, with the first coefficient for all rows.
    pub(crate) fn round(&self) -> Law {
        let slope = self.slope();
        match (self.entry.kind.form(), self.coefficients().len()) {
            (LawForm::Intervals, _) => Law::pyramid(slope),
            (LawForm::CoulombCone, _) => Law::coulomb(slope),
            (_, 0..=2) => Law::convex_cone(slope),
            (_, rows) => Law::Scaled(Box::new(Self::new(self.entry, vec![slope; rows]))),
        }
    }

    pub(super) fn for_each_factor<'a>(&'a self, active: usize, mut call: impl FnMut(Factor<'a>)) {
        let coefficients = self.coefficients();
        let is_cone = matches!(self.entry.kind.form(), LawForm::CoulombCone | LawForm::Cone);
        if active == 1 || !is_cone {
            call(Factor::normals(0..1));
            for (row, coefficient) in (1..active).zip(coefficients) {
                let radius = Radius::Linear {
                    coefficient: *coefficient,
                    first: 0,
                    count: 1,
                };
                call(Factor::friction(row..row + 1, SetShape::SYMMETRIC, radius));
            }
            return;
        }
        let de_saxce = self.entry.kind.form() == LawForm::CoulombCone;
        call(if self.is_even() {
            Factor::cone(0..active, self.slope(), de_saxce)
        } else {
            let cone = Factor::cone(0..active, 1.0, de_saxce);
            cone.scaled(coefficients).turned(self.turn())
        });
    }
}

/// Most rows of friction of a scaled law \[-\].
const MOST_FRICTION: usize = 5;

/// The linear map λ = T y from round rows of friction to those of the block (P.20).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RowMap {
    /// Coefficients over the first of them \[- | m\].
    ratios: [f64; MOST_FRICTION],
    turn: [f64; 2],
}

impl RowMap {
    /// y ← T y: impulses in the rows of the block.
    pub(crate) fn give(&self, impulses: &mut [f64]) {
        self.scale(impulses);
        turn_to_rows(self.turn, impulses);
    }

    /// λ ← T⁻¹ λ: impulses in round rows.
    pub(crate) fn take(&self, impulses: &mut [f64]) {
        turn_to_axes(self.turn, impulses);
        let pairs = impulses.iter_mut().zip(self.ratios);
        pairs.for_each(|(x, ratio)| *x /= ratio);
    }

    /// w ← Tᵀ w: velocities, Jacobians and columns of A in round rows.
    pub(crate) fn pull(&self, velocities: &mut [f64]) {
        turn_to_axes(self.turn, velocities);
        self.scale(velocities);
    }

    fn scale(&self, x: &mut [f64]) {
        let pairs = x.iter_mut().zip(self.ratios);
        pairs.for_each(|(x, ratio)| *x *= ratio);
    }

    /// The same map of rows that lie along the axes.
    pub(crate) fn without_turn(self) -> Self {
        Self {
            turn: NO_TURN,
            ..self
        }
    }

    /// True if the first two rows of friction are mixed.
    pub(crate) fn turns(&self) -> bool {
        self.turn[1] != 0.0
    }
}
