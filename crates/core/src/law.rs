//! Blocks of rows and their complementarity laws.
//!
//! A law is data: a list of [`Factor`]s ([`Law::factors`]). A factor is a shape times a radius and
//! contains everything that a projection needs. Code with a branch per shape takes [`Law::form`]
//! and [`Law::single_factor`]; a solver needs no names of laws.
//!
//! Five types are about laws, because each states something that the others cannot:
//! - [`Law`] is the law of one block with its numbers. A problem stores one per block.
//! - [`Friction`] is the part of [`Law`] for one contact point: seven laws with the same rows.
//! - [`LawKind`] is the name of a law without numbers, as in files, tables and keys of records.
//! - [`LawForm`] is the shape of a law, which solvers declare. Several kinds may have one form, so
//!   that a new kind of a known form needs no change in solvers.
//! - [`crate::ContactLaw`] is what a world, a generator or a reader of files can choose for its
//!   contacts. It is no subset of the kinds: facets have three names there, the patch is chosen for
//!   manifolds that have no blocks yet, and joints and bounds are no choice.

mod factor;
mod form;
mod kind;
mod known;
mod list;
mod scaled;
mod set;
#[cfg(test)]
mod tests;

use std::ops::{Range, RangeInclusive};

pub use factor::{Factor, Factors, Radius};
pub use form::LawForm;
pub use kind::{LawDoc, LawKind};
pub use list::FactorList;
pub(crate) use scaled::RowMap;
pub use scaled::{FrictionRow, ScaledKind, ScaledLaw};
pub use set::{AdmissibleSet, SetShape};

/// Relation between the impulse λ of one block and its constraint velocity w = (A + R)λ + b.
///
/// A value has the kind of law and its coefficients or bounds. [`crate::ContactLaw`] is only the
/// name of a contact law, for worlds, generators and readers of files.
///
/// Each law defines a set K(λ) of admissible impulses. A solution satisfies λ = Π_K(λ − ρ ŵ) for
/// any ρ > 0, where Π_K projects onto K(λ). ŵ is w, except for laws of the form
/// [`LawForm::CoulombCone`], where the De Saxcé term is added to the normal velocity (P.4–P.8,
/// P.21).
#[derive(Debug, Clone, PartialEq)]
pub enum Law {
    /// w = 0, λ free: joints. Any dimension.
    Equality,
    /// λ ∈ [lower, upper] for every row of the block, w complementary: limits, motors, unilateral
    /// rows. \[N·s\]
    ///
    /// Rows with different bounds belong in different blocks. The bounds may be infinite.
    Bounds {
        /// Lower bound of the impulse \[N·s\]; may be −∞.
        lower: f64,
        /// Upper bound of the impulse \[N·s\]; may be +∞.
        upper: f64,
    },
    /// One contact point: normal row first, then one tangent (2D) or two (3D); dimension 1, 2 or 3.
    Contact(Friction),
    /// One contact manifold: its normal rows, then two tangents and one twist row shared by all of
    /// them.
    Patch(Box<Patch>),
    /// One contact point that also resists rolling: normal row, two tangents, two rolling rows and,
    /// with spinning friction, one spinning row; dimension 5 or 6.
    Rolling(Box<RollingContact>),
    /// One contact point with a friction coefficient per row: a normal row, then the rows of its
    /// [`ScaledKind`].
    Scaled(Box<ScaledLaw>),
}

/// Friction of one contact point, [`Law::Contact`]; F0–F6 are the numbers of (P.5)–(P.7) and
/// (P.10).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Friction {
    /// F0: λ_t = 0.
    Frictionless,
    /// F1: |λ_t,i| ≤ limit, which does not depend on λ_n \[N·s\].
    FixedBox {
        /// Bound of each tangential impulse \[N·s\].
        limit: f64,
    },
    /// F2: |λ_t,i| ≤ μ λ_n on each axis.
    Pyramid {
        /// Friction coefficient \[-\].
        mu: f64,
    },
    /// F3: ‖λ_t‖ ≤ μ λ_n; w_n is complementary to λ_n, and λ_t dissipates the most energy possible
    /// in its disc.
    Disc {
        /// Friction coefficient \[-\].
        mu: f64,
    },
    /// F5: Coulomb's law as one cone complementarity, K_μ ∋ λ ⊥ w + (μ‖w_t‖, 0) ∈ K_μ*.
    ///
    /// The solutions are those of F3. The residual is different, and so are the methods that solve
    /// one contact exactly.
    Coulomb {
        /// Friction coefficient \[-\].
        mu: f64,
    },
    /// F6: the convex relaxation K_μ ∋ λ ⊥ w ∈ K_μ*; sliding contacts separate with w_n = μ‖w_t‖.
    ConvexCone {
        /// Friction coefficient \[-\].
        mu: f64,
    },
    /// F4: λ_t dissipates the most energy possible in the convex hull of μ λ_n d_i, i = 1 … d. The
    /// directions d_i are evenly spaced, and the first is that of the first tangent (P.10).
    ///
    /// With one tangent the hull is the interval |λ_t| ≤ μ λ_n.
    Facets {
        /// Friction coefficient along the directions d_i \[-\]; between two directions it falls to
        /// μ cos(π/d).
        mu: f64,
        /// Number of directions d \[-\], even, 4 to
        /// [`crate::Polygon::MAX_FACETS`].
        facets: u32,
    },
}

impl Friction {
    /// Bound of each tangent that does not depend on the normal impulse \[N·s\]; zero for the laws
    /// that have none.
    #[inline]
    pub fn limit(&self) -> f64 {
        match *self {
            Self::FixedBox { limit } => limit,
            Self::Frictionless
            | Self::Pyramid { .. }
            | Self::Disc { .. }
            | Self::Coulomb { .. }
            | Self::ConvexCone { .. }
            | Self::Facets { .. } => 0.0,
        }
    }

    /// The parameter of the law: the limit \[N·s\] of a fixed box, otherwise μ \[-\]; zero without
    /// friction.
    pub fn number(&self) -> f64 {
        match self {
            Self::FixedBox { limit } => *limit,
            _ => self.mu(),
        }
    }

    /// True for F0: the tangents stay at zero.
    pub(crate) fn is_frictionless(&self) -> bool {
        *self == Self::Frictionless
    }

    /// The friction coefficient μ \[-\]; zero for the laws that have none.
    #[inline]
    pub fn mu(&self) -> f64 {
        match *self {
            Self::Frictionless | Self::FixedBox { .. } => 0.0,
            Self::Pyramid { mu }
            | Self::Disc { mu }
            | Self::Coulomb { mu }
            | Self::ConvexCone { mu }
            | Self::Facets { mu, .. } => mu,
        }
    }

    fn mu_mut(&mut self) -> Option<&mut f64> {
        match self {
            Self::Frictionless | Self::FixedBox { .. } => None,
            Self::Pyramid { mu }
            | Self::Disc { mu }
            | Self::Coulomb { mu }
            | Self::ConvexCone { mu }
            | Self::Facets { mu, .. } => Some(mu),
        }
    }
}

/// Patch friction of one manifold (P.8): k normal rows, two tangents, one twist; dimension k + 3.
///
/// λ_n,i ≥ 0; ‖λ_t‖ ≤ μ Σ λ_n,i; |λ_twist| ≤ μ Σ levers_i λ_n,i. The tangents and the twist are not
/// coupled.
#[derive(Debug, Clone, PartialEq)]
pub struct Patch {
    /// Friction coefficient \[-\].
    pub mu: f64,
    /// Distance of each contact point from the patch centre \[m\]; one per normal row.
    pub levers: Vec<f64>,
}

/// Coulomb's law with resistance to rolling and spinning at one contact point (P.11): dimension 5,
/// or 6 with spinning.
///
/// λ_n ≥ 0; ‖λ_t‖ ≤ μ λ_n; ‖λ_r‖ ≤ ρ_r λ_n; |λ_s| ≤ ρ_s λ_n. Each friction impulse dissipates the
/// most energy possible in its set. The rolling rows measure the angular velocity of B relative to
/// A about the two tangents, and the spinning row that about the normal \[rad/s\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RollingContact {
    /// Friction coefficient μ \[-\].
    pub mu: f64,
    /// Rolling resistance ρ_r \[m\].
    pub rolling: f64,
    /// Spinning resistance ρ_s \[m\]; without it nothing resists a rotation about the normal, and
    /// there is no row for it.
    pub spinning: Option<f64>,
}

impl RollingContact {
    /// Rows of a block: five, or six with spinning \[-\].
    pub fn rows(&self) -> usize {
        5 + usize::from(self.spinning.is_some())
    }
}

impl Law {
    /// 0 ≤ λ ⊥ w ≥ 0: limits of joints, and frictionless contacts in files.
    pub const UNILATERAL: Self = Self::Bounds {
        lower: 0.0,
        upper: f64::INFINITY,
    };

    /// Allowed range of nonzero friction coefficients \[- | m\], in which squares of their ratios
    /// are finite.
    pub const COEFFICIENTS: RangeInclusive<f64> = 1e-70..=1e70;

    /// The law without its numbers.
    #[inline]
    pub fn kind(&self) -> LawKind {
        match self {
            Self::Equality => LawKind::Equality,
            Self::Bounds { .. } => LawKind::Bounds,
            Self::Contact(Friction::Frictionless) => LawKind::Frictionless,
            Self::Contact(Friction::FixedBox { .. }) => LawKind::FixedBox,
            Self::Contact(Friction::Pyramid { .. }) => LawKind::Pyramid,
            Self::Contact(Friction::Disc { .. }) => LawKind::Disc,
            Self::Contact(Friction::Coulomb { .. }) => LawKind::Coulomb,
            Self::Contact(Friction::ConvexCone { .. }) => LawKind::ConvexCone,
            Self::Contact(Friction::Facets { .. }) => LawKind::Facets,
            Self::Patch(_) => LawKind::Patch,
            Self::Rolling(_) => LawKind::Rolling,
            Self::Scaled(law) => law.entry().kind,
        }
    }

    /// The parameters of the law in the order of its constructor, without the levers of a patch
    /// \[- | m | rad | N·s\].
    pub fn numbers(&self) -> Vec<f64> {
        match self {
            Self::Equality | Self::Contact(Friction::Frictionless) => Vec::new(),
            Self::Bounds { lower, upper } => vec![*lower, *upper],
            Self::Contact(Friction::Facets { mu, facets }) => vec![*mu, f64::from(*facets)],
            Self::Contact(friction) => vec![friction.number()],
            Self::Patch(patch) => vec![patch.mu],
            Self::Rolling(law) => {
                let numbers = [law.mu, law.rolling].into_iter();
                numbers.chain(law.spinning).collect()
            }
            Self::Scaled(law) => law.numbers().to_vec(),
        }
    }

    /// The form of the law, on which code per shape branches.
    #[inline]
    pub fn form(&self) -> LawForm {
        self.kind().form()
    }

    /// The friction coefficient μ \[-\], or the first of several \[- | m\]; zero for the laws that
    /// have none.
    #[inline]
    pub fn mu(&self) -> f64 {
        match self {
            Self::Equality | Self::Bounds { .. } => 0.0,
            Self::Contact(friction) => friction.mu(),
            Self::Patch(patch) => patch.mu,
            Self::Rolling(law) => law.mu,
            Self::Scaled(law) => law.slope(),
        }
    }

    /// The friction coefficient of a law that has exactly one, to change it \[-\].
    pub fn only_mu_mut(&mut self) -> Option<&mut f64> {
        match self {
            Self::Contact(friction) => friction.mu_mut(),
            Self::Patch(patch) => Some(&mut patch.mu),
            Self::Equality | Self::Bounds { .. } | Self::Rolling(_) | Self::Scaled(_) => None,
        }
    }

    /// Bound of each tangent of a contact point that does not depend on the normal impulse \[N·s\];
    /// zero for the laws that have none.
    #[inline]
    pub fn limit(&self) -> f64 {
        match self {
            Self::Contact(friction) => friction.limit(),
            _ => 0.0,
        }
    }

    /// Lower and upper bound of every row of a law without friction \[N·s\] (P.4), infinite for
    /// joints; `None` for contacts.
    #[inline]
    pub fn row_bounds(&self) -> Option<[f64; 2]> {
        match self {
            Self::Equality => Some([f64::NEG_INFINITY, f64::INFINITY]),
            Self::Bounds { lower, upper } => Some([*lower, *upper]),
            _ => None,
        }
    }

    /// True if both are laws of one contact point of the same kind and with the same μ. Their
    /// limits \[N·s\] may differ.
    #[inline]
    pub fn has_friction_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Contact(a), Self::Contact(b)) => {
                a.mu() == b.mu() && std::mem::discriminant(a) == std::mem::discriminant(b)
            }
            _ => false,
        }
    }

    /// Makes the law equal to `other` and keeps its memory.
    pub fn copy_from(&mut self, other: &Self) {
        match (self, other) {
            (Self::Patch(own), Self::Patch(patch)) => {
                own.mu = patch.mu;
                own.levers.clone_from(&patch.levers);
            }
            (Self::Rolling(own), Self::Rolling(rolling)) => **own = **rolling,
            (own, other) => *own = other.clone(),
        }
    }

    /// Distance of each point of a patch from the centre of the patch \[m\]; empty for other laws.
    pub fn levers(&self) -> &[f64] {
        match self {
            Self::Patch(patch) => &patch.levers,
            _ => &[],
        }
    }

    /// Number of leading rows that are not friction. [`crate::Activity::NormalsOnly`] leaves these
    /// rows active.
    ///
    /// `dim` is the number of rows of the block. For equalities and bounds, all rows count.
    pub fn normals(&self, dim: usize) -> usize {
        match self {
            Self::Equality | Self::Bounds { .. } => dim,
            Self::Contact(_) | Self::Rolling(_) | Self::Scaled(_) => 1,
            Self::Patch(patch) => patch.levers.len(),
        }
    }

    /// Number of contact points of a block with the law \[-\]: its normal rows; zero for joints and
    /// bounds.
    pub fn contact_points(&self) -> usize {
        match self {
            Self::Equality | Self::Bounds { .. } => 0,
            Self::Contact(_) | Self::Rolling(_) | Self::Scaled(_) => 1,
            Self::Patch(patch) => patch.levers.len(),
        }
    }

    /// Multiplies every bound in N·s by `factor`, to convert the law to another unit of impulse.
    pub fn scale_impulses(&mut self, factor: f64) {
        match self {
            Self::Bounds { lower, upper } => {
                *lower *= factor;
                *upper *= factor;
            }
            Self::Contact(Friction::FixedBox { limit }) => *limit *= factor,
            Self::Equality
            | Self::Contact(_)
            | Self::Patch(_)
            | Self::Rolling(_)
            | Self::Scaled(_) => {}
        }
    }

    /// True if K does not depend on λ and there is no De Saxcé term, so that the problem is convex
    /// if A is positive semi-definite.
    pub fn is_convex(&self) -> bool {
        // more rows than any block has
        self.factors(usize::MAX).iter().all(Factor::is_convex)
    }
}

/// Consecutive rows that share one law.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Index of the first row.
    pub first_row: usize,
    /// Number of rows \[-\].
    pub dim: usize,
    /// The law that couples the block's impulses and velocities.
    pub law: Law,
    /// Identifier that persists from frame to frame, for warm starting and for reports.
    pub feature: u64,
}

impl Block {
    /// The rows of the block.
    pub fn rows(&self) -> Range<usize> {
        self.first_row..self.first_row + self.dim
    }
}
