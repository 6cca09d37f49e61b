//! The process that the program lies in, where it is a library of another program.

use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;
use std::sync::OnceLock;

use delassus_records::key;

/// A process that has loaded this program as a library, such as an interpreter.
///
/// A run starts processes for its cells. They are `program` with `arguments`, and load the same
/// library again. The keys of cells hash `library`, not the executable of the process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostProcess {
    /// The executable that starts the program again.
    pub program: PathBuf,
    /// What stands in front of the words of the command line.
    pub arguments: Vec<OsString>,
    /// The file with the code of this program.
    pub library: PathBuf,
}

static HOST: OnceLock<HostProcess> = OnceLock::new();

/// Says once per process where the program lies; later calls change nothing.
pub(super) fn enter(host: HostProcess) {
    let library = host.library.clone();
    if HOST.set(host).is_err() {
        return;
    }
    // without it cells would have the key of any other program of the same interpreter
    let hash = File::open(library).and_then(key::of_reader);
    key::adopt_build_id(&hash.unwrap_or_else(|_| "unknown".to_owned()));
}

/// The process around this program; `None` where it is its own executable.
pub(super) fn host() -> Option<&'static HostProcess> {
    HOST.get()
}
