//! `index.html` of a folder of results: one row per experiment.
//!
//! It is made from what the results folders hold, and from nothing else, so that any run can write
//! it and none has to: of two that end at once the second one, which has waited for the lock, sees
//! what the first one left.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use delassus_records::disk;
use delassus_records::lock::{Lock, LockRefusal};
use delassus_records::store::{EXPERIMENT, write_atomic};

mod finding;
mod page;
mod scan;

pub use finding::first_sentence;
pub use scan::{ExperimentEntry, Row, scan};

/// Name of the page.
pub const FILE: &str = "index.html";
/// Name of the folder whose results get a page without being asked: where runs go by themselves.
pub const USUAL: &str = "results";
/// The file that is locked while the page is made.
const LOCK: &str = ".lock-index";
/// Bytes at whose beginning the mark stands.
const HEAD: usize = 4096;
/// How long another process may have the lock: it reads some files and writes one.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often a process that waits looks whether the lock is free.
const LOOK: Duration = Duration::from_millis(20);

/// What became of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexUpdate {
    /// The folder is one where nobody expects a page.
    NotHere,
    /// The page is what it should be, with so many experiments.
    Is(PathBuf, usize),
    /// What is no page of this program has its name, and stays.
    Foreign(PathBuf),
}

/// Renews the page next to the results folder `dir`, where it belongs: in a folder called
/// `results`, and wherever a page of ours is already.
///
/// # Errors
/// The folder cannot be read, the page not be written; another process holds the lock for five
/// seconds.
pub fn renew_beside(dir: &Path) -> io::Result<IndexUpdate> {
    let Some(results) = folder_of(dir) else {
        return Ok(IndexUpdate::NotHere);
    };
    let usual = results.file_name().is_some_and(|name| name == USUAL);
    match usual || is_ours(&results.join(FILE)) {
        true => renew(&results),
        false => Ok(IndexUpdate::NotHere),
    }
}

/// Writes the page of the folder `results` from all results folders in it: whole or not at all, and
/// only if it changes.
///
/// # Errors
/// The folder cannot be read, the page not be written; another process holds the lock for five
/// seconds.
pub fn renew(results: &Path) -> io::Result<IndexUpdate> {
    let path = results.join(FILE);
    if fs::symlink_metadata(&path).is_ok() && !is_ours(&path) {
        return Ok(IndexUpdate::Foreign(path));
    }
    let _lock = wait(&results.join(LOCK))?;
    let rows = scan(results)?;
    let text = page::render(&rows);
    let same = disk::read(&path).is_ok_and(|there| there == text.as_bytes());
    if !same {
        write_atomic(&path, text.as_bytes())?;
    }
    Ok(IndexUpdate::Is(path, rows.len()))
}

/// What a check of the page found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexCheck {
    /// There is no page.
    Missing,
    /// It is what so many results folders give.
    Current(usize),
    /// It is a page of this program, and another one than the results give.
    Differs,
    /// It is no page of this program.
    Foreign,
}

/// Makes the page of the folder `results` again, and compares; changes nothing.
///
/// # Errors
/// The folder cannot be read.
pub fn check(results: &Path) -> io::Result<IndexCheck> {
    let path = results.join(FILE);
    if fs::symlink_metadata(&path).is_err() {
        return Ok(IndexCheck::Missing);
    }
    let rows = scan(results)?;
    let text = page::render(&rows);
    let same = disk::read(&path).is_ok_and(|there| there == text.as_bytes());
    Ok(match same {
        true => IndexCheck::Current(rows.len()),
        false if is_ours(&path) => IndexCheck::Differs,
        false => IndexCheck::Foreign,
    })
}

/// True for a folder that holds results folders and is none itself.
pub fn is_folder_of_results(dir: &Path) -> bool {
    let is_results = |dir: &Path| dir.join(EXPERIMENT).is_file();
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    !is_results(dir) && { entries }.any(|entry| is_results(&entry.path()))
}

/// The folder that a results folder lies in.
fn folder_of(dir: &Path) -> Option<PathBuf> {
    let plain = dir.file_name().is_some();
    match dir.parent() {
        Some(parent) if plain && parent != Path::new("") => Some(parent.to_owned()),
        // "x", ".", "..": only the system knows
        _ => dir.canonicalize().ok()?.parent().map(Path::to_owned),
    }
}

/// True for a page that this program wrote.
fn is_ours(path: &Path) -> bool {
    use io::Read as _;
    let mut head = Vec::new();
    let plain = fs::symlink_metadata(path).is_ok_and(|facts| facts.is_file());
    let file = plain.then(|| fs::File::open(path).ok()).flatten();
    let read = file.map(|file| file.take(HEAD as u64).read_to_end(&mut head));
    let mark = page::MARK.as_bytes();
    read.is_some_and(|read| read.is_ok()) && head.windows(mark.len()).any(|part| part == mark)
}

/// The lock, as soon as it is free.
fn wait(path: &Path) -> io::Result<Lock> {
    let begun = Instant::now();
    loop {
        match Lock::of_file(path) {
            Ok(lock) => return Ok(lock),
            Err(LockRefusal::Io(error)) => return Err(error),
            Err(LockRefusal::Busy(_)) if begun.elapsed() < PATIENCE => sleep(LOOK),
            Err(LockRefusal::Busy(process)) => {
                let process = process.map_or_else(String::new, |id| format!(" {id}"));
                let text = format!(
                    "process{process} has had {} for five seconds",
                    path.display()
                );
                return Err(io::Error::new(io::ErrorKind::WouldBlock, text));
            }
        }
    }
}

#[cfg(test)]
mod tests;
