//! The names of the laws, and what the documentation says about each.

use crate::Choice;

/// The kind of a law, without its parameters. Its form ([`Self::form`]) decides which solvers
/// support it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Choice)]
pub enum LawKind {
    /// equality
    Equality,
    /// bounds per row
    Bounds,
    /// frictionless contact (F0)
    Frictionless,
    /// friction box of fixed size (F1)
    FixedBox,
    /// friction pyramid (F2)
    Pyramid,
    /// Coulomb friction, normal plus disc (F3)
    Disc,
    /// Coulomb friction, one cone complementarity (F5)
    Coulomb,
    /// convex cone (F6)
    ConvexCone,
    /// patch friction of one manifold
    Patch,
    /// inscribed friction pyramid of d facets (F4)
    Facets,
    /// Coulomb friction with rolling and spinning resistance (F8)
    Rolling,
    /// Coulomb friction with two coefficients and a direction (F9)
    Anisotropic,
    /// elliptic cone over sliding, torsional and rolling rows (F10)
    EllipticCone,
    /// torsional friction of a point that does not resist sliding (F11)
    Torsional,
}

/// What the documentation says about a law.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LawDoc {
    /// Name, with the number that the documentation gives to friction laws.
    pub name: &'static str,
    /// Formula of the law on one line; w is the constraint velocity (A + R)λ + b.
    pub formula: &'static str,
    /// Number of its equation in `docs/theory/01-problem.md`, as "P.1".
    pub equation: &'static str,
    /// Numbers of rows that a block with the law may have, in words.
    pub rows: &'static str,
}

impl LawKind {
    /// Every law, in the order of the documentation.
    pub const ALL: &'static [Self] = <Self as Choice>::ALL;

    /// The identifier used in tables, specs and files.
    pub fn id(self) -> &'static str {
        self.name()
    }

    /// The law in words and as a formula.
    pub fn doc(self) -> LawDoc {
        let (formula, equation, rows) = match self {
            Self::Equality => ("w = 0", "P.4", "any"),
            Self::Bounds => (
                "l ≤ λ ≤ u; w ≥ 0 at l, w ≤ 0 at u, w = 0 between",
                "P.4",
                "any",
            ),
            Self::Frictionless => ("0 ≤ λ_n ⊥ w_n ≥ 0, λ_t = 0", "P.4", "1 to 3"),
            Self::FixedBox => ("0 ≤ λ_n ⊥ w_n ≥ 0, |λ_t,i| ≤ c", "P.5", "2 or 3"),
            Self::Pyramid => ("0 ≤ λ_n ⊥ w_n ≥ 0, |λ_t,i| ≤ μ λ_n", "P.5", "2 or 3"),
            Self::Disc => (
                "0 ≤ λ_n ⊥ w_n ≥ 0, ‖λ_t‖ ≤ μ λ_n, λ_t opposite to w_t where it slips",
                "P.6",
                "2 or 3",
            ),
            Self::Coulomb => ("K_μ ∋ λ ⊥ w + (μ‖w_t‖, 0) ∈ K_μ*", "P.6", "2 or 3"),
            Self::ConvexCone => (
                "K_μ ∋ λ ⊥ w ∈ K_μ*; a sliding contact separates with w_n = μ‖w_t‖",
                "P.7",
                "2 or 3",
            ),
            Self::Patch => (
                "0 ≤ λ_n,i ⊥ w_n,i ≥ 0, ‖λ_t‖ ≤ μ Σ λ_n,i, |λ_τ| ≤ μ Σ ℓ_i λ_n,i",
                "P.8",
                "points + 3",
            ),
            Self::Facets => (
                "0 ≤ λ_n ⊥ w_n ≥ 0, λ_t in the hull of μ λ_n d_i, of maximal dissipation there",
                "P.10",
                "2 or 3",
            ),
            Self::Rolling => (
                "0 ≤ λ_n ⊥ w_n ≥ 0, ‖λ_t‖ ≤ μ λ_n, ‖λ_r‖ ≤ ρ_r λ_n, |λ_s| ≤ ρ_s λ_n, each opposite to its velocity where it slips",
                "P.11",
                "5 or 6",
            ),
            Self::Anisotropic => (
                "K ∋ λ ⊥ w + (‖S Qᵀ w_t‖, 0) ∈ K*, K = {‖S⁻¹ Qᵀ λ_t‖ ≤ λ_n}, S = diag(μ₁, μ₂), Q turned by the angle",
                "P.21",
                "3",
            ),
            Self::EllipticCone => (
                "K ∋ λ ⊥ w ∈ K*, K = {Σ (λ_j/μ_j)² ≤ λ_n², λ_n ≥ 0}, a μ_j per row of friction",
                "P.22",
                "3, 4 or 6",
            ),
            Self::Torsional => ("0 ≤ λ_n ⊥ w_n ≥ 0, |λ_s| ≤ ρ_s λ_n", "P.23", "2"),
        };
        LawDoc {
            name: Self::CHOICES[self as usize].text,
            formula,
            equation,
            rows,
        }
    }
}
