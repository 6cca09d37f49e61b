//! A control group for each worker, where this process may make one (Linux, cgroup v2): it ends at
//! once with everything in it, its memory is counted over all processes in it, and the system tells
//! whether that met the limit.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::sleep;
use std::time::Duration;

/// Memory in addition to that of [`super::CellLimits`], which counts what a process writes to
/// \[B\]: files, stacks and the system's own.
const ADDITIONAL: u64 = 256 << 20;
/// A group's name is this, the number of the run's process, and the number of the group.
const NAME: &str = "delassus-";
/// How often a group is removed, until all that was in it has ended \[-\].
const ROUNDS: u32 = 100;
/// How long it has for that in between.
const PAUSE: Duration = Duration::from_millis(2);

static GROUPS: AtomicU64 = AtomicU64::new(0);

/// A control group below that of this process. Ends what is in it when it goes.
#[derive(Debug)]
pub(super) struct ControlGroup {
    folder: PathBuf,
    /// Its memory is limited.
    limited: bool,
}

impl ControlGroup {
    /// A group for one worker, whose memory is limited where the system lets groups below that of
    /// this process limit theirs.
    ///
    /// # Errors
    /// No cgroup v2, or none that this process may write to; a job of Slurm, which removes only
    /// groups that it has made.
    pub(super) fn new(bytes: u64) -> io::Result<Self> {
        if std::env::var_os("SLURM_JOB_ID").is_some() {
            return Err(io::Error::other("the control groups of a job are Slurm's"));
        }
        Self::below(&own_group()?, bytes)
    }

    fn below(parent: &Path, bytes: u64) -> io::Result<Self> {
        remove_left_over(parent);
        let number = GROUPS.fetch_add(1, Ordering::Relaxed);
        let folder = parent.join(format!("{NAME}{}-{number}", std::process::id()));
        fs::create_dir(&folder)?;
        let most = bytes.saturating_add(ADDITIONAL).to_string();
        let limited = put(&folder, "memory.max", &most).is_ok();
        if limited {
            // the limit is one of memory, not of memory without the disk; and no half of a cell
            // goes on
            let _ = put(&folder, "memory.swap.max", "0");
            let _ = put(&folder, "memory.oom.group", "1");
        }
        Ok(Self { folder, limited })
    }

    /// Puts a process into the group.
    ///
    /// # Errors
    /// The system does not let this process do so.
    pub(super) fn add(&self, process: u32) -> io::Result<()> {
        put(&self.folder, "cgroup.procs", &process.to_string())
    }

    /// The folder that stands for the group.
    #[cfg(test)]
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// True if the memory of the group is limited.
    #[cfg(test)]
    pub(super) fn is_limited(&self) -> bool {
        self.limited
    }

    /// True if the system has ended a process of the group because the group has met its own limit
    /// of memory.
    pub(super) fn has_met_its_limit(&self) -> bool {
        let events = fs::read_to_string(self.folder.join("memory.events"));
        self.limited && events.is_ok_and(|text| tells_of_own_limit(&text))
    }

    /// Ends all that is in the group.
    pub(super) fn kill(&self) {
        // systems before Linux 5.14 lack it; the worker's group of processes ends in any case
        let _ = put(&self.folder, "cgroup.kill", "1");
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        self.kill();
        for _ in 0..ROUNDS {
            match fs::remove_dir(&self.folder) {
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => sleep(PAUSE),
                _ => return,
            }
        }
    }
}

/// Writes to a file of a group, which is there or not: none is made.
fn put(folder: &Path, file: &str, text: &str) -> io::Result<()> {
    let mut file = fs::File::options().write(true).open(folder.join(file))?;
    io::Write::write_all(&mut file, text.as_bytes())
}

/// `oom` counts the times that a group met its own limit, `oom_kill` its processes that were ended
/// for any want of memory.
fn tells_of_own_limit(events: &str) -> bool {
    let counts = |name: &str| {
        let mut lines = events.lines().filter_map(|line| line.split_once(' '));
        let line = lines.find(|(key, _)| *key == name);
        line.and_then(|(_, count)| count.trim().parse::<u64>().ok())
            .is_some_and(|count| count > 0)
    };
    counts("oom") && counts("oom_kill")
}

/// Ends and removes groups of runs that were killed.
fn remove_left_over(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let numbers = name.to_str().and_then(|name| name.strip_prefix(NAME));
        let Some((run, _)) = numbers.and_then(|numbers| numbers.split_once('-')) else {
            continue;
        };
        let lives = Path::new("/proc").join(run).exists();
        if run.parse::<u32>().is_ok() && !lives {
            drop(ControlGroup {
                folder: entry.path(),
                limited: false,
            });
        }
    }
}

/// The folder of the group that this process is in.
fn own_group() -> io::Result<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mountinfo")?;
    let groups = fs::read_to_string("/proc/self/cgroup")?;
    group_of(&mounts, &groups).ok_or_else(|| io::Error::other("there is no cgroup v2 here"))
}

/// A mount is `number parent device root place options … - type …`; the group of cgroup v2 is
/// `0::/path`.
fn group_of(mounts: &str, groups: &str) -> Option<PathBuf> {
    let own = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    mounts.lines().find_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        let mut fields = place.split(' ').skip(3);
        let (root, place) = (fields.next()?, fields.next()?);
        let below = Path::new(own).strip_prefix(root).ok()?;
        kind.starts_with("cgroup2 ")
            .then(|| Path::new(place).join(below))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_group_is_found_below_its_mount() {
        let mounts = "30 1 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n";
        let found = group_of(mounts, "1:name=systemd:/\n0::/user.slice/a\n");
        assert_eq!(found.unwrap(), Path::new("/sys/fs/cgroup/user.slice/a"));
        let inside = "30 1 0:26 /docker/7 /sys/fs/cgroup rw shared:3 - cgroup2 cgroup rw\n";
        let found = group_of(inside, "0::/docker/7/b\n");
        assert_eq!(found.unwrap(), Path::new("/sys/fs/cgroup/b"));
        assert_eq!(group_of(mounts, "4:memory:/x\n"), None);
        let old = "30 1 0:26 / /sys/fs/cgroup rw - cgroup cgroup rw,memory\n";
        assert_eq!(group_of(old, "0::/\n"), None);
    }

    #[test]
    fn only_the_limit_of_the_group_itself_counts() {
        let events = |oom, killed| format!("low 0\nmax 9\noom {oom}\noom_kill {killed}\n");
        assert!(tells_of_own_limit(&events(2, 1)));
        // its processes were ended because the system, or a group above, was full
        assert!(!tells_of_own_limit(&events(0, 1)));
        assert!(!tells_of_own_limit(&events(2, 0)));
        assert!(!tells_of_own_limit(""));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn groups_of_runs_that_are_gone_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        // no process has this number
        let names = ["delassus-4194305-0", "delassus-1-0", "delassus-x-0", "else"];
        for name in names {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let group = ControlGroup::below(folder.path(), 1 << 20).unwrap();
        assert!(!group.limited, "no file of a group is made");
        let there = names.map(|name| folder.path().join(name).exists());
        assert_eq!(there, [false, true, true, true]);
        let own = group.folder.clone();
        drop(group);
        assert!(!own.exists());
    }
}
