//! Presets of Box2D against Box2D itself: states of motions that the program was compiled for and
//! ran, at the tags v2.4.2, v3.0.0, v3.1.0, v3.1.1 and at 617d32a (docs/theory/19-presets.md), with
//! 60 steps per second, four substeps (8 and 3 passes in 2.4), without sleep, continuous collision
//! and reuse of manifolds. The program computes in f32, and version 3 turns bodies by first-order
//! steps.

use delassus_core::ContactLaw;
use delassus_dynamics::constraints::{AngleLimit, Point};
use delassus_dynamics::{
    Body, Collider, HalfSpace, Inertia, Joint, Material, OpenRows, Sphere, VelocityParameters,
    VelocityScheme, World, WorldParts, presets, rotation,
};
use nalgebra::Vector3;

use crate::colliding::{DT, G, block_gs, run};

/// What moves.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Motion {
    /// A ball of 2 kg lands with 3 m/s along x and 5 rad/s.
    Ball,
    /// A ball whose middle is 0.15 m above the ground, half of its radius.
    Deep,
    /// A ball of 5 kg on one of 2 kg, 0.1 m and 0.02 m too deep; the state is that of the upper.
    Balls,
    /// A ball that bounces with e = 0.7.
    Bounce,
    /// A ball 0.01 m too deep that does not turn and slides at 3 m/s.
    Slide,
    /// A rod of 1 m and 1 kg on a pivot, released at 1.2 rad.
    Rod,
    /// A rod that turns at 3 rad/s from 0.7 rad, within −0.3 and 0.9 rad.
    Limit,
}

/// The motion, frames, and x, y, angle and the velocities of the last body \[m, rad, m/s, rad/s\].
type Sample = (Motion, usize, [f64; 6]);

#[rustfmt::skip]
const BOX2D_2_4: [Sample; 17] = [
    (Motion::Ball, 10, [0.500_000_1, 0.650_125, 0.833_333_3, 3.0, -1.635, 5.0]),
    (Motion::Ball, 24, [1.090_099, 0.292_326_1, 1.111_173, 1.679_704, 0.0, -5.677_959]),
    (Motion::Ball, 60, [2.099_388, 0.294_999_1, -2.283_515, 1.682_452, 0.0, -5.655_31]),
    (Motion::Deep, 1, [0.0, 0.220_76, 0.0, 0.0, 0.0, 0.0]),
    (Motion::Deep, 2, [0.0, 0.256_989_1, 0.0, 0.0, 0.0, 0.0]),
    (Motion::Deep, 5, [0.0, 0.287_028_6, 0.0, 0.0, 0.0, 0.0]),
    (Motion::Deep, 20, [0.0, 0.294_719_5, 0.0, 0.0, 0.0, 0.0]),
    (Motion::Balls, 1, [0.0, 0.794_007_1, 0.0, 0.0, -0.015_510_35, 0.0]),
    (Motion::Balls, 3, [0.0, 0.813_105_9, 0.0, 0.0, 0.000_766_136_8, 0.0]),
    (Motion::Balls, 8, [0.0, 0.844_214_3, 0.0, 0.0, 0.000_001_111_6, 0.0]),
    (Motion::Bounce, 30, [0.502_148_6, 0.422_004_4, -1.982_994, 1.042_968, 2.877_6, -3.659_863]),
    (Motion::Bounce, 60, [1.023_633, 0.593_679_1, -3.812_926, 1.042_968, -2.027_401, -3.659_863]),
    (Motion::Rod, 20, [0.221_113, -0.448_451_8, 0.458_079, -1.683_12, -0.969_875_7, -3.885_127]),
    (Motion::Rod, 60, [-0.438_307_8, -0.240_595_7, -1.068_783, 0.318_029_4, -0.612_347_5, 1.380_018]),
    (Motion::Limit, 8, [0.389_936_3, -0.312_969_1, 0.894_462_3, -0.106_252_8, -0.133_939_6, -0.341_932_6]),
    (Motion::Limit, 20, [0.278_525, -0.415_239_5, 0.590_829_5, -0.976_613_3, -0.713_761_3, -2.419_28]),
    (Motion::Limit, 60, [-0.016_111_9, -0.499_740_3, -0.032_229_38, 0.575_015_1, -0.029_593_45, 1.151_552]),
];

#[rustfmt::skip]
const BOX2D_3_0: [Sample; 20] = [
    (Motion::Ball, 10, [0.500_000_1, 0.660_343_8, 0.833_212_9, 3.0, -1.635, 5.0]),
    (Motion::Ball, 24, [1.093_975, 0.299_227_7, 1.113_882, 1.716_177, -0.064_306_78, -5.727_961]),
    (Motion::Ball, 60, [2.123_681, 0.299_227_7, -2.322_243, 1.716_177, -0.064_306_78, -5.727_961]),
    (Motion::Deep, 1, [0.0, 0.188_128, 0.0, 0.0, 0.0, 0.0]),
    (Motion::Deep, 2, [0.0, 0.216_559_9, 0.0, 0.0, 0.0, 0.0]),
    (Motion::Deep, 5, [0.0, 0.265_360_8, 0.0, 0.0, 0.0, 0.0]),
    (Motion::Deep, 20, [0.0, 0.299_507_2, 0.0, 0.0, 0.0, 0.0]),
    (Motion::Balls, 1, [0.0, 0.789_749, 0.0, 0.0, 0.637_338_7, 0.0]),
    (Motion::Balls, 3, [0.0, 0.808_479_4, 0.0, 0.0, 0.385_167_4, 0.0]),
    (Motion::Balls, 8, [0.0, 0.840_655_8, 0.0, 0.0, 0.229_268_8, 0.0]),
    (Motion::Bounce, 30, [0.502_803_4, 0.394_568_2, -1.976_556, 1.056_065, 2.763_148, -3.534_704]),
    (Motion::Bounce, 60, [1.030_836, 0.539_674, 2.539_405, 1.056_065, -2.141_85, -3.534_704]),
    (Motion::Slide, 1, [0.048_308_56, 0.292_525_5, 0.0, 2.934_6, 0.0, 0.0]),
    (Motion::Slide, 8, [0.360_437_3, 0.298_981_5, 0.0, 2.476_799, 0.0, 0.0]),
    (Motion::Slide, 30, [1.001_44, 0.299_929_5, 0.0, 1.037_996, 0.0, 0.0]),
    (Motion::Rod, 20, [0.231_223_2, -0.444_110_9, 0.480_199_3, -1.736_175, -0.904_311_1, -3.915_14]),
    (Motion::Rod, 60, [-0.451_930_6, -0.214_277_5, -1.128_549, 0.291_007_8, -0.614_551_6, 1.359_94]),
    (Motion::Limit, 8, [0.388_056_5, -0.315_606_8, 0.887_086_6, -0.166_043_4, -0.203_780_4, -0.525_725_5]),
    (Motion::Limit, 20, [0.267_681, -0.422_800_6, 0.564_688, -1.077_647, -0.682_689, -2.551_382]),
    (Motion::Limit, 60, [-0.009_048_717, -0.500_237_5, -0.018_094_25, 0.579_321_4, -0.010_483_53, 1.158_832]),
];

#[rustfmt::skip]
const BOX2D_3_1_0: [Sample; 20] = [
    (Motion::Ball, 10, [0.500_000_1, 0.660_343_8, 0.833_227, 3.0, -1.635, 5.0]),
    (Motion::Ball, 24, [1.093_934, 0.299_232_7, 1.113_593, 1.716_129, -0.065_222_31, -5.727_756]),
    (Motion::Ball, 60, [2.123_611, 0.299_232_7, -2.322_395, 1.716_129, -0.065_222_31, -5.727_756]),
    (Motion::Deep, 1, [0.0, 0.188_128, 0.0, 0.0, 0.0, 0.0]),
    (Motion::Deep, 2, [0.0, 0.216_559_9, 0.0, 0.0, 0.0, 0.0]),
    (Motion::Deep, 5, [0.0, 0.265_360_8, 0.0, 0.0, 0.0, 0.0]),
    (Motion::Deep, 20, [0.0, 0.299_507_2, 0.0, 0.0, 0.0, 0.0]),
    (Motion::Balls, 1, [0.0, 0.789_749, 0.0, 0.0, 0.637_338_7, 0.0]),
    (Motion::Balls, 3, [0.0, 0.808_479_4, 0.0, 0.0, 0.385_167_5, 0.0]),
    (Motion::Balls, 8, [0.0, 0.840_655_8, 0.0, 0.0, 0.229_268_8, 0.0]),
    (Motion::Bounce, 30, [0.502_803_4, 0.394_568_2, -1.976_554, 1.056_065, 2.763_148, -3.534_704]),
    (Motion::Bounce, 60, [1.030_836, 0.539_674, 2.539_405, 1.056_065, -2.141_85, -3.534_704]),
    (Motion::Slide, 1, [0.048_308_56, 0.292_525_5, 0.0, 2.934_6, 0.0, 0.0]),
    (Motion::Slide, 8, [0.360_437_3, 0.298_981_5, 0.0, 2.476_799, 0.0, 0.0]),
    (Motion::Slide, 30, [1.001_44, 0.299_929_5, 0.0, 1.037_996, 0.0, 0.0]),
    (Motion::Rod, 20, [0.231_223_2, -0.444_110_9, 0.480_184_1, -1.736_175, -0.904_311_1, -3.915_14]),
    (Motion::Rod, 60, [-0.451_930_6, -0.214_277_5, -1.128_558, 0.291_007_8, -0.614_551_6, 1.359_94]),
    (Motion::Limit, 8, [0.387_489_2, -0.316_303_7, 0.885_325_6, -0.187_581_1, -0.229_397_3, -0.592_654_3]),
    (Motion::Limit, 20, [0.261_794, -0.426_482_8, 0.550_788_6, -1.108_001, -0.680_547_8, -2.600_625]),
    (Motion::Limit, 60, [0.003_843_117, -0.500_306_4, 0.007_688_427, 0.585_786_6, 0.004_503_866, 1.171_608]),
];

#[rustfmt::skip]
const BOX2D_3_1_1: [Sample; 20] = [
    (Motion::Ball, 10, [0.500_000_1, 0.660_343_8, 0.833_227, 3.0, -1.635, 5.0]),
    (Motion::Ball, 24, [1.093_934, 0.299_232_7, 1.113_593, 1.716_129, -0.065_222_31, -5.727_756]),
    (Motion::Ball, 60, [2.123_611, 0.299_232_7, -2.322_395, 1.716_129, -0.065_222_31, -5.727_756]),
    (Motion::Deep, 1, [0.0, 0.188_128, 0.0, 0.0, 0.0, 0.0]),
    (Motion::Deep, 2, [0.0, 0.216_559_9, 0.0, 0.0, 0.0, 0.0]),
    (Motion::Deep, 5, [0.0, 0.265_360_8, 0.0, 0.0, 0.0, 0.0]),
    (Motion::Deep, 20, [0.0, 0.299_507_2, 0.0, 0.0, 0.0, 0.0]),
    (Motion::Balls, 1, [0.0, 0.789_749, 0.0, 0.0, 0.637_338_7, 0.0]),
    (Motion::Balls, 3, [0.0, 0.808_479_4, 0.0, 0.0, 0.385_167_5, 0.0]),
    (Motion::Balls, 8, [0.0, 0.840_655_8, 0.0, 0.0, 0.229_268_8, 0.0]),
    (Motion::Bounce, 30, [0.502_803_4, 0.394_568_2, -1.976_554, 1.056_065, 2.763_148, -3.534_704]),
    (Motion::Bounce, 60, [1.030_836, 0.539_674, 2.539_405, 1.056_065, -2.141_85, -3.534_704]),
    (Motion::Slide, 1, [0.048_308_56, 0.292_525_5, 0.0, 2.934_6, 0.0, 0.0]),
    (Motion::Slide, 8, [0.360_437_3, 0.298_981_5, 0.0, 2.476_799, 0.0, 0.0]),
    (Motion::Slide, 30, [1.001_44, 0.299_929_5, 0.0, 1.037_996, 0.0, 0.0]),
    (Motion::Rod, 20, [0.230_946_8, -0.443_818_7, 0.479_831_6, -1.736_585, -0.903_746_7, -3.915_347]),
    (Motion::Rod, 60, [-0.451_883_2, -0.214_141_1, -1.128_39, 0.291_817, -0.615_993_3, 1.363_239]),
    (Motion::Limit, 8, [0.384_229_5, -0.320_029_8, 0.876_266_8, -0.244_383_1, -0.293_395_8, -0.763_686_2]),
    (Motion::Limit, 20, [0.244_591_4, -0.436_294_8, 0.510_995_4, -1.184_285, -0.664_016_7, -2.715_473]),
    (Motion::Limit, 60, [0.053_407_95, -0.497_232_7, 0.107_016_9, 0.581_540_3, 0.062_472_57, 1.169_773]),
];

#[rustfmt::skip]
const BOX2D_3_2: [Sample; 20] = [
    (Motion::Ball, 10, [0.500_000_1, 0.660_343_8, 0.833_227, 3.0, -1.635, 5.0]),
    (Motion::Ball, 24, [1.093_513, 0.299_232_7, 1.110_168, 1.716_124, -0.065_222_31, -5.727_737]),
    (Motion::Ball, 60, [2.123_19, 0.299_232_7, -2.325_809, 1.716_124, -0.065_222_31, -5.727_737]),
    (Motion::Deep, 1, [0.0, 0.188_128, 0.0, 0.0, 0.0, 0.0]),
    (Motion::Deep, 2, [0.0, 0.216_559_9, 0.0, 0.0, 0.0, 0.0]),
    (Motion::Deep, 5, [0.0, 0.265_360_8, 0.0, 0.0, 0.0, 0.0]),
    (Motion::Deep, 20, [0.0, 0.299_507_2, 0.0, 0.0, 0.0, 0.0]),
    (Motion::Balls, 1, [0.0, 0.789_749, 0.0, 0.0, 0.637_338_7, 0.0]),
    (Motion::Balls, 3, [0.0, 0.808_479_4, 0.0, 0.0, 0.385_167_5, 0.0]),
    (Motion::Balls, 8, [0.0, 0.840_655_8, 0.0, 0.0, 0.229_268_8, 0.0]),
    (Motion::Bounce, 30, [0.502_803_4, 0.394_567_6, -1.976_554, 1.056_065, 2.763_148, -3.534_704]),
    (Motion::Bounce, 60, [1.030_836, 0.539_673_4, 2.539_405, 1.056_065, -2.141_85, -3.534_704]),
    (Motion::Slide, 1, [0.049_386_87, 0.292_525_5, 0.0, 2.934_6, 0.0, 0.0]),
    (Motion::Slide, 8, [0.364_098_1, 0.298_981_5, 0.0, 2.476_799, 0.0, 0.0]),
    (Motion::Slide, 30, [1.005_48, 0.299_929_5, 0.0, 1.037_996, 0.0, 0.0]),
    (Motion::Rod, 20, [0.230_946_8, -0.443_818_7, 0.479_831_6, -1.736_585, -0.903_746_7, -3.915_347]),
    (Motion::Rod, 60, [-0.451_883_2, -0.214_141_1, -1.128_39, 0.291_817, -0.615_993_3, 1.363_239]),
    (Motion::Limit, 8, [0.384_221_7, -0.320_039_1, 0.876_242_5, -0.244_588_4, -0.293_627_8, -0.764_305_5]),
    (Motion::Limit, 20, [0.244_532_9, -0.436_327_7, 0.510_861_2, -1.184_564, -0.663_964, -2.715_908]),
    (Motion::Limit, 60, [0.053_909_09, -0.497_178_6, 0.108_025, 0.581_565_6, 0.063_068_35, 1.169_951]),
];

const RADIUS: f64 = 0.3;

/// Balls of `(mass, height, velocity along x, spin)` above the ground, from above; a pair of balls
/// comes before the lower one and the ground, as in the program.
fn balls(list: &[[f64; 4]], restitution: f64) -> WorldParts {
    let mut parts = WorldParts {
        gravity: -G * Vector3::y(),
        ..WorldParts::default()
    };
    parts.contacts.law = ContactLaw::Coulomb;
    let material = Material {
        restitution,
        ..Material::rough(0.4)
    };
    for [mass, height, speed, spin] in list {
        let inertia = Inertia::new(*mass, Vector3::repeat(0.4 * mass * RADIUS * RADIUS));
        let body = Body::dynamic(inertia, *height * Vector3::y());
        let body = parts.body(body.moving(*speed * Vector3::x(), *spin * Vector3::z()));
        parts.collider(Collider::new(body, Sphere::new(RADIUS)).of(material));
    }
    let ground = parts.body(Body::fixed(Vector3::zeros()));
    parts.collider(Collider::new(ground, HalfSpace::default()).of(material));
    parts
}

/// A rod of 1 m on a pivot at the origin, `angle` from hanging.
fn rod(angle: f64, spin: f64, range: Option<[f64; 2]>) -> WorldParts {
    let mut parts = WorldParts {
        gravity: -G * Vector3::y(),
        ..WorldParts::default()
    };
    parts.body(Body::fixed(Vector3::zeros()));
    let (sine, cosine) = libm::sincos(angle);
    let at = 0.5 * Vector3::new(sine, -cosine, 0.0);
    let inertia = Inertia::new(1.0, Vector3::repeat(1.0 / 12.0));
    let body = Body::dynamic(inertia, at).turned(rotation::about(&Vector3::z(), angle));
    let spin = spin * Vector3::z();
    parts.body(body.moving(spin.cross(&at), spin));
    if let Some([lower, upper]) = range {
        parts.joint(Joint::new(AngleLimit {
            bodies: [0, 1],
            axes: [Vector3::z(); 2],
            lower,
            upper,
            reference: 0.0,
        }));
    }
    parts.joint(Joint::new(Point {
        bodies: [0, 1],
        anchors: [Vector3::zeros(), 0.5 * Vector3::y()],
    }));
    parts
}

/// The world, and the body whose state is given.
fn world(motion: Motion) -> (World, usize) {
    let parts = match motion {
        Motion::Ball => balls(&[[2.0, 0.8, 3.0, 5.0]], 0.0),
        Motion::Deep => balls(&[[2.0, 0.15, 0.0, 0.0]], 0.0),
        Motion::Balls => balls(&[[5.0, 0.78, 0.0, 0.0], [2.0, 0.28, 0.0, 0.0]], 0.0),
        Motion::Bounce => balls(&[[2.0, 1.3, 1.0, -4.0]], 0.7),
        Motion::Slide => {
            let mut parts = balls(&[[2.0, 0.29, 3.0, 0.0]], 0.0);
            parts.bodies[0].lock_rotation = [true; 3];
            parts
        }
        Motion::Rod => rod(1.2, 0.0, None),
        Motion::Limit => rod(0.7, 3.0, Some([-0.3, 0.9])),
    };
    let body = parts.bodies.iter().position(Body::is_dynamic);
    (parts.build().unwrap(), body.unwrap())
}

fn parameters(id: &str) -> VelocityParameters {
    let preset = presets().iter().find(|preset| preset.id == id).unwrap();
    (preset.parameters)()
}

/// Differences from a state; of angles up to whole turns.
fn differences(parameters: &VelocityParameters, (motion, frames, expected): &Sample) -> [f64; 6] {
    let (mut world, body) = world(*motion);
    let mut scheme = VelocityScheme::new(parameters.clone(), block_gs()).unwrap();
    run(&mut world, &mut scheme, DT, *frames);
    let body = &world.bodies()[body];
    let at = body.position.to_vector();
    let angle = rotation::log(&body.orientation).z;
    let turns = ((expected[2] - angle) / std::f64::consts::TAU).round();
    let angle = angle + std::f64::consts::TAU * turns;
    let found = [
        at.x,
        at.y,
        angle,
        body.velocity.x,
        body.velocity.y,
        body.spin.z,
    ];
    std::array::from_fn(|k| (found[k] - expected[k]).abs())
}

/// Compares states; `within` gives what numbers of a motion may differ by.
fn compare(
    name: &str,
    parameters: &VelocityParameters,
    samples: &[Sample],
    within: fn(Motion) -> [f64; 6],
) {
    for sample in samples {
        let (motion, frames, expected) = sample;
        let found = differences(parameters, sample);
        let fits = found.iter().zip(within(*motion)).all(|(x, most)| *x < most);
        assert!(
            fits,
            "{name}, {motion:?}, frame {frames}: {found:?} from {expected:?}"
        );
    }
}

/// Rounding of f32 over a second.
const ROUNDING: [f64; 6] = [1e-5; 6];

#[test]
fn the_preset_moves_as_compiled_box2d_2_4() {
    compare("2.4", &parameters("box2d-2.4"), &BOX2D_2_4, |_| ROUNDING);
}

/// Version 3 turns by first-order steps. The points of a contact turn with a ball that rolls, which
/// is lower by what its point rises in a frame.
fn third(motion: Motion) -> [f64; 6] {
    match motion {
        Motion::Ball => [5e-4, 8e-4, 3e-3, 1e-3, 0.07, 6e-3],
        Motion::Bounce => [5e-4; 6],
        Motion::Rod => [1e-3; 6],
        // 3.1 and 3.2 approximate arcs
        Motion::Limit => [3e-3; 6],
        Motion::Deep | Motion::Balls | Motion::Slide => ROUNDING,
    }
}

#[test]
fn presets_move_as_compiled_box2d_3() {
    let oldest = parameters("box2d-3.0");
    // 3.0 softens the upper limit by the impulse of the lower one
    let (limits, others): (Vec<Sample>, Vec<Sample>) = BOX2D_3_0
        .iter()
        .copied()
        .partition(|sample| sample.0 == Motion::Limit);
    compare("3.0", &oldest, &others, third);
    let differs = |sample: &Sample| differences(&oldest, sample)[5] > 1e-2;
    assert!(limits.iter().all(differs));
    let first = VelocityParameters {
        open_rows: OpenRows::Rigid,
        ..oldest
    };
    compare("3.1.0", &first, &BOX2D_3_1_0, third);
    let second = VelocityParameters {
        contact_hertz_limit: 0.125,
        joint_hertz_limit: 0.25,
        ..first
    };
    compare("3.1.1", &second, &BOX2D_3_1_1, third);
    compare("3.2", &parameters("soft-step"), &BOX2D_3_2, third);
}
