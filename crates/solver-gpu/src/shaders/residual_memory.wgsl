// What the kernels of the natural residual bind beside their pieces: a plain step from λ_k and v_k is thrown away.
// Pipelines set SEQUENTIAL and MOMENTUM to false.

// As the last iteration left it.
@group(0) @binding(0) var<storage, read> control: Control;
@group(0) @binding(4) var<storage, read> velocity: array<vec4<f32>>;

const IN_PLACE: bool = false;
const PASSES: u32 = 1u;

// Rows that see the old velocities need no masses.
fn body_quad(at: u32) -> vec4<f32> {
    return vec4<f32>(0.0);
}

// v_k lies behind what the next iteration reads, if that is something else.
fn settled_quad(at: u32) -> vec3<f32> {
    let first = select(0u, BODY_QUADS * control.bodies, control.acceleration != 0u);
    return velocity[first + at].xyz;
}

fn linear_of(body: u32) -> vec3<f32> {
    return settled_quad(BODY_QUADS * body);
}

fn angular_of(body: u32) -> vec3<f32> {
    return settled_quad(BODY_QUADS * body + 1u);
}

fn set_wrench(slot: u32, force: vec3<f32>, torque: vec3<f32>) {}

fn settle(body: u32, linear: vec3<f32>, angular: vec3<f32>) {}

fn momentum_beta() -> f32 {
    return 0.0;
}

fn momentum_weight() -> f32 {
    return 1.0;
}
