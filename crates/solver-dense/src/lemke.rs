//! Lemke's complementary pivoting: linear complementarity for any matrix, with friction of finitely
//! many directions.
//!
//! The problem is written as s = Mx + q with complementary pairs (B.6–B.8): bounds on both sides
//! take a second pair, a pyramid two directions and a slack per axis, a polygon of d facets d
//! directions and one slack \[Stewart1996\]. Free variables become basic first, with their
//! equations. An artificial variable then makes everything feasible and is driven out: the
//! complement of the variable that left enters, and the lexicographic rule (B.11) decides ties, so
//! that no basis comes back. It ends when the artificial variable leaves, with a solution, or on a
//! ray.
//!
//! A ray along which impulses grow, raise no velocity that may not rise, and on which b does
//! negative work, proves that there is no solution, whatever the matrix (B.14); for copositive-plus
//! matrices, which positive semi-definite ones are without coupled friction, every ray is of that
//! kind \[Cottle1992\]. Other rays prove nothing: then other artificial columns are tried, and at
//! last the error says so. [`delassus_core::Ray`] carries direction and numbers.
//!
//! Budget: O(n²) per pivot for n variables, about n pivots; every 50 pivots the tableau is computed
//! anew from M and q through an LU factorization of the basis, and at the end the impulses, with
//! exact residuals. Memory 40 n² bytes. Differs from [`crate::Dantzig`] by what it accepts: no
//! symmetry, no definiteness, exact facets; and by what it costs: it cannot begin from a guess.
//! Differs from [`crate::Enumeration`] by finding one solution of many rows.
//!
//! # Limitations
//! One solution of several, which one depends on the order of the rows. Outside of the classes that
//! Lemke's method is proven for (copositive-plus; P; with friction, the coefficients
//! \[Stewart1996\] allows) it may end on a ray though there is a solution. Dependent equality rows
//! are recognized at 1e-10; where they are coupled to other rows they become two pairs each (B.9).
//! The start matters to inactive rows only. Bounds beyond a thousand times the largest scaled
//! velocity are left out at first and come back where the answer exceeds them, since numbers
//! relative to a bound lose the digits that it takes.
//!
//! Theory: docs/theory/21-pivoting.md (B.6–B.14). Source: \[Lemke1965\], \[Cottle1992\] ch. 4,
//! \[Stewart1996\].

mod exact;
mod form;
mod path;
mod tableau;

use delassus_core::{
    Checked, LawForm, Method, ParameterError, Parameters, Prepared, Problem, Progress, SolveError,
    SolverDescriptor, Support, WorkUnit, projection,
};

use crate::assembly::{self, DENSE};
use crate::bounds;
use crate::state::{State, read_state, solve_once};
use form::{Form, KeptBounds, is_coupled};
use path::{Path, PathEnd};

/// Entries of an entering column below this fraction of its largest block nothing \[-\]: one
/// attempt after the other. Small pivots are right where rows are weak, and rounding where they are
/// redundant.
const ZERO_ENTRIES: [f64; 4] = [1e-10, 1e-8, 1e-9, 1e-7];

/// An impulse may be beyond a bound by this share of it \[-\]: scaling there and back.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Parameters of [`Lemke`].
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct LemkeParameters {
    /// Artificial columns tried before a ray that proves nothing is reported: the first is all
    /// ones.
    #[parameter(default = 8, unit = "-", range = ">= 1")]
    pub attempts: u32,
    /// Pivots allowed per variable and attempt.
    #[parameter(default = 50, unit = "-", range = ">= 1")]
    pub max_pivots_per_variable: u32,
}

/// Complementary pivoting with the lexicographic rule (B.6–B.14).
pub type Lemke = Checked<LemkeParameters>;

/// A problem as a linear complementarity problem, and its solution.
#[derive(Debug)]
pub struct Pairs {
    parameters: LemkeParameters,
    state: State,
    form: Form,
    path: Path,
    y: Vec<f64>,
    /// Bounds \[N·s\]; infinite where friction couples them.
    bounds: [Vec<f64>; 2],
    /// Products and factorizations of a form without far bounds, where it was not the answer \[-\].
    spent: [u64; 2],
}

/// The problem with these bounds, and its path.
fn stated(
    problem: &Problem,
    impulses: &[f64],
    kept: KeptBounds,
) -> Result<(Form, Path), SolveError> {
    let form = Form::new(problem, impulses, &[], kept)?;
    let (path, equations) = Path::new(&form)?;
    if equations.is_empty() {
        return Ok((form, path));
    }
    let form = Form::new(problem, impulses, &equations, kept)?;
    let (path, _) = Path::new(&form)?;
    Ok((form, path))
}

impl Method for LemkeParameters {
    type Parameters = Self;
    type Prepared = Pairs;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "lemke",
        aliases: &["complementary-pivoting"],
        name: "Lemke pivoting",
        summary: "Complementary pivoting with the lexicographic rule for boxes, pyramids and facets on any matrix; unlike \
                  dantzig it needs no symmetry, and where it finds no solution it shows the ray.",
        citations: &["Lemke1965", "Cottle1992", "Stewart1996"],
        theory: &[
            "D.2", "B.6", "B.7", "B.8", "B.9", "B.10", "B.11", "B.12", "B.13", "B.14",
        ],
        cost: "m³",
        forms: &[
            (LawForm::Free, Support::Exact),
            (LawForm::Interval, Support::Exact),
            (LawForm::Normal, Support::Exact),
            (LawForm::FixedIntervals, Support::Exact),
            (LawForm::Intervals, Support::Exact),
            (LawForm::Polygon, Support::Exact),
        ],
        work_unit: WorkUnit::Solve,
        ..DENSE
    };

    fn new(parameters: Self::Parameters) -> Result<Self, ParameterError> {
        Ok(parameters)
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        let blocks = problem.blocks().iter().enumerate();
        let variables =
            blocks.map(|(i, block)| form::variables_of(&block.law, problem.active_dim(i)) as u64);
        let n = variables.fold(0, u64::saturating_add) + 2;
        // M, the tableau, and three of that size to compute it anew
        let forms = n.saturating_mul(n).saturating_mul(8 * 5);
        forms.saturating_add(assembly::memory(problem, 2))
    }

    fn prepare(&mut self, problem: &Problem, impulses: Vec<f64>) -> Result<Pairs, SolveError> {
        let near = stated(problem, &impulses, KeptBounds::Near);
        let (form, path) = near.or_else(|_| stated(problem, &impulses, KeptBounds::All))?;
        let zeros = || vec![0.0; problem.rows()];
        let mut bounds = [zeros(), zeros()];
        write_bounds(problem, &impulses, &mut bounds);
        Ok(Pairs {
            parameters: *self,
            state: State::new(problem, impulses),
            y: zeros(),
            form,
            path,
            bounds,
            spent: [0; 2],
        })
    }
}

impl Prepared for Pairs {
    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        solve_once(sweeps, self.state.solved, || {
            self.solve(problem)?;
            Ok(self.spent[0] + self.products())
        })
    }

    read_state!(state);

    fn factorizations(&self) -> Option<u64> {
        Some(self.spent[1] + self.path.factored())
    }
}

impl Pairs {
    /// Solves without far bounds first: an answer within them is that of the problem.
    fn solve(&mut self, problem: &Problem) -> Result<(), SolveError> {
        let outcome = self.follow_paths();
        if self.form.left_out == 0 || outcome == Err(SolveError::Interrupted) {
            outcome?;
        } else if outcome.is_err() || !self.is_within() {
            self.spent = [self.products(), self.path.factored()];
            (self.form, self.path) = stated(problem, &self.state.impulses, KeptBounds::All)?;
            self.follow_paths()?;
        }
        self.store();
        Ok(())
    }

    /// A pivot updates every variable.
    fn products(&self) -> u64 {
        self.path.pivots * self.form.len() as u64
    }

    /// True if the solution of the path is within all bounds, but for rounding.
    fn is_within(&mut self) -> bool {
        self.form.impulses(&self.path.x, &mut self.y);
        let [lower, upper] = &self.bounds;
        self.state.active.iter().all(|row| {
            let impulse = self.y[*row] * self.form.d[*row];
            let (l, u) = (lower[*row], upper[*row]);
            impulse >= l - ROUNDING * l.abs() && impulse <= u + ROUNDING * u.abs()
        })
    }

    fn follow_paths(&mut self) -> Result<(), SolveError> {
        self.path.pivots = 0;
        let per_attempt = self.form.len() as u64 + 1;
        let per_attempt = per_attempt * u64::from(self.parameters.max_pivots_per_variable);
        let mut first = None;
        for attempt in 0..u64::from(self.parameters.attempts) {
            let limit = self.path.pivots + per_attempt;
            let cover = |k: usize| column_entry(attempt, k as u64);
            let zero = ZERO_ENTRIES[usize::try_from(attempt).unwrap_or(0) % ZERO_ENTRIES.len()];
            match self.path.follow(&self.form, zero, cover, limit) {
                Ok(()) => return Ok(()),
                Err(PathEnd::Ray(ray)) if ray.is_proof() => return Err(ray.into()),
                Err(PathEnd::Ray(ray)) => {
                    first.get_or_insert(SolveError::from(ray));
                }
                Err(PathEnd::Failed(SolveError::Interrupted)) => {
                    return Err(SolveError::Interrupted);
                }
                Err(PathEnd::Failed(error)) => {
                    first.get_or_insert(error);
                }
            }
        }
        Err(first.unwrap_or(SolveError::Unreached {
            reason: "no attempt was allowed",
        }))
    }

    /// λ = D(Gx + y₀), within fixed bounds.
    fn store(&mut self) {
        self.form.impulses(&self.path.x, &mut self.y);
        let [lower, upper] = &self.bounds;
        for row in &self.state.active {
            let (i, impulse) = (*row, self.y[*row] * self.form.d[*row]);
            self.state.impulses[i] = projection::interval(impulse, lower[i], upper[i]);
        }
        self.state.solved = true;
    }
}

/// Bounds of every row; infinite where friction couples them.
fn write_bounds(problem: &Problem, impulses: &[f64], bounds: &mut [Vec<f64>; 2]) {
    let [lower, upper] = bounds;
    bounds::write(problem, impulses, lower, upper);
    for (index, block) in problem.blocks().iter().enumerate() {
        if is_coupled(&block.law) {
            let tangents = block.first_row + 1..block.first_row + problem.active_dim(index).max(1);
            lower[tangents.clone()].fill(f64::NEG_INFINITY);
            upper[tangents].fill(f64::INFINITY);
        }
    }
}

/// Entry `k` of the artificial column of an attempt: 1, then numbers in [½, 2) from the bits of
/// SplitMix64.
fn column_entry(attempt: u64, k: u64) -> f64 {
    if attempt == 0 {
        return 1.0;
    }
    let mut z = (attempt << 32 | k).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let unit = ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64;
    0.5 + 1.5 * unit
}
