//! A solver written in Python behind the solver trait.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use delassus_core::{
    Determinism, ImpulseSolver, LawForm, Problem, ProblemSize, Progress, RoundRows, SolveError,
    SolverDescriptor, Start, Support, WorkUnit, interrupt,
};
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::errors::of_solver;
use crate::laws::kind_of;
use crate::problem::NativeProblem;

/// The first exception that Python code has raised.
pub(crate) type Raised = Arc<Mutex<Option<PyErr>>>;

/// Takes the exception out.
pub(crate) fn take(raised: &Raised) -> Option<PyErr> {
    raised.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// What a solver of Python says about itself.
#[derive(FromPyObject)]
pub(crate) struct Declaration {
    id: String,
    /// Laws that it solves exactly; all of them if it names none.
    laws: Option<Vec<String>>,
    direct: bool,
    coupled_compliance: bool,
    symmetric_only: bool,
    needs_bodies: bool,
    deterministic: bool,
    unit_is_map: bool,
}

impl Declaration {
    /// The descriptor. Its texts live as long as the program, once per text.
    pub(crate) fn descriptor(&self) -> PyResult<SolverDescriptor> {
        let (forms, cone_rows) = match &self.laws {
            None => (SolverDescriptor::ALL_FORMS, 6),
            Some(names) => {
                let mut forms: Vec<LawForm> = Vec::new();
                for name in names {
                    forms.push(kind_of(name)?.form());
                }
                forms.sort_unstable();
                forms.dedup();
                let elliptic = names.iter().any(|name| name == "elliptic-cone");
                (lasting_forms(&forms), if elliptic { 6 } else { 3 })
            }
        };
        Ok(SolverDescriptor {
            id: lasting_text(&self.id),
            name: "solver in Python",
            forms,
            cone_rows,
            work_unit: if self.direct {
                WorkUnit::Solve
            } else {
                WorkUnit::Sweep
            },
            unit_is_map: self.unit_is_map,
            determinism: if self.deterministic {
                Determinism::Processor
            } else {
                Determinism::None
            },
            needs_bodies: self.needs_bodies,
            coupled_compliance: self.coupled_compliance,
            max_asymmetry: if self.symmetric_only {
                0.0
            } else {
                f64::INFINITY
            },
            ..SolverDescriptor::BASE
        })
    }
}

/// A text that lives as long as the program; equal texts share one.
fn lasting_text(text: &str) -> &'static str {
    static TEXTS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = texts.get(text) {
        return found;
    }
    let kept: &'static str = Box::leak(text.to_owned().into_boxed_str());
    texts.insert(kept);
    kept
}

/// What a descriptor says about laws.
type Forms = &'static [(LawForm, Support)];

/// Exact forms that live as long as the program; equal lists share one.
fn lasting_forms(forms: &[LawForm]) -> Forms {
    static LISTS: Mutex<Vec<Forms>> = Mutex::new(Vec::new());
    let mut lists = LISTS.lock().unwrap_or_else(PoisonError::into_inner);
    let same = |list: &&Forms| list.iter().map(|(form, _)| form).eq(forms);
    if let Some(found) = lists.iter().find(same) {
        return found;
    }
    let list: Vec<_> = forms.iter().map(|form| (*form, Support::Exact)).collect();
    let kept: Forms = Box::leak(list.into_boxed_slice());
    lists.push(kept);
    kept
}

/// A Python object with `prepare(problem, start)`, `iterate(n)` and `impulses()`.
///
/// An exception of its code ends the call with [`SolveError::Unreached`] and waits in `raised`.
pub(crate) struct PythonSolver {
    /// Missing where making it has failed.
    object: Option<Py<PyAny>>,
    descriptor: SolverDescriptor,
    raised: Raised,
    prepared: Option<PreparedRows>,
}

/// What was prepared.
struct PreparedRows {
    size: ProblemSize,
    rows: usize,
    round: RoundRows,
    /// Time of the last sweep, under a limit \[s\].
    unit: f64,
}

impl PythonSolver {
    /// Calls `make` for a new object.
    pub(crate) fn new(make: &Py<PyAny>, descriptor: SolverDescriptor, raised: &Raised) -> Self {
        let mut solver = Self {
            object: None,
            descriptor,
            raised: Arc::clone(raised),
            prepared: None,
        };
        solver.object = Python::attach(|py| match make.call0(py) {
            Ok(object) => Some(object),
            Err(error) => {
                solver.keep(error);
                None
            }
        });
        solver
    }

    fn keep(&self, error: PyErr) {
        let mut raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        raised.get_or_insert(error);
    }

    /// Calls Python code; an exception is kept.
    fn call<T>(
        &self,
        work: impl FnOnce(Python<'_>, &Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Result<T, SolveError> {
        let outcome = Python::attach(|py| {
            let object = self.object.as_ref();
            object.map(|object| work(py, object.bind(py)))
        });
        match outcome {
            Some(Ok(value)) => Ok(value),
            Some(Err(error)) => {
                self.keep(error);
                Err(RAISED)
            }
            None => Err(RAISED),
        }
    }

    fn size_of(&self, problem: &Problem) -> Result<(), SolveError> {
        let prepared = self.prepared.as_ref().ok_or(SolveError::NotPrepared)?;
        prepared.size.check(problem)
    }
}

/// What callers see of an exception; the exception itself is kept.
const RAISED: SolveError = SolveError::Unreached {
    reason: "the solver raised an exception",
};

impl ImpulseSolver for PythonSolver {
    fn descriptor(&self) -> &SolverDescriptor {
        &self.descriptor
    }

    fn prepare(&mut self, problem: &Problem, start: Start<'_>) -> Result<(), SolveError> {
        interrupt::check()?;
        self.prepared = None;
        self.descriptor.check(problem)?;
        start.check(problem.rows())?;
        let mut round = RoundRows::of(problem);
        let mut impulses = vec![0.0; problem.rows()];
        round.start(start, problem.rows())?.write(&mut impulses)?;
        let own = NativeProblem::of(problem.round().clone(), self.descriptor.id, "");
        self.call(|py, object| {
            let arguments = (own, impulses.into_pyarray(py));
            object.call_method1("prepare", arguments).map(drop)
        })?;
        self.prepared = Some(PreparedRows {
            size: ProblemSize::of(problem),
            rows: problem.rows(),
            round,
            unit: 0.0,
        });
        Ok(())
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        self.size_of(problem)?;
        let mut unit = self.prepared.as_ref().map_or(0.0, |prepared| prepared.unit);
        let done = interrupt::in_parts(sweeps, Some(&mut unit), |part| {
            self.call(|_, object| object.call_method1("iterate", (part,)).map(drop))?;
            Ok(Progress::of_sweeps(part, problem.rows()))
        });
        if let Some(prepared) = &mut self.prepared {
            prepared.unit = unit;
        }
        let progress = done?;
        Ok(Progress {
            finished: self.descriptor.work_unit == WorkUnit::Solve && sweeps > 0,
            ..progress
        })
    }

    fn read_impulses(&mut self, out: &mut [f64]) -> Result<(), SolveError> {
        let prepared = self.prepared.as_ref().ok_or(SolveError::NotPrepared)?;
        SolveError::check_length("impulses", out.len(), prepared.rows)?;
        self.call(|_, object| {
            let given = object.call_method0("impulses")?;
            let given: PyReadonlyArray1<'_, f64> = given.extract()?;
            let given = given.as_slice()?;
            if given.len() != out.len() {
                let (found, rows) = (given.len(), out.len());
                return Err(of_solver(format!(
                    "impulses() returns {found} numbers, and the problem has {rows} rows"
                )));
            }
            out.copy_from_slice(given);
            Ok(())
        })?;
        if let Some(row) = out.iter().position(|impulse| !impulse.is_finite()) {
            return Err(SolveError::NonFinite { row });
        }
        prepared.round.give(out);
        Ok(())
    }
}
