//! The files that a report, or a bundle, lists.

use std::fs;
use std::io;
use std::path::Path;

use delassus_records::disk;

use super::repair::{REPORT, UNPACK};
use super::report::{Damage, FsckReport};
use crate::outputs;
use crate::passing;
use crate::saved::{BUNDLE, Saved};
use crate::unfit;

impl FsckReport {
    /// Looks at the files that the last report wrote; a folder may have none yet.
    pub(super) fn outputs(&mut self, dir: &Path) {
        let damage = |own: &mut Self, file: &str, reason: String, lost: &str| {
            own.damages.push(Damage {
                file: file.to_owned(),
                reason,
                lost: lost.to_owned(),
                action: REPORT,
            });
        };
        let listed = match outputs::listed(dir) {
            Ok(listed) => listed,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => {
                // a flaw of a folder that has a root, which has been named
                if !self.damages.iter().any(|d| d.file == outputs::LIST) {
                    damage(
                        self,
                        outputs::LIST,
                        error.to_string(),
                        "which files a report wrote",
                    );
                }
                return;
            }
        };
        // a folder whose change was cut short has files of both sides of it
        let cut = listed.under_way.is_some();
        for (name, (bytes, sum)) in listed.files {
            if !outputs::is_inside(&name) {
                damage(
                    self,
                    outputs::LIST,
                    format!("it names {name:?}, outside of the folder"),
                    "nothing",
                );
                continue;
            }
            match disk::is_as_listed(dir, &name, (bytes, &sum)) {
                Ok(true) => {}
                Ok(false) if cut => {}
                // what vouches for the records has been named
                Ok(false) if self.damages.iter().any(|damage| damage.file == name) => {}
                Err(error) if cut && error.kind() == io::ErrorKind::NotFound => {}
                Err(_) if self.damages.iter().any(|damage| damage.file == name) => {}
                Ok(false) => {
                    let length = fs::metadata(dir.join(&name)).map_or(0, |facts| facts.len());
                    let reason = format!(
                        "it is not what the report wrote: {length} bytes, and {bytes} were written"
                    );
                    damage(
                        self,
                        &name,
                        reason,
                        "what the report wrote, unless somebody edited it",
                    );
                }
                Err(error) => {
                    damage(self, &name, unfit::reason(&error), "what the report wrote");
                }
            }
        }
    }

    /// Looks at the files of an unpacked bundle, whose run says of itself what is `saved`.
    pub(super) fn bundle(&mut self, dir: &Path, saved: Option<&Saved>) {
        let is_lost = saved.is_some_and(|saved| passing::lost_list(dir, saved));
        let list = match passing::listed(dir) {
            None if is_lost => Err(unfit::MISSING.to_owned()),
            None => return,
            Some(list) => list,
        };
        let damage = |file: &str, reason: String| Damage {
            file: file.to_owned(),
            reason,
            lost: "a file of the bundle".to_owned(),
            action: UNPACK,
        };
        let files = match list {
            Ok(files) => files,
            Err(reason) => return self.damages.push(damage(BUNDLE, reason)),
        };
        for (name, sha256) in files {
            let hashed = disk::hash_in(dir, &name);
            let reason = match hashed {
                Ok((_, found)) if found == sha256 => continue,
                Ok(_) => format!("has changed since {BUNDLE} was written"),
                Err(error) => unfit::reason(&error),
            };
            if self.damages.iter().all(|damage| damage.file != name) {
                self.damages.push(damage(&name, reason));
            }
        }
    }
}
