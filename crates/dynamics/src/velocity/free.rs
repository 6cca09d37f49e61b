//! Free velocities: what forces, damping and the gyroscopic torque do to the bodies without constraints.

use nalgebra::{Matrix3, Vector3};

use super::parameters::Gyroscopic;
use crate::body::Body;
use crate::rotation::cross_matrix;
use crate::scheme::StepReport;
use crate::world::World;

/// Writes the free velocities of a substep, 6 per body (T.1), and adds the momentum from outside to the report.
pub(crate) fn velocities(
    world: &World,
    gyroscopic: Gyroscopic,
    h: f64,
    out: &mut Vec<f64>,
    report: &mut StepReport,
) {
    out.resize(6 * world.bodies.len(), 0.0);
    for (body, out) in world.bodies.iter().zip(out.as_chunks_mut::<6>().0) {
        let [v, w] = velocity(world, body, gyroscopic, h, report);
        *out = [v.x, v.y, v.z, w.x, w.y, w.z];
    }
}

/// Free velocity and angular velocity of one body.
pub(super) fn velocity(
    world: &World,
    body: &Body,
    gyroscopic: Gyroscopic,
    h: f64,
    report: &mut StepReport,
) -> [Vector3<f64>; 2] {
    if !body.is_dynamic() {
        return [body.velocity, body.spin];
    }
    let mut velocity = body.velocity + h * acceleration(world, body);
    if body.linear_damping != 0.0 {
        velocity /= 1.0 + h * body.linear_damping;
    }
    let turned = gyroscope(body, gyroscopic, h);
    let mut spin = turned;
    if body.torque != Vector3::zeros() {
        spin += h * (body.mass_properties().inverse_inertia * body.torque);
    }
    if body.angular_damping != 0.0 {
        spin /= 1.0 + h * body.angular_damping;
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
    if spin != turned {
        report.external.angular += body.world_inertia() * (spin - turned);
    }
    [velocity, spin]
}

/// Acceleration by gravity and the applied force \[m/s²\].
fn acceleration(world: &World, body: &Body) -> Vector3<f64> {
    let weight = body.gravity_scale * world.gravity;
    if body.force == Vector3::zeros() {
        return weight;
    }
    weight + body.force / body.inertia.mass
}

/// True if a turning body feels a gyroscopic torque.
pub(super) fn feels_gyroscope(body: &Body, mode: Gyroscopic) -> bool {
    let moments = body.inertia.moments;
    let round = moments.x == moments.y && moments.y == moments.z;
    // a body that turns about one world axis only feels none about it
    body.is_dynamic() && mode != Gyroscopic::None && !round && body.lock_rotation == [false; 3]
}

/// Angular velocity after the gyroscopic torque alone.
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
        Gyroscopic::None => Vector3::zeros(),
        Gyroscopic::Explicit => -h * torque.component_div(&moments),
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
