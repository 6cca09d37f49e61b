// Projections onto the sets of the laws, as in `laws.rs`.

// Projection onto ‖(t, s)‖ ≤ radius.
fn disc(t: f32, s: f32, radius: f32) -> vec2<f32> {
    let square = t * t + s * s;
    if square <= radius * radius {
        return vec2<f32>(t, s);
    }
    let length = sqrt(square);
    // underflow of the squares
    if length <= radius {
        return vec2<f32>(t, s);
    }
    let scale = radius / length;
    return vec2<f32>(scale * t, scale * s);
}

// Projection onto the cone ‖(t, s)‖ ≤ μ n.
fn cone(x: vec3<f32>, mu: f32) -> vec3<f32> {
    let length = sqrt(x.y * x.y + x.z * x.z);
    if x.x >= 0.0 && length <= mu * x.x {
        return x;
    }
    if mu * length <= -x.x {
        return vec3<f32>(0.0);
    }
    let normal = (x.x + mu * length) / (1.0 + mu * mu);
    let scale = mu * normal / length;
    return vec3<f32>(normal, scale * x.y, scale * x.z);
}
