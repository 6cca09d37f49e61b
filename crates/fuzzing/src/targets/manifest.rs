//! The manifest of a results folder.

use delassus_records::outputs;
use delassus_records::store::MANIFEST;

use super::results::{ResultsFolder, is_as_left};

thread_local! {
    static FOLDER: ResultsFolder = ResultsFolder::of_run();
}

/// The bytes as a manifest, and as changes of the entries of one, whose hash is renewed wherever it
/// stands: nothing but the same entries is what the run left.
pub(crate) fn meet(bytes: &[u8]) {
    FOLDER.with(|folder| {
        let as_left = folder.with(&[(MANIFEST, bytes)], |dir| is_as_left(bytes, dir));
        assert!(!as_left || bytes == folder.original(MANIFEST));
        let Some(changed) = folder.patched(MANIFEST, bytes) else {
            return;
        };
        let mut text = serde_json::to_vec_pretty(&changed).expect("JSON");
        text.push(b'\n');
        let list = folder.with(&[], |dir| outputs::with_other(dir, MANIFEST, &text));
        let list = list.expect("a list");
        let files = [(MANIFEST, &text[..]), (outputs::LIST, &list)];
        let as_left = folder.with(&files, |dir| is_as_left(bytes, dir));
        assert_eq!(as_left, changed == folder.value(MANIFEST), "{changed}");
    });
}
