// Declarations of the kernels that pack rows, as in `records.rs`. `records.wgsl` of the search precedes each of them.

struct RowSettings {
    manifolds: u32,
    // with the world
    bodies: u32,
    // kinds of surfaces
    kinds: u32,
    // code of the law of all points
    law: u32,
    // codes of the step rule
    rule: u32,
    splitting: u32,
    sequential: u32,
    // of the impulses of the frame before
    factor: f32,
    // points farther apart are not solved for
    margin: f32,
    inverse_omega: f32,
    // bias per overlap and compliance per diagonal, of bodies that move and of others
    rate: f32,
    soft: f32,
    fixed_rate: f32,
    fixed_soft: f32,
    // speed of approach above which contacts bounce
    threshold: f32,
    // pieces of joints: those between the same bodies
    units: u32,
    joints: u32,
}

// A manifold in world axes, at the start of the frame.
struct Placed {
    a: u32,
    b: u32,
    // its first point
    first: u32,
    count: u32,
    normal: vec3<f32>,
    // a bit per point that is solved for
    near: u32,
    tangent: vec3<f32>,
    // 1 if a body is not dynamic
    fixed: u32,
    // centre of A to centre of B
    between: vec3<f32>,
    // which pair of surfaces
    surfaces: u32,
    // where the impulses act, from the centre of B; separation
    arms: array<vec4<f32>, 4>,
    // anchors of B from its centre
    anchors: array<vec4<f32>, 4>,
}

// What a manifold keeps for the next frame.
struct Kept {
    // in the axes of the body of A
    tangent: vec4<f32>,
    // the tangents of the impulses, in world axes
    first: vec4<f32>,
    second: vec4<f32>,
    // along normal and tangents
    impulses: array<vec4<f32>, 4>,
}

fn is_near(near: u32, point: u32) -> bool {
    return ((near >> point) & 1u) == 1u;
}

// Rows of a point that are solved for, in the relaxed pass or in the biased one.
fn rows_of_point(relaxed: bool, law: u32) -> u32 {
    return select(1u, 3u, relaxed && law != FRICTIONLESS);
}

// Head of the first of the two bodies of a unit, after those of units and joints.
fn first_slot_head(settings: RowSettings, unit: u32) -> u32 {
    return settings.units + settings.joints + 2u * unit;
}
