//! Our own format: a safetensors container with every array of the problem, to the last bit.
//!
//! `docs/file-formats.md` lists the tensors. The container is little-endian and starts with a JSON
//! header, so numpy reads the arrays without our code.

mod checksum;
pub(crate) mod law;
mod place;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use read::is_snapshot;
pub(crate) use read::read;
pub use write::{snapshot_bytes, write_snapshot};

use delassus_core::{Block, Law, LawKind, Problem};

/// Name of the format, in the metadata.
pub(crate) const FORMAT: &str = "delassus-problem";

/// A version of the format: which laws it has, and how many numbers a law has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version {
    /// As the metadata says it.
    pub(crate) name: &'static str,
    /// The first of [`LawKind::ALL`] \[-\].
    laws: usize,
    /// Columns of `blocks/parameters` \[-\].
    pub(crate) numbers: usize,
    /// True if rows of a block may share compliance.
    pub(crate) coupled: bool,
}

/// Without facets and rolling: what every problem that has neither is written as.
const FIRST: Version = Version {
    name: "1",
    laws: 9,
    numbers: 2,
    coupled: false,
};

/// With them, and diagonal compliance.
const SECOND: Version = Version {
    name: "2",
    laws: 11,
    numbers: 3,
    coupled: false,
};

/// With compliance that rows of a block share.
const THIRD: Version = Version {
    name: "3",
    coupled: true,
    ..SECOND
};

/// With scaled laws.
const FOURTH: Version = Version {
    name: "4",
    laws: 14,
    numbers: law::MOST_NUMBERS,
    ..THIRD
};

// the list of a version stays as it is: a new law needs a new version
const _: () = assert!(FOURTH.laws == LawKind::ALL.len());

impl Version {
    /// What is read here.
    pub(crate) const SUPPORTED: &'static str = "1, 2, 3 or 4";

    /// The version of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let all = [FIRST, SECOND, THIRD, FOURTH];
        all.into_iter().find(|v| v.name == name)
    }

    /// The oldest version that holds a problem: the same bytes as ever for the problems that it
    /// holds.
    pub(crate) fn of(problem: &Problem) -> Self {
        let is_scaled = |block: &Block| matches!(block.law, Law::Scaled(_));
        if problem.blocks().iter().any(is_scaled) {
            return FOURTH;
        }
        let is_first = |block: &Block| FIRST.laws().contains(&block.law.kind());
        if !problem.coupled_compliance().is_empty() {
            THIRD
        } else if problem.blocks().iter().all(is_first) {
            FIRST
        } else {
            SECOND
        }
    }

    /// The laws in the order of their numbers.
    pub(crate) fn laws(self) -> &'static [LawKind] {
        &LawKind::ALL[..self.laws]
    }
}

/// Tensor names.
pub(crate) mod names {
    pub(crate) const DIM: &str = "blocks/dim";
    pub(crate) const LAW: &str = "blocks/law";
    pub(crate) const PARAMETERS: &str = "blocks/parameters";
    pub(crate) const LEVERS: &str = "blocks/levers";
    pub(crate) const FEATURE: &str = "blocks/feature";
    pub(crate) const ACTIVITY: &str = "blocks/activity";
    pub(crate) const BIAS: &str = "rows/bias";
    pub(crate) const COMPLIANCE: &str = "rows/compliance";
    pub(crate) const COUPLED_BLOCK: &str = "coupled/block";
    pub(crate) const COUPLED_ENTRIES: &str = "coupled/compliance";
    pub(crate) const STEP: &str = "step";
    pub(crate) const INVERSE_MASS: &str = "bodies/inverse_mass";
    pub(crate) const INVERSE_INERTIA: &str = "bodies/inverse_inertia";
    pub(crate) const FREE_VELOCITY: &str = "bodies/free_velocity";
    pub(crate) const FIRST_BODY: &str = "jacobian/first_body";
    pub(crate) const BODIES: &str = "jacobian/bodies";
    pub(crate) const FIRST_ENTRY: &str = "jacobian/first_entry";
    pub(crate) const ENTRIES: &str = "jacobian/entries";
    pub(crate) const MATRIX_ROW: &str = "matrix/block_row";
    pub(crate) const MATRIX_COLUMN: &str = "matrix/block_column";
    pub(crate) const MATRIX_VALUES: &str = "matrix/values";
    pub(crate) const MATRIX_FREE: &str = "matrix/free_velocity";
    pub(crate) const REFERENCE: &str = "reference/impulses";
    pub(crate) const WARM_START: &str = "warm_start/impulses";
    pub(crate) const CAPTURED_IMPULSES: &str = "captured/impulses";
    pub(crate) const CAPTURED_ITERATIONS: &str = "captured/iterations";
    pub(crate) const CAPTURED_VELOCITIES: &str = "captured/velocities";
}

/// Metadata keys.
pub(crate) mod keys {
    pub(crate) const FORMAT: &str = "format";
    pub(crate) const VERSION: &str = "version";
    pub(crate) const CHECKSUM: &str = "checksum";
    pub(crate) const NAME: &str = "name";
    pub(crate) const PROVENANCE: &str = "provenance";
    pub(crate) const OPERATOR: &str = "operator";
    pub(crate) const LAWS: &str = "laws";
    pub(crate) const REFERENCE_PROVENANCE: &str = "reference_provenance";
    pub(crate) const REFERENCE_RESIDUAL: &str = "reference_residual";
    pub(crate) const CAPTURED_ENGINE: &str = "captured_engine";
    pub(crate) const CAPTURED_VERSION: &str = "captured_version";
    pub(crate) const CAPTURED_STEP: &str = "captured_step";
    pub(crate) const CAPTURED_SUBSTEP: &str = "captured_substep";
    pub(crate) const CAPTURED_PASS: &str = "captured_pass";
}

/// Numbers of the activities in `blocks/activity`.
pub(crate) const ACTIVITIES: [delassus_core::Activity; 3] = [
    delassus_core::Activity::Solve,
    delassus_core::Activity::NormalsOnly,
    delassus_core::Activity::Hold,
];
