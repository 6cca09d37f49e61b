// `order`: one thread per slot puts it in the order of the slots of its body; threads write where those of a body begin.

@group(0) @binding(0) var<storage, read> header: RowSettings;
@group(0) @binding(1) var<storage, read> slots: array<u32>;
// per body: where its slots end
@group(0) @binding(2) var<storage, read> ends: array<u32>;
@group(0) @binding(3) var<storage, read> named: array<u32>;
// first slot of every body and the end, then the slots
@group(0) @binding(4) var<storage, read_write> adjacency: array<u32>;
@group(0) @binding(5) var<storage, read_write> status: array<atomic<u32>>;

fn first_of(body: u32) -> u32 {
    if body == 0u {
        return 0u;
    }
    return ends[body - 1u];
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group_index(group, groups) * WORKGROUP + lane;
    if index <= header.bodies {
        adjacency[index] = first_of(index);
    }
    // the world has none
    if index >= first_of(header.bodies) {
        return;
    }
    let slot = named[index];
    let body = slots[slot];
    let first = first_of(body);
    let end = ends[body];
    var rank = 0u;
    var at = first;
    while at < end {
        if named[at] < slot {
            rank = rank + 1u;
        }
        at = at + 1u;
    }
    if at < end {
        atomicAdd(&status[0], 1u);
    }
    adjacency[header.bodies + 1u + first + rank] = slot;
}
