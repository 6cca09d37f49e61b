//! What a run and its workers say to each other: lines of JSON, and bytes whose number and checksum
//! stand in the line before.

use std::io::{self, BufRead, Read, Write};

use serde::{Deserialize, Serialize};

use super::CellLimits;
use crate::key;

/// The first line for a worker: what it works on, and with what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// Hash of the program, which the run has taken already.
    pub build: String,
    /// Where the spec came from.
    pub file: String,
    /// Its text as the run has read it: an edit in between changes nothing.
    pub text: String,
    /// What a problem may take with its solver \[B\].
    pub memory: u64,
    /// What a cell may take.
    pub limits: CellLimits,
}

/// A cell by its place and its key: both sides must mean the same one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellName {
    /// Its place in the matrix \[-\].
    pub index: usize,
    /// Its key.
    pub key: String,
}

/// Every further line for a worker: what to do next. The cells of a group are begun one after the
/// other and then, by their places, passed over in turns and finished.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerRequest {
    /// A cell from its first pass to its last.
    Work(CellName),
    /// The first pass of a cell.
    Begin(CellName),
    /// A timed pass of one that was begun.
    Pass(usize),
    /// The end of one that was begun.
    Finish(usize),
}

impl WorkerRequest {
    /// True where a cell begins.
    pub fn begins(&self) -> bool {
        matches!(self, Self::Work(_) | Self::Begin(_))
    }
}

/// A line from a worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Head {
    Ready,
    Refused(String),
    Short(String),
    Begun(u64),
    Passed,
    /// Bytes of the record, of the replay and of the impulses \[B\], and the checksum of all.
    Done(usize, Option<usize>, Option<usize>, String),
}

/// What a worker answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// It has read the spec and waits for cells.
    Ready,
    /// It cannot work on what it was asked for.
    Refused(String),
    /// The system does not give it what it takes now, as a thread.
    Short(String),
    /// The first pass of a cell is over, and so many timed ones are to come \[-\].
    Begun(u64),
    /// A timed pass is over.
    Passed,
    /// What a cell came to.
    Done(CellReply),
}

/// What a cell came to, in bytes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CellReply {
    /// The record as JSON.
    pub record: Vec<u8>,
    /// The file of a replay.
    pub replay: Option<Vec<u8>>,
    /// The file of the impulses.
    pub impulses: Option<Vec<u8>>,
}

impl CellReply {
    fn parts(&self) -> impl Iterator<Item = &[u8]> {
        let files = [&self.replay, &self.impulses].into_iter().flatten();
        std::iter::once(&self.record)
            .chain(files)
            .map(Vec::as_slice)
    }

    /// The lengths of the parts stand in the line before, so that no two answers are the same
    /// bytes.
    fn checksum(&self) -> String {
        key::of_bytes(&self.parts().collect::<Vec<_>>().concat())
    }
}

/// A line that is longer is none of ours \[B\].
const LONGEST_LINE: u64 = 1 << 20;
/// A part that is longer is none of ours \[B\].
const LARGEST_PART: u64 = 4 << 30;

impl Reply {
    /// Writes the reply as a line, with what belongs to it.
    ///
    /// # Errors
    /// A pipe that breaks.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let length = |part: &Option<Vec<u8>>| part.as_ref().map(Vec::len);
        let (head, answer) = match self {
            Self::Ready => (Head::Ready, None),
            Self::Refused(reason) => (Head::Refused(reason.clone()), None),
            Self::Short(reason) => (Head::Short(reason.clone()), None),
            Self::Begun(rounds) => (Head::Begun(*rounds), None),
            Self::Passed => (Head::Passed, None),
            Self::Done(answer) => {
                let (replay, impulses) = (length(&answer.replay), length(&answer.impulses));
                let head = Head::Done(answer.record.len(), replay, impulses, answer.checksum());
                (head, Some(answer))
            }
        };
        let mut line = serde_json::to_vec(&head)?;
        line.push(b'\n');
        to.write_all(&line)?;
        for part in answer.into_iter().flat_map(CellReply::parts) {
            to.write_all(part)?;
        }
        to.flush()
    }

    /// The next reply; `None` at the end.
    ///
    /// # Errors
    /// A pipe that breaks; bytes that are no reply, as [`io::ErrorKind::InvalidData`] or, where
    /// they end too early, as [`io::ErrorKind::UnexpectedEof`].
    pub fn read(from: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut line = Vec::new();
        from.by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(None);
        }
        let head: Head = serde_json::from_slice(&line)?;
        Ok(Some(match head {
            Head::Ready => Self::Ready,
            Head::Refused(reason) => Self::Refused(reason),
            Head::Short(reason) => Self::Short(reason),
            Head::Begun(rounds) => Self::Begun(rounds),
            Head::Passed => Self::Passed,
            Head::Done(record, replay, impulses, sum) => {
                let answer = CellReply {
                    record: part(from, record)?,
                    replay: replay.map(|length| part(from, length)).transpose()?,
                    impulses: impulses.map(|length| part(from, length)).transpose()?,
                };
                if answer.checksum() != sum {
                    return Err(damaged("its answer has a wrong checksum"));
                }
                Self::Done(answer)
            }
        }))
    }
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

fn part(from: &mut impl BufRead, length: usize) -> io::Result<Vec<u8>> {
    if length as u64 > LARGEST_PART {
        return Err(damaged("its answer is too long"));
    }
    let mut bytes = Vec::new();
    from.by_ref().take(length as u64).read_to_end(&mut bytes)?;
    match bytes.len() == length {
        true => Ok(bytes),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_come_back_and_damage_is_noticed() {
        let replies = [
            Reply::Begun(9),
            Reply::Passed,
            Reply::Ready,
            Reply::Refused("a reason\nof two lines".to_owned()),
            Reply::Short("no thread".to_owned()),
            Reply::Done(CellReply {
                record: b"{}\n\n".to_vec(),
                ..CellReply::default()
            }),
            Reply::Done(CellReply {
                record: b"{}".to_vec(),
                replay: Some(vec![0, 10, 255]),
                impulses: Some(vec![10; 8]),
            }),
        ];
        let mut bytes = Vec::new();
        for reply in &replies {
            reply.write(&mut bytes).unwrap();
        }
        let mut from = bytes.as_slice();
        for reply in &replies {
            assert_eq!(Reply::read(&mut from).unwrap().as_ref(), Some(reply));
        }
        assert!(Reply::read(&mut from).unwrap().is_none());
        let mut last = Vec::new();
        replies[6].write(&mut last).unwrap();
        for length in 1..last.len() {
            assert!(Reply::read(&mut &last[..length]).is_err(), "{length}");
        }
        let at = last.len() - 1;
        last[at] ^= 1;
        let error = Reply::read(&mut last.as_slice()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        let error = Reply::read(&mut &b"a solver prints\n"[..]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }
}
