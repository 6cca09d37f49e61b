//! Angle between friction and the direction that Coulomb's law gives it (M.27).

use delassus_core::SetShape;

use super::dissipation::Dissipation;
use crate::definition::{AccumulatedMetric, MetricDoc, MetricInput, MetricValue, RequestedMetric};
use crate::error::{MetricError, finite, larger};
use crate::evaluator::Evaluator;
use crate::set::{dot, length};
use crate::terms::{Form, Terms};

/// A factor slides beyond this share of its own velocity scale u_g \[-\] (M.25): problem data only.
const SLIDING: f64 = 1e-6;

/// Largest angle between λ_t and −w_t of what slides \[rad\]; `None` without friction.
pub(crate) struct SlideAngle;

impl RequestedMetric for SlideAngle {
    const DOC: MetricDoc = MetricDoc {
        id: "slide_angle",
        name: "slide angle error",
        formula: "max acos(−λ_t·w_t / (‖λ_t‖ ‖w_t‖)) where ‖w_t‖ > 1e-6 u_g, λ_t ≠ 0 and the friction bound is positive",
        theory: &["M.27"],
        unit: "rad",
        citations: &["Moreau1988"],
        misleads: "zero where nothing slides; blind to the size of friction; judges the direction of Coulomb's law whatever \
                   the problem's own is; what should stick but still creeps has any angle",
        ..<Dissipation as AccumulatedMetric>::DOC
    };

    fn value(evaluator: &mut Evaluator<'_>, answer: &MetricInput<'_>) -> MetricValue {
        evaluator.slide_angle(answer.impulses)
    }
}

impl Evaluator<'_> {
    /// Largest angle between friction and the direction against sliding \[rad\] (M.27); zero where
    /// nothing slides, `None` without friction.
    ///
    /// # Errors
    /// A wrong length, impulses that are not finite or overflow.
    pub fn slide_angle(&mut self, impulses: &[f64]) -> Result<Option<f64>, MetricError> {
        self.read(impulses)?;
        let mut largest = None;
        for terms in self.terms(impulses, Form::Published) {
            let terms = terms?;
            if terms.group.has_friction() {
                let angle = angle(&terms).unwrap_or(0.0);
                largest = Some(largest.map_or(angle, |so_far| larger(so_far, angle)));
            }
        }
        largest
            .map(|angle| finite("the slide angle", angle))
            .transpose()
    }
}

/// The angle of one factor \[rad\]; `None` if it does not slide or has no friction to turn.
fn angle(terms: &Terms<'_>) -> Option<f64> {
    let first = usize::from(terms.group.is_contact());
    let (friction, slip) = (&terms.impulse[first..], &terms.velocity[first..]);
    let slides = length(slip) > SLIDING * terms.own_velocity;
    if !slides || length(friction) == 0.0 || bound(terms) <= 0.0 {
        return None;
    }
    // acos loses half of the digits where it matters, near zero
    let across = match (friction, slip) {
        ([x, y], [u, v]) => (x * v - y * u).abs(),
        ([_], [_]) => 0.0,
        _ => {
            let squares = dot(friction, friction) * dot(slip, slip);
            (squares - dot(friction, slip) * dot(friction, slip))
                .max(0.0)
                .sqrt()
        }
    };
    Some(libm::atan2(across, -dot(friction, slip)))
}

/// What the law allows friction to be \[N·s\].
fn bound(terms: &Terms<'_>) -> f64 {
    let bounds = &terms.set.bounds;
    match bounds.shape {
        SetShape::Cone => bounds.radius * terms.impulse[0],
        SetShape::Interval { .. } | SetShape::Ball | SetShape::Polygon(_) => bounds.radius,
    }
}
