//! Every word for how a cell ends: what it means and what to do. `list statuses`, the report and
//! `docs/statuses.md` say the same.

/// One status in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusDoc {
    /// As records, tables and JSON have it.
    pub id: &'static str,
    /// What is known about a cell that ends so.
    pub meaning: &'static str,
    /// What to do about it.
    pub action: &'static str,
}

const fn doc(id: &'static str, meaning: &'static str, action: &'static str) -> StatusDoc {
    StatusDoc {
        id,
        meaning,
        action,
    }
}

/// Every status: the good ones first, then what ended a cell otherwise.
pub const STATUSES: [StatusDoc; 19] = [
    doc(
        "solved",
        "every criterion, evaluated outside the solver, is within the tolerance, in its published form and in the form that shows large friction coefficients (M.39); if one block exceeds the tolerance by more than a factor of 100, the message names it",
        "nothing; look at other metrics too",
    ),
    doc(
        "ended",
        "a run over time reached its end with finite states, twice with the same bits; this says nothing about errors",
        "read the observables: drift, energy, residuals",
    ),
    doc(
        "timed",
        "every timed pass ended with the same bits; nothing was solved to a tolerance",
        "nothing",
    ),
    doc(
        "max_sweeps",
        "the solve reached its sweep limit before the tolerance",
        "look at the residual over sweeps: raise max_sweeps if it still falls",
    ),
    doc(
        "max_time",
        "the solve reached its time limit before the tolerance; the number of sweeps until then depends on the machine",
        "raise max_seconds, or limit sweeps instead",
    ),
    doc(
        "stagnated",
        "the solver proves that no further sweep changes its impulses, and the residual is above the tolerance; or a direct method has ended, without a solution or above the tolerance",
        "use another solver, f64, or a tolerance that its arithmetic can reach",
    ),
    doc(
        "cycling",
        "the state of the solver repeats, bit for bit, with the period in brackets: no further sweep reaches the tolerance",
        "change its relaxation or order, or take another solver",
    ),
    doc(
        "diverged",
        "the residual or the iterate grew beyond the divergence limit",
        "lower the relaxation or the step, or take a method that converges for this law",
    ),
    doc(
        "non_finite",
        "the iterate, or the state of a world, became infinite or not a number",
        "look at the samples before it; take a smaller step, or another solver",
    ),
    doc(
        "infeasible",
        "a direct method found that there is no solution",
        "look for contradictory rows; the message names the row on which the ray that proves it (B.14) is largest; on small problems, `enumeration` finds all solutions",
    ),
    doc(
        "unsupported",
        "the solver or the scheme does not support the problem, or this machine lacks its device; the message has the reason",
        "take a solver of `delassus list laws NAME`, or a machine that has the device",
    ),
    doc(
        "failed",
        "the solver failed for another reason, which the message has",
        "correct the solver or the request: the run ends with exit code 1",
    ),
    doc(
        "broken",
        "the timed and the traced pass ended with different bits: the solver is not reproducible",
        "correct the solver, or use a device that repeats its sums: the run ends with exit code 1",
    ),
    doc(
        "cancelled",
        "the run, or the process of the cell, was ended from outside before the cell had finished; it is not kept",
        "run the same command again",
    ),
    doc(
        "timeout",
        "the process of the cell was ended at a limit of wall-clock or processor time; the message has the limit",
        "raise the limit: the cell runs again; or take another solver: the run ends with exit code 1",
    ),
    doc(
        "out_of_memory",
        "the process of the cell exceeded its memory limit; the message has the limit",
        "raise the limit: the cell runs again; or take a smaller problem: the run ends with exit code 1",
    ),
    doc(
        "crashed",
        "the process of the cell was ended by a signal (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS), or exited without a result; the message has the signal or the exit code, and the last lines of its standard error",
        "correct the solver: the run ends with exit code 1; the other cells are not affected",
    ),
    doc(
        "device_lost",
        "the device that computed the cell was lost",
        "run the same command again: the cell runs again; if it fails again, check the driver, or use a smaller problem",
    ),
    doc(
        "unreadable",
        "`solve` found a file that is not a problem; the message has the line or the byte",
        "correct the file; docs/file-formats.md describes the formats",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{ENDED, TIMED};
    use delassus_core::Status;

    const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/statuses.md");

    #[test]
    fn every_status_is_described_once() {
        let all = [
            Status::Solved,
            Status::MaxSweeps,
            Status::MaxTime,
            Status::Stagnated,
            Status::Cycling(std::num::NonZeroU32::MIN),
            Status::Diverged,
            Status::NonFinite,
            Status::Infeasible,
            Status::Unsupported,
            Status::Failed,
            Status::Broken,
            Status::Cancelled,
            Status::Timeout,
            Status::OutOfMemory,
            Status::Crashed,
            Status::DeviceLost,
        ];
        for id in all.map(Status::id).into_iter().chain([ENDED, TIMED]) {
            let found = STATUSES.iter().filter(|doc| doc.id == id).count();
            assert_eq!(found, 1, "{id}");
        }
    }

    #[test]
    fn the_page_of_the_documentation_says_the_same() {
        let page = std::fs::read_to_string(PAGE).unwrap();
        let rows: Vec<String> = STATUSES
            .iter()
            .map(|doc| format!("| `{}` | {} | {} |", doc.id, doc.meaning, doc.action))
            .collect();
        let written: Vec<&str> = page.lines().filter(|l| l.starts_with("| `")).collect();
        assert_eq!(
            written,
            rows,
            "docs/statuses.md should be\n{}",
            rows.join("\n")
        );
    }
}
