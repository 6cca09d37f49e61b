//! Names of problems and labels of solvers: made, unique, and known to the figures.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{MatrixProblem, wanted};
use crate::record::SolverLabel;
use crate::spec::{Choice, Spec, SpecError};
use crate::suggest::nearest;

/// The name of one point of a grid: the author's name with what varies, or the identifier with all that is set.
pub(super) fn of_point(id: &str, given: Option<&str>, point: &Choice) -> String {
    let (base, text) = match given {
        Some(name) => (name, &point.varied),
        None => (id, &point.text),
    };
    if text.is_empty() {
        base.to_owned()
    } else {
        format!("{base} {text}")
    }
}

/// Refuses the second use of a name.
pub(super) fn unique<'n>(
    spec: &Spec,
    what: &str,
    key: &str,
    names: impl Iterator<Item = (&'n str, Range<usize>)>,
) -> Result<(), SpecError> {
    let mut seen = BTreeSet::new();
    for (name, span) in names {
        if !seen.insert(name) {
            let message = format!("two {what}s are named {name:?}; give this one a {key}");
            return Err(spec.error(span, message));
        }
    }
    Ok(())
}

/// Refuses figures of problems or solvers that the matrix does not have.
pub(super) fn check_figures(
    spec: &Spec,
    problems: &[MatrixProblem],
    solvers: &[SolverLabel],
) -> Result<(), SpecError> {
    for figure in &spec.figures {
        let (wanted_problems, wanted_solvers) = wanted(&figure.plot);
        let names = problems.iter().map(|p| p.label.name.as_str());
        check(spec, "problem", wanted_problems, names)?;
        let labels = solvers.iter().map(|s| s.label.as_str());
        check(spec, "solver", wanted_solvers, labels)?;
    }
    Ok(())
}

fn check<'n>(
    spec: &Spec,
    what: &str,
    wanted: &[String],
    names: impl Iterator<Item = &'n str> + Clone,
) -> Result<(), SpecError> {
    for name in wanted {
        if names.clone().any(|known| known == name) {
            continue;
        }
        let message = match nearest(name, names.clone()) {
            Some(found) => {
                format!("unknown {what} {name:?} in [[figure]]; did you mean {found:?}?")
            }
            None => format!("unknown {what} {name:?} in [[figure]]; --dry-run lists the names"),
        };
        return Err(match spec.text.rfind(&format!("\"{name}\"")) {
            Some(at) => spec.error(at..at + name.len() + 2, message),
            None => spec.error(0..0, message),
        });
    }
    Ok(())
}
