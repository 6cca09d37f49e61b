// Sums that lie in memory, added in the order of `chunk_sum`.

// One binary tree over up to 32 sums; missing ones are zero.
fn tree(first: u32, count: u32) -> vec2<f32> {
    var values: array<vec2<f32>, 32>;
    for (var i = 0u; i < CHUNK; i = i + 1u) {
        values[i] = vec2<f32>(0.0);
        if i < count {
            values[i] = sum_of(first + i);
        }
    }
    for (var stride = CHUNK / 2u; stride > 0u; stride = stride / 2u) {
        for (var i = 0u; i < stride; i = i + 1u) {
            values[i] = values[i] + values[i + stride];
        }
    }
    return values[0];
}
