//! The impulse of a contact over what its law allows.

use core::f64::consts::TAU;

use delassus_core::{Factor, Law, Polygon, SetShape};

use crate::numbers::count;

/// The impulse of a contact at the end of a solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactImpulse {
    /// Along the normals \[N·s\].
    pub normal: f64,
    /// Its friction; `None` for a law without friction.
    pub friction: Option<FrictionImpulse>,
}

/// Friction of a contact over what its law allows at its normal impulses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrictionImpulse {
    /// The first two rows, along the axes of the law and over its limits there \[-\]; the second is
    /// zero where there is one row. Not finite where the limits are zero.
    pub place: [f64; 2],
    /// Share of the limit that all rows together take: 1 at the limit \[-\].
    pub share: f64,
    /// What the law allows of the two rows.
    pub outline: SliceOutline,
}

/// What a law allows of two rows of friction, over its limits (P.5)–(P.8), (P.10), (P.20).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SliceOutline {
    /// One row.
    Segment,
    /// Each row by itself.
    Square,
    /// Both together.
    Disc,
    /// A polygon with its corners on the circle.
    Polygon(Polygon),
}

impl ContactImpulse {
    /// The contact of a block with its impulses; `None` for joints and bounds. A law with several
    /// sets of friction shows the first: of F8 and of a patch the tangents.
    pub fn of(law: &Law, impulses: &[f64]) -> Option<Self> {
        let normals = impulses.get(..law.contact_points())?;
        if normals.is_empty() {
            return None;
        }
        let factors = law.factors(impulses.len()).into_iter();
        let mut factors = factors.map(|factor| match factor.shape {
            SetShape::Cone => factor.friction_of_cone(),
            _ => factor,
        });
        let friction = factors.find(Factor::has_friction);
        Some(Self {
            normal: normals.iter().sum(),
            friction: friction.map(|factor| FrictionImpulse::of(&factor, impulses)),
        })
    }
}

impl FrictionImpulse {
    fn of(factor: &Factor<'_>, impulses: &[f64]) -> Self {
        let radius = factor.radius_at(impulses);
        let mut rows = impulses[factor.rows()].to_vec();
        let [cosine, sine] = factor.turn;
        if let [first, second, ..] = rows.as_mut_slice() {
            (*first, *second) = (
                cosine * *first + sine * *second,
                cosine * *second - sine * *first,
            );
        }
        let scales = factor.scales.iter().chain(std::iter::repeat(&1.0));
        let rows = rows.iter().zip(scales);
        let rows: Vec<f64> = rows.map(|(row, scale)| row / (scale * radius)).collect();
        let place = [0, 1].map(|row| rows.get(row).copied().unwrap_or_default());
        let largest = rows.iter().fold(0.0, |most: f64, row| most.max(row.abs()));
        let (share, outline) = match factor.shape {
            SetShape::Polygon(polygon) => (gauge(polygon, place), SliceOutline::Polygon(polygon)),
            _ if rows.len() == 1 => (largest, SliceOutline::Segment),
            SetShape::Interval { .. } => (largest, SliceOutline::Square),
            SetShape::Ball | SetShape::Cone => {
                let norm = rows.iter().fold(0.0, |norm, row| libm::hypot(norm, *row));
                (norm, SliceOutline::Disc)
            }
        };
        Self {
            place,
            share,
            outline,
        }
    }
}

/// How much of a polygon a point takes: 1 on its sides \[-\].
fn gauge(polygon: Polygon, [x, y]: [f64; 2]) -> f64 {
    let normals = (0..polygon.facets()).map(|side| polygon.normal(side));
    let along = normals.map(|[a, b]| a * x + b * y);
    along.fold(0.0, f64::max) / polygon.apothem()
}

impl SliceOutline {
    /// Corners of the outline, of a circle many \[-\].
    pub fn corners(self) -> Vec<(f64, f64)> {
        match self {
            Self::Segment => vec![(-1.0, 0.0), (1.0, 0.0)],
            Self::Square => vec![(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)],
            Self::Disc => around(96),
            Self::Polygon(polygon) => around(polygon.facets()),
        }
    }
}

fn around(corners: u32) -> Vec<(f64, f64)> {
    let at = |corner: u32| {
        let angle = TAU * f64::from(corner) / count(u64::from(corners));
        (libm::cos(angle), libm::sin(angle))
    };
    (0..corners).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn friction(law: &Law, impulses: &[f64]) -> FrictionImpulse {
        let contact = ContactImpulse::of(law, impulses).unwrap();
        contact.friction.unwrap()
    }

    /// Two rows at the limit of the law, its share, and its outline.
    #[test]
    fn every_law_of_contacts_has_a_slice() {
        let half = Polygon::new(4);
        for (law, impulses, share, outline) in [
            (
                Law::fixed_box(0.4),
                vec![2.0, 0.2, -0.4],
                1.0,
                SliceOutline::Square,
            ),
            (
                Law::pyramid(0.5),
                vec![2.0, 0.5, -0.25],
                0.5,
                SliceOutline::Square,
            ),
            (
                Law::pyramid(0.5),
                vec![2.0, -0.75],
                0.75,
                SliceOutline::Segment,
            ),
            (Law::disc(0.5), vec![2.0, 0.6, 0.8], 1.0, SliceOutline::Disc),
            (
                Law::coulomb(0.5),
                vec![2.0, 0.3, 0.4],
                0.5,
                SliceOutline::Disc,
            ),
            (
                Law::convex_cone(0.5),
                vec![2.0, 1.0, 0.0],
                1.0,
                SliceOutline::Disc,
            ),
            (
                Law::facets(0.5, 4),
                vec![2.0, 0.5, 0.5],
                1.0,
                SliceOutline::Polygon(half),
            ),
            // the weight of both points bounds the tangents of a patch
            (
                Law::patch(0.25, vec![0.1, 0.1]),
                vec![3.0, 1.0, 0.6, 0.8, 0.0],
                1.0,
                SliceOutline::Disc,
            ),
            (
                Law::rolling(0.5, 0.1, None),
                vec![2.0, 0.0, 0.25, 0.2, 0.0],
                0.25,
                SliceOutline::Disc,
            ),
            // along its axes the ellipse has the limits 2 · 0.3 and 2 · 0.8
            (
                Law::anisotropic([0.3, 0.8], 0.0),
                vec![2.0, 0.36, 1.28],
                1.0,
                SliceOutline::Disc,
            ),
            (
                Law::elliptic_cone(&[0.3, 0.8]),
                vec![2.0, 0.0, 0.8],
                0.5,
                SliceOutline::Disc,
            ),
            // torsion takes √(1 − 0.36) of what sliding leaves
            (
                Law::elliptic_cone(&[0.5, 0.5, 0.05]),
                vec![2.0, 0.6, 0.0, 0.08],
                1.0,
                SliceOutline::Disc,
            ),
            (
                Law::torsional(0.05),
                vec![2.0, -0.05],
                0.5,
                SliceOutline::Segment,
            ),
        ] {
            let found = friction(&law, &impulses);
            assert!((found.share - share).abs() < 1e-12, "{law:?}: {found:?}");
            assert_eq!(found.outline, outline, "{law:?}");
        }
        // turned by a right angle, the first axis is the second tangent
        let turned = Law::anisotropic([0.3, 0.8], 0.5 * core::f64::consts::PI);
        let found = friction(&turned, &[1.0, -0.4, 0.15]);
        let off = |at: usize, value: f64| (found.place[at] - value).abs();
        assert!(off(0, 0.5) < 1e-12 && off(1, 0.5) < 1e-12, "{found:?}");
    }

    #[test]
    fn joints_have_no_slice_and_frictionless_contacts_no_friction() {
        assert_eq!(ContactImpulse::of(&Law::Equality, &[1.0, 2.0, 3.0]), None);
        assert_eq!(ContactImpulse::of(&Law::UNILATERAL, &[1.0]), None);
        let smooth = ContactImpulse::of(&Law::frictionless(), &[1.5, 0.0, 0.0]).unwrap();
        assert_eq!((smooth.normal, smooth.friction), (1.5, None));
        // without a normal impulse there is no place
        let open = friction(&Law::disc(0.5), &[0.0, 0.0, 0.0]);
        assert!(open.place[0].is_nan());
    }

    #[test]
    fn every_corner_of_an_outline_is_at_the_limit() {
        for law in [
            Law::disc(1.0),
            Law::facets(1.0, 4),
            Law::facets(1.0, 10),
            Law::pyramid(1.0),
        ] {
            let outline = friction(&law, &[1.0, 0.0, 0.0]).outline;
            for (x, y) in outline.corners() {
                let share = friction(&law, &[1.0, x, y]).share;
                assert!((share - 1.0).abs() < 1e-12, "{law:?}");
            }
        }
    }
}
