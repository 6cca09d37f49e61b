//! `delassus bundle`: results with everything that they were made from, in one archive.

use std::io::{Cursor, Write};
use std::path::PathBuf;

use delassus_runner::citations;
use delassus_runner::passing::{self, Files, Parcel, PassError};
use serde_json::{Value, json};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use super::args::BundleVerb;
use super::failure::Failure;
use super::output::{Output, count, printable};
use super::talk::talk;
use crate::lock::Want;
use crate::registry::Registry;
use crate::store::{EXPERIMENT, write_atomic};
use crate::{report, results, run};

/// Texts that come with every bundle.
const TEXTS: [(&str, &str); 3] = [
    ("LICENSE-APACHE", include_str!("../../../../LICENSE-APACHE")),
    ("LICENSE-MIT", include_str!("../../../../LICENSE-MIT")),
    ("CITATION.cff", include_str!("../../../../CITATION.cff")),
];
/// How to use a bundle.
const PAGE: &str = include_str!("bundle/README.md");

impl From<PassError> for Failure {
    fn from(error: PassError) -> Self {
        match error {
            PassError::Run(error) => error.into(),
            PassError::Damaged { .. } => Self::Mismatch(error.to_string()),
            PassError::Changed { .. } | PassError::Sources(_) => Self::request(error.to_string()),
            PassError::Frozen { .. } | PassError::Read { .. } => Self::run(error.to_string()),
        }
    }
}

/// Runs the verb.
pub(crate) fn run(
    verb: &BundleVerb,
    registry: &Registry,
    output: &mut Output,
) -> Result<(), Failure> {
    // a lock would make the folder that is not there
    let _lock = match verb.folder.join(EXPERIMENT).is_file() {
        true => Some(run::lock(&verb.folder, Want::Whole)?),
        false => None,
    };
    // what is drawn now must not hide what was changed before
    passing::check(&verb.folder, registry)?;
    // figures that an older program drew would not be drawn again bit for bit
    let current = results::load(&verb.folder, registry)?;
    report::write(&current, &verb.folder).map_err(|error| Failure::run(error.to_string()))?;
    let mut parcel = passing::collect(&verb.folder, registry)?;
    add_texts(&mut parcel, registry)?;
    // results of others say what they are called: their archive lies here, and unpacks into one folder
    let name = report::file_name(&parcel.id);
    let out = match &verb.out {
        Some(path) => path.clone(),
        None => PathBuf::from(format!("{name}.zip")),
    };
    let bytes = archive(&name, &parcel.files)?;
    let shown = printable(&out.to_string_lossy());
    write_atomic(&out, &bytes)
        .map_err(|error| Failure::run(format!("cannot write {shown}: {error}")))?;
    if parcel.missing > 0 {
        let missing = count(parcel.missing as u64, "cell");
        talk(&format!("note: {missing} of the experiment have no record"));
    }
    if verb.json {
        return output.json(&json!({
            "schema": "bundle/1",
            "archive": out.to_string_lossy(),
            "bytes": bytes.len(),
            "sha256": delassus_records::key::of_bytes(&bytes),
            "files": parcel.files.len(),
            "cells": parcel.cells,
            "missing": parcel.missing,
        }));
    }
    let files = count(parcel.files.len() as u64, "file");
    talk(&format!("{files}, {}", count(parcel.cells as u64, "cell")));
    output.line(&shown)
}

/// Licences, citations and how to go on; then the list of everything.
fn add_texts(parcel: &mut Parcel, registry: &Registry) -> Result<(), Failure> {
    let files = &mut parcel.files;
    for (name, text) in TEXTS {
        files.insert(name.to_owned(), text.as_bytes().to_vec());
    }
    let references = citations::bibliography(&parcel.spec, registry);
    let references = references.map_err(|error| Failure::request(error.to_string()))?;
    files.insert("references.bib".to_owned(), references.into_bytes());
    let said = |key: &str| match &parcel.manifest[key] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let page = filled(&[
        ("{title}", plain(&parcel.title)),
        ("{id}", plain(&parcel.id)),
        // in a block of code
        ("{spec}", printable(&parcel.spec_file)),
        ("{version}", plain(&said("delassus"))),
        ("{commit}", plain(&said("commit"))),
        ("{rustc}", plain(&said("rustc"))),
    ]);
    files.insert("README.md".to_owned(), page.into_bytes());
    passing::seal(&parcel.id, files).map_err(|error| Failure::run(error.to_string()))
}

/// The page with its marks filled in, none of them from a text that was filled in before.
fn filled(parts: &[(&str, String)]) -> String {
    let mut page = String::with_capacity(2 * PAGE.len());
    let mut rest = PAGE;
    while let Some(at) = rest.find('{') {
        page.push_str(&rest[..at]);
        rest = &rest[at..];
        let part = parts.iter().find(|(mark, _)| rest.starts_with(mark));
        let (mark, text) = part.map_or(("{", "{"), |(mark, text)| (*mark, text.as_str()));
        page.push_str(text);
        rest = &rest[mark.len()..];
    }
    page.push_str(rest);
    page
}

/// A text from outside in a page of Markdown: one line, and nothing in it is markup.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in printable(text).chars() {
        if matches!(
            c,
            '\\' | '`'
                | '*'
                | '_'
                | '['
                | ']'
                | '<'
                | '>'
                | '&'
                | '!'
                | '|'
                | '#'
                | '~'
                | '$'
                | ':'
                | '@'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A ZIP archive of one folder: names in order, no dates, no owners, so that equal files give equal bytes.
fn archive(folder: &str, files: &Files) -> Result<Vec<u8>, Failure> {
    let refuse = |error: &dyn std::fmt::Display| {
        Failure::run(format!("the archive cannot be made: {error}"))
    };
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(6))
            .last_modified_time(DateTime::default())
            .unix_permissions(0o644)
            .large_file(bytes.len() as u64 > u64::from(u32::MAX / 2));
        let started = writer.start_file(format!("{folder}/{name}"), options);
        started.map_err(|error| refuse(&error))?;
        writer.write_all(bytes).map_err(|error| refuse(&error))?;
    }
    let written = writer.finish().map_err(|error| refuse(&error))?;
    Ok(written.into_inner())
}
