//! A peer for tests: projected Gauss-Seidel behind the protocol of docs/peers.md, in a few lines.
//!
//! Its one argument says what it does instead of answering honestly; without one it is honest.

use std::io::{self, Write};
use std::thread::sleep;
use std::time::{Duration, Instant};

use delassus_core::{ContactLaw, Friction, Law, Problem};
use delassus_problems::read_bytes;
use delassus_solver_process::{FrameArray, PeerMessage};
use serde_json::{Value, json};

/// Bytes of the arrays of a request at most \[B\].
const MOST: u64 = 1 << 30;

/// What a solve left.
struct Solved {
    impulses: Vec<f64>,
    iterations: u64,
    change: f64,
    late: bool,
}

/// The peer between two requests.
struct Server {
    mode: String,
    problem: Option<Problem>,
    omega: f64,
    state: Vec<f64>,
    done: u64,
    tolerance: f64,
}

fn main() {
    let mode = std::env::args().nth(1).unwrap_or_default();
    let mut server = Server {
        mode: mode.clone(),
        problem: None,
        omega: 1.0,
        state: Vec::new(),
        done: 0,
        tolerance: 0.0,
    };
    match mode.as_str() {
        "silent" => sleep(Duration::from_secs(600)),
        "print" => println!("Welcome to my solver, version 7"),
        "gone" => {
            eprintln!("no licence found");
            std::process::exit(3);
        }
        _ => {}
    }
    send(hello(&mode), Vec::new());
    let mut input = io::stdin().lock();
    while let Ok(request) = PeerMessage::read(&mut input, MOST) {
        if !server.answer(&request) {
            return;
        }
    }
    if mode == "deaf" {
        // the end of its input does not end it
        sleep(Duration::from_secs(600));
    }
}

fn send(head: Value, arrays: Vec<FrameArray>) {
    let Value::Object(head) = head else {
        return;
    };
    let mut out = io::stdout().lock();
    let frame = PeerMessage { head, arrays };
    if frame.write(&mut out).is_err() {
        std::process::exit(1);
    }
}

fn hello(mode: &str) -> Value {
    let laws = json!({
        "equality": "exact", "bounds": "exact", "frictionless": "exact", "disc": "exact",
        "coulomb": "exact", "convex-cone": "exact",
    });
    let solver = |name: &str, chunks: bool| {
        json!({
            "name": name, "laws": laws, "operators": ["matrix", "bodies"], "unsymmetric": true,
            "precision": "f64", "deterministic": true, "clock": "own", "chunks": chunks,
            "tolerance": { "meaning": "the largest change of an impulse in a sweep", "unit": "N·s" },
            "parameters": [{ "name": "omega", "default": 1.0, "text": "Relaxation factor.", "unit": "-" }],
        })
    };
    let environment = std::env::var("OMP_NUM_THREADS").unwrap_or_default();
    let secret = std::env::var("SECRET_OF_TEST").is_ok();
    let mut hello = json!({
        "protocol": 1, "peer": "test-peer", "version": "0.1", "hash": "sha256:none",
        "blas": format!("threads {environment}, secret {secret}"),
        "solvers": [solver("gs", mode == "chunks")],
    });
    if mode == "two" {
        hello["solvers"] = json!([solver("gs", false), solver("steps", true)]);
    }
    if mode == "future" {
        hello["protocol"] = json!(2);
    }
    hello
}

impl Server {
    /// Answers a request; false at the last.
    fn answer(&mut self, request: &PeerMessage) -> bool {
        let head = &request.head;
        let id = head.get("id").cloned().unwrap_or_default();
        match head.get("op").and_then(Value::as_str) {
            Some("quit") => return self.mode == "deaf",
            Some("prepare") => self.prepare(request, &id),
            Some("solve") => {
                let number = |key: &str| head.get(key).and_then(Value::as_f64).unwrap_or(0.0);
                self.tolerance = number("tolerance");
                let start = request.array("start").and_then(FrameArray::numbers);
                let rows = self.problem.as_ref().map_or(0, Problem::rows);
                self.state = start.unwrap_or_else(|| vec![0.0; rows]);
                self.done = 0;
                let limit = head.get("max_iterations").and_then(Value::as_u64);
                self.solve(&id, limit.unwrap_or(1), number("max_seconds"));
            }
            Some("chunk") => {
                let more = head.get("iterations").and_then(Value::as_u64);
                self.solve(&id, more.unwrap_or(1), 600.0);
            }
            _ => send(json!({ "id": id, "error": "unsupported op" }), Vec::new()),
        }
        true
    }

    fn prepare(&mut self, request: &PeerMessage, id: &Value) {
        let bytes = request.array("problem").map(|array| array.bytes.as_slice());
        let read = read_bytes("problem", bytes.unwrap_or_default(), ContactLaw::Coulomb);
        let omega = request.head.get("parameters").and_then(|p| p.get("omega"));
        self.omega = omega.and_then(Value::as_f64).unwrap_or(1.0);
        match read {
            _ if self.mode == "refuses" => {
                let words = "no problem is good enough";
                send(
                    json!({ "id": id, "claimed": "unsupported", "message": words }),
                    Vec::new(),
                );
            }
            Ok(named) => {
                self.problem = Some(named.problem);
                send(json!({ "id": id }), Vec::new());
            }
            Err(error) => send(json!({ "id": id, "error": error.to_string() }), Vec::new()),
        }
    }

    /// Solves, and answers as its mode says.
    fn solve(&mut self, id: &Value, iterations: u64, seconds: f64) {
        let Some(problem) = &self.problem else {
            send(json!({ "id": id, "error": "no problem" }), Vec::new());
            return;
        };
        let clock = Instant::now();
        match self.mode.as_str() {
            "hang" => sleep(Duration::from_secs(600)),
            "die" => {
                eprintln!("Assertion `W(i, i) > 0' failed.");
                std::process::abort();
            }
            "chatter" => {
                let mut errors = io::stderr().lock();
                for line in 0..200_000 {
                    let _ = writeln!(errors, "iteration {line} of very many");
                }
            }
            _ => {}
        }
        let solved = sweeps(problem, self, iterations, seconds);
        self.done += solved.iterations;
        self.state.clone_from(&solved.impulses);
        let mut impulses = solved.impulses;
        let converged = solved.change <= self.tolerance;
        let mut claimed = match converged {
            true => "converged",
            false if solved.late => "time",
            false => "limit",
        };
        match self.mode.as_str() {
            "long" => impulses.push(0.0),
            "nan" => impulses[0] = f64::NAN,
            "lies" => {
                impulses.iter_mut().for_each(|x| *x *= 0.5);
                claimed = "converged";
            }
            "gives-up" => claimed = "failed",
            _ => {}
        }
        let mut head = json!({
            "id": id, "claimed": claimed, "iterations": self.done, "clock": "own",
            "residuals": { "change": solved.change, "nothing": null },
            "solve_s": clock.elapsed().as_secs_f64(),
        });
        let mut arrays = vec![FrameArray::of_numbers("impulses", &impulses)];
        match self.mode.as_str() {
            "gives-up" => {
                head["message"] = json!("the matrix is not mine");
                arrays.clear();
            }
            "huge" | "huge-again" => arrays[0].head.length = 1 << 60,
            "other-id" => head["id"] = json!(77),
            "error" => head = json!({ "id": id, "error": "I do not know how" }),
            "claims" => head["claimed"] = json!("perhaps"),
            "endless" => head["solve_s"] = json!(1e300),
            _ => {}
        }
        send(head, arrays);
    }
}

/// W, row by row, with what a mode gets wrong about it.
fn matrix(problem: &Problem, mode: &str) -> Vec<Vec<f64>> {
    let rows = problem.rows();
    let mut columns = vec![vec![0.0; rows]; rows];
    let mut unit = vec![0.0; rows];
    for (index, column) in columns.iter_mut().enumerate() {
        unit[index] = 1.0;
        problem.apply_delassus(&unit, column);
        unit[index] = 0.0;
        if mode != "ignores-compliance" {
            column[index] += problem.compliance()[index];
        }
    }
    if mode == "transposes" {
        return columns;
    }
    let row = |i: usize| -> Vec<f64> { columns.iter().map(|column| column[i]).collect() };
    (0..rows).map(row).collect()
}

/// The law that a mode solves for a law.
fn solved_law(law: &Law, mode: &str) -> Law {
    match (law, mode) {
        (Law::Contact(Friction::ConvexCone { mu }), "always-exact") => {
            Law::Contact(Friction::Coulomb { mu: *mu })
        }
        _ => law.clone(),
    }
}

/// Gauss-Seidel over the blocks, each projected onto its set.
fn sweeps(problem: &Problem, server: &Server, most: u64, seconds: f64) -> Solved {
    let clock = Instant::now();
    let matrix = matrix(problem, &server.mode);
    let mut solved = Solved {
        impulses: server.state.clone(),
        iterations: 0,
        change: f64::INFINITY,
        late: false,
    };
    while solved.iterations < most && solved.change > server.tolerance && !solved.late {
        solved.change = 0.0;
        for block in problem.blocks() {
            let own = block.rows();
            let w = |row: usize| {
                let products = matrix[row].iter().zip(&solved.impulses);
                problem.b()[row] + products.map(|(a, x)| a * x).sum::<f64>()
            };
            let scale = own.clone().map(|row| matrix[row][row]);
            let scale = scale.fold(f64::MIN_POSITIVE, f64::max);
            let step = |row: usize| solved.impulses[row] - server.omega * w(row) / scale;
            let mut next: Vec<f64> = own.clone().map(step).collect();
            let law = solved_law(&block.law, &server.mode);
            for factor in law.factors(block.dim).in_disc_form() {
                factor.project(&mut next);
            }
            for (row, next) in own.zip(next) {
                solved.change = solved.change.max((next - solved.impulses[row]).abs());
                solved.impulses[row] = next;
            }
        }
        solved.iterations += 1;
        solved.late = clock.elapsed().as_secs_f64() > seconds;
    }
    solved
}
