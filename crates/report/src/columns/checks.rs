//! What views ask of the columns of an experiment, and what they refuse.

use delassus_core::suggest::{list, nearest};
use delassus_metrics::Metric;
use delassus_records::trace::TraceQuantity;

use super::{ANYTHING, Columns, Family, Refusal};
use crate::observable::Observable;
use crate::record::OVERLAPS;
use crate::view::{CellComponent, Cost, Kind, Over, Work, named};

/// So many names are listed in an error that suggests one of them \[-\].
const FEW: usize = 12;

impl Columns<'_> {
    /// Metrics along the sweeps of solves.
    pub(crate) fn along_sweeps(&self, view: &'static str) -> Result<(), Refusal> {
        match self.kind {
            Kind::Solves | Kind::Timings => Ok(()),
            Kind::Trajectories => Err(foreign(view, "[[problem]]", "[[scene]]")),
        }
    }

    /// Observables along time.
    pub(crate) fn along_time(&self, view: &'static str) -> Result<(), Refusal> {
        match self.kind {
            Kind::Trajectories => Ok(()),
            Kind::Solves | Kind::Timings => Err(foreign(view, "[[scene]]", "[[problem]]")),
        }
    }

    /// A metric or observable of the samples. Measuring it is up to the spec, because it enters the
    /// records.
    pub(crate) fn measured(&self, name: &str) -> Result<(), Refusal> {
        self.one_of(name, &[])
    }

    /// The same, or the rate of a solve.
    pub(crate) fn quantity(&self, name: &str) -> Result<(), Refusal> {
        match self.kind {
            Kind::Trajectories => self.measured(name),
            Kind::Solves | Kind::Timings => {
                self.of_trace(name)?;
                self.one_of(name, &self.derived())
            }
        }
    }

    /// The same, or the overlaps of all contact points of a run.
    pub(crate) fn pooled(&self, name: &str) -> Result<(), Refusal> {
        if name != OVERLAPS || self.kind != Kind::Trajectories {
            return self.number(name);
        }
        let of_overlaps = |name: &String| match Observable::parse(name) {
            Ok(Observable::Quantity(quantity)) => quantity.is_of_overlaps(),
            _ => false,
        };
        if self.measured.iter().any(of_overlaps) {
            return Ok(());
        }
        let message = format!(
            "overlaps are not measured; write observables = {} in [simulate]",
            self.measured_with("penetration_max")
        );
        Err(Refusal::of_value(name, message))
    }

    /// A metric that is a number of a problem, and not of its solves.
    pub(crate) fn of_problem(&self, name: &str) -> Result<(), Refusal> {
        match self.kind {
            Kind::Solves => self.measured(name),
            Kind::Timings | Kind::Trajectories => {
                let message = format!("{name} is measured of [[problem]] with [stop] alone");
                Err(Refusal::of_key("x", message))
            }
        }
    }

    /// One number of a cell, see [`Number`](super::Number).
    pub(crate) fn number(&self, name: &str) -> Result<(), Refusal> {
        let costs = Cost::ALL.iter().filter(|cost| match self.kind {
            Kind::Solves => false,
            Kind::Timings => true,
            // an observable of that name comes first
            Kind::Trajectories => !cost.is_of_sweeps() && Observable::parse(cost.id()).is_err(),
        });
        let mut names: Vec<&str> = costs.map(|cost| cost.id()).collect();
        if self.kind == Kind::Solves {
            self.of_trace(name)?;
            names.extend(self.derived());
            names.extend(Work::ALL.iter().map(|work| work.id()));
        }
        self.one_of(name, &names)
    }

    /// Refuses a number of a trace whose column is not measured.
    fn of_trace(&self, name: &str) -> Result<(), Refusal> {
        let doc = TraceQuantity::by_id(name).map(TraceQuantity::doc);
        let needed = doc.and_then(|doc| doc.measured);
        match needed {
            Some(metric) if !self.measured.iter().any(|known| known == metric) => {
                let message = format!(
                    "{name} is read off {metric}, which is not measured; write metrics = {} in [measure]",
                    self.measured_with(metric)
                );
                Err(Refusal::of_value(name, message))
            }
            _ => Ok(()),
        }
    }

    /// Numbers of a trace that can be read off what is measured.
    fn derived(&self) -> Vec<&'static str> {
        let all = TraceQuantity::ALL.iter().filter(|q| !q.is_column());
        let docs = all.map(|quantity| quantity.doc());
        let there = |name: &str| self.measured.iter().any(|known| known == name);
        docs.filter(|doc| doc.measured.is_none_or(there))
            .map(|doc| doc.id)
            .collect()
    }

    /// What is measured, or one of `others`.
    fn one_of(&self, name: &str, others: &[&str]) -> Result<(), Refusal> {
        let measured = self.measured.iter().map(String::as_str);
        let mut all = measured.chain(others.iter().copied());
        if name == ANYTHING || all.clone().any(|known| known == name) {
            return Ok(());
        }
        let message = match (self.kind, (self.known)(name)) {
            (Kind::Trajectories, true) => format!(
                "{name} is not measured; write observables = {} in [simulate]",
                self.measured_with(name)
            ),
            (Kind::Solves, true) => format!(
                "{name} is not measured; write metrics = {} in [measure]",
                self.measured_with(name)
            ),
            (Kind::Timings, true) => {
                let measured = self.measured.join(", ");
                format!("{name} is not measured: timed sweeps are judged by {measured} alone")
            }
            (Kind::Trajectories, false) if Metric::by_id(name).is_some() => {
                format!("unknown observable {name:?}: it is a metric, measured of [[problem]]")
            }
            (Kind::Solves | Kind::Timings, false) if Observable::parse(name).is_ok() => {
                format!("unknown metric {name:?}: it is an observable, measured of [[scene]]")
            }
            (Kind::Trajectories, false) => unknown_of_list("observable", name, &mut all),
            (_, false) => unknown_of_list("metric", name, &mut all),
        };
        Err(Refusal::of_value(name, message))
    }

    /// The list of what is measured with one name more, as a spec writes it.
    fn measured_with(&self, name: &str) -> String {
        let names = self.measured.iter().map(String::as_str).chain([name]);
        let names: Vec<String> = names.map(|name| format!("{name:?}")).collect();
        format!("[{}]", names.join(", "))
    }

    /// Only trajectories are summarised; of a solve, the last value counts.
    pub(crate) fn summary(&self, over: Over) -> Result<(), Refusal> {
        if over == Over::Last || self.kind == Kind::Trajectories {
            return Ok(());
        }
        let message = "over goes with [[scene]]: of a solve, the last value counts";
        Err(Refusal::of_key("over", message))
    }

    /// Costs are those of timed sweeps or of steps.
    pub(crate) fn cost(&self, view: &'static str, cost: Cost) -> Result<(), Refusal> {
        let message = match self.kind {
            Kind::Solves => format!(
                "{view} goes with [timing] or [[scene]]: nothing of this spec is timed alone"
            ),
            Kind::Trajectories if cost.is_of_sweeps() => {
                format!("{view}: {} is of sweeps, and goes with [timing]", cost.id())
            }
            Kind::Timings | Kind::Trajectories => return Ok(()),
        };
        Err(Refusal::of_key(view, message))
    }

    /// Observables that share an axis must be measured in one unit.
    pub(crate) fn one_unit(&self, names: &[String]) -> Result<(), Refusal> {
        let unit = |name: &String| Observable::parse(name).map_or("-", |o| o.unit());
        for name in names {
            self.measured(name)?;
            let mut written = names.iter().filter(|name| *name != ANYTHING);
            let (own, first) = (unit(name), written.next().map_or("-", unit));
            if own != first && name != ANYTHING {
                let message =
                    format!("{name} is in {own}, the first observable of the axis in {first}");
                return Err(Refusal::of_value(name, message));
            }
        }
        Ok(())
    }

    /// The same of observables that are taken together as coordinates; at least one.
    pub(crate) fn coordinates(&self, names: &[String]) -> Result<(), Refusal> {
        if names.is_empty() {
            let message = "name the observables that are compared, as [\"x[1].x\", \"x[1].y\"]";
            return Err(Refusal::of_key("observables", message));
        }
        self.one_unit(names)
    }

    /// Generators or scenes of the spec.
    pub(crate) fn sources(&self, wanted: &[String]) -> Result<(), Refusal> {
        let used = || self.problems.iter().map(|family| family.name);
        let is_known = |name: &String| name == ANYTHING || used().any(|id| id == name);
        match wanted.iter().find(|name| !is_known(name)) {
            None => Ok(()),
            Some(name) => {
                let message = unknown("generator of this spec", name, used());
                Err(Refusal::of_value(name, message))
            }
        }
    }

    /// A parameter that the spec sets: of its problems, or of the solvers that are called so, as
    /// "solver.omega"; over time of any part of a cell, which is written in front of its name.
    pub(crate) fn parameter(&self, name: &mut String, solvers: &[String]) -> Result<(), Refusal> {
        self.parameter_of(name, &[], solvers)
    }

    /// The same of problems that these generators make; of all if none is named.
    pub(crate) fn parameter_of(
        &self,
        name: &mut String,
        generators: &[String],
        solvers: &[String],
    ) -> Result<(), Refusal> {
        if name == ANYTHING {
            return Ok(());
        }
        if self.kind == Kind::Trajectories {
            return self.qualify(name);
        }
        let shown = self.problems.iter();
        let shown =
            shown.filter(|f| generators.is_empty() || generators.iter().any(|g| g == f.name));
        let of_problems: Vec<&str> = shown.flat_map(|f| f.parameters.iter().copied()).collect();
        let prefix = format!("{}.", CellComponent::Solver);
        let chosen = name.starts_with(&prefix);
        let of_solvers = self.of_solvers(if chosen { solvers } else { &[] });
        let of_solvers = || of_solvers.iter().map(String::as_str);
        if chosen && of_solvers().any(|known| known == name) || of_problems.contains(&name.as_str())
        {
            return Ok(());
        }
        let qualified = format!("{prefix}{name}");
        let message = if chosen {
            unknown("parameter of the figure's solvers", name, of_solvers())
        } else if of_solvers().any(|known| known == qualified) {
            format!("{name:?} is a parameter of solvers; write {qualified:?}")
        } else {
            let known = of_problems.iter().copied().chain(of_solvers());
            unknown("parameter of the figure's problems", name, known)
        };
        Err(Refusal::of_value(name, message))
    }

    /// Parameters that the spec sets for the solvers that are called so, as "solver.omega"; all if
    /// nothing is asked for.
    fn of_solvers(&self, wanted: &[String]) -> Vec<String> {
        let shown = self.solvers.iter().filter(|solver| {
            // the names of a grid begin with the label of its entry
            let own = [solver.name.to_owned()];
            named(solver.name, wanted) || wanted.iter().any(|name| named(name, &own))
        });
        let keys = shown.flat_map(|solver| &solver.parameters);
        keys.map(|key| format!("{}.{key}", CellComponent::Solver))
            .collect()
    }

    /// Finds out which part of a cell has the parameter, and says so in front of its name.
    fn qualify(&self, name: &mut String) -> Result<(), Refusal> {
        let parts = [
            (CellComponent::Problem, &self.problems),
            (CellComponent::Scheme, &self.schemes),
            (CellComponent::Solver, &self.solvers),
        ];
        let of_part = |(part, families): (CellComponent, &'_ Vec<Family<'_>>)| {
            let keys = families.iter().flat_map(|family| &family.parameters);
            keys.map(|key| (part, (*key).to_owned()))
                .collect::<Vec<_>>()
        };
        let set: Vec<(CellComponent, String)> = parts.into_iter().flat_map(of_part).collect();
        let qualified = |(part, key): &(CellComponent, String)| format!("{part}.{key}");
        let fits = |path: &&(CellComponent, String)| path.1 == *name || qualified(path) == *name;
        let mut found: Vec<String> = set.iter().filter(fits).map(qualified).collect();
        found.sort();
        found.dedup();
        let message = match found.as_slice() {
            [only] => {
                name.clone_from(only);
                return Ok(());
            }
            [] if set.is_empty() => {
                let key = name.rsplit('.').next().unwrap_or(name);
                let line = match key {
                    "dt" => "dt = [0.02, 0.01, 0.005]",
                    _ => "substeps = [1, 4, 16]",
                };
                format!(
                    "{name}: the spec sets no parameter; give one several values, as {line} in [[scheme]]"
                )
            }
            [] => {
                let known = set.iter().map(|(_, key)| key.as_str());
                unknown("parameter that the spec sets", name, known)
            }
            several => format!("{name:?} is ambiguous; write {}", several.join(" or ")),
        };
        Err(Refusal::of_value(name, message))
    }
}

/// A number that has a place on a logarithmic axis, as its end and a tolerance have.
pub(crate) fn positive(key: &'static str, number: Option<f64>) -> Result<(), Refusal> {
    match number.is_none_or(|x| x.is_finite() && x > 0.0) {
        true => Ok(()),
        false => Err(Refusal::of_key(
            key,
            format!("{key} must be a finite number > 0"),
        )),
    }
}

/// Tolerances \[-\]; at least one.
pub(crate) fn tolerances(tolerances: &[f64]) -> Result<(), Refusal> {
    let message = if tolerances.is_empty() {
        "tolerances is an empty array"
    } else if tolerances.iter().all(|t| t.is_finite() && *t > 0.0) {
        return Ok(());
    } else {
        "tolerances must be finite numbers > 0"
    };
    Err(Refusal::of_key("tolerances", message))
}

/// Some views are of problems, others of scenes.
fn foreign(view: &'static str, needs: &str, has: &str) -> Refusal {
    let message = format!("{view} goes with {needs}, but this spec has {has}");
    Refusal::of_key(view, message)
}

/// The same, with what can be named: all of it where it is little, else the command that lists it.
fn unknown_of_list<'n>(what: &str, name: &str, known: impl Iterator<Item = &'n str>) -> String {
    let known: Vec<&str> = known.collect();
    let message = unknown(what, name, known.iter().copied());
    match message.ends_with('?') {
        true if known.len() <= FEW => format!("{message} known: {}", list(known)),
        true => format!("{message} `delassus list {what}s` has their names"),
        false => message,
    }
}

fn unknown<'n>(what: &str, name: &str, known: impl Iterator<Item = &'n str>) -> String {
    let known: Vec<&str> = known.collect();
    match nearest(name, known.iter().copied()) {
        Some(found) => format!("unknown {what} {name:?}; did you mean {found:?}?"),
        None if known.is_empty() => format!("unknown {what} {name:?}; there is none"),
        None => format!("unknown {what} {name:?}; known: {}", list(known)),
    }
}
