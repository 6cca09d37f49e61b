// `residual_rows`: as `residual.wgsl`, with a thread per unit of row blocks. Twin: `residual.rs`.

// Used with momentum only.
fn other_row(row: u32) -> f32 {
    return old_row(row);
}

// The step is thrown away: the third part has it.
fn set_row(row: u32, value: f32) {}

fn unit_residual(index: u32) -> f32 {
    update_unit(index);
    let head = unit_head(index);
    let first = unit_count() + head.x;
    var most = 0.0;
    for (var at = first; at < first + head.y; at = at + 1u) {
        let block = load_block(at);
        for (var local = 0u; local < block.solved; local = local + 1u) {
            let row = block.first + local;
            let change = abs(old_row(row) - work_row(row));
            most = largest_of(most, change / row_numbers(block, local).z);
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
    if index < control.units {
        most = unit_residual(index);
    }
    note_largest(lane, control.state.iteration - 1u, most);
}
