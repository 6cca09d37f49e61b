// Sums over pieces in an order that no machine changes: binary trees over chunks of 32, as in `sums.rs`.

// One tree per 32 threads; 256 is the largest workgroup.
var<workgroup> lanes: array<vec2<f32>, 256>;

// Sums the values of each chunk of threads; the first thread of a chunk gets the sum. All threads call it.
fn chunk_sum(lane: u32, value: vec2<f32>) -> vec2<f32> {
    lanes[lane] = value;
    workgroupBarrier();
    for (var stride = CHUNK / 2u; stride > 0u; stride = stride / 2u) {
        if lane % CHUNK < stride {
            lanes[lane] = lanes[lane] + lanes[lane + stride];
        }
        workgroupBarrier();
    }
    return lanes[lane];
}
