//! `cone-from-convex`: exact Coulomb friction from a solver of convex cones.
//!
//! Coulomb's law is the convex cone complementarity K_μ ∋ λ ⊥ w + (μ‖w_T‖, 0) ∈ K_μ* with a shift
//! of the normal velocity that depends on the solution (P.6). A unit of work freezes that shift at
//! the iterate at hand, lets S do `units` units of its own on the convex problem that is left
//! (U.6), warm started, and so on. Where S solves the convex problem, this is the fixed-point
//! method of \[Cadoux2009\]; a few sweeps in its place move both at once.
//!
//! Budget per work unit: `units` units of S, one update of S (about a sweep), and one product with
//! A. Differs from `alart-curnier` and the sweeps with exact local solvers by what it needs:
//! nothing but convex solves.
//!
//! # Limitations
//! - The loop contracts where friction is moderate: about by half on small problems, worse the
//!   larger μ. There is no proof, as there is none that a solution exists for every μ.
//! - A solver S whose `update` prepares anew allocates in every unit.
//! - Other laws go to S as they are, and are solved as S solves them.
//!
//! Theory: docs/theory/26-wrappers.md (U.6)–(U.8). Source: \[Cadoux2009\], \[Acary2011\].

use delassus_core::{
    Block, Changes, Fidelity, ImpulseSolver, Law, LawForm, LawKind, ParameterError, Parameters,
    Problem, ProblemError, ProblemSize, Progress, RoundRows, SolveError, SolverDescriptor,
    SolverFacts, SolverUpdate, Start, StateCoverage, Unsupported, intern, norm,
};

use crate::descriptor::WrapperDescriptor;
use crate::{Inner, Wrapper, units};

/// Parameters of [`ConeFromConvex`].
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct ConeFromConvexParameters {
    /// Work units of S between two shifts; fewer where S finishes. An interior point begins anew
    /// after a shift and needs enough of them.
    #[parameter(default = 50, unit = "-", range = "[1, 1000000]")]
    pub units: u32,
}

/// De Saxcé's loop around S (U.6).
#[allow(missing_debug_implementations, reason = "S shows nothing of itself")]
pub struct ConeFromConvex {
    inner: Box<dyn ImpulseSolver>,
    descriptor: SolverDescriptor,
    parameters: ConeFromConvexParameters,
    prepared: Option<Loop>,
    /// Time of the last work unit, under a limit \[s\].
    unit: f64,
}

/// The convex problem and where the loop stands.
struct Loop {
    convex: Problem,
    /// Blocks whose normal velocity is shifted, with their μ.
    shifted: Vec<(usize, f64)>,
    impulses: Vec<f64>,
    velocity: Vec<f64>,
    bias: Vec<f64>,
    momentum: Vec<f64>,
    /// The loop runs in round rows (P.20).
    round: RoundRows,
}

/// μ of a law that is a shifted convex cone.
fn coefficient(law: &Law) -> Option<f64> {
    matches!(law.form(), LawForm::CoulombCone | LawForm::Ball).then(|| law.mu())
}

/// The problem with convex cones in place of Coulomb's law.
fn convex(problem: &Problem) -> Result<Problem, ProblemError> {
    let mut parts = problem.clone().into_parts();
    for block in &mut parts.blocks {
        if let Some(mu) = coefficient(&block.law) {
            block.law = Law::convex_cone(mu);
        }
    }
    Problem::new(parts)
}

impl Loop {
    fn new(problem: &Problem) -> Result<Self, SolveError> {
        let blocks = problem.blocks().iter().enumerate();
        let shifted =
            blocks.filter_map(|(index, Block { law, .. })| Some((index, coefficient(law)?)));
        let zeros = || vec![0.0; problem.rows()];
        // computed here, not in the first unit
        let _ = problem.b();
        let convex = convex(problem)?;
        let _ = convex.b();
        Ok(Self {
            shifted: shifted.collect(),
            convex,
            impulses: zeros(),
            velocity: zeros(),
            bias: zeros(),
            momentum: Vec::with_capacity(6 * problem.bodies().map_or(0, |bodies| bodies.len())),
            round: RoundRows::default(),
        })
    }

    /// Freezes the shift at the iterate (U.6).
    fn shift(&mut self, problem: &Problem) -> Result<(), SolveError> {
        problem.shifted_velocity_in(&mut self.momentum, &self.impulses, &mut self.velocity)?;
        self.bias.copy_from_slice(problem.bias());
        for (index, mu) in &self.shifted {
            let block = &problem.blocks()[*index];
            // without its tangents the law is Signorini's
            if problem.active_dim(*index) == block.dim {
                let tangents = block.first_row + 1..block.first_row + block.dim;
                self.bias[block.first_row] += mu * norm::norm(&self.velocity[tangents]);
            }
        }
        let row = self.bias.iter().position(|b| !b.is_finite());
        if let Some(row) = row {
            return Err(SolveError::NonFinite { row });
        }
        Ok(self.convex.swap_bias(&mut self.bias)?)
    }

    /// Takes over what changed.
    fn update(&mut self, problem: &Problem, changed: Changes) -> Result<(), SolveError> {
        if changed.activity {
            self.convex.set_activity(problem.activity())?;
        }
        if changed.compliance {
            let (diagonal, coupled) = (problem.compliance(), problem.coupled_compliance());
            self.convex.set_block_compliance(diagonal, coupled)?;
        }
        if changed.free_velocity {
            let free = match problem.operator() {
                delassus_core::Operator::Bodies(bodies) => &bodies.free_velocity,
                delassus_core::Operator::Matrix(matrix) => &matrix.free_velocity,
            };
            self.convex.set_free_velocity(free)?;
        }
        self.shift(problem)
    }
}

impl ConeFromConvex {
    /// One step of the loop.
    fn pass(&mut self, problem: &Problem) -> Result<Progress, SolveError> {
        let own = self.prepared.as_mut().ok_or(SolveError::NotPrepared)?;
        let changed = Changes {
            bias: true,
            ..Changes::default()
        };
        if !own.shifted.is_empty() {
            own.shift(problem)?;
            let update = SolverUpdate::Numbers(changed);
            self.inner.update(&own.convex, update)?;
        }
        let units = self.parameters.units;
        let done = units::complete(self.inner.as_mut(), &own.convex, units)?;
        self.inner.read_impulses(&mut own.impulses)?;
        Ok(Progress {
            sweeps: 1,
            finished: done.finished && own.shifted.is_empty(),
            ..done
        })
    }

    fn fits(&self, problem: &Problem) -> Result<(), SolveError> {
        let own = self.prepared.as_ref().ok_or(SolveError::NotPrepared)?;
        ProblemSize::of(&own.convex).check(problem)
    }
}

impl Wrapper for ConeFromConvex {
    type Parameters = ConeFromConvexParameters;

    const DESCRIPTOR: WrapperDescriptor = WrapperDescriptor {
        id: "cone-from-convex",
        name: "De Saxcé's loop",
        summary: "Lets S solve convex cones in place of Coulomb's law and shifts their normal velocities by μ‖w_T‖ in between.",
        citations: &["Cadoux2009", "Acary2011", "DeSaxce1998"],
        theory: &["U.6", "U.7", "U.8"],
        cost: "units × (S) + m",
        laws: "those of S; coulomb and disc as its convex cone",
        needs_map: false,
    };

    fn declare(inner: &SolverDescriptor, own: SolverDescriptor) -> SolverDescriptor {
        let cone = inner.support(LawKind::ConvexCone);
        let all = SolverDescriptor::ALL_FORMS.iter();
        let forms = all.filter_map(|(form, _)| match form {
            // no cone, no loop
            LawForm::CoulombCone | LawForm::Ball => Some((*form, cone?)),
            form => inner.forms.iter().find(|(own, _)| own == form).copied(),
        });
        SolverDescriptor {
            forms: intern::forms(forms.collect()),
            work_unit: delassus_core::WorkUnit::Sweep,
            // S begins a pass anew, whatever its units are
            unit_is_map: true,
            ..own
        }
    }

    fn new(
        inner: Inner,
        descriptor: SolverDescriptor,
        parameters: ConeFromConvexParameters,
    ) -> Result<Self, ParameterError> {
        Ok(Self {
            inner: inner.solver,
            descriptor,
            parameters,
            prepared: None,
            unit: 0.0,
        })
    }
}

impl ImpulseSolver for ConeFromConvex {
    fn descriptor(&self) -> &SolverDescriptor {
        &self.descriptor
    }

    fn check(&self, problem: &Problem) -> Result<Fidelity, Unsupported> {
        let fidelity = self.descriptor.check(problem)?;
        // what S looks at in addition to its descriptor; a problem of other laws is as valid
        if let Ok(convex) = convex(problem.round()) {
            self.inner.check(&convex)?;
        }
        Ok(fidelity)
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        let own = problem.memory().saturating_mul(2);
        self.inner.footprint(problem).saturating_add(own)
    }

    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        self.prepared = None;
        self.unit = 0.0;
        self.descriptor.check(problem)?;
        let mut own = Loop::new(problem.round())?;
        own.round = RoundRows::of(problem);
        let start = own.round.start(start, problem.rows())?;
        self.inner.prepare(&own.convex, start)?;
        self.inner.read_impulses(&mut own.impulses)?;
        self.prepared = Some(own);
        Ok(())
    }

    fn update(&mut self, problem: &Problem, update: SolverUpdate<'_>) -> Result<(), SolveError> {
        self.fits(problem)?;
        let own = self.prepared.as_mut().ok_or(SolveError::NotPrepared)?;
        let changed = match update {
            SolverUpdate::Numbers(changed) => changed,
            SolverUpdate::Impulses(impulses) => {
                let start = own.round.start(Start::Warm(impulses), problem.rows())?;
                let Start::Warm(impulses) = start else {
                    return Err(SolveError::NotPrepared);
                };
                let update = SolverUpdate::Impulses(impulses);
                self.inner.update(&own.convex, update)?;
                return self.inner.read_impulses(&mut own.impulses);
            }
        };
        self.descriptor.check(problem)?;
        let problem = problem.round();
        let _ = problem.b();
        own.update(problem, changed)?;
        let _ = own.convex.b();
        // the shift is a bias
        let changed = Changes {
            bias: true,
            ..changed
        };
        let update = SolverUpdate::Numbers(changed);
        self.inner.update(&own.convex, update)
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        self.fits(problem)?;
        let (own, mut seconds) = (self.descriptor, self.unit);
        let done = units::repeat(sweeps, &own, &mut seconds, || self.pass(problem.round()));
        self.unit = seconds;
        done
    }

    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        let own = self.prepared.as_ref().ok_or(SolveError::NotPrepared)?;
        SolveError::check_length("impulses", out.len(), own.impulses.len())?;
        out.copy_from_slice(&own.impulses);
        own.round.give(out);
        Ok(())
    }

    /// The shift follows from λ. What S says of a rest is about every unit of its own, and seen are
    /// only some.
    fn fingerprint(&mut self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        let own = self.prepared.as_ref().ok_or(SolveError::NotPrepared)?;
        let begin = out.len();
        StateCoverage::push(out, own.impulses.iter().copied());
        let memory = self
            .inner
            .fingerprint(out)?
            .filter(|own| *own == StateCoverage::Complete);
        if memory.is_none() {
            out.truncate(begin);
        }
        Ok(memory)
    }

    /// S solves other problems.
    fn facts(&self) -> SolverFacts {
        SolverFacts {
            solutions: None,
            ..units::facts(self.inner.facts())
        }
    }
}
