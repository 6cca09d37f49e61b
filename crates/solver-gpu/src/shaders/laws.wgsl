// Codes of the laws and projections onto their sets, as in `pack/law.rs` and `laws.rs`.

const FREE: u32 = 0u;
const BOUNDS: u32 = 1u;
const FRICTIONLESS: u32 = 2u;
const BOX: u32 = 3u;
const DISC: u32 = 4u;
const CONE: u32 = 5u;
const PATCH: u32 = 6u;

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
