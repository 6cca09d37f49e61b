//! What a frame dispatches, in its order.

use delassus_core::DeviceError;
use delassus_scheme_jacobi::stepping::BiasPass;
use delassus_scheme_jacobi::stepping::frame::{FrameSchedule, PackedFrame};
use delassus_solver_gpu::device::Device;
use delassus_solver_gpu::pipelines::Workgroups;
use wgpu::{BindGroup, ComputePass};

use super::kernels::{Bindings, Kernels, Restitution};

/// Workgroups of the kernels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grids {
    bodies: Workgroups,
    points: [Workgroups; 2],
    joints: Workgroups,
    slots: Workgroups,
    one: Workgroups,
    pieces: [Workgroups; 3],
}

/// How many there are of what the kernels have threads for \[-\].
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    /// With the world.
    pub(crate) bodies: usize,
    /// Points of manifolds, and those packed as rows.
    pub(crate) points: [usize; 2],
    pub(crate) joints: usize,
    pub(crate) slots: usize,
    /// Manifolds, and units of row blocks.
    pub(crate) pieces: [usize; 2],
    /// Bodies that a workgroup each sums.
    pub(crate) hubs: usize,
}

impl Counts {
    pub(super) fn of(frame: &PackedFrame<f32>, hubs: usize) -> Self {
        let (pack, stepping) = (&frame.packs[0], &frame.stepping);
        Self {
            bodies: pack.bodies.len(),
            points: [stepping.contacts.len(), stepping.row_contacts.len()],
            joints: stepping.joints.len(),
            slots: pack.slots.body.len(),
            pieces: [pack.manifolds.len(), pack.units.len()],
            hubs,
        }
    }

    pub(crate) fn grids(
        &self,
        device: &Device,
        kernels: &Kernels,
        workgroup: u32,
    ) -> Result<Grids, DeviceError> {
        let grid = |threads| kernels.motion.grid(device, threads);
        let most = device.limits().max_compute_workgroups_per_dimension;
        let iteration = &kernels.iterations[1];
        Ok(Grids {
            bodies: grid(self.bodies)?,
            points: [grid(self.points[0])?, grid(self.points[1])?],
            joints: grid(self.joints)?,
            slots: grid(self.slots)?,
            one: Workgroups::of(1, most)?,
            pieces: iteration.grids_of(device, self.pieces, self.bodies, workgroup, self.hubs)?,
        })
    }
}

/// What is recorded.
pub(crate) struct FramePlan<'a> {
    pub(crate) kernels: &'a Kernels,
    pub(crate) bindings: &'a Bindings,
    pub(crate) restitution: Option<Restitution>,
    pub(crate) grids: Grids,
    pub(crate) schedule: FrameSchedule,
    /// False where sums of wrenches are not read.
    pub(crate) tallies: bool,
}

impl FramePlan<'_> {
    /// All substeps; returns the half of the impulses that holds the last ones.
    pub(crate) fn record(&self, compute: &mut ComputePass<'_>) -> usize {
        let (kernels, bindings, grids) = (self.kernels, self.bindings, &self.grids);
        let schedule = self.schedule;
        let mut current = 0;
        for substep in 1..=schedule.substeps {
            let motion = &kernels.motion;
            motion.dispatch(compute, &bindings.motion, grids.bodies);
            self.follow(compute, BiasPass::Biased);
            current = self.solve(compute, BiasPass::Biased, schedule.sweeps, current);
            let poses = &kernels.poses;
            poses.dispatch(compute, &bindings.poses, grids.bodies);
            self.follow(compute, BiasPass::Relaxed);
            current = self.solve(compute, BiasPass::Relaxed, schedule.relax_sweeps, current);
            self.settle(compute, true);
            if let Some(restitution) = &self.restitution {
                restitution.dispatch(compute, false, current, grids.points);
                if substep == schedule.substeps {
                    restitution.dispatch(compute, true, current, grids.points);
                    current = self.solve(
                        compute,
                        BiasPass::Relaxed,
                        schedule.restitution_sweeps,
                        current,
                    );
                    self.settle(compute, false);
                }
            }
            if self.tallies {
                let tally = &kernels.tally;
                tally.dispatch(compute, &bindings.tally, grids.slots);
            }
        }
        current
    }

    /// The start of the next frame.
    pub(crate) fn start_next_frame(&self, compute: &mut ComputePass<'_>, bindings: &BindGroup) {
        let next_frame = &self.kernels.next_frame;
        next_frame.dispatch(compute, bindings, self.grids.bodies);
    }

    fn settle(&self, compute: &mut ComputePass<'_>, lasts: bool) {
        let kernel = &self.kernels.settle[usize::from(lasts)];
        kernel.dispatch(compute, &self.bindings.settle, self.grids.bodies);
    }

    fn follow(&self, compute: &mut ComputePass<'_>, pass: BiasPass) {
        let pass = pass as usize;
        for as_rows in 0..2 {
            let kernel = &self.kernels.separations[as_rows][pass];
            let bindings = &self.bindings.separations[as_rows][pass];
            kernel.dispatch(compute, bindings, self.grids.points[as_rows]);
        }
        let joints = &self.kernels.joints[pass];
        joints.dispatch(compute, &self.bindings.joints, self.grids.joints);
    }

    fn solve(
        &self,
        compute: &mut ComputePass<'_>,
        pass: BiasPass,
        sweeps: u32,
        mut current: usize,
    ) -> usize {
        let start = &self.kernels.start;
        start.dispatch(compute, &self.bindings.start, self.grids.one);
        self.iteration(compute, pass, false, current);
        for _ in 0..sweeps {
            self.iteration(compute, pass, true, current);
            current = 1 - current;
        }
        current
    }

    /// Manifolds, units, bodies.
    fn iteration(&self, compute: &mut ComputePass<'_>, pass: BiasPass, steps: bool, parity: usize) {
        let kernels = &self.kernels.iterations[usize::from(steps)];
        let bindings = &self.bindings.iterations[pass as usize][parity];
        kernels.record(compute, bindings, self.grids.pieces);
    }
}
