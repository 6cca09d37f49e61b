//! The iteration: kernels in the order in which a GPU dispatches them.

use delassus_core::{Changes, Prepared, Problem, Progress, SolveError, SolverFacts, StateCoverage};

use crate::kernels::control::{Acceleration, MomentumState};
use crate::kernels::sums::Sums;
use crate::kernels::{iteration, residual};
use crate::pack::{Iterate, Pack};
use crate::parameters::JacobiParameters;
use crate::real::Real;

/// A prepared problem and its iterate.
#[derive(Debug, Clone)]
pub struct Simultaneous<T> {
    pack: Pack<T>,
    state: Iterate<T>,
    control: MomentumState<T>,
    sums: Vec<Sums<T>>,
    parameters: JacobiParameters,
}

impl<T: Real> Simultaneous<T> {
    pub(crate) fn new(
        problem: &Problem,
        impulses: Vec<f64>,
        parameters: JacobiParameters,
    ) -> Result<Self, SolveError> {
        let mut prepared = Self {
            pack: parameters.pack(problem)?,
            state: Iterate::default(),
            control: MomentumState::new(parameters.acceleration, parameters.guard),
            sums: Vec::new(),
            parameters,
        };
        prepared.load(&impulses);
        Ok(prepared)
    }

    /// As [`Self::new`] with the same parameters, in the memory of this one.
    pub(crate) fn repeat(
        &mut self,
        problem: &Problem,
        impulses: &[f64],
    ) -> Result<bool, SolveError> {
        self.parameters.repeat(&mut self.pack, problem)?;
        self.load(impulses);
        Ok(true)
    }

    /// Begins at the impulses of a problem that was packed.
    fn load(&mut self, impulses: &[f64]) {
        self.state.fit(&self.pack);
        self.state.load(&self.pack, impulses);
        let pieces = self.pack.manifolds.len() + self.pack.units.len();
        self.sums.clear();
        self.sums.resize(pieces, Sums::default());
        self.forget();
    }

    /// Velocities of the impulses, without momentum.
    fn forget(&mut self) {
        self.control = MomentumState::new(self.parameters.acceleration, self.parameters.guard);
        iteration::restart(&self.pack, &mut self.state);
    }

    /// One iteration.
    fn step(&mut self) {
        let (pack, state) = (&self.pack, &mut self.state);
        iteration::run(pack, state, &mut self.control, &mut self.sums);
    }

    /// Largest natural residual of the iterate, as the shader computes it, in the units of the
    /// iteration \[m/s | rad/s\].
    pub fn residual(&self) -> f64 {
        residual::run(&self.pack, &self.state, &mut Vec::new()).widen()
    }
}

/// Once per number and not for all of them, so that the kernels are compiled here and not in every
/// crate that makes a solver.
macro_rules! prepared {
    ($($number:ty),+) => {
        $(
            impl Prepared for Simultaneous<$number> {
                /// Takes over what changed; the momentum starts anew.
                fn update(&mut self, problem: &Problem, what: Changes) -> Result<bool, SolveError> {
                    if !self.pack.refresh(problem, what)? {
                        // the layout changes, the impulses stay: what `load` rounds was rounded
                        // before
                        let mut impulses = vec![0.0; self.pack.rows()];
                        self.state.read(&self.pack, &mut impulses);
                        self.pack.repeat(problem, self.pack.rule())?;
                        self.load(&impulses);
                    }
                    if what.compliance || what.activity {
                        self.parameters.relax(problem, &mut self.pack)?;
                    }
                    self.forget();
                    Ok(true)
                }

                fn warm_start(&mut self, _: &Problem, start: &[f64]) -> Result<bool, SolveError> {
                    self.state.load(&self.pack, start);
                    self.forget();
                    Ok(true)
                }

                fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
                    for _ in 0..sweeps {
                        self.step();
                    }
                    Ok(Progress::of_sweeps(sweeps, self.pack.active_rows()))
                }

                fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
                    self.state.read(&self.pack, out);
                    Ok(())
                }

                fn is_finite(&self) -> bool {
                    let finite = |quads: &[[$number; 4]]| quads.iter().flatten().all(|x| x.is_finite());
                    let Iterate {
                        points,
                        rows,
                        settled,
                        ..
                    } = &self.state;
                    finite(settled) && finite(points) && finite(rows)
                }

                fn velocities(&self, out: &mut [f64]) -> Result<bool, SolveError> {
                    self.state.read_velocities(out);
                    Ok(true)
                }

                /// The bits that decide the iterations to come.
                ///
                /// Nesterov's t grows for ever and is left out: where λ and v stay through two
                /// iterations, the second started from λ itself whatever β was, and so will every
                /// later one.
                fn fingerprint(
                    &self,
                    out: &mut Vec<u64>,
                ) -> Result<Option<StateCoverage>, SolveError> {
                    let momentum = self.parameters.acceleration == Acceleration::Chebyshev;
                    self.state.bits(&self.pack, momentum, out);
                    Ok(Some(match self.parameters.acceleration {
                        Acceleration::Nesterov => StateCoverage::FixedPoint(2),
                        Acceleration::None => StateCoverage::Complete,
                        Acceleration::Chebyshev => {
                            self.control.state(out);
                            StateCoverage::Complete
                        }
                    }))
                }

                fn facts(&self) -> SolverFacts {
                    let nesterov = self.parameters.acceleration == Acceleration::Nesterov;
                    self.pack.traffic(nesterov).into()
                }
            }
        )+
    };
}

prepared!(f64, f32);
