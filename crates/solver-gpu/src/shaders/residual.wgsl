// `residual`: one thread per manifold makes a plain step from λ_k and v_k, throws it away and keeps |λ − Π(λ − w/D)| D.
// Twin: `residual.rs`.

@group(0) @binding(3) var<storage, read> points: array<vec4<f32>>;

// Used with momentum only.
fn other_point(point: u32) -> vec3<f32> {
    return old_point(point);
}

// The step is thrown away: `fresh_points` has it.
fn set_point(point: u32, impulse: vec3<f32>) {}

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
