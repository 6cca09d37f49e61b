//! The list of the kinds of bundles.

use super::batch::BundleKind;
use super::{fallback, joints, manifolds, normals, rows};

/// In the order in which a block is offered to them: the last one takes every block.
pub(crate) const KINDS: [BundleKind; 5] = [
    manifolds::KIND,
    normals::KIND,
    joints::KIND,
    rows::KIND,
    fallback::KIND,
];
