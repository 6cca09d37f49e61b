//! What can be wrong with a replay.

use thiserror::Error;

/// Why a replay cannot be read, packed or drawn.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The bytes are no replay.
    #[error("not a whole replay: {0}; run the cell again")]
    Damaged(String),
    /// The writer in memory failed.
    #[error("the replay cannot be packed: {0}")]
    Pack(String),
    /// A picture could not be made.
    #[error("the strip cannot be drawn: {0}")]
    Draw(String),
}
