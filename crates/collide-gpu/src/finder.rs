//! The search: uploads, dispatches and downloads.

mod landed;
mod on_device;
mod remembered;
mod resident;

use std::sync::Arc;

use delassus_core::DeviceError;
use delassus_solver_gpu::buffers::submit_and_read;
use delassus_solver_gpu::commands::Stopwatch;
use delassus_solver_gpu::device::Device;
use delassus_solver_gpu::staging::BufferRange;
use delassus_solver_gpu::threads_per_workgroup;
use nalgebra::Isometry3;
use wgpu::ComputePassDescriptor;

use crate::error::CollisionError;
use crate::kernels::Kernels;
use crate::memory::Sizes;
use crate::records::{BodyPose, Header, Manifold};
use crate::scene::{ColliderScene, UploadedScene, word};

pub use landed::GpuManifold;
pub use on_device::{DevicePose, OnDevice, SearchCounts};
pub use remembered::PairState;
use resident::Resident;

/// Room on the device at first; a search that needs more takes it and begins again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Pairs of near colliders \[-\].
    pub pairs: usize,
    /// Manifolds \[-\].
    pub manifolds: usize,
}

/// The states of pairs that a search starts from.
#[derive(Debug, Clone, Copy)]
pub enum PairStates<'a> {
    /// The manifolds that the last search of this finder left on the device.
    Kept,
    /// These, in any order, at most one per pair.
    Given(&'a [PairState]),
}

/// Finds contacts on a device.
#[derive(Debug)]
pub struct Finder {
    device: Arc<Device>,
    kernels: Arc<Kernels>,
    room: Room,
    resident: Option<Resident>,
    stopwatch: Option<Stopwatch>,
    timed: bool,
    near: u32,
    /// The scene of the last search.
    loaded: Option<UploadedScene>,
    /// How often buffers were made \[-\].
    revision: u64,
}

/// What a search counted: near pairs, manifolds, threads that were ended, points.
type Counts = [u32; 4];

impl Finder {
    /// A finder with workgroups of `workgroup` threads \[-\], a multiple of 32 up to 256, or 0 for
    /// the program's choice.
    ///
    /// # Errors
    /// What the driver says about the kernels.
    pub fn new(device: Arc<Device>, workgroup: u32) -> Result<Self, DeviceError> {
        let room = Room {
            pairs: 1024,
            manifolds: 512,
        };
        Self::with_room(device, workgroup, room)
    }

    /// The same with another room at first.
    ///
    /// # Errors
    /// What the driver says about the kernels.
    pub fn with_room(device: Arc<Device>, workgroup: u32, room: Room) -> Result<Self, DeviceError> {
        let workgroup = threads_per_workgroup(workgroup, &device, 0);
        let kernels = Kernels::shared(&device, workgroup)?;
        let stopwatch = Stopwatch::new(&device)?;
        Ok(Self {
            device,
            kernels,
            room: Room {
                pairs: room.pairs.max(1),
                manifolds: room.manifolds.max(1),
            },
            resident: None,
            stopwatch,
            timed: false,
            near: 0,
            loaded: None,
            revision: 0,
        })
    }

    /// The device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// The room that searches have taken so far.
    pub fn room(&self) -> Room {
        self.room
    }

    /// Time that the last search took on the device, without the copies \[s\]; `None` before the
    /// first one and without time stamps.
    ///
    /// # Errors
    /// What the driver says.
    pub fn seconds(&self) -> Result<Option<f64>, DeviceError> {
        let watch = self.stopwatch.as_ref().filter(|_| self.timed);
        watch.map(|watch| watch.seconds(&self.device)).transpose()
    }

    /// The manifolds of a scene at the given poses of its bodies, in ascending order of their
    /// colliders.
    ///
    /// # Errors
    /// Shapes without a shader, limits of the device, and its failures. The states of pairs are
    /// then undefined: the next search has to be given some.
    pub fn find(
        &mut self,
        scene: &ColliderScene<'_>,
        poses: &[Isometry3<f64>],
        before: PairStates<'_>,
    ) -> Result<Vec<GpuManifold>, CollisionError> {
        let count = self.search(scene, poses, before)?.manifolds;
        let Some(left) = self.on_device() else {
            return Ok(Vec::new());
        };
        let read: Vec<Manifold> = left.copies[left.copy].read(&self.device, 0..count)?;
        let found = read.iter().map(|m| landed::found(scene, poses, m));
        let mut found: Vec<GpuManifold> = found.collect();
        found.sort_unstable_by_key(|found| found.colliders);
        Ok(found)
    }

    /// As [`Self::find`], and leaves the manifolds on the device.
    ///
    /// # Errors
    /// Those of [`Self::find`].
    pub fn search(
        &mut self,
        scene: &ColliderScene<'_>,
        poses: &[Isometry3<f64>],
        before: PairStates<'_>,
    ) -> Result<SearchCounts, CollisionError> {
        (self.timed, self.near, self.loaded) = (false, 0, None);
        if poses.len() != scene.moves.len() {
            return Err(CollisionError::Length {
                what: "poses",
                found: poses.len(),
                expected: scene.moves.len(),
            });
        }
        let loaded = UploadedScene::new(scene)?;
        let bodies = loaded.poses(poses)?;
        if loaded.solids.is_empty() {
            self.resident = None;
            return Ok(SearchCounts::default());
        }
        self.upload(&loaded, &bodies)?;
        let order = match before {
            PairStates::Given(manifolds) => self.remember(&loaded, manifolds)?,
            PairStates::Kept => Vec::new(),
        };
        let [manifolds, points] = self.search_loaded(loaded)?;
        Ok(SearchCounts {
            manifolds,
            points,
            order,
        })
    }

    /// Searches the scene of the last search once more, where kernels have moved its bodies on the
    /// device meanwhile: nothing is uploaded. Nothing is found if that search has failed.
    ///
    /// # Errors
    /// Those of [`Self::find`].
    pub fn search_again(&mut self) -> Result<SearchCounts, CollisionError> {
        (self.timed, self.near) = (false, 0);
        let Some(loaded) = self.loaded.take() else {
            return Ok(SearchCounts::default());
        };
        let [manifolds, points] = self.search_loaded(loaded)?;
        Ok(SearchCounts {
            manifolds,
            points,
            order: Vec::new(),
        })
    }

    /// How many manifolds and points there are of what is uploaded.
    fn search_loaded(&mut self, loaded: UploadedScene) -> Result<[usize; 2], CollisionError> {
        let found = self.search_with_room(&loaded)?;
        if let Some(resident) = &mut self.resident {
            resident.before = 1 - resident.before;
        }
        self.loaded = Some(loaded);
        Ok(found)
    }

    /// Takes the last search back: the next one goes on from the same frame before as it did.
    pub fn undo(&mut self) {
        if let Some(resident) = &mut self.resident {
            resident.before = 1 - resident.before;
        }
    }

    /// What the last search left; `None` before the first one, and where there are no colliders.
    pub fn on_device(&self) -> Option<OnDevice<'_>> {
        let resident = self.resident.as_ref()?;
        Some(OnDevice {
            solids: &resident.buffers.solids,
            bodies: &resident.buffers.bodies,
            copies: &resident.buffers.manifolds,
            first_points: &resident.buffers.points,
            copy: resident.before,
            revision: self.revision,
        })
    }

    /// The pairs of near colliders of the last search, ascending.
    ///
    /// # Errors
    /// What the driver says.
    pub fn pairs(&self) -> Result<Vec<[u32; 2]>, DeviceError> {
        let Some(resident) = &self.resident else {
            return Ok(Vec::new());
        };
        let range = 0..self.near as usize;
        let read: Vec<[u32; 2]> = resident.buffers.pairs.read(&self.device, range)?;
        let mut pairs: Vec<_> = read.iter().map(|[a, b]| [*a.min(b), *a.max(b)]).collect();
        pairs.sort_unstable();
        Ok(pairs)
    }

    /// Makes buffers of the right sizes and fills those that the kernels read.
    fn upload(
        &mut self,
        loaded: &UploadedScene,
        bodies: &[BodyPose],
    ) -> Result<(), CollisionError> {
        let sizes = Sizes {
            colliders: loaded.solids.len(),
            bodies: bodies.len(),
            tables: loaded.tables.len(),
            buckets: (2 * loaded.solids.len()).next_power_of_two(),
            pairs: self.room.pairs,
            manifolds: self.room.manifolds,
        };
        let device = &self.device;
        if self.resident.as_ref().is_none_or(|r| r.sizes != sizes) {
            let same = |r: &Resident| {
                (r.sizes.colliders, r.sizes.bodies) == (sizes.colliders, sizes.bodies)
            };
            let old = self.resident.take().filter(same);
            let mut fresh = Resident::new(device, &self.kernels, sizes)?;
            self.revision += 1;
            if let Some(old) = old {
                fresh.take_over(device, &old)?;
            }
            self.resident = Some(fresh);
        }
        let Some(resident) = &mut self.resident else {
            return Ok(());
        };
        let buffers = &resident.buffers;
        let header = Header {
            colliders: word("colliders", sizes.colliders)?,
            buckets: word("buckets", sizes.buckets)?,
            levels: loaded.levels,
            apart: loaded.apart,
            planes: loaded.planes,
            pairs: word("pairs", sizes.pairs)?,
            manifolds: word("manifolds", sizes.manifolds)?,
            margin: loaded.margin,
            persistence: loaded.persistence,
        };
        buffers.header.write(device, &[header])?;
        buffers.bodies.write(device, bodies)?;
        if resident.solids != loaded.solids {
            buffers.solids.write(device, &loaded.solids)?;
            resident.solids.clone_from(&loaded.solids);
        }
        if resident.tables != loaded.tables {
            buffers.tables.write(device, &loaded.tables)?;
            resident.tables.clone_from(&loaded.tables);
        }
        Ok(())
    }

    /// Searches until there is room for all that is found; returns how many manifolds and points
    /// there are.
    fn search_with_room(&mut self, loaded: &UploadedScene) -> Result<[usize; 2], CollisionError> {
        loop {
            let [near, manifolds, ended, points] = self.submit()?;
            if ended > 0 {
                return Err(CollisionError::Unfinished { threads: ended });
            }
            let [pairs, count] = [near, manifolds].map(|x| x as usize);
            let mut room = self.room;
            if pairs > room.pairs {
                // of too many pairs none were looked at
                room.pairs = pairs + pairs / 4;
            } else if count > room.manifolds {
                room.manifolds = count + count / 4;
            } else {
                (self.timed, self.near) = (true, near);
                return Ok([count, points as usize]);
            }
            self.grow(loaded, room)?;
        }
    }

    /// Takes more room; what the device does not have is not asked for again by the next search.
    fn grow(&mut self, loaded: &UploadedScene, room: Room) -> Result<(), CollisionError> {
        let before = std::mem::replace(&mut self.room, room);
        let bodies = self.bodies()?;
        let grown = self.upload(loaded, &bodies);
        if grown.is_err() {
            self.room = before;
        }
        grown
    }

    /// The poses that are uploaded.
    fn bodies(&self) -> Result<Vec<BodyPose>, DeviceError> {
        let resident = self.resident.as_ref();
        resident.map_or(Ok(Vec::new()), |r| {
            r.buffers.bodies.read(&self.device, 0..r.sizes.bodies)
        })
    }

    /// One submission, and what it counted.
    fn submit(&self) -> Result<Counts, DeviceError> {
        let Some(resident) = &self.resident else {
            return Ok([0; 4]);
        };
        let (sizes, buffers) = (&resident.sizes, &resident.buffers);
        let device = &self.device;
        let encoder = device.checked("the contacts", 0, || {
            let mut encoder = device.raw().create_command_encoder(&Default::default());
            buffers.clear(&mut encoder);
            let mut compute = encoder.begin_compute_pass(&ComputePassDescriptor {
                label: Some("the contacts"),
                timestamp_writes: self.stopwatch.as_ref().map(Stopwatch::whole_pass),
            });
            let bindings = &resident.bindings;
            bindings.record(&self.kernels, &mut compute, resident.before);
            drop(compute);
            encoder
        })?;
        let word = size_of::<u32>() as u64;
        let counted = [
            (&buffers.firsts, sizes.colliders),
            (&buffers.touches, sizes.pairs),
            (&buffers.status, 0),
            (&buffers.points, sizes.manifolds),
        ];
        let parts = counted.map(|(from, at)| BufferRange {
            from: from.raw(),
            first: word * at as u64,
            bytes: word,
        });
        let mut counts = Counts::default();
        let out = bytemuck::bytes_of_mut(&mut counts);
        submit_and_read(device, "the contacts", encoder, &parts, out)?;
        Ok(counts)
    }
}
