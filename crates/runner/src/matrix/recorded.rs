//! Solvers and devices of records that this machine does not have.
//!
//! A key covers the version of a program that solves, and the device that a solver computes on.
//! Where they are other ones here, or none, no key of a record would follow from its spec. So what
//! checks records takes these from the records, and computes everything else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::cell::{MatrixCell, refused_key};
use super::{CellMatrix, Experiment};
use crate::key::Program;
use crate::record::{CellRecord, NO_DEVICE, SolverLabel};
use crate::registry::process;
use crate::run_metadata::is_key;
use crate::store::{self, StoredCell};

impl CellMatrix {
    /// Takes programs and devices from the records of `dir` where this machine has other ones or
    /// none. One text for each solver or engine says so. `keys` are those of the cells.
    pub(crate) fn take_recorded(&mut self, dir: &Path, keys: &[String]) -> Vec<String> {
        let methods: BTreeSet<usize> = self.cells.iter().map(|cell| cell.method).collect();
        let bound = methods.into_iter().filter(|method| self.is_bound(*method));
        let mut open: BTreeSet<usize> = bound.collect();
        let before: Vec<String> = self.keys_here();
        let mut reasons: BTreeMap<usize, String> = BTreeMap::new();
        let mut solvers = BTreeMap::new();
        for key in keys.iter().filter(|key| is_key(key)) {
            if open.is_empty() {
                break;
            }
            let StoredCell::Cell(record) = store::read_cell(dir, key) else {
                continue;
            };
            let named = |method: &&usize| self.method_label(**method) == record.method();
            let Some(method) = open.iter().find(named).copied() else {
                continue;
            };
            open.remove(&method);
            let solver = self.take_solver(method, &record, &mut solvers);
            let scheme = self.take_scheme(method, &record);
            if let Some(reason) = solver.or(scheme) {
                reasons.insert(method, reason);
            }
        }
        self.recorded = reasons.keys().copied().collect();
        self.renew_cells(&before);
        self.in_words(reasons)
    }

    /// True for a cell whose solver or device is that of the records, and not the one that is here.
    pub(crate) fn is_recorded(&self, method: usize) -> bool {
        self.recorded.contains(&method)
    }

    /// True if any is.
    pub(crate) fn has_recorded(&self) -> bool {
        !self.recorded.is_empty()
    }

    /// True if the solver of any method has a process of its own; engines declare nothing that a
    /// view shows.
    pub(crate) fn has_processes(&self) -> bool {
        self.presence.iter().any(|presence| presence.is_process)
    }

    /// Why the solver or the engine of a method is not on this machine, if it is not.
    pub(crate) fn absence(&self, method: usize) -> Option<&str> {
        let solver = self.solver_index(method);
        let of_solver = solver.and_then(|index| self.presence[index].absence.as_deref());
        of_solver.or_else(|| match &self.experiment {
            Experiment::Simulate(over) => over.absent_engine(method),
            Experiment::Solve(_) | Experiment::Time(_) => None,
        })
    }

    /// True for a cell whose solver, engine or device is not on this machine.
    pub(crate) fn is_absent(&self, cell: &MatrixCell) -> bool {
        let scheme = self.experiment.scheme_label(cell);
        let devices = [
            self.solver(cell).device,
            scheme.and_then(|scheme| scheme.device.clone()),
        ];
        let lacks_device = devices.iter().flatten().any(|device| device == NO_DEVICE);
        lacks_device || self.absence(cell.method).is_some()
    }

    /// True for a method whose solver, or whose engine, has a process of its own.
    pub(crate) fn has_process(&self, method: usize) -> bool {
        let solver = self.solver_index(method);
        solver.is_some_and(|index| self.presence[index].is_process) || self.has_engine(method)
    }

    /// True for a method that is an engine in a process of its own.
    fn has_engine(&self, method: usize) -> bool {
        match &self.experiment {
            Experiment::Simulate(over) => over.engine(method).is_some(),
            Experiment::Solve(_) | Experiment::Time(_) => false,
        }
    }

    /// True if the record of a cell names the program that has run it in a process of its own.
    pub(crate) fn names_program(&self, cell: &MatrixCell, record: &CellRecord) -> bool {
        match self.has_engine(cell.method) {
            true => record.scheme().is_some_and(|label| label.device.is_some()),
            false => record.solver.peer.is_some(),
        }
    }

    /// What solves or steps the cells of a method, as its identifier.
    pub(crate) fn program_id(&self, method: usize) -> &str {
        match (&self.experiment, self.solver_index(method)) {
            (_, Some(index)) => &self.solvers[index].id,
            (Experiment::Simulate(over), None) => &over.methods[method].label.id,
            (Experiment::Solve(_) | Experiment::Time(_), None) => "",
        }
    }

    /// The solver of a method; `None` where a scheme solves by itself.
    fn solver_index(&self, method: usize) -> Option<usize> {
        match &self.experiment {
            Experiment::Solve(_) | Experiment::Time(_) => Some(method),
            Experiment::Simulate(over) => over.methods[method].solver,
        }
    }

    pub(super) fn method_label(&self, method: usize) -> &str {
        match &self.experiment {
            Experiment::Solve(_) | Experiment::Time(_) => &self.solvers[method].label,
            Experiment::Simulate(over) => &over.methods[method].label.method,
        }
    }

    /// True for a method whose records say what of the machine took part.
    fn is_bound(&self, method: usize) -> bool {
        let solver = self.solver_index(method);
        let has_device = match &self.experiment {
            Experiment::Simulate(over) => over.methods[method].label.device.is_some(),
            Experiment::Solve(_) | Experiment::Time(_) => false,
        };
        let is_own = solver.is_some_and(|index| self.solvers[index].device.is_some());
        is_own || has_device || self.has_process(method)
    }

    /// The keys of the cells in this program, where memory refuses none.
    fn keys_here(&self) -> Vec<String> {
        let keys = self.cells.iter();
        keys.map(|cell| self.key(cell, Program::here())).collect()
    }

    /// Takes the solver of a record where it is the one of the spec, with another program or
    /// device. `taken` has those of other methods.
    fn take_solver(
        &mut self,
        method: usize,
        record: &CellRecord,
        taken: &mut BTreeMap<usize, String>,
    ) -> Option<String> {
        let index = self.solver_index(method)?;
        let (here, said) = (&self.solvers[index], &record.solver);
        if here == said {
            return taken.get(&index).cloned();
        }
        let reason = self.difference(index, said)?;
        self.solvers[index] = said.clone();
        taken.insert(index, reason.clone());
        Some(reason)
    }

    /// How the solver of this index differs from that of a record; `None` if in more than what
    /// belongs to a machine.
    fn difference(&self, index: usize, said: &SolverLabel) -> Option<String> {
        let (here, presence) = (&self.solvers[index], &self.presence[index]);
        let mut own = said.clone();
        let mut reasons = Vec::new();
        if presence.is_process {
            let own_names = process::TAKEN.iter().copied();
            let given = presence.given.keys().map(String::as_str);
            let same = |name: &str| here.parameters.get(name) == said.parameters.get(name);
            // the others are those that the program declares
            if !own_names.chain(given).all(same) {
                return None;
            }
            let version = |label: &SolverLabel| {
                let peer = label.peer.as_ref();
                peer.map_or("none".to_owned(), |peer| {
                    format!("{} {}", peer.peer, peer.version)
                })
            };
            reasons.push(match &presence.absence {
                Some(reason) => format!("{reason}; in the records it is {}", version(said)),
                None if version(here) == version(said) => {
                    format!("{} has other files or parameters here", version(here))
                }
                None => format!(
                    "its program is {} here, and {} in the records",
                    version(here),
                    version(said)
                ),
            });
            own.peer.clone_from(&here.peer);
            own.parameters.clone_from(&here.parameters);
        }
        if here.device != said.device {
            let (here, said) = (here.device.as_deref()?, said.device.as_deref()?);
            reasons.push(other_device(here, said));
            own.device = Some(here.to_owned());
        }
        (own == *here).then(|| reasons.join("; "))
    }

    /// Takes the scheme of a record where it is the scheme of the spec on another device, or the
    /// engine of the spec with another program.
    fn take_scheme(&mut self, method: usize, record: &CellRecord) -> Option<String> {
        let Experiment::Simulate(over) = &mut self.experiment else {
            return None;
        };
        if over.engine(method).is_some() {
            return over.take_engine(method, record.scheme()?);
        }
        let said = record.scheme()?.device.as_deref()?;
        let here = over.methods[method].label.device.as_deref()?;
        if here == said {
            return None;
        }
        let reason = other_device(here, said);
        over.methods[method].label.device = Some(said.to_owned());
        Some(reason)
    }

    /// Computes the keys of cells again whose method is that of the records; `before` has the keys
    /// that they had. What such a method refuses is not known here.
    fn renew_cells(&mut self, before: &[String]) {
        let keys = self.keys_here();
        let knows = |subject: usize| match &self.experiment {
            Experiment::Solve(solves) => solves.problems[subject].content.is_ok(),
            Experiment::Time(_) | Experiment::Simulate(_) => true,
        };
        let known: Vec<bool> = self.cells.iter().map(|cell| knows(cell.subject)).collect();
        let cells = self.cells.iter_mut().zip(keys.into_iter().zip(before));
        for ((cell, (key, before)), is_known) in cells.zip(known) {
            if !self.recorded.contains(&cell.method) {
                continue;
            }
            let refused = (cell.key != *before).then_some(cell.skip.as_deref());
            cell.key = refused_key(key, refused.flatten());
            if is_known {
                cell.skip = None;
            }
        }
    }

    /// What is said of methods that are those of the records: one text for each solver or engine
    /// and each reason.
    fn in_words(&self, reasons: BTreeMap<usize, String>) -> Vec<String> {
        let mut groups: Vec<(&str, String, Vec<usize>)> = Vec::new();
        for (method, reason) in reasons {
            let id = self.program_id(method);
            let same = |group: &&mut (&str, String, Vec<usize>)| group.0 == id && group.1 == reason;
            match groups.iter_mut().find(same) {
                Some((_, _, methods)) => methods.push(method),
                None => groups.push((id, reason, vec![method])),
            }
        }
        let words = groups.into_iter().map(|(_, reason, methods)| {
            let cells = self
                .cells
                .iter()
                .filter(|cell| methods.contains(&cell.method));
            let labels = methods.iter().map(|method| self.method_label(*method));
            format!(
                "{}: {reason}; its version, parameters and device are those of the records, \
                 and everything else was checked",
                cells_of(cells.count(), labels)
            )
        });
        words.collect()
    }
}

/// Labels of methods that a message shows \[-\].
const SHOWN: usize = 3;

/// A number of cells with the labels of their methods, as `2 cells of "script"`.
pub(crate) fn cells_of<'l>(number: usize, labels: impl Iterator<Item = &'l str>) -> String {
    let cells = match number {
        1 => "1 cell".to_owned(),
        number => format!("{number} cells"),
    };
    let labels: Vec<String> = labels.map(|label| format!("{label:?}")).collect();
    let more = match labels.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let shown = labels.len().min(SHOWN);
    format!("{cells} of {}{more}", labels[..shown].join(", "))
}

fn other_device(here: &str, said: &str) -> String {
    let named = |device: &str| match device {
        NO_DEVICE => "no device".to_owned(),
        name => name.to_owned(),
    };
    format!(
        "it finds {} here, and {} in the records",
        named(here),
        named(said)
    )
}
