//! The verb that asserts: `gate`.

use std::path::PathBuf;

use clap::Args;

use super::folder;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus gate my/experiment.toml                # run what is missing, then judge every [[gate]]
  delassus gate my/experiment.toml --no-run       # judge the results that there are
  delassus gate my/experiment.toml --strict --json

Prints a line per gate: pass, fail, or undecided if cells are missing or times are too uncertain.
Exit codes: 0 no gate fails; 5 a gate fails or, with --strict, is undecided; 1 no gate fails, but a
cell failed; 2 the spec is wrong or has no gate. Counts can be compared between runs; times only as
ratios within one run.")]
pub(crate) struct GateVerb {
    /// An experiment with gates: a TOML file, or the folder of an experiment.toml
    #[arg(value_name = "SPEC")]
    pub(crate) spec: PathBuf,
    /// Folder of the results [default: results/NAME-OF-THE-EXPERIMENT]
    #[arg(long, value_name = "DIR", value_parser = folder())]
    pub(crate) out: Option<PathBuf>,
    /// Check the existing results and run nothing
    #[arg(long)]
    pub(crate) no_run: bool,
    /// Also fail if a gate is undecided
    #[arg(long)]
    pub(crate) strict: bool,
    /// No progress on standard error
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// One JSON object per gate on standard output, then one of totals, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
}
