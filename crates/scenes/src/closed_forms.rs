//! Closed forms of scenes over time: which law an observable of a scene obeys, and under which
//! schemes.
//!
//! The laws themselves are in [`crate::oracles`]. A law is given only where it holds for that scene
//! with that scheme; a scene without an entry has none.

mod rest;
mod sliding;
mod soft;
mod steps;

use delassus_core::numbers::significant;
use delassus_dynamics::constraints::Curve;
use delassus_metrics::ClosedForm;
use delassus_systems::Stack;
use serde_json::{Map, Value};

use crate::boxes::BoxWorld;
use crate::oracles::{bead_radii, pendulum::angle_at, relaxed_share};
use crate::scene::Scene;
use crate::scenes::{
    BeadScene, ChainWorld, FootedBox, Pendulum, PendulumJoint, Rolling, SlidingBlock, SoftContact,
    SoftJoint, SpinningDisc, TwoBodySpring, WeldPair,
};
use crate::soft::SoftForm;
pub use steps::SchemeSteps;
use steps::{kept, parsed, released};

/// Finds the closed forms of one scene: its parameters, the steps of the run, the observable.
type Find = fn(&Map<String, Value>, Option<SchemeSteps<'_>>, &str) -> Vec<ClosedForm>;

/// The scenes that have closed forms.
const SCENES: [(&str, Find); 12] = [
    (Pendulum::DESCRIPTOR.id, of_pendulum),
    (BeadScene::DESCRIPTOR.id, of_bead),
    (TwoBodySpring::DESCRIPTOR.id, of_two_bodies),
    (SoftJoint::DESCRIPTOR.id, soft::of_joint),
    (SoftContact::DESCRIPTOR.id, soft::of_contact),
    (ChainWorld::DESCRIPTOR.id, rest::of_chain),
    (<BoxWorld<Stack>>::DESCRIPTOR.id, rest::of_stack),
    (WeldPair::DESCRIPTOR.id, rest::of_weld),
    (SlidingBlock::DESCRIPTOR.id, sliding::of_block),
    (FootedBox::DESCRIPTOR.id, sliding::of_incline),
    (SpinningDisc::DESCRIPTOR.id, sliding::of_disc),
    (Rolling::DESCRIPTOR.id, sliding::of_roller),
];

/// Closed forms of an observable of the scene `id` with these parameters. `steps` are the substeps
/// of the run; `None` for other schemes than velocity-level ones, and where the length of frames
/// changes within the run.
///
/// - `pendulum`, point mass released at rest: its exact place, "x\[1\].x" and "x\[1\].y" (O.9);
/// - `bead` on a circle without gravity, held by velocities alone: its error "C\[0\].0" and the
///   drifts (O.5);
/// - `two-body-spring`, soft: the error "C\[0\].0" of the damped oscillator, and of the implicit
///   Euler method on it;
/// - `two-body-spring`, rigid: the decay of its first error, "C\[0\].0" and the drifts (O.1),
///   (O.2), compared with the exponential that it is sometimes taken for;
/// - `soft-joint`: its errors "C\[0\].i" in small motion (S.23), compared with the damped
///   oscillator;
/// - `soft-contact`: its height "x\[1\].y" at rest (S.21), or compared with the oscillator while it
///   stays pressed;
/// - `chain` of point masses that hangs straight: the stretch of its springs at rest, "C\[i\].0"
///   (O.4), or two rigid links that the scheme makes soft and sweeps over (O.22);
/// - `stack` of cubes on springs: overlaps and heights "x\[i\].y" at rest (S.13);
/// - `weld-pair`: the least "motion" that closes the weld (O.25);
/// - `sliding-block`: place and velocity along the ground, "x\[1\].x" … "v\[1\].z", by Coulomb's
///   law (O.29), and by the scene's own law in the scheme's steps (O.36);
/// - `footed-box` from rest: its velocities along the incline by Coulomb's law (O.28), and by its
///   own (O.36);
/// - `spinning-disc` that does not slide: "w\[1\].y" under uniform pressure, and on points of its
///   rim (O.34);
/// - `rolling` down a slope from rest: "v\[1\].x" (O.31).
pub fn closed_forms(
    id: &str,
    parameters: &Map<String, Value>,
    steps: Option<SchemeSteps<'_>>,
    observable: &str,
) -> Vec<ClosedForm> {
    let found = SCENES.iter().find(|(known, _)| *known == id);
    found.map_or_else(Vec::new, |(_, find)| find(parameters, steps, observable))
}

fn of_pendulum(
    parameters: &Map<String, Value>,
    _: Option<SchemeSteps<'_>>,
    observable: &str,
) -> Vec<ClosedForm> {
    let Some(scene) = parsed::<Pendulum>(parameters) else {
        return Vec::new();
    };
    let simple = scene.joint == PendulumJoint::Distance
        && [scene.speed, scene.amplitude, scene.spring.hertz] == [0.0; 3]
        && scene.gravity > 0.0
        && scene.angle.abs() < std::f64::consts::PI;
    let (length, gravity, start) = (scene.length, scene.gravity, scene.angle);
    let place: fn(f64) -> f64 = match observable {
        "x[1].x" if simple => libm::sin,
        "x[1].y" if simple => |angle| -libm::cos(angle),
        _ => return Vec::new(),
    };
    vec![ClosedForm {
        name: "exact motion".to_owned(),
        of_method: false,
        discrete: false,
        at: Box::new(move |t| length * place(angle_at(length, gravity, start, t))),
    }]
}

fn of_bead(
    parameters: &Map<String, Value>,
    steps: Option<SchemeSteps<'_>>,
    observable: &str,
) -> Vec<ClosedForm> {
    let (Some(scene), Some(steps)) = (parsed::<BeadScene>(parameters), steps) else {
        return Vec::new();
    };
    let Curve::Circle { radius } = scene.curve else {
        return Vec::new();
    };
    let free = [scene.gravity, scene.spring.hertz] == [0.0; 2];
    let bare = steps.text("stabilization") == "none" && !steps.has("position_sweeps");
    // lever arms of the frame's start would turn the wire
    let current = steps.text("anchors") == "rotated" || steps.number("substeps") == Some(1.0);
    let known = matches!(observable, "C[0].0" | "drift_max" | "drift_rms");
    if !(free && bare && current && known) {
        return Vec::new();
    }
    let radii = bead_radii(radius, scene.speed, steps.h, steps.count);
    let h = significant(steps.h, 3);
    let drifts = radii.into_iter().map(|r| r - radius).collect();
    vec![steps.law(format!("drift along tangents, h = {h}"), drifts)]
}

fn of_two_bodies(
    parameters: &Map<String, Value>,
    steps: Option<SchemeSteps<'_>>,
    observable: &str,
) -> Vec<ClosedForm> {
    let Some(scene) = parsed::<TwoBodySpring>(parameters) else {
        return Vec::new();
    };
    if scene.gravity != 0.0 {
        return Vec::new();
    }
    if scene.hertz > 0.0 {
        if observable != "C[0].0" {
            return Vec::new();
        }
        return oscillations(&scene, steps);
    }
    if observable == "C[0].0"
        && let Some(steps) = steps.filter(SchemeSteps::is_plain)
        && steps.number("joint_slop") == Some(0.0)
        && let Some((hertz, damping_ratio)) = rest::joint_spring(&steps)
    {
        // the scheme makes the rigid row a spring, and nothing takes its velocity away
        let spring = TwoBodySpring {
            hertz,
            damping_ratio,
            form: SoftForm::Frequency,
            ..scene
        };
        return oscillations(&spring, Some(steps));
    }
    let magnitude = match observable {
        "C[0].0" => false,
        "drift_max" | "drift_rms" => true,
        _ => return Vec::new(),
    };
    decays(steps, scene.stretch, magnitude)
}

/// The oscillator of a soft row without forces: C″ + 2ζω C′ + ω² C = 0 from C = `stretch` at rest.
fn oscillations(scene: &TwoBodySpring, steps: Option<SchemeSteps<'_>>) -> Vec<ClosedForm> {
    let omega = std::f64::consts::TAU * scene.hertz;
    let (zeta, start) = (scene.damping_ratio, scene.stretch);
    let mut found = vec![ClosedForm {
        name: "damped oscillator".to_owned(),
        of_method: false,
        discrete: false,
        at: Box::new(move |t| start * released(omega, zeta, t)),
    }];
    if let Some(steps) = steps.filter(SchemeSteps::is_plain) {
        let h = steps.h;
        let (k, d) = kept(scene.form, scene.step, h, omega * omega, 2.0 * zeta * omega);
        let (mut c, mut v) = (start, 0.0);
        let mut values = vec![c];
        for _ in 0..steps.count {
            // v⁺ = v − h (k C⁺ + d v⁺) with C⁺ = C + h v⁺, for an effective mass of one
            v = (v - h * k * c) / (1.0 + h * d + h * h * k);
            c += h * v;
            values.push(c);
        }
        let h = significant(h, 3);
        found.push(steps.law(format!("implicit Euler, h = {h}"), values));
    }
    found
}

/// The decay of an error that starts at rest: (1 − share)ⁿ, and for Baumgarte's share the
/// exponential e^(−βn).
fn decays(steps: Option<SchemeSteps<'_>>, start: f64, magnitude: bool) -> Vec<ClosedForm> {
    let Some(steps) = steps else {
        return Vec::new();
    };
    if steps.has("position_sweeps") || steps.number("joint_slop") != Some(0.0) {
        return Vec::new();
    }
    let beta = steps.number("beta");
    let stabilization = steps.text("stabilization");
    let share = match stabilization {
        // a relax pass takes Baumgarte's velocity away after the poses have moved
        "baumgarte" | "split-impulse" => beta,
        "tau-damping" => beta
            .zip(steps.number("damping"))
            .map(|(tau, damping)| tau / damping),
        "soft" if steps.has("relax_sweeps") => soft_share(&steps),
        _ => None,
    };
    let Some(share) = share else {
        return Vec::new();
    };
    let size = if magnitude { start.abs() } else { start };
    let mut values = vec![size];
    for n in 0..steps.count {
        let next = (1.0 - share) * values[n];
        values.push(if magnitude { next.abs() } else { next });
    }
    let text = significant(share, 3);
    let h = steps.h;
    let shown = significant(h, 3);
    let mut found = vec![steps.law(format!("(1 − {text})ⁿ, h = {shown}"), values)];
    if stabilization != "soft" {
        found.push(ClosedForm {
            name: format!("exp(−{text} n), h = {shown}"),
            of_method: true,
            discrete: false,
            at: Box::new(move |t| size * libm::exp(-share * t / h)),
        });
    }
    found
}

/// Share of the error that a rigid row loses as a stiff spring, with the bound of the stiffness
/// (O.2).
fn soft_share(steps: &SchemeSteps<'_>) -> Option<f64> {
    let (hertz, zeta) = rest::joint_spring(steps)?;
    Some(relaxed_share(hertz, zeta, steps.h))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest residual of C″ + 2ζω C′ + ω² C by central differences, relative to ω².
    fn residual(omega: f64, zeta: f64) -> f64 {
        let (mut worst, step) = (0.0, 1e-4);
        for i in 1..200 {
            let t = 0.01 * f64::from(i);
            let at = |t| released(omega, zeta, t);
            let second = (at(t + step) - 2.0 * at(t) + at(t - step)) / (step * step);
            let first = (at(t + step) - at(t - step)) / (2.0 * step);
            let value: f64 = second + 2.0 * zeta * omega * first + omega * omega * at(t);
            worst = f64::max(worst, value.abs() / (omega * omega));
        }
        worst
    }

    #[test]
    fn the_oscillator_solves_its_equation_at_every_damping() {
        for zeta in [0.0, 0.3, 1.0, 1.000_001, 5.0] {
            assert_eq!(released(7.0, zeta, 0.0), 1.0);
            // differences of second order: step² ω⁴ / 12 and rounding / step²
            let worst = residual(7.0, zeta);
            assert!(worst < 1e-5, "ζ = {zeta}: {worst:.1e}");
        }
    }
}
