//! Staging memory: reused buffers that processor and device can both access.
//!
//! Making and mapping a buffer costs more than filling it where it is large: the driver pins its
//! pages, and the system hands them out one by one. So every transfer goes through buffers of at
//! most [`CHUNK`] bytes that a device keeps for its life. A long transfer is cut into chunks: while
//! the device copies one, the processor fills or reads the next. What is shorter than [`SMALL`]
//! is uploaded with the next submission instead, in memory of wgpu.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use delassus_core::DeviceError;
use wgpu::{
    Buffer, BufferAsyncError, BufferDescriptor, BufferUsages, CommandEncoder, MapMode, PollType,
    SubmissionIndex,
};

use crate::device::Device;

/// Bytes of the largest staging buffer \[B\].
pub const CHUNK: u64 = 16 << 20;

/// The same as a length in memory.
const CHUNK_BYTES: usize = 16 << 20;

/// Bytes from which on uploads go through staging buffers \[B\].
pub const SMALL: u64 = 256 << 10;

/// Bytes of the smallest staging buffer \[B\].
const SMALLEST: u64 = 64 << 10;

/// Staging buffers of one direction at most that the device may be busy with \[-\].
const IN_FLIGHT: usize = 3;

/// How long a finished device may take to hand over a buffer.
const PATIENCE: Duration = Duration::from_secs(60);

/// What has been transferred since a device was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TransferCounts {
    /// Bytes that were uploaded and downloaded \[B\].
    pub bytes: [u64; 2],
    /// Staging buffers that were made, of each direction \[-\].
    pub made: [u64; 2],
    /// Bytes of the largest of them \[B\].
    pub largest: [u64; 2],
    /// Chunks that went through them \[-\].
    pub chunks: [u64; 2],
}

impl TransferCounts {
    /// What came on top since `before`; the largest buffers are those of all time.
    pub fn since(&self, before: &Self) -> Self {
        let less = |now: [u64; 2], then: [u64; 2]| [0, 1].map(|side| now[side] - then[side]);
        Self {
            bytes: less(self.bytes, before.bytes),
            made: less(self.made, before.made),
            largest: self.largest,
            chunks: less(self.chunks, before.chunks),
        }
    }
}

/// Direction of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Up,
    Down,
}

/// A part of a buffer to download.
#[derive(Debug, Clone, Copy)]
pub struct BufferRange<'a> {
    /// The buffer.
    pub from: &'a Buffer,
    /// Its first byte.
    pub first: u64,
    /// Bytes \[B\]; a multiple of four, as the first is.
    pub bytes: u64,
}

/// A staging buffer between its submission and its mapping.
#[derive(Debug)]
struct InFlight {
    buffer: Buffer,
    submission: SubmissionIndex,
    done: Receiver<Result<(), BufferAsyncError>>,
}

/// The staging buffers of one direction.
#[derive(Debug, Default)]
struct Pool {
    /// Unused buffers: mapped to be written, or not mapped and to be copied to.
    free: Vec<Buffer>,
    /// In the order of their submissions.
    in_flight: VecDeque<InFlight>,
}

/// The staging buffers of a device.
#[derive(Debug, Default)]
pub(crate) struct Staging {
    up: Mutex<Pool>,
    down: Mutex<Pool>,
    counts: Mutex<TransferCounts>,
}

/// A panic elsewhere leaves these plain values intact.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn lost(reason: impl ToString) -> DeviceError {
    DeviceError::Lost {
        reason: reason.to_string(),
    }
}

/// What has been transferred since a device was opened.
///
/// # Errors
/// Those of [`Device::cached`].
pub fn transfers(device: &Device) -> Result<TransferCounts, DeviceError> {
    let staging = Staging::of(device)?;
    let counts = *lock(&staging.counts);
    Ok(counts)
}

impl Staging {
    /// The staging buffers of a device.
    pub(crate) fn of(device: &Device) -> Result<Arc<Self>, DeviceError> {
        device.cached("the staging memory", || Ok(Self::default()))
    }

    fn count(&self, direction: Direction, add: impl FnOnce(&mut TransferCounts, usize)) {
        add(&mut lock(&self.counts), direction as usize);
    }

    /// A buffer of at least `bytes` bytes: one that is free, or a new one.
    fn take(
        &self,
        device: &Device,
        pool: &mut Pool,
        direction: Direction,
        bytes: u64,
    ) -> Result<Buffer, DeviceError> {
        let large_enough = |buffer: &Buffer| buffer.size() >= bytes;
        let found = pool.free.iter().enumerate();
        let found = found.filter(|(_, buffer)| large_enough(buffer));
        if let Some((index, _)) = found.min_by_key(|(_, buffer)| buffer.size()) {
            return Ok(pool.free.swap_remove(index));
        }
        let size = bytes.next_power_of_two().clamp(SMALLEST, CHUNK);
        let up = direction == Direction::Up;
        let usage = match direction {
            Direction::Up => BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC,
            Direction::Down => BufferUsages::MAP_READ | BufferUsages::COPY_DST,
        };
        let buffer = device.checked("the staging memory", size, || {
            device.raw().create_buffer(&BufferDescriptor {
                label: Some("staging"),
                size,
                usage,
                mapped_at_creation: up,
            })
        })?;
        self.count(direction, |counts, side| {
            counts.made[side] += 1;
            counts.largest[side] = counts.largest[side].max(size);
        });
        Ok(buffer)
    }

    /// Writes bytes from byte `first` of a buffer on, before whatever is submitted next.
    pub(crate) fn write(
        &self,
        device: &Device,
        to: &Buffer,
        first: u64,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        let size = bytes.len() as u64;
        self.count(Direction::Up, |counts, up| counts.bytes[up] += size);
        if size < SMALL {
            device.queue().write_buffer(to, first, bytes);
            return Ok(());
        }
        let mut pool = lock(&self.up);
        for (chunk, at) in chunks(bytes).zip((first..).step_by(CHUNK_BYTES)) {
            let size = chunk.len() as u64;
            pool.recall(device)?;
            let staging = self.take(device, &mut pool, Direction::Up, size)?;
            let view = staging.slice(..size).get_mapped_range_mut();
            view.map_err(lost)?.slice(..).copy_from_slice(chunk);
            staging.unmap();
            let mut encoder = device.raw().create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&staging, 0, to, at, size);
            let submission = device.queue().submit([encoder.finish()]);
            self.count(Direction::Up, |counts, up| counts.chunks[up] += 1);
            let whole = staging.size();
            pool.map(staging, MapMode::Write, whole, submission);
        }
        Ok(())
    }

    /// Submits what is recorded, and reads parts of buffers after it, one after the other, into
    /// `out`, which is as long as all of them.
    pub(crate) fn read(
        &self,
        device: &Device,
        encoder: CommandEncoder,
        parts: &[BufferRange<'_>],
        out: &mut [u8],
    ) -> Result<(), DeviceError> {
        if out.is_empty() {
            device.queue().submit([encoder.finish()]);
            return Ok(());
        }
        let mut pool = lock(&self.down);
        let read = self.read_chunks(device, &mut pool, encoder, parts, out);
        if read.is_err() {
            // the chunks in flight are abandoned
            pool.in_flight.clear();
        }
        read
    }

    /// Chunks are read in their order, each while the device copies those after it.
    fn read_chunks(
        &self,
        device: &Device,
        pool: &mut Pool,
        encoder: CommandEncoder,
        parts: &[BufferRange<'_>],
        out: &mut [u8],
    ) -> Result<(), DeviceError> {
        let bytes = out.len() as u64;
        self.count(Direction::Down, |counts, down| counts.bytes[down] += bytes);
        let (mut rest, mut encoder) = (Rest::of(parts), Some(encoder));
        let mut waiting = VecDeque::new();
        for chunk in out.chunks_mut(CHUNK_BYTES) {
            let size = chunk.len() as u64;
            let staging = self.take(device, pool, Direction::Down, size)?;
            let fresh = || device.raw().create_command_encoder(&Default::default());
            let mut encoder = encoder.take().unwrap_or_else(fresh);
            rest.copy(&mut encoder, &staging, size);
            let submission = device.queue().submit([encoder.finish()]);
            self.count(Direction::Down, |counts, down| counts.chunks[down] += 1);
            pool.map(staging, MapMode::Read, size, submission);
            waiting.push_back(chunk);
            if waiting.len() == IN_FLIGHT {
                pool.show(device, waiting.pop_front())?;
            }
        }
        while !waiting.is_empty() {
            pool.show(device, waiting.pop_front())?;
        }
        Ok(())
    }
}

fn chunks(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.chunks(CHUNK_BYTES)
}

impl Pool {
    /// Asks for the beginning of a buffer that was submitted.
    fn map(&mut self, buffer: Buffer, mode: MapMode, size: u64, submission: SubmissionIndex) {
        let (sender, done) = channel();
        buffer.slice(..size).map_async(mode, move |result| {
            // the receiver is gone only if a read has failed
            let _ = sender.send(result);
        });
        self.in_flight.push_back(InFlight {
            buffer,
            submission,
            done,
        });
    }

    /// Takes back what is mapped to be written, and waits where too much is not.
    fn recall(&mut self, device: &Device) -> Result<(), DeviceError> {
        if !self.in_flight.is_empty() {
            device.raw().poll(PollType::Poll).map_err(lost)?;
        }
        while let Some(first) = self.in_flight.front() {
            let ready = first.done.try_recv();
            match ready {
                Ok(result) => result.map_err(lost)?,
                Err(TryRecvError::Empty) if self.in_flight.len() < IN_FLIGHT => return Ok(()),
                Err(_) => first.wait(device)?,
            }
            self.free
                .extend(self.in_flight.pop_front().map(|first| first.buffer));
        }
        Ok(())
    }

    /// Copies what is mapped next to `out`.
    fn show(&mut self, device: &Device, out: Option<&mut [u8]>) -> Result<(), DeviceError> {
        let (Some(first), Some(out)) = (self.in_flight.pop_front(), out) else {
            return Ok(());
        };
        first.wait(device)?;
        let slice = first.buffer.slice(..out.len() as u64);
        out.copy_from_slice(&slice.get_mapped_range().map_err(lost)?);
        first.buffer.unmap();
        self.free.push(first.buffer);
        Ok(())
    }
}

impl InFlight {
    /// Waits until the buffer is mapped.
    fn wait(&self, device: &Device) -> Result<(), DeviceError> {
        device.wait_for(&self.submission)?;
        // another thread may have taken the callback out of the queue, and not have called it yet
        match self.done.recv_timeout(PATIENCE) {
            Ok(result) => result.map_err(lost),
            Err(_) => Err(lost("a buffer was never mapped")),
        }
    }
}

/// Parts of which some bytes have been copied.
struct Rest<'a> {
    parts: Vec<BufferRange<'a>>,
}

impl<'a> Rest<'a> {
    fn of(parts: &[BufferRange<'a>]) -> Self {
        let some = parts.iter().filter(|part| part.bytes > 0);
        Self {
            parts: some.rev().copied().collect(),
        }
    }

    /// Records copies of the first `size` bytes to the beginning of a buffer.
    fn copy(&mut self, encoder: &mut CommandEncoder, to: &Buffer, size: u64) {
        let mut at = 0;
        while at < size
            && let Some(mut part) = self.parts.pop()
        {
            let bytes = part.bytes.min(size - at);
            encoder.copy_buffer_to_buffer(part.from, part.first, to, at, bytes);
            at += bytes;
            part.first += bytes;
            part.bytes -= bytes;
            if part.bytes > 0 {
                self.parts.push(part);
            }
        }
    }
}
