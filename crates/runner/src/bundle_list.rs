//! The list of a bundle: the hashes and lengths of its files.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use delassus_records::disk;
use delassus_records::folder::BUNDLE;
use serde::{Deserialize, Serialize};

use crate::{damage, json_file};

/// Version of the layout of a bundle.
const SCHEMA: &str = "bundle/1";

/// Content of [`BUNDLE`].
#[derive(Debug, Serialize, Deserialize)]
struct Content {
    schema: String,
    id: String,
    #[serde(flatten)]
    listed: BundleList,
}

/// The files of a bundle.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct BundleList {
    /// Their hashes.
    pub(crate) files: BTreeMap<String, String>,
    /// Their lengths \[B\]; older programs leave none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) bytes: BTreeMap<String, u64>,
}

impl BundleList {
    /// Every file with its length, where that is known \[B\], and its hash.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&str, Option<u64>, &str)> {
        let files = self.files.iter();
        files.map(|(name, sha256)| (&**name, self.bytes.get(name).copied(), &**sha256))
    }

    /// The content of [`BUNDLE`] in a bundle of the experiment `id`.
    pub(crate) fn content(self, id: &str) -> io::Result<Vec<u8>> {
        json_file::pretty(&Content {
            schema: SCHEMA.to_owned(),
            id: id.to_owned(),
            listed: self,
        })
    }
}

/// The identifier of the experiment of a bundle that was unpacked into `dir`; `None` where there is
/// no such list.
pub(crate) fn id(dir: &Path) -> Option<String> {
    let text = disk::read_in(dir, BUNDLE).ok()?;
    Some(serde_json::from_slice::<Content>(&text).ok()?.id)
}

/// The files of a bundle that was unpacked into `dir`; `None` where there is no such list.
pub(crate) fn listed(dir: &Path) -> Option<Result<BundleList, String>> {
    let text = match disk::read_in(dir, BUNDLE) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => return Some(Err(damage::reason(&error))),
    };
    let list = serde_json::from_slice::<Content>(&text);
    Some(match list {
        Ok(list) if list.schema != SCHEMA => Err(format!(
            "has the layout {:?}, and this program reads {SCHEMA:?}",
            list.schema
        )),
        // an entry that is there twice, or that nothing reads, says nothing
        Ok(list) if json_file::pretty(&list).ok() != Some(text) => Err(
            "is a list of files, but not in the form in which `delassus bundle` writes it"
                .to_owned(),
        ),
        Ok(list) => Ok(list.listed),
        Err(error) => Err(format!("is damaged: {}", json_file::reason(&error))),
    })
}
