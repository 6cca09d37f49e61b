//! `engine:NAME`: a physics engine of another program steps the scene.
//!
//! The engine gets the scene once and answers each frame with the states of the bodies. It finds
//! its own contacts, and says nothing of impulses: contacts of the world are found here, at the
//! start of each frame, for the observables that read overlaps. The scene is sent again where the
//! world is not what the last frame left. Protocol, and what engines leave out: docs/engines.md.

use std::sync::Arc;

use delassus_core::parameter::Map;
use delassus_core::{DeviceError, Fidelity, OTHER_SCENE, intern};
use delassus_dynamics::{
    Probe, Scheme, SchemeDescriptor, SchemeError, Stage, StepError, StepReport, StepView, World,
};
use delassus_solver_process::PeerProgram;

use crate::hello::EngineHello;
use crate::process::{EngineProcess, Fault};
use crate::states::updates;

/// What the entry of an engine knows of its program.
#[derive(Debug)]
pub(crate) struct EngineSettings {
    program: Arc<PeerProgram>,
    identity: String,
    notes: Vec<&'static str>,
}

impl EngineSettings {
    pub(crate) fn new(program: PeerProgram, hello: &EngineHello) -> Self {
        let precision = (hello.precision == "f32").then_some("places and velocities are f32");
        let notes = hello.notes.iter().map(|note| intern::text(note));
        Self {
            program: Arc::new(program),
            identity: hello.identity(),
            notes: notes.chain(precision).collect(),
        }
    }
}

/// An engine in a process of its own.
#[derive(Debug)]
pub struct EngineScheme {
    descriptor: SchemeDescriptor,
    settings: Arc<EngineSettings>,
    parameters: Map,
    /// Time of one frame at most \[s\].
    seconds: f64,
    process: EngineProcess,
    /// Hash of the state of the world that the engine has stepped last.
    stepped: Option<u64>,
}

impl EngineScheme {
    pub(crate) fn new(
        descriptor: SchemeDescriptor,
        settings: Arc<EngineSettings>,
        parameters: Map,
        seconds: f64,
    ) -> Self {
        let process = EngineProcess::new(Arc::clone(&settings.program));
        Self {
            descriptor,
            settings,
            parameters,
            seconds,
            process,
            stepped: None,
        }
    }

    /// Sends a world to a process; returns in what a run departs from it.
    fn load(&self, process: &mut EngineProcess, world: &World) -> Result<Vec<&'static str>, Fault> {
        let scene = serde_json::to_vec(&world.clone().into_parts());
        let scene = scene.map_err(|error| Fault::Failed(error.to_string()))?;
        process.load(scene, &self.parameters, self.seconds)
    }

    /// Steps the world, whose contacts are found.
    fn frame(&mut self, world: &mut World, dt: f64) -> Result<f64, StepError> {
        let bodies = world.bodies().len();
        let answer = self.process.step(dt, bodies, self.seconds);
        let answer = answer.map_err(|fault| self.step_error(fault))?;
        let updates = updates(world, &answer.states);
        let updates = updates.map_err(|fault| self.step_error(Fault::Failed(fault)))?;
        let rows = |joint: &delassus_dynamics::Joint| joint.constraint.descriptor().units.len();
        let impulses: Vec<Vec<f64>> = world.joints().iter().map(|j| vec![0.0; rows(j)]).collect();
        world.write_back(&updates, &impulses, dt, 1)?;
        Ok(answer.seconds)
    }

    fn refusal(&self, fault: String) -> SchemeError {
        SchemeError::Engine {
            engine: self.descriptor.id,
            fault,
        }
    }

    fn step_error(&self, fault: Fault) -> StepError {
        match fault {
            Fault::Refused(fault) => StepError::Scheme(self.refusal(fault)),
            Fault::Failed(fault) => StepError::Engine {
                engine: self.descriptor.id,
                fault,
            },
        }
    }
}

impl Scheme for EngineScheme {
    fn descriptor(&self) -> &SchemeDescriptor {
        &self.descriptor
    }

    /// Asks the engine, in a process that may be another one than that of the steps.
    fn check(&self, world: &World) -> Result<Fidelity, SchemeError> {
        let mut process = EngineProcess::new(Arc::clone(&self.settings.program));
        let mut reasons = self.settings.notes.clone();
        match self.load(&mut process, world) {
            Ok(departures) => {
                let other = departures
                    .into_iter()
                    .map(|text| format!("{OTHER_SCENE}{text}"));
                reasons.extend(other.map(|text| intern::text(&text)));
            }
            Err(Fault::Refused(fault)) => return Err(self.refusal(fault)),
            // the first step fails with its words
            Err(Fault::Failed(_)) => {}
        }
        Ok(match reasons.is_empty() {
            true => Fidelity::Exact,
            false => Fidelity::Approximate(reasons),
        })
    }

    /// The engine decides the bits, as a device does.
    fn device(&self) -> Option<Result<String, DeviceError>> {
        Some(Ok(self.settings.identity.clone()))
    }

    fn has_impulses(&self) -> bool {
        false
    }

    fn step(
        &mut self,
        world: &mut World,
        dt: f64,
        probe: &mut dyn Probe,
    ) -> Result<StepReport, StepError> {
        StepError::check_time_step(dt)?;
        let known = self.stepped.take() == Some(world.state_hash());
        if !(known && self.process.is_running()) {
            let next = EngineProcess::new(Arc::clone(&self.settings.program));
            let mut process = std::mem::replace(&mut self.process, next);
            let loaded = self.load(&mut process, world);
            self.process = process;
            loaded.map_err(|fault| self.step_error(fault))?;
        }
        let seconds = world.with_contacts(|world| self.frame(world, dt))?;
        self.stepped = Some(world.state_hash());
        if probe.wants(Stage::Integrated) {
            let view = StepView {
                substep: 0,
                h: dt,
                world,
                problem: None,
                impulses: &[],
            };
            probe.at(Stage::Integrated, &view);
        }
        Ok(StepReport {
            seconds: Some(seconds),
            ..StepReport::default()
        })
    }
}
