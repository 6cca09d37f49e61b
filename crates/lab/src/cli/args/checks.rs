//! Verbs that check programs, machines and results folders.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus doctor                        # before measuring anything
  delassus doctor --out /scratch/results # is that folder writable?
  delassus doctor --json | jq .warnings

Exit code 3 if results could not be written, 0 otherwise, whatever the warnings.")]
pub(crate) struct DoctorVerb {
    /// Folder that results would be written to
    // it says what stands there
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub(crate) out: PathBuf,
    /// One JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus check-peer 'cmd:python3 my_solver.py'       # every case, one line each
  delassus check-peer peer:pin/admm --json             # one object per case

The cases are small problems with known solutions (docs/peers.md). Exit codes: 0 every case passes
or does not apply, 1 a case fails, 2 no such program or no valid hello.")]
pub(crate) struct CheckPeerVerb {
    /// cmd:COMMAND, py:MODULE:CLASS or peer:NAME/SOLVER
    #[arg(value_name = "SOLVER")]
    pub(crate) solver: String,
    /// One JSON object per case on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus check-engine 'engine-cmd:python3 my_engine.py'   # every case, one line each
  delassus check-engine engine:mujoco --json                # one object per case

The cases are small scenes with known motions (docs/engines.md). Exit codes: 0 every case passes or
does not apply, 1 a case fails, 2 no such program or no valid hello.")]
pub(crate) struct CheckEngineVerb {
    /// engine-cmd:COMMAND or engine:NAME
    #[arg(value_name = "ENGINE")]
    pub(crate) engine: String,
    /// Time limit of a frame in seconds
    #[arg(
        long,
        value_name = "S",
        default_value_t = 60.0,
        allow_hyphen_values = true
    )]
    pub(crate) frame_seconds: f64,
    /// One JSON object per case on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus fsck results/01-chain-rates          # every file against its checksum
  delassus fsck results/01-chain-rates --json   # one object per damage, then one of totals

Changes nothing, and says for each damage how to repair it. Exit codes: 0 no damage, 2 no results
folder, 3 a run uses the folder, 6 a file is damaged. A cell that has not run yet is no damage.")]
pub(crate) struct FsckVerb {
    /// Results folder of `delassus run`
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// JSON on standard output, one object per line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus migrate results/01-chain-rates          # cells of older versions are written anew
  delassus migrate results/01-chain-rates --json   # how many

Changes no number, and skips damaged cells and those of newer versions. Other verbs read older
formats without this. Exit codes: 0 done, 2 no results folder, 3 a run uses the folder, or files
cannot be written, 6 damaged or newer cells.")]
pub(crate) struct MigrateVerb {
    /// Results folder of `delassus run`
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// JSON on standard output, one object per line
    #[arg(long)]
    pub(crate) json: bool,
}
