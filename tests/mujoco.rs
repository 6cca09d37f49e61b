//! Problems that MuJoCo has solved: its forces times the step are the solution of the frozen
//! problem (S.27). Those of `data/mujoco` are shipped; where the wheel is installed, 200 random
//! states more are frozen and solved.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use delassus_conformance::skip;
use delassus_core::{Fidelity, Law, Start};
use delassus_dynamics::Scheme;
use delassus_problems::{NamedProblem, read_file};
use delassus_registry::{Registry, SolverEntry};
use serde_json::Map;

/// Solvers whose impulses are those of MuJoCo.
const SOLVERS: [&str; 4] = ["ipm", "sap", "prox-newton", "apgd"];

/// How far the impulses may be from MuJoCo's, of the largest one \[-\].
const LIMIT: f64 = 1e-12;

/// Work units after which each of them has come to rest: most states need 10 to 3000.
const ENOUGH: u32 = 20_000;

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The snapshots in a folder, by name.
fn problems(folder: &Path) -> Vec<NamedProblem> {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let is_problem = |path: &PathBuf| path.extension().is_some_and(|e| e == "dls");
    let mut paths: Vec<PathBuf> = paths.filter(is_problem).collect();
    paths.sort();
    paths.iter().map(|path| read_file(path).unwrap()).collect()
}

/// Largest distance of the impulses of a solver from the known ones, of the largest of these \[-\];
/// `None` if the solver does not take the problem exactly.
fn distance(entry: &SolverEntry, named: &NamedProblem) -> Option<f64> {
    let mut solver = entry.build(&Map::new()).unwrap();
    if solver.check(&named.problem) != Ok(Fidelity::Exact) {
        return None;
    }
    solver.prepare(&named.problem, Start::Cold).unwrap();
    solver.iterate(&named.problem, ENOUGH).unwrap();
    let mut impulses = vec![0.0; named.problem.rows()];
    solver.read_impulses(&mut impulses).unwrap();
    let known = &named.reference.as_ref().unwrap().impulses;
    let scale = known.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let pairs = impulses.iter().zip(known);
    let worst = pairs.fold(0.0_f64, |worst, (x, y)| worst.max((x - y).abs()));
    Some(worst / scale)
}

/// Solves all problems with all solvers.
fn solve_all(problems: &[NamedProblem]) {
    let registry = Registry::standard();
    let mut far = Vec::new();
    for id in SOLVERS {
        let entry = registry.find(id).unwrap();
        for named in problems {
            let distance = distance(&entry, named);
            if distance.is_none_or(|distance| distance >= LIMIT) {
                far.push(format!("{id}, {}: {distance:?}", named.name));
            }
        }
    }
    assert!(far.is_empty(), "{}", far.join("\n"));
}

#[test]
fn solvers_meet_the_shipped_forces_of_mujoco() {
    let problems = problems(&root().join("data/mujoco"));
    assert_eq!(problems.len(), 8);
    solve_all(&problems);
}

/// Half are pyramids, a quarter has cones of three rows only.
#[test]
fn solvers_meet_the_forces_of_200_shipped_states() {
    let problems = problems(&root().join("data/mujoco-states"));
    assert_eq!(problems.len(), 200);
    solve_all(&problems);
}

/// Every law is in the files: cones of 3, 4 and 6 rows, bounds of one and of both signs, equality.
#[test]
fn shipped_problems_have_every_law_of_mujoco() {
    let problems = problems(&root().join("data/mujoco"));
    let mut laws: Vec<String> = Vec::new();
    for named in &problems {
        assert!(named.problem.compliance().iter().all(|r| *r > 0.0));
        let blocks = named.problem.blocks().iter();
        laws.extend(blocks.map(|block| {
            let two = matches!(block.law, Law::Bounds { lower, .. } if lower < 0.0);
            let sign = if two { " of both signs" } else { "" };
            format!("{} {}{sign}", block.law.kind().id(), block.dim)
        }));
    }
    laws.sort();
    laws.dedup();
    let expected = [
        "bounds 1",
        "bounds 1 of both signs",
        "convex-cone 3",
        "elliptic-cone 3",
        "elliptic-cone 4",
        "elliptic-cone 6",
        "equality 1",
    ];
    assert_eq!(laws, expected);
}

/// The interpreter that has the wheel: that of `DELASSUS_MUJOCO_PYTHON`, else `python3`.
fn python_with_mujoco() -> Result<String, String> {
    let named = env::var("DELASSUS_MUJOCO_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    // a path is that of the root of the project, where cargo is called
    let python = match named.contains('/') {
        true => Path::new("..").join(named).to_string_lossy().into_owned(),
        false => named,
    };
    let program = "import mujoco; print(mujoco.__version__)";
    let output = Command::new(&python).args(["-c", program]).output();
    let output = output.map_err(|error| format!("{python}: {error}"))?;
    let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    match version.as_str() {
        "4.0.0" => Ok(python),
        "" => Err(format!(
            "{python} has no module mujoco; pip install mujoco==4.0.0"
        )),
        other => Err(format!(
            "{python} has mujoco {other}; pip install mujoco==4.0.0"
        )),
    }
}

#[test]
fn solvers_meet_the_forces_of_200_random_states() {
    let python = match python_with_mujoco() {
        Ok(python) => python,
        Err(reason) => return skip("solvers_meet_the_forces_of_200_random_states", reason),
    };
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("mujoco-random");
    // a folder that another run has filled
    let _ = fs::remove_dir_all(&folder);
    let script = root().join("crates/peers/mujoco/export.py");
    let status = Command::new(python)
        .arg(script)
        .args(["random", "200"])
        .arg(&folder)
        .status()
        .unwrap();
    assert!(status.success(), "export.py: {status}");
    let problems = problems(&folder);
    assert_eq!(problems.len(), 200);
    solve_all(&problems);
}

/// A scheme with `sap` in it.
fn scheme_with_sap(id: &str) -> Box<dyn Scheme> {
    let registry = Registry::standard();
    let sap = registry.find("sap").unwrap().build(&Map::new()).unwrap();
    let entry = registry.scheme(id).unwrap();
    entry.build_with(&Map::new(), Some(sap)).unwrap()
}

#[test]
fn sap_steps_worlds_whose_contacts_are_soft_by_the_scene() {
    let scenes = root().join("experiments/36-static-friction/scenes");
    for file in ["slope-impratio-1.toml", "grasp-impratio-1.toml"] {
        for id in ["mujoco-euler", "pgs-baumgarte"] {
            let mut world = delassus_scenes::read(&scenes.join(file)).unwrap();
            let mut scheme = scheme_with_sap(id);
            assert_eq!(scheme.check(&world), Ok(Fidelity::Exact), "{file}, {id}");
            for _ in 0..200 {
                scheme.step(&mut world, 0.005, &mut ()).unwrap();
            }
        }
    }
    // the second solve of a substep is rigid
    let law = Map::from_iter([("law".to_owned(), "convex-cone".into())]);
    let world = delassus_scenes::build("falling-box", &law).unwrap();
    let refusal = scheme_with_sap("soft-step").check(&world).unwrap_err();
    let text = refusal.to_string();
    assert!(text.contains("divides by the compliance"), "{text}");
}
