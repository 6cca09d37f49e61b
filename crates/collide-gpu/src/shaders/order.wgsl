// `order`: one thread per pair puts it in the order of the partners of its owner, whatever order the buckets had.

@group(0) @binding(0) var<storage, read> header: Header;
@group(0) @binding(1) var<storage, read> firsts: array<u32>;
@group(0) @binding(2) var<storage, read> found: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> pairs: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> status: array<atomic<u32>>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group_index(group, groups) * WORKGROUP + lane;
    if index >= header.pairs {
        return;
    }
    // too many: the host takes more memory and asks again
    let total = firsts[header.colliders];
    if total > header.pairs {
        return;
    }
    if index >= total {
        pairs[index] = vec2<u32>(NONE);
        return;
    }
    let own = found[index];
    let first = firsts[own.x];
    let end = firsts[own.x + 1u];
    var rank = 0u;
    var at = first;
    while at < end {
        if found[at].y < own.y {
            rank = rank + 1u;
        }
        at = at + 1u;
    }
    if at < end {
        atomicAdd(&status[0], 1u);
    }
    pairs[first + rank] = own;
}
