// `joint_impulses`: one thread per four rows of joints gives the impulses of the frame before to the iterations, or, with
// STORES, takes those of this frame for the next.

override STORES: bool = false;

@group(0) @binding(0) var<storage, read> header: RowSettings;
@group(0) @binding(1) var<storage, read> control: Control;
@group(0) @binding(2) var<storage, read_write> kept: array<vec4<f32>>;
// two halves, and a third part that a thread works on
@group(0) @binding(3) var<storage, read_write> rows: array<vec4<f32>>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group_index(group, groups) * WORKGROUP + lane;
    if index >= control.row_quads {
        return;
    }
    let at = control.row_quads * control.parity + index;
    if STORES {
        kept[index] = rows[at];
    } else {
        rows[at] = header.factor * kept[index];
    }
}
