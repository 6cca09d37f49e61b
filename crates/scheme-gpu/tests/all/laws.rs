//! The laws of schemes, for both.

use delassus_conformance::{
    MakeScheme, Verdict, scheme_bad_steps, scheme_contact_rest, scheme_momentum, scheme_repetition,
    scheme_rest, scheme_rotation, skip_device,
};
use delassus_dynamics::PositionScheme;
use delassus_scheme_gpu::{GpuSoftStep, GpuSoftStepParameters};
use delassus_scheme_jacobi::Scalar;

use crate::common::twin;

fn hold(law: fn(MakeScheme<'_>) -> Verdict, name: &str) {
    for scalar in [Scalar::F32, Scalar::F64] {
        let verdict = law(&|| Box::new(twin(scalar)));
        assert_eq!(verdict, Verdict::Holds, "{name} {scalar:?}");
    }
    let verdict = law(&|| {
        let made = GpuSoftStep::new(GpuSoftStepParameters::default());
        Box::new(made.expect("defaults"))
    });
    match verdict {
        Verdict::Unavailable(why) => skip_device(&format!("laws: {name}"), why),
        verdict => assert_eq!(verdict, Verdict::Holds, "{name} on the device"),
    }
}

#[test]
fn isolated_systems_keep_their_momentum() {
    hold(scheme_momentum, "momentum");
}

#[test]
fn rest_stays_at_rest() {
    hold(scheme_rest, "rest");
}

#[test]
fn a_mass_on_the_ground_comes_to_rest() {
    hold(scheme_contact_rest, "contact rest");
}

#[test]
fn a_turned_scene_moves_as_before_turned() {
    hold(|make| scheme_rotation(make, 1e-3), "rotation");
}

#[test]
fn bad_steps_are_typed_errors() {
    hold(scheme_bad_steps, "bad steps");
}

#[test]
fn fresh_schemes_repeat_bit_for_bit() {
    hold(scheme_repetition, "repetition");
}
