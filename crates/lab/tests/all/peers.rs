//! Solvers in processes of their own, from the command line. The scripts need no more than Python's
//! standard library; without Python their tests say so and pass.

use std::process::Command;

use delassus_conformance::skip;
use serde_json::Value;

use crate::support::{Lab, with_peers, write_chain};

/// Joints by Gauss-Seidel on W, which the script reads from the snapshot; `LIES` claims too early.
pub(crate) const SCRIPT: &str = r#"
import json, os, struct, sys, time
out = os.fdopen(os.dup(1), "wb"); os.dup2(2, 1)
inp = sys.stdin.buffer
LIES = "lies" in sys.argv

def read():
    head = inp.read(4)
    if len(head) < 4: sys.exit(0)
    m = json.loads(inp.read(struct.unpack("<I", head)[0]))
    size = {"f64": 8, "u64": 8, "f32": 4, "u32": 4, "u8": 1}
    return m, {a["name"]: inp.read(a["length"] * size[a["dtype"]]) for a in m.get("arrays", [])}

def write(m, x=None):
    m["arrays"] = [] if x is None else [{"name": "impulses", "dtype": "f64", "length": len(x)}]
    text = json.dumps(m).encode()
    out.write(struct.pack("<I", len(text)) + text)
    if x is not None: out.write(struct.pack("<%dd" % len(x), *x))
    out.flush()

def load(b):
    n = struct.unpack("<Q", b[:8])[0]
    head, data = json.loads(b[8:8 + n]), b[8 + n:]
    code = {"F64": "d", "U64": "Q", "U32": "I", "U8": "B"}
    d = {}
    for k, t in head.items():
        if k == "__metadata__": continue
        i, j = t["data_offsets"]; c = code[t["dtype"]]
        d[k] = struct.unpack("<%d%s" % ((j - i) // struct.calcsize(c), c), data[i:j])
    m = len(d["rows/bias"]); J = []
    for k, dim in enumerate(d["blocks/dim"]):
        own = d["jacobian/bodies"][d["jacobian/first_body"][k]:d["jacobian/first_body"][k + 1]]
        at = d["jacobian/first_entry"][k]
        for i in range(dim):
            row = {}
            for j, body in enumerate(own):
                e = 6 * (at + i * len(own) + j)
                row[body] = d["jacobian/entries"][e:e + 6]
            J.append(row)
    def times(body, x):
        mass = d["bodies/inverse_mass"][3 * body:3 * body + 3]
        turn = d["bodies/inverse_inertia"][9 * body:9 * body + 9]
        return [mass[i] * x[i] for i in range(3)] + [
            sum(turn[3 * i + j] * x[3 + j] for j in range(3)) for i in range(3)]
    dot = lambda a, b: sum(x * y for x, y in zip(a, b))
    W = [[sum(dot(r[k], times(k, s[k])) for k in r if k in s) for s in J] for r in J]
    v = d["bodies/free_velocity"]
    b = [sum(dot(r[k], v[6 * k:6 * k + 6]) for k in r) + c for r, c in zip(J, d["rows/bias"])]
    for i in range(m): W[i][i] += d["rows/compliance"][i]
    return W, b

write({"protocol": 1, "peer": "script", "version": "3", "solvers": [{
    "name": "gs", "laws": {"equality": "exact"}, "operators": ["bodies"], "precision": "f64",
    "deterministic": True, "clock": "wall",
    "tolerance": {"meaning": "the largest step of an impulse", "unit": "N s"}}]})
while True:
    m, a = read()
    if m["op"] == "quit": sys.exit(0)
    if m["op"] == "prepare":
        W, b = load(a["problem"]); write({"id": m["id"]})
    elif m["op"] == "solve":
        t = time.perf_counter()
        x = list(struct.unpack("<%dd" % len(b), a["start"])) if "start" in a else [0.0] * len(b)
        done, step = 0, 1.0
        while done < m["max_iterations"] and step > (0.1 if LIES else m["tolerance"]):
            step = 0.0
            for i in range(len(b)):
                d = -(sum(w * y for w, y in zip(W[i], x)) + b[i]) / W[i][i]
                x[i] += d; step = max(step, abs(d))
            done += 1
        claimed = "converged" if step <= (0.1 if LIES else m["tolerance"]) else "limit"
        if any(y != y for y in x): claimed = "failed"
        write({"id": m["id"], "claimed": claimed, "iterations": done, "residuals": {"step": step},
               "solve_s": time.perf_counter() - t, "clock": "wall"}, x)
    else:
        write({"id": m["id"], "error": "unsupported op"})
"#;

/// True if there is a Python to run the script.
pub(crate) fn has_python() -> bool {
    let found = Command::new("python3").arg("--version").output().is_ok();
    if !found {
        skip("peers", "python3 is not on this machine");
    }
    found
}

fn lab() -> Lab {
    let lab = Lab::new();
    lab.file("solver.py", SCRIPT);
    write_chain(&lab, 4);
    lab
}

#[test]
fn a_script_solves_and_is_judged() {
    if !has_python() {
        return;
    }
    let lab = lab();
    // the honest one is stopped at our tolerance, which is wider than its own
    for (name, status, claimed) in [
        ("cmd:python3 solver.py", "solved", "limit"),
        ("cmd:python3 solver.py lies", "stagnated", "converged"),
    ] {
        let ran = lab.run(&["solve", "chain.dls", "--solver", name, "--json"]);
        let answer = &ran.objects()[0];
        assert_eq!(answer["status"], status, "{answer}");
        assert_eq!(answer["peer"]["claimed"], claimed, "{answer}");
        assert_eq!(answer["peer"]["restarted"], true);
        assert_eq!(answer["peer"]["clock"], "wall");
        assert_eq!(answer["solver"], name);
    }
}

#[test]
fn a_script_stands_in_a_spec_and_its_claims_are_counted() {
    if !has_python() {
        return;
    }
    let lab = lab();
    lab.file(
        "e/experiment.toml",
        r#"
title = "A script"
question = "Does it say the truth?"
reference = "certified"

[[problem]]
use = "chain"
n = [3, 5]

[[solver]]
use = "pgs"

[[solver]]
label = "script"
use = "cmd:python3 solver.py"
tolerance = 1e-12

[[solver]]
label = "liar"
use = "cmd:python3 solver.py lies"

[measure]
metrics = ["natural_map", "velocity_error"]

[[figure]]
id = "curves"
plot = { convergence = { x = "sweeps" } }

[[table]]
id = "claims"
show = { claims = {} }
"#,
    );
    let ran = lab.run(&["run", "e", "--out", "out", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let claims = std::fs::read_to_string(lab.path("out/tables/claims.csv")).expect("a table");
    let rows: Vec<Vec<&str>> = claims
        .lines()
        .map(|line| line.split(',').collect())
        .collect();
    assert_eq!(rows.len(), 3, "{claims}");
    assert_eq!(
        rows[1][..6],
        ["script", "script 3", "2", "0", "0", "0"],
        "{claims}"
    );
    assert_eq!(
        rows[2][..6],
        ["liar", "script 3", "2", "2", "0", "2"],
        "{claims}"
    );
    let off: f64 = rows[2][7].parse().expect("a velocity error");
    assert!(off > 1e-3, "{claims}");
    let summary = std::fs::read_to_string(lab.path("out/summary.csv")).expect("a summary");
    assert!(
        summary
            .lines()
            .next()
            .is_some_and(|head| head.contains(",claimed,"))
    );
    let figure = std::fs::read_to_string(lab.path("out/figures/curves.svg")).expect("a figure");
    assert!(figure.contains("restarted"));
    let verified = lab.run(&["verify", "out"]);
    assert_eq!(verified.code, 0, "{}{}", verified.stdout, verified.stderr);
    let again = lab.run(&["run", "e", "--out", "out", "--quiet"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    let bundled = lab.run(&["bundle", "out"]);
    assert_eq!(bundled.code, 0, "{}", bundled.stderr);
}

#[test]
fn a_command_that_does_not_start_is_an_error_and_not_a_result() {
    let lab = Lab::new();
    write_chain(&lab, 4);
    for (command, words) in [
        ("cmd:pyhton3 solver.py", "pyhton3 cannot be started"),
        (
            "cmd:sh -c 'echo no licence >&2; exit 3'",
            "it said: no licence",
        ),
    ] {
        lab.run(&["solve", "chain.dls", "--solver", command])
            .is_refused_with(&[words, "in a shell"]);
        let spec = format!(
            "title = \"T\"\nquestion = \"Q?\"\n[[problem]]\nuse = \"chain\"\n[[solver]]\nuse = \"{command}\"\n"
        );
        lab.file("e/experiment.toml", spec);
        lab.run(&["run", "e"])
            .is_refused_with(&["experiment.toml:6:7", words, "in a shell"]);
        assert!(!lab.path("results").exists());
    }
}

#[test]
fn a_copied_folder_starts_nothing() {
    if !has_python() {
        return;
    }
    let lab = lab();
    lab.file(
        "touch.py",
        format!("open('started', 'w').close()\n{SCRIPT}"),
    );
    lab.file(
        "e/experiment.toml",
        "title = \"T\"\nquestion = \"Q?\"\n[[problem]]\nuse = \"chain\"\n[[solver]]\nuse = \"cmd:python3 touch.py\"\n",
    );
    let ran = lab.run(&["run", "e", "--out", "out", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    std::fs::remove_file(lab.path("started")).expect("the script has run");
    // what tells the folder from a copy is gone
    std::fs::remove_file(lab.path("out/.made-here")).expect("a mark");
    for verb in ["verify", "report", "show"] {
        lab.run(&[verb, "out"]);
        assert!(!lab.path("started").exists(), "{verb} started the program");
    }
}

#[test]
fn a_restart_after_a_death_is_no_part_of_the_limit() {
    if !has_python() {
        return;
    }
    let lab = lab();
    // it needs longer to start than a solve may take, and dies of the smaller problem
    let dies = "        if len(b) < 3: os._exit(3)\n    elif m[\"op\"] == \"solve\":";
    let script = SCRIPT.replace("    elif m[\"op\"] == \"solve\":", dies);
    assert_ne!(script, SCRIPT);
    lab.file("slow.py", format!("import time; time.sleep(3.0)\n{script}"));
    write_chain(&lab, 2);
    std::fs::rename(lab.path("chain.dls"), lab.path("short.dls")).expect("a file");
    write_chain(&lab, 4);
    let limit = ["--max-seconds", "2", "--json"];
    let solve = [
        "solve",
        "short.dls",
        "chain.dls",
        "--solver",
        "cmd:python3 slow.py",
    ];
    let ran = lab.run(&[&solve[..], &limit].concat());
    let [died, solved] = &ran.objects()[..] else {
        panic!("{}{}", ran.stdout, ran.stderr);
    };
    assert_eq!(died["status"], "failed", "{died}");
    assert_eq!(solved["status"], "solved", "{solved}");
}

#[test]
fn a_check_reports_every_case() {
    if !has_python() {
        return;
    }
    let lab = lab();
    let ran = lab.run(&["check-peer", "cmd:python3 solver.py", "--json"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let verdict = |cases: &[Value], name: &str| {
        let case = cases.iter().find(|case| case["case"] == name);
        case.expect(name)["verdict"].clone()
    };
    let cases = ran.objects();
    assert_eq!(verdict(&cases, "equality"), "passes");
    assert_eq!(verdict(&cases, "slide"), "does not apply");
    let liar = lab.run(&["check-peer", "cmd:python3 solver.py lies", "--json"]);
    assert_eq!(liar.code, 1, "{}", liar.stdout);
    assert_eq!(verdict(&liar.objects(), "equality"), "FAILS");
}

#[test]
fn peers_that_are_not_here_say_how_to_get_them() {
    let lab = Lab::new();
    lab.file(
        "peers/far/peer.toml",
        "name = \"far\"\ntitle = \"Far 1\"\nsummary = \"Not here.\"\nlicence = \"MIT\"\ninstall = \"get far\"\n\
         command = [\"./far-solver\"]\nsolvers = [\"x\"]\n",
    );
    lab.file("peers/odd/peer.toml", "name = \"even\"\n");
    let text = with_peers(&lab, "peers", &["list", "peers"]).stdout;
    let line = text
        .lines()
        .find(|line| line.starts_with("far "))
        .expect("far");
    for part in ["not here", "MIT", "get far", "x"] {
        assert!(line.contains(part), "{line}");
    }
    assert!(text.contains("unreadable"), "{text}");
    let refused = lab.run(&["check-peer", "peer:none/x"]);
    assert_eq!(refused.code, 4, "{}", refused.stderr);
    for verb in [
        &["check-peer", "peer:far/x"][..],
        &["solve", "chain.dls", "--solver", "peer:far/x"],
    ] {
        let ran = with_peers(&lab, "peers", verb);
        assert_eq!(ran.code, 4, "{verb:?}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("to install it: get far"),
            "{verb:?}: {}",
            ran.stderr
        );
    }
    let refused = lab.run(&["solve", "none.dls", "--solver", "cmd:"]);
    refused.is_refused_with(&["cmd:python3 my_solver.py"]);
    // what is misspelt is not what is missing
    for (name, parts) in [
        (
            "peer:far/xx",
            &[
                "far has no solver \"xx\"",
                "It has x",
                "did you mean \"x\"?",
            ][..],
        ),
        ("peer:far/q7", &["far has no solver \"q7\"; it has x"]),
        ("peer:far", &["peer:far/SOLVER", "it has x"]),
        ("peer:farr/x", &["did you mean \"far\"?"]),
    ] {
        let verb = ["solve", "chain.dls", "--solver", name];
        with_peers(&lab, "peers", &verb).is_refused_with(parts);
    }
}

/// A file of a peer or an engine that is no file is named, and does not count as absent.
#[cfg(unix)]
#[test]
fn what_is_no_file_of_a_peer_is_named() {
    let lab = Lab::new();
    write_chain(&lab, 2);
    for (folder, file) in [("odd", "peer.toml"), ("queer", "engine.toml")] {
        let path = lab.path("peers").join(folder);
        std::fs::create_dir_all(&path).expect("a folder");
        let made = Command::new("mkfifo").arg(path.join(file)).status();
        assert!(made.expect("mkfifo starts").success());
    }
    for (verb, code, parts) in [
        (&["list", "peers"][..], 0, ["odd", "unreadable"]),
        (&["list", "engines"], 0, ["queer", "unreadable"]),
        (
            &["solve", "chain.dls", "--solver", "peer:odd/x"],
            4,
            ["odd/peer.toml", "it is a pipe, not a file"],
        ),
        (
            &["play", "pendulum", "--scheme", "engine:queer"],
            4,
            ["queer/engine.toml", "it is a pipe, not a file"],
        ),
    ] {
        let ran = with_peers(&lab, "peers", verb);
        let said = ran.stdout + &ran.stderr;
        assert_eq!(ran.code, code, "{verb:?}: {said}");
        for part in parts {
            assert!(said.contains(part), "{verb:?}: {said}");
        }
    }
}

/// The line that installs a peer is for the folder that its program looks in, from wherever it is
/// printed.
#[test]
fn an_install_line_is_for_the_folder_of_the_peers() {
    let lab = Lab::new();
    write_chain(&lab, 4);
    let file = "name = \"far\"\ntitle = \"Far 1\"\nsummary = \"Not here.\"\nlicence = \"MIT\"\n\
                install = \"make {venv} && sh {folder}/build.sh\"\ncommand = [\"./far-solver\"]\nsolvers = [\"x\"]\n";
    lab.file("my peers/far/peer.toml", file);
    let root = lab.path("my peers");
    let commands = |folder: &str, place: &str| {
        let line = format!("make {place}/.venv' && sh {place}/far'/build.sh");
        for words in [
            &["list", "peers"][..],
            &["solve", "chain.dls", "--solver", "peer:far/x"],
            &["check-peer", "peer:far/x"],
        ] {
            let mut command = lab.command(words);
            command.current_dir(folder).env("DELASSUS_PEERS", &root);
            command.env_remove("DELASSUS_PEERS_VENV");
            let ran = command.output().expect("the program starts");
            let text = [ran.stdout, ran.stderr].concat();
            let text = String::from_utf8(text).expect("UTF-8");
            assert!(text.contains(&line), "{words:?} in {folder}: {text}");
        }
    };
    // within the current folder the line is short
    commands(&lab.path(".").to_string_lossy(), "'my peers");
    let elsewhere = tempfile::tempdir().expect("a folder");
    std::fs::copy(lab.path("chain.dls"), elsewhere.path().join("chain.dls")).expect("a file");
    let whole = format!("'{}", root.display());
    commands(&elsewhere.path().to_string_lossy(), &whole);
}

/// A program that lies in no checkout, in a folder without peers, says where it has looked.
#[test]
fn without_a_checkout_the_places_of_peers_are_named() {
    let lab = Lab::new();
    write_chain(&lab, 4);
    let program = lab.path("delassus");
    let own = env!("CARGO_BIN_EXE_delassus");
    // a link by its own name, where the folder is on the same disk
    if std::fs::hard_link(own, &program).is_err() {
        std::fs::copy(own, &program).expect("a copy of the program");
    }
    for words in [
        &["list", "peers"][..],
        &["list", "engines"],
        &["solve", "chain.dls", "--solver", "peer:pin/admm"],
        &["check-engine", "engine:ode"],
    ] {
        let mut command = Command::new(&program);
        command.args(words).current_dir(lab.path("."));
        command.env_remove("DELASSUS_PEERS");
        let ran = command.output().expect("the program starts");
        let text = String::from_utf8(ran.stderr).expect("UTF-8");
        for part in [
            "DELASSUS_PEERS is not set",
            "crates/peers in the current folder or above the program",
            "come with the source of Delassus",
        ] {
            assert!(text.contains(part), "{words:?}: {text}");
        }
    }
}

/// The last words of a program are its exception, and not the marks below a line of its source.
#[test]
fn a_traceback_of_python_is_its_exception() {
    if !has_python() {
        return;
    }
    let lab = Lab::new();
    write_chain(&lab, 4);
    lab.file("missing.py", "import no_such_module_at_all  # here\n");
    lab.file("wrong.py", "def start():\n    return 1 / 0\n\nstart()\n");
    for (script, said) in [
        (
            "missing.py",
            "it said: ModuleNotFoundError: No module named 'no_such_module_at_all';",
        ),
        (
            "wrong.py",
            "it said: ZeroDivisionError: division by zero (wrong.py, line 2);",
        ),
    ] {
        let solver = format!("cmd:python3 {script}");
        let ran = lab.run(&["solve", "chain.dls", "--solver", &solver]);
        ran.is_refused_with(&[said]);
        assert!(!ran.stderr.contains("^^"), "{}", ran.stderr);
    }
}
