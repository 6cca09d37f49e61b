// `manifolds`: one thread per manifold updates its points and writes its two wrenches. Twin: `manifolds.rs`.

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
