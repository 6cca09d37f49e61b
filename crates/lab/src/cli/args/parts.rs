//! Verbs for runs on several machines: `plan`, `status`, `merge`.

use std::path::PathBuf;

use clap::Args;

use super::folder;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus plan experiments/01-chain-rates # the cells, what would happen to each, an estimate
  delassus plan my/experiment.toml --json  # one object per cell, then the estimate

Equal to `delassus run SPEC --dry-run`: runs and writes nothing.")]
pub(crate) struct PlanVerb {
    /// An experiment: a TOML file, or the folder of an experiment.toml
    #[arg(value_name = "SPEC")]
    pub(crate) spec: PathBuf,
    /// Folder of the results [default: results/NAME-OF-THE-EXPERIMENT]
    #[arg(long, value_name = "DIR", value_parser = folder())]
    pub(crate) out: Option<PathBuf>,
    /// One JSON object per cell on standard output, then the estimate
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus status results/01-chain-rates            # of a run, whatever the spec is now
  delassus status experiments/01-chain-rates        # of the spec as it is now, in its usual folder
  delassus status my/experiment.toml --out /tmp/try --shards 8 --json

Changes nothing. Stale files come from another program or an earlier spec. Exit codes: 0 every cell
is done (not converging is a result), 1 cells are missing or failed, 2 no results folder and no
spec, 6 a file is damaged.")]
pub(crate) struct StatusVerb {
    /// A results folder, or an experiment
    #[arg(value_name = "DIR|SPEC")]
    pub(crate) path: PathBuf,
    /// Folder of the results of a spec [default: results/NAME-OF-THE-EXPERIMENT]
    #[arg(long, value_name = "DIR", value_parser = folder())]
    pub(crate) out: Option<PathBuf>,
    /// Also count the cells of each of N parts
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) shards: Option<u16>,
    /// JSON on standard output: one object per part, then one of totals
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus merge parts/1 parts/2 parts/3 --out results/mine
  delassus merge from-the-cluster --out results/mine       # what is missing there
  delassus run my/experiment.toml --out results/mine       # then: the report, and what no part has

Checks every file first, and overwrites nothing. If folders have the same cell, the times of the
first folder remain. Exit codes: 2 folders of different specs or programs, 3 in use or not writable,
6 a file is damaged, or two cells differ.")]
pub(crate) struct MergeVerb {
    /// Results folders of `delassus run --shard`
    #[arg(value_name = "DIR", required = true)]
    pub(crate) folders: Vec<PathBuf>,
    /// The folder that the cells are copied to; it is created if missing
    #[arg(long, short, value_name = "DIR", value_parser = folder())]
    pub(crate) out: PathBuf,
    /// One JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}
