// `scan`: sums of all numbers before each, block by block; then, with ADDS, those of the blocks before are added. The
// numbers are whole, so that no order and no size of the blocks changes a bit.

override ADDS: bool = false;

@group(0) @binding(0) var<storage, read_write> values: array<u32>;
// per block: its sum, then the sum of the blocks before
@group(0) @binding(1) var<storage, read_write> totals: array<u32>;

// A sum that has no room stays the largest number: what is counted is then far beyond any memory, and refused.
fn added(a: u32, b: u32) -> u32 {
    let sum = a + b;
    return select(sum, 0xffffffffu, sum < a);
}

var<workgroup> sums: array<u32, 256>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let block = group_index(group, groups);
    let index = block * WORKGROUP + lane;
    let inside = index < arrayLength(&values);
    if ADDS {
        if inside {
            values[index] = added(values[index], totals[block]);
        }
        return;
    }
    var own = 0u;
    if inside {
        own = values[index];
    }
    sums[lane] = own;
    workgroupBarrier();
    for (var reach = 1u; reach < WORKGROUP; reach = reach * 2u) {
        var before = 0u;
        if lane >= reach {
            before = sums[lane - reach];
        }
        workgroupBarrier();
        sums[lane] = added(sums[lane], before);
        workgroupBarrier();
    }
    if inside {
        values[index] = sums[lane] - own;
    }
    if lane == WORKGROUP - 1u && block < arrayLength(&totals) {
        totals[block] = sums[lane];
    }
}
