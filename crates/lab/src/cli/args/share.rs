//! Verbs that show, check and pass on what there is: `demo`, `show`, `verify`, `bundle`.

use std::path::PathBuf;

use clap::Args;

use super::{count, folder};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus demo                          # a table here, figures in results/demo/report.html
  delassus demo --out my/demo --json     # one object per cell, then one of totals

A stack, a chain and a stack under a heavy box, each with four solvers, in seconds. The spec is in
the program and is written beside the results. Exit code 1 if a cell failed, 0 otherwise.")]
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

Evaluates every residual again, from problem and stored impulses alone, computes every key and every
hash again, makes texts, status, tables, figures and page again, and compares. Names records that
are gone or replaced, and files that no list names. Works in an unpacked bundle too. No solver runs
without --rerun. Exit code 0 if everything is as recorded, 6 if something is not, 1 if something
could not be checked, 7 if data are as recorded, and another version of the program drew tables or
figures otherwise.")]
pub(crate) struct VerifyVerb {
    /// Results folder of `delassus run`, or an unpacked bundle
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The spec, a file or its folder, in place of the one that the results name
    #[arg(long, value_name = "SPEC")]
    pub(crate) spec: Option<PathBuf>,
    /// Run the cells again whose ending nothing in their records shows, as of one that failed
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

Sources of the spec, frozen problems, records, impulses, figures, manifest, licences, citations, the
package of a solver of your own, and how to rerun. Equal results give equal bytes. Unpacked anywhere, `delassus report` draws every
figure again bit for bit, and `delassus verify` checks it. Exit code 6 if `delassus verify` finds a
mismatch.")]
pub(crate) struct BundleVerb {
    /// Results folder of `delassus run`
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The spec, a file or its folder, in place of the one that the results name
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
  delassus show results/demo --cell chain # of one problem, one solver, or by the start of a key

A file is a problem, or a cell of a results folder. The active set and the worst rows of a problem
are those of the solution that it stores; otherwise of `auto`, or of --solver. Many problems, a line
each: `delassus inspect`. Exit code 1 if a file is unreadable, 6 if a cell is damaged.")]
pub(crate) struct ShowVerb {
    /// A problem file, a cell's file, or a results folder
    #[arg(value_name = "FILE|DIR")]
    pub(crate) path: PathBuf,
    /// Of a results folder, only cells of this problem, solver or key
    #[arg(long, value_name = "NAME|KEY")]
    pub(crate) cell: Option<String>,
    /// Solver whose answer is looked at, in place of the stored solution
    #[arg(long, value_name = "ID")]
    pub(crate) solver: Option<String>,
    /// Most rows whose rank is found, and that are solved without --solver
    #[arg(long, value_name = "N", default_value_t = 1500, value_parser = count::<usize>)]
    pub(crate) max_rows: usize,
    /// Friction law of files that do not name one
    #[arg(long, value_name = "L", default_value = "coulomb")]
    pub(crate) law: String,
    /// JSON objects on standard output, and nothing else there
    #[arg(long)]
    pub(crate) json: bool,
}
