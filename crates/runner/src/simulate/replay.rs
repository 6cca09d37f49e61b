//! What a spec says about recorded motion: `[replay]`.

use delassus_replay::Limits;

use crate::document::keys::{self, MOST_EVERY};
use crate::document::section::SpecSection;
use crate::document::text::SpecError;
use crate::motion::Leg;
use crate::view::{Selection, named};

/// `[replay]`.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayPlan {
    /// Frames from one recorded frame to the next \[-\]; `None` for at most [`Limits::FRAMES`] of a
    /// run.
    pub every: Option<u64>,
    /// True if contacts are recorded.
    pub contacts: bool,
    /// Scenes that are recorded, by name or by what their names begin with; all if empty.
    pub scenes: Vec<String>,
    /// Schemes, likewise.
    pub schemes: Vec<String>,
    /// Solvers, likewise.
    pub solvers: Vec<String>,
}

/// Reads the section, if there is one.
pub(super) fn read(root: &SpecSection<'_>) -> Result<Option<ReplayPlan>, SpecError> {
    let Some(item) = root.get("replay") else {
        return Ok(None);
    };
    let section = SpecSection::of_item(root.document, "[replay]", item)?;
    section.allow(keys::REPLAY)?;
    let names = |key: &str| -> Result<Vec<String>, SpecError> {
        let names = section.strings(key)?.unwrap_or_default();
        Ok(names.into_iter().map(|(name, _)| name.to_owned()).collect())
    };
    Ok(Some(ReplayPlan {
        every: section.count("every", 1, u64::from(MOST_EVERY))?,
        contacts: section.flag("contacts")?.unwrap_or(true),
        scenes: names("scenes")?,
        schemes: names("schemes")?,
        solvers: names("solvers")?,
    }))
}

impl ReplayPlan {
    /// The cells that are recorded.
    pub(crate) fn selection(&self) -> Selection<'_> {
        Selection::of(&self.scenes, &self.schemes, &self.solvers)
    }

    /// How much is recorded of a run of these frames; `None` if its cell is not chosen.
    pub(super) fn of(
        &self,
        scene: &str,
        scheme: &str,
        solver: Option<&str>,
        legs: &[Leg],
    ) -> Option<Limits> {
        let chosen = named(scene, &self.scenes)
            && named(scheme, &self.schemes)
            && solver.is_none_or(|solver| solver.is_empty() || named(solver, &self.solvers));
        let frames: u64 = legs.iter().map(|leg| u64::from(leg.frames)).sum();
        let every = self.every.unwrap_or(frames.div_ceil(Limits::FRAMES));
        chosen.then(|| Limits {
            contacts: self.contacts,
            ..Limits::every(every)
        })
    }
}
