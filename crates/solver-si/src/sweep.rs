//! The sweep: what all solvers of this crate do around their update rule.

use delassus_core::{
    Changes, Problem, Progress, SolveError, SolverDescriptor, StateCoverage, Traffic,
};

use crate::order::{BlockPart, Schedule, visited};
use crate::packed::{PackedRows, effective_masses, first_rows};
use crate::view::{BlockView, FrozenView, Visit};

/// Properties of sweeps that support all forms of laws.
pub(crate) const SWEEP: SolverDescriptor = SolverDescriptor {
    forms: SolverDescriptor::ALL_FORMS,
    cone_rows: 6,
    ..SolverDescriptor::COMPLETE
};

/// How one block is updated: what the solvers differ in. A rule names itself in `prepared_sweeps!`.
pub trait Rule: Send {
    /// Takes over laws, diagonal blocks and compliance.
    ///
    /// # Errors
    /// [`SolveError::Interrupted`] if the limit of the caller ended it.
    fn build(&mut self, problem: &Problem) -> Result<(), SolveError>;

    /// Takes over another compliance of the problem that was built last. Default: builds again.
    ///
    /// # Errors
    /// Those of [`Self::build`].
    fn update_compliance(&mut self, problem: &Problem) -> Result<(), SolveError> {
        self.build(problem)
    }

    /// Bytes that `build` takes \[B\].
    fn memory(problem: &Problem) -> u64;

    /// Bytes that a sweep reads of the rule itself, if they are counted \[B\].
    fn bytes(&self) -> Option<u64> {
        None
    }

    /// Updates the first `active` rows of a block; `active` is not zero.
    fn update<V: BlockView>(&mut self, block: usize, active: usize, view: &mut V);

    /// True if `update_part` updates parts of a block by themselves. Otherwise a visit of the
    /// normals updates the whole block, and a visit of another part does nothing.
    const HAS_PARTS: bool = false;

    /// Updates a part of a block, where a schedule visits parts and the rule has some.
    fn update_part<V: BlockView>(&mut self, _: usize, _: BlockPart, _: usize, _: &mut V) {}
}

/// A prepared problem that a rule sweeps over.
#[derive(Debug, Clone)]
pub struct PreparedSweeps<R> {
    rule: R,
    packed: PackedRows,
    schedule: Schedule,
    frozen: Frozen,
}

/// The start of a simultaneous sweep; empty otherwise.
#[derive(Debug, Clone, Default)]
struct Frozen {
    velocities: Vec<f64>,
    impulses: Vec<f64>,
    effective_masses: Vec<f64>,
    first_rows: Vec<usize>,
}

impl<R: Rule> PreparedSweeps<R> {
    /// Packs a problem for sweeps in the order of `schedule`.
    pub(crate) fn new(
        mut rule: R,
        schedule: Schedule,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<Self, SolveError> {
        let packed = PackedRows::in_order(problem, impulses, schedule.visits())?;
        rule.build(problem)?;
        let mut swept = Self {
            rule,
            packed,
            schedule,
            frozen: Frozen::default(),
        };
        swept.freeze(problem);
        Ok(swept)
    }

    /// Prepares another problem with the same rule, in the memory of this one; `schedule` makes the
    /// visits in the memory of the last ones.
    pub(crate) fn prepare_into(
        &mut self,
        problem: &Problem,
        impulses: &[f64],
        schedule: impl FnOnce(&mut R, Schedule) -> Schedule,
    ) -> Result<bool, SolveError> {
        self.schedule = schedule(&mut self.rule, std::mem::take(&mut self.schedule));
        self.packed
            .prepare_into(problem, impulses, self.schedule.visits())?;
        self.rule.build(problem)?;
        self.freeze(problem);
        Ok(true)
    }

    /// Memory of a packed problem, estimated from counts \[B\].
    pub(crate) fn memory(problem: &Problem) -> u64 {
        PackedRows::memory(problem).saturating_add(R::memory(problem))
    }

    /// The rows and their impulses.
    pub(crate) fn packed(&self) -> &PackedRows {
        &self.packed
    }

    /// The rows and their impulses, to change the impulses between two sweeps.
    pub(crate) fn packed_mut(&mut self) -> &mut PackedRows {
        &mut self.packed
    }

    /// Workspace of simultaneous sweeps.
    fn freeze(&mut self, problem: &Problem) {
        if self.schedule.is_simultaneous() {
            let frozen = &mut self.frozen;
            frozen.velocities.resize(problem.rows(), 0.0);
            frozen.impulses.resize(problem.rows(), 0.0);
            effective_masses(problem, &mut frozen.effective_masses);
            first_rows(problem, &mut frozen.first_rows);
        }
    }

    /// One sweep in the order of the schedule.
    pub(crate) fn sweep_once(&mut self) {
        if self.schedule.is_simultaneous() {
            self.simultaneous_sweep();
        } else if self.packed.is_coupled() {
            self.sweep::<true>();
        } else {
            self.sweep::<false>();
        }
    }

    /// One sweep, of which `before` becomes the start; returns the energy Σ (λ⁺ − λ)²/m of its step
    /// \[J\].
    pub(crate) fn measured_sweep(&mut self, before: &mut [f64], effective_masses: &[f64]) -> f64 {
        before.copy_from_slice(&self.packed.impulses);
        self.sweep_once();
        let steps = self.packed.impulses.iter().zip(before);
        let energies = steps.zip(effective_masses);
        energies.map(|((a, b), m)| (a - *b) * (a - *b) / m).sum()
    }

    /// One Gauss–Seidel sweep: every block sees the updates of those before it. `COUPLED` says
    /// whether a block has compliance off its diagonal.
    fn sweep<const COUPLED: bool>(&mut self) {
        for visit in self.schedule.next_sweep() {
            let (block, part) = visited(*visit);
            let active = self.packed.active[block];
            if active == 0 {
                continue;
            }
            let rule = &mut self.rule;
            let update = BlockUpdate {
                rule,
                block,
                part,
                active,
            };
            self.packed.visit::<COUPLED>(block, update);
        }
    }

    /// One Jacobi sweep: every row sees the velocities of the start of the sweep.
    fn simultaneous_sweep(&mut self) {
        let Frozen {
            velocities,
            impulses,
            effective_masses,
            first_rows,
        } = &mut self.frozen;
        impulses.copy_from_slice(&self.packed.impulses);
        self.packed.all_velocities(first_rows, velocities);
        for (block, active) in self.packed.active.iter().enumerate() {
            if *active == 0 {
                continue;
            }
            let rows = first_rows[block]..first_rows[block + 1];
            let mut view = FrozenView {
                velocities: &velocities[rows.clone()],
                effective_masses: &effective_masses[rows.clone()],
                impulses: &mut self.packed.impulses[rows],
            };
            self.rule.update(block, *active, &mut view);
        }
        self.packed.follow(impulses);
    }

    /// Rows that one sweep updates.
    pub(crate) fn rows_of_a_sweep(&self) -> usize {
        self.packed.active_rows * self.schedule.passes()
    }

    /// Appends impulses, velocities, and where the next sweep begins.
    pub(crate) fn push_state(&self, out: &mut Vec<u64>) -> StateCoverage {
        self.packed.push_state(out);
        self.schedule.state(out)
    }
}

/// The methods of [`delassus_core::Prepared`], which `prepared_sweeps` forwards to.
impl<R: Rule> PreparedSweeps<R> {
    pub(crate) fn update(
        &mut self,
        problem: &Problem,
        changed: Changes,
    ) -> Result<bool, SolveError> {
        if changed.compliance {
            self.rule.update_compliance(problem)?;
        }
        self.packed.take_over(problem)?;
        self.freeze(problem);
        Ok(true)
    }

    pub(crate) fn warm_start(
        &mut self,
        problem: &Problem,
        impulses: &[f64],
    ) -> Result<bool, SolveError> {
        self.packed.warm_start(problem, impulses)?;
        self.schedule.restart();
        Ok(true)
    }

    pub(crate) fn iterate(&mut self, sweeps: u32) -> Progress {
        for _ in 0..sweeps {
            self.sweep_once();
        }
        Progress::of_sweeps(sweeps, self.rows_of_a_sweep())
    }

    /// Bytes of one sweep over all rows of a problem with bodies, if the rule counts its own.
    pub(crate) fn traffic(&self) -> Option<Traffic> {
        if self.schedule.passes() != 1 {
            return None;
        }
        let mut traffic = self.packed.traffic()?;
        traffic.read += self.rule.bytes()?;
        Some(traffic)
    }
}

/// Makes prepared problems of the sweeps of a rule. Once per rule and not for all of them, so that
/// they are compiled here and not in every crate that makes a solver.
macro_rules! prepared_sweeps {
    ($rule:ty) => {
        impl delassus_core::Prepared for $crate::sweep::PreparedSweeps<$rule> {
            fn update(
                &mut self,
                problem: &delassus_core::Problem,
                changed: delassus_core::Changes,
            ) -> Result<bool, delassus_core::SolveError> {
                Self::update(self, problem, changed)
            }

            fn warm_start(
                &mut self,
                problem: &delassus_core::Problem,
                impulses: &[f64],
            ) -> Result<bool, delassus_core::SolveError> {
                Self::warm_start(self, problem, impulses)
            }

            fn iterate(
                &mut self,
                _: &delassus_core::Problem,
                sweeps: u32,
            ) -> Result<delassus_core::Progress, delassus_core::SolveError> {
                Ok(Self::iterate(self, sweeps))
            }

            $crate::packed::read_packed!(packed);

            /// Impulses, velocities, and where the next sweep begins.
            fn fingerprint(
                &self,
                out: &mut Vec<u64>,
            ) -> Result<Option<delassus_core::StateCoverage>, delassus_core::SolveError> {
                Ok(Some(self.push_state(out)))
            }

            fn facts(&self) -> delassus_core::SolverFacts {
                self.traffic().map_or_else(Default::default, Into::into)
            }
        }
    };
}

pub(crate) use prepared_sweeps;

/// Updates one block by a rule; returns the number of its rows that are solved for.
pub(crate) fn update_block<R: Rule>(packed: &mut PackedRows, rule: &mut R, block: usize) -> usize {
    let active = packed.active[block];
    if active > 0 {
        let part = None;
        packed.visit_any(
            block,
            BlockUpdate {
                rule,
                block,
                part,
                active,
            },
        );
    }
    active
}

/// A rule applied to one block.
struct BlockUpdate<'a, R> {
    rule: &'a mut R,
    block: usize,
    part: Option<BlockPart>,
    active: usize,
}

impl<R: Rule> Visit for BlockUpdate<'_, R> {
    #[inline(always)]
    fn visit<V: BlockView>(self, view: &mut V) {
        match self.part {
            Some(part) if R::HAS_PARTS => {
                self.rule.update_part(self.block, part, self.active, view);
            }
            None | Some(BlockPart::Normals) => self.rule.update(self.block, self.active, view),
            Some(_) => {}
        }
    }
}
