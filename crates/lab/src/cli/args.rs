//! The command line as data.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use delassus_problems::{FieldForm, MatrixStorage};

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
  delassus solve data/*.dls --solver block-gs
  delassus solve data/stack-5.dls --solver psor --set omega=1.3 --set order=symmetric --tol 1e-10
  delassus solve data/stack-5.dls --solver pgs --metric natural_map --max-seconds 10
  delassus solve data/*.dat --solver block-gs --json --save out | jq .residuals.siconos

A file is `solved` where every --metric, evaluated from the impulses alone, is within the
tolerance. Files that cannot be read, or whose format is not supported, get their own line and
the rest go on. Exit code 1 if a file was unreadable or a solver failed, 0 otherwise.
--save writes for each file STEM.csv: row,impulse,velocity (w = (A + R)λ + b), 17 digits; and
STEM-all.csv where the solver looks for all solutions (enumeration).")]
pub(crate) struct SolveVerb {
    /// Problem files
    #[arg(value_name = "PROBLEM", required = true)]
    pub(crate) problems: Vec<PathBuf>,
    /// Solver; `delassus list solvers` names them
    #[arg(long, value_name = "ID")]
    pub(crate) solver: String,
    /// Solver parameter; repeat for several
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
    /// Sweep limit; 0 only judges the start
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1_000_000,
        allow_hyphen_values = true
    )]
    pub(crate) max_sweeps: u64,
    /// Time limit of one solve in seconds [default: none]
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub(crate) max_seconds: Option<f64>,
    /// Memory that one problem may take with its solver, as "16 GiB" [default: three quarters of the machine's]
    #[arg(long, value_name = "M")]
    pub(crate) max_memory: Option<String>,
    /// Friction law of files that do not name one
    #[arg(long, value_name = "L", default_value = "coulomb")]
    pub(crate) law: String,
    /// Impulses that the solve starts from: zero, one on every row, the file's solution, or its warm start
    #[arg(long, value_name = "START", default_value = "cold")]
    pub(crate) start: StartChoice,
    /// Folder for impulses and constraint velocities
    #[arg(long, value_name = "DIR")]
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
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus export heavy-tip-chain --frame 60 --set mass_ratio=1000
  delassus export stack --frame 30 --scheme tgs-soft --scheme-set substeps=8 --solver block-gs
  delassus solve stack-frame-30.dls --solver block-gs --start warm
  delassus export pendulum --format toml --out my-scene.toml
  delassus export my-scene.toml --frame 30 --all --out frames
  delassus export stack --frame 30 --format fclib       # for other programs: stack-frame-30.hdf5

Frame 0 is the first step. The problem is the one that the scheme hands to its solver, with the
stabilising bias; the file also holds the impulses that the scheme starts from, for --start warm.
--all writes frames 0 to K into the folder --out. Equal requests give equal bytes.")]
pub(crate) struct ExportVerb {
    /// Scene of `delassus list scenes`, or a scene file (.toml, .json)
    #[arg(value_name = "SCENE")]
    pub(crate) scene: String,
    /// Frames to step before; a scene file is the start and has none
    #[arg(long, value_name = "K")]
    pub(crate) frame: Option<u32>,
    /// Substep of the frame
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) substep: u32,
    /// Every frame up to this one, a file each
    #[arg(long)]
    pub(crate) all: bool,
    /// Scene parameter; repeat for several
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) parameters: Vec<String>,
    /// Scheme or preset
    #[arg(long, value_name = "ID", default_value = "pgs-baumgarte")]
    pub(crate) scheme: String,
    /// Scheme parameter; repeat for several
    #[arg(long = "scheme-set", value_name = "KEY=VALUE")]
    pub(crate) scheme_parameters: Vec<String>,
    /// Solver that steps the frames before
    #[arg(long, value_name = "ID", default_value = "pgs")]
    pub(crate) solver: String,
    /// Solver parameter; repeat for several
    #[arg(long = "solver-set", value_name = "KEY=VALUE")]
    pub(crate) solver_parameters: Vec<String>,
    /// Frame length in seconds [default: 1/60]
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub(crate) dt: Option<f64>,
    /// File, or folder with --all [default: SCENE-frame-K.dls, SCENE-frames]
    #[arg(long, value_name = "PATH")]
    pub(crate) out: Option<PathBuf>,
    /// Snapshot, text without the warm start, FCLIB, NumPy, or the scene itself as a scene file
    #[arg(long, value_name = "F", default_value = "dls")]
    pub(crate) format: ExportFormat,
    /// One JSON object per file on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `export` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    // every bit, and the warm start
    Dls,
    // friction-contact text
    Fc3d,
    // the same with masses and Jacobian
    Gfc3d,
    // linear complementarity text
    Lcp,
    // the same between bounds
    Relay,
    // the same beside equations
    Mlcp,
    // HDF5 of the mechanics community, with masses, Jacobian and warm start
    Fclib,
    // the same in Delassus form
    FclibLocal,
    // arrays for NumPy
    Npz,
    // a scene file
    Toml,
    // a scene file
    Json,
}

impl ExportFormat {
    /// True if the scene is written, and no problem.
    pub(crate) fn is_scene(self) -> bool {
        matches!(self, Self::Toml | Self::Json)
    }

    /// True if the file holds the impulses that the scheme starts from.
    pub(crate) fn has_warm_start(self) -> bool {
        matches!(self, Self::Dls | Self::Fclib | Self::FclibLocal | Self::Npz)
    }

    /// The ending of its files.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Dls => "dls",
            Self::Fc3d | Self::Gfc3d | Self::Lcp | Self::Relay | Self::Mlcp => "dat",
            Self::Fclib | Self::FclibLocal => "hdf5",
            Self::Npz => "npz",
            Self::Toml => "toml",
            Self::Json => "json",
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus convert data/wall-4-coulomb.dls wall.hdf5    # FCLIB, for other programs
  delassus convert wall.hdf5 wall.dat --lossy           # the same numbers as text
  delassus convert wall.hdf5 local.dat --form local --lossy
  delassus convert data/stack-3-fc3d.dat arrays.npz     # A, b, mu, ... for numpy.load

Formats are told apart by content; OUT is what its ending or --format says. Between text and FCLIB
of the same form no number changes. What OUT cannot hold is listed and refused, unless --lossy.")]
pub(crate) struct ConvertVerb {
    /// Problem file of any format that is read
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// File to write: .dls, .dat, .hdf5 or .npz
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Format of OUT, whatever its ending
    #[arg(long, value_name = "F")]
    pub(crate) format: Option<ContainerChoice>,
    /// Form of the problem in text and FCLIB; fitting: that of IN, or what fits the laws of a snapshot
    #[arg(long, value_name = "FORM", default_value = "fitting")]
    pub(crate) form: FormChoice,
    /// Storage of the matrix of a snapshot in text
    #[arg(long, value_name = "S", default_value = "blocks")]
    pub(crate) storage: StorageChoice,
    /// Friction law of files that do not name one
    #[arg(long, value_name = "L", default_value = "coulomb")]
    pub(crate) law: String,
    /// Leave out or change what OUT cannot hold
    #[arg(long)]
    pub(crate) lossy: bool,
    /// One JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// What kind of file `convert` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ContainerChoice {
    // every bit of a frozen problem
    Dls,
    // text of the form
    Text,
    // HDF5 of the mechanics community
    Fclib,
    // arrays for NumPy
    Npz,
}

/// Form of the problem that `convert` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormChoice {
    // that of the file, or what fits
    Fitting,
    // W, q
    Local,
    // M, H, f, w
    Global,
    // unilateral rows
    Lcp,
    // bounds
    Relay,
    // unilateral rows and equations
    Mlcp,
}

impl FormChoice {
    /// The form, unless it is what fits.
    pub(crate) fn form(self) -> Option<FieldForm> {
        match self {
            Self::Fitting => None,
            Self::Local => Some(FieldForm::Local),
            Self::Global => Some(FieldForm::Global),
            Self::Lcp => Some(FieldForm::Lcp),
            Self::Relay => Some(FieldForm::Relay),
            Self::Mlcp => Some(FieldForm::Mlcp),
        }
    }
}

/// Storage of a matrix that `convert` makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StorageChoice {
    // every number
    Dense,
    // blocks that are not zero
    Blocks,
}

impl From<StorageChoice> for MatrixStorage {
    fn from(choice: StorageChoice) -> Self {
        match choice {
            StorageChoice::Dense => Self::Dense,
            StorageChoice::Blocks => Self::BlockSparse,
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus inspect data/*.dls
  delassus inspect data/stack-5.dls --json | jq .normals.null
  delassus inspect data/stack-5.dls --max-rows 4000

One line per file: rows, rank and null dimension of A = J M⁻¹ Jᵀ, of all rows and of the normals
of contacts. Where the null dimension is not 0, velocities are unique and impulses are not, unless
compliance makes them so. Ranks take singular values, O(rows³): of more than --max-rows rows
they are left out, which the line says. Exit code 1 if a file was unreadable, 0 otherwise.")]
pub(crate) struct InspectVerb {
    /// Problem files
    #[arg(value_name = "PROBLEM", required = true)]
    pub(crate) problems: Vec<PathBuf>,
    /// Most rows whose rank is found
    #[arg(long, value_name = "N", default_value_t = 1500)]
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

Velocities are certified where methods of two families reach them within the tolerance, refined by
Newton steps; of small problems every active set is looked at. Several solutions are listed where
a problem has them. Without a reference the line says why: no solution, one method alone, answers
that differ. --save writes snapshots with the first solution in them. Exit code 1 if a file has no
reference, 0 otherwise.")]
pub(crate) struct ReferenceVerb {
    /// Problem files
    #[arg(value_name = "PROBLEM", required = true)]
    pub(crate) problems: Vec<PathBuf>,
    /// Largest natural map, and largest difference in velocity of methods that agree [-]
    #[arg(
        long,
        value_name = "T",
        default_value = "1e-10",
        allow_hyphen_values = true
    )]
    pub(crate) tol: f64,
    /// Most rows that a reference is computed for
    #[arg(long, value_name = "N", default_value_t = 1500)]
    pub(crate) max_rows: usize,
    /// Ask every method, also where two agree on a convex problem
    #[arg(long)]
    pub(crate) thorough: bool,
    /// A line for every method that was asked
    #[arg(long)]
    pub(crate) methods: bool,
    /// Friction law of files that do not name one
    #[arg(long, value_name = "L", default_value = "coulomb")]
    pub(crate) law: String,
    /// Folder for snapshots with the solution in them
    #[arg(long, value_name = "DIR")]
    pub(crate) save: Option<PathBuf>,
    /// One JSON object per file on standard output, and nothing else there
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
