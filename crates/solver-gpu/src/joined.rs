//! All numbers of one or many problems in a few buffers, as `joined.wgsl` declares them.
//!
//! Kernels that see manifolds, units and bodies at once would need more than the eight buffers that
//! every device binds. Here heads, orders and lists lie one after the other in one buffer of words,
//! geometry and masses in one of numbers, impulses in a third, and a record per problem says where
//! its parts begin.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use delassus_core::{DeviceError, SolveError};
use delassus_solver_jacobi::pack::{BODY_FREE, Iterate, Pack};
use delassus_solver_jacobi::worlds::WorldTemplate;

use crate::buffers::{GpuQuad, StorageBuffer};
use crate::control::{Control, index};
use crate::device::Device;

/// `ProblemRecord` of `joined.wgsl`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ProblemRecord {
    pub(crate) manifolds: u32,
    pub(crate) points: u32,
    pub(crate) units: u32,
    pub(crate) row_quads: u32,
    pub(crate) bodies: u32,
    pub(crate) manifold_heads: u32,
    pub(crate) unit_heads: u32,
    pub(crate) first_slot_head: u32,
    pub(crate) adjacency: u32,
    pub(crate) more: u32,
    pub(crate) manifold_numbers: u32,
    pub(crate) extras: u32,
    pub(crate) unit_numbers: u32,
    pub(crate) masses: u32,
    pub(crate) free: u32,
    pub(crate) point_impulses: u32,
    pub(crate) row_impulses: u32,
    pub(crate) wrenches: u32,
    pub(crate) sums: u32,
    pub(crate) velocities: u32,
    pub(crate) history: u32,
    pub(crate) capacity: u32,
    pub(crate) acceleration: u32,
    pub(crate) guarded: u32,
    pub(crate) parity: u32,
    pub(crate) sweeps: u32,
}

/// Problems that are joined, one after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Joined {
    pub(crate) records: Vec<ProblemRecord>,
    pub(crate) words: Vec<[u32; 4]>,
    pub(crate) numbers: Vec<GpuQuad>,
    /// Quads of numbers behind those that are known here: the device writes them \[-\].
    pub(crate) own_numbers: usize,
    /// Those of a start; none where all problems start from zero.
    pub(crate) impulses: Vec<GpuQuad>,
    /// Quads of impulses \[-\].
    pub(crate) impulse_quads: usize,
    /// Quads of wrenches and sums \[-\].
    pub(crate) scratch: usize,
    /// Quads of velocities \[-\]: what the next iteration reads, and v_k.
    pub(crate) velocities: usize,
}

impl Joined {
    /// Adds a problem with its impulses, one per row \[N·s\]; `more` are words that the solver's
    /// own kernel reads.
    pub(crate) fn push(
        &mut self,
        pack: &Pack<f32>,
        impulses: &[f64],
        more: &[u32],
    ) -> Result<(), DeviceError> {
        let mut record = self.add_structure(pack, more)?;
        self.add_numbers(pack, &mut record)?;
        let before = self.impulse_quads;
        self.add_state(pack, &mut record)?;
        self.add_impulses(pack, impulses, before);
        self.records.push(record);
        Ok(())
    }

    /// Worlds of one structure, which start from zero: words and numbers of the structure, once,
    /// and a record per world.
    pub(crate) fn of_worlds(template: &WorldTemplate, worlds: usize) -> Result<Self, DeviceError> {
        let pack = template.pack();
        let mut joined = Self::default();
        let shared = joined.add_structure(pack, &[])?;
        joined.numbers.extend(template.quads());
        let own = template.own();
        let first = template.first_quads();
        for world in 0..worlds {
            let place = |part: usize| {
                let quad = first[part];
                index(if own.contains(&quad) {
                    joined.numbers.len() + own.len() * world + (quad - own.start)
                } else {
                    quad
                })
            };
            let mut record = ProblemRecord {
                manifold_numbers: place(0)?,
                extras: place(1)?,
                unit_numbers: place(2)?,
                masses: place(3)?,
                free: place(4)?,
                ..shared
            };
            joined.add_state(pack, &mut record)?;
            joined.records.push(record);
        }
        joined.own_numbers = own.len() * worlds;
        index(joined.numbers.len() + joined.own_numbers)?;
        Ok(joined)
    }

    /// Adds the impulses that worlds start from, one per row \[N·s\].
    pub(crate) fn start_worlds(&mut self, pack: &Pack<f32>, starts: &[Vec<f64>]) {
        for (world, impulses) in starts.iter().enumerate() {
            let first = self.records[world].point_impulses as usize;
            self.add_impulses(pack, impulses, first);
        }
    }

    /// The impulses on a device.
    pub(crate) fn upload_impulses(&self, device: &Device) -> Result<StorageBuffer, DeviceError> {
        let bytes = size_of::<GpuQuad>() as u64 * self.impulse_quads as u64;
        let buffer = StorageBuffer::zeroed(device, "the impulses", bytes)?;
        if !self.impulses.is_empty() {
            buffer.write(device, &self.impulses)?;
        }
        Ok(buffer)
    }

    /// The numbers on a device, with room for those that it writes.
    pub(crate) fn upload_numbers(&self, device: &Device) -> Result<StorageBuffer, DeviceError> {
        let quads = (self.numbers.len() + self.own_numbers) as u64;
        let what = "the rows and bodies";
        let buffer = StorageBuffer::zeroed(device, what, size_of::<GpuQuad>() as u64 * quads)?;
        buffer.write_at(device, 0, &self.numbers)?;
        Ok(buffer)
    }

    /// Adds the words of a problem: counts, heads, lists.
    fn add_structure(
        &mut self,
        pack: &Pack<f32>,
        more: &[u32],
    ) -> Result<ProblemRecord, DeviceError> {
        let slots = &pack.slots;
        let adjacency = [slots.first_slot.as_slice(), &slots.slots].concat();
        let record = ProblemRecord {
            manifolds: index(pack.manifolds.len())?,
            points: index(pack.manifolds.points())?,
            units: index(pack.units.len())?,
            row_quads: index(pack.units.impulse_quads())?,
            bodies: index(pack.bodies.len())?,
            manifold_heads: add(&mut self.words, &pack.manifolds.heads)?,
            unit_heads: add(&mut self.words, &pack.units.heads)?,
            first_slot_head: index(pack.units.first_slot_head())?,
            adjacency: add_words(&mut self.words, &adjacency)?,
            more: add_words(&mut self.words, more)?,
            ..ProblemRecord::default()
        };
        // what lies behind the last index must have one too
        index(4 * self.words.len())?;
        Ok(record)
    }

    /// Makes room for what the iterations of a problem change.
    fn add_state(
        &mut self,
        pack: &Pack<f32>,
        record: &mut ProblemRecord,
    ) -> Result<(), DeviceError> {
        let slots = pack.slots.body.len();
        let pieces = pack.manifolds.len() + pack.units.len();
        record.point_impulses = index(self.impulse_quads)?;
        self.impulse_quads += 2 * pack.manifolds.points();
        record.row_impulses = index(self.impulse_quads)?;
        self.impulse_quads += 3 * pack.units.impulse_quads();
        record.wrenches = index(self.scratch)?;
        record.sums = index(self.scratch + 2 * slots)?;
        self.scratch += 2 * slots + pieces + Control::sum_entries(pack);
        record.velocities = index(self.velocities)?;
        self.velocities += 2 * BODY_FREE * pack.bodies.len();
        // what lies behind the last index must have one too
        for end in [self.scratch, self.velocities, self.impulse_quads] {
            index(end)?;
        }
        Ok(())
    }

    /// Adds the start of a problem whose impulses begin at quad `first`. Zeros need no memory
    /// here: the buffers of a device begin with them.
    fn add_impulses(&mut self, pack: &Pack<f32>, impulses: &[f64], first: usize) {
        let cold = impulses.iter().all(|impulse| impulse.to_bits() == 0);
        if cold && self.impulses.is_empty() {
            return;
        }
        self.impulses.resize(first, [0.0; 4]);
        let mut iterate = Iterate::new(pack);
        iterate.load(pack, impulses);
        self.impulses.extend_from_slice(&iterate.points);
        self.impulses.extend_from_slice(&iterate.rows);
    }

    /// Adds the numbers of a problem: those that a refresh changes.
    fn add_numbers(
        &mut self,
        pack: &Pack<f32>,
        record: &mut ProblemRecord,
    ) -> Result<(), DeviceError> {
        let all = &mut self.numbers;
        record.manifold_numbers = add(all, &pack.manifolds.numbers)?;
        record.extras = add(all, &pack.manifolds.extras)?;
        record.unit_numbers = add(all, &pack.units.numbers)?;
        record.masses = add(all, &pack.bodies.mass)?;
        record.free = add(all, &pack.bodies.free)?;
        Ok(())
    }
}

/// Appends, and says where.
fn add<T: Clone>(all: &mut Vec<T>, more: &[T]) -> Result<u32, DeviceError> {
    let first = index(all.len())?;
    all.extend_from_slice(more);
    Ok(first)
}

/// Appends single words, padded to quads, and says where the first is.
fn add_words(all: &mut Vec<[u32; 4]>, more: &[u32]) -> Result<u32, DeviceError> {
    let first = index(4 * all.len())?;
    let (quads, rest) = more.as_chunks::<4>();
    all.extend_from_slice(quads);
    if !rest.is_empty() {
        let mut last = [0; 4];
        last[..rest.len()].copy_from_slice(rest);
        all.push(last);
    }
    Ok(first)
}

/// λ_k of a problem, one per row \[N·s\]; `half` holds it, and `quads` reads a range of all
/// impulses.
pub(crate) fn read_impulses(
    pack: &Pack<f32>,
    record: &ProblemRecord,
    half: u32,
    out: &mut [f64],
    quads: impl Fn(Range<usize>) -> Result<Vec<GpuQuad>, DeviceError>,
) -> Result<(), SolveError> {
    let part = |first: u32, count: usize| {
        let first = first as usize + count * half as usize;
        quads(first..first + count)
    };
    let iterate = Iterate {
        points: part(record.point_impulses, pack.manifolds.points())?,
        rows: part(record.row_impulses, pack.units.impulse_quads())?,
        ..Iterate::default()
    };
    iterate.read(pack, out);
    match out.iter().position(|x| !x.is_finite()) {
        Some(row) => Err(SolveError::NonFinite { row }),
        None => Ok(()),
    }
}

/// The velocities of a problem's bodies from quad `first` on, six per body \[m/s, rad/s\]; `quads`
/// reads a range of all.
pub(crate) fn read_velocities(
    pack: &Pack<f32>,
    first: usize,
    out: &mut [f64],
    quads: impl Fn(Range<usize>) -> Result<Vec<GpuQuad>, DeviceError>,
) -> Result<(), SolveError> {
    let count = BODY_FREE * pack.bodies.len();
    let iterate = Iterate {
        settled: quads(first..first + count)?,
        ..Iterate::default()
    };
    iterate.read_velocities(out);
    if out.iter().all(|x| x.is_finite()) {
        return Ok(());
    }
    Err(SolveError::NonFiniteVelocity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_padded_to_quads() {
        let mut all = Vec::new();
        assert_eq!(add_words(&mut all, &[1, 2, 3, 4, 5]), Ok(0));
        assert_eq!(add_words(&mut all, &[]), Ok(8));
        assert_eq!(add_words(&mut all, &[6]), Ok(8));
        assert_eq!(all, [[1, 2, 3, 4], [5, 0, 0, 0], [6, 0, 0, 0]]);
    }
}
