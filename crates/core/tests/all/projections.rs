//! Projections against the condition that defines them, and softness against the spring that it is.

use delassus_core::projection::{cone, disc, dual_cone, norm, square};
use delassus_core::{SoftRow, Softness};

#[test]
fn a_projection_on_the_cone_is_the_nearest_point() {
    // by hand: n' = (n + μ|t|)/(1 + μ²), t' = μ n' t/|t|, with numbers that no product leaves alone
    let mut x = [3.0, 0.0, 8.0];
    cone(2.0, &mut x);
    assert_eq!(x, [3.8, 0.0, 7.6]);
    // on the axis, inside and beyond: (2, 3) has |t| = 3 ≤ 2·2; (0.5, 3) has 3 > 1
    let mut inside = [2.0, 3.0];
    cone(2.0, &mut inside);
    assert_eq!(inside, [2.0, 3.0]);
    let mut outside = [0.5, 3.0];
    cone(2.0, &mut outside);
    assert_eq!(outside, [1.3, 2.6]);
    // the polar cone: μ|t| = 1 ≤ 1.5, and 4 > 1.5
    let mut polar = [-1.5, 0.5];
    cone(2.0, &mut polar);
    assert_eq!(polar, [0.0, 0.0]);
    let mut above = [-1.5, 2.0];
    cone(2.0, &mut above);
    assert_eq!(above, [0.5, 1.0]);
    // μ = 1/4 with |t| = 2: μ|t| = 0.5 is within −n = 0.6, although μ + |t| is not
    let mut flat = [-0.6, 2.0];
    cone(0.25, &mut flat);
    assert_eq!(flat, [0.0, 0.0]);
    // and |t| = 0.5 is beyond μn = 0.3, although μ + n would hold it
    let mut steep = [1.2, 0.5];
    cone(0.25, &mut steep);
    assert!((steep[0] - 1.325 / 1.0625).abs() < 1e-15);
}

#[test]
fn the_dual_of_a_half_line_is_a_half_space() {
    for (velocity, expected) in [
        ([-1.0, 2.0, 3.0], [0.0, 2.0, 3.0]),
        ([0.0, 2.0, 3.0], [0.0, 2.0, 3.0]),
        ([1.0, -2.0, 0.0], [1.0, -2.0, 0.0]),
    ] {
        let mut out = velocity;
        dual_cone(0.0, &mut out);
        assert_eq!(out, expected);
    }
}

#[test]
fn discs_and_squares_shorten_what_is_outside() {
    let mut outside = [6.0, 8.0];
    disc(5.0, &mut outside);
    assert_eq!(outside, [3.0, 4.0]);
    for radius in [10.0, 11.0] {
        let mut inside = [6.0, 8.0];
        disc(radius, &mut inside);
        assert_eq!(inside, [6.0, 8.0]);
    }
    // a disc without extent around a point without length
    let mut zero = [0.0, 0.0];
    disc(0.0, &mut zero);
    assert_eq!(zero, [0.0, 0.0]);
    let mut corners = [-3.0, 0.5, 4.0];
    square(2.0, &mut corners);
    assert_eq!(corners, [-2.0, 0.5, 2.0]);
    assert_eq!(norm(&[]), 0.0);
    // one component needs no square, which would vanish
    assert_eq!(norm(&[-1e-200]), 1e-200);
    assert_eq!(norm(&[3.0, -4.0]), 5.0);
}

#[test]
fn a_soft_row_is_the_spring_and_the_damper_it_reports() {
    // at this step and effective mass every form must be the row of its own stiffness and damping:
    // γ = 1/(h (c + h k)), β/h = k/(c + h k)
    let (diagonal, h) = (0.4, 0.02);
    let forms = [
        Softness::Frequency {
            hertz: 7.0,
            damping_ratio: 0.3,
        },
        Softness::Spring {
            stiffness: 900.0,
            damping: 12.0,
        },
        Softness::ErpCfm { erp: 0.3, cfm: 0.7 },
    ];
    for form in forms {
        let (k, c) = (form.stiffness(diagonal, h), form.damping(diagonal, h));
        let row = form.row(diagonal, h).expect("a soft row");
        let expected = SoftRow {
            compliance: 1.0 / (h * (c + h * k)),
            bias_rate: k / (c + h * k),
        };
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-14 * b;
        assert!(close(row.compliance, expected.compliance), "{form:?}");
        assert!(close(row.bias_rate, expected.bias_rate), "{form:?}");
        assert!(!form.is_rigid());
        // v += m_eff (…) with the three scales of the row: mass scale 1/(1 + γ m), impulse scale γ
        // m/(1 + γ m)
        let scales = row.scales(diagonal);
        let relative = row.compliance / diagonal;
        assert!(close(scales.mass_scale, 1.0 / (1.0 + relative)));
        assert!(close(scales.impulse_scale, relative / (1.0 + relative)));
    }
    assert!(Softness::Rigid.is_rigid());
    let frequency = forms[0];
    let omega = std::f64::consts::TAU * 7.0;
    // k = m ω², c = 2 m ζ ω with m = 1/0.4
    assert!((frequency.stiffness(diagonal, h) - 2.5 * omega * omega).abs() < 1e-11);
    assert!((frequency.damping(diagonal, h) - 2.5 * 0.6 * omega).abs() < 1e-12);
    let rigid = Softness::ErpCfm { erp: 0.2, cfm: 0.0 };
    for form in [Softness::Rigid, rigid] {
        assert_eq!(form.stiffness(diagonal, h), f64::INFINITY);
        assert_eq!(form.damping(diagonal, h), f64::INFINITY);
    }
}
