//! From a replay to the bytes of its file.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::ReplayError;
use crate::codec::{Contact, MARK, Replay, ReplayFrame, checksum, extrapolated, matches};

impl Replay {
    /// The bytes of the file: equal replays have equal bytes.
    ///
    /// # Errors
    /// None in practice: the writer is memory.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ReplayError> {
        let mut columns = Vec::new();
        for (i, frame) in self.frames.iter().enumerate() {
            let earlier = |back: usize| i.checked_sub(back).map(|i| &self.frames[i]);
            put_frame(
                &mut columns,
                frame,
                [earlier(1), earlier(2)],
                self.header.residual.top > 0.0,
            );
        }
        let pack = |error: std::io::Error| ReplayError::Pack(error.to_string());
        let header = serde_json::to_vec(&self.header).map_err(|e| pack(e.into()))?;
        sealed(&header, &columns).map_err(pack)
    }
}

/// The bytes of a file with this header as JSON and these columns, which nobody has looked at.
///
/// # Errors
/// None in practice: the writer is memory.
pub fn sealed(header: &[u8], columns: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut rest = [header, b"\n"].concat();
    let mut stream = ZlibEncoder::new(&mut rest, Compression::new(6));
    stream.write_all(columns)?;
    stream.finish()?;
    let mut bytes = format!("{MARK}{}\n", checksum(&rest)).into_bytes();
    bytes.extend(rest);
    Ok(bytes)
}

fn put_frame(
    out: &mut Vec<u8>,
    frame: &ReplayFrame,
    [last, before]: [Option<&ReplayFrame>; 2],
    with_residuals: bool,
) {
    let places = [last, before].map(|f| f.map(|f| &f.places));
    put_triples(out, &frame.places, places);
    put_triples(
        out,
        &frame.turns,
        [last, before].map(|f| f.map(|f| &f.turns)),
    );
    put_levels(out, &frame.speeds, last.map(|f| &f.speeds));
    if with_residuals {
        put_levels(out, &frame.residuals, last.map(|f| &f.residuals));
    }
    put_contacts(
        out,
        &frame.contacts,
        last.map_or(&[], |last| &last.contacts),
    );
}

fn put_levels(out: &mut Vec<u8>, levels: &[u8], last: Option<&Vec<u8>>) {
    let old = |i: usize| last.map_or(0, |last| last[i]);
    let levels = levels.iter().enumerate();
    out.extend(levels.map(|(i, level)| level.wrapping_sub(old(i))));
}

fn put_triples(
    out: &mut Vec<u8>,
    values: &[[u16; 3]],
    [last, before]: [Option<&Vec<[u16; 3]>>; 2],
) {
    for axis in 0..3 {
        let changes = values.iter().enumerate().map(|(i, value)| {
            let old = |list: Option<&Vec<[u16; 3]>>| list.map(|list| list[i][axis]);
            value[axis].wrapping_sub(extrapolated(old(last), old(before)))
        });
        put_changes(out, changes);
    }
}

/// Low bytes, then high bytes, of numbers with their sign in the lowest bit.
fn put_changes(out: &mut Vec<u8>, changes: impl Iterator<Item = u16>) {
    let folded = changes.map(|change| (change << 1) ^ (change >> 15).wrapping_neg());
    let bytes: Vec<[u8; 2]> = folded.map(u16::to_le_bytes).collect();
    for byte in 0..2 {
        out.extend(bytes.iter().map(|bytes| bytes[byte]));
    }
}

fn put_contacts(out: &mut Vec<u8>, contacts: &[Contact], before: &[Contact]) {
    let matches = matches(before, contacts);
    let mut stays = vec![0_u8; before.len()];
    for old in matches.iter().flatten() {
        stays[*old] = 1;
    }
    out.extend(stays);
    let new = || matches.iter().zip(contacts).filter(|(m, _)| m.is_none());
    for side in 0..2 {
        for byte in 0..4 {
            out.extend(new().map(|(_, c)| c.bodies[side].to_le_bytes()[byte]));
        }
    }
    let old = |i: usize| matches[i].map(|j| before[j]).unwrap_or_default();
    for axis in 0..3 {
        let changes = contacts.iter().enumerate();
        let change = |(i, c): (usize, &Contact)| c.place[axis].wrapping_sub(old(i).place[axis]);
        put_changes(out, changes.map(change));
    }
    for column in 0..6 {
        let changes = contacts.iter().enumerate();
        let change =
            |(i, c): (usize, &Contact)| c.bytes()[column].wrapping_sub(old(i).bytes()[column]);
        out.extend(changes.map(change));
    }
}
