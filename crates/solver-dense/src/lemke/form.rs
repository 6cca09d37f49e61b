//! A frozen problem as a linear complementarity problem with free variables (B.6–B.9).
//!
//! Legend: y scaled impulses of the rows, x the variables of the form with y = Gx + y₀, s = Mx + q
//! their complements.

mod variable;

use delassus_core::{Law, LawForm, Operator, Polygon, Problem, SolveError, interrupt};

use crate::assembly::DenseDelassus;
use crate::bounds;
use crate::linear;
pub(super) use variable::{Equation, Variable, VariableKind};

/// Passes that balance an unsymmetric matrix.
const EQUILIBRATIONS: usize = 6;

/// Multiplications that an entry of M takes, which is written through lists of rows \[-\].
const ENTRY: usize = 5;

/// Bounds beyond this multiple of the largest scaled velocity are far \[-\].
const FAR: f64 = 1e3;

/// Which bounds a form has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeptBounds {
    /// Those that impulses of the size of the data may reach: numbers relative to a bound lose the
    /// digits that it takes.
    Near,
    /// All of them.
    All,
}

/// s = Mx + q, and what x means.
#[derive(Debug)]
pub(super) struct Form {
    pub(super) variables: Vec<Variable>,
    /// M, row-major.
    pub(super) matrix: Vec<f64>,
    pub(super) q: Vec<f64>,
    /// y₀ per row: bounds, and impulses of inactive rows.
    pub(super) base: Vec<f64>,
    /// Scaling of the rows (D.2), one number for all rows of a contact with friction.
    pub(super) d: Vec<f64>,
    /// Scaled impulses beyond which bounds are left out.
    reach: f64,
    /// How many are left out \[-\].
    pub(super) left_out: usize,
}

/// Entries of M in addition to GᵀSG, and of q in addition to Gᵀ(Sy₀ + c).
#[derive(Debug, Default)]
struct Slacks {
    entries: Vec<(usize, usize, f64)>,
    constants: Vec<(usize, f64)>,
}

/// Variables that the law of a block of `active` rows takes \[-\]; an upper bound, from counts.
pub(super) fn variables_of(law: &Law, active: usize) -> usize {
    match (law.form(), law.row_bounds()) {
        (_, Some([lower, upper])) if lower.is_finite() && upper.is_finite() => 2 * active,
        (_, Some(_)) => active,
        (LawForm::Normal, _) => 1,
        (LawForm::Polygon, _) => 2 + law.polygon().map_or(0, Polygon::facets) as usize,
        (LawForm::Intervals, _) => 1 + 3 * active,
        _ => 2 * active,
    }
}

impl Form {
    /// States the problem with `impulses` on inactive rows; free rows that `equations` does not
    /// name have their own.
    pub(super) fn new(
        problem: &Problem,
        impulses: &[f64],
        equations: &[Equation],
        kept: KeptBounds,
    ) -> Result<Self, SolveError> {
        let delassus = DenseDelassus::assemble_with_compliance(problem)?;
        let d = scaling(problem, &delassus);
        let scaled = delassus.scaled(&d)?;
        drop(delassus);
        let mut form = Self {
            variables: Vec::new(),
            matrix: Vec::new(),
            q: Vec::new(),
            base: impulses.iter().zip(&d).map(|(x, d)| x / d).collect(),
            reach: f64::INFINITY,
            left_out: 0,
            d,
        };
        if kept == KeptBounds::Near {
            let velocities = problem.b().iter().zip(&form.d).map(|(b, d)| (d * b).abs());
            let impulses = form.base.iter().map(|y| y.abs());
            form.reach = FAR * velocities.chain(impulses).fold(0.0, f64::max);
        }
        let mut slacks = Slacks::default();
        for (index, block) in problem.blocks().iter().enumerate() {
            let active = problem.active_dim(index);
            for local in 0..active {
                form.add_row(
                    &block.law,
                    block.first_row,
                    local,
                    active,
                    equations,
                    &mut slacks,
                );
            }
        }
        form.assemble(problem, &scaled, &slacks)?;
        Ok(form)
    }

    /// Number of variables n \[-\].
    pub(super) fn len(&self) -> usize {
        self.variables.len()
    }

    pub(super) fn row(&self, k: usize) -> &[f64] {
        let n = self.len();
        &self.matrix[k * n..(k + 1) * n]
    }

    fn push(&mut self, variable: Variable) -> usize {
        self.variables.push(variable);
        self.variables.len() - 1
    }

    fn add_row(
        &mut self,
        law: &Law,
        first: usize,
        local: usize,
        active: usize,
        equations: &[Equation],
        slacks: &mut Slacks,
    ) {
        let row = first + local;
        match law.polygon() {
            _ if local > 0 && law.form() == LawForm::Intervals => {
                self.base[row] = 0.0;
                let normal = self.normal_of(first);
                self.add_directions(normal, law.mu(), &both_ways(row), slacks);
            }
            Some(polygon) if local > 0 => {
                self.base[row] = 0.0;
                if local + 1 == active {
                    let normal = self.normal_of(first);
                    let sides = directions(first, active, polygon);
                    self.add_directions(normal, law.mu(), &sides, slacks);
                }
            }
            _ => {
                if let Some(fixed) = bounds::of_row(law, active, local) {
                    let bounds = [fixed.lower, fixed.upper].map(|bound| bound / self.d[row]);
                    let [l, u] = self.near(bounds);
                    let own = Equation {
                        impulse: row,
                        velocity: row,
                        sign: 1.0,
                        split: false,
                    };
                    let named = equations.iter().find(|e| e.impulse == row);
                    self.add_bounded(named.copied().unwrap_or(own), l, u, slacks);
                }
            }
        }
    }

    /// The variable of the normal impulse in row `row`: the last that was added with it.
    fn normal_of(&self, row: usize) -> Option<usize> {
        let is = |v: &Variable| v.len == 1 && v.rows[0] == (row, 1.0);
        self.variables.iter().rposition(is)
    }

    /// The bounds of a row without those that are far.
    fn near(&mut self, bounds: [f64; 2]) -> [f64; 2] {
        bounds.map(|bound| {
            if bound.is_infinite() || bound.abs() <= self.reach {
                return bound;
            }
            self.left_out += 1;
            f64::INFINITY.copysign(bound)
        })
    }

    /// l ≤ y ≤ u (B.7).
    fn add_bounded(&mut self, equation: Equation, l: f64, u: f64, slacks: &mut Slacks) {
        let row = equation.impulse;
        self.base[row] = if l.is_finite() {
            l
        } else if u.is_finite() {
            u
        } else {
            0.0
        };
        match (l.is_finite(), u.is_finite()) {
            (false, false) => {
                let sides: &[f64] = if equation.split { &[1.0, -1.0] } else { &[1.0] };
                for side in sides {
                    let kind = if equation.split {
                        VariableKind::Pair
                    } else {
                        VariableKind::Free
                    };
                    let mut variable = Variable::of_row(kind, row, *side);
                    variable.velocities[0] = (equation.velocity, side * equation.sign);
                    self.push(variable);
                }
            }
            (false, true) => {
                self.push(Variable::of_row(VariableKind::Pair, row, -1.0));
            }
            (true, true) if l == u => {}
            (true, bounded) => {
                let x = self.push(Variable::of_row(VariableKind::Pair, row, 1.0));
                if bounded {
                    let dual = self.push(Variable::SLACK);
                    slacks.entries.extend([(x, dual, 1.0), (dual, x, -1.0)]);
                    slacks.constants.push((dual, u - l));
                }
            }
        }
    }

    /// Directions of friction with their common slack (B.8); without friction the tangents stay at
    /// zero.
    fn add_directions(
        &mut self,
        normal: Option<usize>,
        mu: f64,
        sides: &[Variable],
        slacks: &mut Slacks,
    ) {
        let Some(normal) = normal.filter(|_| mu > 0.0) else {
            return;
        };
        let first = self.len();
        self.variables.extend_from_slice(sides);
        let slack = self.push(Variable::SLACK);
        slacks.entries.push((slack, normal, mu));
        for side in first..slack {
            slacks
                .entries
                .extend([(side, slack, 1.0), (slack, side, -1.0)]);
        }
    }

    /// M = GᵀSG + E, q = Gᵀ(Sy₀ + c) + e.
    fn assemble(
        &mut self,
        problem: &Problem,
        scaled: &DenseDelassus,
        slacks: &Slacks,
    ) -> Result<(), SolveError> {
        let n = self.len();
        let rows = self.base.len();
        let mut velocity = vec![0.0; rows];
        scaled.multiply(&self.base, &mut velocity)?;
        for ((v, b), d) in velocity.iter_mut().zip(problem.b()).zip(&self.d) {
            *v += d * b;
        }
        self.matrix = vec![0.0; n * n];
        self.q = vec![0.0; n];
        interrupt::for_each(n, ENTRY * n, |k| {
            let variable = &self.variables[k];
            let target = &mut self.matrix[k * n..(k + 1) * n];
            for (row, factor) in &variable.velocities[..variable.len] {
                self.q[k] += factor * velocity[*row];
                let source = scaled.row(*row);
                for (value, other) in target.iter_mut().zip(&self.variables) {
                    for (column, second) in other.terms() {
                        *value += factor * second * source[*column];
                    }
                }
            }
        })?;
        for (i, j, value) in &slacks.entries {
            self.matrix[i * n + j] += value;
        }
        for (i, value) in &slacks.constants {
            self.q[*i] += value;
        }
        let symmetric = match problem.operator() {
            Operator::Bodies(_) => true,
            Operator::Matrix(given) => given.delassus.symmetry_defect_in_time()? < 1e-12,
        };
        if symmetric {
            return Ok(());
        }
        self.equilibrate()
    }

    /// Scales rows and columns by powers of two until their largest entries are of order one.
    /// Signs, and with them complementarity, do not change; symmetry would.
    fn equilibrate(&mut self) -> Result<(), SolveError> {
        let n = self.len();
        for _ in 0..EQUILIBRATIONS {
            let (mut rows, mut columns) = (vec![0.0f64; n], vec![0.0f64; n]);
            interrupt::for_each(n, n, |i| {
                for (j, value) in self.matrix[i * n..][..n].iter().enumerate() {
                    rows[i] = rows[i].max(value.abs());
                    columns[j] = columns[j].max(value.abs());
                }
            })?;
            for factor in rows.iter_mut().chain(&mut columns) {
                *factor = inverse_root(*factor);
            }
            interrupt::for_each(n, n, |i| {
                for (value, column) in self.matrix[i * n..][..n].iter_mut().zip(&columns) {
                    *value *= rows[i] * column;
                }
            })?;
            for (q, row) in self.q.iter_mut().zip(&rows) {
                *q *= row;
            }
            for (variable, column) in self.variables.iter_mut().zip(&columns) {
                variable.rows.iter_mut().for_each(|(_, g)| *g *= column);
            }
        }
        Ok(())
    }

    /// y = Gx + y₀.
    pub(super) fn impulses(&self, x: &[f64], y: &mut [f64]) {
        y.copy_from_slice(&self.base);
        for (variable, x) in self.variables.iter().zip(x) {
            for (row, factor) in variable.terms() {
                y[*row] += factor * x;
            }
        }
    }
}

/// A power of two near x^(−½); 1 for zero.
fn inverse_root(x: f64) -> f64 {
    if x > f64::MIN_POSITIVE && x.is_finite() {
        libm::scalbn(1.0, -(libm::ilogb(x).div_euclid(2)))
    } else {
        1.0
    }
}

/// The directions of friction in the tangent rows after `first`: corners of the polygon, or both
/// ways of one tangent.
fn directions(first: usize, active: usize, polygon: Polygon) -> Vec<Variable> {
    if active == 2 {
        return both_ways(first + 1).to_vec();
    }
    let corner = |i: u32| {
        let [a, b] = polygon.corner(i);
        Variable::new(VariableKind::Pair, [(first + 1, a), (first + 2, b)], 2)
    };
    (0..polygon.facets()).map(corner).collect()
}

fn both_ways(row: usize) -> [Variable; 2] {
    [1.0, -1.0].map(|side| Variable::of_row(VariableKind::Pair, row, side))
}

/// True if friction couples the rows of a block.
pub(super) fn is_coupled(law: &Law) -> bool {
    matches!(law.form(), LawForm::Intervals | LawForm::Polygon)
}

/// (D.2), with the mean diagonal for all rows of a contact whose friction couples them.
fn scaling(problem: &Problem, matrix: &DenseDelassus) -> Vec<f64> {
    let mut d = matrix.scaling();
    for block in problem.blocks() {
        if is_coupled(&block.law) {
            let own = &mut d[block.rows()];
            let squares = linear::dot(own, own) / own.len() as f64;
            own.fill(squares.sqrt());
        }
    }
    d
}
