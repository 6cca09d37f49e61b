// `motion`: one thread per body turns its inertia with it and adds the forces of a substep to its velocity. Twin:
// `stepping/motion.rs`.

@group(0) @binding(0) var<storage, read> header: Header;
@group(0) @binding(1) var<storage, read> inertia: array<BodyConstants>;
@group(0) @binding(2) var<storage, read_write> motion: array<BodyMotion>;
// inverse masses of all bodies, then their free velocities
@group(0) @binding(3) var<storage, read_write> bodies: array<vec4<f32>>;

fn inverse_of(q: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(-q.xyz, q.w);
}

fn gyroscope(frame: vec4<f32>, ratios: vec3<f32>, spin: vec3<f32>, h: f32) -> vec3<f32> {
    let l = rotated(inverse_of(frame), spin);
    let k = h * ratios;
    let first = vec3<f32>(1.0, k.y * l.z, k.z * l.y);
    let second = vec3<f32>(k.x * l.z, 1.0, k.z * l.x);
    let third = vec3<f32>(k.x * l.y, k.y * l.x, 1.0);
    let rest = vec3<f32>(k.x * l.y * l.z, k.y * l.z * l.x, k.z * l.x * l.y);
    let normal = cross3(second, third);
    let determinant = dot3(first, normal);
    if determinant == 0.0 {
        return spin;
    }
    let change = vec3<f32>(
        dot3(rest, normal) / determinant,
        dot3(first, cross3(rest, third)) / determinant,
        dot3(first, cross3(second, rest)) / determinant,
    );
    return rotated(frame, l - change);
}

fn update_body(body: u32) {
    let fixed = inertia[body];
    let own = motion[body];
    let free = MASS_QUADS * header.bodies + BODY_QUADS * body;
    if fixed.mode == KEEPS {
        bodies[free] = own.velocity;
        bodies[free + 1u] = own.spin;
        return;
    }
    let h = header.settings.h;
    let v = own.velocity.xyz;
    let w = own.spin.xyz;
    let linear = fixed.linear_slowing * (v + h * fixed.acceleration) * fixed.free_axes.xyz;
    let frame = product(own.turn, fixed.axes);
    let first = MASS_QUADS * body;
    if fixed.mode >= TURNS {
        refresh(first, frame, fixed.inverse_moments.xyz);
    }
    var after = w;
    if fixed.mode == GYROSCOPIC {
        after = gyroscope(frame, fixed.ratios, w, h);
    }
    let mass = Mass(bodies[first], bodies[first + 1u], bodies[first + 2u]);
    let push = moved_angular(mass, fixed.torque);
    let angular = fixed.angular_slowing * (after + h * push) * fixed.free_turns.xyz;
    bodies[free] = vec4<f32>(linear, 0.0);
    bodies[free + 1u] = vec4<f32>(angular, 0.0);
    let gained = linear - v;
    let local = rotated(inverse_of(frame), angular - after);
    let momentum = rotated(frame, fixed.moments.xyz * local);
    let moment = cross3(own.displacement.xyz, gained);
    motion[body].gained = vec4<f32>(own.gained.xyz + gained, 0.0);
    motion[body].moment = vec4<f32>(own.moment.xyz + moment, 0.0);
    motion[body].momentum = vec4<f32>(own.momentum.xyz + momentum, 0.0);
}
