// `bodies`: one thread per body sums its wrenches in the order of their slots and computes its velocity anew. Twin:
// `bodies.rs`. The first workgroup has no bodies: it adds up the sums of the iteration and chooses the momentum of the
// iteration after the next, as `control.rs` does.

@group(0) @binding(0) var<storage, read> control: Control;
@group(0) @binding(1) var<storage, read_write> coming: Control;
// inverse masses of all bodies, then their free velocities
@group(0) @binding(2) var<storage, read> bodies: array<vec4<f32>>;
// what the next iteration reads, then, with momentum, v_k
@group(0) @binding(3) var<storage, read_write> velocity: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> wrench: array<vec4<f32>>;
// first slot of every body and the end, then the slots
@group(0) @binding(5) var<storage, read> adjacency: array<u32>;
@group(0) @binding(6) var<storage, read_write> sums: array<vec2<f32>>;
// residual², uphill, β, held
@group(0) @binding(7) var<storage, read_write> history: array<vec4<f32>>;

const NESTEROV: u32 = 1u;
const CHEBYSHEV: u32 = 2u;
// Constants of `control.rs`.
const RISE: f32 = 100.0;
const FIRST_HOLD: u32 = 8u;
const DELAY: u32 = 10u;
const LARGEST_RHO: f32 = 0.9999;

fn update_body(body: u32) {
    var force = vec3<f32>(0.0);
    var torque = vec3<f32>(0.0);
    let list = control.bodies + 1u;
    let last = adjacency[body + 1u];
    for (var at = adjacency[body]; at < last; at = at + 1u) {
        let slot = adjacency[list + at];
        force = force + wrench[2u * slot].xyz;
        torque = torque + wrench[2u * slot + 1u].xyz;
    }
    let first = MASS_QUADS * body;
    let mass = Mass(bodies[first], bodies[first + 1u], bodies[first + 2u]);
    let free = MASS_QUADS * control.bodies + BODY_QUADS * body;
    let linear = bodies[free].xyz + moved_linear(mass, force);
    let angular = bodies[free + 1u].xyz + moved_angular(mass, torque);
    let at = BODY_QUADS * body;
    if MOMENTUM {
        let settled = BODY_QUADS * control.bodies + at;
        var ahead_linear = linear;
        var ahead_angular = angular;
        if STEPS {
            let beta = control.state.next_beta;
            ahead_linear = linear + beta * (linear - velocity[settled].xyz);
            ahead_angular = angular + beta * (angular - velocity[settled + 1u].xyz);
        }
        velocity[settled] = vec4<f32>(linear, 0.0);
        velocity[settled + 1u] = vec4<f32>(angular, 0.0);
        velocity[at] = vec4<f32>(ahead_linear, 0.0);
        velocity[at + 1u] = vec4<f32>(ahead_angular, 0.0);
    } else {
        velocity[at] = vec4<f32>(linear, 0.0);
        velocity[at + 1u] = vec4<f32>(angular, 0.0);
    }
}

// One binary tree over up to 32 sums; missing ones are zero.
fn tree(first: u32, count: u32) -> vec2<f32> {
    var values: array<vec2<f32>, 32>;
    for (var i = 0u; i < CHUNK; i = i + 1u) {
        values[i] = vec2<f32>(0.0);
        if i < count {
            values[i] = sums[first + i];
        }
    }
    for (var stride = CHUNK / 2u; stride > 0u; stride = stride / 2u) {
        for (var i = 0u; i < stride; i = i + 1u) {
            values[i] = values[i] + values[i + stride];
        }
    }
    return values[0];
}

// True if the next step must be plain.
fn guard(state: ptr<function, State>, residual: f32) -> bool {
    if residual < (*state).smallest {
        (*state).smallest = residual;
        (*state).hold = 0u;
    }
    if (*state).hold > 0u {
        (*state).hold = (*state).hold - 1u;
        if (*state).hold == 0u {
            // what counts as a rise is judged anew
            (*state).smallest = residual;
        }
        return true;
    }
    if residual > RISE * (*state).smallest {
        (*state).hold = (*state).next_hold;
        if (*state).next_hold < 0x80000000u {
            (*state).next_hold = (*state).next_hold * 2u;
        } else {
            (*state).next_hold = 0xffffffffu;
        }
        return true;
    }
    return false;
}

fn nesterov(state: ptr<function, State>, uphill: f32, held: bool) {
    if held || uphill > 0.0 {
        (*state).t = 1.0;
        (*state).next_beta = 0.0;
        return;
    }
    let t = (*state).t;
    let after = (1.0 + sqrt(1.0 + 4.0 * t * t)) / 2.0;
    (*state).next_beta = (t - 1.0) / after;
    (*state).t = after;
}

fn chebyshev(state: ptr<function, State>, residual: f32, held: bool) {
    if held {
        (*state).plain = 0u;
        (*state).weight = 1.0;
        return;
    }
    (*state).plain = min((*state).plain, 0xfffffffeu) + 1u;
    if (*state).plain < DELAY {
        return;
    }
    if (*state).plain == DELAY {
        var measured = 0.0;
        if (*state).last > 0.0 {
            measured = sqrt(residual / (*state).last);
        }
        if !(measured < LARGEST_RHO) {
            measured = LARGEST_RHO;
        }
        (*state).rho = measured;
        (*state).weight = 2.0 / (2.0 - measured * measured);
    } else {
        let rho = (*state).rho;
        (*state).weight = 4.0 / (4.0 - rho * rho * (*state).weight);
    }
}

fn advance(total: vec2<f32>) {
    var state = control.state;
    let residual = total.y;
    var held = false;
    if control.guarded != 0u {
        held = guard(&state, residual);
    }
    if state.iteration < control.capacity {
        let flag = select(0.0, 1.0, held);
        history[state.iteration] = vec4<f32>(residual, total.x, control.state.beta, flag);
    }
    state.beta = state.next_beta;
    if control.acceleration == NESTEROV {
        nesterov(&state, total.x, held);
    } else if control.acceleration == CHEBYSHEV {
        chebyshev(&state, residual, held);
    }
    state.last = residual;
    state.iteration = state.iteration + 1u;
    coming.state = state;
}

// The sums of chunks are summed in chunks, level after level, each behind the one before.
fn add_up(lane: u32) {
    var first = 0u;
    var count = control.sums;
    while count > 1u {
        let chunks = (count + CHUNK - 1u) / CHUNK;
        for (var chunk = lane; chunk < chunks; chunk = chunk + WORKGROUP) {
            let begin = chunk * CHUNK;
            sums[first + count + chunk] = tree(first + begin, min(CHUNK, count - begin));
        }
        storageBarrier();
        first = first + count;
        count = chunks;
    }
    if lane == 0u {
        var total = vec2<f32>(0.0);
        if count == 1u {
            total = sums[first];
        }
        advance(total);
    }
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = group_index(group, groups);
    if number == 0u {
        if STEPS {
            add_up(lane);
        }
        return;
    }
    let body = (number - 1u) * WORKGROUP + lane;
    if body < control.bodies {
        update_body(body);
    }
}
