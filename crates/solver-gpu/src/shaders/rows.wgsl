// `rows`: one thread per unit updates its row blocks and writes a wrench for each of its bodies. Twin: `rows.rs`.

// λ_{k−1} of a packed row whose unit has not ended.
fn other_row(row: u32) -> f32 {
    return impulses[4u * (1u - control.parity) * control.row_quads + row];
}

fn set_row(row: u32, value: f32) {
    impulses[4u * (1u - control.parity) * control.row_quads + row] = value;
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group_index(group, groups) * WORKGROUP + lane;
    sum = vec2<f32>(0.0);
    if index < control.units {
        update_unit(index);
    }
    let total = chunk_sum(lane, sum);
    if lane % CHUNK == 0u && index < control.units {
        sums[control.first_unit_sum + index / CHUNK] = total;
    }
}
