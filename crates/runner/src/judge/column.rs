//! The columns of a record, by the names of specs.

use delassus_metrics::Metric;
use delassus_records::trace::TraceQuantity;
use thiserror::Error;

use crate::motion::Observable;
use crate::suggest::nearest;

/// One column of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordColumn {
    /// A metric of the table.
    Metric(Metric),
    /// One component of one body's velocity, 0–2 linear, 3–5 angular.
    Velocity {
        /// The body.
        body: usize,
        /// The component.
        component: usize,
    },
    /// A number of the trace that has a column.
    Trace(TraceQuantity),
}

/// A name that is neither a metric nor a body velocity.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown metric {name:?}{}", self.hint())]
pub struct UnknownMetric {
    /// What was asked for.
    pub name: String,
    /// The closest metric.
    pub nearest: Option<String>,
}

impl UnknownMetric {
    /// What may be meant, and where the names are.
    fn hint(&self) -> String {
        let listed = "`delassus list metrics` has their names";
        if Observable::parse(&self.name).is_ok() {
            return format!(": it is an observable, measured of [[scene]]; {listed}");
        }
        match &self.nearest {
            Some(close) => format!("; did you mean {close:?}? {listed}"),
            None => format!("; {listed}"),
        }
    }
}

impl RecordColumn {
    /// Parses a metric's identifier or a body velocity.
    ///
    /// # Errors
    /// The name with the closest metric.
    pub fn parse(name: &str) -> Result<Self, UnknownMetric> {
        if let Some(metric) = Metric::by_id(name) {
            return Ok(Self::Metric(metric));
        }
        let columns = || TraceQuantity::ALL.iter().filter(|q| q.is_column());
        if let Some(quantity) = columns().find(|q| q.doc().id == name) {
            return Ok(Self::Trace(*quantity));
        }
        velocity(name).ok_or_else(|| {
            let traces = columns().map(|q| q.doc().id);
            UnknownMetric {
                name: name.to_owned(),
                nearest: nearest(name, Metric::ALL.map(Metric::id).into_iter().chain(traces)),
            }
        })
    }
}

/// Why these metrics cannot end a solve: a velocity is no residual, and at least one metric has to
/// be small only near a solution.
///
/// # Errors
/// The name at fault, of those that are metrics at all, and the reason.
pub fn check_criteria<'n>(names: &[&'n str]) -> Result<(), (&'n str, String)> {
    let parsed = |name: &&'n str| RecordColumn::parse(name).ok();
    for name in names {
        let reason = match parsed(name) {
            Some(RecordColumn::Velocity { .. }) => "a velocity is no residual",
            Some(RecordColumn::Trace(_)) => "it is of the way to the answer, not of the answer",
            Some(RecordColumn::Metric(_)) | None => continue,
        };
        return Err((name, format!("cannot decide when to stop: {reason}")));
    }
    let metrics: Vec<_> = names
        .iter()
        .filter_map(|name| match parsed(name) {
            Some(RecordColumn::Metric(metric)) => Some((*name, metric)),
            _ => None,
        })
        .collect();
    match metrics.first() {
        Some((name, metric)) if metrics.iter().all(|(_, m)| !m.doc().decides) => {
            let reason = format!(
                "cannot decide alone: {}; name a metric with it that is small only near a solution, as {}",
                metric.doc().misleads,
                Metric::HEADLINE
            );
            Err((name, reason))
        }
        _ => Ok(()),
    }
}

/// `v[BODY].AXIS` or `w[BODY].AXIS`.
fn velocity(name: &str) -> Option<RecordColumn> {
    let (offset, rest) = match name.split_at_checked(2)? {
        ("v[", rest) => (0, rest),
        ("w[", rest) => (3, rest),
        _ => return None,
    };
    let (body, axis) = rest.split_once("].")?;
    let axis = ["x", "y", "z"].iter().position(|a| *a == axis)?;
    Some(RecordColumn::Velocity {
        body: body.parse().ok()?,
        component: offset + axis,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_metrics_or_body_velocities() {
        let parsed = RecordColumn::parse("natural_map");
        assert_eq!(parsed, Ok(RecordColumn::Metric(Metric::NaturalMap)));
        let parsed = RecordColumn::parse("w[12].z");
        let expected = RecordColumn::Velocity {
            body: 12,
            component: 5,
        };
        assert_eq!(parsed, Ok(expected));
        for name in ["v[1].q", "v[-1].x", "v[].x", "v[1]x", "v", "", "é[1].x"] {
            assert!(RecordColumn::parse(name).is_err(), "{name}");
        }
        let error = RecordColumn::parse("natural_mpa").expect_err("a typing error");
        assert_eq!(error.nearest.as_deref(), Some("natural_map"));
    }
}
