// One thread per contact point: those of manifolds, or those packed as rows. The file before it says what a visit does.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group_index(group, groups) * WORKGROUP + lane;
    var count = header.contacts;
    if AS_ROWS {
        count = header.row_contacts;
    }
    if index < count {
        visit_contact(index);
    }
}
