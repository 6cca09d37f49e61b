//! Thresholds: between which two values of a parameter of a scene its runs change from standing to
//! falling.

mod search;

use serde_json::{Map, Value, json};

use crate::document::axes::GridAxis;
use crate::document::keys;
use crate::document::section::{SpecSection, list, number};
use crate::document::text::SpecError;
use crate::suggest::nearest;

pub use search::VariedScene;

/// Tolerances that may fit between the ends \[-\]: 2⁴⁰, forty runs.
const MOST_PARTS: f64 = 1_099_511_627_776.0;

/// `threshold` of a `[[scene]]`: the runs of the scene are repeated with other values of one
/// parameter until two of them that are close enough end differently.
#[derive(Debug, Clone, PartialEq)]
pub struct Threshold {
    /// The parameter of the scene.
    pub parameter: String,
    /// The values that the search begins with, in order.
    pub between: [f64; 2],
    /// The difference of values at which it ends.
    pub tolerance: f64,
    /// What decides, at the end of a run.
    pub observable: String,
    /// The largest value of it with which the scene stands.
    pub limit: f64,
}

/// Reads the threshold of a scene of the list.
pub(super) fn read(
    section: &SpecSection<'_>,
    defaults: &Map<String, Value>,
    axes: &[GridAxis],
) -> Result<Option<Threshold>, SpecError> {
    let Some(item) = section.get("threshold") else {
        return Ok(None);
    };
    let own = SpecSection::of_item(section.document, "threshold", item)?;
    own.allow(keys::THRESHOLD)?;
    let numbers = defaults.iter().filter(|(_, value)| value.is_f64());
    let names: Vec<&str> = numbers.map(|(key, _)| key.as_str()).collect();
    let parameter = own.named("parameter", "real parameter of the scene", &names)?;
    if let Some(axis) = axes.iter().find(|axis| axis.key == parameter) {
        let span = axis
            .values
            .first()
            .map_or(own.span(), |(_, span)| span.clone());
        let message = format!("{parameter} is what the threshold looks for; leave its value out");
        return Err(section.document.error(span, message));
    }
    let between = between(&own)?;
    let Some(tolerance) = own.positive("tolerance")? else {
        return Err(own.error("threshold needs tolerance = …, how far its two ends may be apart"));
    };
    if (between[1] - between[0]) / tolerance > MOST_PARTS {
        let message = format!("tolerance = {tolerance:e} is less than rounding leaves apart");
        return Err(own.error(message));
    }
    let (Some(observable), Some(limit)) = (own.string("observable")?, limit(&own)?) else {
        let message = "threshold needs observable = \"fallen\" and limit = 0.0, say: the scene stands where the run \
                       ends with no more of it";
        return Err(own.error(message));
    };
    Ok(Some(Threshold {
        parameter: parameter.to_owned(),
        between,
        tolerance,
        observable: observable.to_owned(),
        limit,
    }))
}

/// `between = [LOWER, UPPER]`.
fn between(own: &SpecSection<'_>) -> Result<[f64; 2], SpecError> {
    let ends = own.get("between").and_then(|item| {
        let mut ends = item.get_ref().as_array()?.iter().map(number);
        let pair = [ends.next()??, ends.next()??];
        ends.next().is_none().then_some(pair)
    });
    match ends {
        Some([lower, upper]) if lower < upper && (upper - lower).is_finite() => Ok([lower, upper]),
        _ => Err(own.error("threshold needs between = [LOWER, UPPER], two numbers in order")),
    }
}

/// `limit`, which may be zero.
fn limit(own: &SpecSection<'_>) -> Result<Option<f64>, SpecError> {
    let Some(item) = own.get("limit") else {
        return Ok(None);
    };
    match number(item).filter(|limit| limit.is_finite()) {
        Some(limit) => Ok(Some(limit)),
        None => Err(own.error_at(item, "limit must be a finite number")),
    }
}

impl Threshold {
    /// Refuses an observable that the experiment does not measure.
    pub(super) fn check(
        &self,
        measured: &[String],
        section: &SpecSection<'_>,
    ) -> Result<(), SpecError> {
        if measured.contains(&self.observable) {
            return Ok(());
        }
        let names = || measured.iter().map(String::as_str);
        let name = &self.observable;
        let message = match nearest(name, names()) {
            Some(found) => format!("threshold: {name:?} is not measured; did you mean {found:?}?"),
            None => format!(
                "threshold: {name:?} is not among the observables of [simulate]: {}",
                list(names())
            ),
        };
        Err(section.error(message))
    }

    /// What of it determines a record.
    pub(super) fn key(&self) -> Value {
        json!([
            self.parameter,
            self.between,
            self.tolerance,
            self.observable,
            self.limit
        ])
    }
}
