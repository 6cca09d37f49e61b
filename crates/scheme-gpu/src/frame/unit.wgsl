// A rotation whose rounding is taken out.

fn normalised(q: vec4<f32>) -> vec4<f32> {
    return q / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
}
