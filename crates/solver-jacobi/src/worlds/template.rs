//! Which numbers of a pack are a world's own, and those of all worlds.

mod numbers;

use std::ops::Range;

use delassus_core::{MassProperties, PowerScale, Problem, SolveError, Unsupported};
use rayon::prelude::*;

use super::parameters::own;
use super::steps::{MassRange, WorldSteps};
use super::{WorldError, WorldParameters};
use crate::pack::{Pack, pool_starts};
use crate::parameters::{JacobiParameters, Omega};
use crate::real::Real;

/// Mark of a number that worlds share with their structure.
pub const SHARED: u32 = u32::MAX;

/// Mark of a number that the device computes from others of the world: a step.
pub const COMPUTED: u32 = u32::MAX - 1;

/// A structure in the layout of the kernels, and what worlds have for themselves.
///
/// Quads are counted over all numbers of the pack, in the order of [`Self::quads`]: those of the
/// manifolds, extras, units, masses and free velocities.
#[derive(Debug, Clone)]
pub struct WorldTemplate {
    structure: Problem,
    pack: Pack<f32>,
    /// First quads of the five parts, and their end.
    parts: [usize; 6],
    /// Which of a world's values every number of every quad is, or [`SHARED`].
    sources: Vec<[u32; 4]>,
    /// Quad and component that hold a value.
    places: Vec<(u32, u32)>,
    kinds: [bool; 4],
    /// True if the first value is μ.
    has_friction: bool,
    /// What masses are compared to if the device computes the steps (K.54).
    device_steps: Option<MassRange>,
    inverse_omega: f64,
}

/// Which lists are there: friction, masses, free velocities, bias.
fn kinds(worlds: &WorldParameters) -> [bool; 4] {
    [
        !worlds.friction.is_empty(),
        !worlds.masses.is_empty(),
        !worlds.free_velocity.is_empty(),
        !worlds.bias.is_empty(),
    ]
}

impl WorldTemplate {
    /// Packs the structure of some worlds; `solver` is who refuses.
    ///
    /// # Errors
    /// Lists of the wrong lengths; a structure that cannot be packed; a relaxation that is
    /// estimated, which every world would have for itself.
    pub fn new(
        solver: &'static str,
        parameters: JacobiParameters,
        structure: &Problem,
        worlds: &WorldParameters,
    ) -> Result<Self, WorldError> {
        Self::with_steps(WorldSteps::Processor, solver, parameters, structure, worlds)
    }

    /// The same with steps that the device computes, where it can.
    ///
    /// # Errors
    /// Those of [`Self::new`].
    pub fn with_steps(
        steps: WorldSteps,
        solver: &'static str,
        parameters: JacobiParameters,
        structure: &Problem,
        worlds: &WorldParameters,
    ) -> Result<Self, WorldError> {
        worlds.check(structure)?;
        if matches!(parameters.step.omega, Omega::Named(_)) {
            let reason =
                "omega = \"estimate\" differs from world to world; give a number".to_owned();
            return Err(WorldError::of(0, Unsupported::Range { solver, reason }));
        }
        // with the friction of a world, equal coefficients are in one manifold as they are there
        let structure = match worlds.friction.is_empty() {
            true => structure.clone(),
            false => worlds.problem(structure, 0)?,
        };
        // one thread: worlds are packed side by side
        let pack = parameters.pack(&structure);
        let pack: Pack<f32> = pack.map_err(|error| WorldError::of(0, error))?;
        let mut parts = [0; 6];
        let lengths = lists(&pack).map(<[_]>::len);
        for (part, length) in lengths.into_iter().enumerate() {
            parts[part + 1] = parts[part] + length;
        }
        let kinds = kinds(worlds);
        let [_, masses, _, bias] = kinds;
        let on_device = steps == WorldSteps::Device && masses && !bias && pack.units.is_empty();
        let mut template = Self {
            inverse_omega: 1.0 / parameters.step.step_rule().omega,
            device_steps: on_device.then(|| MassRange::of(&structure)),
            structure,
            pack,
            parts,
            sources: vec![[SHARED; 4]; parts[5]],
            places: Vec::new(),
            kinds,
            has_friction: false,
        };
        template.find_own();
        Ok(template)
    }

    /// The packed structure.
    pub fn pack(&self) -> &Pack<f32> {
        &self.pack
    }

    /// The problem whose structure the worlds have.
    pub fn structure(&self) -> &Problem {
        &self.structure
    }

    /// All numbers of the structure.
    pub fn quads(&self) -> impl Iterator<Item = [f32; 4]> + '_ {
        lists(&self.pack).into_iter().flatten().copied()
    }

    /// The quads that a world has for itself: from the first to the last part with a value of its
    /// own.
    pub fn own(&self) -> Range<usize> {
        let is_own = |quad: &[u32; 4]| *quad != [SHARED; 4];
        let first = self.sources.iter().position(is_own);
        let last = self.sources.iter().rposition(is_own);
        let (Some(first), Some(last)) = (first, last) else {
            return 0..0;
        };
        let (first, last) = (self.part_of(first), self.part_of(last));
        self.parts[first]..self.parts[last + 1]
    }

    /// The part that a quad belongs to: the last that begins no later.
    fn part_of(&self, quad: usize) -> usize {
        (1..5).rfind(|part| self.parts[*part] <= quad).unwrap_or(0)
    }

    /// First quad of the numbers of manifolds, extras, units, masses and free velocities.
    pub fn first_quads(&self) -> [usize; 5] {
        let [manifolds, extras, units, masses, free, _] = self.parts;
        [manifolds, extras, units, masses, free]
    }

    /// For every own quad and each of its numbers: which value of the world it is, or [`SHARED`].
    pub fn sources(&self) -> &[[u32; 4]] {
        &self.sources[self.own()]
    }

    /// True if the device computes the steps of all manifolds from masses (K.54).
    pub fn computes_steps(&self) -> bool {
        self.device_steps.is_some()
    }

    /// 1/ω of the step rule \[-\].
    pub fn inverse_omega(&self) -> f64 {
        self.inverse_omega
    }

    /// Number of values of a world \[-\].
    pub fn values_per_world(&self) -> usize {
        self.places.len()
    }

    /// The values of all worlds, one world after the other, computed on all threads.
    ///
    /// # Errors
    /// Other lists than the template was made for, and the first world that is no valid problem,
    /// asks for another structure, or is beyond the range of f32.
    pub fn values(
        &self,
        solver: &'static str,
        worlds: &WorldParameters,
    ) -> Result<Vec<f32>, WorldError> {
        worlds.check(&self.structure)?;
        if kinds(worlds) != self.kinds {
            let reason =
                "other parameters differ than when the worlds were prepared; prepare them again";
            return Err(WorldError::Structure { world: 0, reason });
        }
        let each = self.places.len();
        let mut values = vec![0.0; each * worlds.worlds];
        if values.is_empty() {
            return Ok(values);
        }
        let parallel = worlds.worlds > 1 && pool_starts();
        let chunk = match parallel {
            true => worlds.worlds.div_ceil(4 * rayon::current_num_threads()),
            false => worlds.worlds,
        };
        let fill =
            |(index, part): (usize, &mut [f32])| self.fill(solver, worlds, index * chunk, part);
        let results: Vec<Result<(), WorldError>> = match parallel {
            true => {
                let parts = values.par_chunks_mut(each * chunk).enumerate();
                parts.map(fill).collect()
            }
            false => values
                .chunks_mut(each * chunk)
                .enumerate()
                .map(fill)
                .collect(),
        };
        results.into_iter().collect::<Result<(), WorldError>>()?;
        Ok(values)
    }

    /// The values of some worlds, from world `first` on.
    fn fill(
        &self,
        solver: &'static str,
        worlds: &WorldParameters,
        first: usize,
        values: &mut [f32],
    ) -> Result<(), WorldError> {
        let [_, masses, free, bias] = self.kinds;
        let mut problem = self.structure.clone();
        let packed = bias || (masses && self.device_steps.is_none());
        // a pack is needed for no other world
        let mut pack = if packed {
            self.pack.clone()
        } else {
            Pack::default()
        };
        for (part, world) in values.chunks_exact_mut(self.places.len()).zip(first..) {
            let coefficient = worlds.friction.get(world).copied();
            let valid = coefficient.is_none_or(|mu| mu.is_finite() && mu >= 0.0);
            let own_masses = own(&worlds.masses, worlds.worlds, world).unwrap_or_default();
            let velocity = own(&worlds.free_velocity, worlds.worlds, world);
            let held = |range: &MassRange| range.holds(own_masses, velocity);
            let known = self.device_steps.as_ref().is_some_and(held);
            if packed || !valid || (masses && !known) {
                let own = worlds.write(problem, &self.structure, world);
                problem = own.map_err(|error| WorldError::Problem { world, error })?;
                if packed {
                    self.pack_values(solver, world, &problem, &mut pack, part)?;
                    continue;
                }
                check_range(solver, &problem).map_err(|error| WorldError::of(world, error))?;
            } else if free && !masses {
                let set = problem.set_free_velocity(velocity.unwrap_or_default());
                set.map_err(|error| WorldError::Problem { world, error })?;
                check_range(solver, &problem).map_err(|error| WorldError::of(world, error))?;
            }
            // μ is the first value, masses and velocities follow
            let friction = coefficient.filter(|_| self.has_friction);
            let numbers = own_masses.iter().flat_map(mass_numbers);
            let velocities = velocity.unwrap_or_default().iter().copied();
            let all = friction.into_iter().chain(numbers).chain(velocities);
            for (to, from) in part.iter_mut().zip(all) {
                *to = f32::of(from);
            }
        }
        Ok(())
    }

    /// The values of a world from a pack of its own.
    fn pack_values(
        &self,
        solver: &'static str,
        world: usize,
        problem: &Problem,
        pack: &mut Pack<f32>,
        values: &mut [f32],
    ) -> Result<(), WorldError> {
        let packed = check_range(solver, problem).and_then(|()| pack.renumber(problem));
        let fits = packed.map_err(|error| WorldError::of(world, error))?;
        if !fits || !self.shares(pack) {
            let reason = "its parameters change more than the values of its list, such as rows that nothing moves \
                          or bias of tangents that had none; prepare this world as a problem of its own";
            return Err(WorldError::Structure { world, reason });
        }
        let lists = lists(pack);
        for (to, (quad, component)) in values.iter_mut().zip(&self.places) {
            let quad = *quad as usize;
            let part = self.part_of(quad);
            *to = lists[part][quad - self.parts[part]][*component as usize];
        }
        Ok(())
    }

    /// True if the pack of a world differs from that of the structure in values alone.
    fn shares(&self, pack: &Pack<f32>) -> bool {
        let same_heads = pack.manifolds.heads == self.pack.manifolds.heads
            && pack.units.heads == self.pack.units.heads;
        let mut quads = lists(pack).into_iter().flatten().zip(self.quads());
        same_heads
            && self.sources.iter().all(|sources| {
                quads.next().is_some_and(|(own, shared)| {
                    (0..4).all(|i| sources[i] != SHARED || own[i].to_bits() == shared[i].to_bits())
                })
            })
    }
}

/// The numbers of a mass in the order of a pack: per axis, then the inverse inertia xx, xy, xz, yy,
/// yz, zz.
fn mass_numbers(mass: &MassProperties) -> [f64; 9] {
    let (m, i) = (&mass.inverse_mass, &mass.inverse_inertia);
    let places = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
    let [xx, xy, xz, yy, yz, zz] = places.map(|place| i[place]);
    [m.x, m.y, m.z, xx, xy, xz, yy, yz, zz]
}

/// Refuses problems that f32 solves in other units only.
fn check_range(solver: &'static str, problem: &Problem) -> Result<(), SolveError> {
    if PowerScale::of(solver, problem)?.is_identity() {
        return Ok(());
    }
    let reason = "and worlds are solved in the units of their problems; solve this one alone";
    let reason = reason.to_owned();
    Err(Unsupported::Range { solver, reason }.into())
}

/// The numbers of a pack, in the order in which quads are counted.
fn lists(pack: &Pack<f32>) -> [&[[f32; 4]]; 5] {
    [
        &pack.manifolds.numbers,
        &pack.manifolds.extras,
        &pack.units.numbers,
        &pack.bodies.mass,
        &pack.bodies.free,
    ]
}
