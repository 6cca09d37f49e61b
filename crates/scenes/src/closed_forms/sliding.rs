//! Laws of sliding, spinning and rolling: by Coulomb's law, and by the law of the scene in the
//! steps of the scheme.

use delassus_core::numbers::significant;
use delassus_dynamics::ContactLaw;
use delassus_metrics::{ClosedForm, TimeFunction};
use serde_json::{Map, Value};

use crate::oracles::contact::{rim_deceleration, rolling_accelerations};
use crate::oracles::friction::{coulomb_slide, slide_in_steps, sliding_acceleration_along};
use crate::scenes::{FootedBox, Roller, Rolling, SlidingBlock, SpinningDisc};

use super::{SchemeSteps, parsed};

/// Uniform pressure brakes a disc with this share of what points of its rim do \[-\].
const UNIFORM: f64 = 2.0 / 3.0;

/// Angle of the way to the velocity of the start.
const COURSE: &str = "course_change";

/// Which component of body 1 along the ground: place or velocity, first or second tangent.
#[derive(Clone, Copy)]
struct Component {
    velocity: bool,
    axis: usize,
}

impl Component {
    fn of(observable: &str) -> Option<Self> {
        let (velocity, axis) = match observable {
            "x[1].x" => (false, 0),
            "x[1].z" => (false, 1),
            "v[1].x" => (true, 0),
            "v[1].z" => (true, 1),
            _ => return None,
        };
        Some(Self { velocity, axis })
    }
}

/// What schemes approximate.
fn exact(name: &str, at: TimeFunction) -> ClosedForm {
    ClosedForm {
        name: name.to_owned(),
        of_method: false,
        discrete: false,
        at,
    }
}

/// True where contacts are rigid rows and nothing but them acts: springs take their time to carry
/// the weight.
fn is_rigid(steps: &SchemeSteps<'_>) -> bool {
    matches!(
        steps.text("stabilization"),
        "none" | "baumgarte" | "split-impulse"
    )
}

/// A block that slides on level ground (O.29), (O.36).
pub(super) fn of_block(
    parameters: &Map<String, Value>,
    steps: Option<SchemeSteps<'_>>,
    observable: &str,
) -> Vec<ClosedForm> {
    let Some(scene) = parsed::<SlidingBlock>(parameters) else {
        return Vec::new();
    };
    let component = Component::of(observable);
    if component.is_none() && observable != COURSE {
        return Vec::new();
    }
    let (friction, gravity) = (scene.setting.friction, scene.setting.gravity);
    let (sine, cosine) = libm::sincos(scene.direction);
    let (speed, direction) = (scene.speed, [cosine, sine]);
    let origin = move |component: Component| match component.velocity {
        true => 0.0,
        false => scene.setting.origin[2 * component.axis],
    };
    let coulomb: TimeFunction = match component {
        // it keeps its direction
        None => Box::new(|_| 0.0),
        Some(of) => Box::new(move |t| {
            let [way, left] = coulomb_slide(speed, friction, gravity, t);
            origin(of) + direction[of.axis] * if of.velocity { left } else { way }
        }),
    };
    let mut found = vec![exact("Coulomb's law", coulomb)];
    let Some(steps) = steps.filter(is_rigid) else {
        return found;
    };
    let start = direction.map(|part| speed * part);
    let law = scene.setting.law;
    if let Some(states) = slide_in_steps(law, start, friction, gravity, steps.h, steps.count) {
        let value = |(place, left): ([f64; 2], [f64; 2])| match component {
            None => {
                let cross = cosine * place[1] - sine * place[0];
                libm::atan2(cross.abs(), cosine * place[0] + sine * place[1])
            }
            Some(of) => origin(of) + if of.velocity { left } else { place }[of.axis],
        };
        let h = significant(steps.h, 3);
        let values = states.into_iter().map(value).collect();
        found.push(steps.law(format!("its own law, h = {h}"), values));
    }
    found
}

/// A box that starts at rest on an incline: velocities alone, which are the same for every length
/// of steps.
pub(super) fn of_incline(
    parameters: &Map<String, Value>,
    steps: Option<SchemeSteps<'_>>,
    observable: &str,
) -> Vec<ClosedForm> {
    let (
        Some(scene),
        Some(Component {
            velocity: true,
            axis,
        }),
    ) = (parsed::<FootedBox>(parameters), Component::of(observable))
    else {
        return Vec::new();
    };
    if scene.speed != 0.0 {
        return Vec::new();
    }
    let along = |law: ContactLaw| {
        let slope = [scene.slope, scene.direction];
        let setting = &scene.setting;
        let found = sliding_acceleration_along(law, slope, setting.friction, setting.gravity);
        found.map(|a| a[axis])
    };
    let mut found = Vec::new();
    if let Some(a) = along(ContactLaw::Coulomb) {
        found.push(exact("Coulomb's law", Box::new(move |t| a * t)));
    }
    if let (Some(a), Some(true)) = (
        along(scene.setting.law),
        steps.map(|steps| is_rigid(&steps)),
    ) {
        found.push(ClosedForm {
            of_method: true,
            ..exact("its own law", Box::new(move |t| a * t))
        });
    }
    found
}

/// A disc that spins on its face without sliding.
pub(super) fn of_disc(
    parameters: &Map<String, Value>,
    steps: Option<SchemeSteps<'_>>,
    observable: &str,
) -> Vec<ClosedForm> {
    let Some(scene) = parsed::<SpinningDisc>(parameters) else {
        return Vec::new();
    };
    if observable != "w[1].y" || scene.speed != 0.0 {
        return Vec::new();
    }
    let (spin, setting) = (scene.spin, &scene.setting);
    let rim = rim_deceleration(scene.radius, setting.friction, setting.gravity);
    let slowing = move |rate: f64| -> TimeFunction {
        Box::new(move |t| (spin.abs() - rate * t).max(0.0) * spin.signum())
    };
    let mut found = vec![exact("uniform pressure", slowing(UNIFORM * rim))];
    let points = matches!(
        setting.law,
        ContactLaw::Disc | ContactLaw::Coulomb | ContactLaw::Patch
    );
    if points && steps.is_some_and(|steps| is_rigid(&steps)) {
        found.push(ClosedForm {
            of_method: true,
            ..exact("points of the rim", slowing(rim))
        });
    }
    found
}

/// A round body that starts at rest on a slope.
pub(super) fn of_roller(
    parameters: &Map<String, Value>,
    _: Option<SchemeSteps<'_>>,
    observable: &str,
) -> Vec<ClosedForm> {
    let Some(scene) = parsed::<Rolling>(parameters) else {
        return Vec::new();
    };
    if observable != "v[1].x" || [scene.speed, scene.spin, scene.rolling] != [0.0; 3] {
        return Vec::new();
    }
    let share = match scene.roller {
        Roller::Sphere => 0.4,
        Roller::Cylinder => 0.5,
        Roller::Hoop => 1.0,
    };
    let setting = &scene.setting;
    let [along, _] = rolling_accelerations(share, scene.slope, setting.friction, setting.gravity);
    vec![exact("Coulomb's law", Box::new(move |t| along * t))]
}
