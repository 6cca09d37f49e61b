//! Forms of laws, with which a solver declares what it supports.

use std::fmt;

use super::LawKind;

/// Form of a law: the shape of its sets, and the impulses that their size depends on (P.16).
///
/// A solver declares the forms that it supports ([`crate::SolverDescriptor::forms`]). It then
/// supports every law of these forms, including laws with a coefficient per row (P.20).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LawForm {
    /// All impulses.
    Free,
    /// An interval per row, between fixed bounds.
    Interval,
    /// A normal row; its friction is zero.
    Normal,
    /// A normal row, and friction intervals of fixed size.
    FixedIntervals,
    /// A normal row, and friction intervals whose size is proportional to its impulse.
    Intervals,
    /// A normal row, and a ball of friction whose radius is proportional to its impulse.
    Ball,
    /// A cone with the De Saxcé term in its normal velocity: Coulomb's law.
    CoulombCone,
    /// A convex cone.
    Cone,
    /// Several normal rows, and one ball and one interval whose sizes are proportional to a sum of
    /// their impulses.
    SharedFriction,
    /// A normal row, and a polygon of friction whose size is proportional to its impulse.
    Polygon,
    /// A normal row, and several balls and intervals whose sizes are proportional to its impulse.
    SeveralFrictions,
}

impl LawForm {
    /// The form in words, for messages.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Free => "free rows",
            Self::Interval => "intervals between fixed bounds",
            Self::Normal => "normal rows without friction",
            Self::FixedIntervals => "friction intervals of fixed size",
            Self::Intervals => "friction intervals that follow a normal row",
            Self::Ball => "friction discs that follow a normal row",
            Self::CoulombCone => "friction cones of Coulomb's law",
            Self::Cone => "convex cones",
            Self::SharedFriction => "friction that follows several normal rows",
            Self::Polygon => "friction polygons",
            Self::SeveralFrictions => "several friction sets on one normal row",
        }
    }
}

impl fmt::Display for LawForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl LawKind {
    /// The form of the law. The form of a scaled law is that of the law which replaces it in round
    /// rows ([`crate::Problem::round`], P.20).
    #[inline]
    pub const fn form(self) -> LawForm {
        match self {
            Self::Equality => LawForm::Free,
            Self::Bounds => LawForm::Interval,
            Self::Frictionless => LawForm::Normal,
            Self::FixedBox => LawForm::FixedIntervals,
            Self::Pyramid => LawForm::Intervals,
            Self::Disc => LawForm::Ball,
            Self::Coulomb => LawForm::CoulombCone,
            Self::ConvexCone => LawForm::Cone,
            Self::Patch => LawForm::SharedFriction,
            Self::Facets => LawForm::Polygon,
            Self::Rolling => LawForm::SeveralFrictions,
            Self::Anisotropic => LawForm::CoulombCone,
            Self::EllipticCone => LawForm::Cone,
            Self::Torsional => LawForm::Intervals,
        }
    }
}
