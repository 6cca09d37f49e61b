// What the fused kernel binds beside its manifolds (K.52): a thread of a manifold computes the velocities of its bodies anew from
// the wrenches of the iteration before, so that there is no kernel of the bodies between two steps.

@group(0) @binding(0) var<storage, read> control: Control;
// inverse masses of all bodies, then their free velocities
@group(0) @binding(4) var<storage, read> bodies: array<vec4<f32>>;
// two halves of v_k (one without momentum), two halves of the wrenches, two halves of the sums, the levels above them
@group(0) @binding(5) var<storage, read_write> motion: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> coming: Control;
// residual², uphill, β, held
@group(0) @binding(7) var<storage, read_write> history: array<vec4<f32>>;

const IN_PLACE: bool = false;
const PASSES: u32 = BLOCK_PASSES;

// The lists of slots follow the heads of the manifolds, four numbers each.
fn word(at: u32) -> u32 {
    return heads[control.manifolds + at / 4u][at % 4u];
}

fn first_of(body: u32) -> u32 {
    return word(body);
}

fn slot_at(at: u32) -> u32 {
    return word(control.bodies + 1u + at);
}

fn first_velocity(half: u32) -> u32 {
    return select(0u, BODY_QUADS * control.bodies * half, MOMENTUM);
}

fn first_wrench(half: u32) -> u32 {
    return select(1u, 2u, MOMENTUM) * BODY_QUADS * control.bodies + 4u * control.manifolds * half;
}

// Wrenches of λ_k.
fn wrench_quad(at: u32) -> vec3<f32> {
    return motion[first_wrench(control.parity) + at].xyz;
}

// Wrenches of λ_{k+1}; without a step those of λ_k.
fn set_wrench(slot: u32, force: vec3<f32>, torque: vec3<f32>) {
    let at = first_wrench(select(control.parity, 1u - control.parity, STEPS)) + 2u * slot;
    motion[at] = vec4<f32>(force, 0.0);
    motion[at + 1u] = vec4<f32>(torque, 0.0);
}

fn sum_of(at: u32) -> vec2<f32> {
    return motion[first_wrench(2u) + at].xy;
}

fn set_sum(at: u32, sum: vec2<f32>) {
    motion[first_wrench(2u) + at] = vec4<f32>(sum, 0.0, 0.0);
}

fn stored_quad(at: u32) -> vec4<f32> {
    return bodies[at];
}

fn body_quad(at: u32) -> vec4<f32> {
    return mass_quad(at);
}

fn free_quad(at: u32) -> vec3<f32> {
    return bodies[stored_mass_quads() * control.bodies + at].xyz;
}

// True before the first iteration, whose velocities have no momentum and which has no sums before it.
fn is_start() -> bool {
    return control.state.iteration == NO_ITERATION;
}

// Velocities of y: v_k + β (v_k − v_{k−1}).
fn ahead(body: u32) -> Velocity {
    let fresh = settled(body);
    if !MOMENTUM || is_start() {
        return fresh;
    }
    let beta = momentum_beta();
    let at = first_velocity(1u - control.parity) + BODY_QUADS * body;
    return Velocity(
        fresh.linear + beta * (fresh.linear - motion[at].xyz),
        fresh.angular + beta * (fresh.angular - motion[at + 1u].xyz),
    );
}

var<private> seen: Velocity;

fn linear_of(body: u32) -> vec3<f32> {
    if STEPS {
        seen = ahead(body);
    }
    return seen.linear;
}

// Of the body that `linear_of` was asked for last.
fn angular_of(body: u32) -> vec3<f32> {
    return seen.angular;
}

fn settle(body: u32, linear: vec3<f32>, angular: vec3<f32>) {}

// The control is that of the iteration before: its next β is that of this one.
fn momentum_beta() -> f32 {
    return control.state.next_beta;
}

fn momentum_weight() -> f32 {
    return 1.0;
}
