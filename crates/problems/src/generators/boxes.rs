//! Piles of boxes, frozen: a generator for every system of boxes.

mod manifold;
mod pile;
mod rest;
mod settings;
mod tower;

use delassus_core::{ContactLaw, ParameterError, Parameters, ProblemError};
use delassus_systems::BoxSystem;

use super::limit::row_limit;
use super::{Generated, Generator, GeneratorDescriptor, Size};
use pile::Pile;
pub use settings::Freezing;
use settings::{Settings, rows_per_manifold};

/// One step of a system of boxes.
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct BoxProblem<S: BoxSystem> {
    /// The boxes.
    #[parameter(flatten)]
    pub system: S,
    /// The step.
    #[parameter(flatten)]
    pub step: Freezing,
}

impl<S: BoxSystem> From<S> for BoxProblem<S> {
    fn from(system: S) -> Self {
        let step = Freezing::default();
        Self { system, step }
    }
}

impl<S: BoxSystem> BoxProblem<S> {
    fn check(&self) -> Result<(), ParameterError> {
        let each = rows_per_manifold(self.system.boxes().law);
        let rows = self.system.counts().faces.and_then(|m| m.checked_mul(each));
        let (parameter, value) = self.system.extent();
        row_limit(parameter, value, rows)
    }

    fn settings(&self) -> Settings {
        Settings {
            boxes: *self.system.boxes(),
            step: self.step,
        }
    }
}

impl<S: BoxSystem> Generator for BoxProblem<S> {
    const DESCRIPTOR: GeneratorDescriptor = GeneratorDescriptor {
        id: S::ID,
        summary: S::SUMMARY,
        reference: if S::TOWER {
            "at rest, rigid or soft; and one rigid box that sticks or slides on an incline without tipping"
        } else {
            "at rest, rigid, without gap"
        },
    };

    fn size(&self) -> Size {
        let (counts, law) = (self.system.counts(), self.system.boxes().law);
        let blocks = if law == ContactLaw::Patch { 1 } else { 4 };
        let faces = counts.faces.unwrap_or(usize::MAX);
        Size::new(
            counts.boxes.unwrap_or(usize::MAX).saturating_add(1),
            faces.saturating_mul(blocks),
            faces.saturating_mul(rows_per_manifold(law)),
        )
    }

    fn build(&self) -> Result<Generated, ProblemError> {
        let settings = self.settings();
        let (layers, top) = self.system.layers();
        let mut pile = Pile::new(settings, layers, top);
        self.system.lay(&mut pile);
        let centred = self.system.is_centred();
        if centred && settings.is_at_rest() {
            let reference = Some(rest::solution(&pile));
            let problem = pile.freeze()?;
            return Ok(Generated { problem, reference });
        }
        let problem = pile.freeze()?;
        let tower = centred && S::TOWER;
        let reference = tower.then(|| tower::solution(&settings, self.system.layers().0, &problem));
        Ok(Generated {
            problem,
            reference: reference.flatten(),
        })
    }
}
