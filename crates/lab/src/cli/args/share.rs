//! Verbs that show, check and pass on what there is: `demo`, `show`, `verify`, `bundle`.

use std::path::PathBuf;

use clap::Args;

use super::{count, folder};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus demo                          # a table here, figures in results/demo/report.html
  delassus demo --out my/demo --json     # one object per cell, then one of totals

Solves a stack, a chain and a stack under a heavy box with four solvers each, in seconds. The spec
is part of the program and is written into the results folder. Exit code 1 if a cell failed, 0
otherwise.")]
pub(crate) struct DemoVerb {
    /// Folder of the results
    #[arg(long, value_name = "DIR", default_value = "results/demo", value_parser = folder())]
    pub(crate) out: PathBuf,
    /// No progress on standard error
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// One JSON object per cell on standard output, then one of totals, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus verify results/01-chain-rates
  delassus verify results/01-chain-rates --json | jq .message
  delassus verify results/demo --spec results/demo/demo.toml  # a copy, whose spec is yours

Evaluates every residual again, from the problem and the stored impulses alone. Computes every key
and hash again, makes texts, statuses, tables, figures and page again, and compares all of them.
Names records that are missing or replaced, and files that are in no list. Also works in an unpacked
bundle and, for the index, on a folder of results. Runs no solver without --rerun. Exit codes: 0
everything is as recorded, 6 something is not, 1 something could not be checked, 7 the data are as
recorded, but another version of the program drew tables or figures differently.")]
pub(crate) struct VerifyVerb {
    /// Results folder of `delassus run`, or an unpacked bundle
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The spec, a file or its folder, instead of the one named in the results
    #[arg(long, value_name = "SPEC")]
    pub(crate) spec: Option<PathBuf>,
    /// Run the cells again, and compare everything but times: samples, counts, decisions, messages
    #[arg(long)]
    pub(crate) rerun: bool,
    /// One JSON object per mismatch on standard output, then one of totals, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus bundle results/01-chain-rates                    # writes 01-chain-rates.zip
  delassus bundle results/01-chain-rates --out paper.zip

The archive has the sources of the spec, frozen problems, records, impulses, figures, manifest,
licences, citations, the package of a solver of your own, and how to rerun. Equal results give equal
bytes. Unpacked anywhere, `delassus report` draws every figure again, bit for bit, and `delassus
verify` checks the numbers. Exit code 6 if `delassus verify` finds a mismatch.")]
pub(crate) struct BundleVerb {
    /// Results folder of `delassus run`
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The spec, a file or its folder, instead of the one named in the results
    #[arg(long, value_name = "SPEC")]
    pub(crate) spec: Option<PathBuf>,
    /// Package of the solvers that are linked into this program, if it is not found
    #[arg(long, value_name = "DIR")]
    pub(crate) method: Option<PathBuf>,
    /// The archive, - for standard output [default: NAME-OF-THE-EXPERIMENT.zip]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// One JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus show data/stack-5.dls          # rows, rank, active set, worst rows
  delassus show data/wall-4-coulomb.dls --solver pgs
  delassus show results/demo              # every cell with its curve
  delassus show results/demo 4f1c         # one cell, by the start of its key
  delassus show results/demo --cell chain # the cells of one problem or one solver

A file is a problem, or a cell of a results folder. The active set and the worst rows of a problem
are those of its stored solution; without one, of `auto` or --solver. `delassus inspect` prints one
line for each of many problems. Exit code 1 if a file is unreadable, 6 if a cell is damaged.")]
pub(crate) struct ShowVerb {
    /// A problem file, a cell's file, or a results folder
    #[arg(value_name = "FILE|DIR")]
    pub(crate) path: PathBuf,
    /// Start of the key of a cell of the results folder, at least 4 digits; or as --cell
    #[arg(value_name = "KEY", conflicts_with = "cell")]
    pub(crate) key: Option<String>,
    /// Only cells of this problem, solver or key, for a results folder
    #[arg(long, value_name = "NAME|KEY")]
    pub(crate) cell: Option<String>,
    /// Solver whose solution is shown, instead of the stored solution
    #[arg(long, value_name = "ID")]
    pub(crate) solver: Option<String>,
    /// Largest number of rows for ranks, and for solving without --solver
    #[arg(long, value_name = "N", default_value_t = 1500, value_parser = count::<usize>)]
    pub(crate) max_rows: usize,
    /// Friction law of files that do not name one
    #[arg(long, value_name = "L", default_value = "coulomb")]
    pub(crate) law: String,
    /// JSON objects on standard output, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
}
