//! The files that a report, or a bundle, lists.

use std::io;
use std::path::Path;

use super::report::{Damage, FsckReport};
use crate::bundle_list;
use crate::damage::{REPORT, UNPACK};
use crate::error::RunError;
use crate::outputs;
use crate::run_metadata::BUNDLE;
use crate::{unfit, unpacked};

impl FsckReport {
    /// Looks at the files that the last report wrote; a folder may have none yet.
    ///
    /// # Errors
    /// A file that the system does not read.
    pub(super) fn outputs(&mut self, dir: &Path) -> Result<(), RunError> {
        let listed = match outputs::listed(dir) {
            Ok(listed) => listed,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) if unfit::is_damage(&error) => {
                let lost = "the list of the files that the report wrote";
                self.add(outputs::LIST, unfit::reason(&error), lost, REPORT);
                return Ok(());
            }
            Err(error) => return Err(unfit::unread(dir, outputs::LIST, error)),
        };
        // a folder whose change was cut short has files of both sides of it
        let is_cut = listed.under_way.is_some();
        for (name, (bytes, sum)) in &listed.files {
            if !outputs::is_inside(name) {
                self.damages.push(Damage {
                    file: outputs::LIST.to_owned(),
                    reason: format!("names {name:?}, which leads out of the folder"),
                    lost: "nothing".to_owned(),
                    action: REPORT,
                });
                continue;
            }
            let is_excused = |reason: &str| is_cut && unfit::is_half_changed(reason);
            match unfit::listed(dir, name, outputs::LIST, Some(*bytes), sum)? {
                Some(reason) if !is_excused(&reason) => {
                    self.add(name, reason, "what the report wrote there", REPORT);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Looks at the files of an unpacked bundle.
    ///
    /// # Errors
    /// A file that the system does not read.
    pub(super) fn bundle(&mut self, dir: &Path) -> Result<(), RunError> {
        unfit::require_readable(dir, BUNDLE)?;
        let list = match bundle_list::listed(dir) {
            None if unpacked::lost_list(dir) => Err(unfit::MISSING.to_owned()),
            None => return Ok(()),
            Some(list) => list,
        };
        let files = match list {
            Ok(files) => files,
            Err(reason) => {
                self.add(
                    BUNDLE,
                    reason,
                    "the list of the files of the bundle",
                    UNPACK,
                );
                return Ok(());
            }
        };
        for (name, bytes, sha256) in files.entries() {
            if let Some(reason) = unfit::listed(dir, name, BUNDLE, bytes, sha256)? {
                self.add(name, reason, "this file of the bundle", UNPACK);
            }
        }
        Ok(())
    }

    /// Adds the damage of a file, unless the file has been named.
    fn add(&mut self, file: &str, reason: String, lost: &str, action: &'static str) {
        if self.damages.iter().all(|damage| damage.file != file) {
            self.damages.push(Damage {
                file: file.to_owned(),
                reason,
                lost: lost.to_owned(),
                action,
            });
        }
    }
}
