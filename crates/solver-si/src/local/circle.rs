//! Two tangents that slide on a circle: (S + αI) t = −s with α ≥ 0, and the equation for α.

use super::root::{newton, raise};

/// A 2 × 2 matrix S with what its resolvent needs.
///
/// (S + αI)⁻¹ = adj(S + αI) / d(α), adj(S + αI) = adj S + αI, d(α) = α² + τα + δ (G.8).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tangential {
    s: [[f64; 2]; 2],
    /// tr S.
    trace: f64,
    /// det S, zero if it is zero to rounding.
    determinant: f64,
    /// Largest non-negative root of d, above which d > 0; zero for a positive definite S.
    floor: f64,
}

/// det S below this multiple of (tr S)² is rounding of a singular matrix \[-\].
const SINGULAR: f64 = 64.0 * f64::EPSILON;

/// A right-hand side counts as in the range of a singular S if it misses it by less than this
/// \[-\].
const CONSISTENT: f64 = 1e-12;

impl Tangential {
    pub(crate) fn new(s: [[f64; 2]; 2]) -> Self {
        let trace = s[0][0] + s[1][1];
        let size = s[0][0].abs() + s[1][1].abs() + s[0][1].abs() + s[1][0].abs();
        let mut determinant = s[0][0] * s[1][1] - s[0][1] * s[1][0];
        if determinant.abs() <= SINGULAR * size * size {
            determinant = 0.0;
        }
        let discriminant = 0.25 * trace * trace - determinant;
        let floor = if discriminant >= 0.0 && (determinant < 0.0 || trace < 0.0) {
            (discriminant.sqrt() - 0.5 * trace).max(0.0)
        } else {
            0.0
        };
        Self {
            s,
            trace,
            determinant,
            floor,
        }
    }

    /// adj(S) s: with it, adj(S + αI) s = adj(S) s + α s.
    #[inline(always)]
    pub(crate) fn adjugate_times(&self, s: [f64; 2]) -> [f64; 2] {
        [
            self.s[1][1] * s[0] - self.s[0][1] * s[1],
            self.s[0][0] * s[1] - self.s[1][0] * s[0],
        ]
    }

    /// d(α).
    #[inline(always)]
    pub(crate) fn denominator(&self, alpha: f64) -> f64 {
        (alpha + self.trace) * alpha + self.determinant
    }

    /// Coefficients of d, constant first.
    #[inline(always)]
    pub(crate) fn polynomial(&self) -> [f64; 3] {
        [self.determinant, self.trace, 1.0]
    }

    /// Largest non-negative root of d, or zero.
    #[inline(always)]
    pub(crate) fn floor(&self) -> f64 {
        self.floor
    }

    /// t with S t = −s: unique, of minimum norm if S is singular and s in its range, else `None`.
    #[inline(always)]
    pub(crate) fn stick(&self, s: [f64; 2]) -> Option<[f64; 2]> {
        if self.determinant > 0.0 && self.trace > 0.0 {
            let adjugate = self.adjugate_times(s);
            let inverse = -1.0 / self.determinant;
            return Some([adjugate[0] * inverse, adjugate[1] * inverse]);
        }
        self.stick_singular(s)
    }

    #[cold]
    fn stick_singular(&self, s: [f64; 2]) -> Option<[f64; 2]> {
        if s == [0.0, 0.0] {
            return Some([0.0, 0.0]);
        }
        if self.determinant != 0.0 || self.trace <= 0.0 {
            return None;
        }
        // a symmetric matrix of rank one: S = τ u uᵀ, S⁺ = S / τ²
        let scale = -1.0 / (self.trace * self.trace);
        let t = [
            scale * (self.s[0][0] * s[0] + self.s[0][1] * s[1]),
            scale * (self.s[1][0] * s[0] + self.s[1][1] * s[1]),
        ];
        let miss = [
            self.s[0][0] * t[0] + self.s[0][1] * t[1] + s[0],
            self.s[1][0] * t[0] + self.s[1][1] * t[1] + s[1],
        ];
        (length(miss) <= CONSISTENT * length(s)).then_some(t)
    }

    /// The multiplier α that makes `t` satisfy (S + αI) t = −s along t, at least zero: a guess from
    /// an older t.
    #[inline(always)]
    pub(crate) fn rayleigh(&self, s: [f64; 2], t: [f64; 2]) -> f64 {
        let square = t[0] * t[0] + t[1] * t[1];
        let force = [
            s[0] + self.s[0][0] * t[0] + self.s[0][1] * t[1],
            s[1] + self.s[1][0] * t[0] + self.s[1][1] * t[1],
        ];
        let alpha = -(force[0] * t[0] + force[1] * t[1]) / square;
        if alpha > 0.0 { alpha } else { 0.0 }
    }
}

/// The t of a disc of given radius that satisfies its law against S t + s: (S + αI) t = −s, α ≥ 0
/// (G.12).
///
/// Returns t and α; `None` only if S is not positive semi-definite. `radius` is not negative.
pub(crate) fn solve_disc(
    tangential: &Tangential,
    s: [f64; 2],
    radius: f64,
    guess: f64,
) -> Option<([f64; 2], f64)> {
    let stick = tangential.stick(s);
    if let Some(t) = stick.filter(|t| length(*t) <= radius) {
        return Some((t, 0.0));
    }
    if radius == 0.0 {
        return Some(([0.0, 0.0], 0.0));
    }
    let adjugate = tangential.adjugate_times(s);
    let quadratic = tangential.polynomial().map(|c| radius * c);
    let Some(alpha) = crossing(quadratic, adjugate, s, tangential.floor(), guess) else {
        // outside the disc by rounding only
        let t = stick.filter(|t| length(*t) <= (1.0 + CONSISTENT) * radius)?;
        let scale = radius / length(t);
        return Some(([scale * t[0], scale * t[1]], 0.0));
    };
    let u = [adjugate[0] + alpha * s[0], adjugate[1] + alpha * s[1]];
    let scale = -radius / length(u);
    Some(([scale * u[0], scale * u[1]], alpha))
}

/// The α > floor at which c₀ + c₁α + c₂α² overtakes ‖a + αs‖ (G.10), by Newton steps inside a
/// bracket.
///
/// Squared, this is a quartic as in \[Bonnefon2011\]; unsquared it has no spurious roots. c₂ > 0.
/// There is a root if the quadratic lies below the norm at `floor`; with three roots the one that
/// the bracket closes on is returned, and it is a function of the arguments. `None` if the
/// quadratic is above at `floor`, or something is not finite.
pub(crate) fn crossing(
    c: [f64; 3],
    a: [f64; 2],
    s: [f64; 2],
    floor: f64,
    guess: f64,
) -> Option<f64> {
    let difference = |alpha: f64| difference(c, a, s, alpha);
    let bound = upper_bound(c, length(a), length(s))?.max(floor);
    let start_below = difference(floor).0;
    if start_below >= 0.0 || !start_below.is_finite() {
        return None;
    }
    // rounding may leave the bound a little short
    let high = raise(|alpha| difference(alpha).0, bound);
    let alpha = newton(difference, floor, high, guess);
    alpha.is_finite().then_some(alpha)
}

/// c₀ + c₁α + c₂α² − ‖a + αs‖ and its slope.
#[inline(always)]
fn difference(c: [f64; 3], a: [f64; 2], s: [f64; 2], alpha: f64) -> (f64, f64) {
    let u = [a[0] + alpha * s[0], a[1] + alpha * s[1]];
    let norm = length(u);
    let value = (c[2] * alpha + c[1]) * alpha + c[0] - norm;
    let norm_slope = if norm > 0.0 {
        (u[0] * s[0] + u[1] * s[1]) / norm
    } else {
        0.0
    };
    (value, 2.0 * c[2] * alpha + c[1] - norm_slope)
}

/// The α at which the quadratic overtakes the larger ‖a‖ + α‖s‖.
fn upper_bound(c: [f64; 3], a: f64, s: f64) -> Option<f64> {
    let (half, constant) = (0.5 * (c[1] - s), c[0] - a);
    let root = (half * half - c[2] * constant).sqrt();
    // the stable form of the larger root of c₂α² + 2·half·α + constant
    let alpha = if half <= 0.0 {
        (root - half) / c[2]
    } else {
        -constant / (root + half)
    };
    alpha.is_finite().then_some(alpha.max(0.0))
}

#[inline(always)]
pub(crate) fn length(t: [f64; 2]) -> f64 {
    delassus_core::norm::norm(&t)
}

#[cfg(test)]
mod tests;
