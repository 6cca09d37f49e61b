//! Free velocities: what forces, damping and the gyroscopic torque do to the bodies without
//! constraints.

use delassus_core::FreeRotor;
use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use super::parameters::Gyroscopic;
use crate::body::Body;
use crate::rotation::cross_matrix;
use crate::scheme::StepReport;
use crate::world::World;

/// The angular momentum that a body keeps through a substep (T.50), while constraints act on the
/// mean of its rotation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct KeptMomentum {
    /// After forces and before impulses, about the centre of mass, world axes \[kg·m²/s\].
    pub(crate) momentum: Vector3<f64>,
    /// Principal axes at the start of the substep.
    axes: UnitQuaternion<f64>,
    /// The rotation that comes before that by the mean (T.52).
    before: Option<UnitQuaternion<f64>>,
}

impl KeptMomentum {
    /// Angular velocity of the body at its present pose, after an angular impulse \[N·m·s\] (T.50).
    pub(crate) fn spin(&self, body: &Body, impulse: &Vector3<f64>) -> Vector3<f64> {
        body.rotor_with(self.momentum + impulse).spin()
    }

    /// Turns the momentum with a body that an angular impulse \[N·m·s\] has led away from its free
    /// rotation over `h` \[s\], if its energy would rise otherwise (T.63).
    pub(crate) fn follow(&mut self, body: &Body, impulse: &Vector3<f64>, h: f64) {
        if *impulse == Vector3::zeros() {
            return;
        }
        let end = body.rotor_with(self.momentum + impulse);
        let start = FreeRotor {
            axes: self.axes,
            ..end
        };
        if let Some(momentum) = start.led(&end.axes, h) {
            self.momentum += momentum - end.momentum;
        }
    }
}

/// Moves a body by a displacement \[m\] and a rotation vector \[rad\] (T.3, T.4), after the
/// rotation that its mean leaves out.
pub(crate) fn advance(
    body: &mut Body,
    kept: Option<&KeptMomentum>,
    displacement: Vector3<f64>,
    turn: &Vector3<f64>,
) {
    if let Some(before) = kept.and_then(|kept| kept.before) {
        body.orientation = before * body.orientation;
    }
    body.advance(displacement, turn);
}

/// The motion of the bodies in a substep without constraints.
#[derive(Debug, Clone, Default)]
pub(crate) struct FreeMotion {
    /// Free velocities, 6 per body \[m/s, rad/s\] (T.1).
    pub(crate) velocities: Vec<f64>,
    /// The momentum of the bodies that keep it through the substep (T.50).
    pub(crate) momenta: Vec<Option<KeptMomentum>>,
}

impl FreeMotion {
    /// Finds the motion of a substep of `h` \[s\]; adds the momentum from outside to the report.
    pub(crate) fn integrate(
        &mut self,
        world: &World,
        gyroscopic: Gyroscopic,
        h: f64,
        report: &mut StepReport,
    ) {
        self.velocities.resize(6 * world.bodies.len(), 0.0);
        self.momenta.clear();
        let velocities = self.velocities.as_chunks_mut::<6>().0;
        for (body, out) in world.bodies.iter().zip(velocities) {
            let ([v, w], momentum) = velocity(world, body, gyroscopic, h, report);
            *out = [v.x, v.y, v.z, w.x, w.y, w.z];
            self.momenta.push(momentum);
        }
    }
}

/// Free velocity and angular velocity of one body, and its momentum if it keeps that.
pub(super) fn velocity(
    world: &World,
    body: &Body,
    gyroscopic: Gyroscopic,
    h: f64,
    report: &mut StepReport,
) -> ([Vector3<f64>; 2], Option<KeptMomentum>) {
    if !body.is_dynamic() {
        return ([body.velocity, body.spin], None);
    }
    let mut velocity = body.velocity + h * body.acceleration(&world.gravity);
    if body.linear_damping != 0.0 {
        velocity /= 1.0 + h * body.linear_damping;
    }
    let (turned, mut kept) = rotation(body, gyroscopic, h);
    let mut spin = turned;
    if body.torque != Vector3::zeros() {
        spin += h * (body.mass_properties().inverse_inertia * body.torque);
    }
    let slowing = 1.0 + h * body.angular_damping;
    spin /= slowing;
    if let Some(kept) = &mut kept {
        let momentum = (kept.momentum + h * body.torque) / slowing;
        report.external.angular += momentum - kept.momentum;
        kept.momentum = momentum;
    }
    for axis in 0..3 {
        if body.lock_translation[axis] {
            velocity[axis] = 0.0;
        }
        if body.lock_rotation[axis] {
            spin[axis] = 0.0;
        }
    }
    let gained = body.inertia.mass * (velocity - body.velocity);
    report.external.linear += gained;
    report.external.angular += body.position.to_vector().cross(&gained);
    if spin != turned && kept.is_none() {
        report.external.angular += body.world_inertia() * (spin - turned);
    }
    ([velocity, spin], kept)
}

/// Angular velocity after the gyroscopic torque alone, and the momentum of a body that keeps it.
fn rotation(body: &Body, mode: Gyroscopic, h: f64) -> (Vector3<f64>, Option<KeptMomentum>) {
    if mode != Gyroscopic::Momentum || !feels_gyroscope(body, mode) {
        return (gyroscope(body, mode, h), None);
    }
    let rotor = body.rotor();
    let mean = rotor.mean_spin(h);
    let kept = KeptMomentum {
        momentum: rotor.momentum,
        axes: rotor.axes,
        before: mean.before,
    };
    (mean.spin, Some(kept))
}

/// True if a turning body feels a gyroscopic torque.
pub(super) fn feels_gyroscope(body: &Body, mode: Gyroscopic) -> bool {
    let moments = body.inertia.moments;
    let round = moments.x == moments.y && moments.y == moments.z;
    // a body that turns about one world axis only feels none about it
    body.is_dynamic() && mode != Gyroscopic::None && !round && body.lock_rotation == [false; 3]
}

/// Angular velocity after a torque that keeps no momentum in the world.
fn gyroscope(body: &Body, mode: Gyroscopic, h: f64) -> Vector3<f64> {
    let spin = body.spin;
    if !feels_gyroscope(body, mode) {
        return spin;
    }
    let moments = body.inertia.moments;
    let frame = body.orientation * body.inertia.axes;
    let local = frame.inverse() * spin;
    let momentum = moments.component_mul(&local);
    let torque = local.cross(&momentum);
    let change = match mode {
        Gyroscopic::None | Gyroscopic::Momentum => Vector3::zeros(),
        Gyroscopic::Explicit => -h * torque.component_div(&moments),
        Gyroscopic::Rescaled => {
            let next = momentum - h * torque;
            let scale = momentum.norm() / next.norm();
            // the torque is across the momentum, which is zero only where the torque is
            if scale.is_finite() {
                (scale * next).component_div(&moments) - local
            } else {
                Vector3::zeros()
            }
        }
        Gyroscopic::Implicit => {
            let inertia = Matrix3::from_diagonal(&moments);
            let slope = cross_matrix(&local) * inertia - cross_matrix(&momentum);
            let residual = h * torque;
            let jacobian = inertia + h * slope;
            // singular only where the step is so long that a Newton step has no meaning
            let inverse = jacobian.try_inverse().unwrap_or_else(Matrix3::zeros);
            -(inverse * residual)
        }
    };
    frame * (local + change)
}
