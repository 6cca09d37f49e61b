//! Laws as data: the factors of the set of admissible impulses of one block.

use std::ops::{Deref, Range};

use super::set::{AdmissibleSet, NO_TURN, SetShape};

/// Most factors of a law \[-\].
const MAX_FACTORS: usize = 4;

/// How the radius of a factor depends on the impulses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Radius {
    /// A number that does not depend on the impulses \[N·s | N·m·s\]; for a cone its slope μ \[- |
    /// m\].
    Fixed(f64),
    /// Proportional to normal impulses: c Σ ℓ_i max(λ_i, 0) over consecutive rows of the block
    /// (P.8), with the ℓ_i of [`Factor::weights`].
    Linear {
        /// c \[- | m\].
        coefficient: f64,
        /// First of the normal rows, counted within the block.
        first: usize,
        /// Number of the normal rows \[-\].
        count: usize,
    },
}

impl Radius {
    /// The part that does not depend on impulses \[N·s | N·m·s\], or the slope of a cone \[- | m\].
    #[inline]
    pub const fn fixed(self) -> f64 {
        match self {
            Self::Fixed(radius) => radius,
            Self::Linear { .. } => 0.0,
        }
    }

    /// The factor of the normal impulses \[- | m\]; zero if the radius is fixed.
    #[inline]
    pub const fn coefficient(self) -> f64 {
        match self {
            Self::Fixed(_) => 0.0,
            Self::Linear { coefficient, .. } => coefficient,
        }
    }
}

/// Rows of one block that are projected together. The set K(λ) of a law is the Cartesian product of
/// the sets of its factors (P.16).
///
/// A factor is a shape times a radius. The radius is fixed, or proportional to normal impulses of
/// the same block. All laws are lists of factors ([`crate::Law::factors`]). Code that supports the
/// four shapes ([`SetShape`]) and the two kinds of [`Radius`] therefore supports every law.
///
/// ```
/// use delassus_core::Law;
///
/// // one step of projected gradient descent on a contact with μ = 0.5
/// let (mut impulse, velocity, step) = ([2.0, 0.0, 0.0], [0.0, -3.0, 4.0], 0.5);
/// for row in 0..3 {
///     impulse[row] -= step * velocity[row];
/// }
/// // the normal row comes first: its impulse bounds that of the tangents
/// let law = Law::disc(0.5);
/// for factor in law.factors(3) {
///     factor.project(&mut impulse);
/// }
/// assert!(law.factors(3).iter().all(|factor| factor.contains(&impulse, 1e-15)));
/// // the tangents would be (1.5, −2), and the disc has the radius 0.5 · 2
/// assert!((impulse[1] - 0.6).abs() < 1e-15 && (impulse[2] + 0.8).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Factor<'a> {
    /// First row, counted within the block.
    pub first: usize,
    /// Number of rows \[-\]: any for an interval, at most six for others.
    pub len: usize,
    /// Shape of the set.
    pub shape: SetShape,
    /// Size of the set.
    pub radius: Radius,
    /// ℓ_i of every normal row in the radius \[- | m\]; empty if all are one.
    pub weights: &'a [f64],
    /// Semi-axes divided by the radius, as in [`AdmissibleSet::scales`].
    pub scales: &'a [f64],
    /// Direction of the first semi-axis, as in [`AdmissibleSet::turn`].
    pub turn: [f64; 2],
    /// True for a cone with the De Saxcé term of (P.6) in its normal velocity.
    pub de_saxce: bool,
    /// True for the tangents of one contact point that directly follow its normal row and have the
    /// same unit. The residual uses one step length for all these rows (M.2).
    pub with_normal: bool,
}

impl<'a> Factor<'a> {
    /// Rows between fixed bounds \[N·s | N·m·s\] (P.4).
    pub const fn bounded(rows: Range<usize>, lower: f64, upper: f64) -> Self {
        Self {
            first: rows.start,
            len: rows.end - rows.start,
            shape: SetShape::Interval { lower, upper },
            radius: Radius::Fixed(1.0),
            weights: &[],
            scales: &[],
            turn: NO_TURN,
            de_saxce: false,
            with_normal: false,
        }
    }

    /// Normal rows, λ ≥ 0.
    pub const fn normals(rows: Range<usize>) -> Self {
        Self::bounded(rows, 0.0, f64::INFINITY)
    }

    /// Friction rows with this shape and radius.
    pub const fn friction(rows: Range<usize>, shape: SetShape, radius: Radius) -> Self {
        Self {
            shape,
            radius,
            ..Self::bounded(rows, 0.0, 0.0)
        }
    }

    /// A normal row and its friction in the cone of slope `mu` \[- | m\] (P.7); with `de_saxce`
    /// the law is Coulomb's (P.6).
    pub const fn cone(rows: Range<usize>, mu: f64, de_saxce: bool) -> Self {
        Self {
            de_saxce,
            ..Self::friction(rows, SetShape::Cone, Radius::Fixed(mu))
        }
    }

    /// Returns the factor with one semi-axis per friction row, divided by the radius \[- | m\]: an
    /// ellipsoid or an elliptic cone (P.17, P.18).
    #[must_use]
    pub const fn scaled(self, scales: &'a [f64]) -> Self {
        Self { scales, ..self }
    }

    /// Returns the factor with its first two semi-axes rotated. `turn` is the cosine and sine \[-\]
    /// of the angle between the first semi-axis and the first friction row (P.20).
    #[must_use]
    pub const fn turned(self, turn: [f64; 2]) -> Self {
        Self { turn, ..self }
    }

    /// The rows, counted within the block.
    #[inline]
    pub const fn rows(&self) -> Range<usize> {
        self.first..self.first + self.len
    }

    /// One row of an interval as a separate factor; `index` counts the rows of the factor.
    pub const fn row(self, index: usize) -> Self {
        Self {
            first: self.first + index,
            len: 1,
            ..self
        }
    }

    /// Rows of the block whose impulses bound those of the factor: empty for a fixed radius.
    #[inline]
    pub const fn depends_on(&self) -> Range<usize> {
        match self.radius {
            Radius::Fixed(_) => 0..0,
            Radius::Linear { first, count, .. } => first..first + count,
        }
    }

    /// Derivative of the radius with respect to the impulse of a normal row \[- | m\]; `index`
    /// counts the rows of [`Self::depends_on`].
    #[inline]
    pub fn slope(&self, index: usize) -> f64 {
        match self.radius {
            Radius::Fixed(_) => 0.0,
            Radius::Linear { coefficient, .. } => match self.weights.get(index) {
                Some(weight) => coefficient * weight,
                None => coefficient,
            },
        }
    }

    /// True if the rows belong to a convex problem: their set does not depend on other impulses,
    /// and there is no De Saxcé term.
    #[inline]
    pub const fn is_convex(&self) -> bool {
        matches!(self.radius, Radius::Fixed(_)) && !self.de_saxce
    }

    /// True if at least one row is a friction row.
    pub fn has_friction(&self) -> bool {
        match self.radius {
            Radius::Linear { .. } => true,
            Radius::Fixed(radius) => match self.shape {
                SetShape::Interval { .. } => self.with_normal && radius != 0.0,
                SetShape::Ball | SetShape::Polygon(_) | SetShape::Cone => true,
            },
        }
    }

    /// The radius at the impulses of the block \[N·s | N·m·s\], or the slope of a cone; negative
    /// normal impulses count as zero.
    #[inline]
    pub fn radius_at(&self, impulses: &[f64]) -> f64 {
        match self.radius {
            Radius::Fixed(radius) => radius,
            Radius::Linear {
                coefficient,
                first,
                count,
            } => {
                let normals = impulses[first..first + count].iter().map(|x| x.max(0.0));
                if self.weights.is_empty() {
                    return coefficient * normals.sum::<f64>();
                }
                let terms = normals
                    .zip(self.weights)
                    .map(|(normal, weight)| weight * normal);
                coefficient * terms.sum::<f64>()
            }
        }
    }

    /// The admissible set that the impulses of the block determine \[N·s | N·m·s\].
    #[inline]
    pub fn set_at(&self, impulses: &[f64]) -> AdmissibleSet<'a> {
        self.set_of_radius(self.radius_at(impulses))
    }

    /// The set with the given radius \[N·s | N·m·s\].
    #[inline]
    pub const fn set_of_radius(&self, radius: f64) -> AdmissibleSet<'a> {
        AdmissibleSet {
            shape: self.shape,
            radius,
            scales: self.scales,
            turn: self.turn,
        }
    }

    /// The set, if it does not depend on other impulses.
    pub fn fixed_set(&self) -> Option<AdmissibleSet<'a>> {
        matches!(self.radius, Radius::Fixed(_)).then(|| self.set_at(&[]))
    }

    /// Projects the impulses of the factor's rows onto [`Self::set_at`] \[N·s | N·m·s\], in place.
    ///
    /// Project the factors of a law in their order: the normal impulses come first and bound the
    /// friction.
    #[inline]
    pub fn project(&self, impulses: &mut [f64]) {
        let set = self.set_at(impulses);
        set.project(&mut impulses[self.rows()]);
    }

    /// True if the impulses of the factor's rows exceed no bound by more than `slack` \[N·s |
    /// N·m·s\].
    pub fn contains(&self, impulses: &[f64], slack: f64) -> bool {
        self.set_at(impulses)
            .contains(&impulses[self.rows()], slack)
    }

    /// Euclidean distance of the impulses of the factor's rows from their set \[N·s | N·m·s\]
    /// (M.17).
    pub fn distance(&self, impulses: &[f64]) -> f64 {
        self.set_at(impulses).distance(&impulses[self.rows()])
    }

    /// The De Saxcé term of (P.6), for the velocity of the first row; `velocities` are those of the
    /// block \[m/s | rad/s\]. Zero for a factor without it.
    pub fn de_saxce_term(&self, velocities: &[f64]) -> f64 {
        match self.fixed_set() {
            Some(cone) if self.de_saxce => cone.support(&velocities[self.rows()]),
            _ => 0.0,
        }
    }

    /// The friction of a cone as a separate factor: a ball whose radius is proportional to the
    /// normal impulse of the cone (M.39).
    pub const fn friction_of_cone(self) -> Self {
        let Radius::Fixed(coefficient) = self.radius else {
            return self;
        };
        Self {
            first: self.first + 1,
            len: self.len - 1,
            shape: SetShape::Ball,
            radius: Radius::Linear {
                coefficient,
                first: self.first,
                count: 1,
            },
            de_saxce: false,
            with_normal: true,
            ..self
        }
    }

    /// The cone with De Saxcé term whose friction this is; `None` if the factor is not a ball of
    /// tangents with one normal row.
    fn cone_of_friction(self) -> Option<Self> {
        let Radius::Linear {
            coefficient, first, ..
        } = self.radius
        else {
            return None;
        };
        let whole = self.with_normal && self.shape == SetShape::Ball;
        let rows = first..first + 1 + self.len;
        let cone = |slope| Self::cone(rows, slope, true);
        whole.then(|| cone(coefficient).scaled(self.scales).turned(self.turn))
    }
}

/// The factors of one law, in the order of their rows; four at most.
#[derive(Debug, Clone, Copy)]
pub struct Factors<'a> {
    list: [Factor<'a>; MAX_FACTORS],
    count: usize,
}

impl<'a> Factors<'a> {
    /// No factor.
    pub const NONE: Self = Self {
        list: [Factor::bounded(0..0, 0.0, 0.0); MAX_FACTORS],
        count: 0,
    };

    /// Adds a factor.
    ///
    /// # Panics
    /// If there are four already.
    pub const fn push(&mut self, factor: Factor<'a>) {
        self.list[self.count] = factor;
        self.count += 1;
    }

    /// Returns the law with each Coulomb cone (F5) written as a normal row and a ball of tangents
    /// (F3). The solutions are the same (P.6).
    #[must_use]
    pub fn in_disc_form(self) -> Self {
        let mut out = Self::NONE;
        for factor in self {
            if factor.de_saxce {
                out.push(Factor::normals(factor.first..factor.first + 1));
                out.push(factor.friction_of_cone());
            } else {
                out.push(factor);
            }
        }
        out
    }

    /// Returns the law with each normal row and its ball of tangents (F3) written as a Coulomb cone
    /// (F5). The solutions are the same (P.6).
    #[must_use]
    pub fn in_cone_form(self) -> Self {
        let mut out = Self::NONE;
        for factor in self {
            let cone = factor.cone_of_friction();
            // in the place of the normal row
            out.count -= usize::from(cone.is_some());
            out.push(cone.unwrap_or(factor));
        }
        out
    }
}

impl<'a> Deref for Factors<'a> {
    type Target = [Factor<'a>];

    fn deref(&self) -> &[Factor<'a>] {
        &self.list[..self.count]
    }
}

impl<'a> IntoIterator for Factors<'a> {
    type Item = Factor<'a>;
    type IntoIter = std::iter::Take<std::array::IntoIter<Factor<'a>, MAX_FACTORS>>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter().take(self.count)
    }
}
