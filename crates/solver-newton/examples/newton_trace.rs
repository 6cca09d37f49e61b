//! What one generated problem takes: natural map after every sweep, and times.
//!
//!     cargo run --release -p delassus-solver-newton --example newton_trace -- wall '{"base": 20}' [SWEEPS] [SOLVER PARAMETERS]
use std::time::Instant;

use delassus_core::{ImpulseSolver, Parameters, Solver, Start};
use delassus_metrics::{Evaluator, Metric};
use delassus_problems::{generate, read_file};
use delassus_solver_newton::ProxNewton;
use serde_json::Map;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let object = |index: usize| -> Map<String, serde_json::Value> {
        let text = arguments.get(index).map_or("{}", String::as_str);
        serde_json::from_str(text).expect("an object")
    };
    let problem = if arguments[1].contains('.') {
        read_file(std::path::Path::new(&arguments[1]))
            .expect("a file")
            .problem
    } else {
        generate(&arguments[1], &object(2))
            .expect("a problem")
            .problem
    };
    let sweeps: u32 = arguments.get(3).and_then(|s| s.parse().ok()).unwrap_or(20);
    if arguments.get(5).is_some() {
        let mut solver =
            delassus_solver_dense::AlartCurnier::new(Parameters::from_map(&object(4)).expect("p"))
                .expect("valid");
        let mut impulses = vec![0.0; problem.rows()];
        let mut evaluator = Evaluator::new(&problem).expect("finite");
        solver.prepare(&problem, Start::Cold).expect("accepted");
        for sweep in 1..=sweeps {
            let progress = solver.iterate(&problem, 1).expect("runs");
            solver.read_impulses(&mut impulses).expect("prepared");
            let residuals = evaluator.evaluate(&impulses).expect("finite");
            println!(
                "{sweep:4} {:9.2e} alpha {:.1e}",
                residuals.get(Metric::NaturalMap).unwrap_or(f64::NAN),
                solver.prepared().expect("x").proximal()
            );
            if progress.finished {
                break;
            }
        }
        return;
    }
    let parameters = <ProxNewton as Solver>::Parameters::from_map(&object(4)).expect("parameters");
    let mut solver = ProxNewton::new(parameters).expect("valid");
    let mut impulses = vec![0.0; problem.rows()];
    let mut evaluator = Evaluator::new(&problem).expect("finite");
    solver.prepare(&problem, Start::Cold).expect("accepted");
    for sweep in 1..=sweeps {
        let begin = Instant::now();
        let progress = solver.iterate(&problem, 1).expect("runs");
        let time = begin.elapsed();
        solver.read_impulses(&mut impulses).expect("prepared");
        let residuals = evaluator.evaluate(&impulses).expect("finite");
        println!(
            "{sweep:4} {:9.2e}  {:8.1} us",
            residuals.get(Metric::NaturalMap).unwrap_or(f64::NAN),
            1e6 * time.as_secs_f64()
        );
        if progress.finished {
            break;
        }
    }
    let mut least = [f64::INFINITY; 2];
    for _ in 0..20 {
        let begin = Instant::now();
        solver.prepare(&problem, Start::Cold).expect("accepted");
        let prepared = begin.elapsed().as_secs_f64();
        let mut done = 0;
        let begin = Instant::now();
        let mut found = f64::INFINITY;
        let mut inside = 0.0;
        while found > 1e-6 && done < 300 {
            let start = Instant::now();
            solver.iterate(&problem, 1).expect("runs");
            inside += start.elapsed().as_secs_f64();
            done += 1;
            solver.read_impulses(&mut impulses).expect("prepared");
            found = evaluator.natural_map(&impulses).expect("finite");
        }
        let _ = begin;
        if inside + prepared < least[0] + least[1] {
            least = [prepared, inside];
        }
    }
    println!(
        "to 1e-6: prepare {:.3} ms, iterate {:.3} ms, total {:.3} ms",
        1e3 * least[0],
        1e3 * least[1],
        1e3 * (least[0] + least[1])
    );
}
