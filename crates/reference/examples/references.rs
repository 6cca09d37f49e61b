//! `cargo run --release -p delassus-reference --example references -- FILE…`: the verdict on each file, method by method.

use std::sync::atomic::AtomicBool;

use delassus_problems::read_file;
use delassus_reference::{ReferenceOptions, certify};
use delassus_registry::Registry;

fn main() {
    for path in std::env::args().skip(1) {
        let problem = match read_file(&path) {
            Ok(named) => named.problem,
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        let begin = std::time::Instant::now();
        let verdict = certify(&problem, &Registry::standard(), ReferenceOptions::default(), &AtomicBool::new(false));
        match &verdict.reference {
            Ok(found) => for s in &found.solutions {
                println!("{path}: {} rows, {} solution(s) {:?}: residual {:.1e} agreement {:.1e} {:?} {:?}", problem.rows(), found.solutions.len(), found.uniqueness, s.residual, s.agreement, s.methods, s.basis);
            },
            Err(reason) => println!("{path}: {} rows, NO REFERENCE: {reason}", problem.rows()),
        }
        for a in &verdict.attempts {
            match &a.outcome {
                Ok(answers) => for r in answers { println!("    {:15} {:.1e} -> {:.1e} {:?}", a.method, r.found, r.residual, r.refined_by); },
                Err(reason) => println!("    {:15} {reason}", a.method),
            }
        }
        println!("    {:.2} s", begin.elapsed().as_secs_f64());
    }
}
