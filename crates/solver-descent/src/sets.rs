//! The admissible impulses of one block: its projection and what makes one metric of its rows.

use std::ops::Range;

use delassus_core::{Friction, Law, Patch, Polygon, Problem, Rolling, Tangents, projection};

/// One block with the rows of it that are solved for.
#[derive(Debug, Clone)]
pub struct Set {
    /// First row of the block.
    pub first: usize,
    /// Leading rows that are solved for \[-\].
    pub active: usize,
    /// The law.
    pub law: Law,
}

impl Set {
    /// Makes a list the sets of a problem, one per block, in its memory.
    pub(crate) fn list(problem: &Problem, sets: &mut Vec<Self>) {
        let blocks = problem.blocks();
        sets.truncate(blocks.len());
        for (index, block) in blocks.iter().enumerate() {
            let (first, active) = (block.first_row, problem.active_dim(index));
            match sets.get_mut(index) {
                Some(set) => {
                    (set.first, set.active) = (first, active);
                    set.take_law(&block.law);
                }
                None => sets.push(Self {
                    first,
                    active,
                    law: block.law.clone(),
                }),
            }
        }
    }

    fn take_law(&mut self, law: &Law) {
        match (&mut self.law, law) {
            (Law::Patch(own), Law::Patch(patch)) => {
                own.mu = patch.mu;
                own.levers.clone_from(&patch.levers);
            }
            (own, law) => *own = law.clone(),
        }
    }

    /// The rows that are solved for.
    #[inline]
    pub fn rows(&self) -> Range<usize> {
        self.first..self.first + self.active
    }

    /// μ of a block whose velocity carries the De Saxcé term (I.4); `None` for the others, and
    /// where friction is held.
    #[inline]
    pub fn shift(&self) -> Option<f64> {
        match self.law {
            Law::Contact(Friction::Disc { mu } | Friction::Coulomb { mu }) if self.active > 1 => {
                Some(mu)
            }
            _ => None,
        }
    }

    /// True if the rows that are solved for make a convex problem.
    pub fn is_convex(&self) -> bool {
        // a contact whose friction is held has its normal row only
        self.law.is_convex() || self.active < 2
    }

    /// Ranges of local rows that are projected together and must share one scale (I.2); the others
    /// have their own.
    pub fn groups(&self) -> [Range<usize>; 2] {
        let clipped = |from: usize, to: usize| from.min(self.active)..to.min(self.active);
        let none = 0..0;
        match &self.law {
            Law::Equality | Law::Bounds { .. } => [none.clone(), none],
            Law::Contact(friction) => match friction.tangents() {
                Tangents::Box { .. } => [none.clone(), none],
                Tangents::Disc { .. } | Tangents::Cone { .. } => [clipped(0, 3), none],
                Tangents::Polygon { .. } => [clipped(1, 3), none],
            },
            Law::Patch(patch) => {
                let points = patch.levers.len();
                [clipped(points, points + 2), none]
            }
            Law::Rolling(_) => [clipped(1, 3), clipped(3, 5)],
        }
    }

    /// Projects the active impulses of the block \[N·s\] in place, in a metric with one scale per
    /// group (I.2).
    ///
    /// Where friction is bounded by impulses of other rows, those are projected first and bound the
    /// rest: K(λ) of the new normal impulses (I.5).
    #[inline]
    pub fn project(&self, x: &mut [f64]) {
        match &self.law {
            Law::Equality => {}
            Law::Bounds { lower, upper } => {
                for value in x {
                    *value = between(*value, *lower, *upper);
                }
            }
            Law::Contact(friction) => project_contact(friction, x),
            Law::Patch(patch) => project_patch(patch, x),
            Law::Rolling(rolling) => project_rolling(rolling, x),
        }
    }
}

/// The nearest number of an interval; NaN stays NaN, so that a broken iterate is seen.
#[inline]
fn between(x: f64, lower: f64, upper: f64) -> f64 {
    if x < lower {
        lower
    } else if x > upper {
        upper
    } else {
        x
    }
}

fn project_contact(friction: &Friction, x: &mut [f64]) {
    let Some((normal, tangents)) = x.split_first_mut() else {
        return;
    };
    match friction.tangents() {
        Tangents::Disc { mu } | Tangents::Cone { mu } => {
            if tangents.is_empty() {
                *normal = between(*normal, 0.0, f64::INFINITY);
            } else {
                projection::cone(mu, x);
            }
        }
        Tangents::Box { limit, mu } => {
            *normal = between(*normal, 0.0, f64::INFINITY);
            projection::square(limit + mu * *normal, tangents);
        }
        Tangents::Polygon { mu, polygon } => {
            *normal = between(*normal, 0.0, f64::INFINITY);
            polygon_of(polygon, mu * *normal, tangents);
        }
    }
}

fn polygon_of(polygon: Polygon, radius: f64, tangents: &mut [f64]) {
    if !tangents.is_empty() {
        projection::polygon(polygon, radius, tangents);
    }
}

fn project_patch(patch: &Patch, x: &mut [f64]) {
    let points = patch.levers.len().min(x.len());
    let (normals, friction) = x.split_at_mut(points);
    for normal in normals.iter_mut() {
        *normal = between(*normal, 0.0, f64::INFINITY);
    }
    if let [t, s, twist] = friction {
        let mut tangents = [*t, *s];
        projection::disc(patch.mu * normals.iter().sum::<f64>(), &mut tangents);
        [*t, *s] = tangents;
        let arms = normals.iter().zip(&patch.levers);
        let limit = patch.mu * arms.map(|(n, lever)| n * lever).sum::<f64>();
        *twist = between(*twist, -limit, limit);
    }
}

fn project_rolling(rolling: &Rolling, x: &mut [f64]) {
    let Some((normal, friction)) = x.split_first_mut() else {
        return;
    };
    *normal = between(*normal, 0.0, f64::INFINITY);
    if friction.len() < 4 {
        return;
    }
    projection::disc(rolling.mu * *normal, &mut friction[..2]);
    projection::disc(rolling.rolling * *normal, &mut friction[2..4]);
    if let (Some(spinning), Some(spin)) = (rolling.spinning, friction.get_mut(4)) {
        let limit = spinning * *normal;
        *spin = between(*spin, -limit, limit);
    }
}
