// `poses`: one thread per body moves its pose by the velocity of the biased solve. Twin: `stepping/poses.rs`.

@group(0) @binding(0) var<storage, read> header: Header;
@group(0) @binding(1) var<storage, read_write> motion: array<BodyMotion>;
// what iterations read, then, with momentum, v_k
@group(0) @binding(2) var<storage, read> velocity: array<vec4<f32>>;

fn exponential(vector: vec3<f32>) -> vec4<f32> {
    let x = 0.25 * vector;
    let s = dot3(x, x);
    let sine = 1.0
        + s * (-1.0 / 6.0 + s * (1.0 / 120.0 + s * (-1.0 / 5040.0 + s * (1.0 / 362880.0))));
    let cosine = 1.0
        + s * (-0.5 + s * (1.0 / 24.0 + s * (-1.0 / 720.0 + s * (1.0 / 40320.0))));
    let half = vec4<f32>(sine * x, cosine);
    return product(half, half);
}

fn update_body(body: u32) {
    var at = BODY_QUADS * body;
    if MOMENTUM {
        at = at + BODY_QUADS * header.bodies;
    }
    let h = header.settings.h;
    let displacement = motion[body].displacement.xyz;
    motion[body].displacement = vec4<f32>(displacement + h * velocity[at].xyz, 0.0);
    motion[body].turn =
        normalised(product(exponential(h * velocity[at + 1u].xyz), motion[body].turn));
}
