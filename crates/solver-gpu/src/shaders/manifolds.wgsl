// `manifolds`: one thread per manifold updates its points and writes its two wrenches. Twin: `manifolds.rs`.

// two halves
@group(0) @binding(3) var<storage, read_write> points: array<vec4<f32>>;

// λ_{k−1} of a point that is not set yet.
fn other_point(point: u32) -> vec3<f32> {
    return points[(1u - control.parity) * control.points + point].xyz;
}

fn set_point(point: u32, impulse: vec3<f32>) {
    points[(1u - control.parity) * control.points + point] = vec4<f32>(impulse, 0.0);
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
