//! What is timed: the solver stage of a step by Rapier's own counters, at two numbers of iterations
//! in turn.
//!
//! The difference over the number of iterations between is the time of one; what is left at none is
//! packing and writing back. Steps alternate on one scene at rest, so collision detection, which
//! the counter leaves out, finds the same contacts every time, but for a few that come and go: more
//! than one in fifty is an error.

use rapier3d::dynamics::FrictionModel;
use rapier3d::prelude::PhysicsWorld;

use crate::scene;

/// Steps of 1/60 s before the measured ones.
const SETTLE: usize = 60;
/// Pairs of steps on one settled scene.
const PAIRS: usize = 5;
/// The two numbers of sweeps of a slope.
const SWEEPS: [usize; 2] = [4, 20];
/// The two numbers of substeps of a slope.
const SUBSTEPS: [usize; 2] = [2, 10];

/// What one unit of work is.
#[derive(Clone, Copy, PartialEq)]
enum Work {
    /// One sweep over normals and friction of every point: three rows per point.
    Pass,
    /// One sweep over normals, and per manifold two tangents and a twist.
    Patch,
    /// Everything in the solver stage that does not grow with the substeps.
    Packing,
    /// One substep with the engine's defaults: patch friction in the relax pass alone.
    Substep,
    /// One substep with three rows per point in both passes.
    SubstepThreeRows,
    /// One sweep over ball joints.
    Joints,
}

impl Work {
    const ALL: [(&'static str, Self); 6] = [
        ("pass", Self::Pass),
        ("patch", Self::Patch),
        ("packing", Self::Packing),
        ("substep", Self::Substep),
        ("substep-3-rows", Self::SubstepThreeRows),
        ("joints", Self::Joints),
    ];

    /// Rows that one unit of work visits per element, passes added.
    fn rows(self) -> &'static str {
        match self {
            Self::Pass | Self::Joints | Self::Packing => "3",
            // four normals, two tangents and a twist per manifold of four
            Self::Patch => "1.75",
            // normals twice, friction once
            Self::Substep => "1 + 1.75",
            Self::SubstepThreeRows => "3 + 3",
        }
    }

    /// Sets the engine so that `units` units of work make the difference.
    fn set(self, world: &mut PhysicsWorld, units: usize) {
        let parameters = &mut world.integration_parameters;
        parameters.friction_model = match self {
            Self::Patch | Self::Substep => FrictionModel::Simplified,
            _ => FrictionModel::Coulomb,
        };
        match self {
            Self::Pass | Self::Patch | Self::Joints => {
                parameters.num_solver_iterations = 1;
                parameters.num_internal_pgs_iterations = units;
                // without a relax pass friction is solved in every sweep
                parameters.num_internal_stabilization_iterations = 0;
                parameters.friction_in_bias_pass = true;
            }
            Self::Packing | Self::Substep | Self::SubstepThreeRows => {
                parameters.num_solver_iterations = units;
                parameters.num_internal_pgs_iterations = 1;
                parameters.num_internal_stabilization_iterations = 1;
                parameters.friction_in_bias_pass = self == Self::SubstepThreeRows;
            }
        }
    }

    fn units(self) -> [usize; 2] {
        match self {
            Self::Pass | Self::Patch | Self::Joints => SWEEPS,
            _ => SUBSTEPS,
        }
    }
}

/// Elements, rows per element, median and least nanoseconds per element and unit of work, separated
/// by tabs.
///
/// # Errors
/// A word that is not `work/size`, or a scene whose contacts change between the steps.
pub(crate) fn measure(word: &str) -> Result<String, String> {
    let (name, size) = word.split_once('/').ok_or("not of the form work/size")?;
    let work = Work::ALL.into_iter().find(|(id, _)| *id == name);
    let (_, work) = work.ok_or("no such work")?;
    let size: usize = size.parse().map_err(|_| "no such size".to_owned())?;
    let mut times = Vec::new();
    let mut elements = 0;
    // few pairs on each fresh scene, because a wall creeps while it is measured
    let rounds = (400_000 / (size * size).max(1) / PAIRS).clamp(2, 80);
    for _ in 0..rounds {
        elements = round(work, size, &mut times)?;
    }
    let [least, units] = [least(&times), work.units().map(|u| u as f64)];
    let of = |[short, long]: [f64; 2]| {
        let slope = (long - short) / (units[1] - units[0]);
        let time = match work {
            Work::Packing => short - slope * units[0],
            _ => slope,
        };
        1e9 * time / elements as f64
    };
    let mut each: Vec<f64> = times.iter().copied().map(of).collect();
    each.sort_by(f64::total_cmp);
    let median = each[each.len() / 2];
    Ok(format!(
        "{elements}\t{}\t{median:.3}\t{:.3}",
        work.rows(),
        of(least)
    ))
}

/// Settles a scene and appends [`PAIRS`] pairs of times \[s\]; returns the elements.
fn round(work: Work, size: usize, times: &mut Vec<[f64; 2]>) -> Result<usize, String> {
    let mut world = match work {
        Work::Joints => scene::net(size),
        _ => scene::wall(size),
    };
    world.physics_pipeline.counters.enable();
    for _ in 0..SETTLE {
        world.step();
    }
    let elements = elements(&world, work);
    for _ in 0..PAIRS {
        times.push(work.units().map(|units| {
            work.set(&mut world, units);
            world.step();
            let stages = &world.physics_pipeline.counters.stages;
            stages.solver_time.time().as_secs_f64()
        }));
        let now = self::elements(&world, work);
        if now.abs_diff(elements) * 50 > elements {
            return Err(format!("{elements} elements became {now}"));
        }
    }
    Ok(elements)
}

/// The least of each of the two times.
fn least(times: &[[f64; 2]]) -> [f64; 2] {
    let start = [f64::INFINITY; 2];
    times
        .iter()
        .fold(start, |l, t| [l[0].min(t[0]), l[1].min(t[1])])
}

/// Contact points or joints that the solver got.
fn elements(world: &PhysicsWorld, work: Work) -> usize {
    let counters = &world.physics_pipeline.counters.solver;
    match work {
        Work::Joints => counters.nconstraints,
        _ => counters.ncontacts,
    }
}
