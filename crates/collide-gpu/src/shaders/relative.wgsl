// The pair that a thread looks at: sizes, and the pose of B in the axes of A, of which no difference of large numbers is
// formed (K.40).

@group(0) @binding(0) var<storage, read> header: Header;
@group(0) @binding(1) var<storage, read> solids: array<Solid>;
@group(0) @binding(2) var<storage, read> bodies: array<BodyPose>;

var<private> half: array<vec3<f32>, 2>;
// axes of B, and its centre
var<private> column: array<vec3<f32>, 3>;
var<private> shift: vec3<f32>;

// What touches: points in the axes of their own collider; at most eight before the reduction.
var<private> points: array<Point, 8>;
var<private> count: u32;
var<private> normal: vec3<f32>;
// the separating axis that was taken, of boxes
var<private> axis_taken: u32;

fn unit(axis: u32) -> vec3<f32> {
    return vec3<f32>(f32(axis == 0u), f32(axis == 1u), f32(axis == 2u));
}

// Of a vector in the axes of A, its components in those of B.
fn in_b(x: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(dot3(column[0], x), dot3(column[1], x), dot3(column[2], x));
}

// Of a vector in the axes of B, its components in those of A.
fn in_a(x: vec3<f32>) -> vec3<f32> {
    return column[0] * x.x + column[1] * x.y + column[2] * x.z;
}

fn relate(a: Solid, b: Solid) {
    half[0] = a.half;
    half[1] = b.half;
    let pose_a = bodies[a.body];
    let pose_b = bodies[b.body];
    let apart = (pose_b.high.xyz - pose_a.high.xyz) + (pose_b.low.xyz - pose_a.low.xyz);
    let back = inverse_of(pose_a.orientation);
    let turn = product(back, pose_b.orientation);
    let centres = rotated(back, apart) + rotated(turn, b.place) - a.place;
    let back_a = inverse_of(a.turn);
    shift = rotated(back_a, centres);
    let relative = product(back_a, product(turn, b.turn));
    for (var k = 0u; k < 3u; k = k + 1u) {
        column[k] = rotated(relative, unit(k));
    }
}
