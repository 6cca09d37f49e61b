//! Which constraints of a world come first.

use delassus_core::Choice;

/// Which constraints come first in a problem, and so in a sweep in its natural order; or in a
/// position pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum ConstraintOrder {
    /// Joints, then contacts.
    #[default]
    JointsFirst,
    /// Contacts, then joints.
    ContactsFirst,
}
