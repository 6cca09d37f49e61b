//! Verbs for runs on several machines: `plan`, `status`, `merge`.

use std::path::PathBuf;

use clap::Args;

use super::folder;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus plan experiments/01-chain-rates # the cells, what would happen to each, an estimate
  delassus plan my/experiment.toml --json  # one object per cell, then the estimate

The same as `delassus run SPEC --dry-run`: nothing runs, and nothing is written.")]
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

Nothing is changed. Stale are files of other programs, or of the spec as it was. Exit codes: 0 every
cell is done (not converging is a result), 1 cells are missing or failed, 2 no results folder and no
spec, 3 damaged.")]
pub(crate) struct StatusVerb {
    /// A results folder, or an experiment
    #[arg(value_name = "DIR|SPEC")]
    pub(crate) path: PathBuf,
    /// Folder of the results of a spec [default: results/NAME-OF-THE-EXPERIMENT]
    #[arg(long, value_name = "DIR", value_parser = folder())]
    pub(crate) out: Option<PathBuf>,
    /// Count the cells of each of N parts as well
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

Every file is checked first, and nothing is written over. Where folders have the same cell, the
first one's times stay. Exit codes: 2 not of one spec and program, 3 damaged, in use or not
writable, 6 two cells differ.")]
pub(crate) struct MergeVerb {
    /// Results folders of `delassus run --shard`
    #[arg(value_name = "DIR", required = true)]
    pub(crate) folders: Vec<PathBuf>,
    /// The folder that the cells are copied to, which is made if need be
    #[arg(long, short, value_name = "DIR", value_parser = folder())]
    pub(crate) out: PathBuf,
    /// One JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}
