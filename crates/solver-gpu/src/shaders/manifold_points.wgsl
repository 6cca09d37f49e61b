// Impulses of the points of manifolds, a quad each.

// two halves
@group(0) @binding(3) var<storage, read_write> points: array<vec4<f32>>;

// λ_{k−1} of a point that is not set yet.
fn other_point(point: u32) -> vec3<f32> {
    return points[(1u - control.parity) * control.points + point].xyz;
}

fn set_point(point: u32, impulse: vec3<f32>) {
    points[(1u - control.parity) * control.points + point] = vec4<f32>(impulse, 0.0);
}
