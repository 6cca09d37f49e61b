//! What a spec says about sweeps that are timed: `[[problem]]` and `[timing]`. Nothing is solved to
//! a tolerance.

use std::ops::Range;

use delassus_metrics::Metric;

use crate::columns::Columns;
use crate::document::axes::{GridAxis, family};
use crate::document::context::{Context, generator};
use crate::document::keys;
use crate::document::section::{SpecSection, sections};
use crate::document::text::SpecError;
use crate::judge::RecordColumn;
use crate::view::Kind;

/// Row updates of a long pass where the spec names none \[-\]: some 10 ms at 10 ns each.
const ROW_UPDATES: u64 = 1_000_000;
/// Pairs of passes where the spec names none \[-\].
const REPETITIONS: u32 = 9;

/// What is timed, and how long.
#[derive(Debug, Clone, PartialEq)]
pub struct TimingPlan {
    /// The problems, in order.
    pub problems: Vec<GeneratorFamily>,
    /// `[timing]`.
    pub passes: Passes,
    /// The metric that is evaluated before and after the sweeps.
    pub metrics: Vec<String>,
}

/// One `[[problem]]`: a family of generated problems.
#[derive(Debug, Clone, PartialEq)]
pub struct GeneratorFamily {
    /// Name given by the author.
    pub name: Option<String>,
    /// Identifier of the generator.
    pub id: String,
    /// The parameters that the spec sets.
    pub axes: Vec<GridAxis>,
    /// Give solvers the Delassus matrix instead of the bodies.
    pub as_matrix: bool,
    /// The entry in the text.
    pub span: Range<usize>,
}

/// How long and how often sweeps are timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passes {
    /// Row updates of a long pass \[-\]; small problems get more sweeps, and then more passes.
    pub row_updates: u64,
    /// Pairs of passes at least \[-\].
    pub repetitions: u32,
}

impl TimingPlan {
    /// What figures and tables can ask for, but for the solvers.
    pub(crate) fn columns(&self) -> Columns<'_> {
        let problems = self.problems.iter();
        Columns {
            kind: Kind::Timings,
            measured: &self.metrics,
            known: |name| RecordColumn::parse(name).is_ok(),
            problems: problems.map(|p| family(&p.id, &p.axes)).collect(),
            schemes: Vec::new(),
            solvers: Vec::new(),
            has_budget: false,
            has_worlds: false,
        }
    }
}

/// Reads `[timing]`, if there is one.
pub(crate) fn passes(root: &SpecSection<'_>) -> Result<Option<Passes>, SpecError> {
    let Some(item) = root.get("timing") else {
        return Ok(None);
    };
    let section = SpecSection::of_item(root.document, "[timing]", item)?;
    section.allow(keys::TIMING)?;
    let foreign = ["stop", "measure", "reference"];
    for (key, span, _) in root.entries() {
        if foreign.contains(&key) {
            let message = format!("{key} does not go with timing: sweeps are timed, not solves");
            return Err(root.document.error(span, message));
        }
    }
    let repetitions = section.count("repetitions", 1, 1000)?;
    Ok(Some(Passes {
        row_updates: section
            .count("row_updates", 1, u64::MAX)?
            .unwrap_or(ROW_UPDATES),
        repetitions: repetitions.map_or(REPETITIONS, |n| u32::try_from(n).unwrap_or(1000)),
    }))
}

/// Reads `[[problem]]`.
pub(crate) fn read(
    root: &SpecSection<'_>,
    context: &Context<'_>,
    passes: Passes,
) -> Result<TimingPlan, SpecError> {
    let sections = sections(root, "problem", "[[problem]]")?;
    sections.iter().try_for_each(check)?;
    let problems = sections.iter().map(|section| problem(section, context));
    Ok(TimingPlan {
        problems: problems.collect::<Result<_, _>>()?,
        passes,
        metrics: vec![Metric::HEADLINE.id().to_owned()],
    })
}

fn problem(section: &SpecSection<'_>, context: &Context<'_>) -> Result<GeneratorFamily, SpecError> {
    let (id, axes) = generator(section, context)?;
    Ok(GeneratorFamily {
        name: section.string("name")?.map(str::to_owned),
        id,
        axes,
        as_matrix: section.flag("as_matrix")?.unwrap_or(false),
        span: section.span(),
    })
}

/// Timed problems are made anew for their cells: only generators can do that, and nothing stops
/// them.
fn check(problem: &SpecSection<'_>) -> Result<(), SpecError> {
    for key in ["files", "stop", "start", "reference_law", "tolerances"] {
        if let Some(item) = problem.get(key) {
            let message =
                format!("{key} does not go with timing: generated problems are swept cold");
            return Err(problem.error_at(item, message));
        }
    }
    for key in ["as_worlds", "draws", "draw_seed"] {
        if let Some(item) = problem.get(key) {
            let message = format!("{key} does not go with timing: solve worlds to a tolerance");
            return Err(problem.error_at(item, message));
        }
    }
    Ok(())
}
