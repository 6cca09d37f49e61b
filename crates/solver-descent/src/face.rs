//! The face of the admissible set that an iterate lies on: which directions stay in it (I.26).

use delassus_core::norm;

use crate::space::Space;

/// Relative distance to a cone's boundary that counts as on it \[-\].
const ON_THE_CONE: f64 = 1e-12;

/// What of a block may move.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Freedom {
    /// Each row by itself: free where it is marked.
    Rows,
    /// All rows of a cone: the contact sticks.
    All,
    /// Along the ray through the impulse: the contact slides.
    Ray([f64; 3]),
    /// Nothing: the contact is open.
    None,
}

/// A linear subspace per block, and which rows have a part in it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Face {
    freedom: Vec<Freedom>,
    free: Vec<bool>,
}

impl Face {
    /// Makes room for the face of `rows` rows, in its memory.
    pub(crate) fn fit(&mut self, space: &Space, rows: usize) {
        self.freedom.clear();
        self.freedom.resize(space.sets().len(), Freedom::None);
        self.free.clear();
        self.free.resize(rows, false);
    }

    /// The face that x lies on.
    pub(crate) fn find(&mut self, space: &Space, x: &[f64]) {
        for (set, freedom) in space.sets().iter().zip(&mut self.freedom) {
            let rows = set.rows();
            let Some(mu) = set.cone() else {
                *freedom = Freedom::Rows;
                for (row, [lower, upper]) in space.bounds(set) {
                    self.free[row] = x[row] > lower && x[row] < upper;
                }
                continue;
            };
            let impulse = &x[rows.clone()];
            let length = norm::norm(&impulse[1..]);
            *freedom = if impulse[0] <= 0.0 {
                Freedom::None
            } else if length >= mu * impulse[0] * (1.0 - ON_THE_CONE) {
                Freedom::Ray(ray(mu, impulse, length))
            } else {
                Freedom::All
            };
            self.free[rows].fill(*freedom != Freedom::None);
        }
    }

    /// True for a row that has a part in the face.
    pub(crate) fn is_free(&self, row: usize) -> bool {
        self.free[row]
    }

    /// v ← the part of v along the face; inactive rows have none.
    pub(crate) fn project(&self, space: &Space, v: &mut [f64]) {
        for (row, (v, free)) in v.iter_mut().zip(&self.free).enumerate() {
            if !free || space.inverse()[row] == 0.0 {
                *v = 0.0;
            }
        }
        for (set, freedom) in space.sets().iter().zip(&self.freedom) {
            if let Freedom::Ray(unit) = freedom {
                let part: f64 = v[set.rows()].iter().zip(unit).map(|(v, u)| v * u).sum();
                for (v, u) in v[set.rows()].iter_mut().zip(unit) {
                    *v = part * u;
                }
            }
        }
    }

    /// True if a point that was reached along the face is still inside the sets.
    pub(crate) fn holds(&self, space: &Space, x: &[f64]) -> bool {
        let mut sets = space.sets().iter().zip(&self.freedom);
        sets.all(|(set, freedom)| match freedom {
            Freedom::Rows => space.bounds(set).all(|(row, [lower, upper])| {
                !self.free[row] || (x[row] >= lower && x[row] <= upper)
            }),
            Freedom::All => {
                let length = norm::norm(&x[set.rows()][1..]);
                set.cone().is_some_and(|mu| length <= mu * x[set.first])
            }
            Freedom::Ray(_) => x[set.first] >= 0.0,
            Freedom::None => true,
        })
    }
}

/// Unit vector along the ray of the cone through an impulse.
fn ray(mu: f64, impulse: &[f64], length: f64) -> [f64; 3] {
    let mut unit = [1.0, 0.0, 0.0];
    if length > 0.0 {
        for (u, t) in unit[1..].iter_mut().zip(&impulse[1..]) {
            *u = mu * t / length;
        }
    }
    let norm = norm::norm(&unit);
    unit.map(|u| u / norm)
}
