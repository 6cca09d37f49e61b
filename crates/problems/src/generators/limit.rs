//! The largest problem that a generator makes.

use delassus_core::ParameterError;
use delassus_core::parameter::require;

/// Largest number of rows that a generator makes \[-\]: 33 million contact points, 10 GB of
/// Jacobians. A slip of the pen is refused before it fills memory; blocks and bodies have 32-bit
/// indices far beyond.
pub(crate) const MAX_ROWS: usize = 100_000_000;

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
        "the problem would have more than 100 000 000 rows",
    )
}

#[cfg(test)]
mod tests {
    use super::super::BoxProblem;
    use super::*;
    use delassus_core::Parameters;
    use delassus_systems::Wall;

    fn wall(base: usize) -> Result<(), ParameterError> {
        let wall = Wall {
            base,
            ..Wall::default()
        };
        BoxProblem::from(wall).validate()
    }

    #[test]
    fn ten_million_contact_points_are_within_the_limit() {
        // 4 · 1581² = 9 998 244 points of three rows
        wall(1581).unwrap();
        // 12 · 2886² = 99 947 952 rows, 12 · 2887² = 100 017 228
        wall(2886).unwrap();
        let refused = wall(2887).unwrap_err();
        assert_eq!((refused.parameter, &*refused.value), ("base", "2887"));
        assert!(refused.expected.contains("100 000 000"), "{refused}");
        // 12 · base² overflows
        assert!(wall(usize::MAX / 2).is_err());
    }
}
