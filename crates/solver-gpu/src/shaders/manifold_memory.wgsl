// Where `manifold_step.wgsl` finds the manifolds.

@group(0) @binding(1) var<storage, read> heads: array<vec4<u32>>;
// frames and points of all manifolds, then the extras of the points
@group(0) @binding(2) var<storage, read> numbers: array<vec4<f32>>;

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
