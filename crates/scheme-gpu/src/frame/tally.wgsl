// `tally`: one thread per slot adds its wrench to the sums of the frame. Twin: `stepping/tally.rs`.

@group(0) @binding(0) var<storage, read> header: Header;
@group(0) @binding(1) var<storage, read> slots: array<u32>;
@group(0) @binding(2) var<storage, read> wrench: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> motion: array<BodyMotion>;
@group(0) @binding(4) var<storage, read_write> totals: array<Total>;

fn update_slot(slot: u32) {
    let force = wrench[2u * slot].xyz;
    let torque = wrench[2u * slot + 1u].xyz;
    let d = motion[slots[slot] & ~FIXED].displacement.xyz;
    totals[slot].force = vec4<f32>(totals[slot].force.xyz + force, 0.0);
    totals[slot].torque = vec4<f32>(totals[slot].torque.xyz + torque, 0.0);
    totals[slot].moment = vec4<f32>(totals[slot].moment.xyz + cross3(d, force), 0.0);
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let slot = group_index(group, groups) * WORKGROUP + lane;
    if slot < header.slots {
        update_slot(slot);
    }
}
