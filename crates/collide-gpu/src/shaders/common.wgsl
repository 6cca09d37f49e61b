// Declarations of every kernel in addition to `records.wgsl`, and vectors with every sum written out.

// Threads of a workgroup.
override WORKGROUP: u32 = 64u;

struct Header {
    colliders: u32,
    // a power of two
    buckets: u32,
    // sizes of cells
    levels: u32,
    // pairs of bodies that do not touch
    apart: u32,
    // half-spaces
    planes: u32,
    // pairs and manifolds that there is room for
    pairs: u32,
    manifolds: u32,
    margin: f32,
    persistence: f32,
}

// Where a collider is, roughly, and what it may touch.
struct Bound {
    high: vec3<f32>,
    bucket: u32,
    low: vec3<f32>,
    level: u32,
    // from the centre along the axes of the world; the normal of a half-space
    reach: vec3<f32>,
    body: u32,
    cell: vec3<i32>,
    moves: u32,
    group: u32,
    category: u32,
    mask: u32,
    spare: u32,
}

// Index of a workgroup in a grid of two dimensions.
fn group_index(group: vec3<u32>, groups: vec3<u32>) -> u32 {
    return group.y * groups.x + group.x;
}

fn dot3(a: vec3<f32>, b: vec3<f32>) -> f32 {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

fn cross3(a: vec3<f32>, b: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

fn length3(a: vec3<f32>) -> f32 {
    return sqrt(dot3(a, a));
}

fn rotated(q: vec4<f32>, x: vec3<f32>) -> vec3<f32> {
    let c = cross3(q.xyz, x);
    return x + ((2.0 * q.w) * c + 2.0 * cross3(q.xyz, c));
}

fn inverse_of(q: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(-q.xyz, q.w);
}

// The rotation `second`, then `first`.
fn product(first: vec4<f32>, second: vec4<f32>) -> vec4<f32> {
    let v = (first.w * second.xyz + second.w * first.xyz) + cross3(first.xyz, second.xyz);
    return vec4<f32>(v, first.w * second.w - dot3(first.xyz, second.xyz));
}

// Cell of a place, of so large a grid that both halves of a coordinate are scaled without rounding (K.41).
fn cell_of(high: vec3<f32>, low: vec3<f32>, inverse: f32) -> vec3<i32> {
    let coarse = high * inverse;
    let whole = floor(coarse);
    let rest = floor((coarse - whole) + low * inverse);
    return vec3<i32>(whole) + vec3<i32>(rest);
}

fn mixed(sum: u32, part: u32) -> u32 {
    let x = (sum ^ part) * 0x9e3779b1u;
    return x ^ (x >> 15u);
}

// Bucket of a cell of a level.
fn bucket_of(cell: vec3<i32>, level: u32, buckets: u32) -> u32 {
    let c = vec3<u32>(cell);
    return mixed(mixed(mixed(mixed(level, 0x85ebu), c.x), c.y), c.z) & (buckets - 1u);
}
