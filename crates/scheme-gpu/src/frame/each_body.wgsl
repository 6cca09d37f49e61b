// One thread per body. The file before it says what an update does.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let body = group_index(group, groups) * WORKGROUP + lane;
    if body < header.bodies {
        update_body(body);
    }
}
