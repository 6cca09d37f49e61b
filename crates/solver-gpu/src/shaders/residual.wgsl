// `residual`: one thread per manifold makes a plain step from λ_k and v_k, throws it away and keeps |λ − Π(λ − w/D)| D.
// Twin: `residual.rs`. Pipelines set SEQUENTIAL and MOMENTUM to false.

// As the last iteration left it.
@group(0) @binding(0) var<storage, read> control: Control;
@group(0) @binding(1) var<storage, read> heads: array<vec4<u32>>;
// frames and points of all manifolds, then the extras of the points
@group(0) @binding(2) var<storage, read> numbers: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> points: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> velocity: array<vec4<f32>>;

// Where `manifold_step.wgsl` finds its numbers.
const IN_PLACE: bool = false;
const PASSES: u32 = 1u;

fn manifold_head(index: u32) -> vec4<u32> {
    return heads[index];
}

fn manifold_quad(at: u32) -> vec4<f32> {
    return numbers[at];
}

fn extra_quad(at: u32) -> vec4<f32> {
    return numbers[control.first_extra + at];
}

fn old_point(point: u32) -> vec3<f32> {
    return points[control.parity * control.points + point].xyz;
}

// Without momentum nobody asks.
fn other_point(point: u32) -> vec3<f32> {
    return old_point(point);
}

// The step is thrown away: `fresh_points` has it.
fn set_point(point: u32, impulse: vec3<f32>) {}

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

fn manifold_residual(index: u32) -> f32 {
    _ = update_manifold(index);
    let head = manifold_head(index);
    let count = head.y & 15u;
    let first = FRAME_QUADS * (index + 1u) + POINT_QUADS * head.x;
    var most = 0.0;
    for (var local = 0u; local < count; local = local + 1u) {
        let solved = (head.y >> (16u + 2u * local)) & 3u;
        let step = manifold_quad(first + POINT_QUADS * local + 1u).xyz;
        let change = abs(old_point(head.x + local) - fresh_points[local]) / step;
        if solved > 0u {
            most = largest_of(most, change.x);
        }
        if solved == 3u {
            most = largest_of(largest_of(most, change.y), change.z);
        }
    }
    return most;
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group_index(group, groups) * WORKGROUP + lane;
    var most = 0.0;
    if index < control.manifolds {
        most = manifold_residual(index);
    }
    note_largest(lane, control.state.iteration - 1u, most);
}
