//! Every scheme with every solver, and the small worlds that several tests step.

use std::collections::BTreeSet;

use delassus_conformance::{skip_device, whole};
use delassus_core::{ImpulseSolver, Parameters, Precision, Start};
use delassus_dynamics::constraints::Distance;
use delassus_dynamics::{
    Body, Inertia, Joint, Scheme, SchemeEntry, Signal, Stabilization, VelocityParameters, World,
    WorldParts, schemes,
};
use delassus_metrics::Evaluator;
use delassus_problems::generate;
use delassus_registry::{Registry, SolverEntry};
use nalgebra::Vector3;
use serde_json::{Map, Value, json};

/// Sweeps after which one row, or a few that barely touch, is solved to rounding by every iterative
/// solver: psor with its default ω = 1.3 leaves 0.3⁸⁰ of the error of a single row.
pub(crate) const ENOUGH: u32 = 80;

/// A velocity-level scheme with a solver.
pub(crate) struct Pair {
    pub(crate) scheme: SchemeEntry,
    pub(crate) solver: SolverEntry,
}

/// Every velocity-level scheme with every registered solver of the processor that treats joints and
/// is exact after [`ENOUGH`] sweeps.
pub(crate) fn pairs() -> Vec<Pair> {
    let fit = |solver: &SolverEntry| {
        !on_a_device(solver)
            && !BUILT_UP.contains(&solver.descriptor.id)
            && solves_two_links(solver)
    };
    let mut solvers = own_solvers();
    solvers.retain(fit);
    // the rows of this preset follow the error, so that its joints have no constant softness: its
    // motion is compared with that of MuJoCo (`mujoco::`)
    let follows = "mujoco-euler";
    eprintln!("{follows} is left out: its softness follows the error");
    let pairs = pairs_of(&solvers, |scheme, _| scheme.descriptor.id != follows);
    assert!(pairs.len() >= 9 * 8, "the registries shrank");
    pairs
}

/// True for one in `count` of the cases, those whose index it divides: a test adds what it has met
/// to the index of a case, so that each is met with another scheme or solver. All of them where
/// [`whole`] asks for that.
pub(crate) fn is_met(index: usize, count: usize) -> bool {
    whole() || index.is_multiple_of(count)
}

/// A fifth of [`pairs`], for tests that take long: every scheme with every fifth solver, and every
/// solver with every fifth scheme. Tests of one kind take different fifths; all of them where
/// [`whole`] asks for that.
pub(crate) fn fifth(which: usize) -> Vec<Pair> {
    let all = pairs();
    if whole() {
        return all;
    }
    let first = all[0].scheme.descriptor.id;
    let solvers = all.iter().filter(|pair| pair.scheme.descriptor.id == first);
    let solvers = solvers.count();
    let diagonal = |index: usize| (index / solvers + index % solvers) % 5 == which % 5;
    let chosen = all.into_iter().enumerate().filter(|(i, _)| diagonal(*i));
    chosen.map(|(_, pair)| pair).collect()
}

/// Methods that build up directions, lengths or a multiplier over many iterations, or draw rows
/// with repetition: one to ten iterations of them, which is what a substep has, need not contract,
/// so the laws of schemes at their own counts say nothing about them. To a tolerance they are asked
/// everything ([`product`]).
pub(crate) const BUILT_UP: [&str; 7] = [
    "random-pgs",
    "projected-gradient",
    "spg",
    "apgd",
    "mprgp",
    "projected-cg",
    "admm",
];

/// Code of others: it ends by tolerances of its own, and its crate tests what it reaches.
pub(crate) const OTHERS: [&str; 1] = ["clarabel"];

/// The registered solvers that are ours.
pub(crate) fn own_solvers() -> Vec<SolverEntry> {
    let mut solvers = Registry::standard().entries().to_vec();
    solvers.retain(|solver| !OTHERS.contains(&solver.descriptor.id));
    solvers
}

/// What so many sweeps leave of two joints (natural map) \[-\].
fn two_links(entry: &SolverEntry, sweeps: u32) -> Result<f64, Box<dyn std::error::Error>> {
    let parameters = map(&json!({ "n": 2 }));
    let chain = generate("chain", &parameters).expect("two links").problem;
    let mut solver = entry.build(&Map::new())?;
    solver.prepare(&chain, Start::Cold)?;
    solver.iterate(&chain, sweeps)?;
    let mut impulses = vec![0.0; chain.rows()];
    solver.read_impulses(&mut impulses)?;
    let residuals = Evaluator::new(&chain)?.evaluate(&impulses)?;
    Ok(residuals.natural_map)
}

/// True for a solver that solves joints in one sweep: a direct one, or a Newton method.
pub(crate) fn solves_at_once(solver: &SolverEntry) -> bool {
    two_links(solver, 1).is_ok_and(|residual| residual < 1e-6)
}

/// True for a solver that comes to rounding in [`ENOUGH`] sweeps of two joints; of the others it is
/// said on standard error.
fn solves_two_links(solver: &SolverEntry) -> bool {
    // single precision ends near 1e-7
    let (exact, found) = match two_links(solver, ENOUGH) {
        Ok(residual) => (residual < 1e-6, format!("{residual:.1e} is left")),
        Err(error) => (false, error.to_string()),
    };
    if !exact {
        eprintln!("{} is left out: {found}", solver.descriptor.id);
    }
    exact
}

/// Every velocity-level scheme with every registered solver; those of a device, which start slowly,
/// with two schemes: one that prepares in every frame and one that refreshes.
pub(crate) fn product() -> Vec<Pair> {
    let two = ["pgs-baumgarte", "soft-step"];
    let mut solvers = own_solvers();
    solvers.retain(|solver| !is_missing(solver));
    pairs_of(&solvers, |scheme, solver| {
        two.contains(&scheme.descriptor.id) || !on_a_device(solver)
    })
}

/// True for a solver of a device, whether this machine has one or not.
pub(crate) fn on_a_device(solver: &SolverEntry) -> bool {
    let built = solver.build(&Map::new());
    built.is_ok_and(|solver| solver.facts().device.is_some())
}

/// True for a solver whose device this machine lacks; the tests that ask skip it.
fn is_missing(solver: &SolverEntry) -> bool {
    let built = solver.build(&Map::new());
    let missing = built.ok().and_then(|solver| solver.facts().device?.err());
    if let Some(error) = &missing {
        skip_in_test(solver.descriptor.id, error);
    }
    missing.is_some()
}

/// Skips the part of the running test that a solver or scheme takes whose device is missing.
pub(crate) fn skip_in_test(id: &str, reason: impl std::fmt::Display) {
    // libtest names the thread of a test after it
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    skip_device(&format!("{test} with {id}"), reason);
}

fn pairs_of(
    solvers: &[SolverEntry],
    wanted: impl Fn(&SchemeEntry, &SolverEntry) -> bool,
) -> Vec<Pair> {
    let velocity = schemes().into_iter().filter(|s| s.descriptor.uses_solver);
    velocity
        .flat_map(|scheme| {
            let with = |solver: &SolverEntry| Pair {
                scheme: scheme.clone(),
                solver: solver.clone(),
            };
            let solvers = solvers.iter().filter(|solver| wanted(&scheme, solver));
            solvers.map(with).collect::<Vec<_>>()
        })
        .collect()
}

impl Pair {
    pub(crate) fn name(&self) -> String {
        format!(
            "{} with {}",
            self.scheme.descriptor.id, self.solver.descriptor.id
        )
    }

    pub(crate) fn solver(&self) -> Box<dyn ImpulseSolver> {
        let solver = self.solver.build(&Map::new());
        solver.expect("a solver is built with its defaults")
    }

    /// The parameters of the scheme with some of them changed.
    pub(crate) fn parameters(&self, changes: &Value) -> VelocityParameters {
        let all = self.scheme.complete(&map(changes));
        VelocityParameters::from_map(&all).expect("velocity-level parameters")
    }

    /// The scheme with some of its parameters changed.
    pub(crate) fn build(&self, changes: &Value) -> Box<dyn Scheme> {
        let built = self.scheme.build_with(&map(changes), Some(self.solver()));
        built.unwrap_or_else(|error| panic!("{}: {error}", self.name()))
    }

    /// Changes that give every solve of the scheme `sweeps`; a relax pass that is left out stays
    /// out.
    pub(crate) fn with_sweeps(&self, sweeps: u32, changes: Value) -> Value {
        let mut changes = map(&changes);
        changes.insert("sweeps".into(), json!(sweeps));
        if self.parameters(&json!({})).relax_sweeps > 0 {
            changes.insert("relax_sweeps".into(), json!(sweeps));
        }
        Value::Object(changes)
    }

    /// The tolerance that goes with the solver's arithmetic: `double` for f64, `single` for f32,
    /// whose roundings of 6e-8 accumulate over the steps of a test.
    pub(crate) fn tolerance(&self, double: f64, single: f64) -> f64 {
        match self.solver.descriptor.precision {
            Precision::F64 => double,
            Precision::F32 => single,
        }
    }

    /// True if the solver treats the problems of the world; otherwise its name goes into `refused`.
    pub(crate) fn accepts(&self, world: &World, refused: &mut BTreeSet<&'static str>) -> bool {
        let accepted = self.build(&json!({})).check(world).is_ok();
        if !accepted {
            refused.insert(self.solver.descriptor.id);
        }
        accepted
    }
}

/// Removes all stabilisation: what is left is symplectic Euler with velocity constraints.
pub(crate) fn unstabilized() -> Value {
    json!({ "stabilization": "none", "position_sweeps": 0, "anchors": "rotated" })
}

pub(crate) fn map(value: &Value) -> Map<String, Value> {
    value.as_object().expect("an object").clone()
}

/// Takes `frames` steps of `dt` \[s\].
pub(crate) fn run(scheme: &mut dyn Scheme, world: &mut World, dt: f64, frames: u32) {
    for frame in 0..frames {
        if let Err(error) = scheme.step(world, dt, &mut ()) {
            panic!("frame {frame}: {error}");
        }
    }
}

/// How a rigid joint that is alone reacts to an error, read from the parameters (S.3, S.4, T.10).
pub(crate) struct JointLaw {
    /// Bias velocity per error \[1/s\].
    pub(crate) bias_rate: f64,
    /// A/(A + R) \[-\].
    pub(crate) mass_scale: f64,
    /// Bias velocity per error of the second velocity field \[1/s\].
    pub(crate) pseudo_rate: f64,
}

impl JointLaw {
    /// At the substep `h` \[s\].
    pub(crate) fn of(parameters: &VelocityParameters, h: f64) -> Self {
        let rigid = |bias_rate: f64| Self {
            bias_rate,
            mass_scale: 1.0,
            pseudo_rate: 0.0,
        };
        match parameters.stabilization {
            Stabilization::None => rigid(0.0),
            Stabilization::Baumgarte => rigid(parameters.beta / h),
            Stabilization::TauDamping => rigid(parameters.beta / (parameters.damping * h)),
            Stabilization::SplitImpulse => Self {
                pseudo_rate: parameters.beta / h,
                ..rigid(0.0)
            },
            Stabilization::Soft => {
                let omega = joint_omega(parameters, h);
                let zeta = parameters.joint_damping_ratio;
                let c = h * omega * (2.0 * zeta + h * omega);
                Self {
                    bias_rate: omega / (2.0 * zeta + h * omega),
                    mass_scale: c / (1.0 + c),
                    pseudo_rate: 0.0,
                }
            }
            // its rows follow the state: see `pairs`
            Stabilization::Impedance => unreachable!(),
        }
    }
}

/// Angular frequency of rigid joints under the soft stabilisation at the substep `h` \[rad/s\].
pub(crate) fn joint_omega(parameters: &VelocityParameters, h: f64) -> f64 {
    std::f64::consts::TAU * parameters.joint_hertz.min(parameters.joint_hertz_limit / h)
}

/// Point masses that hang on rods from a fixed point; `stretch` is added to the length of every rod
/// at the start.
pub(crate) fn hanging(masses: &[f64], length: f64, stretch: &[f64], gravity: f64) -> World {
    let mut height = 0.0;
    let positions: Vec<Vector3<f64>> = stretch
        .iter()
        .map(|stretch| {
            height -= length + stretch;
            Vector3::new(0.0, height, 0.0)
        })
        .collect();
    linked(masses, &positions, length, gravity)
}

/// Point masses at `positions`, the first tied to the origin and each to the one before by a rod of
/// `length`.
pub(crate) fn linked(
    masses: &[f64],
    positions: &[Vector3<f64>],
    length: f64,
    gravity: f64,
) -> World {
    let mut parts = WorldParts {
        gravity: Vector3::new(0.0, -gravity, 0.0),
        ..WorldParts::default()
    };
    let mut last = parts.body(Body::fixed(Vector3::zeros()));
    for (mass, position) in masses.iter().zip(positions) {
        let next = parts.body(Body::dynamic(Inertia::point(*mass), *position));
        parts.joint(rod([last, next], length));
        last = next;
    }
    parts.build().expect("a valid chain")
}

/// A rod between two centres of mass.
pub(crate) fn rod(bodies: [usize; 2], length: f64) -> Joint {
    Joint::new(Distance {
        bodies,
        anchors: [Vector3::zeros(); 2],
        length: Signal::Constant(length),
    })
}
