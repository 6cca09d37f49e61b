//! The sweep: what all solvers of this crate do around their update rule.

use delassus_core::{Memory, Operator, Problem, Progress, Refresh, SolveError, Start, Traffic};

use crate::bodies::PackedBodies;
use crate::matrix::PackedMatrix;
use crate::order::{Order, Schedule};
use crate::view::{BlockView, FrozenView, Visit};

/// How one block is updated: what the solvers differ in.
pub(crate) trait Rule {
    /// Takes over laws, diagonal blocks and compliance; called by `prepare`, and when the compliance changed.
    fn build(&mut self, problem: &Problem);

    /// Bytes that `build` takes \[B\].
    fn memory(&self, problem: &Problem) -> u64;

    /// Bytes that a sweep reads of the rule itself, if they are counted \[B\].
    fn bytes(&self) -> Option<u64> {
        None
    }

    /// Updates the first `active` rows of a block; `active` is not zero.
    fn update<V: BlockView>(&mut self, block: usize, active: usize, view: &mut V);
}

/// Sweeps a rule over the blocks of a problem.
#[derive(Debug, Clone)]
pub(crate) struct Sweeper<R> {
    rule: R,
    order: Order,
    seed: u64,
    prepared: Option<Prepared>,
}

#[derive(Debug, Clone)]
struct Prepared {
    operator: PackedOperator,
    impulses: Vec<f64>,
    /// Number of leading rows of each block that are solved for.
    active: Vec<usize>,
    active_rows: usize,
    schedule: Schedule,
    frozen: Frozen,
}

#[derive(Debug, Clone)]
enum PackedOperator {
    Bodies(PackedBodies),
    Matrix(PackedMatrix),
}

/// The start of a simultaneous sweep; empty otherwise.
#[derive(Debug, Clone, Default)]
struct Frozen {
    velocities: Vec<f64>,
    impulses: Vec<f64>,
    effective_masses: Vec<f64>,
    first_rows: Vec<usize>,
}

impl<R: Rule> Sweeper<R> {
    pub(crate) fn new(rule: R, order: Order, seed: u64) -> Self {
        Self {
            rule,
            order,
            seed,
            prepared: None,
        }
    }

    pub(crate) fn prepare(
        &mut self,
        problem: &Problem,
        start: Start<'_>,
    ) -> Result<(), SolveError> {
        let schedule = Schedule::new(self.order, self.seed, problem.blocks().len());
        self.prepare_in(schedule, problem, start)
    }

    /// Memory that `prepare` takes, estimated from counts \[B\].
    pub(crate) fn memory(&self, problem: &Problem) -> u64 {
        let packed = match problem.operator() {
            // J and M⁻¹Jᵀ
            Operator::Bodies(_) => problem.memory().saturating_mul(2),
            Operator::Matrix(_) => problem
                .memory()
                .saturating_add(problem.square_memory(|_| true)),
        };
        packed.saturating_add(self.rule.memory(problem))
    }

    /// Bytes of one sweep over all rows of a problem with bodies, if the rule counts its own.
    pub(crate) fn traffic(&self) -> Option<Traffic> {
        let prepared = self.prepared.as_ref()?;
        let PackedOperator::Bodies(bodies) = &prepared.operator else {
            return None;
        };
        let mut traffic = bodies.traffic();
        let active = size_of_val(prepared.active.as_slice()) as u64;
        let impulses = size_of_val(prepared.impulses.as_slice()) as u64;
        traffic.read += self.rule.bytes()? + active + impulses;
        traffic.written += impulses;
        Some(traffic)
    }

    /// Prepares for sweeps in the order of `schedule`.
    pub(crate) fn prepare_in(
        &mut self,
        schedule: Schedule,
        problem: &Problem,
        start: Start<'_>,
    ) -> Result<(), SolveError> {
        self.prepared = None;
        let mut impulses = vec![0.0; problem.rows()];
        start.write(&mut impulses)?;
        let blocks = problem.blocks().len();
        let operator = match problem.operator() {
            Operator::Bodies(bodies) => PackedOperator::Bodies(PackedBodies::new(problem, bodies)),
            Operator::Matrix(matrix) => PackedOperator::Matrix(PackedMatrix::new(problem, matrix)),
        };
        let mut prepared = Prepared {
            operator,
            impulses,
            active: vec![0; blocks],
            active_rows: 0,
            schedule,
            frozen: Frozen::default(),
        };
        self.rule.build(problem);
        prepared.refresh(problem)?;
        self.prepared = Some(prepared);
        Ok(())
    }

    pub(crate) fn refresh(&mut self, problem: &Problem, what: Refresh) -> Result<(), SolveError> {
        let prepared = self.prepared.as_mut().ok_or(SolveError::NotPrepared)?;
        prepared.check(problem)?;
        if what.compliance {
            self.rule.build(problem);
        }
        prepared.refresh(problem)
    }

    pub(crate) fn iterate(
        &mut self,
        problem: &Problem,
        sweeps: u32,
    ) -> Result<Progress, SolveError> {
        let prepared = self.prepared.as_mut().ok_or(SolveError::NotPrepared)?;
        prepared.check(problem)?;
        for _ in 0..sweeps {
            if prepared.schedule.is_simultaneous() {
                prepared.simultaneous_sweep(&mut self.rule);
            } else {
                prepared.sweep(&mut self.rule);
            }
        }
        prepared.check_finite()?;
        Ok(Progress::of_sweeps(sweeps, prepared.active_rows))
    }

    pub(crate) fn read_impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        let prepared = self.prepared.as_ref().ok_or(SolveError::NotPrepared)?;
        prepared.check_finite()?;
        copy("impulses", &prepared.impulses, out)
    }

    /// Impulses, velocities, and where the next sweep begins.
    pub(crate) fn state(&self, out: &mut Vec<u64>) -> Result<Option<Memory>, SolveError> {
        let prepared = self.prepared.as_ref().ok_or(SolveError::NotPrepared)?;
        Memory::push(out, prepared.impulses.iter().copied());
        if let PackedOperator::Bodies(bodies) = &prepared.operator {
            Memory::push(out, bodies.velocities().iter().copied());
        }
        Ok(Some(prepared.schedule.state(out)))
    }

    pub(crate) fn read_velocities(&self, out: &mut [f64]) -> Result<(), SolveError> {
        let prepared = self.prepared.as_ref().ok_or(SolveError::NotPrepared)?;
        prepared.check_finite()?;
        match &prepared.operator {
            PackedOperator::Bodies(bodies) => copy("velocities", bodies.velocities(), out),
            PackedOperator::Matrix(_) => Err(SolveError::NoBodies),
        }
    }
}

/// Implements `ImpulseSolver` for a solver whose field `sweeper` does all the work.
macro_rules! solve_by_sweeping {
    ($solver:ty) => {
        impl delassus_core::ImpulseSolver for $solver {
            fn descriptor(&self) -> &delassus_core::SolverDescriptor {
                &<Self as delassus_core::Solver>::DESCRIPTOR
            }

            fn memory(&self, problem: &delassus_core::Problem) -> u64 {
                self.sweeper.memory(problem)
            }

            fn prepare(
                &mut self,
                problem: &delassus_core::Problem,
                start: delassus_core::Start<'_>,
            ) -> Result<(), delassus_core::SolveError> {
                self.check(problem)?;
                self.sweeper.prepare(problem, start)
            }

            fn refresh(
                &mut self,
                problem: &delassus_core::Problem,
                what: delassus_core::Refresh,
            ) -> Result<(), delassus_core::SolveError> {
                self.check(problem)?;
                self.sweeper.refresh(problem, what)
            }

            fn iterate(
                &mut self,
                problem: &delassus_core::Problem,
                sweeps: u32,
            ) -> Result<delassus_core::Progress, delassus_core::SolveError> {
                self.sweeper.iterate(problem, sweeps)
            }

            fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), delassus_core::SolveError> {
                self.sweeper.read_impulses(out)
            }

            fn read_velocities(
                &mut self,
                _: &delassus_core::Problem,
                out: &mut [f64],
            ) -> Result<(), delassus_core::SolveError> {
                self.sweeper.read_velocities(out)
            }

            fn state(
                &mut self,
                out: &mut Vec<u64>,
            ) -> Result<Option<delassus_core::Memory>, delassus_core::SolveError> {
                self.sweeper.state(out)
            }

            fn traffic(&self) -> Option<delassus_core::Traffic> {
                self.sweeper.traffic()
            }
        }
    };
}
pub(crate) use solve_by_sweeping;

impl Prepared {
    fn check(&self, problem: &Problem) -> Result<(), SolveError> {
        let pairs = [
            ("problem", problem.rows(), self.impulses.len()),
            ("blocks", problem.blocks().len(), self.active.len()),
        ];
        for (what, found, expected) in pairs {
            if found != expected {
                return Err(SolveError::Length {
                    what,
                    found,
                    expected,
                });
            }
        }
        match (&self.operator, problem.operator()) {
            (PackedOperator::Bodies(_), Operator::Matrix(_)) => Err(SolveError::NoBodies),
            (PackedOperator::Bodies(packed), Operator::Bodies(bodies))
                if packed.velocities().len() != 6 * bodies.len() =>
            {
                Err(SolveError::Length {
                    what: "bodies",
                    found: bodies.len(),
                    expected: packed.velocities().len() / 6,
                })
            }
            _ => Ok(()),
        }
    }

    fn check_finite(&self) -> Result<(), SolveError> {
        match self.impulses.iter().position(|x| !x.is_finite()) {
            Some(row) => Err(SolveError::NonFinite { row }),
            None => Ok(()),
        }
    }

    /// Takes over everything that may change, and recomputes the velocities from the impulses.
    fn refresh(&mut self, problem: &Problem) -> Result<(), SolveError> {
        for (block, active) in self.active.iter_mut().enumerate() {
            *active = problem.active_dim(block);
        }
        self.active_rows = problem.active_rows();
        match (&mut self.operator, problem.operator()) {
            (PackedOperator::Bodies(packed), Operator::Bodies(bodies)) => {
                packed.refresh(problem, bodies, &self.impulses)?;
            }
            (PackedOperator::Matrix(packed), Operator::Matrix(_)) => packed.refresh(problem),
            _ => return Err(SolveError::NoBodies),
        }
        if self.schedule.is_simultaneous() {
            let effective = problem.diagonal().iter().zip(problem.compliance());
            self.frozen = Frozen {
                velocities: vec![0.0; problem.rows()],
                impulses: vec![0.0; problem.rows()],
                effective_masses: effective.map(|(a, r)| 1.0 / (a + r)).collect(),
                first_rows: (problem.blocks().iter())
                    .map(|block| block.first_row)
                    .chain([problem.rows()])
                    .collect(),
            };
        }
        Ok(())
    }

    /// One Gauss–Seidel sweep: every block sees the updates of those before it.
    fn sweep<R: Rule>(&mut self, rule: &mut R) {
        for block in self.schedule.next_sweep() {
            let block = *block as usize;
            let active = self.active[block];
            if active == 0 {
                continue;
            }
            let update = Update {
                rule: &mut *rule,
                block,
                active,
            };
            match &mut self.operator {
                PackedOperator::Bodies(packed) => {
                    packed.with_block(block, &mut self.impulses, update);
                }
                PackedOperator::Matrix(packed) => {
                    packed.with_block(block, &mut self.impulses, update);
                }
            }
        }
    }

    /// One Jacobi sweep: every row sees the velocities of the start of the sweep.
    fn simultaneous_sweep<R: Rule>(&mut self, rule: &mut R) {
        let frozen = &mut self.frozen;
        frozen.impulses.copy_from_slice(&self.impulses);
        match &mut self.operator {
            PackedOperator::Bodies(packed) => {
                packed.all_velocities(&self.impulses, &mut frozen.velocities);
            }
            PackedOperator::Matrix(packed) => {
                packed.all_velocities(&self.impulses, &mut frozen.velocities);
            }
        }
        for (block, active) in self.active.iter().enumerate() {
            if *active == 0 {
                continue;
            }
            let rows = frozen.first_rows[block]..frozen.first_rows[block + 1];
            let mut view = FrozenView {
                velocities: &frozen.velocities[rows.clone()],
                effective_masses: &frozen.effective_masses[rows.clone()],
                impulses: &mut self.impulses[rows],
            };
            rule.update(block, *active, &mut view);
        }
        if let PackedOperator::Bodies(packed) = &mut self.operator {
            packed.apply_difference(&frozen.impulses, &self.impulses);
        }
    }
}

/// A rule applied to one block.
struct Update<'a, R> {
    rule: &'a mut R,
    block: usize,
    active: usize,
}

impl<R: Rule> Visit for Update<'_, R> {
    #[inline(always)]
    fn visit<V: BlockView>(self, view: &mut V) {
        self.rule.update(self.block, self.active, view);
    }
}

fn copy(what: &'static str, from: &[f64], out: &mut [f64]) -> Result<(), SolveError> {
    if out.len() != from.len() {
        return Err(SolveError::Length {
            what,
            found: out.len(),
            expected: from.len(),
        });
    }
    out.copy_from_slice(from);
    Ok(())
}
