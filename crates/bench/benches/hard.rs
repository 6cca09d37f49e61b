//! Hard frames: the time of `auto` and of `prox-newton` to a natural map of 1e-8, over that of the
//! fastest of all solvers.
//!
//! `cargo bench -p delassus-bench --bench hard` prints a Markdown table. A number after `--` is the
//! time that a solver may take \[s\] (1 without one), other words keep the frames whose names hold
//! one of them. The frames are those of experiment 35, three of bodies that start inside each
//! other, and four that Bullet wrote. One pass that is judged after every twentieth of its work
//! finds the units that a solver needs; passes of these units, with their preparation and without a
//! judge, are timed in turn, and the least time of each counts.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use delassus_bench::passes::{SolverMaker, make, pass, units};
use delassus_core::{Problem, interrupt};
use delassus_problems::read_file;
use delassus_solver_auto::Auto;
use delassus_solver_dense::{AlartCurnier, FischerNewton};
use delassus_solver_newton::ProxNewton;
use delassus_solver_si::{BlockGs, ChebyshevPgs, Nncg, Pgs, Psor};

/// Residual that ends a solve \[-\].
const TOLERANCE: f64 = 1e-8;

/// Rounds of passes of all solvers.
const ROUNDS: usize = 3;

/// Folders of the frames, from the root of the project.
const FOLDERS: [&str; 3] = [
    "experiments/35-choosing/frames",
    "crates/solver-auto/tests/tangled",
    "data/captured",
];

/// The two that are judged come first.
const SOLVERS: [(&str, SolverMaker); 9] = [
    ("auto", make::<Auto>),
    ("prox-newton", make::<ProxNewton>),
    ("pgs", make::<Pgs>),
    ("psor", make::<Psor>),
    ("block-gs", make::<BlockGs>),
    ("nncg", make::<Nncg>),
    ("chebyshev-pgs", make::<ChebyshevPgs>),
    ("alart-curnier", make::<AlartCurnier>),
    ("fischer-newton", make::<FischerNewton>),
];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut words: Vec<&String> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let limit = words.iter().find_map(|word| word.parse().ok());
    words.retain(|word| word.parse::<f64>().is_err());
    println!(
        "| frame | rows | fastest | ms | `auto`, ms | over the fastest | `prox-newton`, ms | over the fastest |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for path in frames() {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        if words.is_empty() || words.iter().any(|word| name.contains(word.as_str())) {
            let problem = read_file(&path).expect("a problem file").problem;
            println!("| {name} {}", row(&problem, limit.unwrap_or(1.0)));
        }
    }
}

/// The frames, folder by folder.
fn frames() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    for folder in FOLDERS {
        let entries = std::fs::read_dir(root.join(folder)).expect("a folder");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        let mut frames: Vec<PathBuf> = paths
            .filter(|path| path.extension().is_some_and(|end| end == "dls"))
            .collect();
        frames.sort();
        all.extend(frames);
    }
    all
}

/// The rest of a line; a dash for a solver that does not reach the residual in its time.
fn row(problem: &Problem, limit: f64) -> String {
    // dense factors of many rows end at the limit, too
    let within = || {
        let clock = Instant::now();
        let left: interrupt::Left = Arc::new(move || limit - clock.elapsed().as_secs_f64());
        left
    };
    let units = SOLVERS
        .map(|(_, make)| interrupt::within(within(), || units(make, problem, TOLERANCE, limit)));
    let mut least = [f64::INFINITY; SOLVERS.len()];
    for _ in 0..ROUNDS {
        for (index, (_, make)) in SOLVERS.iter().enumerate() {
            if let Some(units) = units[index] {
                let time = interrupt::within(within(), || pass(*make, problem, units));
                least[index] = time.unwrap_or(f64::INFINITY).min(least[index]);
            }
        }
    }
    let all = SOLVERS.iter().zip(&least);
    let fastest = all.min_by(|(_, a), (_, b)| a.total_cmp(b));
    let (name, best) = fastest.map_or(("", f64::INFINITY), |((name, _), time)| (*name, *time));
    let cell = |time: f64| match time.is_finite() {
        true => format!("{:.2} | {:.1}", 1e3 * time, time / best),
        false => "– | –".to_owned(),
    };
    let best = match best.is_finite() {
        true => format!("`{name}` | {:.2}", 1e3 * best),
        false => "– | –".to_owned(),
    };
    format!(
        "| {} | {best} | {} | {} |",
        problem.rows(),
        cell(least[0]),
        cell(least[1])
    )
}
