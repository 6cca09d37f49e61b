//! Buffers on the device: typed, checked against the device's limits, never truncated.

use std::ops::Range;
use std::sync::mpsc;
use std::time::Duration;

use bytemuck::Pod;
use delassus_core::DeviceError;
use wgpu::{BufferDescriptor, BufferUsages, CommandEncoder, MapMode};

use crate::device::Device;
use crate::staging::{BufferRange, Staging};

/// Four numbers, as shaders load them: `vec4<f32>`.
pub type GpuQuad = delassus_solver_jacobi::real::Quad<f32>;

/// Bytes of the smallest buffer: WebGPU binds none that is empty. Shaders ask for the length of
/// what is bound, so it is a vec4 and no more; a kernel with nothing to do is not dispatched.
const SMALLEST: u64 = 16;

/// How long a finished device may take to hand over a buffer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A buffer that kernels read and write, with the name that errors give it.
#[derive(Debug, Clone)]
pub struct StorageBuffer {
    raw: wgpu::Buffer,
    what: &'static str,
    bytes: u64,
}

impl StorageBuffer {
    /// A buffer of `bytes` zero bytes.
    ///
    /// # Errors
    /// [`DeviceError::Limit`] if the device binds no buffer of that size,
    /// [`DeviceError::OutOfMemory`] if it has no room for it.
    pub fn zeroed(device: &Device, what: &'static str, bytes: u64) -> Result<Self, DeviceError> {
        let size = bytes.next_multiple_of(4).max(SMALLEST);
        let limits = device.limits();
        let allowed = limits
            .max_buffer_size
            .min(limits.max_storage_buffer_binding_size);
        if size > allowed {
            return Err(DeviceError::Limit {
                what,
                needed: size,
                allowed,
            });
        }
        let descriptor = BufferDescriptor {
            label: Some(what),
            size,
            usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        };
        let raw = device.checked(what, size, || device.raw().create_buffer(&descriptor))?;
        Ok(Self { raw, what, bytes })
    }

    /// A buffer that holds `contents`.
    ///
    /// # Errors
    /// As [`Self::zeroed`].
    pub fn holding<T: Pod>(
        device: &Device,
        what: &'static str,
        contents: &[T],
    ) -> Result<Self, DeviceError> {
        let buffer = Self::zeroed(device, what, size_of_val(contents) as u64)?;
        buffer.write(device, contents)?;
        Ok(buffer)
    }

    /// An error about so many bytes, unless they fit.
    fn check(&self, fits: bool, needed: u64) -> Result<(), DeviceError> {
        if fits {
            return Ok(());
        }
        Err(DeviceError::Limit {
            what: self.what,
            needed,
            allowed: self.bytes,
        })
    }

    /// Replaces the whole content by `first`, then `second`.
    ///
    /// # Errors
    /// [`DeviceError::Limit`] if they have another size than the buffer, or what the driver says.
    pub fn write_both<T: Pod>(
        &self,
        device: &Device,
        first: &[T],
        second: &[T],
    ) -> Result<(), DeviceError> {
        let (before, needed) = (
            size_of_val(first) as u64,
            (size_of_val(first) + size_of_val(second)) as u64,
        );
        self.check(needed == self.bytes, needed)?;
        self.write_at(device, 0, first)?;
        if second.is_empty() {
            return Ok(());
        }
        self.write_at(device, before, second)
    }

    /// Replaces the whole content.
    ///
    /// # Errors
    /// [`DeviceError::Limit`] if `contents` has another size than the buffer, or what the driver
    /// says.
    pub fn write<T: Pod>(&self, device: &Device, contents: &[T]) -> Result<(), DeviceError> {
        let needed = size_of_val(contents) as u64;
        self.check(needed == self.bytes, needed)?;
        self.write_at(device, 0, contents)
    }

    /// Replaces a part, which starts at byte `first`.
    ///
    /// # Errors
    /// [`DeviceError::Limit`] if the part ends behind the buffer, or what the driver says.
    pub fn write_at<T: Pod>(
        &self,
        device: &Device,
        first: u64,
        contents: &[T],
    ) -> Result<(), DeviceError> {
        let needed = first + size_of_val(contents) as u64;
        self.check(needed <= self.bytes, needed)?;
        let bytes = bytemuck::cast_slice(contents);
        let staging = Staging::of(device)?;
        device.checked(self.what, needed, || {
            staging.write(device, &self.raw, first, bytes)
        })?
    }

    /// Reads the elements of a range, after everything submitted before.
    ///
    /// # Errors
    /// [`DeviceError::Limit`] if the buffer ends before the range, or what the driver says.
    pub fn read<T: Pod>(
        &self,
        device: &Device,
        range: Range<usize>,
    ) -> Result<Vec<T>, DeviceError> {
        let one = size_of::<T>();
        let (first, length) = (range.start * one, range.len() * one);
        let needed = (first + length) as u64;
        self.check(needed <= self.bytes, needed)?;
        if length == 0 {
            return Ok(Vec::new());
        }
        let mut out = vec![T::zeroed(); range.len()];
        let part = BufferRange {
            from: &self.raw,
            first: first as u64,
            bytes: length as u64,
        };
        let encoder = device.raw().create_command_encoder(&Default::default());
        let bytes = bytemuck::cast_slice_mut(&mut out);
        submit_and_read(device, self.what, encoder, &[part], bytes)?;
        Ok(out)
    }

    /// Makes all bytes zero.
    ///
    /// # Errors
    /// What the driver says.
    pub fn clear(&self, device: &Device) -> Result<(), DeviceError> {
        device.checked(self.what, self.bytes, || {
            let mut encoder = device.raw().create_command_encoder(&Default::default());
            encoder.clear_buffer(&self.raw, 0, None);
            device.queue().submit([encoder.finish()]);
        })
    }

    /// Copies all of `from` to the beginning.
    ///
    /// # Errors
    /// [`DeviceError::Limit`] if it is longer, or what the driver says.
    pub fn copy(&self, device: &Device, from: &Self) -> Result<(), DeviceError> {
        let needed = from.bytes;
        self.check(needed <= self.bytes, needed)?;
        device.checked(self.what, needed, || {
            let mut encoder = device.raw().create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&from.raw, 0, &self.raw, 0, needed);
            device.queue().submit([encoder.finish()]);
        })
    }

    /// The buffer of wgpu.
    pub fn raw(&self) -> &wgpu::Buffer {
        &self.raw
    }

    /// Bytes that the content takes \[B\].
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Submits what is recorded, waits for it, and copies parts of buffers, one after the other, to
/// `out`; errors name it `what`.
///
/// # Errors
/// [`DeviceError::Limit`] if `out` is not as long as the parts, or what the driver says.
pub fn submit_and_read(
    device: &Device,
    what: &'static str,
    encoder: CommandEncoder,
    parts: &[BufferRange<'_>],
    out: &mut [u8],
) -> Result<(), DeviceError> {
    let (needed, allowed) = (parts.iter().map(|part| part.bytes).sum(), out.len() as u64);
    if needed != allowed {
        return Err(DeviceError::Limit {
            what,
            needed,
            allowed,
        });
    }
    let staging = Staging::of(device)?;
    device.checked(what, needed, || staging.read(device, encoder, parts, out))?
}

/// Waits for a buffer and shows its content.
pub fn map(
    device: &Device,
    buffer: &wgpu::Buffer,
    show: impl FnOnce(&[u8]),
) -> Result<(), DeviceError> {
    let slice = buffer.slice(..);
    let (sender, receiver) = mpsc::channel();
    slice.map_async(MapMode::Read, move |result| {
        // the receiver is gone only if the wait below has failed
        let _ = sender.send(result);
    });
    device.wait()?;
    let lost = |reason: String| DeviceError::Lost { reason };
    // another thread may have taken the callback out of the queue, and not have called it yet
    match receiver.recv_timeout(PATIENCE) {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err(lost(error.to_string())),
        Err(_) => return Err(lost("a buffer was never mapped".into())),
    }
    let content = slice.get_mapped_range();
    show(&content.map_err(|error| lost(error.to_string()))?);
    buffer.unmap();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::device_or_skip;

    #[test]
    fn what_is_written_is_read() {
        let Some(device) = device_or_skip("what_is_written_is_read") else {
            return;
        };
        let numbers: Vec<u32> = (0..1001).map(|i| i * i).collect();
        let buffer = StorageBuffer::holding(&device, "numbers", &numbers).expect("small");
        assert_eq!(buffer.read(&device, 0..1001), Ok(numbers.clone()));
        assert_eq!(buffer.read::<u32>(&device, 5..5), Ok(Vec::new()));
        let reversed: Vec<u32> = numbers.into_iter().rev().collect();
        buffer.write(&device, &reversed).expect("the same size");
        assert_eq!(
            buffer.read::<u32>(&device, 3..7),
            Ok(reversed[3..7].to_vec())
        );
    }

    #[test]
    fn an_empty_buffer_can_be_bound_and_reads_as_nothing() {
        let Some(device) = device_or_skip("an_empty_buffer_can_be_bound") else {
            return;
        };
        let empty = StorageBuffer::holding::<u32>(&device, "nothing", &[]).expect("small");
        assert_eq!(empty.bytes(), 0);
        assert!(empty.raw().size() >= SMALLEST);
        assert!(empty.read::<u32>(&device, 0..1).is_err());
    }

    #[test]
    fn too_much_is_refused_and_nothing_is_cut() {
        let Some(device) = device_or_skip("too_much_is_refused") else {
            return;
        };
        let limits = device.limits();
        let allowed = limits
            .max_buffer_size
            .min(limits.max_storage_buffer_binding_size);
        let needed = (allowed + 1).next_multiple_of(4);
        let what = "impulses";
        let limit = DeviceError::Limit {
            what,
            needed,
            allowed,
        };
        let buffer = StorageBuffer::zeroed(&device, what, allowed + 1);
        assert_eq!(buffer.map(|b| b.bytes()), Err(limit));
        let buffer = StorageBuffer::holding(&device, what, &[1_u32, 2]).expect("small");
        let longer = buffer.write(&device, &[1_u32, 2, 3]);
        assert!(matches!(longer, Err(DeviceError::Limit { .. })));
    }
}
