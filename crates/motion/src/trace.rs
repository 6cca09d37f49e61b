//! What the traced pass of a run collects.

use delassus_core::Fidelity;
use delassus_dynamics::{Scheme, SchemeError, World};
use delassus_records::observable::Observable;
use delassus_records::record::{Moment, Sample};

use crate::measure;
use crate::observer::Observer;

/// What the traced pass leaves behind, however it ends.
pub(crate) struct Trace {
    pub(crate) world: World,
    pub(crate) observer: Observer,
    pub(crate) samples: Vec<Sample>,
    pub(crate) moments: Vec<Moment>,
    pub(crate) approximations: Vec<String>,
    pub(crate) factorizations: Option<u64>,
}

impl Trace {
    /// `observables` are those of the run with the numbers of bodies and joints.
    pub(crate) fn new(world: &World, observables: Vec<Observable>) -> Self {
        Self {
            world: world.clone(),
            observer: Observer::new(world, observables),
            samples: Vec::new(),
            moments: Vec::new(),
            approximations: Vec::new(),
            factorizations: None,
        }
    }

    /// Asks a scheme about the world at the start, and takes the first sample; what to say of
    /// columns that the scheme has no values for.
    pub(crate) fn begin(
        &mut self,
        scheme: &dyn Scheme,
        observables: &[Observable],
    ) -> Result<Option<String>, SchemeError> {
        if let Fidelity::Approximate(reasons) = scheme.check(&self.world)? {
            self.approximations = reasons.into_iter().map(str::to_owned).collect();
        }
        let lacks = lacks(scheme, &self.world, observables);
        if !scheme.has_impulses() {
            self.observer.without_impulses(&self.world);
        }
        self.sample();
        Ok(lacks)
    }

    pub(crate) fn sample(&mut self) {
        self.moments.push(Moment {
            frame: self.observer.frames(),
            time: self.world.time(),
        });
        self.samples.push(Sample {
            sweeps: self.observer.sweeps(),
            row_updates: self.observer.row_updates(),
            values: self.observer.values(&self.world),
        });
        self.observer.sampled();
    }
}

/// What to say of columns that the scheme has no values for: those of solves where it solves no
/// frozen problems, those of impulses and of work where it says only how the bodies move.
fn lacks(scheme: &dyn Scheme, world: &World, observables: &[Observable]) -> Option<String> {
    let descriptor = scheme.descriptor();
    let (id, has_work) = (descriptor.id, measure::has_work(world));
    let asked = |is_missing: &dyn Fn(&Observable) -> bool| {
        let missing = observables
            .iter()
            .filter(|observable| is_missing(observable));
        let ids: Vec<String> = missing.map(Observable::id).collect();
        (!ids.is_empty()).then(|| ids.join(", "))
    };
    let of_solves = |observable: &Observable| match observable {
        Observable::Quantity(quantity) => !descriptor.uses_solver && quantity.is_of_solves(),
        _ => false,
    };
    let of_impulses = |observable: &Observable| {
        !scheme.has_impulses() && measure::is_unknown(observable, has_work)
    };
    let solves = asked(&of_solves).map(|list| {
        format!("{id} solves no frozen problems and has no {list}; ask for them where a scheme is given a solver")
    });
    let impulses = asked(&of_impulses)
        .map(|list| format!("{id} says only how the bodies move, and has no {list}"));
    let all: Vec<String> = solves.into_iter().chain(impulses).collect();
    (!all.is_empty()).then(|| all.join("; "))
}
