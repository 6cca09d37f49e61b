//! Nesterov–Todd scaling of the self-dual second-order cone, of two to six components (Y.15).

use std::array::from_fn;

use crate::newton::model::CONE_ROWS;

/// A vector of the cone, the normal first; components beyond the rows of a cone are zero.
pub(super) type Vector = [f64; CONE_ROWS];

/// xᵀJy, with J = diag(1, −1, −1, …).
fn product(x: &Vector, y: &Vector) -> f64 {
    let pairs = x[1..].iter().zip(&y[1..]);
    pairs.fold(x[0] * y[0], |sum, (x, y)| sum - x * y)
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

fn length(x: &Vector) -> f64 {
    delassus_core::norm::norm(&x[1..])
}

/// (x_0² − ‖x_1‖²)^½ without cancellation; zero outside the cone.
pub(super) fn root_determinant(x: &Vector) -> f64 {
    let length = length(x);
    ((x[0] - length).max(0.0) * (x[0] + length)).sqrt()
}

/// x ∘ y.
pub(super) fn jordan(x: &Vector, y: &Vector) -> Vector {
    let mut out = from_fn(|i| x[0] * y[i] + y[0] * x[i]);
    out[0] = dot(x, y);
    out
}

/// u with x ∘ u = b.
pub(super) fn divide(x: &Vector, b: &Vector) -> Vector {
    let root = root_determinant(x);
    let first = product(x, b) / (root * root);
    let mut out = from_fn(|i| (b[i] - first * x[i]) / x[0]);
    out[0] = first;
    out
}

/// Largest step t with x + t d in the cone; infinite if there is none.
pub(super) fn longest_step(x: &Vector, d: &Vector) -> f64 {
    let root = root_determinant(x);
    let unit = x.map(|v| v / root);
    let along = product(&unit, d) / root;
    let factor = (product(&unit, d) + d[0]) / (unit[0] + 1.0);
    let across = from_fn(|i| d[i] - factor * unit[i]);
    let closing = length(&across) / root - along;
    if closing > 0.0 {
        1.0 / closing
    } else {
        f64::INFINITY
    }
}

/// W with Ws = W⁻¹x for x and s inside the cone (Y.15).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NesterovTodd {
    beta: f64,
    w: Vector,
}

impl NesterovTodd {
    /// `None` if x or s is on the boundary to rounding.
    pub(super) fn new(x: &Vector, s: &Vector) -> Option<Self> {
        let (root_x, root_s) = (root_determinant(x), root_determinant(s));
        if root_x.min(root_s) <= 0.0 {
            return None;
        }
        let (x, s) = (x.map(|v| v / root_x), s.map(|v| v / root_s));
        let inner = dot(&x, &s);
        let gamma = (0.5 * (1.0 + inner)).sqrt();
        let w = from_fn(|i| if i == 0 { x[0] + s[0] } else { x[i] - s[i] });
        let w = w.map(|v| v / (2.0 * gamma));
        let beta = (root_x / root_s).sqrt();
        (beta > 0.0 && beta.is_finite()).then_some(Self { beta, w })
    }

    /// Wx.
    pub(super) fn apply(&self, x: &Vector) -> Vector {
        self.transform(x, 1.0).map(|v| v * self.beta)
    }

    /// W⁻¹x.
    pub(super) fn apply_inverse(&self, x: &Vector) -> Vector {
        self.transform(x, -1.0).map(|v| v / self.beta)
    }

    /// The matrix of W/β, or with `sign` −1 that of its inverse, times x.
    fn transform(&self, x: &Vector, sign: f64) -> Vector {
        let w = &self.w;
        let inner = dot(&w[1..], &x[1..]);
        let factor = sign * x[0] + inner / (1.0 + w[0]);
        let mut out = from_fn(|i| x[i] + factor * w[i]);
        out[0] = w[0] * x[0] + sign * inner;
        out
    }

    /// Entry (i, k) of W⁻².
    pub(super) fn inverse_square(&self, i: usize, k: usize) -> f64 {
        let flip = |i: usize| if i == 0 { self.w[0] } else { -self.w[i] };
        let metric = match (i == k, i) {
            (false, _) => 0.0,
            (true, 0) => 1.0,
            (true, _) => -1.0,
        };
        (2.0 * flip(i) * flip(k) - metric) / (self.beta * self.beta)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: &Vector, b: &Vector) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-13)
    }

    #[test]
    fn scales_both_vectors_to_one() {
        let (x, s) = (
            [2.0, 0.5, -1.0, 0.25, 0.75, -0.5],
            [1.0, 0.3, 0.6, -0.2, 0.1, 0.4],
        );
        let scaling = NesterovTodd::new(&x, &s).unwrap();
        let scaled = scaling.apply(&s);
        assert!(close(&scaled, &scaling.apply_inverse(&x)));
        assert!(close(&scaling.apply(&scaling.apply_inverse(&x)), &x));
        // W⁻²x = s
        let product: Vector = from_fn(|i| {
            (0..CONE_ROWS)
                .map(|k| scaling.inverse_square(i, k) * x[k])
                .sum()
        });
        assert!(close(&product, &s));
        assert!(close(&divide(&scaled, &jordan(&scaled, &x)), &x));
        assert!(NesterovTodd::new(&[1.0, 0.6, 0.8, 0.0, 0.0, 0.0], &s).is_none());
    }

    #[test]
    fn the_longest_step_ends_on_the_boundary() {
        let (x, d) = (
            [2.0, 0.5, -1.0, 0.25, 0.75, -0.5],
            [-1.0, 0.25, 0.5, -0.5, 0.125, 0.25],
        );
        let step = longest_step(&x, &d);
        let at: Vector = from_fn(|i| x[i] + step * d[i]);
        assert!((at[0] - length(&at)).abs() < 1e-14, "{at:?}");
        let inwards = [1.0, 0.5, 0.0, 0.0, 0.0, 0.0];
        assert_eq!(longest_step(&x, &inwards), f64::INFINITY);
    }
}
