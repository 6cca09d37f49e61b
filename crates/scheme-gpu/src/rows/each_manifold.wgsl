// One thread per manifold. The file before it says what a visit does.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group_index(group, groups) * WORKGROUP + lane;
    if index < header.manifolds {
        visit_manifold(index);
    }
}
