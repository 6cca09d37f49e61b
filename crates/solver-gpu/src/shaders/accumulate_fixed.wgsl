// Velocities whose changes are whole numbers of a small unit: their sum does not depend on who comes first.
//
// A piece rounds what it contributes to a velocity, not what it changes, so that the sum is that of the contributions
// after any number of iterations. A contribution above its share of the range is an overflow, which is noted.

// v of the bodies: linear, 0, angular, 0
@group(0) @binding(4) var<storage, read_write> velocity: array<f32>;
// contributions of every slot
@group(0) @binding(5) var<storage, read_write> share: array<i32>;
// sums of the contributions to every body, then what the largest overflow needs
@group(0) @binding(6) var<storage, read_write> totals: array<atomic<i32>>;

// One unit is 2^−BITS of a metre or radian per second.
override BITS: u32 = 20u;

fn unit() -> f32 {
    return 1.0 / f32(1u << BITS);
}

fn seen(at: u32) -> f32 {
    return velocity[at];
}

fn contribute(body: u32, component: u32, at: u32, value: f32) {
    let slots = f32(first_of(body + 1u) - first_of(body));
    let scaled = value * f32(1u << BITS);
    var whole = 0;
    // rounding adds less than one
    if abs(scaled) <= RANGE / slots - 1.0 {
        whole = i32(round(scaled));
    } else {
        // a number that is none needs more than there is
        let needed = min(abs(scaled) * slots / RANGE, 1e9);
        _ = atomicMax(&totals[8u * record.bodies], max(i32(needed), 1));
    }
    _ = atomicAdd(&totals[8u * body + component], whole - share[at]);
    share[at] = whole;
}

fn set_wrench(slot: u32, force: vec3<f32>, torque: vec3<f32>) {
    let body = word(record.more + slot);
    let first = MASS_QUADS * body;
    let mass = Mass(body_quad(first), body_quad(first + 1u), body_quad(first + 2u));
    let linear = moved_linear(mass, force);
    let angular = moved_angular(mass, torque);
    let at = 8u * slot;
    contribute(body, 0u, at, linear.x);
    contribute(body, 1u, at + 1u, linear.y);
    contribute(body, 2u, at + 2u, linear.z);
    contribute(body, 4u, at + 4u, angular.x);
    contribute(body, 5u, at + 5u, angular.y);
    contribute(body, 6u, at + 6u, angular.z);
}
