//! `solve --save`: impulses and constraint velocities as a CSV file that any tool can check.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use delassus_core::{Problem, Solutions};
use delassus_records::disk;

use super::diagnostic::print_diagnostic;
use super::failure::Failure;
use super::files::{distinct_names, of_all};
use super::output::printable;
use crate::store::write_atomic;

/// The folder, with one file name for each problem.
#[derive(Debug)]
pub(crate) struct Saver {
    folder: PathBuf,
    names: Vec<String>,
}

impl Saver {
    /// Makes the folder and the file names; says which names were changed to stay distinct.
    pub(crate) fn new(folder: &Path, problems: &[PathBuf]) -> Result<Self, Failure> {
        disk::folder(folder).map_err(|error| Failure::unwritten(folder, &error))?;
        let names = distinct_names(problems);
        for (path, name) in problems.iter().zip(&names) {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            if *name != format!("{stem}.csv") {
                print_diagnostic(&format!(
                    "note: {} is saved as {}; another file has that stem",
                    printable(&path.to_string_lossy()),
                    printable(name)
                ));
            }
        }
        Ok(Self {
            folder: folder.to_owned(),
            names,
        })
    }

    /// Saves the solution of problem `index`; returns the path.
    pub(crate) fn save(
        &self,
        index: usize,
        problem: &Problem,
        impulses: &[f64],
    ) -> Result<String, Failure> {
        self.write(&self.names[index], &table(problem, impulses))
    }

    /// Saves all solutions of problem `index` next to it; returns the path.
    pub(crate) fn save_all(
        &self,
        index: usize,
        problem: &Problem,
        found: &Solutions,
    ) -> Result<String, Failure> {
        let name = of_all(&self.names[index]);
        self.write(&name, &table_of_all(problem, found))
    }

    fn write(&self, name: &str, text: &str) -> Result<String, Failure> {
        let path = self.folder.join(name);
        let shown = path.to_string_lossy().into_owned();
        write_atomic(&path, text.as_bytes()).map_err(|error| Failure::unwritten(&path, &error))?;
        Ok(shown)
    }
}

/// `solution,isolated,row,impulse,velocity`: the solutions one after the other, from 1, the answer
/// first.
fn table_of_all(problem: &Problem, found: &Solutions) -> String {
    let mut velocity = vec![0.0; problem.rows()];
    let mut text = String::from("solution,isolated,row,impulse,velocity\n");
    for (number, solution) in (1_u64..).zip(&found.list) {
        problem.shifted_velocity(&solution.impulses, &mut velocity);
        let isolated = solution.isolated;
        for (row, (impulse, velocity)) in solution.impulses.iter().zip(&velocity).enumerate() {
            // writing to a string cannot fail
            let _ = writeln!(
                text,
                "{number},{isolated},{row},{impulse:.16e},{velocity:.16e}"
            );
        }
    }
    text
}

/// `row,impulse,velocity` in row order, the velocity being w = (A + R)λ + b (P.2); 17 significant
/// digits, which give back the same f64.
fn table(problem: &Problem, impulses: &[f64]) -> String {
    let mut velocity = vec![0.0; problem.rows()];
    problem.shifted_velocity(impulses, &mut velocity);
    let mut text = String::from("row,impulse,velocity\n");
    for (row, (impulse, velocity)) in impulses.iter().zip(&velocity).enumerate() {
        // writing to a string cannot fail
        let _ = writeln!(text, "{row},{impulse:.16e},{velocity:.16e}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seventeen_digits_give_back_the_same_number() {
        let problem = delassus_problems::generate("chain", &serde_json::Map::new()).unwrap();
        let problem = problem.problem;
        // numbers without a short decimal form
        let rows = 1_u32..;
        let impulses: Vec<f64> = rows
            .take(problem.rows())
            .map(|i| 0.1 / f64::from(i))
            .collect();
        let mut velocity = vec![0.0; problem.rows()];
        problem.shifted_velocity(&impulses, &mut velocity);
        let text = table(&problem, &impulses);
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("row,impulse,velocity"));
        for row in 0..problem.rows() {
            let cells: Vec<&str> = lines.next().unwrap().split(',').collect();
            assert_eq!(cells[0], row.to_string());
            let parsed = [cells[1], cells[2]].map(|cell| cell.parse::<f64>().unwrap().to_bits());
            assert_eq!(parsed, [impulses[row].to_bits(), velocity[row].to_bits()]);
        }
        assert_eq!(lines.next(), None);
    }
}
