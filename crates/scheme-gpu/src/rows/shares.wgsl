// `shares`: one thread per body counts what its mass is split among, in the biased and in the relaxed pass (J.4). Sibling:
// `Counts` of `rule.rs`.

@group(0) @binding(0) var<storage, read> header: RowSettings;
// first slot of every body and the end, then the slots
@group(0) @binding(1) var<storage, read> adjacency: array<u32>;
@group(0) @binding(2) var<storage, read> placed: array<Placed>;
@group(0) @binding(3) var<storage, read_write> shares: array<vec2<f32>>;
// of the row blocks: units, joints, bodies of the units
@group(0) @binding(4) var<storage, read> heads: array<vec4<u32>>;

// What a manifold counts for.
fn count_of(points: u32, relaxed: bool) -> u32 {
    if header.rule != MASS_SPLIT {
        return points;
    }
    if header.splitting == SPLIT_BLOCKS {
        return min(points, 1u);
    }
    return points * rows_of_point(relaxed, header.law);
}

// What a unit of joints counts for: all its rows are solved for in both passes.
fn count_of_unit(unit: u32) -> u32 {
    let first = header.units + heads[unit].x;
    let end = first + heads[unit].y;
    if header.rule != MASS_SPLIT {
        return end - first;
    }
    if header.splitting == SPLIT_BLOCKS {
        return 1u;
    }
    var rows = 0u;
    for (var block = first; block < end; block = block + 1u) {
        rows = rows + (heads[block].z >> 8u);
    }
    return rows;
}

fn counts_of_piece(piece: u32) -> vec2<u32> {
    if piece >= header.manifolds {
        return vec2<u32>(count_of_unit(piece - header.manifolds));
    }
    let points = countOneBits(placed[piece].near);
    return vec2<u32>(count_of(points, false), count_of(points, true));
}

fn update_body(body: u32) {
    let first = header.bodies + 1u;
    var sum = vec2<u32>(0u);
    for (var at = adjacency[body]; at < adjacency[body + 1u]; at = at + 1u) {
        sum = sum + counts_of_piece(adjacency[first + at] / 2u);
    }
    shares[body] = vec2<f32>(sum);
}
