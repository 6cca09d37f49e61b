// `fixed_bodies`: one thread per body makes velocities of the sums of contributions.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    record = problems[0];
    let body = group_index(group, groups) * WORKGROUP + lane;
    if body >= record.bodies {
        return;
    }
    let at = 8u * body;
    let linear = free_quad(BODY_QUADS * body);
    let angular = free_quad(BODY_QUADS * body + 1u);
    for (var axis = 0u; axis < 3u; axis = axis + 1u) {
        velocity[at + axis] = linear[axis] + unit() * f32(atomicLoad(&totals[at + axis]));
        let turn = f32(atomicLoad(&totals[at + 4u + axis]));
        velocity[at + 4u + axis] = angular[axis] + unit() * turn;
    }
}
