//! Rows of an assembly: what they stand for, and on their way into a problem.

use std::ops::Range;

use crate::constraint::{ForceKind, RowUnit};

/// What a row of a problem stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RowInfo {
    /// The joint or manifold.
    pub(crate) source: Source,
    /// Index of the row in the impulses of its source.
    pub(crate) local: usize,
    /// What it does.
    pub(crate) kind: RowKind,
    /// C of a joint's row \[m | rad\]; those of contacts are separations of [`super::ContactRows`].
    pub(crate) error: f64,
    /// ∂C/∂t \[m/s | rad/s\].
    pub(crate) rate: f64,
}

impl RowInfo {
    /// True for the normal of a contact point.
    pub(crate) fn is_normal(&self) -> bool {
        matches!(self.kind, RowKind::Normal { .. })
    }

    /// Unit of a row of a joint.
    pub(crate) fn unit(&self) -> Option<RowUnit> {
        match self.kind {
            RowKind::Joint(_, unit) => Some(unit),
            RowKind::Normal { .. } | RowKind::Friction => None,
        }
    }
}

/// Where a row comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    Joint(usize),
    Manifold(usize),
}

/// What a row does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowKind {
    /// A row of a joint.
    Joint(ForceKind, RowUnit),
    /// The normal of a contact point.
    Normal {
        /// True if one of the bodies is static for the scheme.
        fixed: bool,
    },
    /// Friction: a tangent or a twist.
    Friction,
}

/// Consecutive rows of one source, of consecutive impulses of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stretch {
    pub(super) source: Source,
    /// Index of its first row in the impulses of the source.
    pub(super) local: usize,
    pub(super) rows: Range<usize>,
}

/// A row that is about to enter the problem; `J` holds an entry per body.
#[derive(Debug, Clone)]
pub(super) struct EnteringRow<J> {
    pub(super) info: RowInfo,
    pub(super) jacobian: J,
}

impl<J: AsRef<[[f64; 6]]>> AsRef<[[f64; 6]]> for EnteringRow<J> {
    fn as_ref(&self) -> &[[f64; 6]] {
        self.jacobian.as_ref()
    }
}

/// A row of a contact.
pub(super) type ContactEntry = EnteringRow<[[f64; 6]; 2]>;
