//! Solvers and devices of records that this machine does not have.
//!
//! A key covers the version of a program that solves, and the device that a solver computes on.
//! Where they are other ones here, or none, no key of a record would follow from its spec. So what
//! checks records takes these from the records, and computes everything else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::cell::refused_key;
use super::{CellMatrix, Experiment};
use crate::key::Program;
use crate::record::{CellRecord, NO_DEVICE, SolverLabel};
use crate::registry::process;
use crate::saved::is_key;
use crate::store::{self, Kept};

impl CellMatrix {
    /// Takes programs and devices from the records of `dir` where this machine has other ones or
    /// none. One text for each method says so. `keys` are those of the cells.
    pub(crate) fn take_recorded(&mut self, dir: &Path, keys: &[String]) -> Vec<String> {
        let methods: BTreeSet<usize> = self.cells.iter().map(|cell| cell.method).collect();
        let bound = methods.into_iter().filter(|method| self.is_bound(*method));
        let mut open: BTreeSet<usize> = bound.collect();
        let before: Vec<String> = self.keys_here();
        let mut reasons = BTreeMap::new();
        let mut solvers = BTreeMap::new();
        for key in keys.iter().filter(|key| is_key(key)) {
            if open.is_empty() {
                break;
            }
            let Kept::Cell(record) = store::read_cell(dir, key) else {
                continue;
            };
            let named = |method: &&usize| self.method_label(**method) == record.method();
            let Some(method) = open.iter().find(named).copied() else {
                continue;
            };
            open.remove(&method);
            let solver = self.take_solver(method, &record, &mut solvers);
            let device = self.take_device(method, &record);
            if let Some(reason) = solver.or(device) {
                reasons.insert(method, reason);
            }
        }
        self.recorded = reasons.keys().copied().collect();
        self.renew_cells(&before);
        let said = reasons.into_iter();
        said.map(|(method, reason)| self.in_words(method, &reason))
            .collect()
    }

    /// True for a cell whose solver or device is that of the records, and not the one that is here.
    pub(crate) fn is_recorded(&self, method: usize) -> bool {
        self.recorded.contains(&method)
    }

    /// True if any is.
    pub(crate) fn has_recorded(&self) -> bool {
        !self.recorded.is_empty()
    }

    /// True if the solver of any method has a process of its own.
    pub(crate) fn has_processes(&self) -> bool {
        self.presence.iter().any(|presence| presence.is_process)
    }

    /// Why the solver of a method is not on this machine, if it is not.
    pub(crate) fn absence(&self, method: usize) -> Option<&str> {
        self.presence[self.solver_index(method)?].absence.as_deref()
    }

    /// True for a method whose solver has a process of its own.
    pub(crate) fn has_process(&self, method: usize) -> bool {
        let index = self.solver_index(method);
        index.is_some_and(|index| self.presence[index].is_process)
    }

    /// The solver of a method; `None` where a scheme solves by itself.
    fn solver_index(&self, method: usize) -> Option<usize> {
        match &self.experiment {
            Experiment::Solve(_) | Experiment::Time(_) => Some(method),
            Experiment::Simulate(over) => over.methods[method].solver,
        }
    }

    fn method_label(&self, method: usize) -> &str {
        match &self.experiment {
            Experiment::Solve(_) | Experiment::Time(_) => &self.solvers[method].label,
            Experiment::Simulate(over) => &over.methods[method].label.method,
        }
    }

    /// True for a method whose records say what of the machine took part.
    fn is_bound(&self, method: usize) -> bool {
        let solver = self.solver_index(method);
        let is_own = solver.is_some_and(|index| {
            self.solvers[index].device.is_some() || self.presence[index].is_process
        });
        let has_device = match &self.experiment {
            Experiment::Simulate(over) => over.methods[method].label.device.is_some(),
            Experiment::Solve(_) | Experiment::Time(_) => false,
        };
        is_own || has_device
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

    /// Takes the device of the scheme of a record where it is the scheme of the spec on another
    /// device.
    fn take_device(&mut self, method: usize, record: &CellRecord) -> Option<String> {
        let Experiment::Simulate(over) = &mut self.experiment else {
            return None;
        };
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

    /// What is said of a method that is that of the records.
    fn in_words(&self, method: usize, reason: &str) -> String {
        let cells = self.cells.iter().filter(|cell| cell.method == method);
        let cells = match cells.count() {
            1 => "1 cell".to_owned(),
            number => format!("{number} cells"),
        };
        format!(
            "{cells} of {:?}: {reason}; its version, parameters and device are those of the records, \
             and everything else was checked",
            self.method_label(method)
        )
    }
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
