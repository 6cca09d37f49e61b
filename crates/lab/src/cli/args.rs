//! The command line as data.

mod checks;
mod compare;
mod files;
mod formats;
mod gate;
#[cfg(test)]
mod help_tests;
mod list;
mod parts;
mod scene;
mod share;
mod soft;
mod start;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, TypedValueParser as _, ValueParser};
use clap::{Args, Command, FromArgMatches, Parser, Subcommand};
use delassus_core::MemoryLimit;
use delassus_runner::isolate::LimitChoice;

use super::destination::{in_place_of_folder, is_standard};
use super::failure::Failure;

pub(crate) use checks::{CheckEngineVerb, CheckPeerVerb, DoctorVerb, FsckVerb, MigrateVerb};
pub(crate) use compare::CompareVerb;
pub(crate) use files::{InspectVerb, ReferenceVerb, SolveVerb, StartChoice};
pub(crate) use formats::{
    ContainerChoice, ConvertVerb, DataFormat, DataVerb, ExportFormat, ExportVerb,
};
pub(crate) use gate::GateVerb;
pub(crate) use list::{CiteVerb, ListVerb, ListWhat};
pub(crate) use parts::{MergeVerb, PlanVerb, StatusVerb};
pub(crate) use scene::{CheckVerb, PlayVerb};
pub(crate) use share::{BundleVerb, DemoVerb, ShowVerb, VerifyVerb};
pub(crate) use soft::SoftVerb;
pub(crate) use start::{
    CompletionsVerb, ExplainVerb, ManVerb, NewVerb, PlotVerb, SchemaVerb, WatchVerb, WidthChoice,
};

/// Interchangeable rigid-body constraint solvers, measured on the same frozen problems.
#[derive(Debug, Parser)]
#[command(
    name = "delassus",
    version,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "\
Quick start:
  delassus demo                                         # seconds: a table here, and a report
  delassus run experiments/01-chain-rates               # figures and a report, from one spec

Exit codes: 0 done (a solver that did not converge is a result), 1 something failed,
2 the request was wrong, 3 a results folder in use or not writable, 4 this machine lacks something,
5 a gate fails, 6 not as recorded, 7 drawn by another version, 128 + n signal n. More: --max-file.
Also: cite watch plan status merge soft fsck migrate check-peer check-engine schema completions man"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
    /// Largest file of a results folder that is read, as in 2GiB [default: 512MiB, or a quarter of
    /// the memory limit]
    // in the last lines of the first help: it is a line of every verb otherwise
    #[arg(long, value_name = "AMOUNT", global = true, hide = true, value_parser = size_of_file)]
    pub(crate) max_file: Option<MemoryLimit>,
}

/// The size of a file, in a unit of those that there are.
fn size_of_file(text: &str) -> Result<MemoryLimit, String> {
    let read = text.parse();
    read.map_err(|what: String| format!("{what}: a whole number with KiB, MiB, GiB or TiB"))
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Run a small experiment: three problems, four solvers, a table with curves, a report
    Demo(DemoVerb),
    /// Step a scene with several schemes and write a page that plays them side by side
    Play(PlayVerb),
    /// Check a scene before its first step: masses, groups, joint errors, overlaps
    Check(CheckVerb),
    /// Create a package with your own solver, a spec that compares it, and a page
    New(NewVerb),
    /// Run or resume an experiment; draw its figures, write its report
    Run(RunVerb),
    /// Print what a run would do, as `run --dry-run` does
    #[command(hide = true)]
    Plan(PlanVerb),
    /// Print the progress of a run: cells done, failed, missing, by parts
    #[command(hide = true)]
    Status(StatusVerb),
    /// Merge the cells of several results folders into one folder
    #[command(hide = true)]
    Merge(MergeVerb),
    /// Run an experiment again whenever one of its files is saved
    #[command(hide = true)]
    Watch(WatchVerb),
    /// Solve problem files, one line each: status, sweeps, time, residuals
    Solve(SolveVerb),
    /// Step a scene and write the problem of a frame, with its warm start, to a file
    Export(ExportVerb),
    /// Convert a problem file to another format: snapshot, text, FCLIB, NumPy
    Convert(ConvertVerb),
    /// Print what a problem file contains: rows, laws, ranks, redundant contacts
    Inspect(InspectVerb),
    /// Summarise a problem, a cell or a results folder
    Show(ShowVerb),
    /// Certify solutions of problem files: two methods must agree
    Reference(ReferenceVerb),
    /// List solvers, schemes, scenes, metrics, …
    List(ListVerb),
    /// Print BibTeX entries for everything that a spec or a solver uses
    #[command(hide = true)]
    Cite(CiteVerb),
    /// Compare two solvers or two runs, in a sentence, a table and a figure
    Compare(CompareVerb),
    /// Check the [[gate]] assertions of a spec; the exit code says whether they hold
    Gate(GateVerb),
    /// Redraw the figures and the report of a results folder
    Report(ReportVerb),
    /// Draw one figure of a results folder without changing its spec
    Plot(PlotVerb),
    /// Write the tables of a results folder as data frames: Parquet, NumPy, CSV
    Data(DataVerb),
    /// Check results: evaluate every residual and every hash again, from what is stored
    Verify(VerifyVerb),
    /// Find damaged files of a results folder, and what is lost with them
    #[command(hide = true)]
    Fsck(FsckVerb),
    /// Rewrite the cells of a results folder in the format of this version
    #[command(hide = true)]
    Migrate(MigrateVerb),
    /// Pack results, and everything that they were made from, into one archive
    Bundle(BundleVerb),
    /// Explain a status, an exit code, a metric or a term
    Explain(ExplainVerb),
    /// Convert a softness: frequency, spring, ERP and CFM, solref and solimp, side by side
    #[command(hide = true)]
    Soft(SoftVerb),
    /// Check whether this machine and this build are fit for measurements
    Doctor(DoctorVerb),
    /// Check whether a solver in a separate process keeps the protocol, its laws and its claims
    #[command(hide = true)]
    CheckPeer(CheckPeerVerb),
    /// Check whether an engine in a separate process keeps the protocol and the laws of motion
    #[command(hide = true)]
    CheckEngine(CheckEngineVerb),
    /// Write completions of the command line for a shell
    #[command(hide = true)]
    Completions(CompletionsVerb),
    /// Write the JSON schema of specs, for editors
    #[command(hide = true)]
    Schema(SchemaVerb),
    /// Write manual pages
    #[command(hide = true)]
    Man(ManVerb),
    /// Work on the cells that a run asks for on standard input
    #[command(name = "work-on-cells", hide = true)]
    Work,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus run experiments/01-chain-rates           # writes results/01-chain-rates/report.html
  delassus run experiments/01-chain-rates --dry-run # the matrix of problems × solvers, nothing runs
  delassus run my/experiment.toml --out /tmp/try --jobs 4
  delassus run my/experiment.toml --shard 2/8       # the second eighth of the cells
  delassus run my/experiment.toml --cell-seconds 60 # stop cells that take longer

Finished cells are kept: run the same command again to continue after Ctrl-C or a crash.")]
pub(crate) struct RunVerb {
    /// An experiment: a TOML file, or the folder of an experiment.toml
    #[arg(value_name = "SPEC")]
    pub(crate) spec: PathBuf,
    /// More experiments, run one after the other
    #[arg(value_name = "MORE")]
    pub(crate) more: Vec<PathBuf>,
    /// Folder of the results [default: results/NAME-OF-THE-EXPERIMENT]
    #[arg(long, value_name = "DIR", conflicts_with = "more", value_parser = folder())]
    pub(crate) out: Option<PathBuf>,
    /// Cells that run at the same time; more than one disturbs the timing
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: u16,
    /// Run only every N-th cell, beginning with the I-th
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<String>,
    /// Wait while another process uses the results folder; without this, exit code 3
    #[arg(long)]
    pub(crate) wait: bool,
    /// Fail if a solver for a GPU finds no adapter; otherwise its cells end as unsupported
    #[arg(long)]
    pub(crate) require_gpu: bool,
    /// Run every cell in a separate process [default: if there are several cells]
    #[arg(long, conflicts_with = "no_isolate")]
    pub(crate) isolate: bool,
    /// Run all cells in this process, without protection against hangs and crashes
    #[arg(long)]
    pub(crate) no_isolate: bool,
    #[command(flatten)]
    pub(crate) limits: CellLimitsChoice,
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

/// What the process of a cell may take; before `[limits]` of the spec.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct CellLimitsChoice {
    /// Wall-clock time that an isolated cell may take, in s [default: 3600]
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    cell_seconds: Option<f64>,
    /// Processor time that an isolated cell may take, in s
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    cell_cpu_seconds: Option<f64>,
    /// Memory that the process of a cell may take, as in 2GiB
    #[arg(long, value_name = "AMOUNT")]
    cell_memory: Option<MemoryLimit>,
}

impl From<CellLimitsChoice> for LimitChoice {
    fn from(choice: CellLimitsChoice) -> Self {
        Self {
            seconds: choice.cell_seconds,
            cpu_seconds: choice.cell_cpu_seconds,
            memory: choice.cell_memory,
        }
    }
}

/// A folder that is made where need be: none of the names of standard output, and nothing that is
/// there and is no folder.
fn folder() -> ValueParser {
    let refuse = |path: PathBuf| {
        let refused = match is_standard(&path) {
            true => Some("standard output"),
            false => in_place_of_folder(&path),
        };
        match refused {
            Some(kind) => Err(format!(
                "that is {kind}, and a folder is made: name one, as ./results"
            )),
            None => Ok(path),
        }
    };
    ValueParser::new(PathBufValueParser::new().try_map(refuse))
}

/// A positive time \[s\].
fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text
        .parse()
        .ok()
        .filter(|s: &f64| s.is_finite() && *s > 0.0);
    seconds.ok_or_else(|| "a time is a positive number of seconds, as in 0.5".to_owned())
}

/// A count, with a message that says what one is.
fn count<T: TryFrom<u64>>(text: &str) -> Result<T, String> {
    let count: u64 = text
        .parse()
        .map_err(|_| "a count is a whole number ≥ 0, written in digits, as in 1000".to_owned())?;
    T::try_from(count).map_err(|_| "more than can be counted here".to_owned())
}

impl RunVerb {
    /// `run SPEC --out FOLDER`, quiet or not, and everything else as it is where nothing is said.
    pub(crate) fn plain(spec: &Path, folder: &Path, quiet: bool) -> Result<Self, Failure> {
        let options = ["--out".as_ref(), folder.as_os_str()];
        let quiet = quiet.then_some(OsStr::new("--quiet"));
        plain(options.into_iter().chain(quiet), spec)
    }
}

impl PlanVerb {
    /// The run that it plans.
    pub(crate) fn run(&self) -> Result<RunVerb, Failure> {
        let out = self
            .out
            .as_ref()
            .map(|out| ["--out".as_ref(), out.as_os_str()]);
        let json = self.json.then_some(OsStr::new("--json"));
        let options = out.into_iter().flatten().chain(json);
        plain(
            std::iter::once("--dry-run".as_ref()).chain(options),
            &self.spec,
        )
    }
}

impl SolveVerb {
    /// `solve FILE --solver ID` without a time limit, and everything else as it is where nothing is
    /// said.
    pub(crate) fn plain(file: &Path, solver: &str) -> Result<Self, Failure> {
        let words = ["--solver", solver, "--max-seconds", "inf"].map(OsStr::new);
        plain(words.into_iter(), file)
    }
}

/// A verb with these options and one file, so that defaults are written once.
fn plain<'w, V: Args + FromArgMatches>(
    options: impl Iterator<Item = &'w OsStr>,
    file: &'w Path,
) -> Result<V, Failure> {
    // a name that begins with a dash is still a name
    let end = ["--".as_ref(), file.as_os_str()];
    let words = ["delassus".as_ref()].into_iter().chain(options).chain(end);
    let matches = V::augment_args(Command::new("delassus")).try_get_matches_from(words);
    let verb = matches.and_then(|matches| V::from_arg_matches(&matches));
    verb.map_err(|error| Failure::request(error.to_string()))
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus report results/01-chain-rates                             # after a new caption
  delassus report results/01-chain-rates --json                      # what it has
  delassus report results/01-chain-rates --width column --width page # and at 84 and 174 mm
  delassus report results/01-chain-rates --out drawn                 # results that are read-only
  delassus report results                                            # an index of all

Makes figures, tables and report.html from the records in the folder; solves nothing. Figures are
SVG and PDF, tables CSV and LaTeX. Captions are files with the figures (docs/publishing.md). Every
run rewrites the index of the folder `results`. With --out nothing in DIR changes.")]
pub(crate) struct ReportVerb {
    /// Results folder of `delassus run`, or a folder of such folders
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The spec, a file or its folder, instead of the one named in the results
    #[arg(long, value_name = "SPEC")]
    pub(crate) spec: Option<PathBuf>,
    /// Folder for figures, tables and page, new or of an earlier report [default: DIR]
    #[arg(long, value_name = "FOLDER", value_parser = folder())]
    pub(crate) out: Option<PathBuf>,
    /// Draw every figure at this width as well; repeat for both
    #[arg(long = "width", value_name = "W")]
    pub(crate) widths: Vec<WidthChoice>,
    /// One JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}
