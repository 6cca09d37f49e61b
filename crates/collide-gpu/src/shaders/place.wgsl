// `place`: one thread per collider writes it into its bucket. Who comes first there depends on the run, and nothing that
// is read of a bucket does: pairs are put in order afterwards.

@group(0) @binding(0) var<storage, read> header: Header;
@group(0) @binding(1) var<storage, read> bounds: array<Bound>;
@group(0) @binding(2) var<storage, read> starts: array<u32>;
@group(0) @binding(3) var<storage, read_write> filled: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> members: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group_index(group, groups) * WORKGROUP + lane;
    if index >= header.colliders {
        return;
    }
    let bucket = bounds[index].bucket;
    if bucket == NONE {
        return;
    }
    let place = starts[bucket] + atomicAdd(&filled[bucket], 1u);
    members[place] = index;
}
