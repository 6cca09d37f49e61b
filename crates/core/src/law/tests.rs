//! Projections of factors against closed forms, against a search over the boundary and against
//! slips that are known.

use super::*;
use crate::Polygon;

/// Numbers in \[−1, 1) that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn draw(&mut self) -> f64 {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let bits = (z ^ (z >> 31)) >> 12;
        f64::from_bits(0x4000_0000_0000_0000 | bits) - 3.0
    }

    fn rows(&mut self, count: usize, size: f64) -> Vec<f64> {
        (0..count).map(|_| size * self.draw()).collect()
    }
}

const ELLIPSE: [f64; 2] = [0.2, 0.6];
const OBLATE: [f64; 3] = [1.5, 0.25, 0.75];
/// Sliding, sliding, torsion, rolling, rolling.
const CONDIM_6: [f64; 5] = [0.9, 0.7, 0.01, 0.003, 0.002];
const CONDIM_4: [f64; 3] = [0.8, 0.8, 0.05];

fn set(shape: SetShape, radius: f64, scales: &[f64]) -> AdmissibleSet<'_> {
    AdmissibleSet {
        shape,
        radius,
        scales,
        turn: [1.0, 0.0],
    }
}

/// The set with its axes turned by 0.7 rad.
fn turned(set: AdmissibleSet<'_>) -> AdmissibleSet<'_> {
    let (sine, cosine) = libm::sincos(0.7);
    AdmissibleSet {
        turn: [cosine, sine],
        ..set
    }
}

/// Sets of all shapes, with their numbers of rows.
fn sets() -> Vec<(AdmissibleSet<'static>, usize)> {
    let interval = SetShape::Interval {
        lower: -0.5,
        upper: 1.25,
    };
    vec![
        (set(interval, 1.0, &[]), 1),
        (set(interval, 0.5, &[]), 4),
        (set(SetShape::Ball, 0.75, &[]), 2),
        (set(SetShape::Ball, 0.75, &ELLIPSE), 2),
        (set(SetShape::Ball, 0.4, &OBLATE), 3),
        (set(SetShape::Ball, 1.0, &CONDIM_6), 5),
        (set(SetShape::Polygon(Polygon::new(6)), 0.75, &[]), 2),
        (set(SetShape::Cone, 0.6, &[]), 3),
        (set(SetShape::Cone, 0.6, &[]), 2),
        (set(SetShape::Cone, 1.0, &ELLIPSE), 3),
        (set(SetShape::Cone, 2.0, &ELLIPSE), 3),
        (turned(set(SetShape::Ball, 0.75, &ELLIPSE)), 2),
        (turned(set(SetShape::Cone, 1.5, &ELLIPSE)), 3),
        (set(SetShape::Cone, 1.0, &CONDIM_4), 4),
        (set(SetShape::Cone, 1.0, &CONDIM_6), 6),
    ]
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A point is the nearest one of a convex set exactly where (x − Πx)·(y − Πx) ≤ 0 for every y of
/// the set.
#[test]
fn projections_satisfy_the_inequality_that_defines_them() {
    let mut numbers = Numbers(1);
    for (set, rows) in sets() {
        for _ in 0..200 {
            let x = numbers.rows(rows, 2.0);
            let mut nearest = x.clone();
            set.project(&mut nearest);
            // 1e-13: rounding of numbers of size 2
            assert!(set.contains(&nearest, 1e-13), "{set:?} {x:?} {nearest:?}");
            let rest: Vec<f64> = x.iter().zip(&nearest).map(|(x, p)| x - p).collect();
            let length = dot(&rest, &rest).sqrt();
            assert!((set.distance(&x) - length).abs() < 1e-14, "{set:?} {x:?}");
            assert_eq!(set.contains(&x, 0.0), length == 0.0, "{set:?} {x:?}");
            for _ in 0..50 {
                let mut y = numbers.rows(rows, 3.0);
                set.project(&mut y);
                let to: Vec<f64> = y.iter().zip(&nearest).map(|(y, p)| y - p).collect();
                assert!(dot(&rest, &to) < 1e-12, "{set:?} {x:?} {nearest:?} {y:?}");
            }
        }
    }
}

/// The nearest of many points of the boundary, which does not use the projection.
#[test]
fn ellipses_and_elliptic_cones_agree_with_a_search() {
    const STEPS: u32 = 20_000;
    let directions = || {
        (0..STEPS).map(|i| {
            let angle = std::f64::consts::TAU * f64::from(i) / f64::from(STEPS);
            let (sine, cosine) = libm::sincos(angle);
            [cosine, sine]
        })
    };
    let mut numbers = Numbers(2);
    let (radius, mu) = (0.75, 1.5);
    for _ in 0..20 {
        let x = numbers.rows(2, 2.0);
        let ellipse = set(SetShape::Ball, radius, &ELLIPSE);
        let on_boundary = |d: [f64; 2]| {
            let point = [radius * ELLIPSE[0] * d[0], radius * ELLIPSE[1] * d[1]];
            libm::hypot(point[0] - x[0], point[1] - x[1])
        };
        let best = directions().map(on_boundary).fold(f64::INFINITY, f64::min);
        let found = ellipse.distance(&x);
        // the search is off by the square of half a step of 3e-4 over the distance
        assert!(
            found == 0.0 || (found - best).abs() < 1e-6,
            "{x:?} {found} {best}"
        );
        let x = numbers.rows(3, 2.0);
        let cone = set(SetShape::Cone, mu, &ELLIPSE);
        let on_ray = |d: [f64; 2]| {
            let ray = [1.0, mu * ELLIPSE[0] * d[0], mu * ELLIPSE[1] * d[1]];
            let height = (dot(&ray, &x) / dot(&ray, &ray)).max(0.0);
            let rest: Vec<f64> = ray.iter().zip(&x).map(|(r, x)| height * r - x).collect();
            dot(&rest, &rest).sqrt()
        };
        let best = directions().map(on_ray).fold(f64::INFINITY, f64::min);
        let found = cone.distance(&x);
        assert!(
            found == 0.0 || (found - best).abs() < 1e-6,
            "{x:?} {found} {best}"
        );
    }
}

/// On an axis the nearest point of an ellipse is the end of the axis; a cone is there one of the
/// plane, by hand as in (P.9).
#[test]
fn axes_of_scaled_sets_by_hand() {
    let mut end = [-3.0, 0.0];
    set(SetShape::Ball, 0.5, &ELLIPSE).project(&mut end);
    assert!((end[0] + 0.1).abs() < 1e-15 && end[1] == 0.0, "{end:?}");
    // slope 3 · 0.6: n' = (0.5 + 1.8 · 4)/(1 + 3.24), t' = 1.8 n'
    let mut side = [0.5, 0.0, 4.0];
    set(SetShape::Cone, 3.0, &ELLIPSE).project(&mut side);
    let height = 7.7 / 4.24;
    assert!((side[0] - height).abs() < 1e-14, "{side:?}");
    assert!((side[2] - 1.8 * height).abs() < 1e-14, "{side:?}");
    // equal scales are a circle, also below the apex, and in the polar cone there is nothing
    for x in [
        [0.5, 1.0, -2.0],
        [-0.5, 1.0, -2.0],
        [-9.0, 1.0, 1.0],
        [0.0, 1.0, 2.0],
    ] {
        let (mut scaled, mut round) = (x, x);
        set(SetShape::Cone, 2.0, &[0.25, 0.25]).project(&mut scaled);
        set(SetShape::Cone, 0.5, &[]).project(&mut round);
        for (scaled, round) in scaled.iter().zip(round) {
            assert!((scaled - round).abs() < 1e-14, "{x:?} {scaled} {round}");
        }
    }
    // a row without extent
    let mut flat = [1.0, 5.0, 9.0];
    set(SetShape::Cone, 1.0, &[0.0, 0.5]).project(&mut flat);
    // n' = (1 + 0.5 · 9)/1.25
    assert!((flat[0] - 4.4).abs() < 1e-14 && flat[1] == 0.0, "{flat:?}");
    let mut none = [5.0, 9.0];
    set(SetShape::Ball, 0.0, &ELLIPSE).project(&mut none);
    assert_eq!(none, [0.0, 0.0]);
}

/// Sizes of 10⁻²⁰⁰ and 10²⁰⁰ give the same digits as those of one.
#[test]
fn scaled_sets_have_no_favourite_size() {
    let cone = set(SetShape::Cone, 1.0, &CONDIM_6);
    let x = [0.3, 1.0, -2.0, 0.5, 0.25, -1.0];
    let mut reference = x;
    cone.project(&mut reference);
    for power in [-200.0, 200.0] {
        let size = libm::pow(10.0, power);
        let mut other = x.map(|x| size * x);
        cone.project(&mut other);
        for (other, reference) in other.iter().zip(reference) {
            let error = (other / size - reference).abs();
            assert!(error < 1e-13, "{power} {other} {reference}");
        }
    }
}

/// A mass of 1 kg slides on an ellipse with μ = (0.2, 0.6), W = 1/m and b = (−1, 2, 1) m/s. By a
/// root in extended precision: σ = √Σ μ_i² w_i² = 0.5115135995667 m/s, and the impulses below.
#[test]
fn the_slip_on_an_ellipse_is_a_fixed_point() {
    let impulse = [1.0, -0.145_055_353_236_7, -0.413_074_449_072_3];
    let velocity = [0.0, 1.854_944_646_763, 0.586_925_550_927_7];
    let sigma = 0.511_513_599_566_7;
    let radius = Radius::Linear {
        coefficient: 1.0,
        first: 0,
        count: 1,
    };
    let tangents = Factor::friction(1..3, SetShape::Ball, radius).scaled(&ELLIPSE);
    let cone = Factor::cone(0..3, 1.0, true).scaled(&ELLIPSE);
    assert!((cone.de_saxce_term(&velocity) - sigma).abs() < 1e-12);
    // friction dissipates the most that the ellipse allows
    let power = -dot(&impulse[1..], &velocity[1..]);
    assert!((tangents.set_at(&impulse).support(&velocity[1..]) - power).abs() < 1e-12);
    for step in [0.1, 1.0, 7.0] {
        let mut disc = impulse;
        for row in 1..3 {
            disc[row] -= step * velocity[row];
        }
        let mut whole = disc;
        whole[0] -= step * (velocity[0] + cone.de_saxce_term(&velocity));
        tangents.project(&mut disc);
        cone.project(&mut whole);
        for row in 0..3 {
            // 1e-11: thirteen digits of the impulses, times a step of 7
            assert!((disc[row] - impulse[row]).abs() < 1e-11, "{step} {disc:?}");
            assert!(
                (whole[row] - impulse[row]).abs() < 1e-11,
                "{step} {whole:?}"
            );
        }
    }
}

/// A contact with torsional friction alone: λ_τ = −ρ λ_n against the spin, whatever the step.
#[test]
fn torsional_friction_is_an_interval_beside_a_normal() {
    // a uniform disc of 3 cm with μ = 0.5: ρ = 2/3 · 0.5 · 0.03 m
    let rho = 0.01;
    let radius = Radius::Linear {
        coefficient: rho,
        first: 0,
        count: 1,
    };
    let sides = SetShape::Interval {
        lower: -1.0,
        upper: 1.0,
    };
    let twist = Factor::friction(1..2, sides, radius);
    for spin in [2.0, -2.0] {
        let mut moved = [4.0, -0.7 * spin];
        twist.project(&mut moved);
        assert_eq!(moved, [4.0, -0.04 * spin.signum()]);
        assert!(twist.contains(&moved, 0.0) && twist.distance(&[4.0, 0.05]) - 0.01 < 1e-16);
    }
    assert_eq!(twist.depends_on(), 0..1);
}

fn laws() -> Vec<(Law, usize)> {
    vec![
        (Law::Equality, 6),
        (Law::bounds(-0.25, 1.5), 3),
        (Law::UNILATERAL, 1),
        (Law::frictionless(), 3),
        (Law::fixed_box(0.5), 3),
        (Law::pyramid(0.5), 3),
        (Law::pyramid(0.5), 2),
        (Law::disc(0.75), 3),
        (Law::disc(0.75), 2),
        (Law::coulomb(0.75), 3),
        (Law::convex_cone(0.75), 2),
        (Law::facets(0.5, 8), 3),
        (Law::facets(0.5, 8), 2),
        (Law::patch(0.5, vec![0.5, 0.25, 0.75]), 6),
        (Law::rolling(0.5, 0.125, Some(0.0625)), 6),
        (Law::rolling(0.5, 0.125, None), 5),
        (Law::anisotropic([0.25, 0.75], 0.5), 3),
        (Law::elliptic_cone(&ELLIPSE), 3),
        (Law::torsional(0.125), 2),
        (Law::elliptic_cone(&CONDIM_4), 4),
        (Law::elliptic_cone(&CONDIM_6), 6),
        (Law::elliptic_cone(&[0.5; 5]), 6),
    ]
}

#[test]
fn factors_cover_every_row_once_and_follow_earlier_rows() {
    for (law, dim) in laws() {
        for active in [0, law.normals(dim), dim] {
            let mut next = 0;
            for factor in law.factors(active) {
                assert_eq!(factor.first, next, "{law:?} {active}");
                assert!(factor.depends_on().end <= factor.first, "{law:?}");
                next = factor.rows().end;
            }
            assert_eq!(next, active, "{law:?}");
        }
        let fixed = law.factors(dim).iter().all(Factor::is_convex);
        assert_eq!(law.is_convex(), fixed, "{law:?}");
    }
}

/// The laws of (P.4)–(P.11), written out once more.
fn admits(law: &Law, x: &[f64]) -> bool {
    let n = x[0];
    let length = |t: &[f64]| dot(t, t).sqrt();
    match law {
        Law::Equality => true,
        Law::Bounds { lower, upper } => x.iter().all(|x| x >= lower && x <= upper),
        Law::Contact(Friction::Frictionless) => n >= 0.0 && x[1..].iter().all(|t| *t == 0.0),
        Law::Contact(Friction::FixedBox { limit }) => {
            n >= 0.0 && x[1..].iter().all(|t| t.abs() <= *limit)
        }
        Law::Contact(Friction::Pyramid { mu }) => {
            n >= 0.0 && x[1..].iter().all(|t| t.abs() <= mu * n)
        }
        Law::Contact(
            Friction::Disc { mu } | Friction::Coulomb { mu } | Friction::ConvexCone { mu },
        ) => n >= 0.0 && length(&x[1..]) <= mu * n,
        Law::Contact(Friction::Facets { mu, facets }) => {
            let inside = match x[1..] {
                [t, s] => (0..*facets).all(|i| {
                    let angle = std::f64::consts::PI * f64::from(2 * i + 1) / f64::from(*facets);
                    let (sine, cosine) = libm::sincos(angle);
                    let apothem = libm::cos(std::f64::consts::PI / f64::from(*facets));
                    t * cosine + s * sine <= mu * n * apothem
                }),
                _ => x[1].abs() <= mu * n,
            };
            n >= 0.0 && inside
        }
        Law::Patch(patch) => {
            let k = patch.levers.len();
            x[..k].iter().all(|n| *n >= 0.0)
                && length(&x[k..k + 2]) <= patch.mu * x[..k].iter().sum::<f64>()
                && x[k + 2].abs() <= patch.mu * dot(&x[..k], &patch.levers)
        }
        Law::Rolling(rolling) => {
            n >= 0.0
                && length(&x[1..3]) <= rolling.mu * n
                && length(&x[3..5]) <= rolling.rolling * n
                && rolling.spinning.is_none_or(|spin| x[5].abs() <= spin * n)
        }
        Law::Scaled(law) => {
            let mu = law.numbers();
            let gauge = |t: &[f64]| {
                let parts = t.iter().zip(mu).map(|(t, mu)| t / mu);
                length(&parts.collect::<Vec<_>>())
            };
            let bound = match law.entry().kind {
                LawKind::Anisotropic => {
                    let (sine, cosine) = libm::sincos(mu[2]);
                    gauge(&[cosine * x[1] + sine * x[2], cosine * x[2] - sine * x[1]])
                }
                _ => gauge(&x[1..]),
            };
            n >= 0.0 && bound <= n
        }
    }
}

#[test]
fn factors_admit_what_their_law_admits() {
    let mut numbers = Numbers(3);
    let (mut inside, mut outside) = (0, 0);
    for (law, dim) in laws() {
        let factors = law.factors(dim);
        for size in [0.1, 1.0] {
            for _ in 0..200 {
                let mut x = numbers.rows(dim, size);
                x[0] = x[0].abs() + size;
                let admitted = factors.iter().all(|factor| factor.contains(&x, 0.0));
                assert_eq!(admitted, admits(&law, &x), "{law:?} {x:?}");
                let distance = factors.iter().map(|f| f.distance(&x)).fold(0.0, f64::max);
                assert_eq!(admitted, distance == 0.0, "{law:?} {x:?}");
                inside += u32::from(admitted);
                outside += u32::from(!admitted);
                for factor in factors {
                    factor.project(&mut x);
                }
                // 1e-13: rounding over a scale of 0.002
                assert!(factors.iter().all(|factor| factor.contains(&x, 1e-13)));
            }
        }
    }
    assert!(inside > 500 && outside > 500, "{inside} {outside}");
}

#[test]
fn coulomb_and_disc_turn_into_each_other() {
    for dim in [2, 3] {
        let (coulomb, disc) = (Law::coulomb(0.375), Law::disc(0.375));
        let [cone, parts] = [coulomb.factors(dim), disc.factors(dim)];
        assert_eq!(*cone.in_disc_form(), *parts);
        assert_eq!(*parts.in_cone_form(), *cone);
        assert_eq!(*parts.in_disc_form(), *parts);
    }
    // parts of other laws are no cones
    for (law, dim) in laws() {
        let is_coulomb = matches!(law.kind().form(), LawForm::CoulombCone | LawForm::Ball);
        let turned = law.factors(dim).in_cone_form();
        assert_eq!(turned.iter().any(|f| f.de_saxce), is_coulomb, "{law:?}");
    }
}

#[test]
fn lists_keep_factors_as_they_are() {
    let mut list = FactorList::default();
    for round in 0..2 {
        list.clear();
        let laws = laws();
        for (law, dim) in &laws[round..] {
            for factor in law.factors(*dim) {
                list.push(factor.scaled(if dim % 2 == 0 { &ELLIPSE } else { &[] }));
            }
        }
        let expected = laws[round..].iter().flat_map(|(law, dim)| {
            let scales: &[f64] = if dim % 2 == 0 { &ELLIPSE } else { &[] };
            law.factors(*dim).into_iter().map(|f| f.scaled(scales))
        });
        assert!(list.slice(0..list.len()).eq(expected));
    }
}

#[test]
fn numbers_and_levers_are_those_of_the_constructor() {
    let patch = Law::patch(0.5, vec![0.1, 0.2]);
    assert_eq!(patch.numbers(), [0.5]);
    assert_eq!(patch.levers(), [0.1, 0.2]);
    assert_eq!(Law::facets(0.3, 8).numbers(), [0.3, 8.0]);
    assert_eq!(Law::rolling(0.3, 0.02, None).numbers(), [0.3, 0.02]);
    assert_eq!(
        Law::rolling(0.3, 0.02, Some(0.01)).numbers(),
        [0.3, 0.02, 0.01]
    );
    assert_eq!(Law::bounds(-1.0, 2.0).numbers(), [-1.0, 2.0]);
    assert_eq!(Law::fixed_box(3.0).numbers(), [3.0]);
    assert!(Law::Equality.numbers().is_empty() && Law::coulomb(1.0).levers().is_empty());
}

#[test]
fn single_factors_have_the_numbers_of_their_law() {
    for (law, dim) in laws() {
        let factors = law.factors(dim).in_disc_form();
        let single = law.single_factor(dim);
        let Some(last) = factors
            .last()
            .filter(|last| single.is_some_and(|own| own == **last))
        else {
            assert!(
                single.is_none() && factors.iter().all(|f| f.len < dim || !f.scales.is_empty())
            );
            continue;
        };
        assert_eq!(factors.iter().map(|factor| factor.len).sum::<usize>(), dim);
        let (fixed, coefficient) = (last.radius.fixed(), last.radius.coefficient());
        match last.shape {
            SetShape::Interval { lower, upper } if last.first == 0 => {
                let bounds = law.row_bounds().unwrap_or([0.0, f64::INFINITY]);
                assert_eq!([lower, upper], bounds, "{law:?}");
            }
            SetShape::Cone => assert_eq!([fixed, coefficient], [law.mu(), 0.0], "{law:?}"),
            _ => assert_eq!([fixed, coefficient], [law.limit(), law.mu()], "{law:?}"),
        }
        let has_polygon = law.form() == LawForm::Polygon;
        assert_eq!(law.polygon().is_some(), has_polygon, "{law:?}");
    }
}

#[test]
fn a_copied_law_is_equal_and_has_one_coefficient_to_change() {
    let mut own = Law::patch(0.5, vec![0.1, 0.2]);
    for (law, _) in laws() {
        own.copy_from(&law);
        assert_eq!(own, law);
        if let Some(mu) = own.only_mu_mut() {
            *mu += 1.0;
            assert!(own != law && own.mu() == law.mu() + 1.0, "{law:?}");
            assert!(!own.has_friction_of(&law), "{law:?}");
        }
    }
}
