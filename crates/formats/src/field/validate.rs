//! Whether the parts of a problem fit each other.

use super::{
    FieldFile, FieldProblem, Global, Lcp, Local, MatrixForm, Mlcp, PartsForm, Relay, RowKind,
    StoredSolution,
};
use crate::error::ProblemFieldError;
use crate::matrix::StoredMatrix;

impl FieldFile {
    /// Fails unless problem, solution and guesses fit each other.
    ///
    /// # Errors
    /// Sizes that contradict each other, matrices that are none, numbers that are not finite,
    /// negative friction.
    pub fn validate(&self) -> Result<(), ProblemFieldError> {
        self.problem.validate()?;
        for solution in self.solution.iter().chain(&self.guesses) {
            solution.validate(&self.problem)?;
        }
        Ok(())
    }
}

impl FieldProblem {
    /// Fails unless the parts fit each other.
    ///
    /// # Errors
    /// Sizes that contradict each other, matrices that are none, numbers that are not finite,
    /// negative friction.
    pub fn validate(&self) -> Result<(), ProblemFieldError> {
        match self {
            Self::Local(local) => local.validate(),
            Self::Global(global) => global.validate(),
            Self::Lcp(lcp) => lcp.validate(),
            Self::Relay(relay) => relay.validate(),
            Self::Mlcp(mlcp) => mlcp.validate(),
        }
    }
}

impl Local {
    /// Number of contacts \[-\].
    pub fn contacts(&self) -> usize {
        self.mu.len()
    }

    /// Fails unless the parts fit each other.
    ///
    /// # Errors
    /// What does not fit.
    pub fn validate(&self) -> Result<(), ProblemFieldError> {
        let rows = rows(self.dim, &self.mu, self.mu_r.as_deref())?;
        matrix("W", &self.w, rows, rows)?;
        vector("q", &self.q, rows)?;
        let Some(bilateral) = &self.bilateral else {
            return Ok(());
        };
        let count = bilateral.s.len();
        matrix("V", &bilateral.v, rows, count)?;
        matrix("R", &bilateral.r, count, count)?;
        vector("s", &bilateral.s, count)
    }
}

impl Global {
    /// Number of contacts \[-\].
    pub fn contacts(&self) -> usize {
        self.mu.len()
    }

    /// Fails unless the parts fit each other.
    ///
    /// # Errors
    /// What does not fit.
    pub fn validate(&self) -> Result<(), ProblemFieldError> {
        let rows = rows(self.dim, &self.mu, self.mu_r.as_deref())?;
        let freedoms = self.f.len();
        matrix("M", &self.m, freedoms, freedoms)?;
        matrix("H", &self.h, freedoms, rows)?;
        vector("f", &self.f, freedoms)?;
        vector("w", &self.w, rows)?;
        let Some(bilateral) = &self.bilateral else {
            return Ok(());
        };
        matrix("G", &bilateral.g, freedoms, bilateral.b.len())?;
        vector("b", &bilateral.b, bilateral.b.len())
    }
}

impl Lcp {
    /// Fails unless the parts fit each other.
    ///
    /// # Errors
    /// What does not fit.
    pub fn validate(&self) -> Result<(), ProblemFieldError> {
        matrix("M", &self.m, self.q.len(), self.q.len())?;
        vector("q", &self.q, self.q.len())
    }
}

impl Relay {
    /// Fails unless the parts fit each other.
    ///
    /// # Errors
    /// What does not fit; a lower bound above its upper one.
    pub fn validate(&self) -> Result<(), ProblemFieldError> {
        let rows = self.q.len();
        matrix("M", &self.m, rows, rows)?;
        vector("q", &self.q, rows)?;
        length("the lower bounds", self.lower.len(), rows)?;
        length("the upper bounds", self.upper.len(), rows)?;
        let mut pairs = self.lower.iter().zip(&self.upper);
        match pairs.position(|(lower, upper)| {
            // bounds that are NaN are no bounds either
            lower
                .partial_cmp(upper)
                .is_none_or(std::cmp::Ordering::is_gt)
        }) {
            Some(row) => Err(ProblemFieldError::Bounds {
                row,
                lower: self.lower[row],
                upper: self.upper[row],
            }),
            None => Ok(()),
        }
    }
}

impl Mlcp {
    /// Fails unless the parts fit each other.
    ///
    /// # Errors
    /// What does not fit; a problem of no form.
    pub fn validate(&self) -> Result<(), ProblemFieldError> {
        if self.matrix.is_none() && self.parts.is_none() {
            return Err(ProblemFieldError::NoForm);
        }
        if let Some(matrix) = &self.matrix {
            matrix.validate(self.equalities, self.complementarities)?;
        }
        if let Some(parts) = &self.parts {
            parts.validate(self.equalities, self.complementarities)?;
        }
        finite("the numbers after the problem", &self.trailing)
    }
}

impl MatrixForm {
    fn validate(
        &self,
        equalities: usize,
        complementarities: usize,
    ) -> Result<(), ProblemFieldError> {
        let total = equalities.saturating_add(complementarities);
        matrix("M", &self.m, self.q.len(), total)?;
        finite("q", &self.q)?;
        length("the kinds of the blocks", self.kinds.len(), self.ends.len())?;
        let (mut previous, mut equal) = (0, 0);
        for (end, kind) in self.ends.iter().zip(&self.kinds) {
            if *end <= previous {
                return Err(ProblemFieldError::BlockEnds {
                    previous,
                    found: *end,
                });
            }
            if *kind == RowKind::Equality {
                equal += (end - previous) as usize;
            }
            previous = *end;
        }
        length("the last block end", previous as usize, total)?;
        length("the rows of the equality blocks", equal, equalities)
    }
}

impl PartsForm {
    fn validate(&self, n: usize, m: usize) -> Result<(), ProblemFieldError> {
        let product = |a: usize, b: usize| a.saturating_mul(b);
        vector("A", &self.a, product(n, n))?;
        vector("B", &self.b, product(m, m))?;
        vector("C", &self.c, product(n, m))?;
        vector("D", &self.d, product(m, n))?;
        vector("a", &self.a_vector, n)?;
        vector("b", &self.b_vector, m)
    }
}

impl StoredSolution {
    /// Fails unless its vectors have the lengths of `problem` and finite numbers.
    ///
    /// # Errors
    /// What does not fit.
    pub fn validate(&self, problem: &FieldProblem) -> Result<(), ProblemFieldError> {
        let (rows, freedoms, bilateral) = match problem {
            FieldProblem::Local(local) => {
                let bilateral = local.bilateral.as_ref().map(|b| b.s.len());
                (local.q.len(), None, bilateral)
            }
            FieldProblem::Global(global) => {
                let bilateral = global.bilateral.as_ref().map(|b| b.b.len());
                (global.w.len(), Some(global.f.len()), bilateral)
            }
            FieldProblem::Lcp(lcp) => (lcp.q.len(), None, None),
            FieldProblem::Relay(relay) => (relay.q.len(), None, None),
            FieldProblem::Mlcp(mlcp) => {
                let total = mlcp.equalities.saturating_add(mlcp.complementarities);
                (total, None, None)
            }
        };
        vector("u of a solution", &self.u, rows)?;
        vector("r of a solution", &self.r, rows)?;
        if let Some(v) = &self.v {
            vector("v of a solution", v, freedoms.unwrap_or(0))?;
        }
        if let Some(l) = &self.l {
            vector("l of a solution", l, bilateral.unwrap_or(0))?;
        }
        Ok(())
    }
}

/// Rows of all contacts.
fn rows(dim: usize, mu: &[f64], mu_r: Option<&[f64]>) -> Result<usize, ProblemFieldError> {
    if !matches!((dim, mu_r), (2 | 3, None) | (5, Some(_))) {
        return Err(ProblemFieldError::Dimension {
            dim,
            rolling: mu_r.is_some(),
        });
    }
    coefficients("friction coefficient", mu)?;
    if let Some(mu_r) = mu_r {
        length("the rolling friction coefficients", mu_r.len(), mu.len())?;
        coefficients("rolling friction coefficient", mu_r)?;
    }
    Ok(dim.saturating_mul(mu.len()))
}

fn coefficients(what: &'static str, values: &[f64]) -> Result<(), ProblemFieldError> {
    finite(what, values)?;
    match values.iter().position(|value| *value < 0.0) {
        Some(contact) => Err(ProblemFieldError::NegativeFriction {
            what,
            contact,
            value: values[contact],
        }),
        None => Ok(()),
    }
}

fn matrix(
    what: &'static str,
    matrix: &StoredMatrix,
    rows: usize,
    columns: usize,
) -> Result<(), ProblemFieldError> {
    let valid = matrix.validate();
    valid.map_err(|source| ProblemFieldError::Matrix { what, source })?;
    if (matrix.rows, matrix.columns) == (rows, columns) {
        return Ok(());
    }
    Err(ProblemFieldError::Shape {
        what,
        found: (matrix.rows, matrix.columns),
        expected: (rows, columns),
    })
}

fn vector(what: &'static str, values: &[f64], expected: usize) -> Result<(), ProblemFieldError> {
    length(what, values.len(), expected)?;
    finite(what, values)
}

fn length(what: &'static str, found: usize, expected: usize) -> Result<(), ProblemFieldError> {
    if found == expected {
        return Ok(());
    }
    Err(ProblemFieldError::Length {
        what,
        found,
        expected,
    })
}

fn finite(what: &'static str, values: &[f64]) -> Result<(), ProblemFieldError> {
    match values.iter().position(|value| !value.is_finite()) {
        Some(index) => Err(ProblemFieldError::NonFinite { what, index }),
        None => Ok(()),
    }
}
