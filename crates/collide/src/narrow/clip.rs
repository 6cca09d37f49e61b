//! A face cut by the sides of another one (Sutherland and Hodgman), and what its corners are
//! called.

use nalgebra::Vector3;

/// A side plane cuts only what lies outside by more than this share of the smaller half width
/// \[-\], so that corners of aligned solids do not come and go with rounding.
pub(super) const SLACK: f64 = 1e-4;

/// What a point is made of.
#[derive(Debug, Clone, Copy)]
pub(super) enum Feature {
    /// A vertex of the incident solid.
    Vertex(u64),
    /// An edge of the incident solid and a side of the reference face.
    Crossing(u64, u64),
    /// The incident face and a vertex of the reference solid.
    Corner(u64, u64),
    /// An edge of either solid.
    Edges(u64, u64),
}

impl Feature {
    /// The feature as one number above zero; `context` is the reference face.
    pub(super) fn number(self, context: u64) -> u64 {
        let [kind, first, second] = self.parts();
        kind << 24 | context << 16 | first << 8 | second
    }

    /// The same for solids of more than 256 features of a kind.
    pub(super) fn wide_number(self, context: u64) -> u64 {
        let [kind, first, second] = self.parts();
        kind << 59 | context << 40 | first << 20 | second
    }

    fn parts(self) -> [u64; 3] {
        match self {
            Self::Vertex(vertex) => [1, vertex, 0],
            Self::Crossing(edge, side) => [2, edge, side],
            Self::Corner(face, vertex) => [3, face, vertex],
            Self::Edges(of_a, of_b) => [4, of_a, of_b],
        }
    }
}

/// What an edge of a polygon lies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    /// An edge of the incident solid.
    Edge(u64),
    /// A side of the reference face.
    Side(u64),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Corner {
    /// In the axes of the reference solid.
    pub(super) point: Vector3<f64>,
    pub(super) feature: Feature,
    /// The edge to the next corner.
    pub(super) line: Line,
}

/// Up to `N` corners in order.
pub(super) struct Polygon<const N: usize> {
    // those from `count` on mean nothing
    corners: [Corner; N],
    count: usize,
}

impl<const N: usize> Polygon<N> {
    pub(super) fn empty() -> Self {
        let corner = Corner {
            point: Vector3::zeros(),
            feature: Feature::Vertex(0),
            line: Line::Edge(0),
        };
        Self {
            corners: [corner; N],
            count: 0,
        }
    }

    pub(super) fn corners(&self) -> &[Corner] {
        &self.corners[..self.count]
    }

    pub(super) fn push(&mut self, corner: Corner) {
        // rounding could cut nearly straight lines more often than there is room for
        if self.count < N {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }

    /// What does not lie above a side of the reference face; `None` if that is all of it. `meet`
    /// names the corner where this side and another one cut.
    pub(super) fn cut(
        &self,
        side: u64,
        height: impl Fn(&Vector3<f64>) -> f64,
        meet: impl Fn(u64) -> Feature,
    ) -> Option<Self> {
        let mut kept = Self::empty();
        self.cut_into(side, height, meet, &mut kept).then_some(kept)
    }

    /// As [`Self::cut`], in the place of `kept`; false, with nothing written, if all of the polygon
    /// stays.
    #[inline]
    pub(super) fn cut_into(
        &self,
        side: u64,
        height: impl Fn(&Vector3<f64>) -> f64,
        meet: impl Fn(u64) -> Feature,
        kept: &mut Self,
    ) -> bool {
        let mut heights = [0.0; N];
        for (out, corner) in heights.iter_mut().zip(self.corners()) {
            *out = height(&corner.point);
        }
        let heights = &heights[..self.count];
        if heights.iter().all(|height| *height <= 0.0) {
            return false;
        }
        kept.count = 0;
        for (at, here) in heights.iter().copied().enumerate() {
            let next = if at + 1 < heights.len() { at + 1 } else { 0 };
            let (from, to, there) = (&self.corners[at], &self.corners[next], heights[next]);
            if here <= 0.0 {
                kept.push(*from);
            }
            if (here <= 0.0) != (there <= 0.0) {
                let feature = match from.line {
                    Line::Edge(edge) => Feature::Crossing(edge, side),
                    Line::Side(other) => meet(other),
                };
                let share = here / (here - there);
                kept.push(Corner {
                    point: from.point + share * (to.point - from.point),
                    feature,
                    line: if here <= 0.0 {
                        Line::Side(side)
                    } else {
                        from.line
                    },
                });
            }
        }
        true
    }
}

/// An edge by its middle \[m\], its direction and half of its length \[m\].
pub(super) struct HalfEdge {
    pub(super) middle: Vector3<f64>,
    pub(super) direction: Vector3<f64>,
    pub(super) half: f64,
}

impl HalfEdge {
    /// The edge between two vertices.
    pub(super) fn of([from, to]: [Vector3<f64>; 2]) -> Self {
        let length = (to - from).norm();
        Self {
            middle: 0.5 * (from + to),
            direction: (to - from) / length,
            half: 0.5 * length,
        }
    }

    /// The point so far from the middle.
    pub(super) fn at(&self, along: f64) -> Vector3<f64> {
        self.middle + along * self.direction
    }
}

/// How far the closest points of two edges that are not parallel lie from their middles \[m\]
/// (N.5).
pub(super) fn closest(first: &HalfEdge, second: &HalfEdge) -> [f64; 2] {
    let (u, v) = (first.direction, second.direction);
    let apart = second.middle - first.middle;
    let (c, du, dv) = (u.dot(&v), u.dot(&apart), v.dot(&apart));
    let determinant = u.cross(&v).norm_squared();
    let along_u = (du - c * dv) / determinant;
    let along_v = (c * du - dv) / determinant;
    [
        along_u.clamp(-first.half, first.half),
        along_v.clamp(-second.half, second.half),
    ]
}
