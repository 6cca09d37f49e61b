//! The path of complementary pivots, from the artificial variable's entry to its exit or to a ray
//! (B.10–B.14).

use delassus_core::{Ray, SolveError, interrupt};

use super::exact::Basis;
use super::form::{Equation, Form, VariableKind};
use super::tableau::{Name, Tableau};
use crate::linear;

/// Pivots between two computations of the tableau from the exact data.
const REFRESH_PERIOD: u64 = 50;
/// Constants above minus this fraction of the largest |q| count as non-negative \[-\].
const ZERO_VELOCITY: f64 = 1e-14;
/// Violations above this fraction of |q| and ‖x‖ make an end none \[-\].
const ACCURATE: f64 = 1e-11;
/// Entries of a dependent equation below this fraction of the largest entry of M are rounding
/// \[-\].
const DEPENDENT: f64 = 1e-10;
/// Multiplications that an entry takes in a search for the largest one \[-\].
const COMPARED: usize = 3;

/// The pivoting of one form.
#[derive(Debug)]
pub(super) struct Path {
    tableau: Tableau,
    basis: Basis,
    /// d of s = Mx + q + d x₀.
    cover: Vec<f64>,
    /// Rows and columns of the free variables that are basic from the start.
    entered: Vec<(usize, usize)>,
    /// Free rows that depend on those, with nothing left in their Schur complement.
    redundant: Vec<usize>,
    /// Solution, or direction of the ray.
    pub(super) x: Vec<f64>,
    s: Vec<f64>,
    pub(super) pivots: u64,
    since_refresh: u64,
}

/// How a path ended, but for a solution.
#[derive(Debug)]
pub(super) enum PathEnd {
    /// A secondary ray, or equations that contradict each other.
    Ray(Ray),
    Failed(SolveError),
}

impl From<SolveError> for PathEnd {
    fn from(error: SolveError) -> Self {
        Self::Failed(error)
    }
}

impl Path {
    /// Factorizations so far \[-\].
    pub(super) fn factored(&self) -> u64 {
        self.basis.factored
    }

    /// Prepares the pivoting; also says how the equations of free variables have to be written
    /// (B.9): nothing where they are well as they are, and the second time.
    pub(super) fn new(form: &Form) -> Result<(Self, Vec<Equation>), SolveError> {
        let n = form.len();
        let free = form.variables.iter().map(|v| v.kind == VariableKind::Free);
        let mut path = Self {
            tableau: Tableau::new(free.collect()),
            basis: Basis::new(n),
            cover: vec![0.0; n],
            entered: Vec::new(),
            redundant: Vec::new(),
            x: vec![0.0; n],
            s: vec![0.0; n],
            pivots: 0,
            since_refresh: 0,
        };
        let (entered, left) = independent(form)?;
        path.entered = entered;
        path.label(form);
        path.basis.refresh(form, &path.cover, &mut path.tableau)?;
        let mut equations = Vec::new();
        let mut splits = false;
        let of = |k: usize| form.variables[k].terms().first().map_or(0, |(row, _)| *row);
        let cost = (n * n) as f64;
        for (row, column) in path.entered.clone().into_iter().chain(left) {
            let entered = path.tableau.silent[row];
            if !entered {
                interrupt::afford(2.0 * cost)?;
            }
            let redundant = !entered && path.is_empty(form, row, column);
            if redundant {
                path.redundant.push(row);
            }
            let split = !entered && !redundant;
            splits |= split;
            equations.push(Equation {
                impulse: of(column),
                velocity: of(row),
                sign: if split {
                    path.skew_sign(form, row, column)
                } else {
                    1.0
                },
                split,
            });
        }
        if !splits {
            equations.clear();
        }
        Ok((path, equations))
    }

    /// The sign that brings equation `row` nearer to minus the column of variable `column`.
    fn skew_sign(&self, form: &Form, row: usize, column: usize) -> f64 {
        let tableau = &self.tableau;
        let slot = tableau.column_of(Name::Impulse(column)).unwrap_or(0);
        let mut product = 0.0;
        for i in (0..form.len()).filter(|i| *i != row) {
            if let Some(at) = tableau.column_of(Name::Impulse(i))
                && tableau.basic[i] == Name::Velocity(i)
            {
                product += tableau.row(row)[at] * tableau.row(i)[slot];
            }
        }
        if product > 0.0 { -1.0 } else { 1.0 }
    }

    /// True if neither equation `row` nor variable `column` is coupled to anything that is not
    /// basic yet.
    fn is_empty(&self, form: &Form, row: usize, column: usize) -> bool {
        let tiny = DEPENDENT * linear::max_magnitude(&form.matrix);
        let tableau = &self.tableau;
        let Some(slot) = tableau.column_of(Name::Impulse(column)) else {
            return false;
        };
        let equation = (1..form.len() + 2).all(|c| match tableau.nonbasic[c] {
            Name::Impulse(_) => tableau.row(row)[c].abs() <= tiny,
            _ => true,
        });
        let variable = (0..form.len()).all(|i| match tableau.basic[i] {
            Name::Velocity(_) => tableau.row(i)[slot].abs() <= tiny,
            _ => true,
        });
        equation && variable
    }

    /// The first basis: every s, and the free variables in place of theirs.
    fn label(&mut self, form: &Form) {
        let n = form.len();
        let tableau = &mut self.tableau;
        for k in 0..n {
            tableau.basic[k] = Name::Velocity(k);
            tableau.nonbasic[k + 1] = Name::Impulse(k);
            tableau.silent[k] = false;
        }
        tableau.nonbasic[n + 1] = Name::Artificial;
        for (row, column) in &self.entered {
            tableau.basic[*row] = Name::Impulse(*column);
            tableau.nonbasic[column + 1] = Name::Velocity(*row);
            tableau.silent[*row] = true;
        }
        for row in &self.redundant {
            tableau.silent[*row] = true;
        }
    }

    /// Follows the path; `cover` gives d for the pairs. On success x is a solution. Entries of a
    /// column below `zero_entry` of its largest block nothing.
    pub(super) fn follow(
        &mut self,
        form: &Form,
        zero_entry: f64,
        cover: impl Fn(usize) -> f64,
        max_pivots: u64,
    ) -> Result<(), PathEnd> {
        for (k, variable) in form.variables.iter().enumerate() {
            let pair = variable.kind == VariableKind::Pair;
            self.cover[k] = if pair { cover(k) } else { 0.0 };
        }
        self.tableau.zero = zero_entry;
        self.label(form);
        self.refresh(form)?;
        self.check_redundant(form)?;
        let zero = ZERO_VELOCITY * linear::max_magnitude(&form.q);
        let artificial = form.len() + 1;
        let Some(row) = self.tableau.most_negative(artificial, zero) else {
            return Ok(self.finish(form)?);
        };
        let mut entering = complement(self.tableau.basic[row]);
        self.pivot(row, artificial)?;
        loop {
            interrupt::check()?;
            if self.since_refresh >= REFRESH_PERIOD {
                self.refresh(form)?;
            }
            if self.pivots >= max_pivots {
                return Err(PathEnd::Failed(SolveError::Unreached {
                    reason: "the pivot limit is reached: increase max_pivots_per_variable",
                }));
            }
            let mut step = self.step(entering);
            if step.is_none() && self.since_refresh > 0 {
                self.refresh(form)?;
                step = self.step(entering);
            }
            let Some((row, column)) = step else {
                return Err(PathEnd::Ray(self.ray(form, entering)));
            };
            let leaving = self.tableau.basic[row];
            self.pivot(row, column)?;
            if leaving == Name::Artificial {
                return Ok(self.finish(form)?);
            }
            entering = complement(leaving);
        }
    }

    fn step(&mut self, entering: Name) -> Option<(usize, usize)> {
        let column = self.tableau.column_of(entering)?;
        let row = self.tableau.blocking(column)?;
        Some((row, column))
    }

    fn pivot(&mut self, row: usize, column: usize) -> Result<(), SolveError> {
        self.tableau.pivot(row, column)?;
        self.pivots += 1;
        self.since_refresh += 1;
        Ok(())
    }

    fn refresh(&mut self, form: &Form) -> Result<(), SolveError> {
        self.since_refresh = 0;
        self.basis.refresh(form, &self.cover, &mut self.tableau)
    }

    /// Equations that depend on others have to agree with them.
    fn check_redundant(&mut self, form: &Form) -> Result<(), PathEnd> {
        let limit = 1e-10 * linear::max_magnitude(&form.q);
        for row in &self.redundant {
            let constant = self.tableau.row(*row)[0];
            if constant.abs() <= limit {
                continue;
            }
            // the combination of equations that has no impulse in it, but a constant
            let sign = -constant.signum();
            self.x.fill(0.0);
            self.x[*row] = sign;
            for c in 1..form.len() + 2 {
                if let Name::Velocity(k) = self.tableau.nonbasic[c] {
                    self.x[k] = -sign * self.tableau.row(*row)[c];
                }
            }
            return Err(PathEnd::Ray(self.certificate(form)));
        }
        Ok(())
    }

    fn finish(&mut self, form: &Form) -> Result<(), SolveError> {
        self.basis
            .finish(form, &self.cover, &self.tableau, &mut self.x)?;
        for (x, variable) in self.x.iter_mut().zip(&form.variables) {
            if variable.kind == VariableKind::Pair {
                *x = x.max(0.0);
            }
        }
        self.verify(form)
    }

    /// Refuses an end that is none: rounding has led the pivots astray.
    fn verify(&self, form: &Form) -> Result<(), SolveError> {
        let scale = linear::max_magnitude(&form.q) + linear::norm(&self.x);
        for (k, variable) in form.variables.iter().enumerate() {
            let s = linear::dot(form.row(k), &self.x) + form.q[k];
            let wrong = match variable.kind {
                VariableKind::Free => s.abs(),
                VariableKind::Pair if self.x[k] > 0.0 => s.abs().min(self.x[k]),
                VariableKind::Pair => -s,
            };
            if wrong.is_nan() || wrong > ACCURATE * scale {
                return Err(SolveError::Factorization {
                    reason: "rounding has led the pivots to a basis that solves nothing",
                });
            }
        }
        Ok(())
    }

    /// The direction of the impulses along the ray on which `entering` grows, and what it proves
    /// (B.14).
    fn ray(&mut self, form: &Form, entering: Name) -> Ray {
        self.x.fill(0.0);
        if let Name::Impulse(k) = entering {
            self.x[k] = 1.0;
        }
        if let Some(column) = self.tableau.column_of(entering) {
            for i in 0..form.len() {
                if let Name::Impulse(k) = self.tableau.basic[i] {
                    self.x[k] = self.tableau.row(i)[column];
                }
            }
        }
        self.certificate(form)
    }

    /// What the direction x proves by Farkas' lemma: x ≥ 0 on pairs, Mᵀx ≤ 0 on pairs and = 0 on
    /// free variables, qᵀx < 0.
    fn certificate(&mut self, form: &Form) -> Ray {
        let length = linear::norm(&self.x).max(f64::MIN_POSITIVE);
        self.s.fill(0.0);
        for (k, x) in self.x.iter().enumerate() {
            linear::add_scaled(*x, form.row(k), &mut self.s);
        }
        let mut defect: f64 = 0.0;
        for ((variable, x), s) in form.variables.iter().zip(&self.x).zip(&self.s) {
            let violation = match variable.kind {
                VariableKind::Free => s.abs(),
                VariableKind::Pair => s.max(-x),
            };
            defect = defect.max(violation / length);
        }
        let work = linear::dot(&form.q, &self.x);
        let scale = linear::norm(&form.q).max(f64::MIN_POSITIVE);
        let mut direction = vec![0.0; form.base.len()];
        for (variable, x) in form.variables.iter().zip(&self.x) {
            for (row, factor) in variable.terms() {
                direction[*row] += factor * x / length * form.d[*row];
            }
        }
        Ray::new(direction, defect, work / (length * scale))
    }
}

fn complement(name: Name) -> Name {
    match name {
        Name::Impulse(k) => Name::Velocity(k),
        Name::Velocity(k) => Name::Impulse(k),
        Name::Artificial => Name::Artificial,
    }
}

/// Rows and columns of a largest regular block of the free variables, by complete pivoting that
/// prefers the diagonal, and the rows and columns that are left, in pairs.
type Pairs = Vec<(usize, usize)>;

fn independent(form: &Form) -> Result<(Pairs, Pairs), SolveError> {
    let of = |k: &usize| form.variables[*k].kind == VariableKind::Free;
    let mut rows: Vec<usize> = (0..form.len()).filter(of).collect();
    let mut columns = rows.clone();
    let size = rows.len();
    let mut block: Vec<Vec<f64>> = Vec::with_capacity(size);
    interrupt::for_each(size, size, |i| {
        block.push(columns.iter().map(|j| form.row(rows[i])[*j]).collect());
    })?;
    let sizes = block.iter().map(|row| linear::max_magnitude(row));
    let largest = sizes.fold(0.0, f64::max);
    let mut rank = 0;
    while rank < size {
        interrupt::check()?;
        let (mut at, mut best) = ((rank, rank), 0.0);
        interrupt::for_each(size - rank, COMPARED * (size - rank), |k| {
            let i = rank + k;
            for (j, value) in block[i].iter().enumerate().skip(rank) {
                let weight = if rows[i] == columns[j] { 10.0 } else { 1.0 };
                if weight * value.abs() > best {
                    (at, best) = ((i, j), weight * value.abs());
                }
            }
        })?;
        if block[at.0]
            .get(at.1)
            .is_none_or(|p| p.abs() <= DEPENDENT * largest)
        {
            break;
        }
        block.swap(rank, at.0);
        rows.swap(rank, at.0);
        columns.swap(rank, at.1);
        for row in &mut block {
            row.swap(rank, at.1);
        }
        let (head, tail) = block.split_at_mut(rank + 1);
        let pivot = &head[rank];
        interrupt::for_each(tail.len(), size - rank, |k| {
            let row = &mut tail[k];
            let factor = row[rank] / pivot[rank];
            linear::add_scaled(-factor, &pivot[rank..], &mut row[rank..]);
        })?;
        rank += 1;
    }
    let pairs: Pairs = rows.into_iter().zip(columns).collect();
    // the rows and columns left are the same variables where every pivot was on the diagonal; sort
    // them together
    let (entered, left) = pairs.split_at(rank);
    let mut left_rows: Vec<usize> = left.iter().map(|p| p.0).collect();
    let mut left_columns: Vec<usize> = left.iter().map(|p| p.1).collect();
    left_rows.sort_unstable();
    left_columns.sort_unstable();
    let left = left_rows.into_iter().zip(left_columns).collect();
    Ok((entered.to_vec(), left))
}
