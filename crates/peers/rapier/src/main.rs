//! `rapier`: times the stages of Rapier's solver on the walls and the net of the wide solver's
//! benchmark.
//!
//! One line per word of the command line, separated by tabs: the word, the elements (contact points
//! or joints), the rows per element, the median and the least time per element and unit of work
//! \[ns\]. A word that names nothing ends the program with an error.

mod measure;
mod scene;

use std::process::ExitCode;

fn main() -> ExitCode {
    for word in std::env::args().skip(1) {
        match measure::measure(&word) {
            Ok(line) => println!("{word}\t{line}"),
            Err(reason) => {
                eprintln!("{word}: {reason}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
