//! Numbers that a README quotes, and the cells of tables that they are.

mod mark;
mod number;
mod sheet;

pub use mark::{CellQuery, Compare, Quote, Take, quotes};
pub use number::Quoted;
pub use sheet::{MarkMatch, Sheet};
