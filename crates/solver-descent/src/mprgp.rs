//! `mprgp`: modified proportioning with reduced gradient projections, conjugate gradients inside a
//! face of the box.
//!
//! The gradient has a free part φ, of rows off their bounds, and a chopped part β, of rows that
//! want to leave theirs (I.17). While β is not too large against φ, conjugate gradients minimize on
//! the face; a step that would leave the box goes to its boundary and on by a projected gradient
//! step, which adds rows to the boundary; otherwise a step along β takes rows off it (I.18, I.19).
//! f falls in every iteration by a factor that only the spectrum decides (I.20).
//!
//! Budget per iteration: one product with A, two where the face grows; a renewal of w every 64.
//! Nearest siblings: `projected-cg` goes on to cones and has preconditioners, without the proof;
//! `bpp` exchanges whole sets and factorizes.
//!
//! Departures: bounds on both sides (\[Dostal2009\] has one), where a step along β ends at the
//! opposite bound; on singular A a direction without curvature goes to the boundary. Limitations:
//! bounds that do not depend on λ: cones and discs are refused. A solve on an indefinite matrix
//! ends as unsupported where f falls without end along a direction. Theory:
//! docs/theory/24-first-order.md. Source: \[Dostal2005\], \[Dostal2009\].

use delassus_core::{
    Checked, Parameters, Problem, SolveError, SolverDescriptor, StateCoverage, Unsupported,
};

use crate::best_iterate::BestIterate;
use crate::running::{DescentMethod, Iteration};
use crate::space::{Space, copy, dot, zeros};
use crate::spectrum;

/// Modified proportioning with reduced gradient projections (I.17–I.20).
pub type Mprgp = Checked<DescentMethod<Proportioning>>;

/// Parameters of `mprgp`.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct MprgpParameters {
    /// Gamma: how large the chopped gradient may be against the free one before rows leave their
    /// bounds.
    #[parameter(default = 1.0, unit = "-", range = "> 0")]
    pub proportion: f64,
}

/// Iterations after which w is computed anew from the impulses \[-\].
const RENEWAL: u32 = 64;

/// Curvature over squared length that counts as none \[-\].
const FLAT: f64 = 1e-15;

/// Curvature over squared length that no rounding of a semi-definite matrix has \[-\].
const INDEFINITE: f64 = -1e-10;

/// The iterate of [`Mprgp`].
#[derive(Debug, Clone, Default)]
pub struct Proportioning {
    x: Vec<f64>,
    w: Vec<f64>,
    /// Direction of descent −p, p of (I.18) \[N·s\].
    p: Vec<f64>,
    change: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    keeper: BestIterate,
    proportion: f64,
    /// Length of a gradient projection over D \[-\].
    step: f64,
    age: u32,
}

/// The minimum along a direction.
struct Minimum {
    /// α there; infinite where f has no curvature along the direction.
    alpha: f64,
    /// pᵀ(A + R)p \[J\].
    bend: f64,
    /// The longest α that keeps the bounds.
    room: f64,
}

/// Bounds per row \[N·s\]; inactive rows keep what is there, their start, and never move.
fn bounds(space: &Space, lower: &mut [f64], upper: &mut [f64]) {
    for set in space.sets() {
        for (row, [least, most]) in space.bounds(set) {
            (lower[row], upper[row]) = (least, most);
        }
    }
}

impl Proportioning {
    /// The last iterate, which need not be the best \[N·s\].
    pub fn iterate(&self) -> &[f64] {
        &self.x
    }

    /// The free gradient: w off the bounds, zero on them (I.17).
    fn free(&self, row: usize) -> f64 {
        if self.x[row] > self.lower[row] && self.x[row] < self.upper[row] {
            self.w[row]
        } else {
            0.0
        }
    }

    /// The chopped gradient: what of w would take a row off its bound (I.17).
    fn chopped(&self, row: usize) -> f64 {
        let (at_lower, at_upper) = (
            self.x[row] <= self.lower[row],
            self.x[row] >= self.upper[row],
        );
        match (at_lower, at_upper) {
            (true, true) | (false, false) => 0.0,
            (true, false) => self.w[row].min(0.0),
            (false, true) => self.w[row].max(0.0),
        }
    }

    /// ‖β‖² and φ̃ᵀφ (I.18) \[J\].
    fn parts(&self, space: &Space) -> (f64, f64) {
        let (mut chopped, mut free) = (0.0, 0.0);
        for (row, inverse) in space.inverse().iter().enumerate() {
            let (beta, phi) = (self.chopped(row), self.free(row));
            chopped += inverse * beta * beta;
            // what a projected step of the free rows would use of φ
            let length = self.step * inverse;
            let reduced = if length * phi > self.x[row] - self.lower[row] {
                (self.x[row] - self.lower[row]) / length
            } else if length * phi < self.x[row] - self.upper[row] {
                (self.x[row] - self.upper[row]) / length
            } else {
                phi
            };
            free += inverse * phi * reduced;
        }
        (chopped, free)
    }

    /// p ← D⁻¹φ.
    fn aim_free(&mut self, space: &Space) {
        for (row, inverse) in space.inverse().iter().enumerate() {
            self.p[row] = inverse * self.free(row);
        }
    }

    /// Longest α that keeps x − αp inside \[-\].
    fn room(&self) -> f64 {
        let mut room = f64::INFINITY;
        for (row, p) in self.p.iter().enumerate() {
            if *p > 0.0 {
                room = room.min((self.x[row] - self.lower[row]) / p);
            } else if *p < 0.0 {
                room = room.min((self.x[row] - self.upper[row]) / p);
            }
        }
        room
    }

    /// The minimum of f along −p.
    ///
    /// # Errors
    /// Neither a bound nor a minimum ends the way: the matrix is indefinite.
    fn minimum(&mut self, space: &mut Space, problem: &Problem) -> Result<Minimum, SolveError> {
        space.multiply(problem, &self.p, &mut self.change)?;
        let bend = dot(&self.p, &self.change);
        let (size, room) = (space.dot(&self.p, &self.p), self.room());
        if bend < INDEFINITE * size && room == f64::INFINITY {
            return Err(SolveError::Unsupported(Unsupported::Indefinite {
                solver: Self::DESCRIPTOR.id,
                advice: "take lemke or auto",
            }));
        }
        let flat = bend <= FLAT * size;
        let alpha = if flat {
            f64::INFINITY
        } else {
            dot(&self.w, &self.p) / bend
        };
        Ok(Minimum { alpha, bend, room })
    }

    /// x − αp and w with it, inside the box to the last bit.
    fn go(&mut self, alpha: f64) {
        for row in 0..self.x.len() {
            let moved = self.x[row] - alpha * self.p[row];
            self.x[row] = moved.max(self.lower[row]).min(self.upper[row]);
            self.w[row] -= alpha * self.change[row];
        }
    }

    /// One step of conjugate gradients, or to the boundary and on (I.18).
    fn conjugate(&mut self, space: &mut Space, problem: &Problem) -> Result<u64, SolveError> {
        let Minimum { alpha, bend, room } = self.minimum(space, problem)?;
        if alpha <= room && alpha.is_finite() {
            self.go(alpha);
            let mut along = 0.0;
            for (row, inverse) in space.inverse().iter().enumerate() {
                along += inverse * self.free(row) * self.change[row];
            }
            let gamma = along / bend;
            for (row, inverse) in space.inverse().iter().enumerate() {
                self.p[row] = inverse * self.free(row) - gamma * self.p[row];
            }
            return Ok(1);
        }
        // no curvature and no bound on the way: a gradient step of the free rows is all there is
        if room.is_finite() {
            self.go(room);
        }
        self.expand(space, problem)?;
        Ok(2)
    }

    /// The projected gradient step of the free rows.
    fn expand(&mut self, space: &mut Space, problem: &Problem) -> Result<(), SolveError> {
        for (row, inverse) in space.inverse().iter().enumerate() {
            let moved = self.x[row] - self.step * inverse * self.free(row);
            self.x[row] = moved.max(self.lower[row]).min(self.upper[row]);
        }
        space.velocity(problem, &self.x, &mut self.w)?;
        self.age = 0;
        self.aim_free(space);
        Ok(())
    }

    /// A step along the chopped gradient (I.19).
    fn proportion(&mut self, space: &mut Space, problem: &Problem) -> Result<u64, SolveError> {
        for (row, inverse) in space.inverse().iter().enumerate() {
            self.p[row] = inverse * self.chopped(row);
        }
        let Minimum { alpha, room, .. } = self.minimum(space, problem)?;
        let alpha = alpha.min(room);
        self.go(if alpha.is_finite() { alpha } else { self.step });
        self.aim_free(space);
        Ok(1)
    }
}

impl Iteration for Proportioning {
    type Parameters = MprgpParameters;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "mprgp",
        aliases: &["proportioning"],
        name: "Modified proportioning with reduced gradient projections",
        summary: "Conjugate gradients on a face of the box, projected gradient steps to grow it and proportioning to \
                  shrink it: a rate that depends on κ alone, where projected-cg promises none.",
        citations: &["Dostal2005", "Dostal2009"],
        theory: &[
            "I.1", "I.2", "I.6", "I.7", "I.8", "I.17", "I.18", "I.19", "I.20",
        ],
        cost: "m to 2m",
        forms: SolverDescriptor::FIXED_INTERVALS,
        max_asymmetry: 1e-9,
        // it keeps its best iterate
        unit_is_map: false,
        ..SolverDescriptor::COMPLETE
    };

    fn begin(
        &mut self,
        space: &mut Space,
        problem: &Problem,
        impulses: &[f64],
        parameters: Self::Parameters,
    ) -> Result<(), SolveError> {
        self.step = spectrum::safe_step(space, problem)?;
        self.keeper.repeat(impulses);
        copy(&mut self.x, impulses);
        for list in [&mut self.w, &mut self.p, &mut self.change] {
            zeros(list, impulses.len());
        }
        copy(&mut self.lower, impulses);
        copy(&mut self.upper, impulses);
        bounds(space, &mut self.lower, &mut self.upper);
        self.proportion = parameters.proportion;
        self.age = 0;
        Ok(())
    }

    fn restart(&mut self, space: &mut Space, problem: &Problem) -> Result<(), SolveError> {
        self.x.copy_from_slice(self.keeper.best());
        space.velocity(problem, &self.x, &mut self.w)?;
        let residual = space.residual(&self.x, &self.w);
        self.keeper.begin(residual);
        // a start outside begins at the nearest point
        for row in 0..self.x.len() {
            self.x[row] = self.x[row].max(self.lower[row]).min(self.upper[row]);
        }
        space.velocity(problem, &self.x, &mut self.w)?;
        self.aim_free(space);
        self.age = 0;
        Ok(())
    }

    fn advance(&mut self, space: &mut Space, problem: &Problem) -> Result<u64, SolveError> {
        let mut products = 0;
        self.age += 1;
        if self.age >= RENEWAL {
            self.age = 0;
            space.velocity(problem, &self.x, &mut self.w)?;
            products += 1;
        }
        let (chopped, free) = self.parts(space);
        products += if chopped <= self.proportion * self.proportion * free {
            self.conjugate(space, problem)?
        } else {
            self.proportion(space, problem)?
        };
        let residual = space.residual(&self.x, &self.w);
        self.keeper.offer(&self.x, residual);
        Ok(space.row_updates(products))
    }

    fn best_impulses(&self) -> &[f64] {
        self.keeper.best()
    }

    fn push_state(&self, out: &mut Vec<u64>) -> Option<StateCoverage> {
        for numbers in [&self.x, &self.w, &self.p] {
            StateCoverage::push(out, numbers.iter().copied());
        }
        out.push(u64::from(self.age));
        self.keeper.push_state(out);
        Some(StateCoverage::Complete)
    }
}
