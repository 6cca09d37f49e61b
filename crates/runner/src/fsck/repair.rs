//! What repairs a damaged file.

use std::fs;
use std::path::Path;

use delassus_records::regular::irregular;

use super::report::FsckReport;
use crate::saved::BUNDLE;

pub(super) const RUN: &str = "run the experiment again into this folder: what is whole is kept";
pub(super) const REPORT: &str = "`delassus report` on this folder writes it again, from the cells";
pub(super) const NAME: &str = "move the file away";
pub(super) const UNPACK: &str = "unpack the archive again, into a new folder";
const CLEAR: &str = "move it away, then run the experiment again into this folder";

impl FsckReport {
    /// Says for each damage what repairs it in this folder, given the others: a report needs all
    /// records, no file takes the place of a pipe, and a bundle is unpacked again.
    pub(super) fn advise(&mut self, dir: &Path) {
        let is_bundle = fs::symlink_metadata(dir.join(BUNDLE)).is_ok();
        let needs_run = self.damages.iter().any(|damage| damage.action == RUN);
        for damage in &mut self.damages {
            let facts = fs::symlink_metadata(dir.join(&damage.file));
            let stays = facts.is_ok_and(|facts| irregular(&facts).is_some());
            damage.action = match damage.action {
                NAME => NAME,
                _ if is_bundle => UNPACK,
                _ if stays => CLEAR,
                REPORT if needs_run => RUN,
                action => action,
            };
        }
    }
}
