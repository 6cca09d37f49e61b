//! The file of a replay: a line with the checksum, a line of JSON, compressed columns of small
//! numbers.
//!
//! | part | content |
//! |---|---|
//! | first line | `delassus-replay 1 ` and the SHA-256 of all that follows the line, hexadecimal |
//! | second line | [`Header`] as JSON |
//! | the rest | a zlib stream of the frames, one after the other |
//!
//! A frame is: three coordinates of all bodies, three numbers of their orientations, their speeds,
//! their residuals where there are any; per contact of the frame before one byte, 1 if it stays;
//! the bodies of the new ones; then coordinates, normals, magnitudes and directions of the
//! impulses, and depths of all. Numbers of 16 bits are the difference from what they were
//! extrapolated to, its sign in the lowest bit, all low bytes before all high ones; numbers of 8
//! bits the difference from the frame before, modulo 256. Contacts stand in the order of their
//! bodies, those that stay before new ones of the same two.

use std::io::Read as _;

use flate2::read::ZlibDecoder;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::quantise::{LogScale, PositionGrid};
use crate::stage::{SceneGeometry, index};
use crate::{Limits, ReplayError};

/// What the first line begins with.
pub(crate) const MARK: &str = "delassus-replay 1 ";

/// No recorder holds frames of more \[B\]: a body of a frame takes 14 bytes at most, a contact 21.
const MOST_UNPACKED: u64 = 32 * Limits::HELD as u64;

/// Everything but the frames.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// What stays the same over time.
    pub stage: SceneGeometry,
    /// Where places are.
    pub grid: PositionGrid,
    /// The box that a camera shows: lower and upper corner \[m\].
    pub view: [[f64; 3]; 2],
    /// The largest speed of a body that has not left the scene \[m/s\]; of those that have, what is
    /// larger counts as this. The other scales likewise.
    pub speed: LogScale,
    /// The largest residual of a body \[-\]; zero where none was recorded, and then no frame has
    /// them.
    #[serde(default)]
    pub residual: LogScale,
    /// The largest impulse of a contact point \[N·s\].
    pub impulse: LogScale,
    /// The deepest overlap \[m\].
    pub depth: LogScale,
    /// Frames of the run from one recorded frame to the next \[-\].
    pub every: u64,
    /// Contact points that were left out to save room, over all frames \[-\].
    pub left_out: u64,
    /// Time of every frame \[s\].
    pub times: Vec<f64>,
    /// New contacts of every frame \[-\].
    pub added: Vec<u32>,
}

/// A recorded run, in codes.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// Everything but the frames.
    pub header: Header,
    /// The frames, in the order of time.
    pub frames: Vec<ReplayFrame>,
}

/// One instant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReplayFrame {
    /// Where every body is, on the grid.
    pub places: Vec<[u16; 3]>,
    /// The orientation of every body.
    pub turns: Vec<[u16; 3]>,
    /// The speed of every body.
    pub speeds: Vec<u8>,
    /// The residual of every body.
    pub residuals: Vec<u8>,
    /// The points that touch or push, in the order of their bodies.
    pub contacts: Vec<Contact>,
}

/// A contact point at one instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Contact {
    /// The bodies.
    pub bodies: [u32; 2],
    /// Where it is, on the grid.
    pub place: [u16; 3],
    /// The normal, from the first body to the second.
    pub normal: [u8; 2],
    /// Magnitude of the impulse on the second body in the last substep.
    pub impulse: u8,
    /// Its direction.
    pub direction: [u8; 2],
    /// The overlap.
    pub depth: u8,
}

impl Contact {
    pub(crate) fn bytes(&self) -> [u8; 6] {
        let ([n, m], [d, e]) = (self.normal, self.direction);
        [n, m, self.impulse, d, e, self.depth]
    }

    fn set_bytes(&mut self, [n, m, impulse, d, e, depth]: [u8; 6]) {
        (self.normal, self.direction) = ([n, m], [d, e]);
        (self.impulse, self.depth) = (impulse, depth);
    }
}

/// Per contact: the contact of the frame before that it goes on from, in lists ordered by bodies.
pub(crate) fn matches(before: &[Contact], now: &[Contact]) -> Vec<Option<usize>> {
    let mut next = 0;
    let found = now.iter().map(|contact| {
        while next < before.len() && before[next].bodies < contact.bodies {
            next += 1;
        }
        let same = next < before.len() && before[next].bodies == contact.bodies;
        same.then(|| {
            next += 1;
            next - 1
        })
    });
    found.collect()
}

/// What a number is extrapolated to from the last and the one before.
pub(crate) fn extrapolated(last: Option<u16>, earlier: Option<u16>) -> u16 {
    let last = last.unwrap_or(0);
    let earlier = earlier.unwrap_or(last);
    last.wrapping_add(last.wrapping_sub(earlier))
}

impl Replay {
    /// Refuses bytes that are not a whole file, without unpacking it.
    ///
    /// # Errors
    /// [`ReplayError::Damaged`].
    pub fn check(bytes: &[u8]) -> Result<(), ReplayError> {
        checked(bytes).map(drop)
    }

    /// With which byte every file begins.
    pub const FIRST_BYTE: u8 = MARK.as_bytes()[0];

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// [`ReplayError::Damaged`] for anything but a whole replay.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ReplayError> {
        let rest = checked(bytes)?;
        let cut = || damaged("it is cut short");
        let end = rest
            .iter()
            .position(|byte| *byte == b'\n')
            .ok_or_else(cut)?;
        let header = serde_json::from_slice(&rest[..end]);
        let header: Header = header.map_err(|error| ReplayError::Damaged(error.to_string()))?;
        if !header.stage.is_whole() {
            return Err(damaged("it shows a body or a corner that it does not have"));
        }
        let mut columns = Vec::new();
        let stream = ZlibDecoder::new(&rest[end + 1..]);
        let read = stream.take(MOST_UNPACKED + 1).read_to_end(&mut columns);
        read.map_err(|error| ReplayError::Damaged(error.to_string()))?;
        if columns.len() as u64 > MOST_UNPACKED {
            let reason = format!("its frames unpack to more than {MOST_UNPACKED} bytes");
            return Err(ReplayError::Damaged(reason));
        }
        let mut columns = Columns { rest: &columns };
        let mut frames: Vec<ReplayFrame> = Vec::with_capacity(header.times.len());
        for added in &header.added {
            let earlier = frames.iter().rev().take(2);
            let frame = columns.frame(&header, earlier.collect(), *added as usize);
            frames.push(frame.ok_or_else(cut)?);
        }
        if !columns.rest.is_empty() || frames.len() != header.times.len() {
            return Err(damaged("its frames are not those of its header"));
        }
        let touching = frames.iter().flat_map(|frame| &frame.contacts);
        let mut ends = touching.flat_map(|contact| contact.bodies);
        if !ends.all(|body| (body as usize) < header.stage.bodies.len()) {
            return Err(damaged("bodies touch that it does not have"));
        }
        Ok(Self { header, frames })
    }

    /// The recorded frame nearest to a time \[s\].
    pub fn nearest(&self, time: f64) -> Option<usize> {
        let distance = |index: &usize| (self.header.times[*index] - time).abs();
        (0..self.frames.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }
}

fn damaged(reason: &str) -> ReplayError {
    ReplayError::Damaged(reason.to_owned())
}

/// What follows the line with the checksum, which must be that of it.
fn checked(bytes: &[u8]) -> Result<&[u8], ReplayError> {
    let rest = bytes.strip_prefix(MARK.as_bytes());
    let rest = rest.ok_or_else(|| damaged("it begins otherwise"))?;
    let cut = || damaged("it is cut short");
    let (sum, rest) = rest.split_at_checked(64).ok_or_else(cut)?;
    let rest = rest.strip_prefix(b"\n").ok_or_else(cut)?;
    match checksum(rest).as_bytes() == sum {
        true => Ok(rest),
        false => Err(damaged("its checksum is wrong")),
    }
}

/// SHA-256 of bytes, hexadecimal.
pub(crate) fn checksum(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Columns that are still to be read; everything is `None` where they end.
struct Columns<'b> {
    rest: &'b [u8],
}

impl<'b> Columns<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (own, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(own)
    }

    fn frame(
        &mut self,
        header: &Header,
        earlier: Vec<&ReplayFrame>,
        added: usize,
    ) -> Option<ReplayFrame> {
        let bodies = header.stage.bodies.len();
        let last = earlier.first().copied();
        let before = earlier.get(1).copied();
        let mut frame = ReplayFrame {
            places: self.triples(bodies, last.map(|f| &f.places), before.map(|f| &f.places))?,
            turns: self.triples(bodies, last.map(|f| &f.turns), before.map(|f| &f.turns))?,
            ..ReplayFrame::default()
        };
        frame.speeds = self.levels(bodies, last.map(|f| &f.speeds))?;
        frame.residuals = match header.residual.top > 0.0 {
            true => self.levels(bodies, last.map(|f| &f.residuals))?,
            false => vec![0; bodies],
        };
        frame.contacts = self.contacts(last.map_or(&[][..], |f| &f.contacts), added)?;
        Some(frame)
    }

    /// A column of 8 bits.
    fn levels(&mut self, count: usize, last: Option<&Vec<u8>>) -> Option<Vec<u8>> {
        let change = self.take(count)?.iter().enumerate();
        let old = |i: usize| last.map_or(0, |last| last[i]);
        Some(
            change
                .map(|(i, change)| old(i).wrapping_add(*change))
                .collect(),
        )
    }

    /// Three columns of 16 bits.
    fn triples(
        &mut self,
        count: usize,
        last: Option<&Vec<[u16; 3]>>,
        before: Option<&Vec<[u16; 3]>>,
    ) -> Option<Vec<[u16; 3]>> {
        let mut values = vec![[0; 3]; count];
        for axis in 0..3 {
            for (i, change) in self.changes(count)?.enumerate() {
                let old = |list: Option<&Vec<[u16; 3]>>| Some(list?[i][axis]);
                values[i][axis] = extrapolated(old(last), old(before)).wrapping_add(change);
            }
        }
        Some(values)
    }

    /// A column of signed numbers of 16 bits.
    fn changes(&mut self, count: usize) -> Option<impl Iterator<Item = u16> + use<'b>> {
        let (low, high) = (self.take(count)?, self.take(count)?);
        let pairs = low.iter().zip(high);
        Some(pairs.map(|(low, high)| {
            let folded = u16::from_le_bytes([*low, *high]);
            (folded >> 1) ^ (folded & 1).wrapping_neg()
        }))
    }

    /// A column of numbers of 32 bits.
    fn numbers(&mut self, count: usize) -> Option<Vec<u32>> {
        // a number that is not there takes no room
        if self.rest.len() / 4 < count {
            return None;
        }
        let mut values = vec![0; count];
        for shift in [0, 8, 16, 24] {
            for (value, byte) in values.iter_mut().zip(self.take(count)?) {
                *value |= u32::from(*byte) << shift;
            }
        }
        Some(values)
    }

    fn contacts(&mut self, before: &[Contact], added: usize) -> Option<Vec<Contact>> {
        let stays = self.take(before.len())?.iter().enumerate();
        let kept = stays.filter(|(_, stays)| **stays == 1);
        let kept: Vec<usize> = kept.map(|(i, _)| i).collect();
        let (first, second) = (self.numbers(added)?, self.numbers(added)?);
        let mut order: Vec<([u32; 2], Option<usize>)> =
            kept.iter().map(|i| (before[*i].bodies, Some(*i))).collect();
        order.extend(first.into_iter().zip(second).map(|(a, b)| ([a, b], None)));
        // stable: those that stay first
        order.sort_by_key(|(bodies, _)| *bodies);
        let mut contacts: Vec<Contact> = order
            .iter()
            .map(|(bodies, _)| Contact {
                bodies: *bodies,
                ..Contact::default()
            })
            .collect();
        let old = |i: usize| order[i].1.map(|j| before[j]).unwrap_or_default();
        for axis in 0..3 {
            for (i, change) in self.changes(order.len())?.enumerate() {
                contacts[i].place[axis] = old(i).place[axis].wrapping_add(change);
            }
        }
        for column in 0..6 {
            for (i, change) in self.take(order.len())?.iter().enumerate() {
                let mut bytes = contacts[i].bytes();
                bytes[column] = old(i).bytes()[column].wrapping_add(*change);
                contacts[i].set_bytes(bytes);
            }
        }
        Some(contacts)
    }
}

/// Number of contacts that no contact of the frame before goes on to.
pub(crate) fn added(before: &[Contact], now: &[Contact]) -> u32 {
    index(matches(before, now).iter().filter(|m| m.is_none()).count())
}
