//! Numbers that a joint stores and operations that it saves where its rows are stored ready for
//! use, by closed form.
//!
//! A joint of D rows on two bodies (six numbers each) is either *recomputed* from its Jacobian (12
//! D numbers), its effective mass and the inverse masses of both bodies, or *projected* through two
//! matrices that are stored with the effective mass folded in: velocity to impulse and impulse to
//! velocity (24 D numbers). The projection stores
//!
//! ```text
//! 24 D − (12 D + E + 2 (I + 1)) = 12 D − E − 2 (I + 1)
//! ```
//!
//! numbers more, with E numbers of effective mass and I of an inverse inertia. Full matrices have
//! E = D², I = 9; symmetric ones E = D (D + 1)/2, I = 6. It saves the products with the effective
//! mass (D² multiplications, D (D − 1) additions) and with both inverse masses (3 + 9
//! multiplications and 6 additions each). Source: \[Norbeck2022\].

/// Numbers that the projection stores more than the recomputation with full matrices.
pub fn full(dof: i64) -> i64 {
    12 * dof - dof * dof - 2 * (9 + 1)
}

/// The same with symmetric matrices stored once.
pub fn symmetric(dof: i64) -> i64 {
    12 * dof - dof * (dof + 1) / 2 - 2 * (6 + 1)
}

/// Multiplications that the projection saves.
pub fn multiplications(dof: i64) -> i64 {
    dof * dof + 2 * (3 + 9)
}

/// Additions that the projection saves.
pub fn additions(dof: i64) -> i64 {
    dof * (dof - 1) + 2 * 6
}

/// Lanes of f32 of a vector level by its identifier \[-\]; zero for the automatic one and for what
/// is none.
pub fn lanes(level: &str) -> usize {
    match level {
        "scalar" => 1,
        "sse2" | "neon" => 4,
        "avx2" => 8,
        "avx512" => 16,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closed_forms_give_the_published_table() {
        // degrees of freedom, numbers, multiplications, additions
        let published = [
            (1, -9, 25, 12),
            (2, 0, 28, 14),
            (3, 7, 33, 18),
            (4, 12, 40, 24),
            (5, 15, 49, 32),
            (6, 16, 60, 42),
        ];
        for (dof, numbers, times, plus) in published {
            assert_eq!(full(dof), numbers);
            assert_eq!((multiplications(dof), additions(dof)), (times, plus));
        }
        // with symmetric matrices only a joint of one row is smaller
        let own: Vec<i64> = (1..=6).map(symmetric).collect();
        assert_eq!(own, [-3, 7, 16, 24, 31, 37]);
    }
}
