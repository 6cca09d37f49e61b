// `manifolds`: one thread per manifold updates its points and writes its two wrenches. Twin: `manifolds.rs`.

@group(0) @binding(0) var<storage, read> control: Control;
@group(0) @binding(1) var<storage, read> heads: array<vec4<u32>>;
// frames and points of all manifolds, then the extras of the points
@group(0) @binding(2) var<storage, read> numbers: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> points: array<vec4<f32>>;
// inverse masses of all bodies, then their free velocities
@group(0) @binding(4) var<storage, read> bodies: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> wrench: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read_write> sums: array<vec2<f32>>;

// Where `manifold_step.wgsl` finds its numbers.
const IN_PLACE: bool = false;
// Forwards, then backwards, as `PASSES` of the twin.
const PASSES: u32 = 2u;

fn manifold_head(index: u32) -> vec4<u32> {
    return heads[index];
}

fn manifold_quad(at: u32) -> vec4<f32> {
    return numbers[at];
}

fn extra_quad(at: u32) -> vec4<f32> {
    return numbers[control.first_extra + at];
}

// λ_k of a point.
fn old_point(point: u32) -> vec3<f32> {
    return points[control.parity * control.points + point].xyz;
}

// λ_{k−1} of a point that is not set yet.
fn other_point(point: u32) -> vec3<f32> {
    return points[(1u - control.parity) * control.points + point].xyz;
}

fn set_point(point: u32, impulse: vec3<f32>) {
    points[(1u - control.parity) * control.points + point] = vec4<f32>(impulse, 0.0);
}

fn body_quad(at: u32) -> vec4<f32> {
    return bodies[at];
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

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group_index(group, groups) * WORKGROUP + lane;
    var sum = vec2<f32>(0.0);
    if index < control.manifolds {
        sum = update_manifold(index);
    }
    let total = chunk_sum(lane, sum);
    if lane % CHUNK == 0u && index < control.manifolds {
        sums[index / CHUNK] = total;
    }
}
