// The largest of all threads' numbers. The bits of numbers that are not negative have the order of the numbers, so an
// atomic maximum of bits is exact, and no order of threads changes it; a NaN is larger than all.

// One entry per iteration.
@group(0) @binding(5) var<storage, read_write> largest: array<atomic<u32>>;

var<workgroup> largest_here: atomic<u32>;

// The larger; NaN wins, so that a broken iterate is seen.
fn largest_of(a: f32, b: f32) -> f32 {
    if b <= a {
        return a;
    }
    return b;
}

// One atomic of the workgroup's memory per thread, one of the device's per workgroup. All threads call it.
fn note_largest(lane: u32, entry: u32, value: f32) {
    if lane == 0u {
        atomicStore(&largest_here, 0u);
    }
    workgroupBarrier();
    atomicMax(&largest_here, bitcast<u32>(abs(value)));
    workgroupBarrier();
    if lane == 0u && entry < arrayLength(&largest) {
        atomicMax(&largest[entry], atomicLoad(&largest_here));
    }
}
