// What the kernels of a frame know, as in `stepping.rs`.

// Bias of the solve without stabilisation.
override RELAXED: bool = false;
// Points that are packed as row blocks.
override LOOSE: bool = false;

struct Settings {
    h: f32,
    inverse_h: f32,
    slop: f32,
    push: f32,
    // with the world
    bodies: u32,
    contacts: u32,
    loose: u32,
    joints: u32,
    slots: u32,
}

// What a rotation changes of a vector: R x - x.
fn turned(q: vec4<f32>, x: vec3<f32>) -> vec3<f32> {
    let c = cross3(q.xyz, x);
    return (2.0 * q.w) * c + 2.0 * cross3(q.xyz, c);
}

fn rotated(q: vec4<f32>, x: vec3<f32>) -> vec3<f32> {
    return x + turned(q, x);
}

// The rotation `second`, then `first`.
fn product(first: vec4<f32>, second: vec4<f32>) -> vec4<f32> {
    let v = (first.w * second.xyz + second.w * first.xyz) + cross3(first.xyz, second.xyz);
    return vec4<f32>(v, first.w * second.w - dot3(first.xyz, second.xyz));
}
