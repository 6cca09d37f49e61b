//! Certified reference solutions of frozen problems.
//!
//! [`certify()`] solves a problem by methods of different families, refines every answer by Newton
//! steps from where it stands, and compares the constraint velocities of the answers. Velocities
//! that two families agree on are certified; otherwise the verdict says why there is no reference.
//! Where the solutions are a family, it says so: no point of it is a reference. Impulses are
//! compared nowhere: redundant rows leave them open.
//!
//! What a certificate is worth, and what it is not: `docs/theory/23-references.md` (F.1–F.8).

mod attempt;
mod certify;
mod continuum;
mod method;
mod options;
mod polygon;
mod verdict;

pub use attempt::{Attempt, AttemptAnswer};
pub use certify::certify;
pub use continuum::{Continuum, continuum};
pub use method::MethodFamily;
pub use options::ReferenceOptions;
pub use verdict::{Basis, Certified, CertifiedSolution, NoReference, ReferenceSearch, Uniqueness};
