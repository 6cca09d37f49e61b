// `settle`: one thread per body takes over the velocity of the relaxed solve. Twin: `stepping/settle.rs`.

// False for the velocities of a bounce, which takes no time.
override LASTS: bool = true;

@group(0) @binding(0) var<storage, read> settings: Settings;
@group(0) @binding(1) var<storage, read_write> motion: array<vec4<f32>>;
// what iterations read, then, with momentum, v_k
@group(0) @binding(2) var<storage, read> velocity: array<vec4<f32>>;

fn update_body(body: u32) {
    let own = MOTION_QUADS * body;
    var at = BODY_QUADS * body;
    if MOMENTUM {
        at = at + BODY_QUADS * settings.bodies;
    }
    for (var part = 0u; part < BODY_QUADS; part = part + 1u) {
        let fresh = velocity[at + part].xyz;
        if LASTS {
            let sum = motion[own + part].xyz + fresh;
            motion[own + 4u + part] = vec4<f32>(motion[own + 4u + part].xyz + sum, 0.0);
        }
        motion[own + part] = vec4<f32>(fresh, 0.0);
    }
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
