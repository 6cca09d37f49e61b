//! The list of the kinds of bundles.

use super::batch::Kind;
use super::{joints, loose, manifolds, normals, rows};

/// In the order in which a block is offered to them: the last one takes every block.
pub(crate) const KINDS: [Kind; 5] = [
    manifolds::KIND,
    normals::KIND,
    joints::KIND,
    rows::KIND,
    loose::KIND,
];
