//! The finitely many modes of rows and 2D contacts: what enumeration runs through (D.13, D.14).

use delassus_core::{Factor, Law, Problem, Radius, SetShape};

use crate::bounds::{self, RowBounds};
use crate::elimination::{MAX, SmallSystem};

/// Rows that choose their mode together. Numbers are scaled (D.2), one factor for all rows of a
/// contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Unit {
    /// One row with fixed bounds.
    Row { row: usize, lower: f64, upper: f64 },
    /// A normal row and its tangents with |λ_t| ≤ μλ_n each.
    Pyramid {
        normal: usize,
        tangents: usize,
        mu: f64,
    },
    /// A normal row and one tangent in the convex cone.
    Cone { normal: usize, mu: f64 },
}

/// Mode of one row with bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowMode {
    Free,
    Lower,
    Upper,
}

/// Mode of one tangent of a closed contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TangentMode {
    Stick,
    Plus,
    Minus,
}

impl TangentMode {
    const ALL: [Self; 3] = [Self::Stick, Self::Plus, Self::Minus];

    /// λ_t / (μ λ_n) of the sliding modes.
    fn sign(self) -> f64 {
        match self {
            Self::Stick => 0.0,
            Self::Plus => 1.0,
            Self::Minus => -1.0,
        }
    }
}

/// A choice of mode for every unit, as equations (D.15).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Assignment {
    /// Impulses that are known, zero elsewhere.
    y: [f64; MAX],
    unknown: [usize; MAX],
    size: usize,
    /// Row whose unknown this row follows; itself if it follows none.
    leader: [usize; MAX],
    /// λ_row / λ_leader.
    slope: [f64; MAX],
    /// True if the follower's velocity enters its leader's equation.
    reacts: [bool; MAX],
}

/// Absolute limits below which impulses and velocities count as zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) impulse: f64,
    pub(crate) velocity: f64,
}

/// The units of a problem in row order, and the scaling d of each row; `None` in a friction law
/// that has no finite set of modes, with the block.
pub(crate) fn units(
    problem: &Problem,
    impulses: &[f64],
    matrix_scaling: &[f64],
    units: &mut Vec<Unit>,
    d: &mut [f64],
) -> Result<(), usize> {
    units.clear();
    for (index, block) in problem.blocks().iter().enumerate() {
        let active = problem.active_dim(index);
        let rows = block.rows();
        d[rows.clone()].copy_from_slice(&matrix_scaling[rows.clone()]);
        if let Some(friction) = coupled(&block.law, active) {
            // one factor for the contact: the cone keeps its shape
            let common = d[rows.clone()].iter().fold(f64::INFINITY, |a, b| a.min(*b));
            d[rows].fill(common);
            let normal = block.first_row;
            units.push(match (friction.shape, friction.radius) {
                (SetShape::Cone, Radius::Fixed(mu)) if friction.len == 2 => {
                    Unit::Cone { normal, mu }
                }
                (SetShape::Interval { .. } | SetShape::Ball, _) if alone(&friction) => {
                    Unit::Pyramid {
                        normal,
                        tangents: friction.len,
                        mu: friction.slope(0),
                    }
                }
                _ => return Err(index),
            });
            continue;
        }
        for (local, row) in rows.enumerate() {
            let bounds = if local < active {
                // friction with μ = 0 leaves no tangential impulse
                bounds::of_row(&block.law, active, local).unwrap_or(RowBounds::fixed(0.0))
            } else {
                RowBounds::fixed(impulses[row])
            };
            units.push(Unit::Row {
                row,
                lower: bounds.lower / d[row],
                upper: bounds.upper / d[row],
            });
        }
    }
    Ok(())
}

/// The friction of a contact whose tangents are active and bounded by its normal impulse.
fn coupled(law: &Law, active: usize) -> Option<Factor<'_>> {
    let factors = law.factors(active).in_disc_form();
    match *factors {
        [_, friction] if friction.with_normal && friction.slope(0) > 0.0 => Some(friction),
        [
            cone @ Factor {
                shape: SetShape::Cone,
                radius: Radius::Fixed(mu),
                ..
            },
        ] if mu > 0.0 => Some(cone),
        _ => None,
    }
}

/// True if every row of the friction has bounds of its own: there is one, or they make a square.
fn alone(friction: &Factor<'_>) -> bool {
    friction.len == 1 || matches!(friction.shape, SetShape::Interval { .. })
}

impl Unit {
    /// Number of modes.
    pub(crate) fn modes(&self) -> usize {
        match *self {
            Self::Row { lower, upper, .. } if lower == upper => 1,
            Self::Row { lower, upper, .. } => {
                1 + usize::from(lower.is_finite()) + usize::from(upper.is_finite())
            }
            Self::Pyramid { tangents: 1, .. } | Self::Cone { .. } => 4,
            Self::Pyramid { .. } => 10,
        }
    }

    fn row_mode(lower: f64, upper: f64, mode: usize) -> RowMode {
        match mode {
            _ if lower == upper => RowMode::Lower,
            0 => RowMode::Free,
            1 if lower.is_finite() => RowMode::Lower,
            _ => RowMode::Upper,
        }
    }

    /// The tangents' modes of a closed contact; `None` if it is open.
    fn tangent_modes(mode: usize) -> Option<[TangentMode; 2]> {
        let closed = mode.checked_sub(1)?;
        Some([TangentMode::ALL[closed % 3], TangentMode::ALL[closed / 3]])
    }

    /// True if impulses `y` and velocities `w` satisfy every equation and inequality of the mode
    /// (D.13, D.14).
    pub(crate) fn holds(&self, mode: usize, y: &[f64], w: &[f64], limits: Limits) -> bool {
        match *self {
            Self::Row { lower, upper, .. } if lower == upper => true,
            Self::Row { row, lower, upper } => limits.row(
                Self::row_mode(lower, upper, mode),
                RowBounds { lower, upper },
                y[row],
                w[row],
            ),
            Self::Pyramid {
                normal,
                tangents,
                mu,
            } => {
                let rows = normal..normal + 1 + tangents;
                limits.pyramid(Self::tangent_modes(mode), mu, &y[rows.clone()], &w[rows])
            }
            Self::Cone { normal, mu } => {
                let rows = normal..normal + 2;
                let tangent = Self::tangent_modes(mode).map(|modes| modes[0]);
                limits.cone(tangent, mu, &y[rows.clone()], &w[rows])
            }
        }
    }
}

impl Limits {
    fn row(self, mode: RowMode, RowBounds { lower, upper }: RowBounds, y: f64, w: f64) -> bool {
        match mode {
            RowMode::Free => {
                w.abs() <= self.velocity && y >= lower - self.impulse && y <= upper + self.impulse
            }
            RowMode::Lower => (y - lower).abs() <= self.impulse && w >= -self.velocity,
            RowMode::Upper => (y - upper).abs() <= self.impulse && w <= self.velocity,
        }
    }

    /// `y` and `w` are those of one contact, normal first; no modes of the tangents: open.
    fn pyramid(self, modes: Option<[TangentMode; 2]>, mu: f64, y: &[f64], w: &[f64]) -> bool {
        let Some(modes) = modes else {
            return y.iter().all(|x| x.abs() <= self.impulse) && w[0] >= -self.velocity;
        };
        let closed = w[0].abs() <= self.velocity && y[0] >= -self.impulse;
        let mut tangents = y[1..].iter().zip(&w[1..]).zip(modes);
        closed
            && tangents.all(|((y_t, w_t), mode)| match mode {
                TangentMode::Stick => {
                    w_t.abs() <= self.velocity && y_t.abs() <= mu * y[0] + self.impulse
                }
                TangentMode::Plus | TangentMode::Minus => {
                    let sign = mode.sign();
                    (y_t - sign * mu * y[0]).abs() <= self.impulse && sign * w_t <= self.velocity
                }
            })
    }

    /// `y` and `w` are those of one contact, normal first; no mode of the tangent: open.
    fn cone(self, mode: Option<TangentMode>, mu: f64, y: &[f64], w: &[f64]) -> bool {
        let dual = w[0] >= mu * w[1].abs() - self.velocity;
        match mode {
            None => dual && y.iter().all(|x| x.abs() <= self.impulse),
            Some(TangentMode::Stick) => {
                w.iter().all(|v| v.abs() <= self.velocity) && y[1].abs() <= mu * y[0] + self.impulse
            }
            Some(sliding) => {
                let slope = sliding.sign() * mu;
                dual && y[0] >= -self.impulse
                    && (y[1] - slope * y[0]).abs() <= self.impulse
                    && (w[0] + slope * w[1]).abs() <= self.velocity
            }
        }
    }
}

impl Assignment {
    /// Collects the equations of one mode per unit.
    pub(crate) fn new(units: &[Unit], modes: &[usize]) -> Self {
        let mut assignment = Self {
            y: [0.0; MAX],
            unknown: [0; MAX],
            size: 0,
            leader: std::array::from_fn(|i| i),
            slope: [1.0; MAX],
            reacts: [false; MAX],
        };
        for (unit, mode) in units.iter().zip(modes) {
            assignment.add(unit, *mode);
        }
        assignment
    }

    /// Number of unknown impulses.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    fn add(&mut self, unit: &Unit, mode: usize) {
        match *unit {
            Unit::Row { row, lower, upper } => match Unit::row_mode(lower, upper, mode) {
                RowMode::Free => self.add_unknown(row),
                RowMode::Lower => self.y[row] = lower,
                RowMode::Upper => self.y[row] = upper,
            },
            Unit::Pyramid {
                normal,
                tangents,
                mu,
            } => {
                if let Some(modes) = Unit::tangent_modes(mode) {
                    self.add_contact(normal, mu, &modes[..tangents], false);
                }
            }
            Unit::Cone { normal, mu } => {
                if let Some(modes) = Unit::tangent_modes(mode) {
                    self.add_contact(normal, mu, &modes[..1], true);
                }
            }
        }
    }

    fn add_contact(&mut self, normal: usize, mu: f64, modes: &[TangentMode], reacts: bool) {
        self.add_unknown(normal);
        for (row, mode) in (normal + 1..).zip(modes) {
            if *mode == TangentMode::Stick {
                self.add_unknown(row);
            } else {
                self.leader[row] = normal;
                self.slope[row] = mode.sign() * mu;
                self.reacts[row] = reacts;
            }
        }
    }

    fn add_unknown(&mut self, row: usize) {
        self.unknown[self.size] = row;
        self.size += 1;
    }

    /// Rows that move with the unknown of `row`, itself first: `(row, slope)`.
    fn followers(&self, row: usize, rows: usize) -> impl Iterator<Item = (usize, f64)> {
        let others = (row + 1..rows.min(row + 3)).filter(move |t| self.leader[*t] == row);
        std::iter::once((row, 1.0)).chain(others.map(|t| (t, self.slope[t])))
    }

    /// The square system of the unknowns (D.15); `d` weighs them in newton-seconds.
    pub(crate) fn system(&self, matrix: &[[f64; MAX]; MAX], c: &[f64], d: &[f64]) -> SmallSystem {
        let rows = c.len();
        let mut system = SmallSystem::new();
        system.size = self.size;
        for e in 0..self.size {
            let lead = self.unknown[e];
            let mut squares = 0.0;
            for (row, slope) in self.followers(lead, rows) {
                squares += slope * slope;
                if row != lead && !self.reacts[row] {
                    continue;
                }
                let known: f64 = (0..rows).map(|j| matrix[row][j] * self.y[j]).sum();
                system.right[e] -= slope * (c[row] + known);
                for k in 0..self.size {
                    let column = self.followers(self.unknown[k], rows);
                    let entry: f64 = column.map(|(j, s)| s * matrix[row][j]).sum();
                    system.matrix[e][k] += slope * entry;
                }
            }
            system.weight[e] = d[lead] * squares.sqrt();
        }
        system
    }

    /// All impulses from the unknowns.
    pub(crate) fn expand(&self, unknowns: &[f64; MAX], rows: usize) -> [f64; MAX] {
        let mut y = self.y;
        for k in 0..self.size {
            for (row, slope) in self.followers(self.unknown[k], rows) {
                y[row] = slope * unknowns[k];
            }
        }
        y
    }
}

#[cfg(test)]
mod tests;
