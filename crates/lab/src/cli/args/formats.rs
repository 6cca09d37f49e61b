//! Verbs that write files for others: `export`, `convert`, `data`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use delassus_problems::{FieldForm, MatrixStorage};

use super::{count, folder};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus export heavy-tip-chain --frame 60 --set mass_ratio=1000
  delassus export stack --frame 30 --scheme tgs-soft --scheme-set substeps=8 --solver block-gs
  delassus solve stack-frame-30.dls --solver block-gs --start warm
  delassus export pendulum --format toml --out my-scene.toml
  delassus export my-scene.toml --frame 30 --all --out frames
  delassus export stack --frame 30 --format fclib       # for other programs: stack-frame-30.hdf5

Frame 0 is the first step. The file has the problem that the scheme gives to its solver, with the
stabilising bias, and the impulses that the scheme starts from, for --start warm.
--all writes frames 0 to K into the folder --out. Equal requests give equal bytes.")]
pub(crate) struct ExportVerb {
    /// Scene of `delassus list scenes`, or a scene file (.toml, .json)
    #[arg(value_name = "SCENE")]
    pub(crate) scene: String,
    /// Frames to step first; not with --format toml or json, which write the start
    #[arg(long, value_name = "K", value_parser = count::<u32>, allow_negative_numbers = true)]
    pub(crate) frame: Option<u32>,
    /// Substep of the frame
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = count::<u32>, allow_negative_numbers = true)]
    pub(crate) substep: u32,
    /// Write every frame up to this one, one file per frame
    #[arg(long)]
    pub(crate) all: bool,
    /// Only the frame up to --frame, or 299, with the largest observable
    #[arg(long, value_name = "OBSERVABLE", conflicts_with = "all")]
    pub(crate) worst: Option<String>,
    /// Scene parameter; repeat for several
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) parameters: Vec<String>,
    /// Replace principal moments of a scene file that no body can have by the nearest possible ones
    #[arg(long)]
    pub(crate) fix_inertia: bool,
    /// Scheme or preset
    #[arg(long, value_name = "ID", default_value = "pgs-baumgarte")]
    pub(crate) scheme: String,
    /// Scheme parameter; repeat for several
    #[arg(long = "scheme-set", value_name = "KEY=VALUE")]
    pub(crate) scheme_parameters: Vec<String>,
    /// Solver for the frames that are stepped
    #[arg(long, value_name = "ID", default_value = "pgs")]
    pub(crate) solver: String,
    /// Solver parameter; repeat for several
    #[arg(long = "solver-set", value_name = "KEY=VALUE")]
    pub(crate) solver_parameters: Vec<String>,
    /// Frame length in seconds [default: 1/60]
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub(crate) dt: Option<f64>,
    /// File, - for standard output, or folder with --all [default: SCENE-frame-K.dls, SCENE-frames]
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
    // the same with equations
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

    /// The ending of its files where nobody names one.
    pub(crate) fn ending(self) -> &'static str {
        self.endings()[0]
    }

    /// The endings that its files may have.
    pub(crate) fn endings(self) -> &'static [&'static str] {
        match self {
            Self::Dls => &["dls"],
            Self::Fc3d | Self::Gfc3d | Self::Lcp | Self::Relay | Self::Mlcp => &["dat", "txt"],
            Self::Fclib | Self::FclibLocal => &["hdf5", "h5"],
            Self::Toml => &["toml"],
            Self::Npz => &["npz"],
            Self::Json => &["json"],
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

The content of IN decides its format, and the ending or --format that of OUT. Between text and FCLIB
of the same form no number changes. If OUT cannot store something, convert lists it and stops,
unless --lossy.")]
pub(crate) struct ConvertVerb {
    /// Problem file of any format that is read
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    /// File to write: .dls, .dat, .hdf5 or .npz; - for standard output
    #[arg(value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Format of OUT, whatever its ending
    #[arg(long, value_name = "F")]
    pub(crate) format: Option<ContainerChoice>,
    /// Form of the problem in text and FCLIB; fitting: that of IN, or what fits the laws of a
    /// snapshot
    #[arg(long, value_name = "FORM", default_value = "fitting")]
    pub(crate) form: FormChoice,
    /// Storage of the matrix of a snapshot in text
    #[arg(long, value_name = "S", default_value = "blocks")]
    pub(crate) storage: StorageChoice,
    /// Friction law of files that do not name one
    #[arg(long, value_name = "L", default_value = "coulomb")]
    pub(crate) law: String,
    /// Leave out or change what OUT cannot store
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
  delassus data results/demo              # then polars.read_parquet(\"results/demo/summary.parquet\")
  delassus data results/demo --format npz # then numpy.load(\"results/demo/summary.npz\")[\"sweeps\"]
  delassus data results/demo --format csv --out my-paper/data

Writes one file per table, with a typed column per quantity (docs/file-formats.md, \"Tables\"):
records.parquet, summary.parquet and, if a solver looked for all solutions, solutions.parquet.
Worlds of one structure have worlds.parquet. As npz it also writes impulses.npz, the final impulses
of every solved cell. Equal records give equal bytes.")]
pub(crate) struct DataVerb {
    /// Results folder of `delassus run`
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Form of the files
    #[arg(long, value_name = "F", default_value = "parquet")]
    pub(crate) format: DataFormat,
    /// Folder for the files; it is created if missing [default: that of the results]
    #[arg(long, value_name = "DIR", value_parser = folder())]
    pub(crate) out: Option<PathBuf>,
    /// One JSON object per file on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Forms of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DataFormat {
    /// Parquet, for data frames
    Parquet,
    /// Arrays for NumPy, one per column, and the final impulses
    Npz,
    /// CSV, as in the results folder
    Csv,
}

impl DataFormat {
    /// The end of the names of its files.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Npz => "npz",
            Self::Csv => "csv",
        }
    }
}
