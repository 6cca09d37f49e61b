//! What is converted: a frozen problem, or the data of another program's file.

use std::path::Path;

use delassus_core::MemoryLimit;
use delassus_formats::{FieldFile, fclib, npz};
use delassus_problems::{
    NamedProblem, ProblemReadError, bytes_within, is_snapshot, read_bytes_within, read_field,
};

use super::setting::Setting;

/// A file that was read.
pub(crate) enum Source {
    /// A file of a frozen problem, with the name of its format, or a problem that was frozen just
    /// now.
    Frozen(Box<NamedProblem>, &'static str),
    /// Another program's format: its data, and how it lay on the disk.
    Field {
        /// Data.
        file: Box<FieldFile>,
        /// Name of the file, which problems made of it carry.
        name: String,
        /// The bytes, of which problems are made.
        bytes: Vec<u8>,
    },
}

impl Source {
    /// Reads a file of any format.
    pub(super) fn read(path: &Path, limit: MemoryLimit) -> Result<Self, ProblemReadError> {
        let bytes = bytes_within(path, limit)?;
        let length = bytes.len() as u64;
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let container = match (is_snapshot(&bytes), npz::recognised(&bytes)) {
            (true, _) => Some("snapshot"),
            (false, true) => Some("NumPy archive"),
            (false, false) => None,
        };
        if let Some(container) = container {
            let law = delassus_core::ContactLaw::Coulomb;
            let named = read_bytes_within(&name, &bytes, law, limit.less(length))?;
            return Ok(Self::Frozen(Box::new(named), container));
        }
        let file = Box::new(read_field(&bytes)?);
        Ok(Self::Field { file, name, bytes })
    }

    /// The format, for people.
    pub(super) fn format(&self) -> String {
        match self {
            Self::Frozen(_, container) => (*container).to_owned(),
            Self::Field { file, bytes, .. } => {
                let container = if fclib::recognised(bytes) {
                    "FCLIB"
                } else {
                    "text"
                };
                format!("{} {container}", file.problem.kind().name())
            }
        }
    }

    /// The frozen problem.
    pub(super) fn problem(&self, setting: Setting) -> Result<NamedProblem, ProblemReadError> {
        let Setting { law, limit } = setting;
        match self {
            Self::Frozen(named, _) => Ok((**named).clone()),
            Self::Field { name, bytes, .. } => read_bytes_within(name, bytes, law, limit),
        }
    }
}
