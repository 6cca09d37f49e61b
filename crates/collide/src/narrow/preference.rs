//! Which of several separating axes is taken.

use nalgebra::Vector3;

/// An axis further down the order (faces of A, faces of B, edges) must be better by this share of
/// the separation \[-\].
const RELATIVE: f64 = 1e-2;

/// And by this share of the smaller half width \[-\].
const ABSOLUTE: f64 = 1e-3;

/// A direction, and how far two solids are apart along it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    /// Its number, from 1; those of faces of A come first, then faces of B, then pairs of edges.
    pub(super) index: u32,
    /// Which of these three it is.
    pub(super) group: Group,
    /// Unit vector from A to B.
    pub(super) normal: Vector3<f64>,
    /// Negative where they overlap \[m\].
    pub(super) separation: f64,
}

/// What an axis is the normal of, in the order of preference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    FaceOfA,
    FaceOfB,
    Edges,
}

/// The best axis of each group.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Best([Option<Axis>; 3]);

impl Best {
    /// Takes note of an axis; the first of equal ones stays.
    pub(super) fn see(&mut self, axis: Axis) {
        let best = &mut self.0[axis.group as usize];
        if best.is_none_or(|best| best.separation < axis.separation) {
            *best = Some(axis);
        }
    }

    /// The best axis of a group so far.
    pub(super) fn axis(&self, group: Group) -> Option<Axis> {
        self.0[group as usize]
    }

    /// The separation that another axis of a group must exceed \[m\].
    pub(super) fn separation(&self, group: Group) -> f64 {
        self.0[group as usize].map_or(f64::NEG_INFINITY, |axis| axis.separation)
    }

    /// The face to take, without a look at edges, and the separation above which an edge is
    /// preferred to it \[m\]; the face of the frame `before` stays where others are not better by
    /// the share `persistence` of `width`, the smaller half width of the two solids \[m\].
    pub(super) fn face(
        &self,
        before: Option<Axis>,
        persistence: f64,
        width: f64,
    ) -> Option<(Axis, f64)> {
        let [of_a, of_b, _] = self.0;
        let stay = persistence * width;
        let slack = |axis: &Axis| RELATIVE * axis.separation.abs() + ABSOLUTE * width;
        let mut face = match (of_a, of_b) {
            (Some(a), Some(b)) if beats(&b, &a, slack(&a)) => b,
            (Some(face), _) | (None, Some(face)) => face,
            (None, None) => return None,
        };
        let kept = before.filter(|axis| axis.group != Group::Edges);
        if let Some(kept) = kept.filter(|kept| !beats(&face, kept, stay)) {
            face = kept;
        }
        // a kept edge is preferred to other edges, not to a face: two solids lying flat would stay
        // on one point
        let ahead = slack(&face).max(if kept.is_some() { stay } else { 0.0 });
        Some((face, face.separation + ahead))
    }

    /// The axis to take and those to fall back on (N.2, N.3), in the order of preference: that of
    /// the frame `before` stays where others are not better by the share `persistence` of `width`,
    /// the smaller half width of the two solids \[m\].
    pub(super) fn choose(
        &self,
        before: Option<Axis>,
        persistence: f64,
        width: f64,
    ) -> [Option<Axis>; 3] {
        let edges = self.axis(Group::Edges);
        let Some((face, limit)) = self.face(before, persistence, width) else {
            return [edges, None, None];
        };
        let Some(mut edge) = edges else {
            return [Some(face), None, None];
        };
        let kept = before.filter(|axis| axis.group == Group::Edges);
        if let Some(kept) = kept.filter(|kept| !beats(&edge, kept, persistence * width)) {
            edge = kept;
        }
        if edge.separation > limit {
            [Some(edge), Some(face), None]
        } else {
            [Some(face), Some(edge), None]
        }
    }
}

/// True if one axis separates by more than another one and `by` \[m\].
fn beats(axis: &Axis, other: &Axis, by: f64) -> bool {
    axis.separation > other.separation + by
}

/// Which pairs of edges a search looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EdgeSearch {
    /// Those that are preferred to the best face, or separate the solids: if there are none, the
    /// face is the only axis that the search returns. It is the one to take, but without one to
    /// fall back on.
    Ahead,
    /// All.
    All,
}

impl EdgeSearch {
    /// Most pairs have points on the axis that the first search takes.
    pub(super) const IN_TURN: [Self; 2] = [Self::Ahead, Self::All];

    /// The separation that edges must exceed to be looked at \[m\].
    pub(super) fn limit(
        self,
        best: &Best,
        before: Option<Axis>,
        persistence: f64,
        width: f64,
    ) -> f64 {
        let face = best.face(before, persistence, width);
        match face.filter(|(_, limit)| self == Self::Ahead && !limit.is_nan()) {
            Some((_, limit)) => limit,
            None => f64::NEG_INFINITY,
        }
    }
}
