//! What is read of problems that stay on the device, and the bytes that an iteration moves.

use std::ops::Range;

use delassus_core::{DeviceError, SolveError, Traffic};
use delassus_solver_jacobi::Acceleration;
use delassus_solver_jacobi::pack::{BODY_FREE, Pack};
use delassus_solver_jacobi::rule::LocalSweep;

use super::Resident;
use crate::buffers::GpuQuad;
use crate::history::{HistoryEntry, RawEntry};
use crate::joined::{self, ProblemRecord};

impl Resident {
    /// Reads λ_k of a problem, one per row \[N·s\].
    pub(crate) fn read_impulses(&self, problem: usize, out: &mut [f64]) -> Result<(), SolveError> {
        let (pack, record) = self.problem(problem)?;
        let buffer = &self.buffers.impulses;
        let quads = |range| buffer.read(&self.device, range);
        joined::read_impulses(pack, record, self.half(), out, quads)
    }

    /// Reads λ_k of all problems at once and shows those of each \[N·s\]; the first that is broken
    /// is named.
    pub(crate) fn read_all_impulses(
        &self,
        mut show: impl FnMut(usize, &[f64]),
    ) -> Result<(), (usize, SolveError)> {
        let buffer = &self.buffers.impulses;
        let all = buffer.read::<GpuQuad>(&self.device, 0..self.joined.impulse_quads);
        let all = all.map_err(|error| (0, error.into()))?;
        let mut own = Vec::new();
        for (problem, (pack, record)) in self.packs.iter().zip(&self.joined.records).enumerate() {
            own.resize(pack.rows(), 0.0);
            let quads = |range: Range<usize>| Ok(all[range].to_vec());
            joined::read_impulses(pack, record, self.half(), &mut own, quads)
                .map_err(|error| (problem, error))?;
            show(problem, &own);
        }
        Ok(())
    }

    /// Reads v_k of a problem, six per body \[m/s, rad/s\].
    pub(crate) fn read_velocities(
        &self,
        problem: usize,
        out: &mut [f64],
    ) -> Result<(), SolveError> {
        let quads = |range| self.buffers.velocity.read(&self.device, range);
        let (pack, record) = self.problem(problem)?;
        joined::read_velocities(pack, settled(pack, record), out, quads)
    }

    fn problem(&self, problem: usize) -> Result<(&Pack<f32>, &ProblemRecord), SolveError> {
        let found = self.packs.of(problem).zip(self.joined.records.get(problem));
        found.ok_or(SolveError::Length {
            what: "the batch",
            found: self.packs.len(),
            expected: problem + 1,
        })
    }

    /// Reads v_k of all problems at once and shows those of each, six per body \[m/s, rad/s\].
    pub(crate) fn read_all_velocities(
        &self,
        mut show: impl FnMut(usize, &[f64]),
    ) -> Result<(), SolveError> {
        let buffer = &self.buffers.velocity;
        let all = buffer.read::<GpuQuad>(&self.device, 0..self.joined.velocities)?;
        let mut own = Vec::new();
        for (problem, (pack, record)) in self.packs.iter().zip(&self.joined.records).enumerate() {
            own.resize(6 * (pack.bodies.len() - 1), 0.0);
            let quads = |range: Range<usize>| Ok(all[range].to_vec());
            joined::read_velocities(pack, settled(pack, record), &mut own, quads)?;
            show(problem, &own);
        }
        Ok(())
    }

    pub(crate) fn read_history(&self, problem: usize) -> Result<Vec<HistoryEntry>, DeviceError> {
        let first = self.capacity as usize * problem;
        let range = first..first + self.iterations as usize;
        let raw: Vec<RawEntry> = self.buffers.history.read(&self.device, range)?;
        Ok(raw.into_iter().map(HistoryEntry::from).collect())
    }

    /// Seconds that the last iterations took on the device; `None` without time stamps \[s\].
    pub(crate) fn seconds(&self) -> Result<Option<f64>, DeviceError> {
        let watch = self.stopwatch.as_ref().filter(|_| self.iterations > 0);
        watch.map(|watch| watch.seconds(&self.device)).transpose()
    }

    /// Bytes of buffers that one iteration moves; what lies in a workgroup's memory is none of them
    /// (K.7).
    pub(crate) fn traffic(&self) -> Traffic {
        let quad = size_of::<GpuQuad>() as u64;
        let momentum = self.settings.acceleration != Acceleration::None;
        let mut traffic = Traffic::default();
        for pack in self.packs.iter() {
            let (slots, linked) = (pack.slots.body.len() as u64, pack.slots.slots.len() as u64);
            let bodies = pack.bodies.len() as u64;
            let pieces = (pack.manifolds.len() + pack.units.len()) as u64;
            let impulses = quad * (pack.manifolds.points() + pack.units.impulse_quads()) as u64;
            let heads = 16 * (pack.manifolds.heads.len() + pack.units.heads.len()) as u64;
            let numbers = pack.manifolds.numbers.len()
                + pack.manifolds.extras.len()
                + pack.units.numbers.len()
                + pack.bodies.mass.len()
                + pack.bodies.free.len();
            let settled = quad * BODY_FREE as u64 * bodies;
            let masses = if pack.rule().sweep == LocalSweep::Block {
                3 * quad * slots
            } else {
                0
            };
            traffic.read += heads
                + quad * numbers as u64
                + if momentum {
                    2 * impulses + settled
                } else {
                    impulses
                };
            traffic.written += impulses + 2 * quad * linked + quad * pieces + settled;
            traffic.gathered += masses + 2 * quad * linked + 4 * (linked + bodies) + quad * pieces;
        }
        traffic
    }
}

/// The first quad of v_k of a problem.
fn settled(pack: &Pack<f32>, record: &ProblemRecord) -> usize {
    record.velocities as usize + BODY_FREE * pack.bodies.len()
}
