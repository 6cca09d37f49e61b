//! The known laws: how each is built, and its factors.

use super::factor::{Factor, Factors, Radius};
use super::scaled::{FrictionRow, ScaledKind, ScaledLaw};
use super::set::SetShape;
use super::{Friction, Law, LawKind, Patch, RollingContact};
use crate::Polygon;

/// Both sides of a row of friction, over its radius.
const SYMMETRIC: SetShape = SetShape::SYMMETRIC;

/// The scaled laws (P.20): a new one needs an entry here and a [`LawKind`].
const SCALED: &[ScaledKind] = &[ANISOTROPIC, ELLIPTIC_CONE, TORSIONAL];

const ANISOTROPIC: ScaledKind = ScaledKind {
    kind: LawKind::Anisotropic,
    rows: &[FrictionRow::Slide, FrictionRow::SecondSlide],
    dims: &[3],
    turned: true,
};

const ELLIPTIC_CONE: ScaledKind = ScaledKind {
    kind: LawKind::EllipticCone,
    rows: &[
        FrictionRow::Slide,
        FrictionRow::SecondSlide,
        FrictionRow::Spin,
        FrictionRow::Roll,
        FrictionRow::SecondRoll,
    ],
    dims: &[3, 4, 6],
    turned: false,
};

const TORSIONAL: ScaledKind = ScaledKind {
    kind: LawKind::Torsional,
    rows: &[FrictionRow::Spin],
    dims: &[2],
    turned: false,
};

impl LawKind {
    /// The numbers of rows that a block with the law may have \[-\]. Empty for equalities and
    /// bounds, where any number is allowed, and for patches, where the manifold determines it.
    pub fn rows(self) -> &'static [usize] {
        match self {
            Self::Equality | Self::Bounds | Self::Patch => &[],
            Self::Frictionless => &[1, 2, 3],
            Self::FixedBox
            | Self::Pyramid
            | Self::Disc
            | Self::Coulomb
            | Self::ConvexCone
            | Self::Facets => &[2, 3],
            Self::Rolling => &[5, 6],
            kind => ScaledKind::of(kind).map_or(&[], |entry| entry.dims),
        }
    }
}

impl ScaledKind {
    /// The description of a scaled law; `None` for other laws.
    pub fn of(kind: LawKind) -> Option<&'static Self> {
        SCALED.iter().find(|entry| entry.kind == kind)
    }
}

/// A radius that follows the first `count` rows.
const fn follows(coefficient: f64, count: usize) -> Radius {
    Radius::Linear {
        coefficient,
        first: 0,
        count,
    }
}

/// Coulomb's cone as a ball of friction (P.6); other factors as they are.
#[inline]
const fn in_disc_form(factor: Factor<'_>) -> Factor<'_> {
    if factor.de_saxce {
        factor.friction_of_cone()
    } else {
        factor
    }
}

impl Law {
    /// λ in \[lower, upper\] for every row \[N·s\] (P.4).
    pub const fn bounds(lower: f64, upper: f64) -> Self {
        Self::Bounds { lower, upper }
    }

    /// F0: a contact point without friction.
    pub const fn frictionless() -> Self {
        Self::Contact(Friction::Frictionless)
    }

    /// F1: a friction box of fixed size \[N·s\] (P.5).
    pub const fn fixed_box(limit: f64) -> Self {
        Self::Contact(Friction::FixedBox { limit })
    }

    /// F2: a friction pyramid with coefficient `mu` \[-\] (P.5).
    pub const fn pyramid(mu: f64) -> Self {
        Self::Contact(Friction::Pyramid { mu })
    }

    /// F3: Coulomb's law with coefficient `mu` \[-\], as a normal row and a disc (P.6).
    pub const fn disc(mu: f64) -> Self {
        Self::Contact(Friction::Disc { mu })
    }

    /// F4: friction in a regular polygon with `facets` corners and coefficient `mu` \[-\] (P.10).
    pub const fn facets(mu: f64, facets: u32) -> Self {
        Self::Contact(Friction::Facets { mu, facets })
    }

    /// F5: Coulomb's law with coefficient `mu` \[-\], as one cone (P.6).
    pub const fn coulomb(mu: f64) -> Self {
        Self::Contact(Friction::Coulomb { mu })
    }

    /// F6: the convex cone with coefficient `mu` \[-\] (P.7).
    pub const fn convex_cone(mu: f64) -> Self {
        Self::Contact(Friction::ConvexCone { mu })
    }

    /// Friction of one manifold with coefficient `mu` \[-\] and the distance of each of its points
    /// from the centre \[m\] (P.8).
    pub fn patch(mu: f64, levers: Vec<f64>) -> Self {
        Self::Patch(Box::new(Patch { mu, levers }))
    }

    /// F8: Coulomb's law with coefficient `mu` \[-\], resistance to rolling \[m\] and, optionally,
    /// to spinning \[m\] (P.11).
    pub fn rolling(mu: f64, rolling: f64, spinning: Option<f64>) -> Self {
        Self::Rolling(Box::new(RollingContact {
            mu,
            rolling,
            spinning,
        }))
    }

    /// F9: Coulomb's law with the coefficients `mu` \[-\] along two perpendicular directions. The
    /// first is at `angle` \[rad\] from the first tangent (P.21).
    pub fn anisotropic(mu: [f64; 2], angle: f64) -> Self {
        let numbers = vec![mu[0], mu[1], angle];
        Self::Scaled(Box::new(ScaledLaw::new(&ANISOTROPIC, numbers)))
    }

    /// F10: the convex cone with one coefficient per friction row. Pass two coefficients (both for
    /// sliding \[-\]), three (also torsion \[m\]) or five (also two for rolling \[m\]) (P.22).
    pub fn elliptic_cone(coefficients: &[f64]) -> Self {
        let numbers = coefficients.to_vec();
        Self::Scaled(Box::new(ScaledLaw::new(&ELLIPTIC_CONE, numbers)))
    }

    /// F11: a contact point that resists only rotation about its normal; its torque is at most
    /// `rho` \[m\] times the normal impulse (P.23).
    pub fn torsional(rho: f64) -> Self {
        Self::Scaled(Box::new(ScaledLaw::new(&TORSIONAL, vec![rho])))
    }

    /// A scaled law (P.20) on a block of `dim` rows, with the first [`ScaledKind::numbers`] entries
    /// of `numbers`. `None` for a kind that is not scaled. If `numbers` is too short, validation of
    /// a problem with the law fails.
    pub fn scaled(kind: LawKind, dim: usize, numbers: &[f64]) -> Option<Self> {
        let entry = ScaledKind::of(kind)?;
        let own = &numbers[..entry.numbers(dim).min(numbers.len())];
        Some(Self::Scaled(Box::new(ScaledLaw::new(entry, own.to_vec()))))
    }

    /// The factors of the first `active` rows of a block, in row order (P.16). `active` is the
    /// number of all rows, or [`Self::normals`] if friction is inactive.
    pub fn factors(&self, active: usize) -> Factors<'_> {
        let mut out = Factors::NONE;
        self.for_each_factor(active, |factor| out.push(factor));
        out
    }

    /// The factor of a law that has one, or the one that follows the single normal row of a contact
    /// point; Coulomb's law is in its disc form (P.6). `None` for other laws, and for factors that
    /// are not round.
    ///
    /// Code with one branch per shape takes this factor and leaves the other laws to lists of
    /// factors.
    #[inline]
    pub fn single_factor(&self, dim: usize) -> Option<Factor<'_>> {
        match self {
            _ if dim == 0 => None,
            Self::Equality => Some(Factor::bounded(0..dim, f64::NEG_INFINITY, f64::INFINITY)),
            Self::Bounds { lower, upper } => Some(Factor::bounded(0..dim, *lower, *upper)),
            Self::Contact(friction) => Some(in_disc_form(friction.factor(dim))),
            Self::Patch(_) | Self::Rolling(_) | Self::Scaled(_) => self.single_of_list(dim),
        }
    }

    fn single_of_list(&self, dim: usize) -> Option<Factor<'_>> {
        let (mut count, mut last) = (0, None);
        self.for_each_factor(dim, |factor| {
            count += 1;
            last = Some(factor);
        });
        let factor = last.filter(|factor| factor.scales.is_empty())?;
        let single = count == 1 || count == 2 && factor.with_normal;
        single.then(|| in_disc_form(factor))
    }

    /// The polygon of friction in two tangents (P.10); `None` for laws without one.
    pub fn polygon(&self) -> Option<Polygon> {
        match self.single_factor(3)?.shape {
            SetShape::Polygon(polygon) => Some(polygon),
            _ => None,
        }
    }

    /// Calls `call` with every factor of [`Self::factors`], without storing them.
    #[inline]
    pub fn for_each_factor<'a>(&'a self, active: usize, mut call: impl FnMut(Factor<'a>)) {
        match self {
            _ if active == 0 => {}
            Self::Equality => {
                call(Factor::bounded(0..active, f64::NEG_INFINITY, f64::INFINITY));
            }
            Self::Bounds { lower, upper } => call(Factor::bounded(0..active, *lower, *upper)),
            Self::Contact(friction) => friction.for_each_factor(active, call),
            Self::Patch(patch) => patch.for_each_factor(active, call),
            Self::Rolling(rolling) => rolling.for_each_factor(active, call),
            Self::Scaled(law) => law.for_each_factor(active, call),
        }
    }
}

impl Friction {
    /// Shape of the set of friction impulses on a block of `dim` rows. For Coulomb's law this is
    /// the ball of its disc form (P.6). The cone of [`Friction::ConvexCone`] also contains the
    /// normal row.
    #[inline]
    pub(super) fn shape(&self, dim: usize) -> SetShape {
        match *self {
            Self::Disc { .. } | Self::Coulomb { .. } => SetShape::Ball,
            Self::ConvexCone { .. } => SetShape::Cone,
            // the hull of two directions on a line is an interval
            Self::Facets { facets, .. } if dim != 2 => SetShape::Polygon(Polygon::new(facets)),
            _ => SYMMETRIC,
        }
    }

    /// The factor of the friction rows, of the cone that also contains the normal row, or of the
    /// normal row alone.
    #[inline]
    fn factor(&self, active: usize) -> Factor<'static> {
        let radius = match *self {
            _ if active == 1 => return Factor::normals(0..1),
            Self::Coulomb { mu } => return Factor::cone(0..active, mu, true),
            Self::ConvexCone { mu } => return Factor::cone(0..active, mu, false),
            Self::Frictionless | Self::FixedBox { .. } => Radius::Fixed(self.limit()),
            Self::Pyramid { mu } | Self::Disc { mu } | Self::Facets { mu, .. } => follows(mu, 1),
        };
        Factor {
            with_normal: true,
            ..Factor::friction(1..active, self.shape(active), radius)
        }
    }

    fn for_each_factor<'a>(&'a self, active: usize, mut call: impl FnMut(Factor<'a>)) {
        let factor = self.factor(active);
        if factor.first == 1 {
            call(Factor::normals(0..1));
        }
        call(factor);
    }
}

impl Patch {
    fn for_each_factor<'a>(&'a self, active: usize, mut call: impl FnMut(Factor<'a>)) {
        let points = self.levers.len();
        call(Factor::normals(0..points.min(active)));
        if active <= points {
            return;
        }
        let (tangents, twist) = (points..points + 2, points + 2..points + 3);
        let radius = follows(self.mu, points);
        call(Factor::friction(tangents, SetShape::Ball, radius));
        call(Factor {
            weights: &self.levers,
            ..Factor::friction(twist, SYMMETRIC, radius)
        });
    }
}

impl RollingContact {
    fn for_each_factor<'a>(&'a self, active: usize, mut call: impl FnMut(Factor<'a>)) {
        call(Factor::normals(0..1));
        if active == 1 {
            return;
        }
        for (first, coefficient) in [(1, self.mu), (3, self.rolling)] {
            let radius = follows(coefficient, 1);
            call(Factor::friction(first..first + 2, SetShape::Ball, radius));
        }
        if let Some(spinning) = self.spinning {
            call(Factor::friction(5..6, SYMMETRIC, follows(spinning, 1)));
        }
    }
}
