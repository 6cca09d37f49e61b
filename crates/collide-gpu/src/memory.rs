//! The memory of a search on the device, and what the kernels bind of it.

use delassus_core::DeviceError;
use delassus_solver_gpu::buffers::StorageBuffer;
use delassus_solver_gpu::device::Device;
use delassus_solver_gpu::pipelines::Workgroups;
use wgpu::{BindGroup, CommandEncoder, ComputePass};

use crate::kernels::Kernels;
use crate::records::{BOUND_BYTES, BodyPose, Header, Manifold, Solid};
use crate::scan::Scan;

/// How many there are of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) colliders: usize,
    pub(crate) bodies: usize,
    pub(crate) tables: usize,
    /// Buckets of cells, a power of two \[-\].
    pub(crate) buckets: usize,
    /// Room for pairs \[-\].
    pub(crate) pairs: usize,
    /// Room for manifolds \[-\].
    pub(crate) manifolds: usize,
}

/// Buffers.
#[derive(Debug)]
pub(crate) struct Buffers {
    pub(crate) header: StorageBuffer,
    pub(crate) solids: StorageBuffer,
    pub(crate) bodies: StorageBuffer,
    pub(crate) tables: StorageBuffer,
    bounds: StorageBuffer,
    cells: StorageBuffer,
    filled: StorageBuffer,
    members: StorageBuffer,
    pub(crate) firsts: StorageBuffer,
    found: StorageBuffer,
    pub(crate) pairs: StorageBuffer,
    pub(crate) status: StorageBuffer,
    touching: StorageBuffer,
    pub(crate) touches: StorageBuffer,
    /// Of the frame before and of this one, which change places.
    pub(crate) manifolds: [StorageBuffer; 2],
    pub(crate) starts: [StorageBuffer; 2],
    /// Per manifold: points before it; the last is the sum.
    pub(crate) points: StorageBuffer,
}

fn bytes<T>(count: usize) -> u64 {
    (size_of::<T>() * count) as u64
}

impl Buffers {
    pub(crate) fn new(device: &Device, sizes: &Sizes) -> Result<Self, DeviceError> {
        let zeroed = |what, bytes| StorageBuffer::zeroed(device, what, bytes);
        let words = |what, count: usize| zeroed(what, bytes::<u32>(count));
        let (colliders, buckets, pairs) = (sizes.colliders, sizes.buckets, sizes.pairs);
        let manifolds = || zeroed("the manifolds", bytes::<Manifold>(sizes.manifolds));
        let starts = || words("the first manifolds of the colliders", colliders + 1);
        Ok(Self {
            header: zeroed("the settings", bytes::<Header>(1))?,
            solids: zeroed("the colliders", bytes::<Solid>(colliders))?,
            bodies: zeroed("the poses", bytes::<BodyPose>(sizes.bodies))?,
            tables: zeroed("the cells' sizes", bytes::<[u32; 2]>(sizes.tables))?,
            bounds: zeroed("the boxes of the colliders", BOUND_BYTES * colliders as u64)?,
            cells: words("the cells", buckets + 1)?,
            filled: words("the members of the cells", buckets)?,
            members: words("the members of the cells", colliders)?,
            firsts: words("the first pairs of the colliders", colliders + 1)?,
            found: zeroed("the pairs", bytes::<[u32; 2]>(pairs))?,
            pairs: zeroed("the pairs", bytes::<[u32; 2]>(pairs))?,
            status: words("the threads that were ended", 4)?,
            touching: zeroed("what touches of the pairs", bytes::<Manifold>(pairs))?,
            touches: words("the pairs that touch", pairs + 1)?,
            manifolds: [manifolds()?, manifolds()?],
            starts: [starts()?, starts()?],
            points: words("the points of the manifolds", sizes.manifolds + 1)?,
        })
    }

    /// Zeros what is counted in.
    pub(crate) fn clear(&self, encoder: &mut CommandEncoder) {
        let searched = [&self.cells, &self.filled, &self.firsts];
        let found = [&self.touches, &self.status, &self.points];
        for buffer in searched.into_iter().chain(found) {
            encoder.clear_buffer(buffer.raw(), 0, None);
        }
    }
}

/// Bind groups and grids.
#[derive(Debug)]
pub(crate) struct Bindings {
    bounds: BindGroup,
    cells: Scan,
    place: BindGroup,
    pairs: BindGroup,
    firsts: Scan,
    order: BindGroup,
    /// By which of the two copies is the frame before.
    narrow: [BindGroup; 2],
    touches: Scan,
    compact: [BindGroup; 2],
    points: Scan,
    /// A thread per collider, per pair, per either.
    grids: [Workgroups; 3],
}

impl Bindings {
    pub(crate) fn new(
        device: &Device,
        kernels: &Kernels,
        b: &Buffers,
        sizes: &Sizes,
    ) -> Result<Self, DeviceError> {
        let (touching, touches) = (&b.touching, &b.touches);
        let narrow = |before: usize| {
            let (found, starts) = (&b.manifolds[before], &b.starts[before]);
            let memory = [
                &b.header, &b.solids, &b.bodies, &b.pairs, touching, touches, found, starts,
            ];
            kernels.narrow.bind(device, &memory)
        };
        let compact = |before: usize| {
            let (found, starts) = (&b.manifolds[1 - before], &b.starts[1 - before]);
            let memory = [
                &b.header, &b.firsts, touches, touching, found, starts, &b.points,
            ];
            kernels.compact.bind(device, &memory)
        };
        let bounds = [
            &b.header, &b.solids, &b.bodies, &b.tables, &b.bounds, &b.cells,
        ];
        let place = [&b.header, &b.bounds, &b.cells, &b.filled, &b.members];
        let pairs = [
            &b.header, &b.bounds, &b.tables, &b.cells, &b.members, &b.firsts, &b.found, &b.status,
        ];
        let order = [&b.header, &b.firsts, &b.found, &b.pairs, &b.status];
        let grid = |threads| kernels.bounds.grid(device, threads);
        Ok(Self {
            bounds: kernels.bounds.bind(device, &bounds)?,
            cells: Scan::new(device, kernels.workgroup, &b.cells)?,
            place: kernels.place.bind(device, &place)?,
            pairs: kernels.pairs[0].bind(device, &pairs)?,
            firsts: Scan::new(device, kernels.workgroup, &b.firsts)?,
            order: kernels.order.bind(device, &order)?,
            narrow: [narrow(0)?, narrow(1)?],
            touches: Scan::new(device, kernels.workgroup, &b.touches)?,
            compact: [compact(0)?, compact(1)?],
            points: Scan::new(device, kernels.workgroup, &b.points)?,
            grids: [
                grid(sizes.colliders)?,
                grid(sizes.pairs)?,
                grid(sizes.pairs.max(sizes.colliders + 1))?,
            ],
        })
    }

    /// All of a search; the manifolds of `before` are those of the frame before.
    pub(crate) fn record(&self, kernels: &Kernels, compute: &mut ComputePass<'_>, before: usize) {
        let [colliders, pairs, either] = self.grids;
        kernels.bounds.dispatch(compute, &self.bounds, colliders);
        self.cells.record(compute);
        kernels.place.dispatch(compute, &self.place, colliders);
        kernels.pairs[0].dispatch(compute, &self.pairs, colliders);
        self.firsts.record(compute);
        kernels.pairs[1].dispatch(compute, &self.pairs, colliders);
        kernels.order.dispatch(compute, &self.order, pairs);
        let narrow = &self.narrow[before];
        kernels.narrow.dispatch(compute, narrow, pairs);
        self.touches.record(compute);
        let compact = &self.compact[before];
        kernels.compact.dispatch(compute, compact, either);
        self.points.record(compute);
    }
}
