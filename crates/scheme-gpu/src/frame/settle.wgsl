// `settle`: one thread per body takes over the velocity of the relaxed solve. Twin: `stepping/settle.rs`.

// False for the velocities of a bounce, which takes no time.
override LASTS: bool = true;

@group(0) @binding(0) var<storage, read> header: Header;
@group(0) @binding(1) var<storage, read_write> motion: array<BodyMotion>;
// what iterations read, then, with momentum, v_k
@group(0) @binding(2) var<storage, read> velocity: array<vec4<f32>>;

fn update_body(body: u32) {
    var at = BODY_QUADS * body;
    if MOMENTUM {
        at = at + BODY_QUADS * header.bodies;
    }
    let v = velocity[at].xyz;
    let w = velocity[at + 1u].xyz;
    if LASTS {
        let velocities = motion[body].velocities.xyz + (motion[body].velocity.xyz + v);
        motion[body].velocities = vec4<f32>(velocities, 0.0);
        let spins = motion[body].spins.xyz + (motion[body].spin.xyz + w);
        motion[body].spins = vec4<f32>(spins, 0.0);
    }
    motion[body].velocity = vec4<f32>(v, 0.0);
    motion[body].spin = vec4<f32>(w, 0.0);
}
