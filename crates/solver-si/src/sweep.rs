//! The sweep: what all solvers of this crate do around their update rule.

use delassus_core::{Memory, Operator, Prepared, Problem, Progress, Refresh, SolveError, Traffic};

use crate::bodies::PackedBodies;
use crate::coupling::{Coupling, WithCoupling};
use crate::matrix::PackedMatrix;
use crate::order::{Part, Schedule, visited};
use crate::view::{BlockView, FrozenView, Visit};

/// How one block is updated: what the solvers differ in.
pub trait Rule: Send {
    /// Takes over laws, diagonal blocks and compliance; called at first, and when the compliance changed.
    fn build(&mut self, problem: &Problem);

    /// Bytes that `build` takes \[B\].
    fn memory(problem: &Problem) -> u64;

    /// Bytes that a sweep reads of the rule itself, if they are counted \[B\].
    fn bytes(&self) -> Option<u64> {
        None
    }

    /// Updates the first `active` rows of a block; `active` is not zero.
    fn update<V: BlockView>(&mut self, block: usize, active: usize, view: &mut V);

    /// Updates a part of a block, where a schedule visits parts.
    fn update_part<V: BlockView>(&mut self, block: usize, part: Part, active: usize, view: &mut V) {
        if part == Part::Normals {
            self.update(block, active, view);
        }
    }
}

/// A prepared problem that a rule sweeps over.
#[derive(Debug, Clone)]
pub struct Swept<R> {
    rule: R,
    operator: PackedOperator,
    /// Compliance beside the diagonal of R, on bodies; a matrix has it in its diagonal blocks.
    coupling: Coupling,
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

impl<R: Rule> Swept<R> {
    /// Packs a problem for sweeps in the order of `schedule`.
    pub(crate) fn new(
        mut rule: R,
        schedule: Schedule,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<Self, SolveError> {
        let operator = match problem.operator() {
            Operator::Bodies(bodies) => PackedOperator::Bodies(PackedBodies::new(problem, bodies)),
            Operator::Matrix(matrix) => PackedOperator::Matrix(PackedMatrix::new(problem, matrix)),
        };
        rule.build(problem);
        let mut swept = Self {
            rule,
            operator,
            coupling: Coupling::default(),
            impulses,
            active: vec![0; problem.blocks().len()],
            active_rows: 0,
            schedule,
            frozen: Frozen::default(),
        };
        swept.take_over(problem)?;
        Ok(swept)
    }

    /// Memory of a packed problem, estimated from counts \[B\].
    pub(crate) fn memory(problem: &Problem) -> u64 {
        let packed = match problem.operator() {
            // J and M⁻¹Jᵀ
            Operator::Bodies(_) => problem.memory().saturating_mul(2),
            Operator::Matrix(_) => problem
                .memory()
                .saturating_add(problem.square_memory(|_| true)),
        };
        packed
            .saturating_add(Coupling::memory(problem))
            .saturating_add(R::memory(problem))
    }

    /// Takes over everything that may change, and recomputes the velocities from the impulses.
    fn take_over(&mut self, problem: &Problem) -> Result<(), SolveError> {
        for (block, active) in self.active.iter_mut().enumerate() {
            *active = problem.active_dim(block);
        }
        self.active_rows = problem.active_rows();
        match (&mut self.operator, problem.operator()) {
            (PackedOperator::Bodies(packed), Operator::Bodies(bodies)) => {
                packed.refresh(problem, bodies, &self.impulses)?;
                self.coupling.refresh(problem);
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

    /// One Gauss–Seidel sweep: every block sees the updates of those before it. `COUPLED` says whether a block has
    /// compliance beside its diagonal.
    fn sweep<const COUPLED: bool>(&mut self) {
        for visit in self.schedule.next_sweep() {
            let (block, part) = visited(*visit);
            let active = self.active[block];
            if active == 0 {
                continue;
            }
            let update = BlockUpdate {
                rule: &mut self.rule,
                block,
                part,
                active,
            };
            match &mut self.operator {
                PackedOperator::Bodies(packed) => {
                    let square = if COUPLED {
                        self.coupling.of(block)
                    } else {
                        None
                    };
                    match square {
                        None => packed.with_block(block, &mut self.impulses, update),
                        Some(square) => {
                            let visitor = update;
                            let update = WithCoupling { visitor, square };
                            packed.with_block(block, &mut self.impulses, update);
                        }
                    }
                }
                PackedOperator::Matrix(packed) => {
                    packed.with_block(block, &mut self.impulses, update);
                }
            }
        }
    }

    /// One Jacobi sweep: every row sees the velocities of the start of the sweep.
    fn simultaneous_sweep(&mut self) {
        let frozen = &mut self.frozen;
        frozen.impulses.copy_from_slice(&self.impulses);
        match &mut self.operator {
            PackedOperator::Bodies(packed) => {
                packed.all_velocities(&self.impulses, &mut frozen.velocities);
                let Frozen {
                    velocities,
                    first_rows,
                    ..
                } = frozen;
                self.coupling.add(first_rows, &self.impulses, velocities);
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
            self.rule.update(block, *active, &mut view);
        }
        if let PackedOperator::Bodies(packed) = &mut self.operator {
            packed.apply_difference(&frozen.impulses, &self.impulses);
        }
    }
}

impl<R: Rule> Prepared for Swept<R> {
    fn refresh(&mut self, problem: &Problem, what: Refresh) -> Result<bool, SolveError> {
        if what.compliance {
            self.rule.build(problem);
        }
        self.take_over(problem)?;
        Ok(true)
    }

    fn restart(&mut self, problem: &Problem, impulses: &[f64]) -> Result<bool, SolveError> {
        self.impulses.copy_from_slice(impulses);
        self.schedule.restart();
        if let PackedOperator::Bodies(packed) = &mut self.operator {
            packed.restart(problem, impulses)?;
        }
        Ok(true)
    }

    fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        let coupled = !self.coupling.is_empty();
        for _ in 0..sweeps {
            if self.schedule.is_simultaneous() {
                self.simultaneous_sweep();
            } else if coupled {
                self.sweep::<true>();
            } else {
                self.sweep::<false>();
            }
        }
        Ok(Progress::of_sweeps(sweeps, self.active_rows))
    }

    fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        out.copy_from_slice(&self.impulses);
        Ok(())
    }

    fn is_finite(&self) -> bool {
        self.impulses.iter().all(|x| x.is_finite())
    }

    fn velocities(&self, out: &mut [f64]) -> Result<bool, SolveError> {
        let PackedOperator::Bodies(bodies) = &self.operator else {
            return Ok(false);
        };
        out.copy_from_slice(bodies.velocities());
        Ok(true)
    }

    /// Impulses, velocities, and where the next sweep begins.
    fn state(&self, out: &mut Vec<u64>) -> Result<Option<Memory>, SolveError> {
        Memory::push(out, self.impulses.iter().copied());
        if let PackedOperator::Bodies(bodies) = &self.operator {
            Memory::push(out, bodies.velocities().iter().copied());
        }
        Ok(Some(self.schedule.state(out)))
    }

    /// Bytes of one sweep over all rows of a problem with bodies, if the rule counts its own.
    fn traffic(&self) -> Option<Traffic> {
        let PackedOperator::Bodies(bodies) = &self.operator else {
            return None;
        };
        let mut traffic = bodies.traffic();
        let active = size_of_val(self.active.as_slice()) as u64;
        let impulses = size_of_val(self.impulses.as_slice()) as u64;
        traffic.read += self.rule.bytes()? + active + impulses;
        traffic.written += impulses;
        Some(traffic)
    }
}

/// A rule applied to one block.
struct BlockUpdate<'a, R> {
    rule: &'a mut R,
    block: usize,
    part: Option<Part>,
    active: usize,
}

impl<R: Rule> Visit for BlockUpdate<'_, R> {
    #[inline(always)]
    fn visit<V: BlockView>(self, view: &mut V) {
        match self.part {
            None => self.rule.update(self.block, self.active, view),
            Some(part) => self.rule.update_part(self.block, part, self.active, view),
        }
    }
}
