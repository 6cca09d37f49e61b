//! Runs an experiment: every cell once, finished cells kept, everything written so that a kill
//! loses one cell at most.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use delassus_core::Status;
use delassus_records::folder::INNER;

use crate::lock::{Lock, LockPurpose, LockRefusal};
use crate::matrix::{self, CellMatrix};
use crate::record::NO_DEVICE;
use crate::registry::Registry;
use crate::spec;
use crate::{isolate, run_metadata, store, unfit};

mod args;
mod cell;
mod finish;
mod kept;
mod listener;
mod turns;
mod work;

pub use crate::error::RunError;
pub use args::{RunArgs, Shard};
pub use finish::index_note;
pub use listener::RunListener;
use work::Run;

/// How a run went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSummary {
    /// Folder of the results.
    pub dir: PathBuf,
    /// The report; `None` if this run wrote none (a shard).
    pub report: Option<PathBuf>,
    /// Cells of the matrix.
    pub cells: usize,
    /// Cells of this run that were kept from before.
    pub kept: usize,
    /// Cells that ran now \[-\].
    pub ran: usize,
    /// Cells without a record.
    pub missing: usize,
    /// Cells without a record because others have ended their processes again and again.
    pub lost: usize,
    /// Cells that a solver or a scheme which is on this machine has refused \[-\].
    pub refused: usize,
    /// Records by status, over everything that there is now.
    pub statuses: BTreeMap<Status, usize>,
    /// The word for [`Status::Solved`] in this experiment.
    pub good: &'static str,
    /// Scenes that no scheme steps.
    pub unstepped: Vec<String>,
    /// True if the user stopped the run.
    pub cancelled: bool,
}

impl RunSummary {
    /// Cells that failed, were not reproducible or took their process down.
    pub fn failed(&self) -> usize {
        let failed = self
            .statuses
            .iter()
            .filter(|(status, _)| status.is_failure());
        failed.map(|(_, count)| count).sum()
    }

    /// Records by the word for how they ended.
    pub fn endings(&self) -> BTreeMap<&'static str, usize> {
        let mut endings = BTreeMap::new();
        for (status, count) in &self.statuses {
            let word = match status {
                Status::Solved => self.good,
                // cycles of every period
                other => other.id(),
            };
            *endings.entry(word).or_insert(0) += count;
        }
        endings
    }

    /// True if every cell was skipped, some of them as a solver or scheme that is on this machine
    /// refused them: the run has come to nothing.
    pub fn is_refused(&self) -> bool {
        let skipped = self.statuses.get(&Status::Unsupported);
        self.refused > 0 && skipped == Some(&self.cells)
    }

    /// 130 if the user stopped the run, 3 if others ended processes of cells, which the next run
    /// tries again, 1 if a cell failed or the run [was refused](Self::is_refused), otherwise 0.
    /// Not converging is a result, and so is a refused cell among others.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self {
                cancelled: true, ..
            } => 130,
            Self { lost: 1.., .. } => 3,
            _ => u8::from(self.failed() > 0 || self.is_refused()),
        }
    }
}

/// Reads and expands the spec: everything that can be wrong with a request is wrong here.
///
/// # Errors
/// [`RunError::Spec`]; [`RunError::NoDevice`] where a device is required.
pub fn plan(registry: &Registry, args: &RunArgs) -> Result<(CellMatrix, PathBuf), RunError> {
    let further = |part: &spec::Spec| matrix::family_errors(part, registry);
    let spec = spec::read_and(&args.spec, registry, &further)?;
    let dir = args.out.clone().unwrap_or_else(|| usual_folder(&spec));
    let mut matrix = matrix::expand(spec, registry)?;
    let limits = args.limits.or(matrix.spec.limits);
    matrix.limits = limits.complete(matrix.spec.memory());
    let lacks = |(label, device): (&str, Option<&str>)| {
        (device == Some(NO_DEVICE)).then(|| label.to_owned())
    };
    let missing = matrix.devices().find_map(lacks);
    match missing.filter(|_| args.require_gpu) {
        Some(label) => Err(RunError::NoDevice { label }),
        None => Ok((matrix, dir)),
    }
}

/// The folder of the results of a spec: `out`, or the usual one.
///
/// # Errors
/// [`RunError::Spec`].
pub fn folder_of(
    spec: &Path,
    out: Option<&Path>,
    registry: &Registry,
) -> Result<PathBuf, RunError> {
    match out {
        Some(out) => Ok(out.to_owned()),
        None => Ok(usual_folder(&spec::read_for_views(spec, registry)?)),
    }
}

fn usual_folder(spec: &spec::Spec) -> PathBuf {
    Path::new("results").join(&spec.id)
}

/// Runs or resumes an experiment and writes its tables, figures and report.
///
/// Setting `cancel` ends the cells in flight at their next sample; finished cells stay, and what
/// there is gets its tables and report.
///
/// # Errors
/// A wrong request before anything runs; files that cannot be written.
pub fn run(
    registry: &Registry,
    args: &RunArgs,
    progress: &dyn RunListener,
    cancel: &AtomicBool,
) -> Result<RunSummary, RunError> {
    if args
        .isolation
        .as_ref()
        .is_some_and(|isolation| isolation.always)
        && !isolate::AVAILABLE
    {
        return Err(RunError::NoIsolation);
    }
    let (matrix, dir) = plan(registry, args)?;
    let mut args = args.clone();
    if matrix.experiment.runs_alone() && args.jobs > 1 {
        progress.note("cells that are timed, or have a budget of time, run one at a time");
        args.jobs = 1;
    } else if args.jobs > 1 {
        progress.note("several cells run at a time: counts are exact, times are disturbed");
    }
    for line in matrix.notes() {
        progress.note(&format!("note: {line}"));
    }
    let _lock = enter(&dir, &args, progress, cancel)?;
    if let Some(owner) = run_metadata::other_owner(&dir, &matrix.spec)? {
        return Err(RunError::Owned { folder: dir, owner });
    }
    prepare(&dir, args.shard.is_none())?;
    let mut run = Run::new(registry, &matrix, &dir, &args, progress, cancel);
    run.claim()?;
    run.execute()?;
    progress.concluding();
    run.finish()
}

/// How often a run that waits looks whether the folder is free.
const LOOK: Duration = Duration::from_millis(100);

/// Takes the lock of a results folder, when it is free if `progress` wants to wait.
fn enter(
    dir: &Path,
    args: &RunArgs,
    progress: &dyn RunListener,
    cancel: &AtomicBool,
) -> Result<Lock, RunError> {
    let part = args
        .shard
        .map(|shard| format!("{}-of-{}", shard.index, shard.of));
    let want = part
        .as_deref()
        .map_or(LockPurpose::Whole, LockPurpose::Part);
    loop {
        match lock(dir, want) {
            Err(RunError::Busy { process, .. }) if progress.waits_for(process) => sleep(LOOK),
            Ok(lock) => {
                if let Some(reason) = &lock.missing {
                    let dir = dir.display();
                    progress.note(&format!(
                        "{dir} cannot be locked ({reason}): run one at a time"
                    ));
                }
                return Ok(lock);
            }
            Err(error) => return Err(error),
        }
        if cancel.load(Ordering::Relaxed) {
            return Err(RunError::Cancelled);
        }
    }
}

/// Takes the lock of a results folder.
///
/// # Errors
/// [`RunError::Busy`] if another process has it; [`RunError::Write`] if nothing can be written
/// there.
pub fn lock(dir: &Path, want: LockPurpose<'_>) -> Result<Lock, RunError> {
    Lock::take(dir, want).map_err(|refused| of_lock(dir, refused))
}

/// Takes the lock of a folder that is read and not changed. A folder that cannot be written has
/// one if its run has left the file; where it has none, nothing is locked.
///
/// # Errors
/// As [`lock`].
pub fn lock_to_read(dir: &Path) -> Result<Option<Lock>, RunError> {
    match Lock::take(dir, LockPurpose::Whole) {
        Ok(lock) => Ok(Some(lock)),
        Err(LockRefusal::Io(error)) if is_read_only(&error) => {
            Lock::of_reader(dir).map_err(|refused| of_lock(dir, refused))
        }
        Err(refused) => Err(of_lock(dir, refused)),
    }
}

/// Refuses a folder in which something other than a file has the name of the lock, where a verb
/// takes none: nobody else can lock the folder either.
///
/// # Errors
/// [`RunError::Lock`].
pub(crate) fn check_lock(dir: &Path) -> Result<(), RunError> {
    Lock::check(dir).map_err(|error| of_lock(dir, LockRefusal::Io(error)))
}

/// True for the error of a place that this process may not write to.
pub fn is_read_only(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
    )
}

fn of_lock(dir: &Path, refused: LockRefusal) -> RunError {
    match refused {
        LockRefusal::Busy(process) => RunError::Busy {
            folder: dir.to_owned(),
            process,
        },
        LockRefusal::Io(source) if source.kind() == io::ErrorKind::InvalidInput => RunError::Lock {
            folder: dir.to_owned(),
            source,
        },
        LockRefusal::Io(source) => RunError::Write {
            path: dir.to_owned(),
            source,
        },
    }
}

/// Refuses a folder into which [`run`] would not write the results of `spec`: another process has
/// it, it holds the results of another spec, or a link leads out of it. Nothing is written but the
/// lock, and that only into a folder that is there.
///
/// # Errors
/// As [`run`].
pub fn admit(dir: &Path, spec: &spec::Spec) -> Result<(), RunError> {
    if !dir.is_dir() {
        // what stands in the way of the folder is said as by a run
        return match fs::symlink_metadata(dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            _ => lock(dir, LockPurpose::Whole).map(drop),
        };
    }
    let _lock = lock(dir, LockPurpose::Whole)?;
    if let Some(owner) = run_metadata::other_owner(dir, spec)? {
        let folder = dir.to_owned();
        return Err(RunError::Owned { folder, owner });
    }
    check_ways(dir)
}

/// Refuses a folder of which an inner one is a link, which leads elsewhere, or no folder.
pub(crate) fn check_ways(dir: &Path) -> Result<(), RunError> {
    unfit::check_ways(dir, &INNER)
}

/// Refuses a folder that cannot be written before anything runs; without others, clears what killed
/// runs left.
fn prepare(dir: &Path, alone: bool) -> Result<(), RunError> {
    check_ways(dir)?;
    let [cells, figures, tables] = INNER.map(|name| dir.join(name));
    let made = [figures, tables]
        .into_iter()
        .filter(|folder| folder.exists());
    for folder in [dir.to_owned(), cells].into_iter().chain(made) {
        store::probe(&folder).map_err(|source| RunError::Write {
            path: folder.clone(),
            source,
        })?;
        if alone {
            store::sweep(&folder);
        }
    }
    Ok(())
}
