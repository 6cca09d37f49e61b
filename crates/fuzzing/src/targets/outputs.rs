//! The list of the files of a results folder.

use delassus_records::outputs::{FolderListing, LIST, Outputs, Work, are_current, listed, sealed};

use super::results::{ResultsFolder, is_as_left};

thread_local! {
    static FOLDER: ResultsFolder = ResultsFolder::of_run();
}

/// The bytes as a list, and as changes of the entries of one, whose checksum is renewed: nothing
/// but the same files and cells is what the run left, and a report removes nothing else.
pub(crate) fn meet(bytes: &[u8]) {
    FOLDER.with(|folder| {
        let as_left = folder.with(&[(LIST, bytes)], |dir| {
            let _ = are_current(dir, "");
            is_as_left(bytes, dir)
        });
        let original = listed_in(folder, folder.original(LIST));
        assert!(!as_left || listed_in(folder, bytes) == original);
        let Some(changed) = folder.patched(LIST, bytes) else {
            return;
        };
        let text = serde_json::to_vec(&changed).expect("JSON");
        let Ok(list) = sealed(&text) else {
            return;
        };
        let as_left = folder.with(&[(LIST, &list)], |dir| is_as_left(bytes, dir));
        assert!(
            !as_left || listed_in(folder, &list) == original,
            "{changed}"
        );
        folder.with(&[(LIST, &list)], |dir| {
            let mut outputs = Outputs::begin(dir, Work::Report);
            outputs.take_away("tables/cells.csv").expect("a list");
            outputs.finish("").expect("a list");
        });
        folder.restore();
    });
}

/// What a list says, if it can be read, compared with what the files were made from.
fn listed_in(folder: &ResultsFolder, list: &[u8]) -> Option<FolderListing> {
    let listed = folder.with(&[(LIST, list)], listed).ok()?;
    Some(FolderListing {
        of: String::new(),
        ..listed
    })
}
