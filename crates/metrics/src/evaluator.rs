//! The evaluator: scales and buffers of one problem.

use std::cell::OnceCell;

use delassus_core::norm::SquareSum;
use delassus_core::{Island, Law, Operator, Problem};

use crate::error::{MetricError, check_input, check_range, finite};
use crate::group::{Group, GroupMemory, Scope, groups, own_velocities};
use crate::range::RangeBasis;
use crate::scale::{EnergyScale, energy_scale, row_scales};
use crate::terms::{Form, NORM_GUARD, Norms, Terms};

mod memory;

/// Judges impulses of one problem.
///
/// Construction computes the scales (M.2, M.3) and the buffers; a change of the problem needs a new
/// evaluator. The evaluator knows no solver and reads no clock.
///
/// ```
/// use delassus_core::{Friction, Law, MassProperties, ProblemBuilder};
/// use delassus_metrics::Evaluator;
/// use nalgebra::Vector3;
///
/// // a mass of 2 kg that falls at 1 m/s on a frictionless contact: λ = 2 N·s stops it
/// let mut builder = ProblemBuilder::new();
/// let mass = MassProperties::aligned(2.0, Vector3::repeat(1.0));
/// let body = builder.body(mass, [0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
/// let law = Law::Contact(Friction::Frictionless);
/// builder.block(law, &[body], &[[[0.0, 1.0, 0.0, 0.0, 0.0, 0.0]]]);
/// let problem = builder.build()?;
/// let mut evaluator = Evaluator::new(&problem)?;
/// assert_eq!(evaluator.evaluate(&[2.0])?.natural_map, 0.0);
/// // without an impulse the whole energy is missing
/// assert_eq!(evaluator.evaluate(&[0.0])?.natural_map, 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Evaluator<'p> {
    pub(crate) problem: &'p Problem,
    pub(crate) groups: GroupMemory<'p>,
    pub(crate) energy: EnergyScale,
    /// √d_i of every row (M.2).
    pub(crate) root_scales: Vec<f64>,
    /// True if every block is a row with bounds [0, ∞): the literature then uses (M.8).
    pure_lcp: bool,
    /// ‖b‖ over the rows that are solved for \[m/s\].
    norm_b: f64,
    /// u_g, one per group \[m/s | rad/s\] (M.25).
    own_velocities: Vec<f64>,
    /// Groups of the norm of constraint velocities, made when first needed (M.20).
    pub(crate) motion: OnceCell<Vec<Group<'p>>>,
    /// Basis of the range of A, made when first needed; `None` where there is none (M.33).
    pub(crate) range: OnceCell<Option<RangeBasis>>,
    /// The worlds, made when first needed (M.38).
    pub(crate) worlds: OnceCell<Vec<Island>>,
    /// w of the last evaluation.
    velocity: Vec<f64>,
    /// Velocities and impulses of the other metrics.
    pub(crate) work: Vec<f64>,
    pub(crate) scratch: Vec<f64>,
    pub(crate) momentum: Vec<f64>,
}

/// Memory of an [`Evaluator`] that the next one takes over.
#[derive(Debug, Clone, Default)]
pub struct EvaluatorMemory {
    groups: GroupMemory<'static>,
    root_scales: Vec<f64>,
    own_velocities: Vec<f64>,
    /// E_s and ‖b‖ of the problem that was judged last.
    judged: Option<(EnergyScale, f64)>,
    /// `velocity`, `work`, `scratch`, `momentum`.
    buffers: [Vec<f64>; 4],
}

/// Numbers of a problem that every evaluation is divided by.
struct ProblemScales {
    energy: EnergyScale,
    norm_b: f64,
    root_scales: Vec<f64>,
    own_velocities: Vec<f64>,
}

impl<'p> Evaluator<'p> {
    /// Computes the scales of `problem`.
    ///
    /// # Errors
    /// [`MetricError::EnergyScale`] if the data are so large that squares overflow: every residual
    /// would pass, or none would have a value.
    pub fn new(problem: &'p Problem) -> Result<Self, MetricError> {
        Self::in_memory_of(EvaluatorMemory::default(), problem)
    }

    /// The same in the memory of an earlier evaluator: allocates only what the problem is larger.
    ///
    /// # Errors
    /// Those of [`Self::new`]; the memory is then lost.
    pub fn in_memory_of(
        memory: EvaluatorMemory,
        problem: &'p Problem,
    ) -> Result<Self, MetricError> {
        let mut row_scales = row_scales(problem, true, memory.root_scales);
        let energy = energy_scale(problem, &row_scales)?;
        let made = memory.groups.emptied();
        let groups = groups(problem, Some(&row_scales), Scope::Solved, made);
        let norm_b = finite("the norm of b", norm_over(&groups.list, problem.b()))?;
        let own_velocities = own_velocities(problem, &groups.list, memory.own_velocities);
        row_scales.iter_mut().for_each(|d| *d = d.sqrt());
        let scales = ProblemScales {
            energy,
            norm_b,
            root_scales: row_scales,
            own_velocities,
        };
        Ok(Self::with_scales(problem, groups, scales, memory.buffers))
    }

    /// The evaluator whose memory this is once more, for the same problem: no scale is computed.
    ///
    /// # Errors
    /// Those of [`Self::new`]; only where the memory is of no evaluator yet.
    pub fn again(memory: EvaluatorMemory, problem: &'p Problem) -> Result<Self, MetricError> {
        let Some((energy, norm_b)) = memory.judged else {
            return Self::in_memory_of(memory, problem);
        };
        let groups = groups(problem, None, Scope::Solved, memory.groups.emptied());
        let scales = ProblemScales {
            energy,
            norm_b,
            root_scales: memory.root_scales,
            own_velocities: memory.own_velocities,
        };
        Ok(Self::with_scales(problem, groups, scales, memory.buffers))
    }

    fn with_scales(
        problem: &'p Problem,
        groups: GroupMemory<'p>,
        scales: ProblemScales,
        mut buffers: [Vec<f64>; 4],
    ) -> Self {
        let bodies = problem.bodies().map_or(0, |b| b.len());
        let rows = problem.rows();
        let lengths = [rows, rows, rows, 6 * bodies];
        for (buffer, length) in buffers.iter_mut().zip(lengths) {
            buffer.clear();
            buffer.resize(length, 0.0);
        }
        let [velocity, work, scratch, momentum] = buffers;
        Self {
            energy: scales.energy,
            own_velocities: scales.own_velocities,
            pure_lcp: problem.blocks().iter().all(|b| b.law == Law::UNILATERAL),
            norm_b: scales.norm_b,
            motion: OnceCell::new(),
            range: OnceCell::new(),
            worlds: OnceCell::new(),
            velocity,
            work,
            scratch,
            momentum,
            groups,
            root_scales: scales.root_scales,
            problem,
        }
    }

    /// The memory, for the next evaluator.
    pub fn into_memory(self) -> EvaluatorMemory {
        EvaluatorMemory {
            groups: self.groups.emptied(),
            root_scales: self.root_scales,
            own_velocities: self.own_velocities,
            judged: Some((self.energy, self.norm_b)),
            buffers: [self.velocity, self.work, self.scratch, self.momentum],
        }
    }

    /// The problem that is judged.
    pub fn problem(&self) -> &'p Problem {
        self.problem
    }

    /// E_s (M.3).
    pub fn energy_scale(&self) -> EnergyScale {
        self.energy
    }

    /// w = (A + R)λ + b of the impulses that were evaluated last without an error \[m/s | rad/s\];
    /// zeros before.
    pub fn constraint_velocities(&self) -> &[f64] {
        &self.velocity
    }

    /// The relative natural map of every block (M.5) \[-\], of its worst group; what is not solved
    /// for has zero.
    ///
    /// # Errors
    /// Those of [`Self::evaluate`].
    pub fn natural_map_of_blocks(&mut self, impulses: &[f64]) -> Result<Vec<f64>, MetricError> {
        let norms = self.read(impulses)?;
        let mut blocks: Vec<f64> = vec![0.0; self.problem.blocks().len()];
        for terms in self.terms(impulses, Form::Published) {
            let terms = terms?;
            let block = &mut blocks[terms.group.block];
            *block = block.max(terms.energy / norms.energy);
        }
        Ok(blocks)
    }

    /// Takes `impulses` in: w, and what sums over the groups are divided by.
    pub(crate) fn read(&mut self, impulses: &[f64]) -> Result<Norms, MetricError> {
        check_input("impulses", impulses, self.problem.rows())?;
        check_range("an impulse", impulses)?;
        shifted_velocity(
            self.problem,
            impulses,
            &mut self.momentum,
            &mut self.velocity,
        );
        check_range("a constraint velocity", &self.velocity)?;
        Ok(Norms {
            energy: self.energy.root,
            q: self.norm_b,
            impulses: norm_over(&self.groups.list, impulses),
            velocities: norm_over(&self.groups.list, &self.velocity),
            pure_lcp: self.pure_lcp,
            guard: NORM_GUARD,
        })
    }

    /// The groups at the impulses that were read last.
    pub(crate) fn terms<'a>(
        &'a self,
        impulses: &'a [f64],
        form: Form,
    ) -> impl Iterator<Item = Result<Terms<'a>, MetricError>> {
        let groups = self.groups.list.iter().zip(&self.own_velocities);
        groups.map(move |(group, own_velocity)| {
            let scales = &self.root_scales[group.rows.clone()];
            let all = [impulses, &self.velocity, self.problem.b()];
            Terms::new(group, all, scales, *own_velocity, form)
        })
    }
}

/// out = w = (A + R)λ + b, with a buffer of 6 per body (P.2).
pub(crate) fn shifted_velocity(
    problem: &Problem,
    impulses: &[f64],
    momentum: &mut [f64],
    out: &mut [f64],
) {
    apply_delassus(problem, impulses, momentum, out);
    let data = problem.compliance().iter().zip(problem.b());
    for ((w, x), (r, b)) in out.iter_mut().zip(impulses).zip(data) {
        *w += r * x + b;
    }
    problem.add_coupled(impulses, out);
}

/// out = Aλ, with a buffer of 6 per body.
pub(crate) fn apply_delassus(
    problem: &Problem,
    impulses: &[f64],
    momentum: &mut [f64],
    out: &mut [f64],
) {
    match problem.operator() {
        Operator::Bodies(bodies) => {
            momentum.fill(0.0);
            bodies.add_transposed(problem.blocks(), impulses, momentum);
            bodies.apply_inverse_mass(momentum);
            bodies.multiply(problem.blocks(), momentum, out);
        }
        Operator::Matrix(matrix) => matrix.delassus.multiply(impulses, out),
    }
}

/// Euclidean norm over the rows that are solved for.
fn norm_over(groups: &[Group<'_>], values: &[f64]) -> f64 {
    let mut squares = SquareSum::default();
    for group in groups {
        squares.add_all(&values[group.rows.clone()]);
    }
    squares.root()
}
