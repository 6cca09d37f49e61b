// `share_joints`: one thread per unit of joints names its slots and writes the factors of its rows in both passes (J.4).
// Siblings: `units.rs` of `pack`, `pack.wgsl`.

@group(0) @binding(0) var<storage, read> header: RowSettings;
@group(0) @binding(1) var<storage, read> shares: array<vec2<f32>>;
// heads and numbers of the row blocks in the two passes
@group(0) @binding(2) var<storage, read_write> biased_heads: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> relaxed_heads: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> biased: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> relaxed: array<vec4<f32>>;

fn visit_unit(unit: u32) {
    let slot = 2u * (header.manifolds + unit);
    biased_heads[unit].z = slot;
    relaxed_heads[unit].z = slot;
    let first = header.units + biased_heads[unit].x;
    let end = first + biased_heads[unit].y;
    var rows = 0u;
    for (var block = first; block < end; block = block + 1u) {
        rows = rows + (biased_heads[block].z >> 8u);
    }
    let bodies = first_slot_head(header, unit);
    let a = shares[biased_heads[bodies].x];
    let b = shares[biased_heads[bodies + 1u].x];
    let biased_a = factor_of(a.x, b.x, rows);
    let biased_b = factor_of(b.x, a.x, rows);
    let relaxed_a = factor_of(a.y, b.y, rows);
    let relaxed_b = factor_of(b.y, a.y, rows);
    for (var block = first; block < end; block = block + 1u) {
        let count = biased_heads[block].y;
        for (var local = 0u; local < count; local = local + 1u) {
            let at = biased_heads[block].w + 1u + count + 4u * local;
            biased[at].w = biased_a;
            biased[at + 2u].w = biased_b;
            relaxed[at].w = relaxed_a;
            relaxed[at + 2u].w = relaxed_b;
        }
    }
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group_index(group, groups) * WORKGROUP + lane;
    if index < header.units {
        visit_unit(index);
    }
}
