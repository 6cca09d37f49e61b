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
    out.clear();
    for body in &world.bodies {
        if !body.is_dynamic() {
            out.extend(body.velocity.iter().chain(body.spin.iter()));
            continue;
        }
        let free = |locked: [bool; 3], x: Vector3<f64>| {
            Vector3::from_fn(|axis, _| if locked[axis] { 0.0 } else { x[axis] })
        };
        let acceleration = body.gravity_scale * world.gravity + body.force / body.inertia.mass;
        let velocity = (body.velocity + h * acceleration) / (1.0 + h * body.linear_damping);
        let velocity = free(body.lock_translation, velocity);
        let turned = gyroscope(body, gyroscopic, h);
        let inverse = body.mass_properties().inverse_inertia;
        let spin = (turned + h * (inverse * body.torque)) / (1.0 + h * body.angular_damping);
        let spin = free(body.lock_rotation, spin);
        let gained = body.inertia.mass * (velocity - body.velocity);
        report.external.linear += gained;
        report.external.angular += body.position.to_vector().cross(&gained);
        report.external.angular += body.world_inertia() * (spin - turned);
        out.extend(velocity.iter().chain(spin.iter()));
    }
}

/// Angular velocity after the gyroscopic torque alone.
fn gyroscope(body: &Body, mode: Gyroscopic, h: f64) -> Vector3<f64> {
    let spin = body.spin;
    let moments = body.inertia.moments;
    let round = moments.x == moments.y && moments.y == moments.z;
    if mode == Gyroscopic::None || round || body.lock_rotation != [false; 3] {
        // a body that turns about one world axis only feels no gyroscopic torque about it
        return spin;
    }
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
