//! Every preset that bears the name of a program, for one frame of one row, against numbers worked
//! out from the published rows (docs/theory/19-presets.md): contacts that are open, pressed, soft
//! and capped, and a joint.

use delassus_dynamics::{Body, Scheme, VelocityParameters, World, presets};
use nalgebra::Vector3;

use super::line::{ball, held, scheme, touching};
use super::methods::rod;

/// Length of the frame \[s\]: long enough for every bound of a frequency to differ.
const DT: f64 = 1.0 / 32.0;

/// Separation and relative velocity at the start \[m\], \[m/s\].
const STARTS: [[f64; 2]; 4] = [
    // open, and about to close
    [0.015, -3.0],
    // pressed: within every slop
    [-0.001, -0.5],
    // soft
    [-0.02, 0.0],
    // capped
    [-0.9, 0.0],
];

/// Relative velocity and separation after the frame for each start, against a fixed body and
/// between two of 2 kg.
type Published = [[f64; 4]; 4];

#[rustfmt::skip]
const CONTACTS: [(&str, Published); 14] = [
    ("pgs-slop", [
        [-0.48, 0.0, -0.48, 0.0],
        [0.0, -0.001, 0.0, -0.001],
        [0.096, -0.017, 0.096, -0.017],
        [4.0, -0.775, 4.0, -0.775],
    ]),
    ("box2d-lite", [
        [-3.0, -0.07875, -3.0, -0.07875],
        [0.0, -0.001, 0.0, -0.001],
        [0.064, -0.018, 0.064, -0.018],
        [5.696, -0.722, 5.696, -0.722],
    ]),
    ("pgs-ngs", [
        [-3.0, -0.07875, -3.0, -0.07875],
        [0.0, -0.001, 0.0, -0.001],
        [0.0, -0.011_144, 0.0, -0.011_144],
        [0.0, -0.371_592, 0.0, -0.371_592],
    ]),
    ("box2d-2.4", [
        [-3.0, -0.07875, -3.0, -0.07875],
        [0.0, -0.001, 0.0, -0.001],
        [0.0, -0.01268, 0.0, -0.01268],
        [0.0, -0.46324, 0.0, -0.46324],
    ]),
    ("tgs-ngs", [
        [0.0, 0.0, 0.0, 0.0],
        [0.0, -0.001, 0.0, -0.001],
        [0.0, -0.011_144, 0.0, -0.011_144],
        [0.0, -0.371_592, 0.0, -0.371_592],
    ]),
    ("pgs-soft", [
        [-0.48, 0.0, -0.48, 0.0],
        [0.0, -0.000_981_226_249_046, 0.0, -0.001_237_729_317_45],
        [0.0, -0.016_570_433_874_9, 0.0, -0.018_144_242_336_5],
        [0.0, -0.838_110_818_221, 0.0, -0.838_822_068_802],
    ]),
    ("tgs-soft", [
        [0.0, 0.0, 0.0, 0.0],
        [0.0, -0.000_620_168_719_445, 0.0, -0.000_856_862_026_077],
        [0.0, -0.011_644_091_569_7, 0.0, -0.015_188_901_889_5],
        [0.0, -0.776_822_706_923, 0.0, -0.778_831_882_104],
    ]),
    ("solver2d-soft-step", [
        [0.0, 0.0, 0.0, 0.0],
        [0.0, -0.000_620_168_719_445, 0.0, -0.000_856_862_026_077],
        [0.0, -0.011_644_091_569_7, 0.0, -0.015_188_901_889_5],
        [0.0, -0.838_411_353_462, 0.0, -0.839_415_941_052],
    ]),
    ("box2d-3.0", [
        [0.0, -0.000_082_002_544_469_4, 0.0, -0.000_210_420_572_263],
        [0.0, -0.000_620_168_719_445, 0.0, -0.000_856_862_026_077],
        [0.0, -0.011_644_091_569_7, 0.0, -0.015_188_901_889_5],
        [0.0, -0.807_617_030_193, 0.0, -0.809_123_911_578],
    ]),
    ("soft-step", [
        [0.0, 0.0, 0.0, 0.0],
        [0.0, -0.000_835_555_986_422, 0.0, -0.001_067_242_283_1],
        [0.0, -0.014_913_930_857_5, 0.0, -0.017_300_145_906_3],
        [0.0, -0.80625, 0.0, -0.80625],
    ]),
    ("box3d", [
        [0.0, 0.0, 0.0, 0.0],
        [0.0, -0.000_711_152_596_048, 0.0, -0.001_067_242_283_1],
        [0.0, -0.011_527_882_532_5, 0.0, -0.017_300_145_906_3],
        [0.0, -0.80625, 0.0, -0.80625],
    ]),
    ("rapier", [
        [0.0, 0.0, 0.0, 0.0],
        [0.0, -0.000_620_168_719_445, 0.0, -0.000_856_862_026_077],
        [0.0, -0.011_644_091_569_7, 0.0, -0.015_188_901_889_5],
        [0.0, -0.807_617_030_193, 0.0, -0.809_123_911_578],
    ]),
    ("bepu-2", [
        [0.217_691_938_7, -0.000_670_612_162_156, 0.217_691_938_7, -0.000_670_612_162_156],
        [0.073_482_287_313_2, 0.000_356_450_851_134, 0.073_482_287_313_2, 0.000_356_450_851_134],
        [1.060_571_344_41, 0.012_596_641_168, 1.060_571_344_41, 0.012_596_641_168],
        [1.999_706_917_01, -0.841_377_035_741, 1.999_706_917_01, -0.841_377_035_741],
    ]),
    // T = 2h = 1/16 s, so that hB = 1/0.95; all errors are beyond the width
    ("mujoco-euler", [
        [-3.0, -0.07875, -3.0, -0.07875],
        [0.008, -0.00075, 0.008, -0.00075],
        [0.16, -0.015, 0.16, -0.015],
        [7.2, -0.675, 7.2, -0.675],
    ]),
];

/// Velocity and error of a rod after a frame from an error of 0.03 m and 0.7 m/s.
#[rustfmt::skip]
const JOINTS: [(&str, [f64; 2]); 14] = [
    ("pgs-slop", [-0.192, 0.024]),
    ("box2d-lite", [-0.192, 0.024]),
    ("pgs-ngs", [0.0, 0.0]),
    ("box2d-2.4", [0.0, 0.0]),
    ("tgs-ngs", [0.0, 0.0]),
    ("pgs-soft", [0.0, 0.026_279_406_928_5]),
    ("tgs-soft", [0.0, 0.026_233_347_842_4]),
    ("solver2d-soft-step", [0.0, 0.022_496_699_507_2]),
    ("box2d-3.0", [0.0, 0.017_973_721_435_3]),
    ("soft-step", [0.0, 0.009_572_380_505_69]),
    ("box3d", [0.0, 0.009_572_380_505_69]),
    ("rapier", [0.0, 0.0]),
    ("bepu-2", [-0.252_508_131_083, 0.001_747_715_136_29]),
    ("mujoco-euler", [-0.24, 0.0225]),
];

pub(super) fn parameters(id: &str) -> VelocityParameters {
    let preset = presets().iter().find(|preset| preset.id == id);
    (preset.unwrap().parameters)()
}

/// Velocity of the second body relative to the first, and how far they moved apart.
fn frame(mut world: World, id: &str) -> [f64; 2] {
    let apart = |world: &World| {
        let [a, b] = [0, 1].map(|body| &world.bodies()[body]);
        [b.velocity.x - a.velocity.x, (b.position - a.position).x]
    };
    let before = apart(&world);
    scheme(&parameters(id))
        .step(&mut world, DT, &mut ())
        .unwrap();
    let after = apart(&world);
    [after[0], after[1] - before[1]]
}

#[track_caller]
fn agree(what: &str, found: f64, expected: f64) {
    // twelve digits are printed above
    let error = (found - expected).abs();
    assert!(
        error < 1e-11 * expected.abs().max(0.1),
        "{what}: {found}, not {expected}"
    );
}

#[test]
fn contacts_do_in_a_frame_what_their_source_does() {
    for (id, cases) in CONTACTS {
        for (start, expected) in STARTS.iter().zip(cases) {
            let [separation, velocity] = *start;
            let bodies = [Body::fixed(Vector3::zeros()), ball(0.0, 0.0)];
            for (first, expected) in bodies.into_iter().zip(expected.as_chunks::<2>().0) {
                let kind = first.kind;
                let world = touching(first, separation, velocity, 0.0);
                let [found, moved] = frame(world, id);
                let what = format!("{id} from {start:?} against {kind:?}");
                agree(&what, found, expected[0]);
                agree(&what, separation + moved, expected[1]);
            }
        }
    }
}

#[test]
fn joints_do_in_a_frame_what_their_source_does() {
    for (id, expected) in JOINTS {
        let [found, moved] = frame(held(1.03, 0.7, vec![rod()]), id);
        agree(id, found, expected[0]);
        agree(id, 0.03 + moved, expected[1]);
    }
}

#[test]
fn every_name_of_a_program_is_held() {
    for preset in presets() {
        // methods, not programs
        let own = [
            "pgs-baumgarte",
            "split-impulse",
            "tau-damping",
            "tgs-sticky",
        ];
        let held = CONTACTS.iter().any(|(id, _)| *id == preset.id)
            && JOINTS.iter().any(|(id, _)| *id == preset.id);
        assert!(held || own.contains(&preset.id), "{}", preset.id);
    }
}
