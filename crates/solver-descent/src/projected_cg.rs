//! `projected-cg`: preconditioned conjugate gradients among the impulses that are free, projected
//! where they leave.
//!
//! The free directions are those of the face that the iterate lies on: rows off their bounds,
//! contacts that stick with all their rows, contacts that slide along the ray of their cone (I.26).
//! Conjugate gradients with a preconditioner minimize on the face (I.27); a step that would leave
//! the set is projected, and the face found anew; where the gradient off the face has grown beyond
//! that along it, a projected gradient step changes the face (I.28). For Coulomb's law the De Saxcé
//! term is held while the face is.
//!
//! Budget per iteration: one product with A, two where a step is projected, and a symmetric sweep
//! with `ssor`. Nearest siblings: `mprgp` for bounds, with a proof; `spg` without conjugate
//! directions.
//!
//! Departures: \[Renouf2005\] projects gradient and direction onto the tangents of the active
//! constraints in every iteration; here conjugacy is kept on a face and given up with it, and a
//! step must not raise f for the term that is held. The bound of friction is the cone, not the disc
//! of the last normal impulse. Where the residual does not improve for long, safe steps from the
//! best iterate take over for a while (I.12). Limitations: many contacts that turn while they slide
//! are left to the gradient steps; pyramids, facets, patches and rolling are refused. The sweep
//! leaves out compliance that rows of a block share. Theory: docs/theory/24-first-order.md. Source:
//! \[Renouf2005\], \[Hestenes1952\], \[Polyak1969\].

use delassus_core::{Checked, Parameters, Problem, SolveError, SolverDescriptor, StateCoverage};

use crate::best_iterate::BestIterate;
use crate::face::Face;
use crate::preconditioner::{FaceRows, Preconditioner, PreconditionerKind};
use crate::running::{DescentMethod, Iteration};
use crate::space::{Space, copy, dot, zeros};
use crate::spectrum;

/// Preconditioned projected conjugate gradients (I.26–I.28).
pub type ProjectedCg = Checked<DescentMethod<ProjectedCgIterate>>;

/// Parameters of `projected-cg`.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct ProjectedCgParameters {
    /// What stands for the inverse of A + R.
    pub preconditioner: PreconditionerKind,
}

/// Iterations after which w is computed anew from the impulses \[-\].
const RENEWAL: u32 = 64;

/// Curvature over squared length that counts as none \[-\].
const FLAT: f64 = 1e-15;

/// The iterate of [`ProjectedCg`].
#[derive(Debug, Clone, Default)]
pub struct ProjectedCgIterate {
    x: Vec<f64>,
    w: Vec<f64>,
    /// De Saxcé term that is held, on normal rows \[m/s\].
    shift: Vec<f64>,
    /// Gradient along the face \[m/s | rad/s\].
    gradient: Vec<f64>,
    /// Preconditioned gradient, and the direction \[N·s\].
    z: Vec<f64>,
    p: Vec<f64>,
    change: Vec<f64>,
    next: Vec<f64>,
    next_w: Vec<f64>,
    face: Face,
    preconditioner: Preconditioner,
    keeper: BestIterate,
    safe: f64,
    age: u32,
    /// True where p is a direction of the face.
    aimed: bool,
}

impl ProjectedCgIterate {
    /// The gradient along the face, and ‖·‖² of it and of what a projected step has in addition to
    /// it (I.28) \[J\].
    fn measure(&mut self, space: &Space) -> (f64, f64) {
        for (g, (w, s)) in self.gradient.iter_mut().zip(self.w.iter().zip(&self.shift)) {
            *g = w + s;
        }
        self.face.project(space, &mut self.gradient);
        space.step(&self.x, &self.w, self.safe, &mut self.next);
        let mut across = 0.0;
        for (row, d) in space.metric().iter().enumerate() {
            let whole = d * (self.x[row] - self.next[row]) / self.safe;
            let rest = whole - self.gradient[row];
            across += space.inverse()[row] * rest * rest;
        }
        (space.dual_dot(&self.gradient, &self.gradient), across)
    }

    /// A projected gradient step to where `next` already is, and the face there.
    fn descend(&mut self, space: &mut Space, problem: &Problem) -> Result<(), SolveError> {
        std::mem::swap(&mut self.x, &mut self.next);
        space.velocity(problem, &self.x, &mut self.w)?;
        self.settle(space);
        Ok(())
    }

    /// Finds the face and the De Saxcé term of x; the direction is given up.
    fn settle(&mut self, space: &Space) {
        self.face.find(space, &self.x);
        for set in space.sets() {
            if let Some(mu) = set.shift() {
                let tangents = &self.w[set.first + 1..set.first + set.active];
                let slip = delassus_core::norm::norm(tangents);
                self.shift[set.first] = mu * slip;
            }
        }
        self.aimed = false;
        self.age = 0;
    }

    /// p = −z + βp with z = P M⁻¹ P g (I.27).
    fn aim(&mut self, space: &Space, problem: &Problem) {
        let rows = FaceRows {
            space,
            problem,
            face: &self.face,
        };
        self.preconditioner.apply(rows, &self.gradient, &mut self.z);
        let bend = dot(&self.p, &self.change);
        let beta = if self.aimed && bend > 0.0 {
            dot(&self.z, &self.change) / bend
        } else {
            0.0
        };
        for (p, z) in self.p.iter_mut().zip(&self.z) {
            *p = beta * *p - z;
        }
        // β from rounding alone may point uphill
        if dot(&self.p, &self.gradient) >= 0.0 {
            for (p, z) in self.p.iter_mut().zip(&self.z) {
                *p = -z;
            }
        }
        self.aimed = true;
    }

    /// A step along p; projected where it leaves the set. Returns the products, and whether it
    /// moved.
    fn go(&mut self, space: &mut Space, problem: &Problem) -> Result<(u64, bool), SolveError> {
        space.multiply(problem, &self.p, &mut self.change)?;
        let bend = dot(&self.p, &self.change);
        if bend <= FLAT * space.dot(&self.p, &self.p) {
            return Ok((1, false));
        }
        let alpha = -dot(&self.gradient, &self.p) / bend;
        for row in 0..self.x.len() {
            self.next[row] = self.x[row] + alpha * self.p[row];
        }
        if self.face.holds(space, &self.next) {
            std::mem::swap(&mut self.x, &mut self.next);
            for (w, y) in self.w.iter_mut().zip(&self.change) {
                *w += alpha * y;
            }
            return Ok((1, true));
        }
        for set in space.sets() {
            space.project(set, &mut self.next[set.rows()]);
        }
        space.velocity(problem, &self.next, &mut self.next_w)?;
        // twice the change of f with the term that is held
        let mut gain = 0.0;
        for row in 0..self.x.len() {
            let sum = self.w[row] + self.next_w[row] + 2.0 * self.shift[row];
            gain += (self.next[row] - self.x[row]) * sum;
        }
        if gain >= 0.0 {
            return Ok((2, false));
        }
        std::mem::swap(&mut self.x, &mut self.next);
        std::mem::swap(&mut self.w, &mut self.next_w);
        self.settle(space);
        Ok((2, true))
    }
}

impl Iteration for ProjectedCgIterate {
    type Parameters = ProjectedCgParameters;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "projected-cg",
        aliases: &["pcg-projected"],
        name: "Preconditioned projected conjugate gradients",
        summary: "Conjugate gradients among the free impulses with blocks or a symmetric sweep as preconditioner; unlike mprgp \
                  it treats cones and Coulomb friction.",
        citations: &["Renouf2005", "Hestenes1952", "Polyak1969", "DeSaxce1998"],
        theory: &[
            "I.1", "I.2", "I.3", "I.4", "I.6", "I.7", "I.8", "I.12", "I.26", "I.27", "I.28",
        ],
        cost: "m to 2m",
        forms: SolverDescriptor::BALL_OR_CONE_PER_CONTACT,
        max_asymmetry: 1e-6,
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
        self.safe = spectrum::safe_step(space, problem)?;
        for list in [
            &mut self.w,
            &mut self.shift,
            &mut self.gradient,
            &mut self.z,
            &mut self.p,
            &mut self.change,
            &mut self.next,
            &mut self.next_w,
        ] {
            zeros(list, impulses.len());
        }
        self.face.fit(space, impulses.len());
        self.preconditioner
            .repeat(parameters.preconditioner, space, problem)?;
        self.keeper.repeat(impulses);
        copy(&mut self.x, impulses);
        (self.age, self.aimed) = (0, false);
        Ok(())
    }

    fn restart(&mut self, space: &mut Space, problem: &Problem) -> Result<(), SolveError> {
        self.x.copy_from_slice(self.keeper.best());
        space.velocity(problem, &self.x, &mut self.w)?;
        let residual = space.residual(&self.x, &self.w);
        self.keeper.begin(residual);
        for set in space.sets() {
            space.project(set, &mut self.x[set.rows()]);
        }
        space.velocity(problem, &self.x, &mut self.w)?;
        self.settle(space);
        Ok(())
    }

    fn advance(&mut self, space: &mut Space, problem: &Problem) -> Result<u64, SolveError> {
        let (mut products, mut sweeps) = (0, 0);
        self.age += 1;
        if self.age >= RENEWAL {
            self.age = 0;
            space.velocity(problem, &self.x, &mut self.w)?;
            products += 1;
        }
        let (along, across) = self.measure(space);
        let mut moved = false;
        if !self.keeper.is_plain() && across <= along {
            self.aim(space, problem);
            sweeps = self.preconditioner.row_updates(space.active_rows());
            let (more, done) = self.go(space, problem)?;
            products += more;
            moved = done;
            if !moved {
                space.step(&self.x, &self.w, self.safe, &mut self.next);
            }
        }
        if !moved {
            self.descend(space, problem)?;
            products += 1;
        }
        let residual = space.residual(&self.x, &self.w);
        self.keeper.offer(&self.x, residual);
        if !space.is_convex() && self.keeper.gives_up() {
            self.x.copy_from_slice(self.keeper.best());
            space.velocity(problem, &self.x, &mut self.w)?;
            products += 1;
            self.settle(space);
        }
        Ok(space.row_updates(products) + sweeps)
    }

    fn best_impulses(&self) -> &[f64] {
        self.keeper.best()
    }

    /// The face is that of an earlier iterate: where all these stay through two iterations, so does
    /// it.
    fn push_state(&self, out: &mut Vec<u64>) -> Option<StateCoverage> {
        for numbers in [&self.x, &self.w, &self.shift, &self.p, &self.change] {
            StateCoverage::push(out, numbers.iter().copied());
        }
        out.extend([u64::from(self.age), u64::from(self.aimed)]);
        self.keeper.push_state(out);
        Some(StateCoverage::FixedPoint(2))
    }
}
