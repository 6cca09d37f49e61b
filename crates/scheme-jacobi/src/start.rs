//! Bodies at the start of a frame, in the form of the kernels.

use delassus_core::SolveError;
use delassus_dynamics::{Body, StepError, World};
use delassus_solver_jacobi::kernels::vectors::{Triple, padded};
use delassus_solver_jacobi::real::{Quad, Real};
use nalgebra::{UnitQuaternion, Vector3};

use crate::parameters::SoftStepParameters;
use crate::stepping::{
    BodyConstants, BodyMotion, FIXED_INERTIA, GYROSCOPIC, KEEPS, Settings, TURNS,
};

/// Bodies at the start of a frame: one entry per body, in their order, and one for the world.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrameStart<T: Copy> {
    /// What the frame does not change.
    pub inertia: Vec<BodyConstants<T>>,
    /// What it changes.
    pub motion: Vec<BodyMotion<T>>,
}

impl<T: Real> FrameStart<T> {
    /// Those of a world, for substeps of `h` \[s\].
    pub fn of(world: &World, parameters: &SoftStepParameters, h: f64) -> Self {
        let bodies = world.bodies();
        // the world: nothing moves it
        let fixed = BodyMotion {
            turn: rotation(&UnitQuaternion::identity()),
            ..BodyMotion::default()
        };
        let constants = |body| body_constants(world, body, parameters, h);
        let mut inertia: Vec<_> = bodies.iter().map(constants).collect();
        inertia.push(BodyConstants::default());
        let moving = bodies.iter().map(|body| BodyMotion {
            velocity: padded(triple(&body.velocity)),
            spin: padded(triple(&body.spin)),
            ..fixed
        });
        let mut motion: Vec<_> = moving.collect();
        motion.push(fixed);
        Self { inertia, motion }
    }
}

/// Lengths and bounds of all rows, for substeps of `h` \[s\].
pub fn settings<T: Real>(parameters: &SoftStepParameters, h: f64) -> Settings<T> {
    Settings {
        h: T::of(h),
        inverse_h: T::of(1.0 / h),
        slop: T::of(parameters.slop),
        push: T::of(parameters.max_push_speed),
        inverse_omega: T::of(1.0 / parameters.omega),
    }
}

pub(crate) fn triple<T: Real>(v: &Vector3<f64>) -> Triple<T> {
    [T::of(v.x), T::of(v.y), T::of(v.z)]
}

pub(crate) fn rotation<T: Real>(q: &UnitQuaternion<f64>) -> Quad<T> {
    [T::of(q.i), T::of(q.j), T::of(q.k), T::of(q.w)]
}

/// An index of 32 bits.
pub(crate) fn word(x: usize) -> Result<u32, StepError> {
    u32::try_from(x).map_err(|_| {
        StepError::Solve(SolveError::Length {
            what: "a 32-bit index",
            found: x,
            expected: u32::MAX as usize,
        })
    })
}

/// What a frame does not change of a body of a world, for substeps of `h` \[s\].
pub fn body_constants<T: Real>(
    world: &World,
    body: &Body,
    parameters: &SoftStepParameters,
    h: f64,
) -> BodyConstants<T> {
    let force = if body.is_dynamic() {
        body.gravity_scale * world.gravity() + body.force / body.inertia.mass
    } else {
        Vector3::zeros()
    };
    let m = body.inertia.moments;
    let ratio = |up: f64, down: f64, own: f64| if own > 0.0 { (up - down) / own } else { 0.0 };
    let ratios = Vector3::new(
        ratio(m.z, m.y, m.x),
        ratio(m.x, m.z, m.y),
        ratio(m.y, m.x, m.z),
    );
    let free = |locked: [bool; 3]| Vector3::from_fn(|axis, _| f64::from(!locked[axis]));
    let invert = |x: f64| if x > 0.0 { 1.0 / x } else { 0.0 };
    let slowed = |rate: f64| T::of(1.0 / (1.0 + h * rate));
    BodyConstants {
        acceleration: triple(&force),
        linear_slowing: slowed(body.linear_damping),
        torque: triple(&body.torque),
        angular_slowing: slowed(body.angular_damping),
        ratios: triple(&ratios),
        mode: mode(body, parameters.gyroscopic),
        moments: padded(triple(&m)),
        inverse_moments: padded(triple(&m.map(invert))),
        axes: rotation(&(body.orientation * body.inertia.axes)),
        free_axes: padded(triple(&free(body.lock_translation))),
        free_turns: padded(triple(&free(body.lock_rotation))),
    }
}

fn mode(body: &Body, gyroscopic: bool) -> u32 {
    let m = body.inertia.moments;
    if !body.is_dynamic() {
        KEEPS
    } else if m == Vector3::zeros() || body.lock_rotation != [false; 3] {
        FIXED_INERTIA
    } else if !gyroscopic || (m.x == m.y && m.y == m.z) {
        TURNS
    } else {
        GYROSCOPIC
    }
}
