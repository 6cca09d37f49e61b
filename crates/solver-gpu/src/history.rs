//! What the device writes down of every iteration, read once after the solve.

use bytemuck::{Pod, Zeroable};
use delassus_core::DeviceError;

use crate::buffers::StorageBuffer;
use crate::device::Device;

/// What one iteration left in the history of the residuals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HistoryEntry {
    /// Natural residual at the point that the iteration stepped from, in the norm of D: √Σ (λ_{k+1}
    /// − y)² D \[√J\] (J.14).
    pub residual: f64,
    /// Σ (y − λ_{k+1}) D (λ_{k+1} − λ_k) \[J\]: positive if the momentum pointed uphill (J.13).
    pub uphill: f64,
    /// Momentum β of the iteration \[-\].
    pub beta: f64,
    /// True if the guard asked for a plain step.
    pub held: bool,
    /// Natural residual of what the iteration ended with: the largest |λ − Π(λ − w/D)| D \[m/s |
    /// rad/s\] (K.31). `None` unless the parameter `residuals` asks for it.
    pub natural: Option<f64>,
}

/// An entry as the shader writes it.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct RawEntry {
    pub(crate) squared: f32,
    pub(crate) uphill: f32,
    pub(crate) beta: f32,
    pub(crate) held: f32,
}

impl From<RawEntry> for HistoryEntry {
    fn from(raw: RawEntry) -> Self {
        Self {
            residual: f64::from(raw.squared).sqrt(),
            uphill: raw.uphill.into(),
            beta: raw.beta.into(),
            held: raw.held != 0.0,
            natural: None,
        }
    }
}

/// Entries of a new history \[-\].
const FIRST_CAPACITY: u32 = 1024;

/// The buffer of entries; it grows before a solve that would not fit.
#[derive(Debug)]
pub(crate) struct History {
    buffer: StorageBuffer,
    capacity: u32,
}

impl History {
    pub(crate) fn new(device: &Device) -> Result<Self, DeviceError> {
        Self::with(device, FIRST_CAPACITY)
    }

    fn with(device: &Device, capacity: u32) -> Result<Self, DeviceError> {
        let bytes = u64::from(capacity) * size_of::<RawEntry>() as u64;
        Ok(Self {
            buffer: StorageBuffer::zeroed(device, "the residual history", bytes)?,
            capacity,
        })
    }

    pub(crate) fn buffer(&self) -> &StorageBuffer {
        &self.buffer
    }

    pub(crate) fn capacity(&self) -> u32 {
        self.capacity
    }

    /// Makes room for `entries`; true if there is another buffer now.
    pub(crate) fn reserve(&mut self, device: &Device, entries: u32) -> Result<bool, DeviceError> {
        if entries <= self.capacity {
            return Ok(false);
        }
        let larger = Self::with(device, entries.max(self.capacity.saturating_mul(2)))?;
        larger.buffer.copy(device, &self.buffer)?;
        *self = larger;
        Ok(true)
    }

    pub(crate) fn read(
        &self,
        device: &Device,
        entries: u32,
    ) -> Result<Vec<HistoryEntry>, DeviceError> {
        let raw: Vec<RawEntry> = self.buffer.read(device, 0..entries as usize)?;
        Ok(raw.into_iter().map(HistoryEntry::from).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::device_or_skip;

    #[test]
    fn a_history_keeps_its_entries_when_it_grows() {
        let Some(device) = device_or_skip("a_history_keeps_its_entries") else {
            return;
        };
        let mut history = History::with(&device, 2).expect("small");
        let raw = |squared| RawEntry {
            squared,
            uphill: -1.0,
            beta: 0.5,
            held: 1.0,
        };
        let written = history.buffer.write(&device, &[raw(4.0), raw(9.0)]);
        written.expect("the same size");
        assert_eq!(history.reserve(&device, 2), Ok(false));
        assert_eq!(history.reserve(&device, 3), Ok(true));
        assert_eq!(history.capacity(), 4);
        let entries = history.read(&device, 3).expect("four entries");
        let residuals: Vec<f64> = entries.iter().map(|e| e.residual).collect();
        assert_eq!(residuals, [2.0, 3.0, 0.0]);
        assert!(entries[0].held && !entries[2].held);
    }
}
