//! Enumeration of every combination of modes: all solutions of problems of at most twelve rows.
//!
//! A row with bounds is free, at its lower or at its upper bound (D.13); a 2D contact is open,
//! sticks, or slides one way or the other (D.14). Each combination leaves a linear system (D.15),
//! whose solution is kept if it satisfies every inequality. Nothing is assumed of the matrix: it
//! may be unsymmetric, indefinite, singular.
//!
//! Budget: 2^m systems for unilateral rows, 3^m for rows with two bounds, 4 per 2D contact, each
//! O(k³) for k ≤ 12 unknowns; the states are counted before anything runs. Differs from every other
//! solver here in that it certifies how many solutions there are: it returns the list, and its
//! impulses are the shortest entry.
//!
//! # Degenerate families
//! A combination with a singular system may hold a whole family of solutions. Its shortest member
//! (in N·s) stands for it, and is listed only if it satisfies the inequalities; the end points of
//! the family satisfy more of them with equality, belong to combinations with fewer unknowns, and
//! are listed by those. So every family is represented, possibly by several of its members.
//! [`EnumeratedSolution::isolated`] is a certificate: it is true only if every combination that the
//! solution satisfies is regular, so that no other solution lies near it.
//!
//! # Limitations
//! Laws whose set is not polyhedral (disc, Coulomb and convex cone with two tangents, patches,
//! rolling) are refused, and so are facets. Solutions closer than 1e-8 of their size are one.
//! Systems with a pivot below 1e-11 of the largest entry count as singular.
//!
//! Theory: docs/theory/04-dense.md (D.13–D.16). Source: \[Cottle1992\] ch. 1 (complementary cones);
//! the three solutions of the sliding rod are those of \[Genot1999\].

mod solutions;

use delassus_core::{
    Changes, Checked, LawKind, Method, ParameterError, Parameters, Prepared, Problem, Progress,
    Solution, Solutions, SolveError, SolverDescriptor, SolverFacts, Unsupported, WorkUnit,
    interrupt,
};

use crate::assembly::DenseDelassus;
use crate::bounds;
use crate::elimination::MAX;
use crate::linear;
use crate::modes::{self, Assignment, Limits, Unit};
use crate::state::{State, read_state, solve_once};

/// Combinations between two looks at the limit of the caller \[-\].
const LOOK: usize = 4096;

/// Inequalities may be violated by this fraction of the problem's scale \[-\].
const FEASIBLE: f64 = 1e-10;
/// Solutions closer than this fraction of their size are the same \[-\].
const SAME: f64 = 1e-8;

/// Parameters of [`Enumeration`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct EnumerationParameters {
    /// Solutions that are kept. Where there are more, the list says that it is not complete.
    #[parameter(default = 4096, unit = "-", range = "[1, 100000]")]
    pub max_solutions: usize,
}

/// One of the solutions that were found.
#[derive(Debug, Clone, PartialEq)]
pub struct EnumeratedSolution {
    /// λ, one per row \[N·s\].
    pub impulses: Vec<f64>,
    /// True if no other solution lies near: certified by the regularity of all its combinations of
    /// modes.
    pub isolated: bool,
    length: f64,
    order: usize,
}

/// Every combination of modes of at most twelve rows: all solutions.
pub type Enumeration = Checked<EnumerationParameters>;

/// The modes of a problem, and the solutions found among them.
#[derive(Debug)]
pub struct Search {
    state: State,
    /// diag(d)(A + R)diag(d) (D.2).
    matrix: [[f64; MAX]; MAX],
    c: [f64; MAX],
    d: [f64; MAX],
    /// Fixed bounds \[N·s\]; of no use where friction is coupled.
    lower: [f64; MAX],
    upper: [f64; MAX],
    units: Vec<Unit>,
    /// Preallocated; the first `kept` are solutions.
    solutions: Vec<EnumeratedSolution>,
    kept: usize,
    truncated: bool,
    /// True once every combination has been tried.
    searched: bool,
    states: u64,
    /// Systems solved so far \[-\].
    systems: u64,
}

impl Search {
    /// The solutions found by `iterate`, shortest first (Euclidean norm of λ), ties in the order of
    /// enumeration.
    pub fn solutions(&self) -> &[EnumeratedSolution] {
        &self.solutions[..self.kept]
    }

    /// True if there are more solutions than `max_solutions`.
    pub fn truncated(&self) -> bool {
        self.truncated
    }

    /// Number of combinations of modes \[-\].
    pub fn states(&self) -> u64 {
        self.states
    }
}

impl Method for EnumerationParameters {
    type Parameters = Self;
    type Prepared = Search;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "enumeration",
        aliases: &["total-enumeration"],
        name: "Enumeration of modes",
        summary: "All solutions of at most twelve rows, by trying every combination of modes; unlike dantzig it needs \
                  neither symmetry nor convexity and shows when there are several solutions or none.",
        citations: &["Cottle1992", "Genot1999"],
        theory: &["D.2", "D.5", "D.13", "D.14", "D.15", "D.16"],
        cost: "3^m",
        forms: SolverDescriptor::ONE_SET_PER_CONTACT,
        // planar contacts
        cone_rows: 2,
        point_rows: 2,
        work_unit: WorkUnit::Solve,
        needs_positive_diagonal: false,
        max_rows: MAX,
        ..SolverDescriptor::COMPLETE
    };

    fn new(parameters: Self::Parameters) -> Result<Self, ParameterError> {
        Ok(parameters)
    }

    fn check(&self, problem: &Problem) -> Result<(), Unsupported> {
        for (index, block) in problem.blocks().iter().enumerate() {
            let law = block.law.kind();
            let round = matches!(law, LawKind::Disc | LawKind::Coulomb | LawKind::ConvexCone);
            if round && block.dim > 2 && problem.active_dim(index) > 1 {
                return Err(Unsupported::Law {
                    solver: Self::DESCRIPTOR.id,
                    block: index,
                    law,
                });
            }
        }
        Ok(())
    }

    fn prepare(&mut self, problem: &Problem, impulses: Vec<f64>) -> Result<Search, SolveError> {
        let empty = EnumeratedSolution {
            impulses: vec![0.0; problem.rows()],
            isolated: false,
            length: 0.0,
            order: 0,
        };
        let mut search = Search {
            state: State::new(problem, impulses),
            matrix: [[0.0; MAX]; MAX],
            c: [0.0; MAX],
            d: [0.0; MAX],
            lower: [0.0; MAX],
            upper: [0.0; MAX],
            units: Vec::with_capacity(problem.rows()),
            solutions: vec![empty; self.max_solutions],
            kept: 0,
            truncated: false,
            searched: false,
            states: 0,
            systems: 0,
        };
        search.assemble(problem)?;
        Ok(search)
    }
}

impl Prepared for Search {
    fn update(&mut self, problem: &Problem, _: Changes) -> Result<bool, SolveError> {
        self.state.update(problem);
        self.assemble(problem)?;
        Ok(true)
    }

    fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        solve_once(sweeps, self.state.solved, || {
            self.enumerate()?;
            // every combination evaluates the velocity of every row
            Ok(self.states * self.state.b.len() as u64)
        })
    }

    read_state!(state);

    fn factorizations(&self) -> Option<u64> {
        Some(self.systems)
    }

    fn facts(&self) -> SolverFacts {
        let found = self.solutions[..self.kept].iter().map(|solution| Solution {
            impulses: solution.impulses.clone(),
            isolated: solution.isolated,
        });
        SolverFacts {
            solutions: Some(Solutions {
                list: found.collect(),
                complete: self.searched && !self.truncated,
            }),
            ..SolverFacts::default()
        }
    }
}

impl Search {
    fn assemble(&mut self, problem: &Problem) -> Result<(), SolveError> {
        let matrix = DenseDelassus::assemble_with_compliance(problem)?;
        let scaling = matrix.scaling();
        let rows = problem.rows();
        modes::units(
            problem,
            &self.state.impulses,
            &scaling,
            &mut self.units,
            &mut self.d[..rows],
        )
        .map_err(|block| Unsupported::Law {
            solver: EnumerationParameters::DESCRIPTOR.id,
            block,
            law: problem.blocks()[block].law.kind(),
        })?;
        // rows of coupled friction are reported here and ignored: their units carry μ
        bounds::write(
            problem,
            &self.state.impulses,
            &mut self.lower[..rows],
            &mut self.upper[..rows],
        );
        for i in 0..rows {
            for j in 0..rows {
                self.matrix[i][j] = self.d[i] * matrix.row(i)[j] * self.d[j];
            }
            self.c[i] = self.d[i] * self.state.b[i];
        }
        self.states = self.units.iter().map(|u| u.modes() as u64).product();
        self.kept = 0;
        self.truncated = false;
        self.searched = false;
        Ok(())
    }

    /// Tries every combination of modes and keeps the solutions.
    fn enumerate(&mut self) -> Result<(), SolveError> {
        let mut counts = [0; MAX];
        for (count, unit) in counts.iter_mut().zip(&self.units) {
            *count = unit.modes();
        }
        let counts = &counts[..self.units.len()];
        self.kept = 0;
        self.truncated = false;
        let mut modes = [0; MAX];
        let mut order = 0;
        loop {
            self.try_modes(&modes[..counts.len()], order);
            order += 1;
            if order.is_multiple_of(LOOK) {
                interrupt::check()?;
            }
            if !advance(&mut modes, counts) {
                break;
            }
        }
        self.searched = true;
        for k in 0..self.kept {
            self.solutions[k].isolated = self.is_isolated(k);
        }
        self.solutions[..self.kept]
            .sort_unstable_by(|a, b| a.length.total_cmp(&b.length).then(a.order.cmp(&b.order)));
        if self.kept == 0 {
            return Err(SolveError::Infeasible {
                reason: "no combination of modes satisfies every row",
            });
        }
        let shortest = &self.solutions[0].impulses;
        for row in &self.state.active {
            self.state.impulses[*row] = shortest[*row];
        }
        self.state.solved = true;
        Ok(())
    }

    /// Solves one combination of modes and keeps the solution if it is one, and a new one.
    fn try_modes(&mut self, modes: &[usize], order: usize) {
        let rows = self.state.b.len();
        let assignment = Assignment::new(&self.units, modes);
        let system = assignment.system(&self.matrix, &self.c[..rows], &self.d);
        self.systems += 1;
        let (unknowns, _) = system.solve();
        let y = assignment.expand(&unknowns, rows);
        let Some((w, limits)) = self.row_velocities(&y) else {
            return;
        };
        let mut units = self.units.iter().zip(modes);
        if units.all(|(unit, mode)| unit.holds(*mode, &y, &w, limits)) {
            self.keep(&y, order);
        }
    }

    /// w = Sy + c and the limits that go with it; `None` if a number is not finite.
    fn row_velocities(&self, y: &[f64; MAX]) -> Option<([f64; MAX], Limits)> {
        let rows = self.state.b.len();
        let mut w = self.c;
        let mut size = linear::max_magnitude(&self.c);
        for i in 0..rows {
            let row = &self.matrix[i][..rows];
            w[i] += linear::dot(row, &y[..rows]);
            size = size.max(linear::max_magnitude(row) * linear::norm(&y[..rows]));
        }
        let limits = Limits {
            impulse: FEASIBLE * linear::norm(&y[..rows]),
            velocity: FEASIBLE * size,
        };
        (w.iter().all(|v| v.is_finite()) && size.is_finite()).then_some((w, limits))
    }
}

/// Counts up in mixed radix, last digit fastest; false after the last number.
fn advance(digits: &mut [usize; MAX], radix: &[usize]) -> bool {
    for k in (0..radix.len()).rev() {
        digits[k] += 1;
        if digits[k] < radix[k] {
            return true;
        }
        digits[k] = 0;
    }
    false
}

#[cfg(test)]
mod tests;
