//! An engine for tests: the scheme `xpbd` behind the protocol of docs/engines.md, in a few lines.
//!
//! Its one argument says what it does instead of answering honestly; without one it is honest.

use std::io;
use std::thread::sleep;
use std::time::{Duration, Instant};

use delassus_core::parameter::Map;
use delassus_dynamics::{Scheme, World, WorldParts, scheme};
use delassus_solver_process::{FrameArray, PeerMessage};
use serde_json::{Value, json};

/// Bytes of the arrays of a request at most \[B\].
const MOST: u64 = 1 << 30;

/// A scene with what steps it.
struct Loaded {
    world: World,
    scheme: Box<dyn Scheme>,
}

fn main() {
    let mode = std::env::args().nth(1).unwrap_or_default();
    match mode.as_str() {
        "print" => println!("Welcome to my engine, version 7"),
        "gone" => {
            eprintln!("no licence found");
            std::process::exit(3);
        }
        _ => {}
    }
    send(hello(&mode), Vec::new());
    let mut input = io::stdin().lock();
    let (mut loaded, mut loads) = (None, 0);
    while let Ok(request) = PeerMessage::read(&mut input, MOST) {
        let id = request.head.get("id").cloned().unwrap_or_default();
        match request.head.get("op").and_then(Value::as_str) {
            Some("quit") => return,
            Some("load") => {
                loads += 1;
                send(answer_load(&mode, &id, &request, &mut loaded), Vec::new());
            }
            Some("step") => step(&mode, loads, &id, &request, loaded.as_mut()),
            _ if mode == "agrees" => send(json!({ "id": id }), Vec::new()),
            _ => send(json!({ "id": id, "error": "unsupported op" }), Vec::new()),
        }
    }
}

/// Takes the scene of a request, and says how that went.
fn answer_load(
    mode: &str,
    id: &Value,
    request: &PeerMessage,
    loaded: &mut Option<Loaded>,
) -> Value {
    match load(mode, request) {
        _ if mode == "refuses" => {
            json!({ "id": id, "unsupported": "joints[0] (gear) has no form here" })
        }
        _ if mode == "keeps" && loaded.is_some() => json!({ "id": id }),
        Ok(new) => {
            *loaded = Some(new);
            let departures: &[&str] = match mode {
                "departs" => &["joints[0] is left out"],
                _ => &[],
            };
            json!({ "id": id, "departures": departures })
        }
        Err(error) => json!({ "id": id, "error": error }),
    }
}

fn send(head: Value, arrays: Vec<FrameArray>) {
    let Value::Object(head) = head else {
        return;
    };
    let message = PeerMessage { head, arrays };
    if message.write(&mut io::stdout().lock()).is_err() {
        std::process::exit(1);
    }
}

fn hello(mode: &str) -> Value {
    let protocol = if mode == "future" { 2 } else { 1 };
    let version = match mode {
        "renamed" => std::process::id().to_string(),
        _ => "0.1".to_owned(),
    };
    json!({
        "protocol": protocol, "engine": "test-engine", "version": version, "precision": "f64",
        "clock": "own", "notes": ["contacts are its own"],
        "parameters": [
            { "name": "substeps", "default": 20, "text": "Substeps per frame.", "unit": "-" },
        ],
    })
}

/// Builds the world of a request, and the scheme with its parameters.
fn load(mode: &str, request: &PeerMessage) -> Result<Loaded, String> {
    let scene = request.array("scene").map(|array| array.bytes.as_slice());
    let wrong = |error| format!("the scene cannot be read: {error}");
    let mut scene: Value = serde_json::from_slice(scene.unwrap_or_default()).map_err(wrong)?;
    match mode {
        "ignores" => (scene["joints"], scene["colliders"]) = (json!([]), json!([])),
        "ghosts" => {
            scene["colliders"] = match scene["colliders"].to_string().contains("no-such") {
                // it reads what it does not use
                true => scene["colliders"].take(),
                false => json!([]),
            }
        }
        _ => {}
    }
    let parts: WorldParts = serde_json::from_value(scene).map_err(wrong)?;
    let world = parts.build().map_err(|error| error.to_string())?;
    let given = request.head.get("parameters").and_then(Value::as_object);
    let entry = scheme("xpbd").map_err(|error| error.to_string())?;
    let given = given.cloned().unwrap_or_else(Map::new);
    let scheme = entry.build_with(&given, None);
    let scheme = scheme.map_err(|error| error.to_string())?;
    Ok(Loaded { world, scheme })
}

fn step(mode: &str, loads: u32, id: &Value, request: &PeerMessage, loaded: Option<&mut Loaded>) {
    let Some(Loaded { world, scheme }) = loaded else {
        return send(json!({ "id": id, "error": "no scene" }), Vec::new());
    };
    let dt = request.head.get("dt").and_then(Value::as_f64);
    let clock = Instant::now();
    if let Err(error) = scheme.step(world, dt.unwrap_or(0.0), &mut ()) {
        return send(json!({ "id": id, "error": error.to_string() }), Vec::new());
    }
    let seconds = clock.elapsed().as_secs_f64();
    let mut states = states(world);
    spoil(mode, loads, world, &mut states);
    let mut answer = json!({ "id": id, "step_s": seconds });
    match mode {
        "backwards" => answer["step_s"] = json!(-1.0),
        "endless" => answer["step_s"] = json!(1e300),
        "other-id" => answer["id"] = json!(0),
        "hang" => sleep(Duration::from_secs(600)),
        "die" => {
            eprintln!("Assertion `dot(n, n) > 0' failed.");
            std::process::exit(134);
        }
        "slow-clock" => answer["step_s"] = json!(0.25),
        _ => {}
    }
    send(answer, vec![FrameArray::of_numbers("states", &states)]);
}

/// What states become in some modes.
fn spoil(mode: &str, loads: u32, world: &World, states: &mut Vec<f64>) {
    let last = states.len() - 13;
    match mode {
        "nan" => states[8] = f64::NAN,
        "short" => states.truncate(last + 12),
        "long" => states.push(0.0),
        "unturned" => states[last + 3..last + 7].fill(0.5 * std::f64::consts::FRAC_1_SQRT_2),
        // a body alone falls a step behind
        "late" if last == 0 => states[8] += 9.0 / 60.0,
        "upright" => states[last + 3..last + 7].copy_from_slice(&[0.0, 0.0, 0.0, 1.0]),
        "drifts" => states[last] += 1e-9 * f64::from(loads),
        "seeded" => states[last] += 1e-9 * f64::from(std::process::id() % 1000),
        // it believes that the first body is the ground
        "sorted" if world.bodies()[0].is_dynamic() && last > 0 => states.rotate_left(13),
        _ => {}
    }
}

/// Position, orientation (i, j, k, w), velocity and angular velocity of every body.
fn states(world: &World) -> Vec<f64> {
    let state = |body: &delassus_dynamics::Body| {
        let position = body.position.to_vector();
        let q = body.orientation.coords;
        let (v, w) = (body.velocity, body.spin);
        [
            position.x, position.y, position.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z,
        ]
    };
    world.bodies().iter().flat_map(state).collect()
}
