//! The entries of the benchmark: work, size, vector level.

use delassus_core::Choice;
use delassus_solver_wide::VectorLevel;
use delassus_solver_wide::wide_pgs::Layout;

use super::{SUBSTEPS, SWEEPS};

/// What one unit of work is; the first line of each is what the table calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum TimedWork {
    /// pass
    ///
    /// A sweep over a wall: normal and two friction rows at every point.
    Pass,
    /// pass, two threads
    TwoThreads,
    /// pass, `projection`
    Projection,
    /// pass, `pgs` in f64
    Pgs,
    /// pass, patch friction
    ///
    /// A sweep over the wall with one patch per manifold: four normals, two tangents, a twist.
    Patch,
    /// packing and writing back
    ///
    /// `prepare` of a scene whose contacts stay, and reading impulses and velocities.
    Packing,
    /// packing and writing back, two threads
    PackingTwoThreads,
    /// Soft Step substep in the solver
    ///
    /// New velocities and bias, warm start, one sweep, bias off, one sweep.
    Stage,
    /// Soft Step substep, whole scheme
    ///
    /// With its own assembly and integration.
    Substep,
    /// pass, ball joints
    Joints,
    /// pass, ball joints, `projection`
    JointsProjection,
}

/// One line of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimedEntry {
    /// The unit of work.
    pub work: TimedWork,
    /// Base of the wall or edge of the net \[-\].
    pub size: usize,
    /// Vector instructions; meaningless for [`TimedWork::Pgs`].
    pub level: VectorLevel,
}

/// Bases of walls in the caches (1 600 and 40 000 points).
const WALLS: [usize; 2] = [20, 100];
/// Bases of walls beyond them (200 704 and 336 400 points).
const LARGE_WALLS: [usize; 2] = [224, 290];
/// Edge of the net: 19 794 joints.
const NET: usize = 100;

/// All entries for these levels, narrow before wide; what is no question of lanes runs at the
/// widest alone.
pub fn entries(levels: &[VectorLevel]) -> Vec<TimedEntry> {
    let widest = levels.last().copied().unwrap_or(VectorLevel::Scalar);
    let mut all = Vec::new();
    let mut add = |work, size, level| all.push(TimedEntry { work, size, level });
    for size in WALLS.into_iter().chain(LARGE_WALLS) {
        for level in levels.iter().rev() {
            add(TimedWork::Pass, size, *level);
        }
        if WALLS.contains(&size) {
            let others = [
                TimedWork::TwoThreads,
                TimedWork::Projection,
                TimedWork::Pgs,
                TimedWork::Patch,
            ];
            let steps = [
                TimedWork::Packing,
                TimedWork::PackingTwoThreads,
                TimedWork::Stage,
                TimedWork::Substep,
            ];
            for work in others.into_iter().chain(steps) {
                add(work, size, widest);
            }
        }
    }
    for work in [TimedWork::Joints, TimedWork::JointsProjection] {
        for level in levels.iter().rev() {
            add(work, NET, *level);
        }
    }
    all
}

impl TimedWork {
    /// Layout of the wide solver.
    pub fn layout(self) -> Layout {
        match self {
            Self::Projection | Self::JointsProjection => Layout::Projection,
            _ => Layout::Recompute,
        }
    }

    /// Threads of the wide solver \[-\].
    pub fn threads(self) -> usize {
        match self {
            Self::TwoThreads | Self::PackingTwoThreads => 2,
            _ => 1,
        }
    }

    /// True if a unit of work is one sweep.
    pub fn is_pass(self) -> bool {
        !(self.is_packing() || matches!(self, Self::Stage | Self::Substep))
    }

    /// True if a unit of work is one packing.
    pub fn is_packing(self) -> bool {
        matches!(self, Self::Packing | Self::PackingTwoThreads)
    }

    /// The same with one thread.
    pub fn with_one_thread(self) -> Self {
        match self {
            Self::TwoThreads => Self::Pass,
            Self::PackingTwoThreads => Self::Packing,
            other => other,
        }
    }

    /// Units of work that a sampler runs at least \[-\].
    pub fn units(self) -> u64 {
        let difference = |[few, many]: [u32; 2]| u64::from(many - few);
        match self {
            Self::Packing | Self::PackingTwoThreads | Self::Stage => 1,
            Self::Substep => difference(SUBSTEPS),
            _ => difference(SWEEPS),
        }
    }

    /// The work of the peer that has the same content.
    pub fn peer(self) -> Option<&'static str> {
        match self {
            Self::Pass => Some("pass"),
            Self::Patch => Some("patch"),
            Self::Packing => Some("packing"),
            Self::Stage | Self::Substep => Some("substep-3-rows"),
            Self::Joints | Self::JointsProjection => Some("joints"),
            Self::TwoThreads | Self::PackingTwoThreads | Self::Projection | Self::Pgs => None,
        }
    }
}

impl TimedEntry {
    /// Name in criterion's list: work, size, level.
    pub fn id(&self) -> String {
        format!("{}/{}/{}", self.work, self.size, self.level())
    }

    /// The work and its scene, as in the table.
    pub fn title(&self) -> String {
        let scene = if self.is_net() { "net" } else { "wall" };
        let work = TimedWork::CHOICES[self.work as usize].text;
        format!("{work}, {scene} {}", self.size)
    }

    /// The vector level, or the precision of `pgs`.
    pub fn level(&self) -> &'static str {
        match self.work {
            TimedWork::Pgs => "f64",
            _ => self.level.id(),
        }
    }

    /// True for the net of ball joints.
    pub fn is_net(&self) -> bool {
        matches!(self.work, TimedWork::Joints | TimedWork::JointsProjection)
    }

    /// The word by which the peer's program knows the same work on the same scene.
    pub fn peer(&self) -> Option<String> {
        let work = self.work.peer()?;
        Some(format!("{work}/{}", self.size))
    }

    /// Contact points of the wall, or joints of the net \[-\].
    pub fn elements(&self) -> usize {
        // the wall has base + base (base − 1) manifolds of four; between the net's seven fixed
        // bodies lie six joints
        match self.is_net() {
            true => 2 * self.size * (self.size - 1) - 6,
            false => 4 * self.size * self.size,
        }
    }

    /// Times of other engines and hand-written kernels, measured outside this benchmark on the same
    /// class of machine \[ns\] per element; empty where none is known.
    pub fn times_elsewhere(&self) -> &'static str {
        match (self.work, self.level, self.size) {
            (TimedWork::Pass, VectorLevel::Avx512 | VectorLevel::Avx2, 20 | 100) => {
                "Jolt 17–19, Bullet 36–47; hand-written kernel 4.8–5.4"
            }
            (TimedWork::Pass, VectorLevel::Avx512 | VectorLevel::Avx2, _) => "limit 5–9, compact",
            (TimedWork::Stage | TimedWork::Substep, _, 20) => "Box3D 44, fewer rows",
            (TimedWork::Packing, _, 100) => "Box3D 50–75, Box2D 9",
            (TimedWork::Joints, VectorLevel::Avx512 | VectorLevel::Avx2, _) => "Jolt 14–20",
            _ => "",
        }
    }
}
