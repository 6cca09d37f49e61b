//! The cases of a check.

use std::time::Instant;

use delassus_dynamics::WorldParts;
use delassus_solver_process::{self as pool, CheckVerdict, CheckedCase, PeerMessage};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use crate::process::{Fault, seconds_of, states_of};
use crate::states::{NUMBERS, OFF_UNIT};

use super::scenes;
use super::subject::{DT, Subject, Taken, words};

/// Frames of a case: half a second.
const FRAMES: u32 = 30;
/// How far a box at rest may sink or creep \[m\], and its speed \[m/s\]: engines leave 5 mm.
const MOVED: f64 = 0.01;
const CREEPS: f64 = 0.02;
/// How far an orientation may be off after half a second of 3 rad/s \[rad\].
const TURNED: f64 = 0.01;
/// What a clock around the whole exchange may be shorter by \[s\].
const CLOCK: f64 = 1e-3;

/// A case: its name, what must be so, and how it is checked.
type Case = (&'static str, &'static str, fn(&Subject) -> CheckVerdict);

/// Cases of single messages, in this order: one that fails ends the check.
const MESSAGES: [Case; 7] = [
    ("hello", "a second process says the same hello", hello),
    (
        "unknown-op",
        "an unknown op is answered with an error",
        unknown_op,
    ),
    ("load", "a scene of one ball is taken", load),
    ("answer", "a frame is answered in time", |own| {
        first_frame(own, |_, _| Ok(()))
    }),
    ("length", "a body has 13 numbers", |own| {
        first_frame(own, |answer, bodies| states_of(answer, bodies).map(drop))
    }),
    (
        "finite",
        "states are finite, and orientations have length 1",
        |own| first_frame(own, |answer, bodies| finite(&states_of(answer, bodies)?)),
    ),
    (
        "clock",
        "step_s is at most the time that the frame took here",
        clock,
    ),
];

/// Cases of motions.
const MOTIONS: [Case; 9] = [
    ("fall", "a ball in flight has its closed form", fall),
    (
        "spin",
        "a ball in flight turns at its angular velocity",
        spin,
    ),
    ("rest", "a box on the ground stays there", rest),
    (
        "order",
        "bodies in another order have the same states",
        order,
    ),
    (
        "repeat",
        "a scene that is loaded again has equal bits",
        repeat,
    ),
    ("reload", "load discards the scene before", reload),
    ("restart", "a process after a death has equal bits", restart),
    (
        "unknown-shape",
        "a shape of no known kind is refused",
        |own| refuses(own, scenes::with_unknown_shape),
    ),
    (
        "unknown-joint",
        "a joint of no known kind is refused",
        |own| refuses(own, scenes::with_unknown_joint),
    ),
];

/// Runs all cases; those of motions only where messages are as they must be.
pub(super) fn all(subject: &Subject) -> Vec<CheckedCase> {
    let mut failed = None;
    let mut cases = Vec::new();
    for (name, rule, case) in MESSAGES.into_iter().chain(MOTIONS) {
        let verdict = match failed {
            Some(before) => CheckVerdict::DoesNotApply(format!("not tried, since {before} fails")),
            None => case(subject),
        };
        let is_message = MESSAGES.iter().any(|(own, ..)| *own == name);
        if is_message && matches!(verdict, CheckVerdict::Fails(_)) {
            failed = Some(name);
        }
        cases.push(CheckedCase {
            name,
            rule,
            verdict,
        });
    }
    cases
}

/// What was seen, or what is wrong.
fn verdict(found: Result<String, String>) -> CheckVerdict {
    match found {
        Ok(seen) => CheckVerdict::Passes(seen),
        Err(wrong) => CheckVerdict::Fails(wrong),
    }
}

fn hello(own: &Subject) -> CheckVerdict {
    // one that waits, and one that is started for this
    let taken = pool::take(&own.program).and_then(|first| {
        let second = pool::take(&own.program)?;
        pool::give(&own.program, first);
        pool::give(&own.program, second);
        Ok("two processes".to_owned())
    });
    verdict(taken)
}

fn unknown_op(own: &Subject) -> CheckVerdict {
    match own.process().ask_unknown(own.seconds) {
        Ok(answer) if answer.head.contains_key("error") => {
            CheckVerdict::Passes("an error, and it lives on".to_owned())
        }
        Ok(_) => CheckVerdict::Fails("its answer has no key error".to_owned()),
        Err(fault) => CheckVerdict::Fails(words(&fault).to_owned()),
    }
}

fn load(own: &Subject) -> CheckVerdict {
    match own.takes(scenes::flight) {
        Ok(Taken { form, .. }) => {
            let shape = if form.covered {
                "a sphere"
            } else {
                "a body without a shape"
            };
            let plane = if form.planar { ", in the plane" } else { "" };
            CheckVerdict::Passes(format!("{shape}{plane}"))
        }
        Err(CheckVerdict::DoesNotApply(reason)) => CheckVerdict::Fails(reason),
        Err(other) => other,
    }
}

/// Judges the answer to the first frame of the ball.
fn first_frame(
    own: &Subject,
    judge: impl Fn(&PeerMessage, usize) -> Result<(), String>,
) -> CheckVerdict {
    let taken = match own.takes(scenes::flight) {
        Ok(taken) => taken,
        Err(verdict) => return verdict,
    };
    let bodies = taken.parts.bodies.len();
    let judged = own.start(&taken.parts).and_then(|mut running| {
        let answer = running.process.ask_step(DT, bodies, own.seconds);
        let answer = answer.map_err(|fault| words(&fault).to_owned())?;
        judge(&answer, bodies)
    });
    verdict(judged.map(|()| "the first frame".to_owned()))
}

fn finite(states: &[f64]) -> Result<(), String> {
    for (body, state) in states.chunks_exact(NUMBERS).enumerate() {
        if let Some(number) = state.iter().position(|x| !x.is_finite()) {
            return Err(format!("number {number} of body {body} is not finite"));
        }
        let length = orientation(state).norm();
        if (length - 1.0).abs() > OFF_UNIT {
            return Err(format!(
                "the orientation of body {body} has the length {length}"
            ));
        }
    }
    Ok(())
}

fn clock(own: &Subject) -> CheckVerdict {
    first_frame_timed(own).unwrap_or_else(|verdict| verdict)
}

fn first_frame_timed(own: &Subject) -> Result<CheckVerdict, CheckVerdict> {
    let taken = own.takes(scenes::flight)?;
    let timed = own.start(&taken.parts).and_then(|mut running| {
        let clock = Instant::now();
        let answer = running
            .process
            .ask_step(DT, taken.parts.bodies.len(), own.seconds);
        let here = clock.elapsed().as_secs_f64();
        let answer = answer.map_err(|fault| words(&fault).to_owned())?;
        let told = seconds_of(&answer, own.seconds)?;
        let seen = format!("{told:.2e} s of {here:.2e} s");
        if told <= here + CLOCK {
            Ok(seen)
        } else {
            Err(seen)
        }
    });
    Ok(verdict(timed))
}

/// Position, orientation, velocity and angular velocity of a body.
fn vector(state: &[f64], from: usize) -> Vector3<f64> {
    Vector3::from_column_slice(&state[from..from + 3])
}

fn orientation(state: &[f64]) -> Quaternion<f64> {
    Quaternion::new(state[6], state[3], state[4], state[5])
}

/// Judges the last states of a scene, in a form that the engine takes.
fn judged(
    own: &Subject,
    scene: fn(scenes::Form) -> WorldParts,
    frames: u32,
    judge: impl Fn(&WorldParts, &[f64]) -> Result<String, String>,
) -> CheckVerdict {
    match own.takes(scene) {
        Ok(taken) => {
            let states = own.run(&taken.parts, frames);
            verdict(states.and_then(|states| judge(&taken.parts, &states)))
        }
        Err(verdict) => verdict,
    }
}

/// Passes if a distance is within a bound.
fn within(what: &str, off: f64, bound: f64, unit: &str) -> Result<String, String> {
    let seen = format!("{what} off by {off:.1e} {unit}");
    // NaN is within nothing
    if off <= bound { Ok(seen) } else { Err(seen) }
}

fn fall(own: &Subject) -> CheckVerdict {
    judged(own, scenes::flight, FRAMES, |parts, state| {
        let body = &parts.bodies[0];
        let time = f64::from(FRAMES) * DT;
        let velocity = body.velocity + time * parts.gravity;
        let speed = velocity.norm();
        let off = (vector(state, 7) - velocity).norm();
        within("velocity", off, own.close(speed), "m/s")?;
        let way = time * body.velocity + 0.5 * time * time * parts.gravity;
        let off = (vector(state, 0) - body.position.to_vector() - way).norm();
        // a method of first order is half a step of the fall ahead or behind
        let order = 0.5 * parts.gravity.norm() * time * DT;
        within("place", off, order + own.close(10.0), "m")
    })
}

fn spin(own: &Subject) -> CheckVerdict {
    judged(own, scenes::spinning, FRAMES, |parts, state| {
        let body = &parts.bodies[0];
        let off = (vector(state, 10) - body.spin).norm();
        within("angular velocity", off, own.close(3.0), "rad/s")?;
        let turn = UnitQuaternion::from_scaled_axis(f64::from(FRAMES) * DT * body.spin);
        let found = UnitQuaternion::new_normalize(orientation(state));
        let off = found.angle_to(&(turn * body.orientation));
        within("orientation", off, TURNED, "rad")
    })
}

/// The box on the ground, and the ball.
fn mixed(form: scenes::Form) -> WorldParts {
    scenes::mixed(form, [0, 1, 2])
}

fn rest(own: &Subject) -> CheckVerdict {
    judged(own, mixed, 2 * FRAMES, |parts, states| {
        let state = &states[NUMBERS..2 * NUMBERS];
        let off = (vector(state, 0) - parts.bodies[1].position.to_vector()).norm();
        let speed = (vector(state, 7).norm()).max(vector(state, 10).norm());
        within("speed", speed, CREEPS, "m/s")?;
        within("place", off, MOVED, "m")
    })
}

fn order(own: &Subject) -> CheckVerdict {
    const PLAIN: [usize; 3] = [0, 1, 2];
    const OTHER: [usize; 3] = [2, 0, 1];
    let scene = match own.takes(mixed) {
        Ok(taken) => Ok((
            taken.form,
            scenes::mixed as fn(scenes::Form, [usize; 3]) -> WorldParts,
        )),
        Err(_) => own
            .takes(|form| scenes::swarm(form, PLAIN))
            .map(|taken| (taken.form, scenes::swarm as _)),
    };
    let (form, scene) = match scene {
        Ok(found) => found,
        Err(verdict) => return verdict,
    };
    let compared = own.run(&scene(form, PLAIN), FRAMES).and_then(|plain| {
        let other = own.run(&scene(form, OTHER), FRAMES)?;
        let mut off = 0.0_f64;
        for (place, which) in OTHER.into_iter().enumerate() {
            // of the body that does not move, nothing is read
            if which > 0 {
                let pair = plain[NUMBERS * which..]
                    .iter()
                    .zip(&other[NUMBERS * place..]);
                off = pair
                    .take(NUMBERS)
                    .map(|(a, b)| (a - b).abs())
                    .fold(off, f64::max);
            }
        }
        within("states", off, own.close(10.0), "")
    });
    verdict(compared)
}

/// The richest scene that the engine takes.
fn some_scene(own: &Subject) -> Result<WorldParts, CheckVerdict> {
    let taken = own.takes(mixed).or_else(|_| own.takes(scenes::flight));
    taken.map(|taken| taken.parts)
}

fn same(one: &[f64], other: &[f64]) -> Result<String, String> {
    let equal = one.len() == other.len();
    let mut pairs = one.iter().zip(other);
    match equal && pairs.all(|(a, b)| a.to_bits() == b.to_bits()) {
        true => Ok(format!("{FRAMES} frames")),
        false => Err("the states differ".to_owned()),
    }
}

fn repeat(own: &Subject) -> CheckVerdict {
    let parts = match some_scene(own) {
        Ok(parts) => parts,
        Err(verdict) => return verdict,
    };
    let first = own.run(&parts, FRAMES);
    verdict(first.and_then(|first| same(&first, &own.run(&parts, FRAMES)?)))
}

fn reload(own: &Subject) -> CheckVerdict {
    let (parts, next) = match (some_scene(own), own.takes(scenes::flight)) {
        (Ok(parts), Ok(next)) => (parts, next.parts),
        (Err(verdict), _) | (_, Err(verdict)) => return verdict,
    };
    let compared = own.run(&next, FRAMES).and_then(|alone| {
        let mut running = own.start(&parts)?;
        running.advance(FRAMES)?;
        running.reload(&next)?;
        same(&alone, &running.advance(FRAMES)?)
    });
    verdict(compared)
}

fn restart(own: &Subject) -> CheckVerdict {
    let parts = match some_scene(own) {
        Ok(parts) => parts,
        Err(verdict) => return verdict,
    };
    let compared = own.run(&parts, FRAMES).and_then(|before| {
        let mut running = own.start(&parts)?;
        running.advance(1)?;
        running.process.kill();
        // no process is left that could answer in its place
        pool::end_all();
        same(&before, &own.run(&parts, FRAMES)?)
    });
    verdict(compared)
}

fn refuses(own: &Subject, scene: fn(scenes::Form) -> serde_json::Value) -> CheckVerdict {
    let form = match own.takes(scenes::flight) {
        Ok(taken) => taken.form,
        Err(verdict) => return verdict,
    };
    let mut process = own.process();
    match own.load(&mut process, &scene(form)) {
        Ok(()) => CheckVerdict::Fails("it takes the scene".to_owned()),
        Err(Fault::Refused(reason)) => CheckVerdict::Passes(reason),
        Err(Fault::Failed(reason)) if process.is_running() => {
            CheckVerdict::Passes(format!("an error: {reason}"))
        }
        Err(Fault::Failed(reason)) => CheckVerdict::Fails(reason),
    }
}
