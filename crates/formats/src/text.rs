//! Text formats: friction-contact problems (local and global, in the plane, in space, with rolling
//! friction), linear, bounded and mixed complementarity problems.

mod complementarity;
mod detect;
mod friction;
mod matrix;
mod mlcp;
mod tokens;
mod write;

pub use detect::read;
pub use write::write;
