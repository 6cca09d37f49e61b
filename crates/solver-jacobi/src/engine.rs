//! The iteration: kernels in the order in which a GPU dispatches them.

use delassus_core::{Memory, Problem, Refresh, SolveError, Traffic};

use crate::kernels::control::{Acceleration, Control};
use crate::kernels::sums::Sums;
use crate::kernels::{iteration, residual};
use crate::pack::{Pack, State};
use crate::parameters::JacobiParameters;
use crate::real::Real;

/// A prepared problem and its iterate.
#[derive(Debug, Clone)]
pub(crate) struct Engine<T> {
    pack: Pack<T>,
    state: State<T>,
    control: Control<T>,
    sums: Vec<Sums<T>>,
    parameters: JacobiParameters,
    bodies: usize,
}

impl<T: Real> Engine<T> {
    pub(crate) fn new(
        problem: &Problem,
        impulses: Vec<f64>,
        parameters: JacobiParameters,
    ) -> Result<Self, SolveError> {
        let pack = parameters.pack(problem)?;
        let mut state = State::new(&pack);
        state.load(&pack, &impulses);
        let pieces = pack.manifolds.len() + pack.units.len();
        let mut engine = Self {
            sums: vec![Sums::default(); pieces],
            control: Control::new(parameters.acceleration, parameters.guard),
            bodies: pack.bodies.len() - 1,
            parameters,
            pack,
            state,
        };
        engine.restart();
        Ok(engine)
    }

    /// Takes over what changed; the momentum starts anew.
    pub(crate) fn refresh(&mut self, problem: &Problem, what: Refresh) -> Result<(), SolveError> {
        if !self.pack.refresh(problem, what)? {
            // the layout changes, the impulses stay: what `load` rounds was rounded before
            let mut impulses = vec![0.0; self.pack.rows()];
            self.state.read(&self.pack, &mut impulses);
            self.pack = Pack::new(problem, self.pack.rule())?;
            self.state = State::new(&self.pack);
            self.state.load(&self.pack, &impulses);
        }
        if what.compliance || what.activity {
            self.parameters.relax(problem, &mut self.pack)?;
        }
        self.restart();
        Ok(())
    }

    /// Velocities of the impulses, without momentum.
    fn restart(&mut self) {
        self.control = Control::new(self.parameters.acceleration, self.parameters.guard);
        iteration::restart(&self.pack, &mut self.state);
    }

    /// One iteration.
    pub(crate) fn iterate(&mut self) {
        let (pack, state) = (&self.pack, &mut self.state);
        iteration::run(pack, state, &mut self.control, &mut self.sums);
    }

    /// The bits that decide the iterations to come.
    ///
    /// Nesterov's t grows for ever and is left out: where λ and v stay through two iterations, the second started from λ
    /// itself whatever β was, and so will every later one.
    pub(crate) fn state_bits(&self, out: &mut Vec<u64>) -> Memory {
        let momentum = self.parameters.acceleration == Acceleration::Chebyshev;
        self.state.bits(&self.pack, momentum, out);
        match self.parameters.acceleration {
            Acceleration::Nesterov => Memory::Resting(2),
            Acceleration::None => Memory::Whole,
            Acceleration::Chebyshev => {
                self.control.state(out);
                Memory::Whole
            }
        }
    }

    pub(crate) fn pack(&self) -> &Pack<T> {
        &self.pack
    }

    pub(crate) fn state(&self) -> &State<T> {
        &self.state
    }

    pub(crate) fn bodies(&self) -> usize {
        self.bodies
    }

    /// Largest natural residual of the iterate \[m/s | rad/s\].
    pub(crate) fn residual(&self) -> f64 {
        residual::run(&self.pack, &self.state, &mut Vec::new()).widen()
    }

    pub(crate) fn traffic(&self) -> Traffic {
        self.pack
            .traffic(self.parameters.acceleration == Acceleration::Nesterov)
    }

    /// An error that names the first impulse that is no number, if one or a velocity is none.
    pub(crate) fn check_finite(&self) -> Result<(), SolveError> {
        let finite = |quads: &[[T; 4]]| quads.iter().flatten().all(|x| x.is_finite());
        let State {
            points,
            rows,
            settled,
            ..
        } = &self.state;
        if finite(settled) && finite(points) && finite(rows) {
            return Ok(());
        }
        let mut impulses = vec![0.0; self.pack.rows()];
        self.state.read(&self.pack, &mut impulses);
        // a velocity can overflow before any impulse does
        let row = impulses.iter().position(|x| !x.is_finite()).unwrap_or(0);
        Err(SolveError::NonFinite { row })
    }
}
