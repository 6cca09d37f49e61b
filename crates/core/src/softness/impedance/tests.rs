//! Numbers of `efc_KBIP`, `efc_R` and `efc_aref` of MuJoCo 4.0.0, for a ball on a plane.

use super::*;
use crate::{SoftRow, Softness};

/// A ball in a plane, and what MuJoCo computes for its normal row.
struct Case {
    h: f64,
    solref: [f64; 2],
    solimp: [f64; 5],
    depth: f64,
    mass: f64,
    /// K, B, d, R and a_ref at the velocity −0.7 m/s.
    expected: [f64; 5],
}

const CASES: [Case; 6] = [
    Case {
        h: 0.003,
        solref: [0.013, 0.6],
        solimp: [0.7, 0.93, 0.004, 0.3, 2.5],
        depth: 0.001_299_999_999_999_995_6,
        mass: 1.7,
        expected: [
            19_003.994_563_641_3,
            165.425_971_877_584_77,
            0.782_992_257_632_669_1,
            0.163_030_492_208_442_23,
            135.142_155_103_961_07,
        ],
    },
    // the time constant is 2h
    Case {
        h: 0.002,
        solref: [0.001, 1.3],
        solimp: [0.2, 0.99, 0.002, 0.7, 4.0],
        depth: 0.001_699_999_999_999_993_2,
        mass: 0.45,
        expected: [
            37_733.137_966_238_195,
            505.050_505_050_505_1,
            0.975_187_499_999_998_8,
            0.056_541_833_123_262_664,
            416.090_057_152_119_75,
        ],
    },
    Case {
        h: 0.004,
        solref: [-1700.0, -35.0],
        solimp: [0.6, 0.97, 0.01, 0.4, 1.0],
        depth: 0.004_199_999_999_999_995,
        mass: 2.3,
        expected: [
            1_806.780_741_842_916_5,
            36.082_474_226_804_12,
            0.755_399_999_999_999_8,
            0.140_783_460_533_434_74,
            30.990_069_082_793_063,
        ],
    },
    // both impedances are outside of their bounds
    Case {
        h: 0.004,
        solref: [0.05, 0.9],
        solimp: [0.99995, 0.00003, 0.002, 0.5, 2.0],
        depth: 0.000_799_999_999_999_995_2,
        mass: 1.1,
        expected: [
            49_382_716_049.382_706,
            399_999.999_999_999_94,
            0.679_964_000_000_003_9,
            0.427_878_267_352_114_1,
            27_142_775.308_641_963,
        ],
    },
    // no width
    Case {
        h: 0.001,
        solref: [0.02, 1.0],
        solimp: [0.8, 0.9, 0.0, 0.5, 2.0],
        depth: 0.003_000_000_000_000_002_7,
        mass: 0.9,
        expected: [
            3_086.419_753_086_419,
            111.111_111_111_111_1,
            0.850_000_000_000_000_1,
            0.196_078_431_372_548_88,
            85.648_148_148_148_15,
        ],
    },
    // deeper than the width, without damping
    Case {
        h: 0.005,
        solref: [-300.0, 0.0],
        solimp: [0.5, 0.95, 0.003, 0.25, 3.0],
        depth: 0.020_000_000_000_000_004,
        mass: 0.9,
        expected: [
            332.409_972_299_169,
            0.0,
            0.95,
            0.058_479_532_163_742_75,
            6.315_789_473_684_211_5,
        ],
    },
];

#[test]
fn numbers_are_those_of_mujoco() {
    for case in CASES {
        let softness = Impedance {
            solref: case.solref,
            solimp: case.solimp,
            ..Impedance::default()
        };
        softness.validate().unwrap();
        let (error, velocity) = (-case.depth, -0.7);
        let row = softness.row(1.0 / case.mass, error, case.h);
        // the bias is −J v − h a_ref
        let reference = -(row.bias(error, velocity, case.h) + velocity) / case.h;
        let found = [
            row.stiffness,
            row.damping,
            row.impedance,
            row.compliance,
            reference,
        ];
        for (found, expected) in found.iter().zip(case.expected) {
            let error = (found - expected).abs();
            assert!(error <= 1e-13 * expected, "{found} {expected}");
        }
    }
}

#[test]
fn numbers_out_of_range_are_refused() {
    let with = |solref, solimp, impratio| Impedance {
        solref,
        solimp,
        impratio,
        ..Impedance::default()
    };
    let Impedance { solref, solimp, .. } = Impedance::default();
    let bad = [
        (with([0.02, -1.0], solimp, 1.0), "solref"),
        (with([-0.02, 1.0], solimp, 1.0), "solref"),
        (with([0.02, 0.0], solimp, 1.0), "solref"),
        (with([f64::NAN, 1.0], solimp, 1.0), "solref"),
        (with([f64::INFINITY, 1.0], solimp, 1.0), "solref"),
        (with(solref, [1.1, 0.9, 0.001, 0.5, 2.0], 1.0), "solimp"),
        (
            with(solref, [0.9, f64::NAN, 0.001, 0.5, 2.0], 1.0),
            "solimp",
        ),
        (with(solref, [0.9, 0.95, -0.001, 0.5, 2.0], 1.0), "solimp"),
        (with(solref, [0.9, 0.95, 0.001, -0.5, 2.0], 1.0), "solimp"),
        (with(solref, [0.9, 0.95, 0.001, 0.5, 0.9], 1.0), "solimp"),
        (with(solref, solimp, 0.0), "impratio"),
        (with(solref, solimp, f64::INFINITY), "impratio"),
    ];
    for (softness, parameter) in bad {
        assert_eq!(softness.validate().unwrap_err().parameter, parameter);
    }
    with([0.0, 0.0], solimp, 1.0).validate().unwrap();
}

/// With hB = 1 and one impedance the row is that of an implicit spring (S.29).
#[test]
fn a_spring_at_one_step_is_an_impedance() {
    let (diagonal, h) = (0.37, 0.004);
    let spring = Softness::Frequency {
        hertz: 11.0,
        damping_ratio: 0.4,
    };
    let SoftRow {
        bias_rate,
        compliance,
    } = spring.row(diagonal, h).unwrap();
    let soft = SoftRow {
        bias_rate,
        compliance,
    };
    let impedance = Impedance::of_row(&soft, diagonal, h).unwrap();
    impedance.validate().unwrap();
    for (error, velocity) in [(-0.01, -0.5), (0.003, 2.0)] {
        let row = impedance.row(diagonal, error, h);
        assert!((row.compliance / compliance - 1.0).abs() < 1e-13);
        let bias = row.bias(error, velocity, h);
        assert!((bias - bias_rate * error).abs() < 1e-13, "{bias}");
    }
    let rigid = SoftRow {
        bias_rate,
        compliance: 0.0,
    };
    assert_eq!(Impedance::of_row(&rigid, diagonal, h), None);
}

#[test]
fn surfaces_mix_as_in_mujoco() {
    let one = Impedance {
        solref: [0.02, 0.5],
        solimp: [0.8, 0.9, 0.002, 0.4, 2.0],
        ..Impedance::default()
    };
    let other = Impedance {
        solref: [0.01, 1.5],
        solimp: [0.6, 0.7, 0.004, 0.6, 4.0],
        ..one
    };
    let both = one.mixed(other).unwrap();
    assert_eq!(both, other.mixed(one).unwrap());
    assert_eq!(both.solref, [0.015, 1.0]);
    let direct = Impedance {
        solref: [-900.0, -10.0],
        ..one
    };
    assert_eq!(one.mixed(direct).unwrap().solref, [-900.0, -10.0]);
    let ratio = Impedance {
        impratio: 3.0,
        ..one
    };
    assert_eq!(one.mixed(ratio), None);
}
