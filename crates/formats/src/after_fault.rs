//! A writer for libraries that go on after a fault.

use std::io::{self, Seek, SeekFrom, Write};

/// Passes on what it gets until that fails, returns this fault, and takes everything after it
/// without writing. A library that writes an archive ends it when it is dropped, and prints or
/// panics on what it meets there.
#[derive(Debug)]
pub struct AfterFault<W> {
    inner: W,
    place: u64,
    end: u64,
    has_failed: bool,
}

impl<W: Write + Seek> AfterFault<W> {
    /// Nothing has failed yet; `inner` is at its begin.
    pub fn new(inner: W) -> Self {
        Self {
            inner,
            place: 0,
            end: 0,
            has_failed: false,
        }
    }

    /// What was written to.
    pub fn into_inner(self) -> W {
        self.inner
    }

    fn meet<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        // an interrupted call is made again
        let failed = |error: &io::Error| error.kind() != io::ErrorKind::Interrupted;
        if result.as_ref().err().is_some_and(failed) {
            self.has_failed = true;
            // a fault between the ends would leave the place before what has been written
            self.place = self.end;
        }
        result
    }

    fn advance(&mut self, bytes: usize) {
        self.place += bytes as u64;
        self.end = self.end.max(self.place);
    }
}

impl<W: Write + Seek> Write for AfterFault<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match self.has_failed {
            true => Ok(bytes.len()),
            false => self.inner.write(bytes),
        };
        let count = self.meet(written)?;
        self.advance(count);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.has_failed {
            return Ok(());
        }
        let flushed = self.inner.flush();
        self.meet(flushed)
    }
}

impl<W: Write + Seek> Seek for AfterFault<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match (self.has_failed, to) {
            (false, _) => self.inner.seek(to),
            (true, SeekFrom::Start(place)) => Ok(place),
            (true, SeekFrom::Current(by)) => Ok(self.place.saturating_add_signed(by)),
            (true, SeekFrom::End(by)) => Ok(self.end.saturating_add_signed(by)),
        };
        self.place = self.meet(place)?;
        Ok(self.place)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::npz::{ArchiveWriter, NamedArray, NpyValues};

    /// A disk that takes so many bytes.
    struct Disk(Cursor<Vec<u8>>, usize);

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let room = self.1 - self.0.get_ref().len().min(self.1);
            match room {
                0 => Err(io::ErrorKind::StorageFull.into()),
                _ => self.0.write(&bytes[..bytes.len().min(room)]),
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for Disk {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            self.0.seek(to)
        }
    }

    fn write(disk: Disk) -> Result<usize, String> {
        let mut archive = ArchiveWriter::new(disk);
        for name in ["a", "second", "third"] {
            let array = NamedArray {
                name: name.into(),
                shape: vec![5],
                values: NpyValues::F64(vec![1.5; 5]),
            };
            archive.put(&array).map_err(|error| error.to_string())?;
        }
        let written = archive.finish().map_err(|error| error.to_string())?;
        Ok(written.0.get_ref().len())
    }

    #[test]
    fn a_full_disk_is_an_error_wherever_it_is_met() {
        let disk = |room| Disk(Cursor::new(Vec::new()), room);
        let whole = write(disk(usize::MAX)).unwrap();
        for room in 0..whole {
            let error = write(disk(room)).unwrap_err();
            assert!(error.contains("no storage space"), "{room}: {error}");
        }
        assert_eq!(write(disk(whole)), Ok(whole));
    }

    #[test]
    fn what_follows_a_fault_is_taken_and_not_written() {
        let mut writer = AfterFault::new(Disk(Cursor::new(Vec::new()), 3));
        assert!(writer.write_all(b"12345").is_err());
        writer.write_all(b"678").unwrap();
        assert_eq!(writer.stream_position().unwrap(), 6);
        assert_eq!(writer.seek(SeekFrom::End(-2)).unwrap(), 4);
        assert_eq!(writer.into_inner().0.into_inner(), b"123");
    }
}
