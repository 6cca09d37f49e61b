// `compact`: manifolds of the pairs that touch, one behind the other, how many points each has, and the first one of every
// collider.

@group(0) @binding(0) var<storage, read> header: Header;
@group(0) @binding(1) var<storage, read> firsts: array<u32>;
// per pair: manifolds before it
@group(0) @binding(2) var<storage, read> places: array<u32>;
@group(0) @binding(3) var<storage, read> touching: array<Manifold>;
@group(0) @binding(4) var<storage, read_write> manifolds: array<Manifold>;
@group(0) @binding(5) var<storage, read_write> starts: array<u32>;
// per manifold, and zeros behind the last
@group(0) @binding(6) var<storage, read_write> counts: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group_index(group, groups) * WORKGROUP + lane;
    if index <= header.colliders {
        starts[index] = places[min(firsts[index], header.pairs)];
    }
    if index < header.pairs {
        let place = places[index];
        if places[index + 1u] > place && place < header.manifolds {
            manifolds[place] = touching[index];
            counts[place] = touching[index].count;
        }
    }
}
