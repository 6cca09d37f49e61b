// Colliders, their bodies, and manifolds: what kernels behind a search read, too. As in `records.rs`.

struct BodyPose {
    // the position is the sum of the two
    high: vec4<f32>,
    low: vec4<f32>,
    orientation: vec4<f32>,
}

struct Solid {
    // half edges of a box; a sphere has its radius in all three, a half-space its normal
    half: vec3<f32>,
    kind: u32,
    // on its body
    place: vec3<f32>,
    body: u32,
    turn: vec4<f32>,
    level: u32,
    moves: u32,
    group: u32,
    category: u32,
    mask: u32,
    // half of the margin
    grown: f32,
    // the caller's
    mark: u32,
    spare: u32,
}

struct Point {
    on_a: vec3<f32>,
    separation: f32,
    on_b: vec3<f32>,
    feature: u32,
}

struct Manifold {
    // the collider that found the pair, and the other one
    owner: u32,
    partner: u32,
    count: u32,
    axis: u32,
    normal: vec3<f32>,
    // the manifold of the pair in the frame before, or NONE
    earlier: u32,
    points: array<Point, 4>,
    // per point: 4 m + p of point p of manifold m of the frame before, or NONE
    previous: vec4<u32>,
}
