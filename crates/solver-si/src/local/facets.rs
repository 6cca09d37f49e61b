//! One contact with the inscribed friction pyramid, exactly (F4), by enumeration of states.
//!
//! Open, stick, slip at a corner (one unknown) or slip along an edge (a linear system): 2 + 2d
//! states (G.26).

use delassus_core::Polygon;
use delassus_core::projection::interval;

use super::boxes::solve_3;
use super::{LocalSolver, OwnMatrix};

/// A contact with two tangents in μ λ_n times a polygon (P.10).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FacetContact {
    mu: f64,
    polygon: Polygon,
    own: OwnMatrix,
}

/// What the contact does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slip {
    Open,
    Stick,
    /// λ_t = μ λ_n d_i.
    Corner(u32),
    /// λ_t between d_i and d_{i+1}; nothing moves along the edge.
    Edge(u32),
}

impl FacetContact {
    /// For a contact of three rows.
    pub(crate) fn new(own: &OwnMatrix, mu: f64, polygon: Polygon) -> Self {
        Self {
            mu,
            polygon,
            own: *own,
        }
    }

    /// Corners before edges, so that equal misses have one answer.
    fn states(&self) -> impl Iterator<Item = Slip> {
        let facets = self.polygon.facets();
        [Slip::Open, Slip::Stick]
            .into_iter()
            .chain((0..facets).map(Slip::Corner))
            .chain((0..facets).map(Slip::Edge))
    }

    /// The impulse that a state's equations determine.
    fn candidate(&self, q: [f64; 3], state: Slip) -> Option<[f64; 3]> {
        let w = &self.own.w;
        match state {
            Slip::Open => Some([0.0; 3]),
            Slip::Stick => solve_3(*w, q.map(|x| -x)),
            Slip::Corner(index) => {
                let [c, s] = self.polygon.corner(index).map(|d| self.mu * d);
                let stiffness = w[0][0] + c * w[0][1] + s * w[0][2];
                let normal = -q[0] / stiffness;
                let found = [normal, c * normal, s * normal];
                found.iter().all(|x| x.is_finite()).then_some(found)
            }
            Slip::Edge(index) => {
                let [c, s] = self.polygon.normal(index);
                let along = |i: usize| -s * w[1][i] + c * w[2][i];
                let a = [
                    w[0],
                    [along(0), along(1), along(2)],
                    [-self.mu * self.polygon.apothem(), c, s],
                ];
                solve_3(a, [-q[0], s * q[1] - c * q[2], 0.0])
            }
        }
    }

    /// By how much a candidate misses its state's inequalities, velocities as impulses of their
    /// rows \[N·s\].
    fn miss(&self, q: [f64; 3], r: [f64; 3], state: Slip) -> f64 {
        let w = &self.own.w;
        let velocity = |i: usize| w[i][0] * r[0] + w[i][1] * r[1] + w[i][2] * r[2] + q[i];
        // what pushes along the polygon, as an impulse
        let stiffness = 0.5 * (w[1][1] + w[2][2]);
        let push = || [-velocity(1) / stiffness, -velocity(2) / stiffness];
        let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
        let t = [r[1], r[2]];
        match state {
            Slip::Open => -velocity(0) / w[0][0],
            Slip::Stick => {
                let inside = self.polygon.project(t, self.mu * r[0].max(0.0));
                let outside = [t[0] - inside[0], t[1] - inside[1]];
                dot(outside, outside).sqrt().max(-r[0])
            }
            Slip::Corner(index) => {
                let facets = self.polygon.facets();
                let corner = self.polygon.corner(index);
                let push = push();
                let towards =
                    |other: u32| dot(self.polygon.corner(other), push) - dot(corner, push);
                let neighbours = [index + 1, index + facets - 1].map(towards);
                neighbours[0].max(neighbours[1]).max(-r[0])
            }
            Slip::Edge(index) => {
                let normal = self.polygon.normal(index);
                let half = self.mu * r[0] * self.half_edge();
                let beyond = dot([-normal[1], normal[0]], t).abs() - half;
                beyond.max(-dot(normal, push())).max(-r[0])
            }
        }
    }

    /// Half of an edge of the unit polygon \[-\], sin(π/d).
    fn half_edge(&self) -> f64 {
        let [a, b] = [0, 1].map(|index| self.polygon.corner(index));
        let edge = [a[0] - b[0], a[1] - b[1]];
        0.5 * (edge[0] * edge[0] + edge[1] * edge[1]).sqrt()
    }
}

impl LocalSolver for FacetContact {
    /// The first state whose impulse satisfies every condition, or the one that misses least, as of
    /// boxes (G.11).
    fn solve(&self, q: [f64; 3], _: [f64; 3]) -> Option<[f64; 3]> {
        let mut best: Option<(f64, [f64; 3])> = None;
        for state in self.states() {
            let Some(r) = self.candidate(q, state) else {
                continue;
            };
            let miss = self.miss(q, r, state);
            if miss <= 0.0 {
                return Some(self.project(r));
            }
            if best.is_none_or(|(least, _)| miss < least) {
                best = Some((miss, r));
            }
        }
        best.map(|(_, r)| self.project(r))
    }

    fn project(&self, impulse: [f64; 3]) -> [f64; 3] {
        let normal = interval(impulse[0], 0.0, f64::INFINITY);
        let [t, s] = self
            .polygon
            .project([impulse[1], impulse[2]], self.mu * normal);
        [normal, t, s]
    }
}
