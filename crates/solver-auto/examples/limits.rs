//! The natural map at which `auto` and `pgs` end under the same limits on the time, for the table
//! of docs/theory/28-auto.md.
//!
//!     cargo run --release -p delassus-solver-auto --example limits -- 0.05,0.2,1 FRAME.dls
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use delassus_core::{ImpulseSolver, Problem, SolveError, Solver, Start, interrupt};
use delassus_metrics::Evaluator;
use delassus_problems::read_file;
use delassus_solver_auto::Auto;
use delassus_solver_si::Pgs;

type Failure = Box<dyn std::error::Error>;

/// A frame that both solve to this residual says nothing \[-\].
const SOLVED: f64 = 1e-8;

/// What `pgs` gets of the limit besides the whole of it \[-\].
const SHARES: [f64; 3] = [1.0, 0.5, 0.25];

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let limits = arguments.next().unwrap_or_default();
    let limits: Result<Vec<f64>, _> = limits.split(',').map(str::parse).collect();
    let limits = limits?;
    println!("| frame | limit [s] | `auto` | `pgs` | over | over half | over a quarter |");
    println!("|---|---|---|---|---|---|---|");
    let (mut above, mut all) = ([0; 3], 0);
    for path in arguments {
        let problem = read_file(Path::new(&path))?.problem;
        let name = Path::new(&path).file_stem().unwrap_or_default();
        for limit in &limits {
            let auto = ends(&mut Auto::new(Default::default())?, &problem, *limit)?;
            let mut sweeps = SHARES.map(|_| 0.0);
            for (end, share) in sweeps.iter_mut().zip(SHARES) {
                *end = ends(&mut Pgs::new(Default::default())?, &problem, share * limit)?;
            }
            if auto <= SOLVED {
                continue;
            }
            all += 1;
            let over = sweeps.map(|end| auto / end);
            for (count, over) in above.iter_mut().zip(over) {
                *count += i32::from(over > 1.0);
            }
            println!(
                "| {} | {limit} | {auto:.1e} | {:.1e} | {:.2} | {:.2} | {:.2} |",
                name.to_string_lossy(),
                sweeps[0],
                over[0],
                over[1],
                over[2]
            );
        }
    }
    println!("{above:?} of {all} above `pgs` with all, half and a quarter of the limit");
    Ok(())
}

/// The natural map after a solve that a limit ends, preparation included.
fn ends(solver: &mut dyn ImpulseSolver, problem: &Problem, limit: f64) -> Result<f64, Failure> {
    let clock = Instant::now();
    let left: interrupt::Left = Arc::new(move || limit - clock.elapsed().as_secs_f64());
    let outcome = interrupt::within(left, || {
        solver.prepare(problem, Start::Cold)?;
        interrupt::in_parts(u32::MAX, |units| solver.iterate(problem, units))
    });
    match outcome {
        Ok(_) | Err(SolveError::Interrupted) => {}
        Err(error) => return Err(error.into()),
    }
    let mut impulses = vec![0.0; problem.rows()];
    solver.read_impulses(&mut impulses)?;
    Ok(Evaluator::new(problem)?.deciding_natural_map(&impulses)?)
}
