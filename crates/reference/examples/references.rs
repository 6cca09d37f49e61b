//! `cargo run --release -p delassus-reference --example references -- FILE…`: the verdict on each file, method by method.

use std::sync::atomic::AtomicBool;

use delassus_problems::read_file;
use delassus_reference::{ReferenceOptions, certify};
use delassus_registry::Registry;

fn main() {
    for path in std::env::args().skip(1) {
        let mut stored = None;
        let problem = match read_file(&path) {
            Ok(named) => {
                stored = named.reference_impulses().map(|x| x.to_vec());
                named.problem
            }
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        let begin = std::time::Instant::now();
        let verdict = certify(
            &problem,
            &Registry::standard(),
            ReferenceOptions::default(),
            &AtomicBool::new(false),
        );
        match &verdict.reference {
            Ok(found) => {
                for s in &found.solutions {
                    println!(
                        "{path}: {} rows, {} solution(s) {:?}: residual {:.1e} agreement {:.1e} {:?} {:?}",
                        problem.rows(),
                        found.solutions.len(),
                        found.uniqueness,
                        s.residual,
                        s.agreement,
                        s.methods,
                        s.basis
                    );
                }
            }
            Err(reason) => println!("{path}: {} rows, NO REFERENCE: {reason}", problem.rows()),
        }
        for a in &verdict.attempts {
            match &a.outcome {
                Ok(answers) => {
                    for r in answers {
                        println!(
                            "    {:15} {:.1e} -> {:.1e} {:?}",
                            a.method, r.found, r.residual, r.refined_by
                        );
                    }
                }
                Err(reason) => println!("    {:15} {reason}", a.method),
            }
        }
        if let Some(x) = stored {
            let mut e = delassus_metrics::Evaluator::new(&problem).unwrap();
            for a in &verdict.attempts {
                for r in a.outcome.iter().flatten() {
                    println!(
                        "      stored {} {:.1e}",
                        a.method,
                        e.agreement(&r.impulses, &x).unwrap()
                    );
                }
            }
        }
        if verdict.reference.is_err()
            || verdict.reference.as_ref().unwrap().solutions.len() > 1
            || path.contains("planted-contacts")
        {
            let mut e = delassus_metrics::Evaluator::new(&problem).unwrap();
            let all: Vec<_> = verdict
                .attempts
                .iter()
                .flat_map(|a| a.outcome.iter().flatten().map(move |r| (a.method, r)))
                .collect();
            for (m, r) in &all {
                for (n, s) in &all {
                    if m < n {
                        println!(
                            "      {m} {n} {:.1e}",
                            e.agreement(&r.impulses, &s.impulses).unwrap()
                        );
                    }
                }
            }
        }
        println!("    {:.2} s", begin.elapsed().as_secs_f64());
    }
}
