//! Text formats: friction-contact problems (fc3d, fc2d), linear and mixed complementarity problems.

mod contact;
mod detect;
mod lcp;
mod mlcp;
mod nm_matrix;
mod tokens;
mod write;

pub use delassus_core::FrictionLaw;
pub(crate) use detect::read;
pub use write::{MatrixStorage, contact_text, lcp_text};
