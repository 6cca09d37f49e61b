//! The command line as data.

mod compare;
mod files;
mod formats;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use compare::CompareVerb;
pub(crate) use files::{InspectVerb, ReferenceVerb, SolveVerb, StartChoice};
pub(crate) use formats::{ContainerChoice, ConvertVerb, ExportFormat, ExportVerb};

/// Interchangeable rigid-body constraint solvers, measured on the same frozen problems.
#[derive(Debug, Parser)]
#[command(
    name = "delassus",
    version,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "\
Quick start:
  delassus run experiments/01-chain-rates               # figures and a report, from one spec
  delassus solve data/*.dls --solver block-gs           # one line per problem file

Exit codes: 0 done (a solver that did not converge is a result), 1 something failed,
2 the request was wrong, 3 another process has the results folder, 130 interrupted.
`delassus VERB --help` shows examples."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Run or resume an experiment; draw its figures, write its report
    Run(RunVerb),
    /// Solve problem files, one line each: status, sweeps, time, residuals
    Solve(SolveVerb),
    /// Step a scene and write the problem of a frame, with its warm start, to a file
    Export(ExportVerb),
    /// Turn a problem file into another format: snapshot, text, FCLIB, NumPy
    Convert(ConvertVerb),
    /// What a problem file holds: rows, laws, ranks, redundant contacts
    Inspect(InspectVerb),
    /// Certified solutions of problem files: two independent methods that agree, or why there is none
    Reference(ReferenceVerb),
    /// What there is: solvers, schemes, scenes, metrics, …
    List(ListVerb),
    /// BibTeX of everything that a spec or a solver uses
    Cite(CiteVerb),
    /// Two solvers or two runs: who needs less, in a sentence, a table and a figure
    Compare(CompareVerb),
    /// Redraw the figures and the report of a results folder
    Report(ReportVerb),
    /// What this machine and this build offer for measurements
    Doctor(DoctorVerb),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus run experiments/01-chain-rates               # writes results/01-chain-rates/report.html
  delassus run experiments/01-chain-rates --dry-run     # the matrix of problems × solvers, nothing runs
  delassus run my/experiment.toml --out /tmp/try --jobs 4
  delassus run my/experiment.toml --shard 2/8           # the second eighth of the cells

Finished cells are kept: run the same command again to continue after Ctrl-C or a crash.")]
pub(crate) struct RunVerb {
    /// An experiment: a TOML file, or the folder of an experiment.toml
    #[arg(value_name = "SPEC")]
    pub(crate) spec: PathBuf,
    /// Folder of the results [default: results/NAME-OF-THE-EXPERIMENT]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Cells that run at the same time; more than one disturbs the timing
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: u16,
    /// Run only every N-th cell, beginning with the I-th
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<String>,
    /// Wait for another process that has the folder of the results; without it, exit code 3
    #[arg(long)]
    pub(crate) wait: bool,
    /// Fail where a solver that computes on a GPU finds no adapter; otherwise its cells are skipped
    #[arg(long)]
    pub(crate) require_gpu: bool,
    /// Print the cells, what would happen to each, and an estimate of memory and time; run nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
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
  delassus list solvers                  # one line each
  delassus list solvers pgs              # laws, parameters, limits, papers of one
  delassus list metrics natural_map      # formula, unit, source
  delassus list presets soft-step        # its parameters with their values
  delassus list scenes pendulum          # its parameters, bodies, joints and what can be measured
  delassus list statuses stagnated       # how a cell can end, and what to do
  delassus list generators --json        # every parameter with its default, for scripts")]
pub(crate) struct ListVerb {
    /// What to list
    #[arg(value_name = "WHAT")]
    pub(crate) what: ListWhat,
    /// Only this one, with all details
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// One JSON object per entry on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus cite experiments/02-real-contacts > paper.bib        # solvers, schemes, scenes and metrics of a spec
  delassus cite pgs 'best-so-far(anderson(block-gs))'           # wrapped solvers too
  delassus cite soft-step natural_map                           # schemes, scenes and metrics by name
  delassus cite experiments/05-drift --json | jq -r .key        # who cites what, for scripts

Each entry once, sorted by key. A name that is a file or a folder is a spec. Exit code 2 where a name is
none of anything or the spec is wrong, 0 otherwise; nothing is solved and no file beside the spec is read.")]
pub(crate) struct CiteVerb {
    /// A spec, or the name of a solver, scheme, preset, scene or metric; several may stand together
    #[arg(value_name = "SPEC|NAME", required = true)]
    pub(crate) names: Vec<String>,
    /// One JSON object per entry on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `list` lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListWhat {
    Solvers,
    Metrics,
    Generators,
    Laws,
    Scenes,
    Schemes,
    Presets,
    Constraints,
    Statuses,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus report results/01-chain-rates        # after editing captions or the README
  delassus report results/01-chain-rates --json # how many cells, figures and tables

Figures, tables and report.html are made from the records in the folder; nothing is solved.")]
pub(crate) struct ReportVerb {
    /// Results folder of `delassus run`
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// One JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus doctor                        # before measuring anything
  delassus doctor --out /scratch/results # is that folder writable?
  delassus doctor --json | jq .warnings

Exit code 1 if results could not be written, 0 otherwise, whatever the warnings.")]
pub(crate) struct DoctorVerb {
    /// Folder that results would be written to
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub(crate) out: PathBuf,
    /// One JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}
