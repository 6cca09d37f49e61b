//! The laws in words: what `list laws` prints.

use delassus_core::LawKind;

/// One law as a list shows it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LawDoc {
    /// Name, with the number that the documentation gives to friction laws.
    pub(crate) name: &'static str,
    /// The law on one line; w is the shifted velocity (A + R)λ + b.
    pub(crate) formula: &'static str,
    /// Equation of `docs/theory/01-problem.md`.
    pub(crate) equation: &'static str,
    /// Rows of one block.
    pub(crate) rows: &'static str,
}

/// The description of a law.
pub(crate) fn doc(law: LawKind) -> LawDoc {
    let (name, formula, equation, rows) = match law {
        LawKind::Equality => ("equality", "w = 0", "P.4", "any"),
        LawKind::Bounds => (
            "bounds per row",
            "l ≤ λ ≤ u; w ≥ 0 at l, w ≤ 0 at u, w = 0 between",
            "P.4",
            "any",
        ),
        LawKind::Frictionless => (
            "frictionless contact (F0)",
            "0 ≤ λ_n ⊥ w_n ≥ 0, λ_t = 0",
            "P.4",
            "1 to 3",
        ),
        LawKind::FixedBox => (
            "friction box of fixed size (F1)",
            "0 ≤ λ_n ⊥ w_n ≥ 0, |λ_t,i| ≤ c",
            "P.5",
            "2 or 3",
        ),
        LawKind::Pyramid => (
            "friction pyramid (F2)",
            "0 ≤ λ_n ⊥ w_n ≥ 0, |λ_t,i| ≤ μ λ_n",
            "P.5",
            "2 or 3",
        ),
        LawKind::Disc => (
            "Coulomb friction, normal plus disc (F3)",
            "0 ≤ λ_n ⊥ w_n ≥ 0, ‖λ_t‖ ≤ μ λ_n, λ_t opposite to w_t where it slips",
            "P.6",
            "2 or 3",
        ),
        LawKind::Coulomb => (
            "Coulomb friction, one cone complementarity (F5)",
            "K_μ ∋ λ ⊥ w + (μ‖w_t‖, 0) ∈ K_μ*",
            "P.6",
            "2 or 3",
        ),
        LawKind::ConvexCone => (
            "convex cone (F6)",
            "K_μ ∋ λ ⊥ w ∈ K_μ*; a sliding contact separates with w_n = μ‖w_t‖",
            "P.7",
            "2 or 3",
        ),
        LawKind::Patch => (
            "patch friction of one manifold",
            "0 ≤ λ_n,i ⊥ w_n,i ≥ 0, ‖λ_t‖ ≤ μ Σ λ_n,i, |λ_τ| ≤ μ Σ ℓ_i λ_n,i",
            "P.8",
            "points + 3",
        ),
    };
    LawDoc {
        name,
        formula,
        equation,
        rows,
    }
}
