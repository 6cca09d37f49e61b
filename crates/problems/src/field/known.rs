//! What a file says of the solution.

use delassus_formats::{FieldFile, StoredSolution};

use crate::named::{KnownSolution, NamedProblem};

/// Velocities of a stored solution may differ from those of its impulses by so much of their size
/// \[-\].
const CONSISTENT: f64 = 1e-6;

/// Takes the impulses of a stored solution as the reference and those of the first guess as the
/// warm start.
///
/// Impulses that do not give the velocities stored with them are no solution: many files have zeros
/// there. The provenance says so.
pub(super) fn attach(file: &FieldFile, named: &mut NamedProblem) {
    if let Some(solution) = &file.solution {
        let impulses = impulses(solution, named.problem.rows());
        match impulses.filter(|impulses| reproduces_velocities(impulses, &solution.u, named)) {
            Some(impulses) => {
                let provenance =
                    "impulses stored in the file; they give the velocities stored with them";
                named.reference = Some(KnownSolution::new(impulses, provenance));
            }
            None => note(
                named,
                "the impulses of the stored solution do not give its velocities: left out",
            ),
        }
    }
    let guess = file.guesses.first();
    named.warm_start = guess.and_then(|guess| impulses(guess, named.problem.rows()));
}

/// Impulses of contacts, then of bilateral rows.
fn impulses(solution: &StoredSolution, rows: usize) -> Option<Vec<f64>> {
    let bilateral = solution.l.as_deref().unwrap_or_default();
    let impulses = [solution.r.as_slice(), bilateral].concat();
    (impulses.len() == rows).then_some(impulses)
}

/// True if `impulses` give the velocities `u` of the contacts.
fn reproduces_velocities(impulses: &[f64], u: &[f64], named: &NamedProblem) -> bool {
    let mut velocity = vec![0.0; named.problem.rows()];
    named.problem.shifted_velocity(impulses, &mut velocity);
    let norm = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
    let defect = norm(&mut velocity.iter().zip(u).map(|(a, b)| a - b));
    let scale = norm(&mut u.iter().copied()) + norm(&mut named.problem.b().iter().copied());
    defect <= CONSISTENT * scale
}

fn note(named: &mut NamedProblem, text: &str) {
    if !named.provenance.is_empty() {
        named.provenance.push_str("; ");
    }
    named.provenance.push_str(text);
}
