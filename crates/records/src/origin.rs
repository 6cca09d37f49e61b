//! What the times of a cell depend on in addition to its key: the machine, its load, and when.

use std::fmt;
use std::time::SystemTime;

use humantime::format_rfc3339_seconds;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::build::Build;
use crate::key;
use crate::machine::{self, MachineInfo};

/// Where and when a cell ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// When the cell ended, UTC, as `2026-01-31T23:59:59Z`.
    pub date: String,
    /// The machine.
    pub machine: MachineInfo,
    /// Cells that ran at the same time at most \[-\].
    pub jobs: usize,
    /// Threads that the solver computes with \[-\].
    pub threads: u64,
    /// Load average of the minute before the cell \[-\]; `None` where the system does not say.
    pub load: Option<f64>,
    /// Relative difference of times below the machine's noise when the run began \[-\];
    /// `None` where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
    /// Key of the first of the cells whose timed passes were interleaved with those of this one:
    /// the samples of such cells are pairs. `None` for a cell that was timed alone.
    #[serde(rename = "turns", default, skip_serializing_if = "Option::is_none")]
    pub interleaved_with: Option<String>,
    /// SHA-256 of the executable, hexadecimal.
    pub binary_sha256: String,
    /// The last commit that touched the program's source.
    pub commit: String,
    /// The commit that was checked out in the folder of the spec when the run began; `None` outside
    /// of a checkout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// Whether the source differed from it; `None` if that is not known.
    pub modified: Option<bool>,
    /// "release" or "debug".
    pub profile: String,
}

impl Origin {
    /// The origin of a cell that begins now on `machine`, one of `jobs` at a time, in a solver with
    /// these parameters; [`Self::ended`] gives it its date.
    pub fn begun(
        build: &Build,
        machine: &MachineInfo,
        jobs: usize,
        parameters: &Map<String, Value>,
    ) -> Self {
        Self {
            date: String::new(),
            machine: machine.clone(),
            jobs,
            threads: Self::threads_of(parameters),
            load: machine::load(),
            noise: None,
            interleaved_with: None,
            binary_sha256: key::build_id().to_owned(),
            commit: build.commit.to_owned(),
            head: None,
            modified: build.modified(),
            profile: build.profile.to_owned(),
        }
    }

    /// Threads that a solver with these parameters computes with \[-\].
    pub fn threads_of(parameters: &Map<String, Value>) -> u64 {
        let threads = parameters.get("threads");
        threads.and_then(Value::as_u64).unwrap_or(1)
    }

    /// The same with the date of now.
    #[must_use]
    pub fn ended(self) -> Self {
        let date = format_rfc3339_seconds(SystemTime::now()).to_string();
        Self { date, ..self }
    }

    /// True if times of this cell and another one compare: they were taken on the same kind of
    /// machine, in the same way, by programs of the same kind. The programs themselves may differ,
    /// as where two versions are compared.
    pub fn times_as(&self, other: &Self) -> bool {
        self.machine.times_as(&other.machine)
            && self.jobs == other.jobs
            && self.profile == other.profile
    }

    /// What times can be compared within.
    pub fn conditions(&self) -> Conditions {
        Conditions {
            cpu: self.machine.cpu.clone(),
            level: self.machine.solver_level.clone(),
            cores: self.machine.logical_cores,
            jobs: self.jobs,
            profile: self.profile.clone(),
            binary: self.binary_sha256.clone(),
        }
    }
}

/// What must agree before two times say something about two solvers.
///
/// Load and date are left out: they differ between any two cells of one run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Conditions {
    cpu: String,
    level: String,
    cores: usize,
    jobs: usize,
    profile: String,
    binary: String,
}

impl fmt::Display for Conditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, vector level {}, {} logical cores, jobs {}",
            self.cpu, self.level, self.cores, self.jobs
        )?;
        match self.profile.as_str() {
            "release" => Ok(()),
            other => write!(f, ", {other} build"),
        }
    }
}

/// The value that all share; otherwise the different ones, in the order of first appearance.
pub(crate) fn one_or_all(values: impl Iterator<Item = Value>) -> Value {
    let mut distinct: Vec<Value> = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    match distinct.len() {
        0 => Value::Null,
        1 => distinct.swap_remove(0),
        _ => Value::Array(distinct),
    }
}

/// The machines that cells ran on, in the order of first appearance, with the number of cells and
/// their dates.
pub(crate) fn machines(origins: &[&Origin]) -> Vec<Value> {
    let mut groups: Vec<Vec<&Origin>> = Vec::new();
    for origin in origins {
        let same = |group: &&mut Vec<&Origin>| {
            group[0].machine == origin.machine && group[0].jobs == origin.jobs
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(origin),
            None => groups.push(vec![origin]),
        }
    }
    let groups = groups.iter().map(|group| {
        let dates = || group.iter().map(|o| o.date.as_str());
        let MachineInfo {
            cpu,
            vector_level,
            solver_level,
            logical_cores,
            caches: _,
            os,
        } = &group[0].machine;
        json!({
            "cells": group.len(),
            "first": dates().min(),
            "last": dates().max(),
            "cpu": cpu,
            "vector_level": vector_level,
            "solver_level": solver_level,
            "logical_cores": logical_cores,
            "jobs": group[0].jobs,
            "os": os,
        })
    });
    groups.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_those_of_times_and_not_the_date() {
        let machine = MachineInfo::here("avx2".to_owned());
        let parameters = Map::from_iter([("threads".to_owned(), Value::from(2))]);
        let origin = Origin::begun(&Build::UNKNOWN, &machine, 1, &parameters);
        assert_eq!((origin.threads, origin.date.as_str()), (2, ""));
        let later = Origin {
            date: "2001-01-01T00:00:00Z".to_owned(),
            load: Some(17.0),
            ..origin.clone()
        };
        assert_eq!(origin.conditions(), later.conditions());
        let busy = Origin {
            jobs: 4,
            ..origin.clone()
        };
        assert_ne!(origin.conditions(), busy.conditions());
        assert!(origin.times_as(&later) && !origin.times_as(&busy));
        let mut narrow = origin.clone();
        narrow.machine.solver_level = "another".to_owned();
        assert_ne!(origin.conditions(), narrow.conditions());
        assert!(!origin.times_as(&narrow));
        let text = serde_json::to_string(&later).unwrap();
        assert_eq!(serde_json::from_str::<Origin>(&text).unwrap(), later);
    }
}
