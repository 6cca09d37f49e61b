//! The exact solution on a circle: known cases, bounds and degenerate matrices.

use super::*;

#[test]
fn disc_of_an_isotropic_matrix_is_a_radial_projection() {
    // S = 2I, s = −2 (3, 4): unconstrained t = (3, 4); radius 1 gives (0.6, 0.8) with α = 2·5 −
    // 2
    let tangential = Tangential::new([[2.0, 0.0], [0.0, 2.0]]);
    let (t, alpha) = solve_disc(&tangential, [-6.0, -8.0], 1.0, 0.0).unwrap();
    assert!((t[0] - 0.6).abs() < 1e-15 && (t[1] - 0.8).abs() < 1e-15);
    assert!((alpha - 8.0).abs() < 1e-14);
    assert_eq!(
        solve_disc(&tangential, [-6.0, -8.0], 5.5, 0.0),
        Some(([3.0, 4.0], 0.0))
    );
}

#[test]
fn disc_of_an_anisotropic_matrix_slides_against_its_velocity() {
    let s = [[1.0, 0.2], [0.2, 4.0]];
    let tangential = Tangential::new(s);
    let q = [-3.0, 2.0];
    for guess in [0.0, 1.0, 100.0] {
        let (t, alpha) = solve_disc(&tangential, q, 0.5, guess).unwrap();
        assert!((length(t) - 0.5).abs() < 1e-15);
        // w = −α t to rounding of w, whose terms are of size 4
        let w = [
            s[0][0] * t[0] + s[0][1] * t[1] + q[0],
            s[1][0] * t[0] + s[1][1] * t[1] + q[1],
        ];
        assert!((w[0] + alpha * t[0]).abs() < 4e-15, "{w:?}");
        assert!((w[1] + alpha * t[1]).abs() < 4e-15, "{w:?}");
    }
}

#[test]
fn a_guess_from_the_solution_is_its_multiplier() {
    let s = [[1.5, 0.25], [0.75, 4.0]];
    let tangential = Tangential::new(s);
    for (t, alpha) in [
        ([0.5, -2.0], 0.75),
        ([-3.0, 0.25], 6.0),
        ([1.5, 2.0], 0.125),
    ] {
        let q = [
            -(s[0][0] + alpha) * t[0] - s[0][1] * t[1],
            -s[1][0] * t[0] - (s[1][1] + alpha) * t[1],
        ];
        assert!((tangential.rayleigh(q, t) - alpha).abs() < 1e-14);
        // of another length in the same direction it is that of the force there
        let doubled = tangential.rayleigh(q, [2.0 * t[0], 2.0 * t[1]]);
        let along = s[0][0] * t[0] * t[0] + (s[0][1] + s[1][0]) * t[0] * t[1];
        let stretch = (along + s[1][1] * t[1] * t[1]) / (t[0] * t[0] + t[1] * t[1]);
        assert!((doubled - (0.5 * (alpha - stretch)).max(0.0)).abs() < 1e-14);
    }
    // a force that pulls along t would need a negative one, and no t has none
    assert_eq!(tangential.rayleigh([9.0, 9.0], [1.0, 1.0]), 0.0);
    assert_eq!(tangential.rayleigh([9.0, 9.0], [0.0, 0.0]), 0.0);
}

#[test]
fn the_upper_bound_is_where_the_quadratic_meets_the_line() {
    // c₀ + c₁α + c₂α² = a + sα with the larger root planted at 3 and the other at −2 or 1
    for (other, c_2) in [
        (-2.0, 1.0),
        (1.0, 0.5),
        (-0.5, 3.0),
        (2.0, 4.0),
        (-5.0, 2.0),
    ] {
        for (a, s) in [(0.5, 2.0), (4.0, 0.25), (7.0, 6.0)] {
            let c = [a + c_2 * 3.0 * other, s - c_2 * (3.0 + other), c_2];
            let found = upper_bound(c, a, s).unwrap();
            assert!((found - 3.0).abs() < 1e-13, "{found}");
        }
    }
    // both roots negative: nothing to overtake
    assert_eq!(upper_bound([9.0, 8.0, 1.0], 0.0, 0.0), Some(0.0));
    assert_eq!(upper_bound([1.0, 0.0, 1.0], 0.0, 0.0), None);
}

#[test]
fn on_the_circle_rounding_decides_nothing() {
    // t of length 5 with S t + s = 0 is both: inside, and on the circle with no multiplier
    for k in 1..400 {
        let k = f64::from(k);
        let s = [[1.0 + 1.0 / k, 0.3], [0.3, 2.0 + k / 7.0]];
        let t = [3.0, -4.0];
        let q = [
            -(s[0][0] * t[0] + s[0][1] * t[1]),
            -(s[1][0] * t[0] + s[1][1] * t[1]),
        ];
        let (found, alpha) = solve_disc(&Tangential::new(s), q, 5.0, 0.0).unwrap();
        assert!((found[0] - t[0]).abs() < 1e-13 && (found[1] - t[1]).abs() < 1e-13);
        assert!(alpha >= 0.0 && alpha < 1e-13 * k.max(10.0), "{alpha}");
    }
}

#[test]
fn singular_matrices_stick_with_minimum_norm_or_slide() {
    // S = (1, 2)(1, 2)ᵀ
    let tangential = Tangential::new([[1.0, 2.0], [2.0, 4.0]]);
    let t = tangential.stick([-5.0, -10.0]).unwrap();
    assert!((t[0] - 1.0).abs() < 1e-15 && (t[1] - 2.0).abs() < 1e-15);
    // out of its range, in any unit
    for unit in [1e-9, 1.0, 1e9] {
        assert_eq!(tangential.stick([unit, 0.0]), None);
        let t = tangential.stick([-5.0 * unit, -10.0 * unit]).unwrap();
        assert!((t[0] / unit - 1.0).abs() < 1e-15 && (t[1] / unit - 2.0).abs() < 1e-15);
    }
    // S = (2, 3)(2, 3)ᵀ: S (2, 3) = 13 (2, 3)
    let other = Tangential::new([[4.0, 6.0], [6.0, 9.0]]);
    let t = other.stick([-26.0, -39.0]).unwrap();
    assert!((t[0] - 2.0).abs() < 1e-14 && (t[1] - 3.0).abs() < 1e-14);
    assert_eq!(
        Tangential::new([[-1.0, -2.0], [-2.0, -4.0]]).stick([5.0, 10.0]),
        None
    );
    let (t, alpha) = solve_disc(&tangential, [1.0, 0.0], 3.0, 0.0).unwrap();
    assert!((length(t) - 3.0).abs() < 1e-15 && alpha > 0.0);
}

#[test]
fn indefinite_matrices_are_refused_or_solved_above_the_floor() {
    let tangential = Tangential::new([[1.0, 3.0], [3.0, 1.0]]);
    assert!((tangential.floor() - 2.0).abs() < 1e-15);
    assert_eq!(tangential.stick([1.0, 0.0]), None);
}

/// At how many points the difference is asked for until one is within 1e-9 of the root; the
/// rest is rounding.
fn steps(c: [f64; 3], a: [f64; 2], s: [f64; 2], guess: f64) -> usize {
    let high = upper_bound(c, length(a), length(s)).unwrap();
    let mut points = Vec::new();
    let asked = |alpha| {
        points.push(alpha);
        difference(c, a, s, alpha)
    };
    let root = newton(asked, 0.0, high, guess);
    points.push(root);
    let near = points.iter().position(|x| (x - root).abs() <= 1e-9 * root);
    1 + near.expect("the root is the last point")
}

#[test]
fn planted_crossings_are_found_in_few_steps_at_every_scale() {
    // c₀ from the root; c₁ so large that the root is as well conditioned as c₁α
    let (mut most, mut sum, mut solved) = (0, 0, 0);
    for k in 0..4000u32 {
        let angle = [f64::from(k % 17), f64::from(k % 23)];
        let anisotropy = libm::exp2(f64::from(k % 13) - 6.0);
        let alpha = 1.3 * libm::exp2(f64::from(k % 401) - 200.0);
        let unit = libm::exp2(f64::from(k % 301) - 150.0);
        let s = [
            unit * libm::cos(angle[0]),
            unit * anisotropy * libm::sin(angle[0]),
        ];
        let a = [libm::cos(angle[1]), anisotropy * libm::sin(angle[1])].map(|x| x * unit * alpha);
        let c_1 = 2.0 * length(s);
        let c_2 = (f64::from(k % 7) + 0.1) * length(s) / alpha;
        let norm = length([a[0] + alpha * s[0], a[1] + alpha * s[1]]);
        let c = [norm - c_1 * alpha - c_2 * alpha * alpha, c_1, c_2];
        if difference(c, a, s, 0.0).0 >= 0.0 {
            continue;
        }
        for guess in [0.0, alpha, 0.01 * alpha, 1.5 * alpha] {
            let found = crossing(c, a, s, 0.0, guess).unwrap();
            // the rounding of c₀ over the slope: some terms of size c₁α
            let size = norm + c[0].abs() + c_1 * alpha + c_2 * alpha * alpha;
            let slope = difference(c, a, s, alpha).1 * alpha;
            assert!(slope > 0.0);
            let miss = (found - alpha).abs() / alpha;
            assert!(
                miss <= 2.0 * f64::EPSILON * (1.0 + size / slope),
                "{miss:e} {k}"
            );
            let taken = steps(c, a, s, guess);
            most = most.max(taken);
            sum += taken;
            solved += 1;
        }
        assert_eq!(steps(c, a, s, alpha), 1);
    }
    // bisection takes thirty steps each time
    assert!(most <= 36 && sum <= 5 * solved, "{most} {sum} {solved}");
}

#[test]
fn the_difference_has_a_slope_where_its_norm_vanishes() {
    // a + αs = 0 at α = 2
    let (value, slope) = difference([1.0, 3.0, 0.5], [-2.0, -4.0], [1.0, 2.0], 2.0);
    assert_eq!((value, slope), (9.0, 5.0));
    // along s the norm is |k + α|‖s‖
    let (value, slope) = difference([1.0, 7.0, 0.5], [3.0, 4.0], [3.0, 4.0], 2.0);
    assert_eq!((value, slope), (2.0, 4.0));
}

#[test]
fn nothing_to_cross_is_said() {
    // (α − 5)² − 20 is above zero at zero, though it has roots
    assert_eq!(
        crossing([5.0, -10.0, 1.0], [0.0; 2], [0.0; 2], 0.0, 0.0),
        None
    );
    assert_eq!(crossing([5.0, -10.0, 1.0], [0.0; 2], [0.0; 2], 1.0, 0.0), {
        // above a floor between them it has one
        let root = 5.0 + 20.0f64.sqrt();
        crossing([5.0, -10.0, 1.0], [0.0; 2], [0.0; 2], 1.0, root)
    });
    assert_eq!(
        crossing([-1.0, 0.0, 1.0], [0.0; 2], [0.0; 2], f64::NAN, 0.0),
        None
    );
    assert_eq!(
        crossing([-1.0, 0.0, 1.0], [f64::NAN; 2], [0.0; 2], 0.0, 0.0),
        None
    );
    assert_eq!(
        crossing([-1.0, 0.0, 1.0], [f64::INFINITY; 2], [0.0; 2], 0.0, 0.0),
        None
    );
}

#[test]
fn the_upper_bound_keeps_its_digits_where_it_is_small_or_large() {
    // α² + (R − ρ)α − Rρ has the roots ρ and −R; ρ is Rρ / R to rounding where R is much larger
    for exponent in 0..200 {
        let large = libm::exp2(f64::from(exponent));
        for root in [0.3, 7e-20] {
            let c = [-large * root, large - root, 1.0];
            let found = upper_bound(c, 0.0, 0.0).unwrap();
            assert!(
                (found - root).abs() <= 8.0 * f64::EPSILON * root,
                "{found} {large}"
            );
            // and mirrored: the larger root of α² − (R − ρ)α − Rρ is R
            let found = upper_bound([c[0], -c[1], 1.0], 0.0, 0.0).unwrap();
            assert!((found - large).abs() <= 8.0 * f64::EPSILON * large.max(root));
        }
    }
}

#[test]
fn what_has_no_stiffness_is_refused_and_huge_stiffness_is_solved() {
    // S turns t by a right angle: no power, no stiffness
    assert_eq!(
        Tangential::new([[0.0, -1.0], [1.0, 0.0]]).stick([1.0, 0.0]),
        None
    );
    // adj(S) s is infinite though −S⁻¹s = (−1.5, −0.75) is not: it lies outside a disc of
    // radius one
    let huge = Tangential::new([[1e150, 0.0], [0.0, 2e150]]);
    let s = [1.5e150, 1.5e150];
    assert_eq!(
        huge.stick(s).map(|t| t.map(f64::is_finite)),
        Some([true; 2])
    );
    let (t, multiplier) = solve_disc(&huge, s, 1.0, 0.0).unwrap();
    for axis in 0..2 {
        let stiffness = [1e150, 2e150][axis] + multiplier;
        assert!(
            (stiffness * t[axis] + s[axis]).abs() < 1e-12 * s[axis],
            "{t:?}"
        );
    }
    assert!((t[0] * t[0] + t[1] * t[1] - 1.0).abs() < 1e-12, "{t:?}");
}
