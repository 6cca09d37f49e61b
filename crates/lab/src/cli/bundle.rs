//! `delassus bundle`: results with everything that they were made from, in one archive.

mod method;

use std::fs::File;
use std::io::{self, BufWriter, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use delassus_formats::after_fault::AfterFault;
use delassus_records::disk::ScratchFolder;
use delassus_records::folder::is_results;
use delassus_records::key::of_reader;
use delassus_runner::passing::{self, Files, PassError};
use serde_json::json;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::args::BundleVerb;
use super::destination::Destination;
use super::diagnostic::print_diagnostic;
use super::failure::Failure;
use super::output::{Output, count, printable};
use crate::built::BUILD;
use crate::registry::Registry;
use crate::run::RunError;
use crate::{report, results, run};

impl From<PassError> for Failure {
    fn from(error: PassError) -> Self {
        match error {
            PassError::Run(error) => error.into(),
            PassError::Changed { .. }
            | PassError::Sources(_)
            | PassError::Outside(_)
            | PassError::Unknown(_) => Self::request(error.to_string()),
            PassError::Frozen { .. } => Self::run(error.to_string()),
            PassError::Read { .. } => Self::Store(error.to_string()),
        }
    }
}

/// Runs the verb.
pub(crate) fn run(
    verb: &BundleVerb,
    registry: &Registry,
    output: &mut Output,
) -> Result<(), Failure> {
    // before the views are drawn again
    if let Some(out) = &verb.out {
        destination(out, verb.json)?;
    }
    // a lock would make the folder that is not there
    let lock = is_results(&verb.folder).then(|| run::lock_to_read(&verb.folder));
    let _lock = lock.transpose()?;
    // what is drawn now must not hide what was changed before
    let spec = verb.spec.as_deref();
    passing::check(&verb.folder, spec, registry, &BUILD)?;
    let unread_spec = match spec {
        None => results::unread_spec(&verb.folder, registry),
        Some(_) => None,
    };
    let unread_page = results::unread_page(&verb.folder, spec, registry);
    for note in unread_spec.into_iter().chain(unread_page) {
        print_diagnostic(&printable(&format!("note: {note}")));
    }
    let drawn = drawn(&verb.folder, spec, registry)?;
    let drawn = drawn.as_ref().map(ScratchFolder::path);
    let mut parcel = passing::collect(&verb.folder, drawn, spec, registry)?;
    let source = results::spec_of(&verb.folder, spec);
    let named = verb.method.as_deref();
    let has_method = method::add(&mut parcel.files, named, source.as_deref(), registry)?;
    passing::complete(&mut parcel, has_method, registry)?;
    // the name comes from a folder that may be somebody else's: the archive is written here and
    // unpacks into one folder
    let name = report::file_name(&name_of(&parcel.id, &verb.folder));
    let usual = || PathBuf::from(format!("{name}.zip"));
    let out = verb.out.clone().unwrap_or_else(usual);
    let shown = printable(&out.to_string_lossy());
    let to = destination(&out, verb.json)?;
    let fill = |file: &mut File| archive(&name, &parcel.files, file);
    let replaces = to.replaces();
    let (bytes, sha256) = to.write_with(fill, output)?;
    if replaces {
        print_diagnostic(&format!("note: replaces the archive that {shown} was"));
    }
    if parcel.missing > 0 {
        let missing = count(parcel.missing as u64, "cell");
        print_diagnostic(&format!(
            "note: {missing} of the experiment without a record"
        ));
    }
    if verb.json {
        return output.json(&json!({
            "schema": "bundle/1",
            "archive": out.to_string_lossy(),
            "bytes": bytes,
            "sha256": sha256,
            "files": parcel.files.len(),
            "cells": parcel.cells,
            "missing": parcel.missing,
        }));
    }
    let files = count(parcel.files.len() as u64, "file");
    print_diagnostic(&format!("{files}, {}", count(parcel.cells as u64, "cell")));
    to.say(&shown, output)
}

/// The name of an archive: that of the experiment; of `play`, whose experiments are all called so,
/// that of the folder, which has the name of the scene.
fn name_of(id: &str, folder: &Path) -> String {
    let own = std::path::absolute(folder).ok();
    let own = own.as_deref().and_then(Path::file_name);
    match own.filter(|_| id == super::play::ID) {
        Some(name) => name.to_string_lossy().into_owned(),
        None => id.to_owned(),
    }
}

/// Tables, figures and page drawn anew, in a folder of their own; `None` if those of the results
/// are as this program draws them. The results may lie where nothing can be written.
fn drawn(
    folder: &Path,
    spec: Option<&Path>,
    registry: &Registry,
) -> Result<Option<ScratchFolder>, Failure> {
    // figures that an older program drew would not be drawn again bit for bit
    if results::is_current(folder, spec, registry) {
        return Ok(None);
    }
    let report = results::load_with_spec(folder, spec, registry)?;
    let into = ScratchFolder::new().map_err(|source| RunError::Write {
        path: std::env::temp_dir(),
        source,
    })?;
    results::draw_into(folder, &report, into.path())?;
    Ok(Some(into))
}

/// Where the archive goes.
fn destination(out: &Path, json: bool) -> Result<Destination, Failure> {
    let to = Destination::of("--out", out)?;
    to.require_ending("--out", out, &["zip"], "a bundle is a ZIP archive")?;
    to.check(json)?;
    Ok(to)
}

/// Writes a ZIP archive of one folder: names in order, no dates, no owners, so that equal files
/// give equal bytes. One piece of a file is in memory at a time. Returns the bytes of the archive
/// and their SHA-256.
fn archive(folder: &str, files: &Files, file: &mut File) -> io::Result<(u64, String)> {
    let mut fault = None;
    let packed = pack(folder, files, FirstFault(&mut *file, &mut fault));
    match (fault, packed) {
        (Some(fault), _) => return Err(fault),
        (None, packed) => packed?,
    }
    let length = file.stream_position()?;
    file.rewind()?;
    Ok((length, of_reader(file)?))
}

/// Writes the entries and the directory of the archive.
fn pack(folder: &str, files: &Files, to: FirstFault<'_>) -> io::Result<()> {
    let mut writer = ZipWriter::new(AfterFault::new(BufWriter::new(to)));
    for (name, content) in files {
        let (mut from, length) = content.open()?;
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(6))
            .last_modified_time(DateTime::default())
            .unix_permissions(0o644)
            .large_file(length > u64::from(u32::MAX / 2));
        writer.start_file(format!("{folder}/{name}"), options)?;
        io::copy(&mut from, &mut writer)?;
    }
    writer.finish()?.flush()
}

/// A file that keeps its first fault in the system's words.
struct FirstFault<'f>(&'f mut File, &'f mut Option<io::Error>);

impl FirstFault<'_> {
    fn meet<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| {
            let kind = error.kind();
            self.1.get_or_insert(error);
            kind.into()
        })
    }
}

impl io::Write for FirstFault<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            // it is tried again
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            written => self.meet(written),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl io::Seek for FirstFault<'_> {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        let place = self.0.seek(to);
        self.meet(place)
    }
}
