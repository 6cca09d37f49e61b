// Declarations of the kernels of a frame, as in `stepping.rs`.

// Bias of the solve without stabilisation.
override RELAXED: bool = false;
// Points that are packed as row blocks.
override AS_ROWS: bool = false;

struct Settings {
    h: f32,
    inverse_h: f32,
    slop: f32,
    push: f32,
    inverse_omega: f32,
}

struct Header {
    settings: Settings,
    // with the world
    bodies: u32,
    contacts: u32,
    row_contacts: u32,
    joints: u32,
    slots: u32,
}

struct BodyConstants {
    acceleration: vec3<f32>,
    linear_slowing: f32,
    torque: vec3<f32>,
    angular_slowing: f32,
    ratios: vec3<f32>,
    mode: u32,
    moments: vec4<f32>,
    inverse_moments: vec4<f32>,
    axes: vec4<f32>,
    free_axes: vec4<f32>,
    free_turns: vec4<f32>,
}

struct BodyMotion {
    velocity: vec4<f32>,
    spin: vec4<f32>,
    displacement: vec4<f32>,
    turn: vec4<f32>,
    velocities: vec4<f32>,
    spins: vec4<f32>,
    gained: vec4<f32>,
    moment: vec4<f32>,
    momentum: vec4<f32>,
}

struct FollowedContact {
    a: u32,
    b: u32,
    numbers: u32,
    impulse: u32,
    normal: vec3<f32>,
    separation: f32,
    across: vec3<f32>,
    rate: f32,
    anchor: vec3<f32>,
    compliance: f32,
    open_step: f32,
    closed_step: f32,
    rebound: f32,
    pushed: f32,
}

struct FollowedJoint {
    a: u32,
    b: u32,
    blocks: u32,
    rows: u32,
    first_row: u32,
    kinds: u32,
    relaxed_absolute: f32,
    length: f32,
    centres: vec3<f32>,
    rate: f32,
    anchor_a: vec3<f32>,
    relative: f32,
    anchor_b: vec3<f32>,
    absolute: f32,
    axis: vec3<f32>,
    relaxed_rate: f32,
    missing: vec4<f32>,
    gap: vec3<f32>,
    relaxed_relative: f32,
}

struct Total {
    force: vec4<f32>,
    torque: vec4<f32>,
    moment: vec4<f32>,
}

// What a rotation changes of a vector: R x - x.
fn turned(q: vec4<f32>, x: vec3<f32>) -> vec3<f32> {
    let c = cross3(q.xyz, x);
    return (2.0 * q.w) * c + 2.0 * cross3(q.xyz, c);
}

fn rotated(q: vec4<f32>, x: vec3<f32>) -> vec3<f32> {
    return x + turned(q, x);
}

// The rotation `second`, then `first`.
fn product(first: vec4<f32>, second: vec4<f32>) -> vec4<f32> {
    let v = (first.w * second.xyz + second.w * first.xyz) + cross3(first.xyz, second.xyz);
    return vec4<f32>(v, first.w * second.w - dot3(first.xyz, second.xyz));
}
