//! What a container must say before its tensors are read: format, version, laws, checksum.

use std::collections::BTreeMap;

use delassus_core::{Choice, LawKind};
use safetensors::Dtype;

use super::Snapshot;
use crate::error::ProblemReadError;
use crate::snapshot::checksum::{Content, checksum};
use crate::snapshot::{FORMAT, Version, keys, place};

impl Snapshot<'_> {
    pub(super) fn check_version(&self) -> Result<Version, ProblemReadError> {
        if self.text(keys::FORMAT) != FORMAT {
            return Err(ProblemReadError::UnknownFormat {
                reason: format!(
                    "a safetensors file, but its metadata does not say format = {FORMAT}"
                ),
            });
        }
        let found = self.text(keys::VERSION);
        Version::named(found).ok_or_else(|| ProblemReadError::Version {
            offset: place::of_entry(self.header, keys::VERSION),
            found: found.to_owned(),
            supported: Version::SUPPORTED,
        })
    }

    /// The list of laws in the file is that of its version, so that a number in `blocks/law` means
    /// what the file says.
    pub(super) fn check_laws(&self) -> Result<(), ProblemReadError> {
        let expected = self.version.laws();
        let text = self.text.get(keys::LAWS).copied();
        let found: Vec<&str> = text.unwrap_or_default().split_whitespace().collect();
        let equal = |(kind, name): (&LawKind, &&str)| kind.id() == *name;
        if expected.len() == found.len() && expected.iter().zip(&found).all(equal) {
            return Ok(());
        }
        let mut fault = if text.is_none() {
            "the metadata has no list of laws".to_owned()
        } else {
            format!("the list has {} laws", found.len())
        };
        for (number, name) in found.iter().enumerate() {
            if LawKind::from_name(name).is_err() {
                fault = format!("the list names an unknown law {name:?} (number {number})");
                break;
            }
            if expected.get(number).is_some_and(|kind| kind.id() != *name) {
                fault = format!("law {number} of the list is {name:?}");
                break;
            }
        }
        let names: Vec<&str> = expected.iter().map(|kind| kind.id()).collect();
        Err(ProblemReadError::Laws {
            offset: place::of_entry(self.header, keys::LAWS),
            fault,
            version: self.version.name,
            expected: names.join(" "),
        })
    }

    pub(super) fn check_sum(&self) -> Result<(), ProblemReadError> {
        let mut contents = BTreeMap::new();
        for (name, view) in self.tensors.iter() {
            let dtype = match view.dtype() {
                Dtype::F64 => "F64",
                Dtype::U64 => "U64",
                Dtype::U32 => "U32",
                Dtype::U8 => "U8",
                _ => return Err(self.bad(name, "has a type that snapshots do not use")),
            };
            let content = Content {
                dtype,
                shape: self.shape(name),
                data: view.data(),
            };
            contents.insert(name, content);
        }
        let found = checksum(&self.text, &contents);
        if found == self.text(keys::CHECKSUM) {
            return Ok(());
        }
        Err(ProblemReadError::Checksum {
            offset: place::of_entry(self.header, keys::CHECKSUM),
            expected: self.text(keys::CHECKSUM).to_owned(),
            found,
        })
    }
}
