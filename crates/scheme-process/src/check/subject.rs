//! An engine under test: scenes in, states out.

use std::sync::Arc;

use delassus_core::parameter::Map;
use delassus_dynamics::WorldParts;
use delassus_solver_process::{CheckVerdict, PeerProgram};
use serde_json::{Value, json};

use crate::process::{EngineProcess, Fault};

use super::scenes::{FORMS, Form};

/// Length of a frame \[s\].
pub(super) const DT: f64 = 1.0 / 60.0;

/// An engine under test.
pub(super) struct Subject {
    pub(super) program: Arc<PeerProgram>,
    /// Its parameters with their defaults.
    pub(super) parameters: Map,
    /// True if its places and velocities are f32.
    pub(super) is_single: bool,
    /// Time of one frame at most \[s\].
    pub(super) seconds: f64,
}

/// A scene that the engine takes.
pub(super) struct Taken {
    pub(super) form: Form,
    pub(super) parts: WorldParts,
}

/// A process with a scene.
pub(super) struct Running<'s> {
    pub(super) process: EngineProcess,
    subject: &'s Subject,
    bodies: usize,
}

impl Subject {
    /// A process that has no scene yet.
    pub(super) fn process(&self) -> EngineProcess {
        EngineProcess::new(Arc::clone(&self.program))
    }

    /// Sends a scene to a process.
    pub(super) fn load(&self, process: &mut EngineProcess, scene: &Value) -> Result<(), Fault> {
        let bytes = scene.to_string().into_bytes();
        process.load(bytes, &self.parameters, self.seconds)?;
        Ok(())
    }

    /// A process with this scene.
    pub(super) fn start(&self, parts: &WorldParts) -> Result<Running<'_>, String> {
        let mut process = self.process();
        let loaded = self.load(&mut process, &json!(parts));
        loaded.map_err(|fault| words(&fault).to_owned())?;
        Ok(Running {
            process,
            subject: self,
            bodies: parts.bodies.len(),
        })
    }

    /// The first form of a scene that the engine takes; why none is taken, if it refuses all.
    pub(super) fn takes(&self, scene: impl Fn(Form) -> WorldParts) -> Result<Taken, CheckVerdict> {
        let mut refusal = String::new();
        for form in FORMS {
            let parts = scene(form);
            match self.load(&mut self.process(), &json!(parts)) {
                Ok(()) => return Ok(Taken { form, parts }),
                Err(Fault::Refused(reason)) if refusal.is_empty() => refusal = reason,
                Err(Fault::Refused(_)) => {}
                Err(Fault::Failed(reason)) => return Err(CheckVerdict::Fails(reason)),
            }
        }
        Err(CheckVerdict::DoesNotApply(format!("it refuses: {refusal}")))
    }

    /// The states after so many frames of a scene from its start.
    pub(super) fn run(&self, parts: &WorldParts, frames: u32) -> Result<Vec<f64>, String> {
        self.start(parts)?.advance(frames)
    }

    /// A difference that rounding explains, relative to numbers of this size \[-\].
    pub(super) fn close(&self, size: f64) -> f64 {
        let relative = if self.is_single { 1e-3 } else { 1e-6 };
        relative * size.abs().max(1.0)
    }
}

impl Running<'_> {
    /// The states after so many more frames, at least one.
    pub(super) fn advance(&mut self, frames: u32) -> Result<Vec<f64>, String> {
        let mut states = Vec::new();
        for _ in 0..frames {
            let (bodies, seconds) = (self.bodies, self.subject.seconds);
            let answer = self.process.step(DT, bodies, seconds);
            states = answer.map_err(|fault| words(&fault).to_owned())?.states;
        }
        Ok(states)
    }

    /// Replaces the scene.
    pub(super) fn reload(&mut self, parts: &WorldParts) -> Result<(), String> {
        self.bodies = parts.bodies.len();
        let loaded = self.subject.load(&mut self.process, &json!(parts));
        loaded.map_err(|fault| words(&fault).to_owned())
    }
}

pub(super) fn words(fault: &Fault) -> &str {
    match fault {
        Fault::Refused(words) | Fault::Failed(words) => words,
    }
}
