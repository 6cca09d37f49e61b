// What a piece changes of a body's velocity: M⁻¹ times the change of its wrench, so that changes add up to the whole.
fn set_wrench(slot: u32, force: vec3<f32>, torque: vec3<f32>) {
    let body = word(record.more + slot);
    let first = MASS_QUADS * body;
    let mass = Mass(body_quad(first), body_quad(first + 1u), body_quad(first + 2u));
    let linear = moved_linear(mass, force - wrench[2u * slot].xyz);
    let angular = moved_angular(mass, torque - wrench[2u * slot + 1u].xyz);
    wrench[2u * slot] = vec4<f32>(force, 0.0);
    wrench[2u * slot + 1u] = vec4<f32>(torque, 0.0);
    let at = 8u * body;
    accumulate(at, linear.x);
    accumulate(at + 1u, linear.y);
    accumulate(at + 2u, linear.z);
    accumulate(at + 4u, angular.x);
    accumulate(at + 5u, angular.y);
    accumulate(at + 6u, angular.z);
}
