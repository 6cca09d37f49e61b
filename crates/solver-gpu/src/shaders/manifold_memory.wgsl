// Where `manifold_step.wgsl` finds the manifolds.

@group(0) @binding(1) var<storage, read> heads: array<vec4<u32>>;
// frames and points of all manifolds, then the extras of the points
@group(0) @binding(2) var<storage, read> numbers: array<vec4<f32>>;

// Quads of a manifold follow each other: its frame, then its points.
const QUAD_STRIDE: u32 = 1u;

fn first_quad(index: u32, first: u32) -> u32 {
    return FRAME_QUADS * index + POINT_QUADS * first;
}

// Where the impulse of a point is.
fn point_slot(index: u32, first: u32, local: u32) -> u32 {
    return first + local;
}

fn manifold_head(index: u32) -> vec4<u32> {
    return heads[index];
}

fn manifold_quad(at: u32) -> vec4<f32> {
    return numbers[at];
}

fn extra_quad(at: u32) -> vec4<f32> {
    return numbers[control.first_extra + at];
}

// λ_k of a point.
fn old_point(point: u32) -> vec3<f32> {
    return points[control.parity * control.points + point].xyz;
}
