// `joints`: one thread per joint follows its rows: errors, Jacobian, softness and steps. Twin: `stepping/joints.rs`.

@group(0) @binding(0) var<storage, read> header: Header;
@group(0) @binding(1) var<storage, read> joints: array<FollowedJoint>;
// direction and error of every row at the start
@group(0) @binding(2) var<storage, read> starts: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> motion: array<BodyMotion>;
// inverse masses of all bodies, then their free velocities
@group(0) @binding(4) var<storage, read> bodies: array<vec4<f32>>;
// numbers of the row blocks in the two passes
@group(0) @binding(5) var<storage, read_write> biased: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> relaxed: array<vec4<f32>>;

struct Shared {
    turn_a: vec4<f32>,
    centres: vec3<f32>,
    arm_a: vec3<f32>,
    arm_b: vec3<f32>,
    gap: vec3<f32>,
    shift: vec3<f32>,
    axis: vec3<f32>,
    tilt: vec3<f32>,
    missing: vec4<f32>,
    length: f32,
}

struct Row {
    error: f32,
    axis: vec3<f32>,
    turn_a: vec3<f32>,
    turn_b: vec3<f32>,
}

fn shared_of(own: FollowedJoint) -> Shared {
    let turn_a = motion[own.a].turn;
    let turn_b = motion[own.b].turn;
    let apart = motion[own.b].displacement.xyz - motion[own.a].displacement.xyz;
    let moved_a = turned(turn_a, own.anchor_a);
    let moved_b = turned(turn_b, own.anchor_b);
    let shift = apart + (moved_b - moved_a);
    let u = turn_a.xyz;
    let w = turn_b.xyz;
    let vector = (turn_a.w * w - turn_b.w * u) - cross3(u, w);
    let scalar = turn_a.w * turn_b.w + dot3(u, w);
    let start = own.missing;
    let v = (scalar * start.xyz + start.w * vector) + cross3(vector, start.xyz);
    let s = scalar * start.w - dot3(vector, start.xyz);
    let sign = select(1.0, -1.0, s < 0.0);
    return Shared(
        turn_a,
        own.centres + apart,
        own.anchor_a + moved_a,
        own.anchor_b + moved_b,
        own.gap + shift,
        shift,
        own.axis,
        turned(turn_b, own.axis),
        vec4<f32>(sign * v, sign * s),
        own.length,
    );
}

fn row_of(state: Shared, gap: vec3<f32>, kind: u32, start: vec4<f32>) -> Row {
    let zero = vec3<f32>(0.0);
    if kind == LINE {
        let tilt = turned(state.turn_a, start.xyz);
        let axis = start.xyz + tilt;
        let far = state.centres + state.arm_b;
        let error = start.w + (dot3(tilt, gap) + dot3(axis, state.shift));
        return Row(error, axis, zero - cross3(far, axis), cross3(state.arm_b, axis));
    }
    if kind == PERPENDICULAR {
        let tilt = turned(state.turn_a, start.xyz);
        let across = start.xyz + tilt;
        let axis = state.axis + state.tilt;
        let turn = cross3(axis, across);
        let error = start.w + (dot3(tilt, state.axis) + dot3(across, state.tilt));
        return Row(error, zero, zero - turn, turn);
    }
    if kind == ORIENTATION {
        let v = state.missing.xyz;
        let local = state.missing.w * start.xyz + cross3(v, start.xyz);
        let turn = local + turned(state.turn_a, local);
        return Row(2.0 * dot3(v, start.xyz), zero, zero - turn, turn);
    }
    let length = sqrt(dot3(state.gap, state.gap));
    let grown = 2.0 * dot3(gap, state.shift) + dot3(state.shift, state.shift);
    var axis = vec3<f32>(1.0, 0.0, 0.0);
    if length > 0.0 {
        axis = state.gap / length;
    }
    let error = start.w + grown / (length + state.length);
    return Row(error, axis, zero - cross3(state.arm_a, axis), cross3(state.arm_b, axis));
}

fn weight(body: u32, axis: vec3<f32>, turn: vec3<f32>) -> f32 {
    let first = MASS_QUADS * body;
    let mass = Mass(bodies[first], bodies[first + 1u], bodies[first + 2u]);
    return dot3(axis, moved_linear(mass, axis)) + dot3(turn, moved_angular(mass, turn));
}

fn step_of(d: f32) -> f32 {
    if d > 0.0 {
        return 1.0 / d;
    }
    return 0.0;
}

fn update_joint(index: u32) {
    let own = joints[index];
    let first = own.blocks;
    let inverse_omega = header.settings.inverse_omega;
    let state = shared_of(own);
    for (var local = 0u; local < own.rows; local = local + 1u) {
        let kind = (own.kinds >> (4u * local)) & 15u;
        let row = row_of(state, own.gap, kind, starts[own.first_row + local]);
        if RELAXED {
            relaxed[first + local].x = own.relaxed_rate * row.error;
        } else {
            let at = first + own.rows + 4u * local;
            let factor_a = biased[at].w;
            let factor_b = biased[at + 2u].w;
            let other_a = relaxed[at].w;
            let other_b = relaxed[at + 2u].w;
            let minus = vec3<f32>(0.0) - row.axis;
            let k_a = weight(own.a, minus, row.turn_a);
            let k_b = weight(own.b, row.axis, row.turn_b);
            var soft = own.relative * (k_a + k_b) + own.absolute;
            var d = (factor_a * k_a + factor_b * k_b) + soft * inverse_omega;
            biased[first + local] = vec4<f32>(own.rate * row.error, soft, step_of(d), 0.0);
            soft = own.relaxed_relative * (k_a + k_b) + own.relaxed_absolute;
            d = (other_a * k_a + other_b * k_b) + soft * inverse_omega;
            relaxed[first + local] =
                vec4<f32>(own.relaxed_rate * row.error, soft, step_of(d), 0.0);
            biased[at] = vec4<f32>(minus, factor_a);
            biased[at + 1u] = vec4<f32>(row.turn_a, 0.0);
            biased[at + 2u] = vec4<f32>(row.axis, factor_b);
            biased[at + 3u] = vec4<f32>(row.turn_b, 0.0);
            relaxed[at] = vec4<f32>(minus, other_a);
            relaxed[at + 1u] = vec4<f32>(row.turn_a, 0.0);
            relaxed[at + 2u] = vec4<f32>(row.axis, other_b);
            relaxed[at + 3u] = vec4<f32>(row.turn_b, 0.0);
        }
    }
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = group_index(group, groups) * WORKGROUP + lane;
    if index < header.joints {
        update_joint(index);
    }
}
