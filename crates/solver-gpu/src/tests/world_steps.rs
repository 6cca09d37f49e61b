//! Steps that the device computes for worlds with masses of their own (K.54).

use std::sync::Arc;

use delassus_core::{MassProperties, Problem, SolveError, Unsupported};
use delassus_problems::generators::{BoxProblem, Boxes, ContactLaw, Wall};
use delassus_solver_jacobi::kernels::steps::StepPoint;
use delassus_solver_jacobi::pack::{
    BODY_MASS, EXTRA, FIXED, FRAME_QUADS, POINT_QUADS, Pack, active_of, count_of, law_of,
};
use delassus_solver_jacobi::parameters::JacobiParameters;
use delassus_solver_jacobi::real::{Quad, Real};
use delassus_solver_jacobi::running::ErrorBounded;
use delassus_solver_jacobi::worlds::{WorldError, WorldParameters, WorldSteps, WorldTemplate};

use super::common::{everything, problem, settings};
use crate::batch::GpuBatch;
use crate::buffers::GpuQuad;
use crate::device::Device;
use crate::dispatches::DispatchSettings;
use crate::resident::Resident;
use crate::testing::device_or_skip;
use crate::tiles::ManifoldLayout;
use crate::world_numbers::WorldHeader;

const WORLDS: usize = 5;

fn settings_of() -> DispatchSettings {
    DispatchSettings {
        acceleration: delassus_solver_jacobi::Acceleration::Nesterov,
        guard: true,
        residuals: false,
        workgroup: 64,
        submission: 64,
        layout: ManifoldLayout::Manifolds,
        fused: false,
    }
}

fn wall(law: ContactLaw) -> Problem {
    problem(&BoxProblem::from(Wall {
        base: 5,
        boxes: Boxes {
            law,
            ..Boxes::default()
        },
    }))
}

/// Worlds with masses of their own, with inertia that is turned out of the axes.
fn worlds_of(structure: &Problem, worlds: usize) -> WorldParameters {
    let mut parameters = WorldParameters::of(worlds);
    parameters.friction = (1..=worlds).map(|i| 0.1 * i as f64).collect();
    let masses = &structure.bodies().expect("bodies").mass;
    for world in 0..worlds {
        for (body, mass) in masses.iter().enumerate() {
            let factor = 0.5 + ((37 * world + 11 * body) % 101) as f64 / 101.0;
            let mut inertia = mass.inverse_inertia * (1.0 / factor);
            for (i, j) in [(0, 1), (0, 2), (1, 2)] {
                let across = 0.2 * (i + j) as f64 * inertia[(0, 0)];
                inertia[(i, j)] += across * 0.5;
                inertia[(j, i)] = inertia[(i, j)];
            }
            parameters.masses.push(MassProperties {
                inverse_mass: mass.inverse_mass * factor,
                inverse_inertia: inertia,
            });
        }
    }
    parameters
}

fn template(steps: WorldSteps, structure: &Problem, worlds: &WorldParameters) -> WorldTemplate {
    let twin = JacobiParameters::default();
    let made = WorldTemplate::with_steps(steps, "test", twin, structure, worlds);
    made.expect("a structure")
}

fn resident(device: &Arc<Device>, template: WorldTemplate, worlds: &WorldParameters) -> Resident {
    let values = template.values("test", worlds).expect("valid worlds");
    let (device, count) = (Arc::clone(device), worlds.worlds);
    Resident::of_worlds(device, settings_of(), template, count, &[], &values).expect("room")
}

/// The steps of every point of a pack, as the twin computes them with numbers of `T`.
fn twin<T: Real>(pack: &Pack<f32>, number: impl Fn(f32) -> T) -> Vec<[T; 3]> {
    let quad = |q: Quad<f32>| q.map(&number);
    let triple = |[x, y, z, _]: Quad<f32>| [x, y, z].map(&number);
    let mut all = Vec::new();
    for (index, [first, flags, a, b]) in pack.manifolds.heads.iter().copied().enumerate() {
        let at = FRAME_QUADS * index + POINT_QUADS * first as usize;
        let [one, two, three] = [0, 1, 2].map(|i| pack.manifolds.numbers[at + i]);
        let (n, t) = (triple(one), triple(two));
        let s = delassus_solver_jacobi::kernels::vectors::cross(n, t);
        let mass = [a, b].map(|body| {
            let first = BODY_MASS * (body & !FIXED) as usize;
            [0, 1, 2].map(|i| quad(pack.bodies.mass[first + i]))
        });
        for local in 0..count_of(flags) as usize {
            let place = at + FRAME_QUADS + POINT_QUADS * local;
            let arm = triple(pack.manifolds.numbers[place]);
            let between = triple(three);
            let normal = pack.manifolds.numbers[place + 1][3];
            let soft = if flags & EXTRA != 0 {
                let extra = pack.manifolds.extras[2 * (first as usize + local) + 1];
                [normal, extra[1], extra[2]]
            } else {
                [normal, 0.0, 0.0]
            };
            let point = StepPoint {
                frame: [n, t, s],
                arms: [[0, 1, 2].map(|i| arm[i] + between[i]), arm],
                mass,
                factor: [number(two[3]), number(three[3])],
                compliance: soft.map(&number),
            };
            all.push(point.steps(law_of(flags)));
        }
    }
    all
}

/// Rows that are solved for of every point: other steps are not read.
fn solved(pack: &Pack<f32>) -> Vec<usize> {
    let heads = pack.manifolds.heads.iter();
    let points = heads.flat_map(|head| (0..count_of(head[1])).map(move |i| active_of(head[1], i)));
    points.map(|rows| rows as usize).collect()
}

/// Steps of every point of a list of quads.
fn steps_in(pack: &Pack<f32>, quads: &[GpuQuad]) -> Vec<[f32; 3]> {
    let mut all = Vec::new();
    for (index, [first, flags, ..]) in pack.manifolds.heads.iter().copied().enumerate() {
        for local in 0..count_of(flags) as usize {
            let point = first as usize + local;
            let [x, y, z, _] = quads[FRAME_QUADS * (index + 1) + POINT_QUADS * point + 1];
            all.push([x, y, z]);
        }
    }
    all
}

#[test]
fn steps_are_those_of_the_twin() {
    let Some(device) = device_or_skip("steps_are_those_of_the_twin") else {
        return;
    };
    let laws = [
        ContactLaw::Frictionless,
        ContactLaw::Pyramid,
        ContactLaw::Disc,
        ContactLaw::ConvexCone,
    ];
    for law in laws {
        for soft in [false, true] {
            let mut structure = wall(law);
            if soft {
                let rows = 0..structure.rows();
                let compliance: Vec<f64> = rows.map(|row| 0.01 * (1 + row % 7) as f64).collect();
                structure.set_compliance(&compliance).expect("positive");
            }
            let worlds = worlds_of(&structure, WORLDS);
            let template = template(WorldSteps::Device, &structure, &worlds);
            assert!(template.computes_steps());
            let (first, own) = (template.quads().count(), template.own());
            assert_eq!(own.start, 0);
            let resident = resident(&device, template, &worlds);
            for world in 0..WORLDS {
                let begin = first + world * own.len();
                let quads = resident.numbers(begin..begin + own.len()).expect("read");
                // as the world would be packed: masses, frames and arms are equal, and so are all
                // other numbers
                let alone = worlds.problem(&structure, world).expect("a valid world");
                let pack: Pack<f32> = JacobiParameters::default().pack(&alone).expect("bodies");
                for (at, (found, packed)) in quads.iter().zip(&pack.manifolds.numbers).enumerate() {
                    assert_eq!(found[3].to_bits(), packed[3].to_bits(), "quad {at}");
                }
                let found = steps_in(&pack, &quads);
                let packed = steps_in(&pack, &pack.manifolds.numbers);
                let bounds = twin(&pack, |x| ErrorBounded::of(x.into()));
                assert_eq!(found.len(), bounds.len());
                let points = found.iter().zip(&packed).zip(&bounds).zip(solved(&pack));
                for (((found, packed), bound), rows) in points {
                    for row in 0..rows {
                        let (x, twin) = (f64::from(found[row]), bound[row]);
                        let off = (x - twin.value).abs();
                        assert!(off <= twin.error, "{law:?}: {x} {twin:?}");
                        // the bound itself is small: 1e-4 is 840 roundings
                        assert!(twin.error <= 1e-4 * twin.value, "{law:?}: {twin:?}");
                        let miss = (found[row] - packed[row]).abs();
                        assert!(miss <= 1e-5 * packed[row], "{law:?}: {x} {}", packed[row]);
                    }
                }
            }
        }
    }
}

#[test]
fn worlds_follow_those_of_the_processor() {
    if device_or_skip("worlds_follow_those_of_the_processor").is_none() {
        return;
    }
    let structure = wall(ContactLaw::Coulomb);
    let worlds = worlds_of(&structure, WORLDS);
    for parameters in settings() {
        let run = |steps| {
            let made = GpuBatch::new(parameters.clone());
            let mut batch = made.expect("valid").with_steps(steps);
            batch.prepare_worlds(&structure, &worlds).expect("room");
            batch.iterate(6).expect("iterations");
            let mut impulses = vec![0.0; WORLDS * structure.rows()];
            batch.read_all_impulses(&mut impulses).expect("impulses");
            // other numbers, with impulses from before
            let mut other = worlds.clone();
            other
                .masses
                .rotate_left(structure.bodies().expect("bodies").len());
            batch.update_worlds(&other).expect("valid");
            batch.iterate(3).expect("iterations");
            let mut again = vec![0.0; WORLDS * structure.rows()];
            batch.read_all_impulses(&mut again).expect("impulses");
            [impulses, again]
        };
        let (device, processor) = (run(WorldSteps::Device), run(WorldSteps::Processor));
        for (found, expected) in device.iter().zip(&processor) {
            let size = expected.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            assert!(size > 0.0);
            for (x, y) in found.iter().zip(expected) {
                assert!((x - y).abs() <= 1e-4 * size, "{x} {y} of {size}");
            }
        }
    }
}

/// Values are masses and μ alone.
#[test]
fn masses_go_up_without_steps() {
    if device_or_skip("masses_go_up_without_steps").is_none() {
        return;
    }
    // a device of its own, whose transfers nobody else adds to
    let device = Arc::new(Device::open("", u64::MAX).expect("an adapter"));
    let structure = problem(&BoxProblem::from(Wall {
        base: 6,
        boxes: Boxes::default(),
    }));
    let count = 64;
    let worlds = worlds_of(&structure, count);
    let bodies = structure.bodies().expect("bodies").len();
    let mut again = Vec::new();
    for steps in [WorldSteps::Processor, WorldSteps::Device] {
        let template = template(steps, &structure, &worlds);
        let each = template.values_per_world();
        if steps == WorldSteps::Device {
            assert_eq!(each, 1 + 9 * bodies);
        }
        let (quads, own) = (template.quads().count(), template.own().len());
        let values = template.values("test", &worlds).expect("valid");
        let start = crate::staging::transfers(&device).expect("counts");
        let mut resident = resident(&device, template, &worlds);
        let made = crate::staging::transfers(&device).expect("counts");
        resident.write_worlds(&values).expect("written");
        let [up, _] = made.since(&start).bytes;
        let written = crate::staging::transfers(&device).expect("counts");
        let [update, _] = written.since(&made).bytes;
        println!(
            "{steps:?}: {} B per world, {} B again; {quads} quads, {own} of a world",
            up / count as u64,
            update / count as u64
        );
        let records = 2 * size_of::<crate::joined::ProblemRecord>();
        assert_eq!(update, (4 * each * count + records) as u64);
        again.push(update);
    }
    assert!(2 * again[1] < again[0], "{again:?}");
    assert_eq!(size_of::<WorldHeader>(), 36);
}

#[test]
fn what_the_device_does_not_compute_the_processor_does() {
    let computes = |structure: &Problem, worlds: &WorldParameters| {
        template(WorldSteps::Device, structure, worlds).computes_steps()
    };
    let structure = wall(ContactLaw::Coulomb);
    let worlds = worlds_of(&structure, 2);
    assert!(computes(&structure, &worlds));
    let friction = WorldParameters {
        masses: Vec::new(),
        ..worlds.clone()
    };
    assert!(!computes(&structure, &friction));
    let bias = WorldParameters {
        bias: vec![0.0; 2 * structure.rows()],
        ..worlds
    };
    assert!(!computes(&structure, &bias));
    let joints = problem(&everything(3));
    assert!(!computes(&joints, &worlds_of(&joints, 2)));
}

/// Masses that are not checked by a bound are checked as those of a problem.
#[test]
fn masses_beyond_f32_are_refused() {
    let structure = wall(ContactLaw::Coulomb);
    let mut worlds = worlds_of(&structure, 2);
    let template = template(WorldSteps::Device, &structure, &worlds);
    let values = |worlds: &WorldParameters| template.values("test", worlds);
    // far from those of the structure, and still within the room of f32
    let factor = 2.0_f64.powi(20);
    for mass in &mut worlds.masses {
        mass.inverse_mass *= factor;
        mass.inverse_inertia *= factor;
    }
    let found = values(&worlds).expect("in the room");
    let bodies = structure.bodies().expect("bodies").len();
    let body = (0..bodies)
        .find(|body| !worlds.masses[*body].is_immovable())
        .expect("a box");
    let mass = worlds.masses[body].inverse_mass.x;
    assert_eq!(found[1 + 9 * body], f32::of(mass));
    for mass in &mut worlds.masses {
        mass.inverse_mass *= factor * factor;
        mass.inverse_inertia *= factor * factor;
    }
    match values(&worlds) {
        Err(WorldError::Solve {
            world: 0,
            error: SolveError::Unsupported(Unsupported::Range { .. }),
        }) => {}
        other => panic!("{other:?}"),
    }
    worlds.masses[bodies + body].inverse_mass.x = f64::NAN;
    worlds.masses.drain(..bodies);
    worlds.worlds = 1;
    worlds.friction.truncate(1);
    assert!(matches!(
        values(&worlds),
        Err(WorldError::Problem { world: 0, .. })
    ));
}
