//! The packing and solving of a frame.

use delassus_collide_gpu::SearchCounts;
use delassus_core::DeviceError;
use delassus_scheme_jacobi::stepping::frame::FrameSchedule;
use delassus_solver_gpu::buffers::StorageBuffer;
use delassus_solver_gpu::commands::Stopwatch;
use delassus_solver_gpu::device::Device;

use super::memory::Memory;
use super::outcome::{FrameEnd, Outcome, Sizes};
use super::prepared::Prepared;
use crate::frame::buffers::Input;
use crate::frame::kernels::{Kernels, Restitution};
use crate::frame::plan::{Counts, FramePlan};
use crate::frame::submission::{Submission, Taken};
use crate::rows::kernels::{RowGrids, RowKernels};

/// The packing and solving of a frame.
pub(super) struct Work<'a> {
    pub(super) device: &'a Device,
    pub(super) watch: Option<&'a Stopwatch>,
    pub(super) memory: &'a Memory,
    /// The manifolds that were found.
    pub(super) found: &'a StorageBuffer,
    /// With the threads of their workgroups \[-\].
    pub(super) kernels: (&'a Kernels, u32),
    pub(super) rows: &'a RowKernels,
    pub(super) grids: RowGrids,
}

impl Work<'_> {
    /// Packs rows alone; returns how many points may bounce.
    pub(super) fn pack(&self) -> Result<u32, DeviceError> {
        let Memory { buffers, rows, .. } = self.memory;
        let word = size_of::<u32>();
        let submission = Submission {
            device: self.device,
            watch: None,
            cleared: &[&buffers.counts, &buffers.status],
            bytes: word,
        };
        let read = submission.run(|compute| {
            rows.record(self.rows, compute, self.grids, self.memory.copy, true);
            vec![Taken {
                from: &buffers.status,
                first: 2 * word,
                bytes: word,
            }]
        })?;
        Ok(bytemuck::pod_read_unaligned(&read))
    }

    /// All substeps, with rows that are packed first where `packs` says so.
    pub(super) fn solve(
        &self,
        frame: &Prepared<'_>,
        schedule: FrameSchedule,
        packs: bool,
        end: FrameEnd,
    ) -> Result<Outcome, DeviceError> {
        let Memory {
            buffers,
            rows,
            copy,
            next_frame,
            ..
        } = self.memory;
        let stays = end == FrameEnd::Stay;
        let plan = self.plan(frame, schedule, !stays)?;
        let sizes = Sizes::of(frame, end);
        let totals = &buffers.frame.totals;
        let all = [&buffers.counts, &buffers.status, totals];
        let packed = if packs { 0 } else { 2 };
        let summed = if stays { 2 } else { 3 };
        let submission = Submission {
            device: self.device,
            watch: self.watch,
            cleared: &all[packed..summed],
            bytes: sizes.sum(),
        };
        let read = submission.run(|compute| {
            if packs {
                rows.record(self.rows, compute, self.grids, *copy, false);
            }
            let current = plan.record(compute);
            rows.store(self.rows, compute, self.grids, *copy, current);
            if stays {
                plan.start_next_frame(compute, next_frame);
            }
            let of = |what| buffers.frame.of(what);
            let (motion, slots) = (of(Input::Motion), of(Input::Slots));
            let (kept, joints) = (&buffers.kept[*copy], &buffers.joint_kept[*copy]);
            let status = &buffers.status;
            sizes.of_buffers([motion, totals, slots, status, joints, kept, self.found])
        })?;
        sizes.cut(&read, schedule)
    }

    fn plan(
        &self,
        frame: &Prepared<'_>,
        schedule: FrameSchedule,
        tallies: bool,
    ) -> Result<FramePlan<'_>, DeviceError> {
        let (kernels, workgroup) = self.kernels;
        let SearchCounts {
            manifolds, points, ..
        } = *frame.searched;
        let counts = Counts {
            bodies: frame.bodies,
            points: [points, 0],
            joints: frame.joints.room.joints,
            slots: 2 * frame.pieces(),
            pieces: [manifolds, frame.joints.room.units],
            ..Counts::default()
        };
        let may_bounce = schedule.restitution_sweeps > 0;
        let layout = self.memory.room.layout;
        let buffers = &self.memory.buffers.frame;
        let restitution = || Restitution::new(self.device, workgroup, layout, buffers);
        Ok(FramePlan {
            kernels,
            bindings: &self.memory.frame,
            restitution: may_bounce.then(restitution).transpose()?,
            grids: counts.grids(self.device, kernels, workgroup)?,
            schedule,
            tallies,
        })
    }
}
