// `shares`: one thread per body counts what its mass is split among, in the biased and in the relaxed pass (J.4). Sibling:
// `Counts` of `rule.rs`.

@group(0) @binding(0) var<storage, read> header: RowSettings;
// first slot of every body and the end, then the slots
@group(0) @binding(1) var<storage, read> adjacency: array<u32>;
@group(0) @binding(2) var<storage, read> placed: array<Placed>;
@group(0) @binding(3) var<storage, read_write> shares: array<vec2<f32>>;

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

fn update_body(body: u32) {
    let first = header.bodies + 1u;
    var sum = vec2<u32>(0u);
    for (var at = adjacency[body]; at < adjacency[body + 1u]; at = at + 1u) {
        let points = countOneBits(placed[adjacency[first + at] / 2u].near);
        sum = sum + vec2<u32>(count_of(points, false), count_of(points, true));
    }
    shares[body] = vec2<f32>(sum);
}
