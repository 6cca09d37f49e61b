//! Verbs on problem files: `solve`, `inspect`, `reference`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{count, folder};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus solve data/*.dls
  delassus solve data/stack-*.dls --solver pgs --solver block-gs   # a table of files and solvers
  delassus solve data/stack-5.dls --solver psor --set omega=1.3 --set order=symmetric --tol 1e-10
  delassus solve data/*.dat --solver block-gs --json --save out | jq .residuals.siconos

A file is `solved` if every --metric, evaluated from the impulses alone, is within the tolerance. A
file that cannot be read gets its own line; if one is missing, none is solved. Exit code 1 if a file
was unreadable or a solver failed, 2 if one is missing, 0 otherwise.
--save writes STEM.csv for each file: row,impulse,velocity (w = (A + R)λ + b), 17 digits. A solver
that looks for all solutions (enumeration) also writes STEM-all.csv.")]
pub(crate) struct SolveVerb {
    /// Problem files
    #[arg(value_name = "PROBLEM", required = true)]
    pub(crate) problems: Vec<PathBuf>,
    /// Solver of `delassus list solvers`; repeat for a table of several. `auto` chooses
    #[arg(long = "solver", value_name = "ID", default_value = "auto")]
    pub(crate) solvers: Vec<String>,
    /// Print the decisions of a solver that chooses between methods: after how many units, which
    /// method, what happened to it, and why
    #[arg(long)]
    pub(crate) explain: bool,
    /// Parameter, for the solvers that have it; repeat for several
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) parameters: Vec<String>,
    /// Largest value of every metric that counts as solved [-]
    #[arg(
        long,
        value_name = "T",
        default_value = "1e-8",
        allow_hyphen_values = true
    )]
    pub(crate) tol: f64,
    /// Metric that must be within the tolerance; repeat for several
    #[arg(long = "metric", value_name = "M", default_values = ["natural_map", "siconos"])]
    pub(crate) metrics: Vec<String>,
    /// Largest number of sweeps; 0 only evaluates the start
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1_000_000,
        allow_hyphen_values = true,
        value_parser = count::<u64>
    )]
    pub(crate) max_sweeps: u64,
    /// Time limit per solve in seconds, without that of residuals; inf for none
    #[arg(
        long,
        value_name = "S",
        default_value_t = 60.0,
        allow_hyphen_values = true
    )]
    pub(crate) max_seconds: f64,
    /// Memory that one problem may take with its solver, as "16 GiB" [default: three quarters of
    /// the machine's]
    #[arg(long, value_name = "M")]
    pub(crate) max_memory: Option<String>,
    /// Friction law of files that do not name one
    #[arg(long, value_name = "L", default_value = "coulomb")]
    pub(crate) law: String,
    /// Impulses that the solve starts from: zero, one on every row, the file's solution, its warm
    /// start, or those of an engine
    #[arg(long, value_name = "START", default_value = "cold")]
    pub(crate) start: StartChoice,
    /// Folder for impulses and constraint velocities
    #[arg(long, value_name = "DIR", value_parser = folder())]
    pub(crate) save: Option<PathBuf>,
    /// One JSON object per file on standard output, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
}

/// Impulses that a solve starts from.
// values without help texts of their own: those would switch the whole page to clap's long form
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StartChoice {
    // zero
    Cold,
    // one on every row
    Ones,
    // the solution that the file stores
    Stored,
    // what the scheme started from, in files of `delassus export`
    Warm,
    // what the engine ended with, in captured files
    Captured,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus inspect data/*.dls
  delassus inspect data/stack-5.dls --json | jq .normals.null
  delassus inspect data/stack-5.dls --max-rows 4000

Prints one line per file: rows, rank and null dimension of A = J M⁻¹ Jᵀ, for all rows and for the
normals of contacts. If the null dimension is not 0, impulses are unique only with compliance.
Velocities are unique if the laws are convex. Ranks need singular values, O(rows³); above --max-rows
rows the line leaves them out and says so. Exit code 1 if a file was unreadable, 0 otherwise.")]
pub(crate) struct InspectVerb {
    /// Problem files
    #[arg(value_name = "PROBLEM", required = true)]
    pub(crate) problems: Vec<PathBuf>,
    /// Largest number of rows for which the rank is computed
    #[arg(long, value_name = "N", default_value_t = 1500, value_parser = count::<usize>)]
    pub(crate) max_rows: usize,
    /// Friction law of files that do not name one
    #[arg(long, value_name = "L", default_value = "coulomb")]
    pub(crate) law: String,
    /// One JSON object per file on standard output, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus reference data/*.dls
  delassus reference data/painleve-three.dls --json | jq '.solutions[].impulses'
  delassus reference my.dat --methods --save certified  # writes certified/my.dls

Certifies velocities if methods of two families agree within the tolerance, after Newton steps. For
small problems it tries every active set. It lists all solutions that it finds. Without a reference
the line says why: no solution, only one method, or methods that disagree. --save writes snapshots
with the first solution. Exit code 1 if a file has no reference, 0 otherwise.")]
pub(crate) struct ReferenceVerb {
    /// Problem files
    #[arg(value_name = "PROBLEM", required = true)]
    pub(crate) problems: Vec<PathBuf>,
    /// Largest natural map, and largest velocity difference between methods that agree [-]
    #[arg(
        long,
        value_name = "T",
        default_value = "1e-10",
        allow_hyphen_values = true
    )]
    pub(crate) tol: f64,
    /// Largest number of rows for which a reference is computed
    #[arg(long, value_name = "N", default_value_t = 1500, value_parser = count::<usize>)]
    pub(crate) max_rows: usize,
    /// Run every method, even if two agree on a convex problem
    #[arg(long)]
    pub(crate) thorough: bool,
    /// Print a line for every method that ran
    #[arg(long)]
    pub(crate) methods: bool,
    /// Friction law of files that do not name one
    #[arg(long, value_name = "L", default_value = "coulomb")]
    pub(crate) law: String,
    /// Folder for snapshots with their solutions
    #[arg(long, value_name = "DIR", value_parser = folder())]
    pub(crate) save: Option<PathBuf>,
    /// One JSON object per file on standard output, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
}
