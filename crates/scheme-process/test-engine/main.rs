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
    let mut loaded = None;
    while let Ok(request) = PeerMessage::read(&mut input, MOST) {
        let id = request.head.get("id").cloned().unwrap_or_default();
        match request.head.get("op").and_then(Value::as_str) {
            Some("quit") => return,
            Some("load") => match load(&request) {
                _ if mode == "refuses" => {
                    send(
                        json!({ "id": id, "unsupported": "joints[0] (gear) has no form here" }),
                        Vec::new(),
                    );
                }
                Ok(new) => {
                    loaded = Some(new);
                    let departures: &[&str] = match mode.as_str() {
                        "departs" => &["joints[0] is left out"],
                        _ => &[],
                    };
                    send(json!({ "id": id, "departures": departures }), Vec::new());
                }
                Err(error) => send(json!({ "id": id, "error": error }), Vec::new()),
            },
            Some("step") => step(&mode, &id, &request, loaded.as_mut()),
            _ => send(json!({ "id": id, "error": "unsupported op" }), Vec::new()),
        }
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
    json!({
        "protocol": protocol, "engine": "test-engine", "version": "0.1", "precision": "f64",
        "clock": "own", "notes": ["contacts are its own"],
        "parameters": [
            { "name": "substeps", "default": 20, "text": "Substeps per frame.", "unit": "-" },
        ],
    })
}

/// Builds the world of a request, and the scheme with its parameters.
fn load(request: &PeerMessage) -> Result<Loaded, String> {
    let scene = request.array("scene").map(|array| array.bytes.as_slice());
    let parts: WorldParts = serde_json::from_slice(scene.unwrap_or_default())
        .map_err(|error| format!("the scene cannot be read: {error}"))?;
    let world = parts.build().map_err(|error| error.to_string())?;
    let given = request.head.get("parameters").and_then(Value::as_object);
    let entry = scheme("xpbd").map_err(|error| error.to_string())?;
    let given = given.cloned().unwrap_or_else(Map::new);
    let scheme = entry.build_with(&given, None);
    let scheme = scheme.map_err(|error| error.to_string())?;
    Ok(Loaded { world, scheme })
}

fn step(mode: &str, id: &Value, request: &PeerMessage, loaded: Option<&mut Loaded>) {
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
    let mut answer = json!({ "id": id, "step_s": seconds });
    match mode {
        "nan" => states[8] = f64::NAN,
        "short" => states.truncate(12),
        "unturned" => states[16..20].fill(0.5 * std::f64::consts::FRAC_1_SQRT_2),
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
