//! Descriptor entries and range checks that several solvers share.

use delassus_core::{LawKind, ParameterDoc, ParameterError, Support};

use delassus_structure::MAX_COLOURS;

/// All nine laws, exactly.
pub(crate) const ALL_LAWS_EXACT: &[(LawKind, Support)] = &[
    (LawKind::Equality, Support::Exact),
    (LawKind::Bounds, Support::Exact),
    (LawKind::Frictionless, Support::Exact),
    (LawKind::FixedBox, Support::Exact),
    (LawKind::Pyramid, Support::Exact),
    (LawKind::Disc, Support::Exact),
    (LawKind::Coulomb, Support::Exact),
    (LawKind::ConvexCone, Support::Exact),
    (LawKind::Patch, Support::Exact),
];

pub(crate) const ORDER: ParameterDoc = ParameterDoc {
    name: "order",
    doc: "order of the blocks in a sweep: \"natural\" (default), \"reversed\", \"symmetric\" (forwards and backwards in turn), \"random\" (a new permutation every sweep), \"simultaneous\" (Jacobi)",
};

pub(crate) const SEED: ParameterDoc = ParameterDoc {
    name: "seed",
    doc: "seed of order = \"random\" [-], any 64-bit number; default 0",
};

/// Refuses a relaxation factor outside (0, 2).
pub(crate) fn check_omega(omega: f64) -> Result<(), ParameterError> {
    if omega > 0.0 && omega < 2.0 {
        return Ok(());
    }
    Err(ParameterError {
        parameter: "omega",
        value: omega.to_string(),
        expected: "0 < omega < 2 [-]",
    })
}

pub(crate) const COLOURS: ParameterDoc = ParameterDoc {
    name: "colours",
    doc: "most colours [-], 1 to 64, default 64; units that find none are solved one by one after the colours",
};

/// Refuses a number of colours that a mask cannot hold.
pub(crate) fn check_colours(colours: usize) -> Result<(), ParameterError> {
    if (1..=MAX_COLOURS).contains(&colours) {
        return Ok(());
    }
    Err(ParameterError {
        parameter: "colours",
        value: colours.to_string(),
        expected: "1 <= colours <= 64 [-]",
    })
}
