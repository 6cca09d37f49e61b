//! Numbers at the ends of their ranges: refused by name, or stepped to finite states, or a step
//! that says what went wrong.

use delassus_dynamics::{Scheme, StepError, VelocityParameters, VelocityScheme, World, WorldParts};
use delassus_scenes::scenes;
use nalgebra::Vector3;

use crate::bad_scenes::{floats, number, small, three};
use crate::support::{self, pgs};

fn soft_step() -> VelocityScheme {
    VelocityScheme::new(VelocityParameters::default(), pgs()).unwrap()
}

fn is_finite(world: &World) -> bool {
    world.bodies().iter().all(|body| {
        let turn = body.orientation.coords;
        let numbers = body.velocity.iter().chain(body.spin.iter());
        body.position.is_finite() && numbers.chain(turn.iter()).all(|x| x.is_finite())
    })
}

#[test]
fn every_number_of_every_scene_may_be_tiny_huge_or_minus_zero() {
    let (mut refused, mut stepped, mut failed) = (0, 0, 0);
    for entry in scenes() {
        let id = entry.descriptor.id;
        let whole = toml::Value::try_from(small(&entry).into_parts()).unwrap();
        let mut paths = Vec::new();
        floats(&whole, "", &mut paths);
        // every fifth of them, all where that is asked for
        for path in paths
            .into_iter()
            .step_by(if support::whole() { 1 } else { 5 })
        {
            // the largest sizes of shapes are 1e60
            for extreme in [-0.0, 5e-324, 1e59, 1e308] {
                let mut changed = whole.clone();
                *number(&mut changed, &path) = toml::Value::Float(extreme);
                let parts: WorldParts = changed.try_into().unwrap();
                let Ok(mut world) = parts.build() else {
                    refused += 1;
                    continue;
                };
                match soft_step().step(&mut world, 1.0 / 60.0, &mut ()) {
                    Ok(_) => stepped += 1,
                    Err(error) => {
                        failed += 1;
                        assert!(!error.to_string().is_empty());
                    }
                }
                assert!(is_finite(&world), "{id}: {path} = {extreme:e}");
            }
        }
    }
    eprintln!("{refused} refused, {stepped} steps, {failed} that say what went wrong");
    assert!(refused > 200 && stepped > 200 && failed > 0);
}

#[test]
fn masses_and_inertia_that_no_body_has_are_refused_by_path() {
    let bad = [
        0.0,
        -0.0,
        -1.0,
        -5e-324,
        5e-324,
        1e-320,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -1e308,
    ];
    for value in bad {
        let mut parts = three();
        parts.bodies[1].inertia.mass = value;
        assert_eq!(
            parts.build().unwrap_err().path,
            "bodies[1].inertia.mass",
            "{value:e}"
        );
        for axis in 0..3 {
            let mut parts = three();
            parts.bodies[1].inertia.moments[axis] = value;
            let error = parts.build().unwrap_err();
            assert!(
                error.path.starts_with("bodies[1].inertia.moments"),
                "{value:e}: {error}"
            );
        }
    }
    // one moment above the sum of the others, in every place, by a little and by much
    for axis in 0..3 {
        for excess in [1e-6, 1e-3, 1.0, 1e6, 1e300] {
            let mut moments = Vector3::new(1.0, 2.0, 1.5);
            moments[axis] = (moments.sum() - moments[axis]) * (1.0 + excess);
            let mut parts = three();
            parts.bodies[2].inertia.moments = moments;
            let error = parts.build().unwrap_err();
            assert_eq!(error.path, format!("bodies[2].inertia.moments[{axis}]"));
            assert_eq!(error.value, moments[axis].to_string());
        }
    }
}

#[test]
fn steps_without_a_length_are_refused_and_change_nothing() {
    let mut scheme = soft_step();
    let mut world = three().build().unwrap();
    let before = world.clone();
    for dt in [0.0, -0.0, -0.01, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = scheme.step(&mut world, dt, &mut ()).unwrap_err();
        assert!(matches!(error, StepError::TimeStep { .. }), "{dt}");
        assert_eq!(world, before);
    }
    for dt in [5e-324, 1e-310, 1e-100, 1e100, 1e308] {
        match scheme.step(&mut world, dt, &mut ()) {
            Ok(_) => {}
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        assert!(is_finite(&world), "{dt:e}");
    }
}
