// `poses`: one thread per body moves its pose by the velocity of the biased solve. Twin: `stepping/poses.rs`.

@group(0) @binding(0) var<storage, read> settings: Settings;
@group(0) @binding(1) var<storage, read_write> motion: array<vec4<f32>>;
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

fn normalised(q: vec4<f32>) -> vec4<f32> {
    return q / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
}

fn update_body(body: u32) {
    let own = MOTION_QUADS * body;
    var at = BODY_QUADS * body;
    if MOMENTUM {
        at = at + BODY_QUADS * settings.bodies;
    }
    let h = settings.h;
    motion[own + 2u] = vec4<f32>(motion[own + 2u].xyz + h * velocity[at].xyz, 0.0);
    motion[own + 3u] =
        normalised(product(exponential(h * velocity[at + 1u].xyz), motion[own + 3u]));
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let body = group_index(group, groups) * WORKGROUP + lane;
    if body < settings.bodies {
        update_body(body);
    }
}
