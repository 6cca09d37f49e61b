//! Runs that the tests share.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use delassus_records::build::Build;
use delassus_registry::Registry;
use delassus_report::bundle::Bundle;
use delassus_report::report::Report;
use delassus_runner::isolate::LimitChoice;
use delassus_runner::results;
use delassus_runner::run::{RunArgs, RunSummary, run};

pub(crate) fn write(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("spec.toml");
    fs::write(&path, text).expect("a spec");
    path
}

pub(crate) fn run_into(spec: &Path, out: &Path, jobs: usize) -> RunSummary {
    let arguments = RunArgs {
        spec: spec.to_owned(),
        out: Some(out.to_owned()),
        jobs,
        shard: None,
        require_gpu: false,
        isolation: None,
        limits: LimitChoice::default(),
        build: Build::UNKNOWN,
    };
    let registry = Registry::standard();
    run(&registry, &arguments, &(), &AtomicBool::new(false)).expect("a run")
}

/// Runs a spec into `out` and reads the results back.
pub(crate) fn results_of(spec: &Path, out: &Path, jobs: usize) -> Report {
    let summary = run_into(spec, out, jobs);
    assert_eq!((summary.failed(), summary.missing), (0, 0));
    results::load(out, &Registry::standard()).expect("results")
}

/// Runs the text of a spec and loads its records.
pub(crate) fn bundle_of(text: &str, jobs: usize) -> Bundle {
    let folder = tempfile::tempdir().expect("a folder");
    let spec = write(folder.path(), text);
    results_of(&spec, &folder.path().join("out"), jobs).bundle
}
