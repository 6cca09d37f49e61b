//! The list of a bundle, and the texts that come with it, made again from spec and manifest.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use delassus_records::disk;
use serde_json::Value;

use super::report::VerifyReport;
use crate::bundle_list::{self, BundleList};
use crate::key;
use crate::manifest::BINARY;
use crate::outputs::{self, LIST};
use crate::passing::{self, BundleTexts, METHOD, SOURCES, frozen};
use crate::registry::Registry;
use crate::run_metadata::{self, BUNDLE, RunMetadata};
use crate::spec::{PAGE, Spec};
use crate::store::{self, EXPERIMENT};
use crate::unfit;

/// Compares the list of a bundle with the files that a bundle of these results has: what the run
/// and the report wrote, the cells, the sources, the frozen problems and the texts. The sources are
/// known if the spec can be read; the package of a method may have any files, and another program
/// may have added some.
pub(super) fn check_members(
    dir: &Path,
    saved: &RunMetadata,
    spec: Option<&Spec>,
    verdict: &mut VerifyReport,
) {
    let Some(Ok(BundleList { files: list, bytes })) = bundle_list::listed(dir) else {
        return;
    };
    let manifest = run_metadata::manifest(dir).unwrap_or_default();
    let is_own = manifest[BINARY].as_str() == Some(key::build_id());
    // older programs leave none
    let is_other = saved.sources_sha256.as_ref() != Some(&passing::sources_root(&list));
    if is_other && (is_own || saved.sources_sha256.is_some()) {
        let what = format!("its sources_sha256 is not the hash of the sources that {BUNDLE} lists");
        verdict.find(EXPERIMENT, what);
    }
    // older programs leave no lengths
    if (is_own || !bytes.is_empty()) && !list.keys().eq(bytes.keys()) {
        verdict.find(
            BUNDLE,
            "its hashes and its lengths are not of the same files",
        );
    }
    let sources = spec.map(|spec| sources(dir, saved, spec));
    let known_sources = sources.is_some();
    let mut known = members(dir, saved);
    known.extend(sources.unwrap_or_default());
    for name in &known {
        if !list.contains_key(name) && fs::symlink_metadata(dir.join(name)).is_ok() {
            verdict.find(BUNDLE, format!("does not list {name}"));
        }
    }
    let below = |name: &str, folder: &str| {
        let rest = name.strip_prefix(folder);
        rest.is_some_and(|rest| rest.starts_with('/'))
    };
    // without the list of the report nothing says which views belong here
    let is_known = is_own && outputs::listed(dir).is_ok();
    let more = list.keys().filter(|name| !known.contains(*name));
    for name in more.filter(|_| is_known) {
        let is_open = below(name, METHOD) || (below(name, SOURCES) && !known_sources);
        if !is_open {
            let what = format!("lists {name}, but no bundle of these results has such a file");
            verdict.find(BUNDLE, what);
        }
    }
}

/// The files of a bundle but for the sources.
fn members(dir: &Path, saved: &RunMetadata) -> BTreeSet<String> {
    let reports = outputs::listed(dir).unwrap_or_default();
    let frozen = frozen::listed(dir).unwrap_or_default();
    let cells = saved.cells.iter().filter(|key| run_metadata::is_key(key));
    let files: [fn(&str) -> String; 3] =
        [store::cell_name, store::impulses_name, store::replay_name];
    let cells = cells.flat_map(|key| files.map(|name| name(key)));
    let names = reports.files.into_keys().chain(cells);
    let names = names.chain(frozen.into_iter().map(|problem| problem.file));
    let own = [LIST, EXPERIMENT, frozen::LIST].into_iter();
    names
        .chain(own.chain(passing::TEXTS).map(str::to_owned))
        .collect()
}

/// The files that the experiment is made from: the spec, its page, and what the spec names.
fn sources(dir: &Path, saved: &RunMetadata, spec: &Spec) -> BTreeSet<String> {
    let root = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let file = dir.join(&saved.spec_file);
    let page = file.with_file_name(PAGE);
    let paths = spec.files().into_iter().chain([file, page]);
    let inside = paths.filter_map(|path| {
        let path = path.canonicalize().ok()?;
        let parts = path.strip_prefix(&root).ok()?.components();
        let parts: Vec<_> = parts
            .map(|part| part.as_os_str().to_string_lossy().into_owned())
            .collect();
        Some(parts.join("/"))
    });
    inside.collect()
}

/// Compares licences, citations and page of a bundle with what this program writes there; another
/// program may have had other words.
pub(super) fn check_texts(
    dir: &Path,
    saved: &RunMetadata,
    spec: &Spec,
    manifest: &Value,
    registry: &Registry,
    verdict: &mut VerifyReport,
) {
    let is_own = manifest[BINARY].as_str() == Some(key::build_id());
    let spec_file = saved.spec_file.to_str().filter(|_| is_own);
    let Some(spec_file) = spec_file.filter(|_| dir.join(BUNDLE).exists()) else {
        return;
    };
    let of = BundleTexts {
        id: &saved.id,
        title: &spec.title,
        spec,
        spec_file,
        manifest,
        has_method: disk::open_in(dir, &format!("{METHOD}/Cargo.toml")).is_ok(),
    };
    // a spec that names what is not here has been met before
    for (name, text) in passing::texts(&of, registry).unwrap_or_default() {
        match disk::read_in(dir, &name) {
            Ok(bytes) if bytes == text.as_bytes() => verdict.made += 1,
            Ok(_) => verdict.find(&name, "is not what `delassus bundle` writes there"),
            Err(error) => verdict.find(&name, unfit::reason(&error)),
        }
    }
}
