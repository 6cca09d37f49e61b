//! Laws at rest: the stretch of hanging links, the sag of stacks, the least motion of a weld; and
//! two links on the way there, with a given number of sweeps.

use delassus_dynamics::{Body, ContactLaw, Cuboid, ShapeGeometry, rotation};
use delassus_metrics::ClosedForm;
use delassus_systems::{Chain, Ends, LinkKind, MassOrder, Stack};
use nalgebra::{UnitQuaternion, Vector3};
use serde_json::{Map, Value};

use crate::boxes::BoxWorld;
use crate::oracles::chain::tensions;
use crate::oracles::soft_pair::SoftPair;
use crate::oracles::weld::{FreeBody, WeldedBodies};
use crate::scenes::{ChainWorld, WeldPair};

use super::{SchemeSteps, parsed};

/// A value that a motion comes to rest at.
pub(super) fn constant(name: &str, value: f64) -> ClosedForm {
    ClosedForm {
        name: name.to_owned(),
        of_method: true,
        discrete: false,
        at: Box::new(move |_| value),
    }
}

/// Stretch of the links of a chain that hangs straight on springs, "C\[i\].0" (O.4), and of two
/// links of a rigid chain that the scheme makes soft and solves with some sweeps (O.22).
pub(super) fn of_chain(
    parameters: &Map<String, Value>,
    steps: Option<SchemeSteps<'_>>,
    observable: &str,
) -> Vec<ClosedForm> {
    let Some(world) = parsed::<ChainWorld>(parameters) else {
        return Vec::new();
    };
    let (scene, hertz): (&Chain, f64) = (&world.chain, world.spring.hertz);
    let straight = scene.kind == LinkKind::Point
        && scene.ends == Ends::Anchored
        && scene.angle == 0.0
        && world.stretch == 0.0;
    let row = observable
        .strip_prefix("C[")
        .and_then(|rest| rest.strip_suffix("].0"))
        .and_then(|index| index.parse::<usize>().ok());
    let Some(row) = row.filter(|row| straight && *row < scene.n) else {
        return Vec::new();
    };
    let even = scene.mass_ratio == 1.0 || scene.mass_order == MassOrder::HeavyLast;
    let mut masses = vec![scene.mass; scene.n];
    masses[scene.n - 1] *= scene.mass_ratio;
    if hertz > 0.0 && even {
        let omega = std::f64::consts::TAU * hertz;
        let inverse: f64 = masses[row.saturating_sub(1)..=row]
            .iter()
            .map(|m| 1.0 / m)
            .sum();
        let stretch = inverse * tensions(&masses, scene.gravity)[row] / (omega * omega);
        return vec![constant("stretch at rest", stretch)];
    }
    let (Some(steps), [first, second]) = (steps, masses.as_slice()) else {
        return Vec::new();
    };
    if hertz > 0.0 || !sweeps_plainly(&steps) {
        return Vec::new();
    }
    let sweeps = steps.parameters.get("sweeps").and_then(Value::as_u64);
    let sweeps = sweeps.and_then(|sweeps| u32::try_from(sweeps).ok());
    let (Some((hertz, zeta)), Some(sweeps)) = (joint_spring(&steps), sweeps) else {
        return Vec::new();
    };
    let pair = SoftPair {
        inverse_masses: [1.0 / first, 1.0 / second],
        hertz,
        zeta,
        h: steps.h,
        sweeps,
        relaxed: steps.has("relax_sweeps"),
    };
    let errors = pair.errors(scene.gravity, steps.count);
    let errors = errors.iter().map(|error| error[row]).collect();
    vec![steps.law("two links, swept", errors)]
}

/// True if rows are swept in order, from the impulses of the step before, and relaxed once at most.
fn sweeps_plainly(steps: &SchemeSteps<'_>) -> bool {
    let once = |key: &str, least: f64| {
        let count = steps.number(key);
        count.is_some_and(|count| (least..=1.0).contains(&count))
    };
    steps.in_order
        && once("substeps", 1.0)
        && once("relax_sweeps", 0.0)
        && !steps.has("position_sweeps")
        && steps.number("joint_slop") == Some(0.0)
        && steps.text("warm_start") != "off"
}

/// Frequency \[Hz\] and damping ratio that the scheme gives a rigid joint row (S.8).
pub(super) fn joint_spring(steps: &SchemeSteps<'_>) -> Option<(f64, f64)> {
    if steps.text("stabilization") != "soft" {
        return None;
    }
    let limit = steps.number("joint_hertz_limit")? / steps.h;
    let hertz = steps.number("joint_hertz")?.min(limit);
    Some((hertz, steps.number("joint_damping_ratio")?))
}

/// Sag of a stack of equal cubes whose contacts are springs: its overlaps, and the heights
/// "x\[i\].y" (S.13).
///
/// The four corners of a cube have a quarter of its effective mass each, so that together they are
/// one contact.
pub(super) fn of_stack(
    parameters: &Map<String, Value>,
    steps: Option<SchemeSteps<'_>>,
    observable: &str,
) -> Vec<ClosedForm> {
    let world = parsed::<BoxWorld<Stack>>(parameters);
    let (Some(world), Some(steps)) = (world, steps) else {
        return Vec::new();
    };
    let scene = world.system;
    let even = scene.boxes.mass_ratio == 1.0
        && [
            scene.jitter,
            scene.boxes.tilt,
            scene.boxes.speed,
            scene.boxes.gap,
        ] == [0.0; 4]
        && scene.boxes.law != ContactLaw::Patch;
    let soft = steps.text("stabilization") == "soft"
        && !steps.has("relax_sweeps")
        && !steps.has("position_sweeps")
        && steps.number("slop") == Some(0.0);
    let Some(sags) = sags(&scene, &steps).filter(|_| even && soft) else {
        return Vec::new();
    };
    let value = match observable {
        "penetration_max" => sags.iter().copied().fold(0.0, f64::max),
        "penetration_mean" => sags.iter().sum::<f64>() / sags.len() as f64,
        _ => {
            let body = observable
                .strip_prefix("x[")
                .and_then(|rest| rest.strip_suffix("].y"))
                .and_then(|index| index.parse::<usize>().ok());
            let Some(body) = body.filter(|body| (1..=scene.n).contains(body)) else {
                return Vec::new();
            };
            let height = (body as f64 - 0.5) * scene.boxes.size;
            height - sags[..body].iter().sum::<f64>()
        }
    };
    vec![constant("sag at rest", value)]
}

/// Overlap of every contact from the ground up \[m\].
fn sags(scene: &Stack, steps: &SchemeSteps<'_>) -> Option<Vec<f64>> {
    let limit = steps.number("contact_hertz_limit")? / steps.h;
    let hertz = steps.number("contact_hertz")?.min(limit);
    let factor = steps.number("static_hertz_factor")?;
    let sag = |contact: usize| {
        let (hertz, inverse) = if contact == 0 {
            (factor * hertz, 1.0)
        } else {
            (hertz, 2.0)
        };
        let omega = std::f64::consts::TAU * hertz;
        let above = (scene.n - contact) as f64;
        above * scene.boxes.gravity * inverse / (omega * omega)
    };
    Some((0..scene.n).map(sag).collect())
}

/// The least "motion" that brings two welded boxes together (O.25).
pub(super) fn of_weld(
    parameters: &Map<String, Value>,
    _: Option<SchemeSteps<'_>>,
    observable: &str,
) -> Vec<ClosedForm> {
    let scene = parsed::<WeldPair>(parameters);
    let pair = scene.filter(|_| observable == "motion").and_then(pair);
    pair.map_or_else(Vec::new, |pair| {
        vec![constant("least motion", pair.least_motion())]
    })
}

/// The boxes of the scene as they start.
fn pair(scene: WeldPair) -> Option<WeldedBodies> {
    let half = Vector3::from(scene.half);
    let face = Vector3::new(half.x, 0.0, 0.0);
    let turn = rotation::exp(&Vector3::from(scene.twist));
    let places = [
        (-face, UnitQuaternion::identity(), face),
        (face + Vector3::from(scene.offset), turn, -face),
    ];
    let mut pieces = Vec::new();
    for (mass, (position, orientation, anchor)) in scene.masses.into_iter().zip(places) {
        let inertia = Cuboid { half }.solid(mass).ok()?;
        let body = Body::dynamic(inertia, position).turned(orientation);
        pieces.push(FreeBody {
            mass,
            inertia: body.world_inertia(),
            position,
            orientation,
            anchor,
        });
    }
    Some(WeldedBodies {
        pieces: pieces.try_into().ok()?,
        orientation: UnitQuaternion::identity(),
    })
}
