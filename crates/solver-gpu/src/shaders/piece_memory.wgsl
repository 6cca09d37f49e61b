// What the kernels of the pieces bind beside their pieces, and how they reach it.

@group(0) @binding(0) var<storage, read> control: Control;
// inverse masses of all bodies, then their free velocities
@group(0) @binding(4) var<storage, read> bodies: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> wrench: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> sums: array<vec2<f32>>;

const IN_PLACE: bool = false;
const PASSES: u32 = BLOCK_PASSES;

fn stored_quad(at: u32) -> vec4<f32> {
    return bodies[at];
}

fn body_quad(at: u32) -> vec4<f32> {
    return mass_quad(at);
}

fn linear_of(body: u32) -> vec3<f32> {
    return velocity[BODY_QUADS * body].xyz;
}

fn angular_of(body: u32) -> vec3<f32> {
    return velocity[BODY_QUADS * body + 1u].xyz;
}

fn set_wrench(slot: u32, force: vec3<f32>, torque: vec3<f32>) {
    wrench[2u * slot] = vec4<f32>(force, 0.0);
    wrench[2u * slot + 1u] = vec4<f32>(torque, 0.0);
}

fn settle(body: u32, linear: vec3<f32>, angular: vec3<f32>) {}

fn momentum_beta() -> f32 {
    return control.state.beta;
}

fn momentum_weight() -> f32 {
    return control.state.weight;
}
