//! A results folder of a run, in which some files have other contents.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use delassus_records::build::Build;
use delassus_records::store;
use delassus_runner::isolate::LimitChoice;
use delassus_runner::passing;
use delassus_runner::run::{RunArgs, run};
use delassus_runner::verify::verify;
use delassus_runner::{fsck, results};
use serde_json::Value;
use tempfile::TempDir;

use super::REGISTRY;
use super::patch::merge;
use crate::bounded::bounded_with_room;

/// One solve: its problem, its impulses, a table.
const SPEC: &str = r#"
title = "One cell"
[[problem]]
use = "chain"
n = 2
[[solver]]
use = "pgs"
[stop]
max_sweeps = 40
[[table]]
id = "cells"
show = { cells = {} }
"#;

/// The folder of a run or of a bundle, with what lies in it.
pub(super) struct ResultsFolder {
    /// Everything lies in it, and goes with it.
    parent: TempDir,
    dir: PathBuf,
    /// Names with `/`.
    files: BTreeMap<String, Vec<u8>>,
    key: String,
}

impl ResultsFolder {
    /// Runs the spec.
    pub(super) fn of_run() -> Self {
        let parent = tempfile::tempdir().expect("a folder for temporary files");
        // the name of its folder is that of the experiment
        let spec = parent.path().join("one/spec.toml");
        fs::create_dir(parent.path().join("one")).expect("a folder");
        fs::write(&spec, SPEC).expect("a spec");
        let arguments = RunArgs {
            spec,
            out: Some(parent.path().join("out")),
            jobs: 1,
            shard: None,
            require_gpu: false,
            isolation: None,
            limits: LimitChoice::default(),
            build: Build::UNKNOWN,
        };
        let summary = run(&REGISTRY, &arguments, &(), &AtomicBool::new(false)).expect("a run");
        assert_eq!((summary.cells, summary.ran), (1, 1));
        Self::read(parent, summary.dir)
    }

    /// Runs the spec and unpacks a bundle of the results.
    pub(super) fn of_bundle() -> Self {
        let run = Self::of_run();
        let mut parcel = passing::collect(&run.dir, None, None, &REGISTRY).expect("a bundle");
        passing::complete(&mut parcel, false, &REGISTRY).expect("a bundle");
        let dir = run.parent.path().join("bundle");
        for (name, content) in &parcel.files {
            let path = dir.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            let (mut from, _) = content.open().expect("a file");
            let mut to = fs::File::create(path).expect("a file");
            std::io::copy(&mut from, &mut to).expect("a file");
        }
        Self::read(run.parent, dir)
    }

    fn read(parent: TempDir, dir: PathBuf) -> Self {
        let mut files = BTreeMap::new();
        let mut folders = vec![dir.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("a file").path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let name = path.strip_prefix(&dir).expect("a file inside");
                let name = name.to_string_lossy().into_owned();
                files.insert(name, fs::read(&path).expect("a file"));
            }
        }
        let cells = files.keys();
        let mut keys = cells.filter_map(|name| name.strip_prefix("cells/")?.strip_suffix(".json"));
        let key = keys.next().expect("a cell").to_owned();
        Self {
            parent,
            dir,
            files,
            key,
        }
    }

    /// The content that the run left.
    pub(super) fn original(&self, name: &str) -> &[u8] {
        &self.files[name]
    }

    /// The JSON that the run left.
    pub(super) fn value(&self, name: &str) -> Value {
        serde_json::from_slice(self.original(name)).expect("JSON")
    }

    /// The file `name` changed by a merge patch, in which `KEY` stands for the key of the cell;
    /// `None` where the bytes are no JSON.
    pub(super) fn patched(&self, name: &str, patch: &[u8]) -> Option<Value> {
        let text = std::str::from_utf8(patch).ok()?.replace("KEY", &self.key);
        let mut value = self.value(name);
        merge(&mut value, serde_json::from_str(&text).ok()?);
        Some(value)
    }

    /// What `look` finds in the folder in which the files of these names have these contents.
    pub(super) fn with<T>(&self, files: &[(&str, &[u8])], look: impl FnOnce(&Path) -> T) -> T {
        let put = |name: &str, bytes: &[u8]| {
            fs::write(self.dir.join(name), bytes).expect("a folder that can be written");
        };
        files.iter().for_each(|(name, bytes)| put(name, bytes));
        let found = look(&self.dir);
        files
            .iter()
            .for_each(|(name, _)| put(name, self.original(name)));
        found
    }

    /// Puts back everything that somebody may have removed or changed, after a look whether what no
    /// report may touch is still there: the cell, what the run was, and the spec.
    pub(super) fn restore(&self) {
        let cell = store::cell_name(&self.key);
        for name in [&cell, &store::impulses_name(&self.key), store::EXPERIMENT] {
            let found = fs::read(self.dir.join(name)).ok();
            assert_eq!(found.as_deref(), Some(self.original(name)), "{name}");
        }
        let spec = fs::read(self.parent.path().join("one/spec.toml")).ok();
        assert_eq!(spec.as_deref(), Some(SPEC.as_bytes()), "the spec");
        for (name, bytes) in &self.files {
            fs::write(self.dir.join(name), bytes).expect("a folder that can be written");
        }
    }
}

/// Reads a folder as every verb does. True if `verify` finds it as its run left it; then every
/// other verb takes it too.
pub(super) fn is_as_left(bytes: &[u8], dir: &Path) -> bool {
    let checked = bounded_with_room(bytes, || fsck::check(dir));
    let loaded = bounded_with_room(bytes, || results::load(dir, &REGISTRY));
    let cancel = AtomicBool::new(false);
    let verdict = bounded_with_room(bytes, || {
        verify(dir, None, &REGISTRY, &Build::UNKNOWN, &cancel)
    });
    let Ok(verdict) = verdict else {
        return false;
    };
    if !verdict.findings.is_empty() || !verdict.unchecked.is_empty() {
        return false;
    }
    let checked = checked.expect("what verify takes, fsck takes");
    assert!(checked.damages.is_empty(), "{:?}", checked.damages);
    let cells = verdict.cells - verdict.missing;
    assert_eq!(loaded.expect("results").bundle.records.len(), cells);
    let parcel = bounded_with_room(bytes, || passing::collect(dir, None, None, &REGISTRY));
    assert_eq!(parcel.expect("a bundle").cells, cells);
    true
}
