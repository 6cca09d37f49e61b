//! What each Newton method reaches on the problem files of a folder.
//!
//!     cargo run --release -p delassus-solver-dense --example newton_files -- FOLDER [SWEEPS] [SOLVER] [LAW]
//!
//! SOLVER is a part of its name, LAW that of the contacts: coulomb (what the files mean),
//! convex-cone, pyramid. One line per file and solver: contacts, sweeps until nothing changed,
//! `nat_rel` and `nat_q` of the literature, `scaled_q`, and the wall time of the sweeps.
use std::time::Instant;

use delassus_core::{Problem, Solver, SolverVisitor, Start};
use delassus_metrics::{Evaluator, Metric};
use delassus_problems::{ContactLaw, read_file_with};

struct Run<'p> {
    problem: &'p Problem,
    name: &'p str,
    sweeps: u32,
    only: &'p str,
}

impl SolverVisitor for Run<'_> {
    fn visit<S: Solver>(&mut self) {
        let id = S::DESCRIPTOR.id;
        let newton = [
            "fischer-newton",
            "alart-curnier",
            "jean-moreau",
            "ipm",
            "pdas",
        ];
        if !newton.contains(&id) || !id.contains(self.only) {
            return;
        }
        let Ok(mut solver) = S::new(S::Parameters::default()) else {
            return;
        };
        if let Err(error) = solver.prepare(self.problem, Start::Cold) {
            println!("{:<52} {id:<15} {error}", self.name);
            return;
        }
        let begin = Instant::now();
        let outcome = solver.iterate(self.problem, self.sweeps);
        let time = begin.elapsed().as_secs_f64();
        let mut impulses = vec![0.0; self.problem.rows()];
        let read = solver.read_impulses(&mut impulses);
        let sweeps = match (&outcome, &read) {
            (Ok(progress), Ok(())) => progress.sweeps.to_string(),
            (Err(error), _) | (_, Err(error)) => error.to_string(),
        };
        let residuals = Evaluator::new(self.problem).and_then(|mut e| e.evaluate(&impulses));
        let get = |metric| {
            let value = residuals.as_ref().ok().and_then(|r| r.get(metric));
            value.unwrap_or(f64::INFINITY)
        };
        println!(
            "{:<52} {id:<15} rows {:>5} sweeps {sweeps:>4} nat_rel {:8.1e} nat_q {:8.1e} scaled_q {:8.1e} {:7.3} s",
            self.name,
            self.problem.rows(),
            get(Metric::Siconos),
            get(Metric::NatQ),
            get(Metric::ScaledQ),
            time
        );
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| "data".to_owned());
    let sweeps = arguments
        .next()
        .and_then(|s| s.parse().ok())
        .unwrap_or(1000);
    let only = arguments.next().unwrap_or_default();
    let law = arguments.next().unwrap_or_default();
    let law = ContactLaw::of_files(&law).unwrap_or(ContactLaw::Coulomb);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("{folder} is no folder");
        return;
    };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match read_file_with(&path, law) {
            Ok(named) => {
                let problem = &named.problem;
                delassus_solver_dense::visit_solvers(&mut Run {
                    problem,
                    name: &name,
                    sweeps,
                    only: &only,
                });
            }
            Err(error) => println!("{name:<52} {error}"),
        }
    }
}
