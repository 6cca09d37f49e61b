// `async`: one thread per piece makes its step and adds what it changes to the velocities. With floating-point sums it
// reads while others add. Emulation: `async_jacobi.rs` of the processor's crate.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    record = problems[0];
    from_half = 0u;
    to_half = 0u;
    let index = group_index(group, groups) * WORKGROUP + lane;
    if index < record.manifolds {
        _ = update_manifold(index);
    } else if index < record.manifolds + record.units {
        update_unit(index - record.manifolds);
    }
}
