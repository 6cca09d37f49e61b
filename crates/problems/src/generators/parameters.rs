//! Declaring and checking the parameters of a generator.

use delassus_core::ParameterError;

pub(crate) use delassus_core::parameter::{
    at_least, finite, fraction, non_negative, positive, require,
};
pub(crate) use delassus_core::parameters;

/// Largest number of rows that a generator makes \[-\]: about 2 GB of Jacobians.
pub(crate) const MAX_ROWS: usize = 20_000_000;

/// Fails if the problem would have more than [`MAX_ROWS`] rows; `None` is an overflow.
pub(crate) fn row_limit(
    parameter: &'static str,
    value: usize,
    rows: Option<usize>,
) -> Result<(), ParameterError> {
    let fits = rows.is_some_and(|rows| rows <= MAX_ROWS);
    require(
        fits,
        parameter,
        value,
        "the problem would have more than 20 000 000 rows",
    )
}
