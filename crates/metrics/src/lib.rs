//! Residuals and certificates of a frozen constraint problem: f64, from the problem and λ alone.
//!
//! No solver grades itself: an [`Evaluator`] reads the impulses of any solver and judges them. The
//! headline is [`Metric::NaturalMap`], the natural map in energy units relative to a scale that
//! depends on the problem's data only; residuals of the literature are computed too. What ends a
//! solve is the larger of a residual and its disc form. Impulses that are not finite are an error,
//! never a number that passes a tolerance.
//!
//! Theory: `docs/theory/02-metrics.md` (M.1–M.39).

mod closed_form;
mod definition;
mod eigen;
mod error;
mod evaluator;
mod group;
mod metrics;
mod range;
mod reference;
mod scale;
pub mod series;
mod set;
mod state;
mod terms;
pub mod ulp;
mod velocity;

pub use closed_form::{ClosedForm, TimeFunction};
pub use definition::{Direction, MetricDoc, MetricInput, Needs, TrustedSolution};
pub use error::MetricError;
pub use evaluator::{Evaluator, EvaluatorMemory};
pub use metrics::{Closure, Forms, Metric, Residuals, Wrenches};
pub use scale::{EnergyOrigin, EnergyScale};
pub use state::{ActiveCounts, ActiveSet};
