//! The active set: on which side of its bounds every factor is, and which blocks change sides
//! (M.37).

use delassus_core::SetShape;

use crate::error::MetricError;
use crate::evaluator::Evaluator;
use crate::set::{FactorSet, MOST_ROWS, dot};
use crate::terms::{Form, Terms};

/// The states of all factors at the iterate that was looked at last. Memory of one problem.
#[derive(Debug, Clone, Default)]
pub struct ActiveSet {
    states: Vec<u8>,
}

impl Evaluator<'_> {
    /// Number of blocks whose state is another one than at the last call with the same `set` \[-\]
    /// (M.37); zero at the first. One pass over the factors.
    ///
    /// # Errors
    /// A wrong length, impulses that are not finite or overflow.
    pub fn state_changes(
        &mut self,
        impulses: &[f64],
        set: &mut ActiveSet,
    ) -> Result<usize, MetricError> {
        self.read(impulses)?;
        let known = set.states.len() == self.groups.list.len();
        set.states.resize(self.groups.list.len(), 0);
        let (mut changes, mut last) = (0, None);
        for (terms, state) in self.terms(impulses, Form::Published).zip(&mut set.states) {
            let terms = terms?;
            let now = state_of(&terms);
            let block = terms.group.block;
            if known && now != *state && last != Some(block) {
                changes += 1;
                last = Some(block);
            }
            *state = now;
        }
        Ok(changes)
    }
}

/// How many parts of a problem are in which state of its active set \[-\] (M.37).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ActiveCounts {
    /// Rows between their bounds; a row of an equality is always there.
    pub free: usize,
    /// Rows at their lower bound.
    pub lower: usize,
    /// Rows at their upper bound.
    pub upper: usize,
    /// Contacts that are open.
    pub open: usize,
    /// Contacts, and limits of friction or resistance alone, that stick.
    pub stick: usize,
    /// The same that slip, along one axis at least.
    pub slip: usize,
}

impl Evaluator<'_> {
    /// Counts the states of all factors. One pass over them.
    ///
    /// # Errors
    /// A wrong length, impulses that are not finite or overflow.
    pub fn active_counts(&mut self, impulses: &[f64]) -> Result<ActiveCounts, MetricError> {
        self.read(impulses)?;
        let mut counts = ActiveCounts::default();
        for terms in self.terms(impulses, Form::Published) {
            let terms = terms?;
            let state = state_of(&terms);
            let is_row = !terms.set.pushes && terms.set.bounds.bounds().is_some();
            let slot = match (is_row, state) {
                (true, FREE) => &mut counts.free,
                (true, LOWER) => &mut counts.lower,
                (true, _) => &mut counts.upper,
                (_, state) if state & OPEN != 0 => &mut counts.open,
                (_, FREE) => &mut counts.stick,
                _ => &mut counts.slip,
            };
            *slot += 1;
        }
        Ok(counts)
    }
}

/// Not clamped: a row between its bounds, a contact that sticks.
const FREE: u8 = 0;
/// At the lower bound; at the upper one.
const LOWER: u8 = 1;
const UPPER: u8 = 2;
/// An open contact: nothing of its friction counts.
const OPEN: u8 = 4;

/// Where the projection of λ − ŵ/L falls on the set of a factor.
fn state_of(terms: &Terms<'_>) -> u8 {
    let mut moved = [0.0; MOST_ROWS];
    let x = &mut moved[..terms.impulse.len()];
    let pairs = terms.impulse.iter().zip(terms.shifted());
    for (x, (impulse, velocity)) in x.iter_mut().zip(pairs) {
        *x = impulse - terms.group.step * velocity;
    }
    side(&terms.set, x)
}

fn side(set: &FactorSet<'_>, x: &[f64]) -> u8 {
    let slips = |slips: bool| if slips { UPPER } else { FREE };
    let bounds = &set.bounds;
    if let Some((lower, upper)) = bounds.bounds() {
        if !set.pushes {
            return interval(lower, upper, x[0]);
        }
        let open = if x[0] > 0.0 { 0 } else { OPEN };
        let axes = x[1..].iter().enumerate();
        let sides = axes.map(|(axis, t)| interval(lower, upper, *t) << (3 + 2 * axis));
        return sides.fold(open, |all, side| all | side);
    }
    if set.pushes && x[0] <= 0.0 {
        return OPEN;
    }
    let friction = &x[usize::from(set.pushes)..];
    match bounds.shape {
        SetShape::Cone => {
            let (normal, tangents) = (x[0], &x[1..]);
            if bounds.radius * bounds.slip(tangents) <= -normal {
                return OPEN;
            }
            slips(bounds.reach(tangents) >= bounds.radius * normal)
        }
        SetShape::Polygon(polygon) => {
            let within = bounds.radius * polygon.apothem();
            let mut edges = 0..polygon.facets();
            slips(edges.any(|edge| dot(&polygon.normal(edge), friction) >= within))
        }
        SetShape::Ball | SetShape::Interval { .. } => {
            slips(bounds.reach(friction) >= bounds.radius)
        }
    }
}

/// A bound with nothing between is one state.
fn interval(lower: f64, upper: f64, x: f64) -> u8 {
    if x <= lower || lower >= upper {
        LOWER
    } else if x >= upper {
        UPPER
    } else {
        FREE
    }
}
