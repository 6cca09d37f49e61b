//! Forms of laws: what a solver has to treat to solve them.

use std::fmt;

use super::LawKind;

/// Form of a law: the shape of its sets, and what their size follows (P.16).
///
/// A solver declares the forms that it solves ([`crate::SolverDescriptor::forms`]). It then solves
/// every law of these forms, with its scaled rows too (P.20).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LawForm {
    /// All impulses.
    Free,
    /// An interval per row, between fixed bounds.
    Interval,
    /// A normal row; its friction is zero.
    Normal,
    /// A normal row, and intervals of fixed size.
    FixedIntervals,
    /// A normal row, and intervals that it bounds.
    Intervals,
    /// A normal row, and a ball that it bounds.
    Ball,
    /// A cone whose normal velocity carries the De Saxcé term.
    CoulombCone,
    /// A convex cone.
    Cone,
    /// Several normal rows, which together bound a ball and an interval.
    SharedFriction,
    /// A normal row, and a polygon that it bounds.
    Polygon,
    /// A normal row, and several balls and intervals that it bounds.
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
            Self::CoulombCone => "cones with De Saxcé term",
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
    /// The form of the law: of a scaled law, that of its round rows (P.20).
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
